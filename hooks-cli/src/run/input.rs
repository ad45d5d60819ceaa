//! Reads the payload, as much of it as any client sends.

use std::io::{self, Read};

use hooks_protocols::Limits;

/// A payload as clients send it fits in without growing.
const USUAL: usize = 8 << 10;

/// Of what is too long, so much is taken and thrown away: many clients stumble when a hook does not read what they write.
const THROWN_AWAY: u64 = 1 << 30;

/// All of standard input; of a payload that is too long, enough to see that.
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
