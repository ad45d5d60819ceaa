//! Faults of hooks themselves: for every client and every event that can be stopped, nothing is let through,
//! and the client receives the reason. The program is the real one, started by a shell with the line of the
//! client's settings.
//!
//! `docs/faults.md` is written by this test:
//! `HOOKS_BLESS=1 cargo test -p tower-hooks-cli --test faults`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(clippy::indexing_slicing, reason = "tests")]

mod cases;
#[path = "../../../hooks-protocols/tests/clients/support.rs"]
#[expect(dead_code, reason = "the model of the clients is shared with the crate that has it")]
mod clients;
mod fault;
mod page;
mod program;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use self::cases::Case;
use self::fault::{FAULTS, Fault};
use self::verdict::Verdict;

/// Number of processes that wait at the same time.
const AT_ONCE: usize = 6;

/// The result of one fault for one client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cell {
    denied: usize,
    told: usize,
}

/// All results by fault and client.
type Matrix = BTreeMap<(&'static str, &'static str), Cell>;

#[test]
fn nothing_is_let_through() {
    let cases = cases::all();
    let work: Vec<(&Fault, &Case)> = FAULTS
        .iter()
        .flat_map(|fault| cases.iter().map(move |case| (fault, case)))
        .filter(|(fault, case)| (fault.is_about)(case))
        .collect();
    let (next, matrix, wrong) = (AtomicUsize::new(0), Mutex::new(Matrix::new()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((fault, case)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let told = (fault.strike)(case);
                    match verdict::classify(case, &told, fault.reason) {
                        Ok(verdict) => {
                            let mut matrix = matrix.lock().unwrap();
                            let cell = matrix.entry((fault.name, case.client.title())).or_default();
                            match verdict {
                                Verdict::Denied => cell.denied += 1,
                                Verdict::Told => cell.told += 1,
                            }
                        }
                        Err(why) => {
                            let line =
                                format!("{}, {} {}: {why}: {told:?}", fault.name, case.client, case.event);
                            wrong.lock().unwrap().push(line);
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} let through:\n{}", wrong.len(), wrong.join("\n"));
    page::hold(&matrix.into_inner().unwrap());
}

/// Without a fault, the same calls go ahead, so the fault is what stops them.
#[test]
fn nothing_is_stopped_without_a_fault() {
    for case in cases::all() {
        let told = program::Program::new(&case).run();
        assert_eq!(told.exit, Some(0), "{} {}: {told:?}", case.client, case.event);
        assert!(!told.stdout.contains("denied"), "{} {}: {told:?}", case.client, case.event);
    }
}
