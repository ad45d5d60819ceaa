//! Whose checkpoints are believed, and what the lines below a note are worth by that.

use super::evolve::{FirstKey, index_of};
use super::key::{KeyError, Verifier, is_sum, sum};
use super::note::{Note, Signature};

/// How many bytes a signature of Ed25519 has.
const SIGNATURE: usize = 64;
/// How many bytes a sum has.
const SUM: usize = 32;
/// What is said of a checkpoint that its key did not make.
pub(super) const FORGED: &str = "a checkpoint whose signature is wrong: it was changed, or forged";

/// Whose checkpoints are believed.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    verifiers: Vec<Verifier>,
    pub(super) firsts: Vec<FirstKey>,
}

/// What the lines below a note are worth.
pub(super) enum Worth {
    /// Somebody whose key is known vouches for it, by name.
    Vouched(String),
    /// The key of this number in this place of [`Keys::firsts`] may have made it.
    Evolving { key: usize, index: u64 },
    /// Its writer was interrupted.
    Cut,
    /// It is not believed, for this reason.
    Not(&'static str),
}

impl Keys {
    /// Believes the key that `text` is, a [`Verifier`] or a [`FirstKey`].
    ///
    /// # Errors
    /// Where it is neither; the text is not shown.
    pub fn add(&mut self, text: &str) -> Result<(), KeyError> {
        if FirstKey::is_like(text) {
            self.firsts.push(FirstKey::parse(text)?);
        } else {
            self.verifiers.push(Verifier::parse(text)?);
        }
        Ok(())
    }

    /// Whether there is none: every note that is whole is believed then.
    pub fn is_empty(&self) -> bool {
        self.verifiers.is_empty() && self.firsts.is_empty()
    }

    /// What the lines below `note` are worth: the first one by a key that is known decides.
    pub(super) fn worth(&self, note: &Note) -> Worth {
        let mut worth = Worth::Not("a checkpoint that nobody signed");
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
