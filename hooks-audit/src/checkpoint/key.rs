//! Keys that sign notes and check them: Ed25519, and the sum that needs no key.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, VerifyingKey};
use zeroize::Zeroizing;

use super::note::Signature;
use crate::chain::Digest;
use crate::mutant::{self, Mutant};

/// Byte for Ed25519 in keys and their ids.
const ED25519: u8 = 1;
/// Kind of a sum line, as hashed into its id; the format has no byte for it.
const SUM: &[u8] = b"\xffhooks-audit/sum-sha256";
/// Prefix of a private key.
const PRIVATE: &str = "PRIVATE+KEY+";

/// Reason why a text is not a valid key. The messages never contain the text, which may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The name is not valid for a key.
    #[error("the name of a key has no spaces and no `+`, and is not empty, such as `example.com/build7`")]
    Name,
    /// The text has another form.
    #[error("not a {0}; make one with `hooks audit keygen`")]
    Form(&'static str),
    /// The parts do not match.
    #[error("the parts of this {0} do not belong together: it was changed, or not copied whole")]
    Id(&'static str),
}

/// A private Ed25519 key, as text `PRIVATE+KEY+<name>+<id>+<base64>`. Its memory is overwritten when it is dropped.
///
/// ```
/// use hooks_audit::checkpoint::{KeyError, SigningKey, Zeroizing};
///
/// let key = SigningKey::new("example.com/build7", &Zeroizing::new([3; 32]))?;
/// let secret = key.to_secret();
/// assert!(secret.starts_with("PRIVATE+KEY+example.com/build7+"));
/// assert_eq!(SigningKey::parse(&secret)?.verifier(), key.verifier());
/// // Neither errors nor `Debug` show the secret.
/// let cut = SigningKey::parse(&secret[..secret.len() - 8]);
/// assert!(matches!(cut, Err(KeyError::Form(_))));
/// assert!(SigningKey::new("build 7", &Zeroizing::new([3; 32])).is_err_and(|error| error == KeyError::Name));
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone)]
pub struct SigningKey {
    verifier: Verifier,
    key: ed25519_dalek::SigningKey,
}

impl SigningKey {
    /// Creates the key `name` from 32 unpredictable bytes.
    ///
    /// # Errors
    /// Returns `Name` if the name is not valid.
    pub fn new(name: &str, seed: &Zeroizing<[u8; 32]>) -> Result<Self, KeyError> {
        let key = ed25519_dalek::SigningKey::from_bytes(seed);
        Ok(Self { verifier: Verifier::new(name, key.verifying_key())?, key })
    }

    /// Parses the output of [`SigningKey::to_secret`].
    ///
    /// # Errors
    /// Returns `Form` if the text is not a private key, `Name` if its name is not valid, `Id` if its parts do
    /// not match. The errors do not contain the text.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        const WHAT: &str = "private key of Ed25519";
        let rest = text.trim().strip_prefix(PRIVATE).ok_or(KeyError::Form(WHAT))?;
        let Parts { name, id, bytes } = Parts::split(rest, WHAT)?;
        let seed = bytes.split_first().filter(|(kind, _)| **kind == ED25519);
        let seed = seed.and_then(|(_, seed)| seed.try_into().ok()).map(Zeroizing::new);
        let key = Self::new(name, &seed.ok_or(KeyError::Form(WHAT))?)?;
        if key.verifier.id == id { Ok(key) } else { Err(KeyError::Id(WHAT)) }
    }

    /// The key as text: a secret.
    pub fn to_secret(&self) -> Zeroizing<String> {
        let Verifier { name, id, .. } = &self.verifier;
        let bytes = Zeroizing::new([&[ED25519], &self.key.to_bytes()[..]].concat());
        let base64 = Zeroizing::new(STANDARD.encode(&*bytes));
        Zeroizing::new(format!("{PRIVATE}{name}+{:08x}+{}", u32::from_be_bytes(*id), *base64))
    }

    /// Public key that checks its signatures.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Signs a text. Takes about 30 µs.
    pub fn sign(&self, text: &str) -> Signature {
        let Verifier { name, id, .. } = &self.verifier;
        let bytes = self.key.sign(text.as_bytes()).to_bytes().to_vec();
        Signature { name: name.clone(), id: *id, bytes }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("verifier", &self.verifier).finish_non_exhaustive()
    }
}

/// A public Ed25519 key, as text `<name>+<id>+<base64>`.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    id: [u8; 4],
    key: VerifyingKey,
}

impl Verifier {
    fn new(name: &str, key: VerifyingKey) -> Result<Self, KeyError> {
        if !is_name(name) {
            return Err(KeyError::Name);
        }
        Ok(Self { name: name.to_owned(), id: id(name, &[&[ED25519], key.as_bytes()]), key })
    }

