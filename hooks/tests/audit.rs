//! The audit log on the real disk: records that a configuration writes, writers that are killed, and a second
//! verifier that shares no code with the first.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(all(unix, feature = "config"))]

mod logs;

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks::audit::verify::{self, Anchor, Condition};
use hooks::audit::{
    AppendSettings, Appender, Committed, Entry, Log, LogReader, LogSettings, Positions, Record,
};
use hooks::config::{Config, ConfigReader};
use hooks::event::PreToolUse;
use hooks::time::{Random, SeededRandom, Timestamp};
use hooks::{HookContext, Judged, StdFileSystem, SystemClock};
use serde_json::json;

use self::logs::{process, project, read};

fn open(folder: &Path, file_bytes: u64) -> Log {
    let mut settings = LogSettings::new([7; 32]);
    settings.files.file_bytes = file_bytes;
    Log::open(Arc::new(StdFileSystem), folder, settings, Arc::new(SystemClock)).unwrap()
}

fn record(session: String) -> Entry {
    Entry::from({
        let mut record = Record::new("stop", Timestamp(1));
        record.session = session;
        record
    })
}

fn condition(folder: &Path, anchors: &[Anchor]) -> Condition {
    verify::verify(&StdFileSystem, folder, anchors).unwrap().condition()
}

/// Result of the second verifier; `None` if Python is not installed.
fn second_opinion(folder: &Path, anchors: &[Anchor]) -> Option<Condition> {
    second_words(folder, anchors).map(|(condition, _)| condition)
}

/// The same, with the messages of the verifier.
#[expect(clippy::disallowed_methods, reason = "another program is asked on purpose")]
fn second_words(folder: &Path, anchors: &[Anchor]) -> Option<(Condition, String)> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs/verify/audit.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(program).arg(folder);
    for anchor in anchors {
        command.arg("--anchor").arg(anchor.to_string());
    }
    let output = command.output().ok()?;
    let errors = String::from_utf8(output.stderr).unwrap();
    let condition = match output.status.code() {
        Some(0) => Condition::Clean,
        Some(1) if !errors.starts_with("Traceback") => Condition::Torn,
        Some(3) => Condition::Damaged,
        Some(4) => Condition::Mismatched,
        _ => panic!("{errors}"),
    };
    Some((condition, errors))
}

#[tokio::test]
async fn a_configuration_puts_events_on_the_record_of_its_team() {
    let folder = project(
        "version: 1\naudit: {before: [deploy]}\nrules:\n  - {name: no-rm, action: deny, tools: [rm]}\n",
    );
    let config = Config::read(folder.path().join("hooks.yaml")).unwrap();
    let log = config.audit_folder().unwrap();
    assert_eq!(log, folder.path().join(".squad/orchestration-log"));
    let hooks = config.hooks();
    assert!(!log.exists(), "nothing is written before there is something to write");
    let context =
        || HookContext::new("s1", "backend").in_dir(folder.path()).with_environment(hooks::system());
    for tool in ["rm", "deploy"] {
        let decision = hooks.on(context()).pre_tool_use(PreToolUse::new(tool, json!({"key": 1}))).await;
        assert_eq!(decision.outcome.is_denied(), tool == "rm");
    }
    let own = json!({"path": log.join("w0.00000001.jsonl"), "content": ""});
    let decision = hooks.on(context()).pre_tool_use(PreToolUse::new("write", own)).await;
    assert!(decision.outcome.is_denied(), "agents do not write the log");
    drop(hooks);
    let records = read(&log);
    let events: Vec<_> = records.iter().map(|committed| committed.record.event.as_str()).collect();
    assert_eq!(events, ["pre_tool_use", "log.intent", "pre_tool_use", "pre_tool_use"]);
    let first = &records[0].record;
    assert_eq!((first.rule.as_deref(), &*first.agent), (Some("no-rm"), "backend"));
    assert_eq!(first.rules.as_ref().map(String::len), Some(16));
    assert_eq!(condition(&log, &[]), Condition::Clean);
}

