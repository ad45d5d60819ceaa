//! Settings of the work at a session's end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, PostToolUse, PreToolUse, SessionEnd, SessionStart, SubagentStart, UserPromptSubmitted,
};
use hooks_core::state::StateStore;
use hooks_core::time::Timer;
use hooks_core::{BoxError, FailureLayer, HookContext, HookFuture, HooksBuilder, Settle};
use hooks_team::Team;
use tower_layer::Layer;

use super::kept_counts::KeptCounts;
use super::record::Work;
use super::{SessionEndLayer, SessionTally};
use crate::SessionMemory;
use crate::TeamPlace;
use crate::limit::Limit;
use crate::source::Workers;

/// Settings of the work at a session's end.
///
/// ```
/// use hooks_context::session_end::SessionEndSettings;
///
/// let mut settings = SessionEndSettings::default();
/// assert!(settings.metrics && settings.recap);
/// settings.history_above = 0; // histories are never archived
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEndSettings {
    /// Size in bytes above which a history is archived, down to half of that size; 15,360 by default. 0
    /// disables archiving.
    pub history_above: u64,
    /// Number of the newest entries of a history that are never archived; 5 by default.
    pub keep: usize,
    /// Whether metrics are written; true by default.
    pub metrics: bool,
    /// Whether a recap is written; true by default.
    pub recap: bool,
    /// Time after its start when a session without an end counts as killed; one day by default.
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

/// Source of open work: issues, tasks, or other items that the host keeps.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::TeamPlace;
/// use hooks_context::session_end::{OpenWork, SessionEnding};
/// use hooks_context::source::Here;
/// use hooks_core::event::SessionEnd;
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::{BoxError, HookContext, HookFuture, Hooks};
///
/// /// The issues of a board.
/// struct Board(Vec<String>);
///
/// impl OpenWork for Board {
///     fn name(&self) -> &str {
///         "board"
///     }
///
///     fn open(&self, _context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
///         HookFuture::now(Ok(self.0.clone()))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/.squad/identity/now.md", "---\nfocus_area: x\n---\n"));
/// let board = Board(vec!["#1 fix it".to_owned(), "#2 ship it".to_owned()]);
/// let ending = SessionEnding::new(TeamPlace::below(disk.clone(), ".squad"), Here).watching(board);
/// let hooks = ending.add_to(Hooks::builder()).build();
/// hooks.on(HookContext::new("session-1", "backend").in_dir("/repo")).session_end(SessionEnd::default()).await;
/// let now = disk.files().remove(std::path::Path::new("/repo/.squad/identity/now.md")).unwrap_or_default();
/// assert!(String::from_utf8(now)?.contains("open_work: \"#1 fix it; #2 ship it\"\nopen_work_from: board"));
/// # Ok(())
/// # }
/// ```
pub trait OpenWork: Send + Sync {
    /// Returns the name of the source.
    fn name(&self) -> &str;

    /// Returns the open items, one line each.
    fn open(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>>;
}

/// Closes the sessions of a team. Cheap to clone.
#[derive(Clone)]
pub struct SessionEnding {
    pub(super) place: TeamPlace,
    pub(super) workers: Arc<dyn Workers>,
    pub(super) settings: SessionEndSettings,
    pub(super) work: Option<Arc<dyn OpenWork>>,
    pub(super) tally: Arc<SessionTally>,
    pub(super) kept_counts: KeptCounts,
    pub(super) limit: Option<Limit>,
}

impl SessionEnding {
    /// Closes the sessions of `team`; `workers` access its files.
    pub fn new(team: impl Into<TeamPlace>, workers: impl Workers + 'static) -> Self {
        Self {
            place: team.into(),
            workers: Arc::new(workers),
            settings: SessionEndSettings::default(),
            work: None,
            tally: Arc::default(),
            kept_counts: KeptCounts::default(),
            limit: None,
        }
    }

    /// Sets the settings.
    #[must_use]
    pub fn with(mut self, settings: SessionEndSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Writes the open items of `work` to `identity/now.md` when a session ends.
    #[must_use]
    pub fn watching(mut self, work: impl OpenWork + 'static) -> Self {
        self.work = Some(Arc::new(work));
        self
    }

    /// Limits the wait at a start or an end to `limit`, measured by `timer`; half of it is for the folder's
    /// lock, and half for the open work. Work that is not done in time is finished by the workers later, or
    /// by a later start. Without this setting there is no limit.
    #[must_use]
    pub fn within(mut self, limit: Duration, timer: Arc<dyn Timer>) -> Self {
        self.limit = Some(Limit::new(limit, timer));
        self
    }

    /// Shares the counts of sessions in `memory`.
    #[must_use]
    pub fn remembering_in(mut self, memory: &SessionMemory) -> Self {
        self.tally = Arc::clone(&memory.tally);
        self
    }

    /// Adds the counts that other processes put into `store` with [`SessionTally::keep`].
    #[must_use]
    pub fn counting_in(mut self, store: Arc<dyn StateStore>) -> Self {
        self.kept_counts = KeptCounts::in_store(store);
        self
    }

    /// Returns the counts of running sessions.
    pub const fn tally(&self) -> &Arc<SessionTally> {
        &self.tally
    }

    /// Adds the layer and the observers to the hooks of all events that they need.
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
            .observer::<PostToolUse>(Arc::clone(&self.tally))
    }
}

impl SessionEnding {
    /// Runs `work` within the time limit, if there is one.
    pub(super) fn limited<T: Send + 'static>(
        &self,
        work: HookFuture<'static, Result<T, BoxError>>,
    ) -> HookFuture<'static, Result<T, BoxError>> {
        match &self.limit {
            Some(limit) => limit.on(work),
            None => work,
        }
    }

    /// Returns the open work, if the source answers within half of the time limit.
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

    /// Returns the team of a session, if there is one. This may block on the disk.
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
