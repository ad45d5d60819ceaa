//! What is printed by commands whose work and verdict matter more than their words.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

/// A writer that goes on where nobody reads any more: a pipe that is closed neither ends the work nor changes the exit
/// status. Other failures, such as a full disk, stay what they are.
#[derive(Debug)]
struct Heedless<W>(W);

impl<W: Write> Write for Heedless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// Standard output, whether or not somebody reads it.
pub(super) fn out() -> impl Write {
    Heedless(anstream::stdout())
}

/// Standard error, whether or not somebody reads it.
pub(super) fn err() -> impl Write {
    Heedless(anstream::stderr())
}

/// Whether somebody still reads what is printed, after waiting for `pause` unless nobody does.
#[cfg(unix)]
pub(super) fn is_read_on(pause: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let out = io::stdout();
    // Nothing is asked for: what is told all the same is that the other end of a pipe is closed.
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let pause = Timespec::try_from(pause).ok();
    !matches!(poll(&mut ends, pause.as_ref()), Ok(1..))
}

/// Waits; a pipe that is closed is found out by the next record.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "a command that follows a log has nothing else to do")]
pub(super) fn is_read_on(pause: Duration) -> bool {
    std::thread::sleep(pause);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails always, in one way.
    struct Fails(ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is_one() {
        let mut closed = Heedless(Fails(ErrorKind::BrokenPipe));
        assert!(writeln!(closed, "text").is_ok() && closed.flush().is_ok());
        let mut full = Heedless(Fails(ErrorKind::StorageFull));
        assert!(writeln!(full, "text").is_err() && full.flush().is_err());
    }
}
