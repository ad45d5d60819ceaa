//! Digests of entries.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// SHA-256 digest of a text. The digest of an entry ignores the kind of line ends, and white space at the
/// ends of lines and of the text. So the same entry has the same digest in every file.
///
/// ```
/// use hooks_team::Digest;
///
/// assert_eq!(Digest::of_text(b"a\r\nb \r\n"), Digest::of_text(b"a\nb"));
/// assert_ne!(Digest::hash(b"a\r\nb"), Digest::hash(b"a\nb")); // exact bytes
/// let digest = Digest::hash(b"a");
/// assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
/// assert_eq!(Digest::parse("123"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of exactly these bytes.
    pub fn hash(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the digest of `text`, ignoring line ends and white space at the ends of lines and of the text.
    pub fn of_text(text: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for line in text.trim_ascii().split(|byte| *byte == b'\n') {
            hash.update(line.trim_ascii_end());
            hash.update(b"\n");
        }
        Self(hash.finalize().into())
    }

    /// Parses the form that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_do_not_count() {
        assert_eq!(Digest::of_text(b"a\r\nb \r\n\r\n"), Digest::of_text(b"\na\nb"));
        assert_ne!(Digest::of_text(b"a\nb"), Digest::of_text(b"a b"));
        assert_ne!(Digest::hash(b"a"), Digest::hash(b"a\n"));
        let digest = Digest::hash(b"a");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("é"), None);
    }
}
