//! A key that is replaced after each checkpoint: an attacker who takes today's key cannot forge yesterday's
//! checkpoints.
//!
//! ```text
//! line    = key id || index (8 bytes, big-endian) || HMAC-SHA256(key, "seal\n" || text)
//! key     = HMAC-SHA256(key, "evolve"), the one before is erased
//! key id  = SHA-256(name || 0A || FF "hooks-audit/evolving-hmac-sha256" || HMAC-SHA256(first key, "identify"))[:4]
//! ```
//!
//! The indices have no gaps, so that checkpoints removed in the middle are noticed. The first key can check
//! all checkpoints, and could also make them: it belongs with the verifier, away from the machine.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::key::{KeyError, Parts, id, is_name};
use super::note::Signature;
use crate::mutant::{self, Mutant};

/// Kind of this signature line, as hashed into the id.
const KIND: &[u8] = b"\xffhooks-audit/evolving-hmac-sha256";
/// Prefix of a first key.
const FIRST: &str = "MAC+KEY+";

/// The key in its current state.
#[derive(Clone, PartialEq, Eq)]
pub struct EvolvingKey {
    pub(super) name: String,
    pub(super) id: [u8; 4],
    /// Number of keys before this one.
    pub(super) index: u64,
    pub(super) key: Zeroizing<[u8; 32]>,
}

impl EvolvingKey {
    /// Name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of checkpoints made with earlier keys.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Seals a text, and becomes the next key.
    pub fn seal(&mut self, text: &str) -> Signature {
        let line = self.line(text);
        if !mutant::is(Mutant::KeepsOldKey) {
            self.evolve();
        }
        line
    }

    /// Whether `signature` claims to be made by a key derived from the same first key.
    pub(super) fn is_of(&self, signature: &Signature) -> bool {
        (&*self.name, self.id) == (&*signature.name, signature.id)
    }

    /// Whether exactly this key made `signature`.
    pub(super) fn has_sealed(&self, text: &str, signature: &Signature) -> bool {
        self.line(text) == *signature || mutant::is(Mutant::ChecksNoSignature)
    }

    pub(super) fn evolve(&mut self) {
        self.key = Zeroizing::new(mac(&self.key, &[b"evolve"]));
        self.index = self.index.saturating_add(1);
    }

    fn line(&self, text: &str) -> Signature {
        let tag = mac(&self.key, &[b"seal\n", text.as_bytes()]);
        let bytes = [&self.index.to_be_bytes()[..], &tag].concat();
        Signature { name: self.name.clone(), id: self.id, bytes }
    }
}

impl fmt::Debug for EvolvingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, index, .. } = self;
        f.debug_struct("EvolvingKey").field("name", name).field("index", index).finish_non_exhaustive()
    }
}

/// The key that all later ones derive from, as text `MAC+KEY+<name>+<id>+<base64>`. It can check all their
/// checkpoints, and could make them.
///
/// ```
/// use hooks_audit::checkpoint::{FirstKey, KeyError, Zeroizing};
///
/// // Take the 32 bytes from an unpredictable source.
/// let first = FirstKey::new("example.com/build7", &Zeroizing::new([5; 32]))?;
/// let mut key = first.evolving();
/// let (one, two) = (key.seal("a text\n"), key.seal("a text\n"));
/// assert_ne!(one, two, "each seal has its own key");
/// assert_eq!(key.index(), 2);
/// assert!(first.is_of(&one) && first.is_of(&two));
///
/// // Both parts of a key have to be copied whole.
/// let secret = first.to_secret();
/// assert!(FirstKey::is_like(&secret) && FirstKey::parse(&secret)? == first);
/// let other = secret.replace("build7", "build8");
/// assert_eq!(FirstKey::parse(&other).err(), Some(KeyError::Id("first key")));
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FirstKey(EvolvingKey);

