//! Values of labels as small numbers, limited for each label.

use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::family::Label;

/// Number of a label value. `NameId::ABSENT` and `NameId::OTHER` exist for every label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NameId(u16);

impl NameId {
    /// No value.
    pub(super) const ABSENT: Self = Self(0);
    /// Any value above the limit.
    pub(super) const OTHER: Self = Self(1);
}

/// Text of values above the limit.
const OTHER: &str = "other";

/// Limit on the length of a name, in bytes; longer names are cut.
const LONGEST: usize = 128;

/// Values of all labels. The hash function is fast, not secure: an attacker with colliding names can only
/// force a search of a table with a few hundred entries.
pub(super) struct Names {
    most: usize,
    hasher: DefaultHashBuilder,
    of_label: [RwLock<Table>; Label::COUNT],
}

struct Table {
    ids: HashTable<u16>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// Creates tables of at most `most` values for each label.
    pub(super) fn new(most: usize) -> Self {
        let most = most.min(usize::from(u16::MAX) - 2);
        let table = || {
            let texts = vec![Arc::from(""), Arc::from(OTHER)];
            RwLock::new(Table { ids: HashTable::new(), texts })
        };
        Self { most, hasher: DefaultHashBuilder::default(), of_label: std::array::from_fn(|_| table()) }
    }

    /// Returns the number of a value. Costs one hash and one comparison for a known value.
    pub(super) fn id(&self, label: Label, text: &str) -> NameId {
        let text = cut(text);
        if text.is_empty() {
            return NameId::ABSENT;
        }
        let hash = self.hasher.hash_one(text);
        let Some(table) = self.of_label.get(label as usize) else { return NameId::OTHER };
        let known = table.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = known.find(hash, text) {
            return id;
        }
        if known.ids.len() >= self.most {
            return NameId::OTHER;
        }
        drop(known);
        let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
        match table.find(hash, text) {
            Some(id) => id,
            None if table.ids.len() >= self.most => NameId::OTHER,
            None => table.add(&self.hasher, hash, text),
        }
    }

    /// Returns the value with this number.
    pub(super) fn text(&self, label: Label, NameId(id): NameId) -> Arc<str> {
        let table = self.of_label.get(label as usize);
        let table = table.map(|table| table.read().unwrap_or_else(PoisonError::into_inner));
        table.and_then(|table| table.texts.get(usize::from(id)).cloned()).unwrap_or_default()
    }
}

impl Table {
    fn find(&self, hash: u64, text: &str) -> Option<NameId> {
        if text == OTHER {
            return Some(NameId::OTHER);
        }
        let is_it = |id: &u16| self.texts.get(usize::from(*id)).is_some_and(|known| **known == *text);
        self.ids.find(hash, is_it).map(|id| NameId(*id))
    }

    fn add(&mut self, hasher: &DefaultHashBuilder, hash: u64, text: &str) -> NameId {
        let Ok(id) = u16::try_from(self.texts.len()) else { return NameId::OTHER };
        self.texts.push(text.into());
        let texts = &self.texts;
        self.ids.insert_unique(hash, id, |id| {
            hasher.hash_one(texts.get(usize::from(*id)).map_or("", |text| &**text))
        });
        NameId(id)
    }
}

/// Cuts a long name.
fn cut(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    (0..=LONGEST).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_until_there_are_too_many() {
        let names = Names::new(2);
        let id = |text: &str| names.id(Label::Agent, text);
        let (a, b) = (id("a"), id("b"));
        assert!(a != b && a == id("a") && b == id("b"));
        assert_eq!((id("c"), id(""), id(OTHER)), (NameId::OTHER, NameId::ABSENT, NameId::OTHER));
        assert_eq!(&*names.text(Label::Agent, a), "a");
        assert_eq!(&*names.text(Label::Agent, NameId::OTHER), "other");
        // Each label has its own numbers.
        assert_eq!(names.id(Label::Tool, "c"), a);
        let long = "ü".repeat(LONGEST);
        assert_eq!(names.text(Label::Team, names.id(Label::Team, &long)).len(), LONGEST);
    }
}
