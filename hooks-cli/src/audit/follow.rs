//! Prints records as they are committed, until somebody ends it or nobody reads any more.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use hooks::audit::Committed;

use super::output::is_read_on;
use super::reading::Reading;
use crate::failure::{Failure, Status};

/// How long it is waited before the files are looked at again.
const PAUSE: Duration = Duration::from_millis(250);

/// Prints what comes next in `reading`, each record by `line`.
pub(super) fn follow(
    mut reading: Reading,
    line: impl Fn(&Committed) -> Result<String, Failure>,
) -> Result<Status, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    while is_read_on(PAUSE) {
        // All that is there before it waits again.
        loop {
            let records = reading.next()?;
            if records.is_empty() {
                break;
            }
            for committed in &records {
                writeln!(out, "{}", line(committed)?)?;
            }
            out.flush()?;
        }
    }
    Ok(reading.status(Status::Well))
}