#[test]
fn a_reader_may_record_in_teams_where_the_file_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.yaml");
    fs::write(&file, "version: 1\n").unwrap();
    let recorded = || ConfigReader::default().recording_in_teams().read(&file).unwrap().audit_folder();
    assert_eq!(recorded(), None, "there is no team");
    fs::create_dir(folder.path().join(".squad")).unwrap();
    assert!(recorded().is_some());
    assert_eq!(Config::read(&file).unwrap().audit_folder(), None);
    for off in ["{enabled: false}", "false"] {
        fs::write(&file, format!("version: 1\naudit: {off}\n")).unwrap();
        assert_eq!(recorded(), None, "{off}");
    }
    fs::write(&file, "version: 1\naudit: true\n").unwrap();
    assert_eq!(recorded(), Config::read(&file).unwrap().audit_folder());
    let error = Config::parse("version: 1\naudit: off\n", "hooks.yaml").unwrap_err().to_string();
    assert!(error.contains("write `false`"), "{error}");
}

#[test]
fn the_team_is_that_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join(".squad/orchestration-log");
    fs::create_dir_all(folder.path().join(".squad")).unwrap();
    fs::create_dir(folder.path().join(".hooks")).unwrap();
    let (inside, elsewhere) =
        (folder.path().join(".hooks/hooks.yaml"), tempfile::NamedTempFile::with_suffix(".yaml").unwrap());
    fs::write(&inside, "version: 1\n").unwrap();
    fs::write(elsewhere.path(), "version: 1\n").unwrap();
    let reader = ConfigReader::default().recording_in_teams();
    assert_eq!(reader.read(&inside).unwrap().audit_folder(), Some(log.clone()));
    assert_eq!(reader.read(elsewhere.path()).unwrap().audit_folder(), None);
    let reader = reader.recording_in_team_of(folder.path());
    assert_eq!(reader.read(elsewhere.path()).unwrap().audit_folder(), Some(log));
}

#[tokio::test]
async fn what_is_tried_out_is_not_on_the_record_and_the_log_is_protected() {
    let folder = project("version: 1\naudit: {}\n");
    let file = folder.path().join("hooks.yaml");
    let config = ConfigReader::default().recording_nothing().read(file).unwrap();
    let (log, context) = (config.audit_folder().unwrap(), HookContext::new("s1", "a").in_dir(folder.path()));
    let own = json!({"path": log.join("w0.00000001.jsonl"), "content": ""});
    let context = context.with_environment(hooks::system());
    let decision = config.hooks().on(context).pre_tool_use(PreToolUse::new("write", own)).await;
    assert!(decision.outcome.is_denied() && !log.exists());
}

#[test]
fn both_verifiers_agree_about_tampered_logs() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path(), 2_000);
    for number in 0..60 {
        log.put_through(move || record(number.to_string())).unwrap().wait().unwrap();
    }
    drop(log);
    let report = verify::verify(&StdFileSystem, folder.path(), &[]).unwrap();
    let chain = &report.chains[0];
    let anchor = Anchor { chain: chain.chain.clone(), size: chain.seq, root: chain.root };
    let Some(clean) = second_opinion(folder.path(), std::slice::from_ref(&anchor)) else {
        println!("SKIPPED: no python3 here");
        return;
    };
    assert_eq!((clean, report.condition()), (Condition::Clean, Condition::Clean));
    let proof = verify::prove(&StdFileSystem, folder.path(), "w0", 17).unwrap().unwrap();
    assert!(proof.holds() && proof.root == anchor.root);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort_unstable();
    let dice = SeededRandom::new(3);
    let mut seen = HashSet::new();
    for round in 0..36 {
        let path = &files[dice.next_u64() as usize % files.len()];
        let whole = fs::read(path).unwrap();
        let at = dice.next_u64() as usize % whole.len();
        let mut changed = whole.clone();
        match round % 3 {
            0 => changed[at] ^= 1 << (at % 8),
            1 => changed.truncate(at),
            _ => drop(changed.splice(at..at, b"\n".iter().copied())),
        }
        fs::write(path, changed).unwrap();
        let anchors = if round % 2 == 0 { std::slice::from_ref(&anchor) } else { &[] };
        let ours = condition(folder.path(), anchors);
        assert_ne!(ours, Condition::Clean);
        assert_eq!(second_opinion(folder.path(), anchors), Some(ours), "round {round}: {path:?} at {at}");
        seen.insert(format!("{ours:?}"));
        fs::write(path, whole).unwrap();
    }
    assert!(seen.contains("Damaged") && seen.contains("Mismatched"), "{seen:?}");
    assert_eq!(condition(folder.path(), &[anchor]), Condition::Clean);
}