impl FirstKey {
    /// Creates the key `name` from 32 unpredictable bytes.
    ///
    /// # Errors
    /// Returns `Name` if the name is not valid.
    pub fn new(name: &str, key: &Zeroizing<[u8; 32]>) -> Result<Self, KeyError> {
        if !is_name(name) {
            return Err(KeyError::Name);
        }
        let id = id(name, &[KIND, &mac(key, &[b"identify"])]);
        Ok(Self(EvolvingKey { name: name.to_owned(), id, index: 0, key: key.clone() }))
    }

    /// Parses the output of [`FirstKey::to_secret`].
    ///
    /// # Errors
    /// Returns `Form` if the text is not a first key, `Name` if its name is not valid, `Id` if its parts do
    /// not match. The errors do not contain the text.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        const WHAT: &str = "first key";
        let rest = text.trim().strip_prefix(FIRST).ok_or(KeyError::Form(WHAT))?;
        let Parts { name, id, bytes } = Parts::split(rest, WHAT)?;
        let key = <[u8; 32]>::try_from(&**bytes).map_err(|_| KeyError::Form(WHAT))?;
        let first = Self::new(name, &Zeroizing::new(key))?;
        if first.0.id == id { Ok(first) } else { Err(KeyError::Id(WHAT)) }
    }

    /// Whether `text` begins like a first key, so that callers do not show it.
    pub fn is_like(text: &str) -> bool {
        text.trim_start().starts_with(FIRST)
    }

    /// The key as text: a secret.
    pub fn to_secret(&self) -> Zeroizing<String> {
        let EvolvingKey { name, id, key, .. } = &self.0;
        let base64 = Zeroizing::new(STANDARD.encode(**key));
        Zeroizing::new(format!("{FIRST}{name}+{:08x}+{}", u32::from_be_bytes(*id), *base64))
    }

    /// Whether `signature` claims to be made by a key derived from this one.
    pub fn is_of(&self, signature: &Signature) -> bool {
        self.0.is_of(signature)
    }

    /// The first state of the evolving key.
    pub fn evolving(&self) -> EvolvingKey {
        self.0.clone()
    }
}

impl fmt::Debug for FirstKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstKey").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Returns the number of the key that `signature` claims to be made with; `None` if the signature is
/// incomplete.
pub(super) fn index_of(signature: &Signature) -> Option<u64> {
    let is_whole = signature.bytes.len() == 40;
    signature.bytes.first_chunk().filter(|_| is_whole).map(|index| u64::from_be_bytes(*index))
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC accepts a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first() -> FirstKey {
        FirstKey::new("example.com/a", &Zeroizing::new([7; 32])).unwrap()
    }

    #[test]
    fn a_later_key_cannot_do_what_an_earlier_one_did() {
        let mut key = first().evolving();
        let lines = [key.seal("one\n"), key.seal("one\n"), key.seal("two\n")];
        assert_eq!(
            lines.each_ref().map(|line| key.is_of(line).then(|| index_of(line)).flatten()),
            [Some(0), Some(1), Some(2)]
        );
        assert_ne!(lines[0].bytes[8..], lines[1].bytes[8..]);
        let mut walk = first().evolving();
        assert!(walk.has_sealed("one\n", &lines[0]) && !walk.has_sealed("two\n", &lines[0]));
        walk.evolve();
        assert!(!walk.has_sealed("one\n", &lines[0]) && walk.has_sealed("one\n", &lines[1]));
        assert_ne!(walk.key, first().0.key);
    }

    #[test]
    fn a_first_key_is_read_as_it_is_written_and_never_shown() {
        let text = first().to_secret();
        assert_eq!(FirstKey::parse(&text), Ok(first()));
        assert!(FirstKey::is_like(&text));
        assert!(FirstKey::parse(text.trim_start_matches('M')).is_err());
        assert!(FirstKey::parse(&text.replace("example.com/a", "example.com/b")).is_err());
        let secret = STANDARD.encode([7; 32]);
        assert!(text.contains(&secret));
        assert!(!format!("{:?}{:?}", first(), first().evolving()).contains(&secret));
    }
}
