//! Checks whether the rules of a client's hooks can be used, and their store can be opened.

use std::path::PathBuf;

use super::Finding;
use crate::init::wiring::WiredLine;
use crate::load;

/// Checks the rules that command lines name.
pub(super) fn check(found: &[WiredLine]) -> Vec<Finding> {
    let mut named: Vec<&str> = found.iter().filter_map(|one| one.ours.config.as_deref()).collect();
    named.sort_unstable();
    named.dedup();
    named.into_iter().map(|path| usable(&PathBuf::from(path))).collect()
}

/// Checks one file of rules. Reading it also opens the store of its counters.
fn usable(path: &PathBuf) -> Finding {
    let name = path.display();
    match load::reader(None).read(path) {
        Ok(_) => Finding::good(format!("the rules in `{name}` can be used")),
        Err(errors) => {
            let first = errors.errors().first().map(ToString::to_string).unwrap_or_default();
            let what = format!("`{name}` cannot be used, so everything is denied: {first}");
            Finding::bad(what, format!("`hooks check {name}` shows all that is wrong"))
        }
    }
}
