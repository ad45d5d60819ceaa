//! Hostile payloads of every client and event that can be denied, through the real program: mutants, and
//! texts of tens of megabytes. Each answer is a denial in the client's own form or a judgement of the
//! payload. No run takes more than a second of processor time. No run takes more memory than twice its
//! payload, 16 MB and the memory for a short payload; the installed program takes 14 MB for a short one.
//!
//! `HOOKS_MUTANTS=10000` makes this many mutants of each event, and `HOOKS_EVERY_FIELD=1` tries each text of
//! each payload as the long one. `cargo test -p tower-hooks-cli --test every_event -- --nocapture` prints the
//! memory and time of each run.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(clippy::indexing_slicing, reason = "tests")]

#[path = "../faults/cases.rs"]
mod cases;
#[path = "../../../hooks-protocols/tests/clients/support.rs"]
#[expect(dead_code, reason = "the model of the clients is shared with the crate that has it")]
mod clients;
#[path = "../../src/run/mutants/denial.rs"]
mod denial;
mod long;
mod measured;
#[path = "../../src/run/mutants/mutate.rs"]
mod mutate;
#[path = "../../src/run/mutants/oracle.rs"]
#[expect(dead_code, reason = "what was decoded is seen within the program alone")]
mod oracle;
#[path = "../../src/strict_json.rs"]
mod strict_json;

use std::env;

use self::measured::Course;
use self::mutate::Mutator;

/// Number of mutants of each event, unless `HOOKS_MUTANTS` is set.
const FEW: usize = 5;

#[test]
fn mutants_are_denied_or_judged_by_the_program() {
    let course = Course::new();
    let count = env::var("HOOKS_MUTANTS").map_or(FEW, |count| count.parse().unwrap());
    let (mut denied, mut allowed) = (0, 0);
    for (at, case) in cases::all().iter().enumerate() {
        let payload = course.placed(&case.payload);
        // Other mutants than those in the tests within the program.
        let mut mutator = Mutator::new(0x5eed_0000 + u64::try_from(at).unwrap());
        for _ in 0..count {
            let sent = mutator.mutant(&payload);
            course.write(&[&sent]);
            let ran = course.run(case);
            let shown = || format!("{} {}: {}", case.client, case.event, String::from_utf8_lossy(&sent));
            ran.is_within_bounds(&course, &shown);
            let is_denied = denial::is_said(case, ran.exit, &ran.stdout, &ran.stderr);
            match oracle::read(&sent) {
                None => assert!(is_denied, "not strict JSON, and not denied: {}", shown()),
                Some(meant) => assert!(
                    is_denied || !oracle::is_forbidden(case, &meant, measured::FORBIDDEN),
                    "forbidden, and not denied: {}",
                    shown()
                ),
            }
            assert!(is_denied || ran.exit == 0, "neither denied nor allowed: {} {ran:?}", shown());
            (denied, allowed) = (denied + usize::from(is_denied), allowed + usize::from(!is_denied));
        }
    }
    println!("{denied} denied, {allowed} went ahead");
    assert!(denied > 0 && allowed > 0);
}
