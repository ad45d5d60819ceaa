//! Snapshots and undo on a real disk.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

mod calls;
mod kill;
mod losses;
mod support;
mod undo;
