//! The section about the Scribe: who keeps the team's folder in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_audit::scribe::{Scribe, ScribeConfig};
use hooks_context::builtins::Redact as _;
use hooks_facts::tools::ToolTable;
use hooks_policies::config::{RedactionConfig, ToolRole};
use hooks_store::Answering;
use hooks_team::TeamPlace;
use hooks_team::beside::{Here, Threads, Workers};

use super::prompts::Secrets;
use crate::system::{StdFileSystem, TokioTimer};

/// The key it stands under.
pub(super) const KEY: &str = "scribe";

/// How long a program that does one thing and ends waits for others who write in a team's folder.
const SHORT: Duration = Duration::from_millis(500);

/// How long the answer of such a program waits for the Scribe's work; clients wait for longer. What is not done by then, as
/// the folder has grown large, is finished by the next one.
const WORKING: Duration = Duration::from_secs(2);

/// What of a configuration the Scribe and the notices go by beside their own sections.
pub(super) struct Around<'a> {
    pub(super) tools: ToolTable,
    /// Who waits for a disk.
    pub(super) answering: Answering,
    /// What else is secret.
    pub(super) redaction: Option<&'a RedactionConfig>,
}

/// The Scribe that `config` asks for. It writes nothing that is known to be secret.
pub(super) fn built(config: &ScribeConfig, around: &Around<'_>) -> Scribe {
    let answering = around.answering;
    let teams = teams(&config.team, answering).of_tenants(config.tenants.iter().cloned());
    let secrets = Secrets::new(around.redaction);
    let scribe = match answering {
        Answering::Later => Scribe::new(teams, workers(answering), Arc::new(TokioTimer)),
        Answering::AtOnce => {
            Scribe::at_once(teams, workers(answering)).within(WORKING, Arc::new(TokioTimer), Threads)
        }
    };
    let scribe = scribe.with(config.settings()).knowing(around.tools.clone());
    scribe.scrubbed_by(move |text| secrets.redact(text))
}

/// All tools that are known, with those of the configuration.
pub(super) fn known(tools: &BTreeMap<String, ToolRole>) -> ToolTable {
    tools.iter().fold(ToolTable::default(), |table, (name, role)| table.with(name, (*role).into()))
}

/// Where the teams of sessions are.
pub(super) fn teams(folder: &Path, answering: Answering) -> TeamPlace {
    let place = TeamPlace::below(Arc::new(StdFileSystem), folder);
    match answering {
        Answering::Later => place,
        Answering::AtOnce => place.with_patience(SHORT),
    }
}

/// Who waits for the disk.
pub(super) fn workers(answering: Answering) -> Arc<dyn Workers> {
    match answering {
        Answering::Later => Arc::new(Threads),
        Answering::AtOnce => Arc::new(Here),
    }
}
