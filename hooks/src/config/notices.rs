//! The section about notices: which agents are told of what others wrote.

use hooks_audit::notice::{Notices, NoticesConfig};
use hooks_audit::scribe::Scribe;
use hooks_facts::tools::ToolTable;
use hooks_store::Answering;

use super::scribe::{teams, workers};

/// The key it stands under.
pub(super) const KEY: &str = "notices";

/// The notices that `config` asks for; a Scribe writes down who will be told of what.
pub(super) fn built(
    config: &NoticesConfig,
    tools: &ToolTable,
    answering: Answering,
    scribe: Option<Scribe>,
) -> Notices {
    let notices = Notices::new(teams(&config.team, answering), workers(answering));
    let notices = notices.with(config.settings()).knowing(tools.clone());
    match scribe {
        Some(scribe) => notices.recorded_by(scribe),
        None => notices,
    }
}
