//! The output of a command, scrubbed on its way.

use std::io::{self, PipeReader, Read, Write};

use hooks_redaction::Scrubber;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Copies all output, scrubbed. At most 64 KiB are held back, and a line that is not complete.
///
/// If the reader of the output has closed its end, the command gets a broken pipe, as without a sandbox.
pub(super) fn copy(mut from: PipeReader, to: &mut impl Write, scrubber: &Scrubber) -> io::Result<()> {
    let mut stream = scrubber.byte_stream();
    let mut chunk = vec![0; CHUNK];
    loop {
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
