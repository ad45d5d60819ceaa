//! The section about notices, which inform agents about what other agents wrote.

use hooks_scribe::Scribe;
use hooks_scribe::notice::{Notices, NoticesConfig};

use super::error::Mistakes;
use super::prune::Pruned;
use super::scribe::{Around, teams, workers};

/// Key of the section.
pub(super) const KEY: &str = "notices";

/// Reports limits of 0, with which no agent would get a notice.
pub(super) fn check(config: &NoticesConfig, tree: &Pruned, mistakes: &mut Mistakes) {
    for (field, bound) in [("most", config.most), ("keep", config.keep)] {
        if bound == 0 {
            let path = format!("{KEY}.{field}");
            let hint = "write a number from 1, or leave `notices` out";
            mistakes.add_with_hint(
                tree.root.locate(&path),
                path,
                "with 0, no agent would get a notice",
                hint,
            );
        }
    }
}

/// Notices of `config`. With a Scribe, the Scribe records which agents will get which notice.
pub(super) fn built(config: &NoticesConfig, around: &Around<'_>, scribe: Option<Scribe>) -> Notices {
    let store_thread = around.store_thread;
    let teams = teams(&config.team, store_thread).of_tenants(config.tenants.iter().cloned());
    let notices = Notices::new(teams, workers(store_thread));
    let notices = notices.with(config.settings()).knowing(around.tools.clone());
    match scribe {
        Some(scribe) => notices.recorded_by(scribe),
        None => notices,
    }
}
