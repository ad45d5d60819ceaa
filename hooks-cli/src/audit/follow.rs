//! Prints records as they are committed, until the process ends or its output is closed.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use hooks::audit::Committed;

use super::reading::Reading;
use crate::failure::{Failure, Status};
use crate::output::is_read_on;

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(250);

/// Prints new records of `reading`, each formatted by `line`.
pub(super) fn follow(
    mut reading: Reading,
    line: impl Fn(&Committed) -> Result<String, Failure>,
) -> Result<Status, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    while is_read_on(PAUSE) {
        // Prints all existing records before it waits again.
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
