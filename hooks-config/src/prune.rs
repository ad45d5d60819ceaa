//! Removes the mistakes from a tree, so that the rest can be checked too: one wrong key hides no bad pattern.
//!
//! From a map, only the wrong entry is left out. From a list, the whole item is left out, because its parts
//! only make sense together (a rule without its commands would match more). The tree remembers the original
//! indexes of the items that remain.

use std::collections::{HashMap, HashSet};

use super::tree::{Kind, Node};

/// A tree without its mistakes.
#[derive(Debug)]
pub(super) struct Pruned {
    pub(super) root: Node,
    /// For each list of the pruned tree, by its path: the original index of each item.
    moved: HashMap<String, Vec<usize>>,
}

impl Pruned {
    /// Leaves out of `root` the values at the paths `wrong`. If a path has no value, the map or item that
    /// lacks it is left out.
    pub(super) fn new<'w>(root: &Node, wrong: impl Iterator<Item = &'w str>) -> Self {
        let existing = wrong.map(|path| match root.find(path) {
            Some(_) => path,
            None => path.rfind('.').and_then(|end| path.get(..end)).unwrap_or(path),
        });
        let mut pruner = Pruner { wrong: &existing.collect(), moved: HashMap::new() };
        let (root, _) = pruner.prune(root, "", "");
        Self { root, moved: pruner.moved }
    }

    /// The path in the whole tree of the value at `path` in this one.
    pub(super) fn path_before(&self, path: &str) -> String {
        let (mut before, mut here) = (String::new(), String::new());
        let mut rest = path;
        while let Some(open) = rest.find('[') {
            let (name, after) = rest.split_at(open);
            before.push_str(name);
            here.push_str(name);
            let Some((number, after)) = after.strip_prefix('[').and_then(|after| after.split_once(']'))
            else {
                break;
            };
            let stood = self.moved.get(&here).zip(number.parse().ok());
            let stood = stood.and_then(|(places, index): (_, usize)| places.get(index));
            match stood {
                Some(index) => before.push_str(&format!("[{index}]")),
                None => before.push_str(&format!("[{number}]")),
            }
            here.push_str(&format!("[{number}]"));
            rest = after;
        }
        before.push_str(rest);
        before
    }
}

struct Pruner<'w> {
    wrong: &'w HashSet<&'w str>,
    moved: HashMap<String, Vec<usize>>,
}

impl Pruner<'_> {
    /// The node without its mistakes, and whether it had any. `path` is its path in the whole tree, `here` in
    /// this one.
    fn prune(&mut self, node: &Node, path: &str, here: &str) -> (Node, bool) {
        let mut spoilt = false;
        let kind = match &node.kind {
            Kind::List(items) => {
                let (mut kept, mut places) = (Vec::new(), Vec::new());
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    let here = format!("{here}[{}]", kept.len());
                    if self.wrong.contains(path.as_str()) {
                        continue;
                    }
                    let (item, item_spoilt) = self.prune(item, &path, &here);
                    if item_spoilt {
                        // The next item takes its index.
                        self.moved.retain(|list, _| !list.starts_with(&here));
                    } else {
                        kept.push(item);
                        places.push(index);
                    }
                }
                if kept.len() < items.len() {
                    self.moved.insert(here.to_owned(), places);
                    spoilt = true;
                }
                Kind::List(kept)
            }
            Kind::Map(entries) => {
                let mut kept = Vec::new();
                for (key, value) in entries {
                    let path = super::words::join(path, &key.text);
                    if self.wrong.contains(path.as_str()) {
                        spoilt = true;
                        continue;
                    }
                    let (value, value_spoilt) =
                        self.prune(value, &path, &super::words::join(here, &key.text));
                    spoilt |= value_spoilt;
                    kept.push((key.clone(), value));
                }
                Kind::Map(kept)
            }
            other => other.clone(),
        };
        (Node { place: node.place.clone(), kind }, spoilt)
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::Mistakes;
    use super::super::yaml;
    use super::*;

    #[test]
    fn what_is_left_knows_where_it_stood() {
        let text = "a: [x, y, z]\nb: { c: 1, d: 2 }\ne: [{ f: [1, 2] }, { f: [3, 4] }, { f: [5] }]\n";
        let root = yaml::parse(text, &mut Mistakes::default()).unwrap();
        let pruned = Pruned::new(&root, ["a[1]", "b.c", "b.missing", "e[0].f[0]"].into_iter());
        assert_eq!(pruned.root.to_json().to_string(), r#"{"a":["x","z"],"e":[{"f":[3,4]},{"f":[5]}]}"#);
        for (here, before) in [
            ("a[0]", "a[0]"),
            ("a[1]", "a[2]"),
            ("a[7].x", "a[7].x"),
            ("e[0].f[1]", "e[1].f[1]"),
            ("e[1]", "e[2]"),
            ("e", "e"),
        ] {
            assert_eq!(pruned.path_before(here), before);
        }
    }
}
