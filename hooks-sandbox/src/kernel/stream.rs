//! The output of a command, scrubbed on its way.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;

use hooks_redaction::Scrubber;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Copies all output, scrubbed. At most 64 KiB are held back, and a line that is not complete.
///
/// If the reader of the output has closed its end, the command gets a broken pipe at its next write, as without a sandbox.
pub(super) fn copy(
    mut from: PipeReader,
    to: &mut (impl Write + AsFd),
    scrubber: &Scrubber,
) -> io::Result<()> {
    let mut stream = scrubber.byte_stream();
    let mut chunk = vec![0; CHUNK];
    loop {
        if is_closed_first(&from, to)? {
            return Ok(());
        }
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let scrubbed = stream.push(chunk.get(..read).unwrap_or_default());
        if !scrubbed.is_empty() {
            to.write_all(&scrubbed)?;
            to.flush()?;
        }
    }
    to.write_all(&stream.finish())?;
    to.flush()
}

/// Waits for output of the command, or until no program reads what is passed on. Text that is held back would hide that.
fn is_closed_first(from: &PipeReader, to: &impl AsFd) -> io::Result<bool> {
    let mut files = [PollFd::new(from, PollFlags::IN), PollFd::new(to, PollFlags::empty())];
    retry_on_intr(|| poll(&mut files, None))?;
    let [_, to] = &files;
    Ok(to.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}
