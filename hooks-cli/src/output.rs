//! Output of commands whose work and exit status matter more than their output.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

/// A writer that ignores a closed pipe, which neither ends the work nor changes the exit status. Other
/// failures, such as a full disk, are returned.
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

/// Standard output, which ignores a closed pipe.
pub(crate) fn out() -> impl Write {
    Heedless(anstream::stdout())
}

/// Standard error, which ignores a closed pipe.
pub(crate) fn err() -> impl Write {
    Heedless(anstream::stderr())
}

/// Whether standard output is still open. Waits for `pause`, unless the pipe is closed.
#[cfg(unix)]
pub(crate) fn is_read_on(pause: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let out = io::stdout();
    // No events are requested, as `poll` always reports that the other end of a pipe is closed.
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let pause = Timespec::try_from(pause).ok();
    !matches!(poll(&mut ends, pause.as_ref()), Ok(1..))
}

/// Waits. Without `poll`, only writing the next record shows that a pipe is closed.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "a command that follows a log has nothing else to do")]
pub(crate) fn is_read_on(pause: Duration) -> bool {
    std::thread::sleep(pause);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails always, with the same error.
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
