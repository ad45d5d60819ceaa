//! The faults, each with the code that causes it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hooks::event::EventKind;
use hooks_protocols::Client;

use serde_json::Value;

use super::cases::Case;
use super::program::{CONFIG, Program, Told};

/// A fault.
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// Part of the expected message.
    pub(super) reason: &'static str,
    /// Whether the fault can occur in a case.
    pub(super) is_about: fn(&Case) -> bool,
    pub(super) strike: fn(&Case) -> Told,
}

/// Every event.
fn all(_: &Case) -> bool {
    true
}

/// The cases that need the store.
fn calls(case: &Case) -> bool {
    // If a call has several events, only one of them is counted.
    let is_counted = !matches!(case.event, "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile");
    case.kind == EventKind::PreToolUse && is_counted
}

/// All faults, in the order of the page.
pub(super) const FAULTS: &[Fault] = &[
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "panic").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in a commit",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "commit").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in a drop",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "drop").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in a drop during another",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "drop while it unwinds").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in a drop during another, in a thread",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "thread").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in background work",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "background").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "panic in a task",
        reason: PANIC,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "task").run(),
    },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "crash (SIGABRT)",
        reason: GUARDED,
        is_about: all,
        strike: |case| Program::new(case).variable("HOOKS_FAULT", "abort").run(),
    },
    Fault { name: "killed (SIGKILL)", reason: GUARDED, is_about: all, strike: killed },
    Fault {
        name: "binary missing",
        reason: GUARDED,
        is_about: all,
        strike: |case| Program::new(case).binary("/nowhere/hooks").run(),
    },
    Fault { name: "binary not executable", reason: GUARDED, is_about: all, strike: not_executable },
    #[cfg(any(debug_assertions, feature = "faults"))]
    Fault {
        name: "hangs",
        reason: "the hooks did not answer within 300ms",
        is_about: all,
        strike: |case| {
            Program::new(case).variable("HOOKS_FAULT", "hang").options(&["--deadline", "300ms"]).run()
        },
    },
    Fault {
        name: "payload never ends",
        reason: "the hooks did not answer within 300ms",
        is_about: all,
        strike: endless,
    },
    Fault {
        name: "configuration is a pipe nobody writes to",
        reason: "it is a FIFO, a socket or a device, and rules are a file",
        is_about: all,
        strike: pipe,
    },
    Fault {
        name: "no payload",
        reason: "there was no payload",
        is_about: all,
        strike: |case| Program::new(case).payload("").run(),
    },
    Fault {
        name: "standard input closed",
        reason: "there was no payload",
        is_about: all,
        strike: |case| Program::new(case).before("exec <&-; ").run(),
    },
    Fault {
        name: "garbage",
        reason: "the payload is not JSON",
        is_about: all,
        strike: |case| Program::new(case).payload("\0 garbage {").run(),
    },
    Fault { name: "half the JSON", reason: "the payload is not JSON", is_about: all, strike: half },
    Fault {
        name: "more than 64 MiB",
        reason: "the payload is 67108865 bytes long",
        is_about: all,
        strike: long,
    },
    Fault {
        name: "a key twice",
        reason: "`x` is given twice in the payload",
        is_about: all,
        strike: |case| Program::new(case).payload(r#"{"x": 1, "x": 2}"#).run(),
    },
    Fault {
        name: "not UTF-8",
        reason: "the payload is not valid UTF-8",
        is_about: all,
        strike: |case| inserted(case, b"\xff"),
    },
    Fault {
        name: "UTF-16",
        reason: "the payload is not valid UTF-8",
        is_about: all,
        strike: |case| {
            let wide = case.payload.encode_utf16().flat_map(u16::to_le_bytes);
            Program::new(case).payload([0xff, 0xfe].into_iter().chain(wide).collect::<Vec<u8>>()).run()
        },
    },
    Fault {
        name: "half a surrogate pair",
        reason: "half a surrogate pair",
        is_about: all,
        strike: |case| inserted(case, br"\ud83d"),
    },
    Fault {
        name: "a number beyond 64 bits",
        reason: "a number in the payload is beyond 64 bits",
        is_about: all,
        strike: |case| Program::new(case).payload(r#"{"x": 18446744073709551616}"#).run(),
    },
    Fault {
        name: "more small values than are read",
        reason: "it has too many small values",
        is_about: all,
        strike: |case| Program::new(case).payload(format!(r#"{{"x": [{}0]}}"#, "0,".repeat(1 << 20))).run(),
    },
    Fault {
        name: "settings name an event at which nothing is decided",
        reason: "",
        is_about: says_its_event,
        strike: other_event,
    },
    Fault {
        name: "payload is of an event at which nothing is decided",
        reason: "correct the hook settings",
        is_about: |case| other_payload(case).is_some(),
        strike: |case| Program::new(case).payload(other_payload(case).unwrap()).run(),
    },
    Fault {
        name: "settings name an unknown client",
        reason: "unknown client `emacs`",
        is_about: all,
        strike: |case| Program::new(case).options(&["--client", "emacs"]).run(),
    },
    Fault {
        name: "unknown option",
        reason: "unexpected argument '--confg'",
        is_about: all,
        strike: |case| Program::new(case).options(&["--confg", "x"]).run(),
    },
    Fault {
        name: "no configuration",
        reason: "there is no `hooks.yaml`",
        is_about: all,
        strike: |case| {
            let program = Program::new(case).unconfigured();
            fs::remove_file(program.config()).unwrap();
            program.run()
        },
    },
    Fault {
        name: "broken configuration",
        reason: "`blok`; did you mean `block`?",
        is_about: all,
        strike: |case| configured(case, "version: 1\ncommand_guard: { blok: [sudo] }\n"),
    },
    Fault {
        name: "half a configuration",
        reason: "cannot be used",
        is_about: all,
        strike: |case| configured(case, "version: 1\ncommand_guard: { block: [sudo"),
    },
    Fault {
        name: "empty configuration",
        reason: "the file is empty",
        is_about: all,
        strike: |case| configured(case, ""),
    },
    Fault {
        name: "configuration unreadable",
        reason: "the file cannot be read",
        is_about: all,
        strike: unreadable,
    },
    Fault {
        name: "configuration replaced all the time",
        reason: "",
        is_about: denies_calls,
        strike: replaced,
    },
    Fault {
        name: "answer cannot be written (disk full)",
        reason: "the answer cannot be written",
        is_about: answers_in_words,
        strike: |case| {
            let program = Program::new(case).before("exec >/dev/full; ");
            fs::write(program.config(), DENIES).unwrap();
            program.run()
        },
    },
    Fault {
        name: "disk full for the store",
        reason: "the state store cannot be reached",
        is_about: calls,
        strike: full,
    },
    Fault {
        name: "disk full for the rules of the session",
        reason: "the rules of this session cannot be compared",
        // Squad does not name its session here.
        is_about: |case| calls(case) && case.client != Client::Squad,
        strike: full_at_the_beginning,
    },
    Fault {
        name: "store's folder missing",
        reason: "the state store cannot be reached",
        is_about: calls,
        strike: no_folder,
    },
    Fault { name: "store corrupt", reason: "the state store is closed", is_about: calls, strike: corrupt },
    Fault {
        name: "store deleted between two events",
        reason: "accept the loss with `hooks state accept-loss`",
        is_about: calls,
        strike: deleted,
    },
    Fault { name: "store locked", reason: "", is_about: calls, strike: locked },
    Fault {
        name: "disk full for the audit log",
        reason: "the audit log cannot be written",
        is_about: calls,
        strike: log_full,
    },
    Fault {
        name: "no folder for the audit log",
        reason: "the audit log cannot be written",
        is_about: calls,
        strike: no_log,
    },
];

/// Shell text after which no process can write a file.
const FULL: &str = "trap '' XFSZ; ulimit -f 0; ";

/// The message of a denial after a panic.
#[cfg(any(debug_assertions, feature = "faults"))]
const PANIC: &str = "this is a bug in hooks, please report it: a test asked for a panic";

/// The message of the shell if the program cannot deny.
const GUARDED: &str = "the hook is missing, crashed or was killed";

/// Without a log, every call is denied, even one that only reads.
const RECORDS_ALL: &str = "version: 1\naudit: { on_error: { reading: deny } }\n";

/// Denies every call.
const DENIES: &str =
    "version: 1\nrules:\n  - { name: nothing, action: deny, tools: ['*'], reason: nothing is done }\n";

fn denies_calls(case: &Case) -> bool {
    case.kind == EventKind::PreToolUse
}

/// Cases whose denial is on standard output.
fn answers_in_words(case: &Case) -> bool {
    denies_calls(case)
}

/// Cases in which payload and settings can name different events: the payload names its event, or has keys of
/// only one.
fn says_its_event(case: &Case) -> bool {
    let names = ["hook_event_name", "hookEventName", "hookType"];
    let calls = matches!(case.kind, EventKind::PreToolUse | EventKind::PermissionRequest);
    names.iter().any(|name| case.payload.contains(name)) || calls
}

/// A payload of another event, which hooks do not decide.
fn other_payload(case: &Case) -> Option<String> {
    let name = undecided(case);
    let of = |key: &str| {
        let mut payload: Value = serde_json::from_str(&case.payload).unwrap();
        let fields = payload.as_object_mut().filter(|fields| fields.contains_key(key))?;
        fields.insert(key.to_owned(), name.into());
        Some(payload.to_string())
    };
    ["hook_event_name", "hookEventName", "hookType"].into_iter().find_map(of)
}

/// An event of this client that hooks do not decide.
fn undecided(case: &Case) -> &'static str {
    let events: Vec<_> = case.client.events().filter(|event| *event != case.event).collect();
    let ends = |event: &&&str| {
        matches!(
            event.to_ascii_lowercase().as_str(),
            "sessionend" | "session_end" | "onsessionend" | "sessionstart"
        )
    };
    events.iter().find(ends).or(events.first()).unwrap()
}

fn configured(case: &Case, config: &str) -> Told {
    let program = Program::new(case);
    fs::write(program.config(), config).unwrap();
    program.run()
}

fn killed(case: &Case) -> Told {
    let program = Program::new(case);
    let mut child = program.start();
    let stdin = child.stdin.take();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let hook: i32 = loop {
        let started = fs::read_to_string(&children).unwrap();
        if let Some(hook) = started.split_whitespace().next() {
            break hook.parse().unwrap();
        }
        pause(1);
    };
    let hook = rustix::process::Pid::from_raw(hook).unwrap();
    rustix::process::kill_process(hook, rustix::process::Signal::KILL).unwrap();
    let told = program.told(child);
    drop(stdin);
    told
}

fn not_executable(case: &Case) -> Told {
    let program = Program::new(case);
    let binary = program.folder.path().join("hooks");
    fs::write(&binary, "").unwrap();
    let binary = binary.to_str().unwrap().to_owned();
    program.binary(&binary).run()
}

fn endless(case: &Case) -> Told {
    let program = Program::new(case).options(&["--deadline", "300ms"]);
    let mut child = program.start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{").unwrap();
    let told = program.told(child);
    drop(stdin);
    told
}

fn pipe(case: &Case) -> Told {
    let program = Program::new(case).options(&["--deadline", "300ms"]);
    fs::remove_file(program.config()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, program.config(), rustix::fs::Mode::RWXU).unwrap();
    program.run()
}

fn half(case: &Case) -> Told {
    let program = Program::new(case);
    let sent = program.sent()[..program.sent().len() / 2].to_vec();
    program.payload(sent).run()
}

fn long(case: &Case) -> Told {
    let mut payload = b"{\"a\": \"".to_vec();
    payload.resize((64 << 20) + 4096, b'x');
    payload.extend(b"\"}");
    Program::new(case).payload(payload).run()
}

/// The settings name an event that cannot be stopped, and the payload is of an event that can.
fn other_event(case: &Case) -> Told {
    Program::new(case).event(undecided(case)).run()
}

/// Inserts these bytes into the first string of the payload.
fn inserted(case: &Case, bytes: &[u8]) -> Told {
    let program = Program::new(case);
    let at = program.sent().windows(3).position(|bytes| bytes == b"\":\"" || bytes == b": \"").unwrap() + 3;
    let (before, after) = program.sent().split_at(at);
    let sent = [before, bytes, after].concat();
    program.payload(sent).run()
}

fn unreadable(case: &Case) -> Told {
    let program = Program::new(case);
    // A folder cannot be read as a file by any user; an administrator can read a file without permissions.
    fs::remove_file(program.config()).unwrap();
    fs::create_dir(program.config()).unwrap();
    fs::set_permissions(program.config(), fs::Permissions::from_mode(0o000)).unwrap();
    program.run()
}

/// Two configurations that both deny replace each other: one by renaming a file, the other by writing in
/// place. No allowing configuration ever exists.
fn replaced(case: &Case) -> Told {
    let program = Program::new(case);
    let (config, ends) = (program.config(), AtomicBool::new(false));
    fs::write(&config, DENIES).unwrap();
    let other = DENIES.replace("nothing is done", "nothing at all is done");
    thread::scope(|scope| {
        scope.spawn(|| {
            let aside = config.with_extension("new");
            while !ends.load(Ordering::Relaxed) {
                fs::write(&aside, &other).unwrap();
                fs::rename(&aside, &config).unwrap();
                pause(1);
                fs::write(&config, DENIES).unwrap();
                pause(1);
            }
        });
        let told = program.run();
        ends.store(true, Ordering::Relaxed);
        told
    })
}

/// No file can be written any more, as on a full disk.
fn full(case: &Case) -> Told {
    let program = Program::new(case).with_store();
    drop(program.run());
    program.before(FULL).run()
}

/// The disk is full when a session begins.
fn full_at_the_beginning(case: &Case) -> Told {
    Program::new(case).before(FULL).run()
}

/// The disk was not full when the log was created, but is full for the next records.
fn log_full(case: &Case) -> Told {
    let program = Program::new(case);
    fs::write(program.config(), RECORDS_ALL).unwrap();
    drop(program.run());
    program.before(FULL).run()
}

fn no_log(case: &Case) -> Told {
    let program = Program::new(case);
    fs::write(program.config(), RECORDS_ALL).unwrap();
    // A file is at the path of the folder.
    fs::write(program.config().with_file_name(".squad").join("orchestration-log"), "").unwrap();
    program.run()
}

fn no_folder(case: &Case) -> Told {
    let program = Program::new(case);
    // A file is at the path of the folder.
    fs::write(program.config(), format!("{CONFIG}store: {{ path: hooks.yaml/state.db }}\n")).unwrap();
    program.run()
}

fn corrupt(case: &Case) -> Told {
    let program = Program::new(case).with_store();
    fs::write(program.state(), "no database".repeat(1000)).unwrap();
    program.run()
}

/// The database and all files next to it are deleted, so no file shows that a store existed.
fn deleted(case: &Case) -> Told {
    let program = Program::new(case).with_store();
    drop(program.run());
    let state = program.state();
    let name = state.file_name().unwrap().to_str().unwrap();
    for entry in fs::read_dir(state.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with(name) {
            fs::remove_file(path).unwrap();
        }
    }
    program.run()
}

/// Another program holds an exclusive lock on the store.
fn locked(case: &Case) -> Told {
    let program = Program::new(case).with_store().options(&["--deadline", "1s"]);
    // The program itself creates the store, in its own format.
    drop(program.run());
    let other = rusqlite::Connection::open(program.state()).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    let told = program.run();
    drop(other);
    told
}

fn pause(milliseconds: u64) {
    #[expect(clippy::disallowed_methods, reason = "another process is waited for")]
    thread::sleep(Duration::from_millis(milliseconds));
}
