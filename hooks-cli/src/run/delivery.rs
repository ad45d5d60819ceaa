//! Writes the answer once, and ends the process.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{process, thread};

use hooks_protocols::{EncodedAnswer, KnownEvent, failure};

/// The right to answer, which the first thread takes.
#[derive(Debug, Default)]
pub(super) struct Delivery(AtomicBool);

impl Delivery {
    /// Writes the answer and ends the process. If another thread does so already, waits for the end of the
    /// process.
    pub(super) fn deliver(&self, encoded: &EncodedAnswer) -> ! {
        if self.0.swap(true, Ordering::SeqCst) {
            loop {
                thread::park_timeout(Duration::from_secs(1));
            }
        }
        end(write(encoded))
    }
}

/// Writes the answer; returns the exit code. An answer that cannot be written is a denial.
fn write(encoded: &EncodedAnswer) -> u8 {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(encoded.stdout.as_bytes()).and_then(|()| stdout.flush()) {
        let denial = failure(KnownEvent::Nowhere, &format!("the answer cannot be written: {error}"));
        // If this fails too, the exit code alone denies.
        drop(io::stderr().lock().write_all(denial.stderr.as_bytes()));
        return denial.exit;
    }
    match io::stderr().lock().write_all(encoded.stderr.as_bytes()) {
        Err(_) if encoded.exit == 0 => 0,
        _ => encoded.exit,
    }
}

/// Ends the process without running destructors, as none of them matters any more.
#[expect(clippy::exit, reason = "the answer is out; whatever runs on has nothing to add to it")]
fn end(code: u8) -> ! {
    process::exit(code.into())
}
