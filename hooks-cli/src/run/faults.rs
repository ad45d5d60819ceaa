//! Fails on demand, in a build that is made for testing it (feature `faults`).

use std::{env, process, thread};

/// Fails as the variable `HOOKS_FAULT` says.
pub(super) fn strike() {
    match env::var("HOOKS_FAULT").as_deref() {
        #[expect(clippy::panic, reason = "what becomes of a panic is what is tested")]
        Ok("panic") => panic!("somebody wished for a panic"),
        Ok("abort") => process::abort(),
        Ok("hang") => loop {
            thread::park();
        },
        _ => {}
    }
}
