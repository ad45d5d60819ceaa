//! Mutated payloads of every client and every event that can be denied: each is either denied in the client's
//! own form, or judged exactly as it was sent.
//!
//! The seed is fixed, so that a failure is reproducible. By default, each client and event gets a few
//! mutants. `HOOKS_MUTANTS=10000 cargo test -p tower-hooks-cli --bin hooks mutants -- --nocapture` makes
//! 10,000 for each, and prints how many were judged.

#[path = "../../../tests/faults/cases.rs"]
mod cases;
#[path = "../../../../hooks-protocols/tests/clients/support.rs"]
#[expect(dead_code, reason = "the model of the clients is shared with the crate that has it")]
mod clients;
mod denial;
mod mutate;
mod oracle;

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use hooks_protocols::EncodedAnswer;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use self::cases::Case;
use self::mutate::Mutator;
use super::caller::Caller;
use super::deadline::Deadline;
use super::notes::Notes;
use super::panics::Panics;
use crate::cli::Run;

/// A command that the configuration denies.
const FORBIDDEN: &str = "sudo true";

const CONFIG: &str = "version: 1
audit: false
command_guard: { block: [sudo] }
";

/// Default number of mutants for each client and event.
const FEW: usize = 40;

/// The results of the mutants of one case.
#[derive(Debug, Default)]
struct Tally {
    mutants: usize,
    /// Mutants that another strict parser accepts.
    valid: usize,
    /// Valid mutants that go ahead.
    allowed: usize,
    forbidden: usize,
    slowest: Duration,
}

#[test]
fn mutants_are_denied_or_judged_as_what_was_sent() {
    let count = env::var("HOOKS_MUTANTS").map_or(FEW, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("hooks.yaml");
    fs::write(&config, CONFIG).unwrap();
    let (mut all, mut wrong) = (Tally::default(), Vec::new());
    for (at, case) in cases::all().iter().enumerate() {
        let mut mutator = Mutator::new(u64::try_from(at).unwrap());
        let tally = of_case(case, &config, folder.path(), &mut mutator, count, &mut wrong);
        println!("{} {}: {tally:?}", case.client, case.event);
        all.mutants += tally.mutants;
        all.valid += tally.valid;
        all.allowed += tally.allowed;
        all.forbidden += tally.forbidden;
        all.slowest = all.slowest.max(tally.slowest);
    }
    println!("all: {all:?}");
    let shown: Vec<&str> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), shown.join("\n"));
    // The check goes in both directions: harmless mutants have to go ahead.
    assert!(all.allowed * 2 > all.valid, "{all:?}");
    assert!(all.forbidden > 0, "{all:?}");
}

fn of_case(
    case: &Case,
    config: &Path,
    folder: &Path,
    mutator: &mut Mutator,
    count: usize,
    wrong: &mut Vec<String>,
) -> Tally {
    let options = Run {
        client: Some(case.client.name().to_owned()),
        event: Some(case.event.to_owned()),
        config: Some(config.to_owned()),
        settings: None,
        deadline: None,
    };
    let payload = case.payload.replace("/home/ada/app", folder.to_str().unwrap());
    let mut forbidden: Value = serde_json::from_str(&payload).unwrap();
    forbid(&mut forbidden);
    let forbidden = forbidden.to_string();
    let mut tally = Tally::default();
    for number in 0..count {
        // Every second payload contains the forbidden command, and has to be denied if the mutant still
        // contains it.
        let seed = if number % 2 == 0 { &payload } else { &forbidden };
        let sent = mutator.mutant(seed);
        let (encoded, took) = answered(&options, &sent);
        tally.slowest = tally.slowest.max(took);
        tally.mutants += 1;
        let mut fail = |why: &str| {
            let sent = String::from_utf8_lossy(&sent);
            let sent: String = sent.chars().take(600).collect();
            wrong.push(format!("{} {}: {why}: {sent} -> {encoded:?}", case.client, case.event));
        };
        if took > SLOWEST {
            fail(&format!("took {took:?}"));
        }
        let is_denied = denial::is_said(case, encoded.exit, &encoded.stdout, &encoded.stderr);
        let Some(meant) = oracle::read(&sent) else {
            if !is_denied {
                fail("not strict JSON, and not denied");
            }
            continue;
        };
        tally.valid += 1;
        if oracle::is_forbidden(case, &meant, FORBIDDEN) {
            tally.forbidden += 1;
            if !is_denied {
                fail("forbidden, and not denied");
            }
        }
        if is_denied {
            continue;
        }
        tally.allowed += 1;
        if encoded.exit != 0 {
            fail("neither denied nor allowed");
        }
        match Caller::new(&options).decode(sent.clone()) {
            Ok(decoded) => {
                if let Err(why) = oracle::agrees(case, &decoded, &meant) {
                    fail(&why);
                }
            }
            Err(error) => fail(&format!("allowed unread: {error}")),
        }
    }
    tally
}

/// Returns the answer to a payload, and the processor time it took: wall time would include other work of the machine.
fn answered(options: &Run, sent: &[u8]) -> (EncodedAnswer, Duration) {
    let (caller, deadline) = (Caller::new(options), Deadline::within(LONG));
    let start = processor();
    let encoded =
        super::encoded(options, &caller, Ok(sent.to_vec()), deadline, &Notes::default(), &Panics::default());
    (encoded, processor().saturating_sub(start))
}

/// Returns the processor time of this thread.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Replaces every command in the value with the forbidden one.
fn forbid(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forbid),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(command) if matches!(&**key, "command" | "cmd") => {
                        FORBIDDEN.clone_into(command);
                    }
                    _ => forbid(value),
                }
            }
        }
        _ => {}
    }
}

const LONG: Duration = Duration::from_secs(60);

/// The most processor time that an answer takes.
const SLOWEST: Duration = Duration::from_secs(1);
