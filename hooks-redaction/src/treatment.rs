//! What takes the place of a finding: a marker, a mask, a keyed hash, or a token of a vault.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::label::Label;

/// Replacement of a finding.
///
/// ```
/// use hooks_redaction::{Label, Scrubber, Treatment};
///
/// let scrubber = Scrubber::all()
///     .with_treatment(Label::CreditCard, Treatment::Mask)
///     .with_treatment(Label::Email, Treatment::Hash)
///     .with_hash_key(b"a key that only the host has");
/// let text = "4111 1111 1111 1111 of a@b.org, again a@b.org";
/// let scrubbed = scrubber.scrub(text);
/// assert!(scrubbed.starts_with("[CREDIT_CARD:1111_REDACTED] of [EMAIL:"), "{scrubbed}");
/// let tokens: Vec<&str> = scrubbed.split(['[', ']']).filter(|part| part.starts_with("EMAIL")).collect();
/// assert_eq!(tokens[0], tokens[1]); // the same value, the same token
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
///
/// ```
/// use std::sync::Arc;
/// use hooks_redaction::{Label, MemoryVault, Scrubber, Treatment, Vault};
///
/// let vault = Arc::new(MemoryVault::new(b"a key that only the host has", 1000));
/// let scrubber = Scrubber::all().with_treatment(Label::Email, Treatment::Vault).with_vault(vault.clone());
/// let scrubbed = scrubber.scrub("mail jane@example.com");
/// assert!(!scrubbed.contains("jane"));
/// assert_eq!(scrubber.restore(&scrubbed), "mail jane@example.com");
/// assert!(vault.value("EMAIL", "0000000000000000").is_none());
/// ```
pub trait Vault: Send + Sync {
    /// Keeps a value and returns its token: letters and digits only. `None` if the vault is full.
    fn keep(&self, label: &str, value: &str) -> Option<String>;

    /// Returns the value of a token.
    fn value(&self, label: &str, token: &str) -> Option<String>;
}

/// A [`Vault`] in memory. A token is a keyed hash, so that a model cannot guess the token of another value.
pub struct MemoryVault {
    key: Key,
    limit: usize,
    values: RwLock<BTreeMap<(String, String), String>>,
}

impl MemoryVault {
    /// Creates a vault for at most `limit` values, with the host's key.
    #[must_use]
    pub fn new(key: &[u8], limit: usize) -> Self {
        Self { key: Key::new(key), limit, values: RwLock::default() }
    }
}

impl Vault for MemoryVault {
    fn keep(&self, label: &str, value: &str) -> Option<String> {
        let token = self.key.token(label, value);
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        let place = (label.to_owned(), token.clone());
        if values.len() >= self.limit && !values.contains_key(&place) {
            return None;
        }
        values.insert(place, value.to_owned());
        Some(token)
    }

    fn value(&self, label: &str, token: &str) -> Option<String> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get(&(label.to_owned(), token.to_owned())).cloned()
    }
}

impl fmt::Debug for MemoryVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryVault").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// Key of a host; never printed.
#[derive(Clone)]
pub(super) struct Key(Arc<[u8]>);

impl Key {
    pub(super) fn new(key: &[u8]) -> Self {
        Self(key.into())
    }

    /// Returns the token of a value: sixteen hex digits.
    pub(super) fn token(&self, label: &str, value: &str) -> String {
        // A key of any length is valid for HMAC (RFC 2104).
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(label.as_bytes());
        mac.update(&[0]);
        mac.update(value.as_bytes());
        let digest = mac.finalize().into_bytes();
        digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Treatments by label, with what they need.
#[derive(Clone, Default)]
pub(super) struct Treatments {
    by_label: Vec<(Label, Treatment)>,
    pub(super) key: Option<Key>,
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
            Treatment::Hash => Some(self.key.as_ref()?.token(label.as_str(), value)),
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

    #[test]
    fn a_full_vault_keeps_what_it_has() {
        let vault = MemoryVault::new(b"key", 1);
        let token = vault.keep("EMAIL", "a@b.org").unwrap();
        assert_eq!(vault.keep("EMAIL", "c@d.org"), None);
        assert_eq!(vault.keep("EMAIL", "a@b.org").as_ref(), Some(&token));
        assert_eq!(vault.value("EMAIL", &token).as_deref(), Some("a@b.org"));
        assert_eq!(vault.value("PHONE", &token), None);
    }

    #[test]
    fn neither_keys_nor_values_are_printed() {
        let vault = MemoryVault::new(b"host-key-17", 10);
        vault.keep("EMAIL", "jane@example.com");
        let treatments = Treatments {
            key: Some(Key::new(b"host-key-17")),
            vault: Some(Arc::new(vault)),
            ..Treatments::default()
        };
        let printed = format!("{treatments:?} {:?}", MemoryVault::new(b"host-key-17", 1));
        assert!(!printed.contains("host-key") && !printed.contains("jane"), "{printed}");
    }
}
