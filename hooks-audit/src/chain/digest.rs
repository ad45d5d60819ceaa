//! SHA-256 digests, written as lower-case hex and compared byte by byte.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// Length of a digest in hex.
pub(crate) const HEX: usize = 64;

impl Digest {
    /// Digest of the concatenation of `parts`.
    pub fn hash(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Parses the output of [`fmt::Display`]. Upper case is refused: with two spellings of one digest, a
    /// flipped bit could go unnoticed.
    ///
    /// ```
    /// use hooks_audit::chain::Digest;
    ///
    /// let digest = Digest::hash(&[b"a", b"bc"]);
    /// assert_eq!(digest, Digest::hash(&[b"abc"]), "the parts are joined");
    /// let hex = digest.to_string();
    /// assert!(hex.starts_with("ba7816bf"));
    /// assert_eq!(Digest::parse(hex.as_bytes()), Some(digest));
    /// assert_eq!(Digest::parse(hex.to_uppercase().as_bytes()), None);
    /// ```
    pub fn parse(hex: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        parse_hex(hex, &mut bytes)?;
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(HEX);
        push_hex(&mut text, &self.0);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Appends `bytes` to `out` as lower-case hex.
pub(crate) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    for byte in bytes {
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
}

/// Parses lower-case hex of exactly the length of `out`. A digest has random digits, so one branch at the end is much faster than
/// one for each of them.
pub(crate) fn parse_hex(hex: &[u8], out: &mut [u8]) -> Option<()> {
    let digit = |byte: u8| {
        let (number, letter) = (byte.wrapping_sub(b'0'), byte.wrapping_sub(b'a'));
        let of_letter = if letter < 6 { letter + 10 } else { u8::MAX };
        if number < 10 { number } else { of_letter }
    };
    let (pairs, rest) = hex.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != out.len() {
        return None;
    }
    let mut all = 0;
    for (byte, [high, low]) in out.iter_mut().zip(pairs) {
        let (high, low) = (digit(*high), digit(*low));
        all |= high | low;
        *byte = high << 4 | low & 15;
    }
    (all < 16).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_spelling() {
        let digest = Digest::hash(&[b"a", b"bc"]);
        let text = digest.to_string();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Digest::parse(text.as_bytes()), Some(digest));
        assert_eq!(Digest::parse(text.to_uppercase().as_bytes()), None);
        assert_eq!(Digest::parse(&text.as_bytes()[1..]), None);
        for other in (0..=255).filter(|byte| !b"0123456789abcdef".contains(byte)) {
            for at in [0, 1, 62, 63] {
                let mut text = text.clone().into_bytes();
                text[at] = other;
                assert_eq!(Digest::parse(&text), None, "{other} at {at}");
            }
        }
    }
}
