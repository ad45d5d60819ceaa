//! The section about the Scribe, which keeps the team's folder in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_context::builtins::Redact as _;
use hooks_core::beside::{Here, Threads, Workers};
use hooks_facts::calls::ToolRole;
use hooks_facts::tools::ToolTable;
use hooks_redaction::RedactionConfig;
use hooks_scribe::{Scribe, ScribeConfig};
use hooks_store::StoreThread;
use hooks_system::{StdFileSystem, TokioTimer};
use hooks_team::TeamPlace;

use super::prompts::Secrets;

/// Key of the section.
pub(super) const KEY: &str = "scribe";

/// Longest wait of a short-lived program for other writers in a team's folder.
const SHORT: Duration = Duration::from_millis(500);

/// Longest time that the answer of a short-lived program waits for the Scribe's work; clients wait for
/// longer. If the folder is too large for that, the next program finishes the work.
const WORKING: Duration = Duration::from_secs(2);

/// Parts of a configuration that the Scribe and the notices use besides their own sections.
pub(super) struct Around<'a> {
    pub(super) tools: ToolTable,
    /// Selects the thread that waits for the disk.
    pub(super) store_thread: StoreThread,
    /// Further patterns of secrets.
    pub(super) redaction: Option<&'a RedactionConfig>,
}

/// The Scribe of `config`. It writes no text that is known to be secret.
pub(super) fn built(config: &ScribeConfig, around: &Around<'_>) -> Scribe {
    let store_thread = around.store_thread;
    let teams = teams(&config.team, store_thread).of_tenants(config.tenants.iter().cloned());
    let secrets = Secrets::new(around.redaction);
    let scribe = match store_thread {
        StoreThread::Later => Scribe::new(teams, workers(store_thread), Arc::new(TokioTimer)),
        StoreThread::AtOnce => {
            Scribe::at_once(teams, workers(store_thread)).within(WORKING, Arc::new(TokioTimer), Threads)
        }
    };
    let scribe = scribe.with(config.settings()).knowing(around.tools.clone());
    scribe.scrubbed_by(move |text| secrets.redact(text))
}

/// All known tools, including those of the configuration.
pub(super) fn known(tools: &BTreeMap<String, ToolRole>) -> ToolTable {
    tools.iter().fold(ToolTable::default(), |table, (name, role)| table.with(name, (*role).into()))
}

/// Place of the teams' folders, relative to the sessions.
pub(super) fn teams(folder: &Path, store_thread: StoreThread) -> TeamPlace {
    let place = TeamPlace::below(Arc::new(StdFileSystem), folder);
    match store_thread {
        StoreThread::Later => place,
        StoreThread::AtOnce => place.with_patience(SHORT),
    }
}

/// The threads that wait for the disk.
pub(super) fn workers(store_thread: StoreThread) -> Arc<dyn Workers> {
    match store_thread {
        StoreThread::Later => Arc::new(Threads),
        StoreThread::AtOnce => Arc::new(Here),
    }
}
