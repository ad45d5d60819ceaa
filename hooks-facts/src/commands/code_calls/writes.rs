//! Calls that change files, from `write_calls.tsv`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Change;
use super::value::Value;
use crate::commands::access::AccessKind;

/// Effect of a call on the files among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The argument at this place is created or changed.
    Changes(usize),
    /// The first argument is changed if the mode behind it writes.
    Mode,
    /// The first argument is changed if `inplace` is given.
    InPlace,
    Removes,
    Moves,
    Copies,
    Links,
}

/// Names of a call, and the objects that it belongs to.
type Row = (&'static [&'static str], &'static [&'static str]);

/// Effect, whether the object of the call is the first argument, and the rows.
const ROWS: &[(Effect, bool, &[Row])] = &[
    (Effect::Changes(0), false, table!("write_calls_changes")),
    (Effect::Changes(1), false, table!("write_calls_second")),
    (Effect::Changes(2), false, table!("write_calls_third")),
    (Effect::Mode, false, table!("write_calls_mode")),
    (Effect::InPlace, false, table!("write_calls_in_place")),
    (Effect::Removes, false, table!("write_calls_removes")),
    (Effect::Moves, false, table!("write_calls_moves")),
    (Effect::Copies, false, table!("write_calls_copies")),
    (Effect::Links, false, table!("write_calls_links")),
    (Effect::Changes(0), true, table!("write_calls_own_changes")),
    (Effect::Mode, true, table!("write_calls_own_mode")),
    (Effect::Removes, true, table!("write_calls_own_removes")),
    (Effect::Moves, true, table!("write_calls_own_moves")),
    (Effect::Copies, true, table!("write_calls_own_copies")),
    (Effect::Links, true, table!("write_calls_own_links")),
];

/// Known call: its effect, whether its object is the first argument, its whole name, and the objects that it belongs to.
type Known = (Effect, bool, &'static str, &'static [&'static str]);

/// Calls by the last part of their name.
static CALLS: LazyLock<HashMap<&'static str, Vec<Known>>> = LazyLock::new(|| {
    let mut calls: HashMap<_, Vec<_>> = HashMap::new();
    for (effect, is_own, rows) in ROWS {
        for (names, owners) in *rows {
            for name in *names {
                let last = name.rsplit('.').next().unwrap_or(name);
                calls.entry(last).or_default().push((*effect, *is_own, *name, *owners));
            }
        }
    }
    calls
});

/// Arguments of a call.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) values: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
    /// Number of the first value that is only a part of its argument: the rest was not read.
    pub(super) first_part: Option<usize>,
}

impl Arguments {
    pub(super) fn named(&self, names: &[&str]) -> Option<&Value> {
        self.named.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value)
    }
}

/// Returns whether a name is one of a call that may change files.
pub(super) fn is_known(name: &str) -> bool {
    CALLS.contains_key(name)
}

/// Adds the files that a call changes. `path` has the names before the call and its own; `object` is the value before the last dot.
pub(super) fn changes(path: &[String], object: Option<&Value>, given: &Arguments, found: &mut Vec<Change>) {
    let Some(rows) = path.last().and_then(|last| CALLS.get(last.as_str())) else { return };
    for (effect, is_own, name, owners) in rows {
        let object = object.filter(|object| object.is_file());
        if *is_own {
            // A folder's own `mkdir` has no text among its arguments; `os.mkdir` has one.
            if let Some(object) = object.filter(|object| object.is_path()) {
                let mut all = vec![object.clone()];
                all.extend(given.values.iter().cloned());
                apply(*effect, &all, given, found);
            }
        } else if object.is_none() && belongs(path, name, owners) {
            apply(*effect, &given.values, given, found);
        }
    }
}

/// Returns whether a call with these names before it is the one of a row.
pub(super) fn belongs(path: &[String], name: &str, owners: &[&str]) -> bool {
    let parts = name.split('.').count();
    let own = path.len().checked_sub(parts).and_then(|at| path.get(at..)).unwrap_or_default();
    if !own.iter().map(String::as_str).eq(name.split('.')) {
        return false;
    }
    let owner = path.len().checked_sub(parts + 1).and_then(|at| path.get(at));
    match owner {
        _ if owners.is_empty() => true,
        Some(owner) => owners.contains(&owner.as_str()),
        None => owners.contains(&"bare"),
    }
}

fn apply(effect: Effect, values: &[Value], given: &Arguments, found: &mut Vec<Change>) {
    let at = |place: usize| values.get(place);
    let mut add = |kind: AccessKind, value: Option<&Value>| {
        found.extend(value.into_iter().flat_map(Value::outlines).map(|name| (kind, name)));
    };
    match effect {
        Effect::Changes(place) => {
            let by_name = given.named(&["file", "con", "path", "path_or_buf", "fname"]);
            add(AccessKind::Changed, at(place).or(by_name));
        }
        Effect::Mode => {
            let mode = at(1).or_else(|| given.named(&["mode", "flags", "flag"]));
            if mode.is_some_and(Value::is_writing_mode) {
                add(AccessKind::Changed, at(0).or_else(|| given.named(&["file", "name", "filename"])));
            }
        }
        Effect::InPlace => {
            if given.named(&["inplace"]).is_some() {
                add(AccessKind::Changed, at(0).or_else(|| given.named(&["files"])));
            }
        }
        Effect::Removes => {
            for value in values.iter().filter(|value| value.is_file()) {
                add(AccessKind::Removed, Some(value));
            }
            if !values.iter().any(Value::is_file) {
                add(AccessKind::Removed, at(0));
            }
        }
        Effect::Moves => {
            add(AccessKind::Removed, at(0));
            add(AccessKind::Named, at(1));
        }
        Effect::Copies => add(AccessKind::Named, at(1)),
        Effect::Links => {
            add(AccessKind::Linked, at(0));
            add(AccessKind::Changed, at(1));
        }
    }
}
