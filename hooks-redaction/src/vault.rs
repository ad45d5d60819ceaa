//! Keyed hashes, and a vault in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{scrubber::Scrubber, treatment::Vault};

/// A [`Vault`] in memory. A token is a keyed hash, so that a model cannot guess the token of another value.
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

impl Scrubber {
    /// Sets the key of hashes. The same value has the same hash under the same key.
    ///
    /// ```
    /// use hooks_redaction::{Label, Scrubber, Treatment};
    ///
    /// let scrubber = Scrubber::all().with_treatment(Label::Email, Treatment::Hash);
    /// let scrubber = scrubber.with_hash_key(b"a key that only the host has");
    /// let scrubbed = scrubber.scrub("a@b.org, again a@b.org");
    /// let tokens: Vec<&str> = scrubbed.split(", again ").collect();
    /// assert!(tokens[0].starts_with("[EMAIL:") && tokens[0] == tokens[1]);
    /// ```
    #[must_use]
    pub fn with_hash_key(mut self, key: &[u8]) -> Self {
        self.treatments.key = Some(Key::new(key));
        self
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

#[cfg(test)]
mod tests {
    use super::super::treatment::Treatments;
    use super::*;

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
