//! Checkpoints of an audit log on the command line: keys, notes, detected changes, and a second verifier that
//! shares no code with the first.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use hooks::audit::checkpoint::{Checkpoints, Signer};
use hooks::audit::{Log, LogSettings, Record};
use hooks::config::signer;
use hooks::time::Timestamp;
use hooks::{StdFileSystem, SystemClock};

/// A folder for a log, its checkpoints and its keys.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir(world.at("elsewhere")).unwrap();
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    fn hooks(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        printed(command.arg("audit").args(args).current_dir(self.0.path()).output().unwrap())
    }

    /// The exit status of the second verifier; `None` if Python is not installed.
    #[expect(clippy::disallowed_methods, reason = "another program is asked on purpose")]
    fn second(&self, args: &[&str]) -> Option<i32> {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs/verify/audit.py");
        let mut command = Command::new("python3");
        let output = command.args(["-B", program]).args(args).current_dir(self.0.path()).output().ok()?;
        let (status, _, errors) = printed(output);
        assert!(!errors.contains("Traceback"), "{errors}");
        Some(status)
    }

    /// Writes records with two writers at the same time.
    fn write(&self, folder: &str, signer: &Signer, records: usize) {
        let open = || {
            let mut settings = LogSettings::new([7; 32]);
            settings.checkpoints = Some(Checkpoints { folder: self.at("elsewhere"), signer: signer.clone() });
            Log::open(Arc::new(StdFileSystem), self.at(folder), settings, Arc::new(SystemClock)).unwrap()
        };
        for log in [open(), open()] {
            for number in 0..records {
                let make = move || {
                    let mut record = Record::new("stop", Timestamp(1));
                    record.session = format!("{records}.{number}");
                    record.into()
                };
                log.put_through(make).unwrap().wait().unwrap();
            }
            assert_eq!(log.unanchored(), None);
        }
    }

    /// Runs both verifiers.
    #[track_caller]
    fn verify(&self, key: &str, status: i32, says: &str) {
        let (ours, out, errors) =
            self.hooks(&["--log", "log", "verify", "--checkpoints", "elsewhere", "--key", key]);
        assert_eq!(ours, status, "{out}{errors}");
        assert!(errors.contains(says), "{says}: {errors}");
        match self.second(&["log", "--checkpoints", "elsewhere", "--key", key]) {
            Some(theirs) => assert_eq!(theirs, status, "{says}"),
            None => println!("SKIPPED: no python3 here"),
        }
    }

    fn change(&self, file: &str, change: impl FnOnce(String) -> String) {
        let text = fs::read_to_string(self.at(file)).unwrap();
        fs::write(self.at(file), change(text)).unwrap();
    }
}

