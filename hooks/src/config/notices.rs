//! The section about notices: which agents are told of what others wrote.

use hooks_audit::notice::{Notices, NoticesConfig};
use hooks_audit::scribe::Scribe;

use super::scribe::{Around, teams, workers};

/// The key it stands under.
pub(super) const KEY: &str = "notices";

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
