//! The section about notices: which agents are told of what others wrote.

use hooks_audit::notice::{Notices, NoticesConfig};
use hooks_audit::scribe::Scribe;

use super::error::Mistakes;
use super::prune::Pruned;
use super::scribe::{Around, teams, workers};

/// The key it stands under.
pub(super) const KEY: &str = "notices";

/// Reports bounds that leave nothing to tell.
pub(super) fn check(config: &NoticesConfig, tree: &Pruned, mistakes: &mut Mistakes) {
    for (field, bound) in [("most", config.most), ("keep", config.keep)] {
        if bound == 0 {
            let path = format!("{KEY}.{field}");
            let hint = "write a number from 1, or leave `notices` out";
            mistakes.add_with_hint(tree.root.locate(&path), path, "nobody would be told of anything", hint);
        }
    }
}

/// The notices that `config` asks for; a Scribe writes down who will be told of what.
pub(super) fn built(config: &NoticesConfig, around: &Around<'_>, scribe: Option<Scribe>) -> Notices {
    let answering = around.answering;
    let teams = teams(&config.team, answering).of_tenants(config.tenants.iter().cloned());
    let notices = Notices::new(teams, workers(answering));
    let notices = notices.with(config.settings()).knowing(around.tools.clone());
    match scribe {
        Some(scribe) => notices.recorded_by(scribe),
        None => notices,
    }
}
