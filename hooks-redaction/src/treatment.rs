//! Treatments of a finding: a marker, a mask, a keyed hash, or a token of a vault takes its place.

use std::fmt;
use std::sync::Arc;

use super::label::Label;
use serde::{Deserialize, Serialize};

/// Replacement of a finding.
///
/// ```
/// use hooks_redaction::{Label, Scrubber, Treatment};
///
/// let scrubber = Scrubber::all().with_treatment(Label::CreditCard, Treatment::Mask);
/// assert_eq!(
///     scrubber.scrub("4111 1111 1111 1111 of a@b.org"),
///     "[CREDIT_CARD:1111_REDACTED] of [EMAIL_REDACTED]",
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Treatment {
    /// The marker of the label.
    #[default]
    Replace,
    /// The marker with the last characters of the value: four, or a quarter of a short value.
    Mask,
    /// The marker with a keyed hash of the value. Without a key, the marker alone.
    Hash,
    /// The marker with a token by which the vault of the host can restore the value. Without a vault, the marker
    /// alone.
    Vault,
}

/// Store of removed values, from which a host can restore them.
/// [`MemoryVault`](crate::MemoryVault) is one, with the feature `keyed`.
pub trait Vault: Send + Sync {
    /// Keeps a value and returns its token: letters and digits only. `None` if the vault is full.
    fn keep(&self, label: &str, value: &str) -> Option<String>;

    /// Returns the value of a token.
    fn value(&self, label: &str, token: &str) -> Option<String>;
}

/// Treatments by label, with what they need.
#[derive(Clone, Default)]
pub(super) struct Treatments {
    pub(super) by_label: Vec<(Label, Treatment)>,
    #[cfg(feature = "keyed")]
    pub(super) key: Option<super::vault::Key>,
    pub(super) vault: Option<Arc<dyn Vault>>,
}

impl Treatments {
    pub(super) fn set(&mut self, label: Label, treatment: Treatment) {
        self.by_label.retain(|(known, _)| *known != label);
        self.by_label.push((label, treatment));
    }

    /// Returns what the marker of a removed value shows besides the label.
    pub(super) fn tail(&self, label: &Label, value: &str) -> Option<String> {
        let (_, treatment) = self.by_label.iter().find(|(known, _)| known == label)?;
        match treatment {
            Treatment::Replace => None,
            Treatment::Mask => Some(last_of(value)),
            #[cfg(feature = "keyed")]
            Treatment::Hash => Some(self.key.as_ref()?.token(label.as_str(), value)),
            #[cfg(not(feature = "keyed"))]
            Treatment::Hash => None,
            Treatment::Vault => self.vault.as_ref()?.keep(label.as_str(), value),
        }
    }
}

impl fmt::Debug for Treatments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Treatments").field("by_label", &self.by_label).finish_non_exhaustive()
    }
}

/// Returns the last characters of a value; of a short one, at most a quarter.
fn last_of(value: &str) -> String {
    let letters: Vec<char> = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let shown = (letters.len() / 4).min(4);
    letters.iter().skip(letters.len() - shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_shows_at_most_a_quarter() {
        assert_eq!(last_of("4111 1111 1111 1234"), "1234");
        assert_eq!(last_of("hunter2"), "2");
        assert_eq!(last_of("abc"), "");
    }
}
