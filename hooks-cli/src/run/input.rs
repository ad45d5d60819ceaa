//! Reads the payload, up to the maximum length that any client sends.

use std::io::{self, Read};

use hooks_protocols::Limits;

/// Initial capacity in bytes, which is enough for usual payloads.
const USUAL: usize = 8 << 10;

/// Number of bytes to read and discard after a payload that is too long. Many clients fail if a hook does not
/// read all of their output.
const THROWN_AWAY: u64 = 1 << 30;

/// Reads all of standard input; of a payload that is too long, just enough to see that.
pub(super) fn read() -> io::Result<Vec<u8>> {
    let most = u64::try_from(Limits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut stdin = io::stdin().lock();
    let mut payload = Vec::with_capacity(USUAL);
    stdin.by_ref().take(most).read_to_end(&mut payload)?;
    if u64::try_from(payload.len()).is_ok_and(|length| length >= most) {
        io::copy(&mut stdin.take(THROWN_AWAY), &mut io::sink())?;
    }
    Ok(payload)
}
