//! Prints records as they are committed, until somebody ends it or nobody reads any more.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks::StdFileSystem;
use hooks::audit::{Committed, Positions, Reader};

use super::read::read;
use crate::failure::{Failure, Status};

/// How long it is waited before the files are looked at again.
const PAUSE: Duration = Duration::from_millis(250);

/// Prints what comes behind `after`, each record by `line`.
pub(super) fn follow(
    folder: &Path,
    after: Positions,
    line: impl Fn(&Committed) -> Result<String, Failure>,
) -> Result<Status, Failure> {
    let mut reader = Reader::new(Arc::new(StdFileSystem), folder, after);
    let mut out = BufWriter::new(io::stdout().lock());
    while is_read_on() {
        // All that is there before it waits again.
        loop {
            let records = read(&mut reader)?;
            if records.is_empty() {
                break;
            }
            for committed in &records {
                writeln!(out, "{}", line(committed)?)?;
            }
            out.flush()?;
        }
    }
    Ok(Status::Well)
}

/// Waits; whether somebody still reads what is printed.
#[cfg(unix)]
fn is_read_on() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let out = io::stdout();
    // Nothing is asked for: what is told all the same is that the other end of a pipe is closed.
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let pause = Timespec::try_from(PAUSE).ok();
    !matches!(poll(&mut ends, pause.as_ref()), Ok(1..))
}

/// Waits; a pipe that is closed is found out by the next record.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "a command that follows a log has nothing else to do")]
fn is_read_on() -> bool {
    std::thread::sleep(PAUSE);
    true
}
