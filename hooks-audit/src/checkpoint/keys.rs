//! Trusted keys, and the judgement of a note's signature lines by them.

use super::evolve::{FirstKey, index_of};
use super::key::{KeyError, Verifier, is_sum, sum};
use super::note::{Note, Signature};

/// Length of an Ed25519 signature, in bytes.
const SIGNATURE: usize = 64;
/// Length of a sum, in bytes.
const SUM: usize = 32;
/// Finding for a checkpoint that its claimed key did not make.
pub(super) const FORGED: &str = "a checkpoint whose signature is wrong: it was changed, or forged";

/// Keys whose checkpoints are trusted.
///
/// ```
/// use hooks_audit::checkpoint::{KeyError, Keys, SigningKey, Zeroizing};
///
/// let key = SigningKey::new("example.com/build7", &Zeroizing::new([3; 32]))?;
/// let mut keys = Keys::default();
/// assert!(keys.is_empty(), "every complete note is trusted");
/// keys.add(&key.verifier().to_string())?;
/// assert!(!keys.is_empty());
/// // The error does not repeat the text, which may be a secret.
/// let error = keys.add(&key.to_secret()).err().ok_or(KeyError::Name)?;
/// assert_eq!(error.to_string(), "not a verifier; make one with `hooks audit keygen`");
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keys {
    verifiers: Vec<Verifier>,
    pub(super) firsts: Vec<FirstKey>,
}

/// Judgement of the signature lines below a note.
pub(super) enum Worth {
    /// A known key of this name signed it.
    Vouched(String),
    /// The key with this number, derived from this entry of [`Keys::firsts`], may have made it.
    Evolving { key: usize, index: u64 },
    /// The note is incomplete, because its writer was interrupted.
    Cut,
    /// Reason why the note is not trusted.
    Not(&'static str),
}

impl Keys {
    /// Adds a trusted key, given as the text of a [`Verifier`] or a [`FirstKey`].
    ///
    /// # Errors
    /// Returns a `KeyError` if the text is neither; the error does not contain the text.
    pub fn add(&mut self, text: &str) -> Result<(), KeyError> {
        if FirstKey::is_like(text) {
            self.firsts.push(FirstKey::parse(text)?);
        } else {
            self.verifiers.push(Verifier::parse(text)?);
        }
        Ok(())
    }

    /// Whether there are no keys: every complete note is trusted then.
    pub fn is_empty(&self) -> bool {
        self.verifiers.is_empty() && self.firsts.is_empty()
    }

    /// Judges the lines below `note`: the first line by a known key decides.
    pub(super) fn worth(&self, note: &Note) -> Worth {
        let mut worth = Worth::Not("a checkpoint without a signature");
        for line in &note.signatures {
            if let Some(worth) = self.by_known_key(&note.text, line) {
                return worth;
            }
            if is_sum(line) && line.bytes.len() != SUM {
                return Worth::Cut;
            }
            if is_sum(line) && sum(&line.name, &note.text) != *line {
                return Worth::Not("a checkpoint whose sum is wrong: it was changed");
            }
            if self.is_empty() {
                worth = Worth::Vouched(line.name.clone());
            } else if !is_sum(line) {
                worth = Worth::Not("a checkpoint by a key that is not known");
            }
        }
        worth
    }

    fn by_known_key(&self, text: &str, line: &Signature) -> Option<Worth> {
        if let Some(key) = self.firsts.iter().position(|first| first.is_of(line)) {
            return Some(index_of(line).map_or(Worth::Cut, |index| Worth::Evolving { key, index }));
        }
        let verifier = self.verifiers.iter().find(|verifier| verifier.is_of(line))?;
        Some(if line.bytes.len() != SIGNATURE {
            Worth::Cut
        } else if verifier.has_signed(text, line) {
            Worth::Vouched(verifier.name().to_owned())
        } else {
            Worth::Not(FORGED)
        })
    }
}