const WRITER: &str = "HOOKS_AUDIT_WRITER";

/// Not a test: the process that the next test starts and kills.
#[test]
fn writer_process() {
    let Some(folder) = std::env::var_os(WRITER) else { return };
    let log = open(Path::new(&folder), 20_000);
    let mut out = std::io::stdout();
    for number in 0..100_000 {
        let id = format!("{}.{number}", std::process::id());
        let told = id.clone();
        if number % 4 != 0 {
            log.put(move || record(id)).unwrap();
        } else if log.put_through(move || record(id)).unwrap().wait().is_ok() {
            // What came before it is written as well.
            writeln!(out, "\nacknowledged {told}").unwrap();
        }
    }
}

/// `HOOKS_AUDIT_KILLS` sets another number of kills.
#[test]
#[expect(clippy::disallowed_methods, reason = "real processes are started and killed")]
fn eight_writers_that_are_killed_lose_nothing_that_was_acknowledged() {
    let kills: u64 =
        std::env::var("HOOKS_AUDIT_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(16);
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    let dice = SeededRandom::new(1);
    for _ in 0..kills.div_ceil(8) {
        let start =
            || process("writer_process", WRITER, folder.path()).stderr(Stdio::null()).spawn().unwrap();
        let mut writers: Vec<_> = (0..8).map(|_| start()).collect();
        std::thread::sleep(Duration::from_millis(30 + dice.next_u64() % 150));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        for mut writer in writers {
            let lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
            acknowledged
                .extend(lines.filter_map(|line| Some(line.strip_prefix("acknowledged ")?.to_owned())));
            writer.wait().unwrap();
        }
    }
    // The next writer of a chain finishes it.
    let logs: Vec<_> = (0..8).map(|_| open(folder.path(), 20_000)).collect();
    drop(logs);
    let report = verify::verify(&StdFileSystem, folder.path(), &[]).unwrap();
    assert_eq!(report.condition(), Condition::Clean, "{report:?}");
    assert!(report.chains.len() <= 8, "chains are taken over");
    let all: HashSet<_> = read(folder.path()).into_iter().map(|committed| committed.record.session).collect();
    assert!(!acknowledged.is_empty());
    let lost: Vec<_> = acknowledged.iter().filter(|id| !all.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), acknowledged.len());
    let (files, bytes) = volume(folder.path());
    assert!(files <= most_files(report.chains.len(), bytes, 20_000), "{files} files for {bytes} bytes");
    println!(
        "{} acknowledged records survived {kills} kills, in {files} files of {bytes} bytes",
        acknowledged.len()
    );
}

/// Number of files of chains, and their size in bytes.
fn volume(folder: &Path) -> (u64, u64) {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.filter(|file| file.file_name().to_string_lossy().ends_with(".jsonl"));
    files.fold((0, 0), |(files, bytes), file| (files + 1, bytes + file.metadata().unwrap().len()))
}

/// Most files that may be left: two for each full file, and for each chain one for each doubling below that,
/// and those that wait to be joined.
fn most_files(chains: usize, bytes: u64, full: u64) -> u64 {
    let doublings = u64::from(full.ilog2() - 8);
    2 * bytes.div_ceil(full) + chains as u64 * (doublings + 9)
}

/// Opens `w0`. A process that another test forks has a copy of the chain's lock for a moment; this function
/// waits until the lock is free.
fn only_chain(folder: &Path) -> Appender {
    loop {
        let (disk, clock) = (Arc::new(StdFileSystem), Arc::new(SystemClock));
        let opened = Appender::open_chain(disk, folder, AppendSettings::new([7; 32]), clock, "w0").unwrap();
        if let Some((appender, _)) = opened {
            return appender;
        }
        std::thread::yield_now();
    }
}

