//! The audit log on the real disk: what a configuration puts on the record, writers that are killed, and a second verifier
//! that shares no code with the first.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(all(unix, feature = "config"))]

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks::audit::verify::{self, Anchor, Condition};
use hooks::audit::{Committed, Entry, Log, LogSettings, Positions, Reader, Record};
use hooks::config::{Config, ConfigReader};
use hooks::event::PreToolUse;
use hooks::time::{Random, SeededRandom, Timestamp};
use hooks::{HookContext, Judged, StdFileSystem, SystemClock};
use serde_json::json;

fn read(folder: &Path) -> Vec<Committed> {
    let mut reader = Reader::new(Arc::new(StdFileSystem), folder, Positions::default());
    let mut all = Vec::new();
    loop {
        let records = reader.read(1_000).unwrap();
        if records.is_empty() {
            return all;
        }
        all.extend(records);
    }
}

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

/// What the second verifier says; `None` where there is no Python here.
#[expect(clippy::disallowed_methods, reason = "another program is asked on purpose")]
fn second_opinion(folder: &Path, anchors: &[Anchor]) -> Option<Condition> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../xtask/verify/audit.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(program).arg(folder);
    for anchor in anchors {
        command.arg("--anchor").arg(anchor.to_string());
    }
    let output = command.output().ok()?;
    match output.status.code() {
        Some(0) => Some(Condition::Clean),
        Some(1) if !output.stderr.starts_with(b"Traceback") => Some(Condition::Torn),
        Some(3) => Some(Condition::Damaged),
        Some(4) => Some(Condition::Mismatched),
        _ => panic!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[tokio::test]
async fn a_configuration_puts_events_on_the_record_of_its_team() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.yaml");
    fs::create_dir(folder.path().join(".squad")).unwrap();
    fs::write(
        &file,
        "version: 1\naudit: {before: [deploy]}\nrules:\n  - {name: no-rm, action: deny, tools: [rm]}\n",
    )
    .unwrap();
    let config = Config::read(&file).unwrap();
    let log = config.audit_folder().unwrap();
    assert_eq!(log, folder.path().join(".squad/orchestration-log"));
    let hooks = config.hooks();
    assert!(!log.exists(), "nothing is written before there is something to write");
    let context =
        || HookContext::new("s1", "backend").in_dir(folder.path()).with_environment(hooks::system());
    for tool in ["rm", "deploy"] {
        let decided = hooks.on(context()).pre_tool_use(PreToolUse::new(tool, json!({"key": 1}))).await;
        assert_eq!(decided.outcome.is_denied(), tool == "rm");
    }
    let own = json!({"path": log.join("w0.00000001.jsonl"), "content": ""});
    let decided = hooks.on(context()).pre_tool_use(PreToolUse::new("write", own)).await;
    assert!(decided.outcome.is_denied(), "agents do not write the log");
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.yaml");
    fs::create_dir(folder.path().join(".squad")).unwrap();
    fs::write(&file, "version: 1\naudit: {}\n").unwrap();
    let config = ConfigReader::default().recording_nothing().read(&file).unwrap();
    let (log, context) = (config.audit_folder().unwrap(), HookContext::new("s1", "a").in_dir(folder.path()));
    let own = json!({"path": log.join("w0.00000001.jsonl"), "content": ""});
    let context = context.with_environment(hooks::system());
    let decided = config.hooks().on(context).pre_tool_use(PreToolUse::new("write", own)).await;
    assert!(decided.outcome.is_denied() && !log.exists());
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

/// Not a test: what the next one starts, in a process of its own, and kills.
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

/// `HOOKS_AUDIT_KILLS` asks for another number.
#[test]
#[expect(clippy::disallowed_methods, reason = "real processes are started and killed")]
fn eight_writers_that_are_killed_lose_nothing_that_was_acknowledged() {
    let kills: u64 =
        std::env::var("HOOKS_AUDIT_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(16);
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    let dice = SeededRandom::new(1);
    for _ in 0..kills.div_ceil(8) {
        let start = || {
            Command::new(std::env::current_exe().unwrap())
                .args(["writer_process", "--exact", "--nocapture", "--test-threads=1"])
                .env(WRITER, folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
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
    // Whoever takes a chain over finishes it.
    let logs: Vec<_> = (0..8).map(|_| open(folder.path(), 20_000)).collect();
    drop(logs);
    let report = verify::verify(&StdFileSystem, folder.path(), &[]).unwrap();
    assert_eq!(report.condition(), Condition::Clean, "{report:?}");
    assert!(report.chains.len() <= 8, "chains are taken over");
    let all: HashSet<_> = read(folder.path()).into_iter().map(|committed| committed.record.session).collect();
    assert!(!acknowledged.is_empty());
    let lost: Vec<_> = acknowledged.iter().filter(|id| !all.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), acknowledged.len());
    println!("{} acknowledged records survived {kills} kills", acknowledged.len());
}
