//! What is put away, and by whom.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, PreToolUse, SessionEnd, SessionStart, SubagentStart, UserPromptSubmitted,
};
use hooks_core::{BoxError, FailureLayer, HookContext, HookFuture, HooksBuilder, Settle};
use tower_layer::Layer;

use super::{SessionEndLayer, SessionTally};
use crate::place::TeamPlace;
use crate::source::Workers;

/// What is put away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEndSettings {
    /// Histories above so many bytes are archived, down to half of that; 15,360 unless told, never where it is 0.
    pub history_above: u64,
    /// So many entries of a history stay in any case, the newest; 5 unless told.
    pub keep: usize,
    /// Whether what a session used is written down; it is unless told.
    pub metrics: bool,
    /// Whether what a session was about is written down; it is unless told.
    pub recap: bool,
    /// So long after it began a session that nobody ended is taken for killed; a day unless told.
    pub abandoned_after: Duration,
}

impl Default for SessionEndSettings {
    fn default() -> Self {
        Self {
            history_above: 15_360,
            keep: 5,
            metrics: true,
            recap: true,
            abandoned_after: Duration::from_secs(24 * 3_600),
        }
    }
}

/// Knows what is still to be done: issues, tasks, whatever the host keeps.
pub trait OpenWork: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// What is open, a line each.
    fn open(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>>;
}

/// What ends sessions of a team. Cheap to clone.
#[derive(Clone)]
pub struct SessionEnding {
    pub(super) place: TeamPlace,
    pub(super) workers: Arc<dyn Workers>,
    pub(super) settings: SessionEndSettings,
    pub(super) work: Option<Arc<dyn OpenWork>>,
    pub(super) tally: Arc<SessionTally>,
}

impl SessionEnding {
    /// Ends the sessions of `team`; `workers` wait for its disk.
    pub fn new(team: impl Into<TeamPlace>, workers: impl Workers + 'static) -> Self {
        Self {
            place: team.into(),
            workers: Arc::new(workers),
            settings: SessionEndSettings::default(),
            work: None,
            tally: Arc::default(),
        }
    }

    /// Sets what is put away.
    #[must_use]
    pub fn with(mut self, settings: SessionEndSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Tells `identity/now.md` what `work` has open when a session ends.
    #[must_use]
    pub fn watching(mut self, work: impl OpenWork + 'static) -> Self {
        self.work = Some(Arc::new(work));
        self
    }

    /// What is counted while sessions last.
    pub const fn tally(&self) -> &Arc<SessionTally> {
        &self.tally
    }

    /// Adds it to the hooks of all events it is for.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = SessionEndLayer::new(self.clone());
        let guard = FailureLayer::new("session_end");
        builder
            .hook::<SessionStart, _>(&guard, layer.layer(Settle))
            .hook::<SessionEnd, _>(&guard, layer.layer(Settle))
            .observer::<UserPromptSubmitted>(Arc::clone(&self.tally))
            .observer::<PreToolUse>(Arc::clone(&self.tally))
            .observer::<SubagentStart>(Arc::clone(&self.tally))
            .observer::<AfterModelCall>(Arc::clone(&self.tally))
    }
}

impl fmt::Debug for SessionEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionEnding")
            .field("team", &self.place)
            .field("settings", &self.settings)
            .field("work", &self.work.as_ref().map(|work| work.name().to_owned()))
            .finish_non_exhaustive()
    }
}
