//! The answer goes out once, and the process ends with it.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{process, thread};

use hooks_protocols::{Place, Reply, failure};

/// Who answers first answers.
#[derive(Debug, Default)]
pub(super) struct Delivery(AtomicBool);

impl Delivery {
    /// Writes the answer and ends the process. Where another thread is doing so, waits for that.
    pub(super) fn deliver(&self, reply: &Reply) -> ! {
        if self.0.swap(true, Ordering::SeqCst) {
            loop {
                thread::park_timeout(Duration::from_secs(1));
            }
        }
        end(write(reply))
    }
}

/// Writes the answer; the exit code to end with. An answer that cannot be written is a denial.
fn write(reply: &Reply) -> u8 {
    let mut said = io::stdout().lock();
    if let Err(error) = said.write_all(reply.stdout.as_bytes()).and_then(|()| said.flush()) {
        let denial = failure(Place::Nowhere, &format!("the answer cannot be written: {error}"));
        // Nothing is left to say where even this cannot be said; the exit code says it.
        drop(io::stderr().lock().write_all(denial.stderr.as_bytes()));
        return denial.exit;
    }
    match io::stderr().lock().write_all(reply.stderr.as_bytes()) {
        Err(_) if reply.exit == 0 => 0,
        _ => reply.exit,
    }
}

/// Nothing that would still be dropped matters to anybody.
#[expect(clippy::exit, reason = "the answer is out; whatever runs on has nothing to add to it")]
fn end(code: u8) -> ! {
    process::exit(code.into())
}
