//! What is put away, and by whom.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, PreToolUse, SessionEnd, SessionStart, SubagentStart, UserPromptSubmitted,
};
use hooks_core::time::Timer;
use hooks_core::{BoxError, FailureLayer, HookContext, HookFuture, HooksBuilder, Settle};
use hooks_team::Team;
use tower_layer::Layer;

use super::record::Work;
use super::{SessionEndLayer, SessionTally};
use crate::SessionMemory;
use crate::TeamPlace;
use crate::limit::Limit;
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
    pub(super) limit: Option<Limit>,
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
            limit: None,
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

    /// Waits for `limit` at most at a start or an end, as `timer` tells it: half of that for the folder's lock, and for
    /// what is open. What is not done by then is done by the workers later, or by a later start. For ever unless told.
    #[must_use]
    pub fn within(mut self, limit: Duration, timer: Arc<dyn Timer>) -> Self {
        self.limit = Some(Limit::new(limit, timer));
        self
    }

    /// Goes on with what `memory` has counted of sessions.
    #[must_use]
    pub fn remembering_in(mut self, memory: &SessionMemory) -> Self {
        self.tally = Arc::clone(&memory.tally);
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

impl SessionEnding {
    /// `work`, for as long as it may take.
    pub(super) fn limited<T: Send + 'static>(
        &self,
        work: HookFuture<'static, Result<T, BoxError>>,
    ) -> HookFuture<'static, Result<T, BoxError>> {
        match &self.limit {
            Some(limit) => limit.on(work),
            None => work,
        }
    }

    /// What is still open, if somebody says so in half of the time.
    pub(super) fn open_work(
        &self,
        context: &Arc<HookContext>,
    ) -> HookFuture<'static, Result<Option<Work>, BoxError>> {
        let Some(source) = self.work.clone() else { return HookFuture::now(Ok(None)) };
        let open = source.open(context);
        let open = match &self.limit {
            Some(limit) => limit.half().on(open),
            None => open,
        };
        HookFuture::later(
            async move { Ok(Some(Work { source: source.name().to_owned(), items: open.await? })) },
        )
    }

    /// The team of a session, where it has one. This may wait for the disk.
    pub(super) fn team(&self, context: &HookContext) -> Option<Team> {
        let team = self.place.team(context)?;
        Some(match &self.limit {
            Some(limit) => limit.of_team(team),
            None => team,
        })
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