/// A writer that is killed over and over leaves one file each time; the next writer of the chain joins them.
#[test]
fn killed_writers_leave_few_files_for_what_they_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let open = || only_chain(folder.path());
    let mut reader = LogReader::new(Arc::new(StdFileSystem), folder.path(), Positions::default());
    let (mut written, mut told) = (Vec::new(), Vec::new());
    for kill in 0..400 {
        // Dropped without being closed, it leaves what a killed process leaves.
        let mut appender = open();
        for number in 0..3 {
            appender.append(&mut [record(format!("{kill}.{number}"))]).unwrap();
            written.push(format!("{kill}.{number}"));
        }
        appender.settle().unwrap();
        // A reader reads along while files are joined.
        if kill % 7 == 0 {
            told.extend(reader.read(5).unwrap());
        }
    }
    open().close().unwrap();
    let (files, bytes) = volume(folder.path());
    assert!(files <= most_files(1, bytes, 64 << 20).min(30), "{files} files for {bytes} bytes");
    loop {
        let more = reader.read(1_000).unwrap();
        if more.is_empty() {
            break;
        }
        told.extend(more);
    }
    let sessions = |records: &[Committed]| -> Vec<String> {
        let own = records.iter().filter(|committed| !committed.record.is_note());
        own.map(|committed| committed.record.session.clone()).collect()
    };
    assert_eq!(sessions(&told), written, "each once, in order");
    assert_eq!(sessions(&read(folder.path())), written);
    assert_eq!(condition(folder.path(), &[]), Condition::Clean);
    let second = second_opinion(folder.path(), &[]);
    assert!(second.is_none_or(|second| second == Condition::Clean));
}

/// Writes a log with files of all kinds: full ones, compressed ones, one in which a write failed, a joined
/// one.
fn log_of_all_kinds(folder: &Path) {
    let open = || only_chain(folder);
    let mut appender = open();
    for number in 0..3 {
        // Too large to be joined with those behind it.
        appender.append(&mut [record(format!("a{number}{}", "x".repeat(40_000)))]).unwrap();
        appender.rotate().unwrap();
    }
    // Killed in the middle of a group: the fourth file.
    appender.append(&mut [record(format!("b{}", "x".repeat(40_000)))]).unwrap();
    appender.settle().unwrap();
    drop(appender);
    let fourth = folder.join("w0.00000004.jsonl");
    let mut torn = fs::OpenOptions::new().append(true).open(fourth).unwrap();
    torn.write_all(b"{\"seq\":99,\"at\":").unwrap();
    let appender = open();
    appender.compress().unwrap();
    drop(appender);
    // Eight more files, which are joined into one.
    for number in 0..8 {
        let mut appender = open();
        appender.append(&mut [record(format!("c{number}"))]).unwrap();
        appender.settle().unwrap();
    }
    let mut appender = open();
    appender.append(&mut [record("d".to_owned())]).unwrap();
    appender.close().unwrap();
}

/// Compresses as a writer does.
fn gzip(lines: &[u8]) -> Vec<u8> {
    let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    compressed.write_all(lines).unwrap();
    compressed.finish().unwrap()
}

fn gunzip(file: &Path) -> Vec<u8> {
    let mut lines = Vec::new();
    let file = fs::File::open(file).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut lines).unwrap();
    lines
}

