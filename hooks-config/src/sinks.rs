//! The section about sinks, which receive the records of the log.

use std::fmt::Display;

use hooks_audit::sink::SinkConfig;

use super::error::Mistakes;
use super::prune::Pruned;

/// Key of the section.
pub(super) const KEY: &str = "sinks";

/// Reports invalid settings. A sink that this program was built without is only a warning: another program
/// may feed it.
pub(super) fn check(sinks: &[SinkConfig], tree: &Pruned, mistakes: &mut Mistakes) {
    for (at, sink) in sinks.iter().enumerate() {
        if let Some(feature) = sink.missing_feature() {
            let (path, problem) = (
                format!("{KEY}[{at}]"),
                format!(
                    "this program is built without `{feature}`, and does not feed any sink while this one is there"
                ),
            );
            let hint = format!(
                "build it with that feature, have another one feed the sinks, or leave out `{}`",
                sink.name
            );
            mistakes.doubt(tree.root.locate(&path), tree.path_before(&path), problem, Some(hint));
        }
    }
    if let Err((at, error)) = SinkConfig::check_all(sinks) {
        report(&format!("{KEY}[{at}]"), &error, tree, mistakes);
    }
}

/// Reports an error at its place. A hint may follow a semicolon in its text.
pub(super) fn report(path: &str, error: &dyn Display, tree: &Pruned, mistakes: &mut Mistakes) {
    let (place, path) = (tree.root.locate(path), tree.path_before(path));
    let text = error.to_string();
    match text.split_once("; ") {
        Some((problem, hint)) => mistakes.add_with_hint(place, path, problem, hint),
        None => mistakes.add(place, path, text),
    }
}