    /// Parses the output of [`fmt::Display`].
    ///
    /// # Errors
    /// Returns `Form` if the text is not a public key, `Name` if its name is not valid, `Id` if its parts do
    /// not match.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        const WHAT: &str = "verifier";
        let Parts { name, id, bytes } = Parts::split(text.trim(), WHAT)?;
        let key = bytes.split_first().filter(|(kind, _)| **kind == ED25519);
        let key = key.and_then(|(_, key)| VerifyingKey::try_from(key).ok());
        let verifier = Self::new(name, key.ok_or(KeyError::Form(WHAT))?)?;
        if verifier.id == id { Ok(verifier) } else { Err(KeyError::Id(WHAT)) }
    }

    /// Name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether `signature` claims to be made by this key.
    pub fn is_of(&self, signature: &Signature) -> bool {
        (&*self.name, self.id) == (&*signature.name, signature.id)
    }

    /// Whether this key signed `text`. Takes about 60 µs.
    pub fn has_signed(&self, text: &str, signature: &Signature) -> bool {
        let Ok(signature) = ed25519_dalek::Signature::from_slice(&signature.bytes) else { return false };
        self.key.verify_strict(text.as_bytes(), &signature).is_ok() || mutant::is(Mutant::ChecksNoSignature)
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = STANDARD.encode([&[ED25519], &self.key.as_bytes()[..]].concat());
        write!(f, "{}+{:08x}+{key}", self.name, u32::from_be_bytes(self.id))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({self})")
    }
}

/// Checksum line of an unsigned note, which shows that the note is complete. It needs no key, so it does not
/// prove who made the note.
pub fn sum(name: &str, text: &str) -> Signature {
    let bytes = Digest::hash(&[text.as_bytes()]).0.to_vec();
    Signature { name: name.to_owned(), id: id(name, &[SUM]), bytes }
}

/// Whether `signature` claims to be a [`sum`].
pub(super) fn is_sum(signature: &Signature) -> bool {
    signature.id == id(&signature.name, &[SUM])
}

/// Whether `name` is valid for a key and a log: at most 256 bytes, not empty, without spaces, control
/// characters and `+`.
///
/// ```
/// use hooks_audit::checkpoint::is_name;
///
/// assert!(is_name("example.com/build7"));
/// assert!(!is_name("build 7") && !is_name("build+7") && !is_name(""));
/// ```
pub fn is_name(name: &str) -> bool {
    let fits = |char: char| !char.is_whitespace() && !char.is_control() && char != '+';
    (1..=256).contains(&name.len()) && name.chars().all(fits)
}

/// Id of a key of this name.
pub(super) fn id(name: &str, key: &[&[u8]]) -> [u8; 4] {
    let parts: Vec<_> = [name.as_bytes(), b"\n"].into_iter().chain(key.iter().copied()).collect();
    Digest::hash(&parts).0.first_chunk().copied().unwrap_or_default()
}

/// Parts of `<name>+<id>+<base64>`.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) id: [u8; 4],
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl<'a> Parts<'a> {
    /// Splits the text of a key into its parts; `what` names the kind of key in errors.
    pub(super) fn split(text: &'a str, what: &'static str) -> Result<Self, KeyError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(hex), Some(base64)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Form(what));
        };
        let mut id = [0; 4];
        crate::chain::parse_hex(hex.as_bytes(), &mut id).ok_or(KeyError::Form(what))?;
        let bytes = STANDARD.decode(base64).map_err(|_| KeyError::Form(what))?;
        Ok(Self { name, id, bytes: Zeroizing::new(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Note;
    use super::*;

    /// Example of Go's implementation of notes.
    const PUBLISHED: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const PRIVATE: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    const NOTE: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    #[test]
    fn a_published_key_signs_and_checks_the_published_note() {
        let key = SigningKey::parse(PRIVATE).unwrap();
        assert_eq!(*key.to_secret(), PRIVATE);
        let verifier = Verifier::parse(PUBLISHED).unwrap();
        assert_eq!((key.verifier(), &*verifier.to_string()), (&verifier, PUBLISHED));
        let note = Note::parse(NOTE).unwrap();
        assert_eq!(note.signatures, [key.sign(&note.text)]);
        let [signature] = &note.signatures[..] else { panic!("{note:?}") };
        assert!(verifier.is_of(signature) && verifier.has_signed(&note.text, signature));
        assert!(!verifier.has_signed("another text\n", signature));
        assert!(!format!("{key:?}").contains("AYEK"));
    }

    #[test]
    fn what_is_no_key_is_refused_and_not_shown() {
        let wrong_id = PUBLISHED.replace("c74f20a3", "c74f20a4");
        assert_eq!(Verifier::parse(&wrong_id), Err(KeyError::Id("verifier")));
        for text in ["", "a", "a+b+c", "a+00000000+AA==", PRIVATE, PUBLISHED.trim_end_matches('W')] {
            assert!(Verifier::parse(text).is_err(), "{text}");
        }
        for text in [PUBLISHED, PRIVATE.trim_end_matches('z'), &PRIVATE.replace("c74f20a3", "00000000")] {
            let error = SigningKey::parse(text).unwrap_err().to_string();
            assert!(!error.contains("AYEK"), "{error}");
        }
        for name in ["", "a b", "a+b", "a\nb", "a\u{a0}b", &"a".repeat(257)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("example.com/build7"));
    }

    #[test]
    fn a_sum_is_known_as_one() {
        let sum = sum("a", "text\n");
        assert!(is_sum(&sum));
        assert!(!is_sum(&Signature { name: "b".to_owned(), ..sum }));
    }
}