#[expect(clippy::disallowed_methods, reason = "the standard library makes neither fifos nor devices")]
fn run(program: &str, args: &[&str], path: &Path) -> bool {
    let (name, more) = args.split_first().map_or((None, args), |(first, more)| (Some(first), more));
    let mut command = Command::new(program);
    command.args(name.filter(|name| name.starts_with('-'))).arg(path);
    command.args(if name.is_some_and(|name| name.starts_with('-')) { more } else { args });
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A change to a log; returns whether the change is possible on this system.
type Deed = fn(&Path) -> bool;

/// Replacements of a file, each with the result of both verifiers: the condition, the file and the message.
const DEEDS: &[(&str, Deed, Condition, &str, &str)] = &[
    ("nothing", |_| true, Condition::Clean, "", ""),
    (
        "a link to the same content",
        |log| {
            fs::rename(log.join(FIRST), log.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", log.join(FIRST)).is_ok()
        },
        Condition::Damaged,
        FIRST,
        "a symbolic link stands in its place",
    ),
    (
        "a link to the last file",
        |log| {
            fs::rename(log.join(LAST), log.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", log.join(LAST)).is_ok()
        },
        Condition::Damaged,
        LAST,
        "a symbolic link stands in its place",
    ),
    (
        "a link to nothing",
        |log| replaced(log, FIRST, |path| std::os::unix::fs::symlink("/nonexistent", path).is_ok()),
        Condition::Damaged,
        FIRST,
        "a symbolic link stands in its place",
    ),
    (
        "a link to what never ends",
        |log| replaced(log, LAST, |path| std::os::unix::fs::symlink("/dev/zero", path).is_ok()),
        Condition::Damaged,
        LAST,
        "a symbolic link stands in its place",
    ),
    (
        "a folder",
        |log| replaced(log, FIRST, |path| fs::create_dir(path).is_ok()),
        Condition::Damaged,
        FIRST,
        "a directory stands in its place",
    ),
    (
        "a fifo",
        |log| replaced(log, LAST, |path| run("mkfifo", &[], path)),
        Condition::Damaged,
        LAST,
        "a special file stands in its place",
    ),
    (
        "a socket",
        |log| replaced(log, JOINED, |path| std::os::unix::net::UnixListener::bind(path).is_ok()),
        Condition::Damaged,
        JOINED,
        "a special file stands in its place",
    ),
    // Left out if this runs without the right to make a device.
    (
        "a device",
        |log| replaced(log, LAST, |path| run("mknod", &["c", "1", "5"], path)),
        Condition::Damaged,
        LAST,
        "a special file stands in its place",
    ),
    (
        "a second name of a file",
        |log| fs::hard_link(log.join(FIRST), log.join("backup")).is_ok(),
        Condition::Clean,
        "",
        "",
    ),
    (
        "an empty file",
        |log| fs::write(log.join(FIRST), "").is_ok(),
        Condition::Damaged,
        FIRST,
        "decompressed",
    ),
    ("an empty last file", |log| fs::write(log.join(LAST), "").is_ok(), Condition::Damaged, LAST, ""),
    (
        "an empty file behind the last one",
        |log| fs::write(log.join("w0.00000015.jsonl"), "").is_ok(),
        Condition::Damaged,
        "w0.00000015.jsonl",
        "",
    ),
    (
        "a file of this name is missing before it",
        |log| fs::copy(log.join(LAST), log.join("w0.00000077.jsonl")).is_ok(),
        Condition::Damaged,
        "w0.00000077.jsonl",
        "the file before it is missing",
    ),
    (
        "a chain that is another's",
        |log| fs::copy(log.join(FIRST), log.join("w7.00000001.jsonl.gz")).is_ok(),
        Condition::Damaged,
        "w7.00000001.jsonl.gz",
        "a header of",
    ),
    (
        "names that no writer gives",
        |log| {
            [
                "w0.1.jsonl",
                "w0.000000001.jsonl",
                "W0.00000001.jsonl",
                "w0.00000001.jsonl.bak",
                "w0.٠٠٠٠٠٠٠١.jsonl",
            ]
            .iter()
            .all(|name| fs::write(log.join(name), "x").is_ok())
        },
        Condition::Clean,
        "",
        "",
    ),
    (
        "what an interrupted compression leaves",
        |log| fs::write(log.join(PLAIN), gunzip(&log.join(FIRST))).is_ok(),
        Condition::Clean,
        "",
        "",
    ),
    (
        "another file of the same number",
        |log| {
            fs::write(log.join(PLAIN), gunzip(&log.join(FIRST))).unwrap();
            fs::write(log.join(FIRST), gzip(b"{}\n")).is_ok()
        },
        Condition::Damaged,
        FIRST,
        "it has other records than",
    ),
    (
        "what an interrupted join leaves",
        |log| {
            let joined = fs::read_to_string(log.join(JOINED)).unwrap();
            let (first, _) = joined.split_at(joined.find("\n{\"v\":").unwrap() + 1);
            fs::write(log.join("w0.00000005.jsonl"), format!("{first}torn")).is_ok()
        },
        Condition::Clean,
        "",
        "",
    ),
    (
        "a file beside a joined one that says something else",
        |log| fs::copy(log.join(LAST), log.join("w0.00000006.jsonl")).is_ok(),
        Condition::Damaged,
        "w0.00000006.jsonl",
        "it has other records than",
    ),
    (
        "a joined file that has fewer than its name says",
        |log| fs::rename(log.join(JOINED), log.join("w0.00000005-00000014.jsonl")).is_ok(),
        Condition::Damaged,
        "w0.00000005-00000014.jsonl",
        "",
    ),
    (
        "lines behind a joined file",
        |log| added(log, JOINED, b"{}\n"),
        Condition::Damaged,
        JOINED,
        "behind its end",
    ),
    (
        "bytes behind a compressed file",
        |log| added(log, FIRST, b"xyz"),
        Condition::Damaged,
        FIRST,
        "behind its end",
    ),
    (
        "zeros behind a compressed file",
        |log| added(log, FIRST, &[0; 512]),
        Condition::Damaged,
        FIRST,
        "behind its end",
    ),
    (
        "another compressed part behind a compressed file",
        |log| added(log, FIRST, &gzip(b"{}\n")),
        Condition::Damaged,
        FIRST,
        "behind its end",
    ),
    (
        "lines within a compressed file",
        |log| lines_added(log, FIRST, b"{\"seq\":2}\n"),
        Condition::Damaged,
        FIRST,
        "behind its end",
    ),
    (
        "lines within a compressed file behind a write that failed",
        |log| lines_added(log, "w0.00000004.jsonl.gz", b"{\"seq\":99}\n"),
        Condition::Damaged,
        "w0.00000004.jsonl.gz",
        "behind its end",
    ),
    (
        "a compressed file that was cut",
        |log| {
            let whole = fs::read(log.join(FIRST)).unwrap();
            fs::write(log.join(FIRST), &whole[..whole.len() - 4]).is_ok()
        },
        Condition::Damaged,
        FIRST,
        "it cannot be decompressed",
    ),
];

const FIRST: &str = "w0.00000001.jsonl.gz";
const PLAIN: &str = "w0.00000001.jsonl";
const JOINED: &str = "w0.00000005-00000012.jsonl";
const LAST: &str = "w0.00000014.jsonl";

fn replaced(log: &Path, name: &str, with: impl FnOnce(&Path) -> bool) -> bool {
    fs::remove_file(log.join(name)).unwrap();
    with(&log.join(name))
}

fn added(log: &Path, name: &str, bytes: &[u8]) -> bool {
    let mut content = fs::read(log.join(name)).unwrap();
    content.extend_from_slice(bytes);
    fs::write(log.join(name), content).is_ok()
}

fn lines_added(log: &Path, name: &str, lines: &[u8]) -> bool {
    let mut content = gunzip(&log.join(name));
    content.extend_from_slice(lines);
    fs::write(log.join(name), gzip(&content)).is_ok()
}

#[test]
fn both_verifiers_find_the_same_whatever_stands_in_the_place_of_a_file() {
    let mut done = 0;
    for (name, deed, expected, file, says) in DEEDS {
        let folder = tempfile::tempdir().unwrap();
        log_of_all_kinds(folder.path());
        if !deed(folder.path()) {
            println!("SKIPPED: {name} cannot be made here");
            continue;
        }
        done += 1;
        let report = verify::verify(&StdFileSystem, folder.path(), &[]).unwrap();
        assert_eq!(report.condition(), *expected, "{name}: {report:?}");
        let found = report.chains.iter().flat_map(|chain| &chain.findings);
        let is_found = |found: &verify::Finding| found.file == *file && found.what.contains(says);
        assert!(*expected == Condition::Clean || found.clone().any(is_found), "{name}: {report:?}");
        let Some((second, errors)) = second_words(folder.path(), &[]) else { continue };
        assert_eq!(second, *expected, "{name}: {errors}");
        let is_found = |line: &str| line.contains(&format!("`{file}`")) && line.contains(says);
        assert!(*expected == Condition::Clean || errors.lines().any(is_found), "{name}: {errors}");
    }
    assert!(done >= DEEDS.len() - 1, "only a device may not be possible");
}