fn printed(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The notes of a file.
fn notes(text: &str) -> Vec<String> {
    text.replace("\nexample", "\n\0example").split('\0').map(str::to_owned).collect()
}

fn copy(from: &Path, to: &Path) {
    drop(fs::remove_dir_all(to));
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn keys_are_made_and_never_shown() {
    let world = World::new();
    let (status, verifier, errors) = world.hooks(&["keygen", "example.com/a", "--out", "audit.key"]);
    assert_eq!(status, 0, "{errors}");
    assert!(verifier.starts_with("example.com/a+"));
    let secret = fs::read_to_string(world.at("audit.key")).unwrap();
    assert!(
        secret.starts_with("PRIVATE+KEY+") && !errors.contains("PRIVATE") && !verifier.contains("PRIVATE")
    );
    assert_eq!(fs::metadata(world.at("audit.key")).unwrap().permissions().mode() & 0o777, 0o600);
    let (status, _, errors) = world.hooks(&["keygen", "example.com/a", "--out", "audit.key"]);
    assert_eq!((status, errors.contains("audit.key")), (2, true), "nothing is written over");
    assert_eq!(fs::read_to_string(world.at("audit.key")).unwrap(), secret);
    assert_eq!(world.hooks(&["keygen", "a b", "--out", "other.key"]).0, 2);
    // An evolving key.
    assert_eq!(
        world.hooks(&["keygen", "a", "--mac", "--out", "audit.mac"]).0,
        2,
        "its first key goes somewhere"
    );
    let args = ["keygen", "a", "--mac", "--out", "audit.mac", "--first", "first"];
    let (status, out, errors) = world.hooks(&args);
    assert_eq!((status, &*out), (0, ""), "{errors}");
    let first = fs::read_to_string(world.at("first")).unwrap();
    assert!(first.starts_with("MAC+KEY+a+") && !errors.contains("MAC+KEY"));
    assert_eq!(fs::metadata(world.at("audit.mac")).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(world.hooks(&args).0, 2);
    // A secret is refused if other users can read its file, or see it on a command line.
    world.write("log", &Signer::Nobody, 1);
    fs::set_permissions(world.at("audit.key"), fs::Permissions::from_mode(0o644)).unwrap();
    let (status, _, errors) = world.hooks(&["checkpoint", "log", "--to", "elsewhere", "--key", "audit.key"]);
    assert_eq!((status, errors.contains("`chmod 600 audit.key`")), (2, true), "{errors}");
    let (status, _, errors) =
        world.hooks(&["verify", "log", "--checkpoints", "elsewhere", "--key", first.trim()]);
    assert_eq!((status, errors.contains("others see command lines")), (2, true), "{errors}");
    assert!(!errors.contains(first.trim()));
}

#[test]
fn what_is_wrong_is_told_apart_and_both_verifiers_agree() {
    for evolves in [false, true] {
        let world = World::new();
        let (key, believed) = if evolves { ("audit.mac", "first") } else { ("audit.key", "verifier") };
        if evolves {
            world.hooks(&["keygen", "example.com/a", "--mac", "--out", key, "--first", believed]);
        } else {
            let (_, verifier, _) = world.hooks(&["keygen", "example.com/a", "--out", key]);
            fs::write(world.at(believed), verifier).unwrap();
        }
        world.hooks(&["keygen", "example.com/b", "--mac", "--out", "b.mac", "--first", "unknown"]);
        let signer = signer(&world.at(key)).unwrap();
        world.write("log", &signer, 5);
        copy(&world.at("log"), &world.at("old-log"));
        copy(&world.at("elsewhere"), &world.at("old-elsewhere"));
        world.write("log", &signer, 4);
        let (status, note, errors) = world.hooks(&["checkpoint", "log", "--to", "elsewhere", "--key", key]);
        assert_eq!(status, 0, "{errors}");
        assert!(note.starts_with("example.com/a/fleet\n2\n") && note.contains("\nlog w1 9 "), "{note}");
        world.verify(believed, 0, "");
        world.verify("unknown", 4, "a key that is not known");
        copy(&world.at("log"), &world.at("new-log"));
        copy(&world.at("elsewhere"), &world.at("new-elsewhere"));
        let again = || {
            copy(&world.at("new-log"), &world.at("log"));
            copy(&world.at("new-elsewhere"), &world.at("elsewhere"));
        };
        // Restored old files, a fork, a removed chain.
        copy(&world.at("old-log"), &world.at("log"));
        world.verify(believed, 4, "the records behind 5 are missing");
        let other = World::new();
        copy(&world.at("old-log"), &other.at("log"));
        other.write("log", &Signer::Nobody, 7);
        copy(&other.at("log"), &world.at("log"));
        world.verify(believed, 4, "of the records behind 5 up to ");
        again();
        fs::remove_file(world.at("log/w1.00000001.jsonl")).unwrap();
        world.verify(believed, 4, "the chain is missing");
        again();
        // A checkpoint that was changed, forged, truncated, or removed.
        world.change("elsewhere/w0.checkpoints", |text| text.replacen("/w0\n5\n", "/w0\n4\n", 1));
        world.verify(believed, 4, "signature is wrong");
        again();
        let forger = World::new();
        forger.write("log", &Signer::Nobody, 3);
        let forged = fs::read_to_string(forger.at("elsewhere/w0.checkpoints")).unwrap();
        world.change("elsewhere/w0.checkpoints", |text| text + &forged);
        world.verify(believed, 4, "without a signature");
        again();
        world.change("elsewhere/w0.checkpoints", |mut text| {
            text.truncate(text.len() - 9);
            text
        });
        let status = if evolves { 4 } else { 1 };
        world.verify(believed, status, "a part of a checkpoint");
        again();
        world.change("elsewhere/w0.checkpoints", |text| notes(&text).split_off(1).concat());
        world.verify(believed, if evolves { 4 } else { 0 }, if evolves { "are missing" } else { "" });
        again();
        world.change("elsewhere/w0.checkpoints", |text| {
            let mut notes = notes(&text);
            notes.swap(0, 1);
            notes.concat()
        });
        world.verify(believed, 4, "an older checkpoint behind a newer one");
        // All checkpoints are removed.
        again();
        fs::remove_dir_all(world.at("elsewhere")).unwrap();
        fs::create_dir(world.at("elsewhere")).unwrap();
        world.verify(believed, 4, "no checkpoint here is by one of the keys");
    }
}

/// The chain records which checkpoints were made of it, so a loss is detected even if all of them are
/// removed.
#[test]
fn checkpoints_that_are_gone_are_missed_and_both_verifiers_agree() {
    let world = World::new();
    let (_, verifier, _) = world.hooks(&["keygen", "example.com/a", "--out", "audit.key"]);
    fs::write(world.at("verifier"), verifier).unwrap();
    let signer = signer(&world.at("audit.key")).unwrap();
    world.write("log", &signer, 5);
    copy(&world.at("elsewhere"), &world.at("old-elsewhere"));
    world.write("log", &signer, 4);
    world.verify("verifier", 0, "");
    let (_, _, hint) = world.hooks(&["--log", "log", "verify"]);
    assert!(hint.contains("a checkpoint over 9 records of `w0` was made"), "{hint}");
    copy(&world.at("log"), &world.at("new-log"));
    copy(&world.at("elsewhere"), &world.at("new-elsewhere"));
    // The file of one chain is removed and that of the other remains; its last checkpoints are removed; all
    // checkpoints of a fleet are removed.
    fs::remove_file(world.at("elsewhere/w0.checkpoints")).unwrap();
    world.verify("verifier", 4, "one over 9 records was made, and there is no checkpoint of it here");
    copy(&world.at("new-elsewhere"), &world.at("elsewhere"));
    copy(&world.at("old-elsewhere"), &world.at("elsewhere"));
    world.verify("verifier", 4, "one over 9 records was made, and the last one here is over 5");
    // The end of the chain is removed as well. Each mark before it still shows the loss.
    copy(&world.at("new-elsewhere"), &world.at("elsewhere"));
    fs::remove_file(world.at("elsewhere/w0.checkpoints")).unwrap();
    fs::remove_file(world.at("log/w0.end")).unwrap();
    let whole = fs::read_to_string(world.at("log/w0.00000001.jsonl")).unwrap();
    let marks: Vec<_> = whole.match_indices("{\"c\":").map(|(at, _)| at).collect();
    let (mut found, mut torn) = (0, 0);
    for end in marks.iter().skip(1).chain([&whole.len()]) {
        // The cut is after the mark that begins here, so that the file is complete.
        let (head, tail) = whole.split_at(*end);
        let whole_lines = format!("{head}{}", tail.split_inclusive('\n').next().unwrap_or_default());
        fs::write(world.at("log/w0.00000001.jsonl"), &whole_lines).unwrap();
        let before = whole_lines.contains("\"checkpoint\":5");
        let status = if before { 4 } else { 1 };
        let says = if before {
            "records was made, and there is no checkpoint"
        } else {
            "there is no checkpoint of it here"
        };
        world.verify("verifier", status, says);
        *(if before { &mut found } else { &mut torn }) += 1;
    }
    assert!(found > 3 && torn > 3, "{found} {torn}");
    // The next writer records the loss before it makes another checkpoint.
    copy(&world.at("new-log"), &world.at("log"));
    world.write("log", &signer, 1);
    let alarm = fs::read_to_string(world.at("log/w0.00000001.jsonl")).unwrap();
    assert!(alarm.contains("one over 9 records was made, and the last one there is over 0"), "{alarm}");
    world.verify("verifier", 0, "");
}

#[test]
fn one_note_stands_for_the_chains_of_many_logs() {
    let world = World::new();
    let other = World::new();
    world.write("a", &Signer::Nobody, 3);
    other.write("b", &Signer::Nobody, 3);
    fs::remove_dir_all(world.at("elsewhere")).unwrap();
    fs::create_dir(world.at("elsewhere")).unwrap();
    let b = other.at("b");
    let b = format!("build8={}", b.display());
    let (_, verifier, _) = world.hooks(&["keygen", "fleet", "--out", "key"]);
    let (status, note, errors) = world.hooks(&["checkpoint", "a", &b, "--to", "elsewhere", "--key", "key"]);
    assert_eq!(status, 0, "{errors}");
    assert!(note.starts_with("fleet/fleet\n4\n"), "{note}");
    let verify = |logs: &[&str]| {
        let options = ["verify", "--checkpoints", "elsewhere", "--key", verifier.trim()];
        world.hooks(&[&options, logs].concat())
    };
    assert_eq!(verify(&["a", &b]).0, 0);
    let (status, _, errors) = verify(&["a"]);
    assert_eq!((status, errors.contains("`build8=FOLDER`")), (4, true), "{errors}");
    fs::remove_file(other.at("b/w1.00000001.jsonl")).unwrap();
    let (status, _, errors) = verify(&["a", &b]);
    assert_eq!((status, errors.contains("the chain is missing")), (4, true), "{errors}");
    let (status, _, errors) = world.hooks(&["checkpoint", "a", "./a", "--to", "elsewhere"]);
    assert_eq!((status, errors.contains("two logs are called `a`")), (2, true), "{errors}");
    // A note is refused for a log with a missing chain, and for a chain that was reset and grew again.
    let stamp = |log: &str| world.hooks(&["checkpoint", log, "--to", "elsewhere", "--key", "key"]);
    assert_eq!(stamp(&b).0, 4);
    copy(&world.at("a"), &world.at("new-a"));
    fs::remove_dir_all(world.at("a")).unwrap();
    world.write("a", &Signer::Nobody, 4);
    let notes = fs::read(world.at("elsewhere/fleet.checkpoints")).unwrap();
    let (status, out, errors) = stamp("a");
    assert_eq!((status, &*out, errors.contains("was put back or changed")), (4, "", true), "{errors}");
    assert_eq!(fs::read(world.at("elsewhere/fleet.checkpoints")).unwrap(), notes);
    copy(&world.at("new-a"), &world.at("a"));
    assert_eq!(stamp("a").0, 0);
    // A damaged log gets no note.
    world
        .change("a/w0.00000001.jsonl", |text| text.replacen("\"session\":\"3.1\"", "\"session\":\"3.2\"", 1));
    assert_eq!(world.hooks(&["checkpoint", "a", "--to", "elsewhere"]).0, 3);
}

#[test]
fn numbers_of_a_damaged_file_are_not_given_again_and_both_verifiers_agree() {
    let world = World::new();
    let (_, verifier, _) = world.hooks(&["keygen", "example.com/a", "--out", "audit.key"]);
    world.write("log", &signer(&world.at("audit.key")).unwrap(), 5);
    let log = |folder: &str| {
        let settings = LogSettings::new([7; 32]);
        Log::open(Arc::new(StdFileSystem), world.at(folder), settings, Arc::new(SystemClock)).unwrap()
    };
    copy(&world.at("log"), &world.at("whole"));
    let whole = fs::read_to_string(world.at("whole/w0.00000001.jsonl")).unwrap();
    for (left, from) in [(String::new(), 0), (whole.replacen("\"5.4\"", "\"5.x\"", 1), 4)] {
        copy(&world.at("whole"), &world.at("log"));
        fs::write(world.at("log/w0.00000001.jsonl"), left).unwrap();
        // A writer that finds `w0.end` continues the file without reading it, so that file is removed.
        fs::remove_file(world.at("log/w0.end")).unwrap();
        for _ in 0..2 {
            log("log").put_through(|| Record::new("stop", Timestamp(1)).into()).unwrap().wait().unwrap();
        }
        let (status, _, errors) = world.hooks(&["--log", "log", "verify"]);
        let findings = errors.lines().filter(|line| line.starts_with("damaged")).count();
        assert_eq!((status, findings), (3, 1), "{errors}");
        if let Some(status) = world.second(&["log"]) {
            assert_eq!(status, 3);
        }
        world.verify(verifier.trim(), 4, &format!("the records behind {from} up to 5 are missing"));
        let (status, _, errors) = world.hooks(&["--log", "log", "show", "w0:5"]);
        assert_eq!((status, errors.contains("`w0:5` is not in the log")), (2, true), "{errors}");
    }
}
