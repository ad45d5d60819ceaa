//! The section about the Scribe: who keeps the team's folder in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_audit::aside::{Teams, Workers};
use hooks_audit::scribe::{Scribe, ScribeConfig};
use hooks_context::TeamPlace;
use hooks_facts::tools::{ToolKind, ToolTable};
use hooks_policies::config::ToolRole;
use hooks_store::Answering;

use crate::system::{StdFileSystem, TokioTimer};

/// The key it stands under.
pub(super) const KEY: &str = "scribe";

/// How long a program that does one thing and ends waits for others who write in a team's folder.
const SHORT: Duration = Duration::from_millis(500);

/// The Scribe that `config` asks for.
pub(super) fn built(config: &ScribeConfig, tools: &ToolTable, answering: Answering) -> Scribe {
    let teams = teams(&config.team, answering);
    let scribe = match answering {
        Answering::Later => Scribe::new(teams, workers(answering), Arc::new(TokioTimer)),
        Answering::AtOnce => Scribe::at_once(teams, workers(answering)),
    };
    scribe.with(config.settings()).knowing(tools.clone())
}

/// All tools that are known, with those of the configuration.
pub(super) fn known(tools: &BTreeMap<String, ToolRole>) -> ToolTable {
    tools.iter().fold(ToolTable::default(), |table, (name, role)| {
        let kind = match role {
            ToolRole::Write => ToolKind::WriteFile,
            ToolRole::Delete => ToolKind::DeleteFile,
            ToolRole::Shell => ToolKind::Shell,
            ToolRole::AskUser => ToolKind::AskUser,
            ToolRole::Read => ToolKind::Read,
        };
        table.with(name, kind)
    })
}

/// Where the teams of sessions are.
pub(super) fn teams(folder: &Path, answering: Answering) -> Teams {
    let place = TeamPlace::below(Arc::new(StdFileSystem), folder);
    Teams::found_by(move |context| {
        let team = place.team(context)?;
        Some(if answering == Answering::AtOnce { team.with_patience(SHORT) } else { team })
    })
}

/// Who waits for the disk.
pub(super) fn workers(answering: Answering) -> Workers {
    match answering {
        Answering::Later => Workers::threads(),
        Answering::AtOnce => Workers::here(),
    }
}
