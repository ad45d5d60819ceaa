//! Names of counters, values and sets, and ids of operations.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name of a counter, a rate, a value or a set. It starts with the tenant, then the scope, so that no key
/// spans tenants by accident.
///
/// ```
/// use hooks_core::state::Key;
///
/// let key = Key::new(Some("acme"), &["calls", "a/b"]);
/// assert_eq!(key.as_str(), "acme/calls/a%2Fb");
/// assert_eq!(key.parts().collect::<Vec<_>>(), ["acme", "calls", "a/b"]);
/// assert!(key.is_below(&Key::new(Some("acme"), &["calls"])));
/// assert!(!key.is_below(&Key::new(Some("acme"), &["call"])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Key(Arc<str>);

impl Key {
    /// The key of these parts for `tenant`. A slash within a part is escaped, so that different parts never
    /// give the same key.
    pub fn new(tenant: Option<&str>, parts: &[&str]) -> Self {
        let tenant = tenant.unwrap_or_default();
        let length = parts.iter().fold(tenant.len(), |length, part| length + 1 + part.len());
        let mut key = String::with_capacity(length);
        escape(tenant, &mut key);
        for part in parts {
            key.push('/');
            escape(part, &mut key);
        }
        Self(key.into())
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parts of the key, the tenant first. The tenant is empty for a key without one.
    pub fn parts(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').map(|part| part.replace("%2F", "/").replace("%25", "%"))
    }

    /// Whether this key is `folder` or below it.
    pub fn is_below(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&*folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Appends a part to a key.
fn escape(part: &str, key: &mut String) {
    if !part.bytes().any(|byte| matches!(byte, b'%' | b'/')) {
        key.push_str(part);
        return;
    }
    for character in part.chars() {
        match character {
            '%' => key.push_str("%25"),
            '/' => key.push_str("%2F"),
            character => key.push(character),
        }
    }
}

impl From<String> for Key {
    fn from(key: String) -> Self {
        Self(key.into())
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0.as_ref().to_owned()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of an operation, chosen by the client. Operations with the same id take effect once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OpId(pub u128);

impl OpId {
    /// An id derived from text, so that a client that repeats an operation for one call uses the same id. The
    /// hash is FNV-1a with 128 bits, with the constants of its authors.
    ///
    /// ```
    /// use hooks_core::state::OpId;
    ///
    /// assert_eq!(OpId::from_parts(&["call-1", "tokens"]), OpId::from_parts(&["call-1", "tokens"]));
    /// assert_ne!(OpId::from_parts(&["ab", "c"]), OpId::from_parts(&["a", "bc"]));
    /// ```
    pub fn from_parts(parts: &[&str]) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mut hash = BASIS;
        for part in parts {
            // The length of each part is hashed too, so that different parts give different input.
            for byte in part.len().to_le_bytes().into_iter().chain(part.bytes()) {
                hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
            }
        }
        Self(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(Key::new(Some("a"), &["b/c"]), Key::new(Some("a"), &["b", "c"]));
        assert_ne!(Key::new(Some("a/b"), &["c"]), Key::new(Some("a"), &["b", "c"]));
        assert_ne!(Key::new(Some("a%2Fb"), &["c"]), Key::new(Some("a/b"), &["c"]));
        assert_ne!(OpId::from_parts(&["ab", "c"]), OpId::from_parts(&["a", "bc"]));
    }

    #[test]
    fn the_parts_of_a_key_come_back() {
        let parts: Vec<_> = Key::new(Some("a%2Fb"), &["c/d", "", "%25"]).parts().collect();
        assert_eq!(parts, ["a%2Fb", "c/d", "", "%25"]);
        let folder = Key::new(Some("a"), &["b"]);
        assert!(Key::new(Some("a"), &["b", "c"]).is_below(&folder) && folder.is_below(&folder));
        assert!(!Key::new(Some("a"), &["bc"]).is_below(&folder));
    }
}
