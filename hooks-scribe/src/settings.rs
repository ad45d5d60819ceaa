//! The Scribe and its settings.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use hooks_core::beside::{Workers, offload, offload_then};
use hooks_core::event::{
    PostToolUse, PreToolUse, SessionEnd, SessionStart, SubagentStart, SubagentStop, ToolDecided,
};
use hooks_core::time::Timer;
use hooks_core::{
    BoxError, Close, EventKind, FailureLayer, HookContext, HookFuture, HooksBuilder, Reason, Settle,
};
use hooks_facts::tools::ToolTable;
use hooks_team::{Team, TeamPlace};
use tower_layer::Layer;

use super::ScribeLayer;
use super::call::random;
use super::note::{Note, What, short};
use super::open::OpenCalls;
use super::work::{Pen, leave, work};

/// Name in reports.
pub(super) const NAME: &str = "scribe";

/// Number of looks at an inbox with unsettled files; after that, the next event looks.
const LOOKS: u32 = 8;

/// Time to wait for another process's run if no agent waits.
pub(super) const WAIT: Duration = Duration::from_secs(30);

/// Time to wait for another process's run if an agent waits; later notes are left to that process.
pub(super) const MOMENT: Duration = Duration::from_secs(1);

/// Settings of the Scribe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScribeSettings {
    /// Time between a note and the work for it; notes left in this time are handled together. Default: 500
    /// ms.
    pub pause: Duration,
    /// Time without a change after which a file of the inbox is merged if no call is known to have written
    /// it. Default: 2 s.
    pub settle: Duration,
    /// Time after which a call without a reported end is given up. Default: one hour.
    pub given_up_after: Duration,
    /// Time for which the start of a child waits for other writers of the folder. Default: 2 s.
    pub spawn_wait: Duration,
    /// Length of `decisions.md` in bytes above which entries older than `older_than` are archived; 0 means
    /// never. Default: 20,480.
    pub decisions_above: u64,
    /// Age of entries to be archived above `decisions_above`. Default: 30 days.
    pub older_than: Duration,
    /// Length of `decisions.md` in bytes above which entries older than `then_older_than` are archived too; 0
    /// means never. Default: 51,200.
    pub decisions_far_above: u64,
    /// Age of entries to be archived above `decisions_far_above`. Default: 7 days.
    pub then_older_than: Duration,
}

impl Default for ScribeSettings {
    fn default() -> Self {
        const DAY: u64 = 24 * 3_600;
        Self {
            pause: Duration::from_millis(500),
            settle: Duration::from_secs(2),
            given_up_after: Duration::from_secs(3_600),
            spawn_wait: Duration::from_secs(2),
            decisions_above: 20_480,
            older_than: Duration::from_secs(30 * DAY),
            decisions_far_above: 51_200,
            then_older_than: Duration::from_secs(7 * DAY),
        }
    }
}

/// Returns a text without its secrets; `None` if it has no secrets.
pub(super) type Scrub = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Keeps the folders of teams in order; see [the module](super). Cheap to clone.
#[derive(Clone)]
pub struct Scribe(Arc<Shared>);

struct Shared {
    teams: TeamPlace,
    workers: Arc<dyn Workers>,
    settings: ScribeSettings,
    tools: ToolTable,
    scrub: Option<Scrub>,
    /// Timer for pauses; without one, the work runs at once.
    timer: Option<Arc<dyn Timer>>,
    /// Limit on the time that an answer waits for work that runs at once.
    limit: Option<Limit>,
    /// Folders with work that is running or due.
    requested: Mutex<HashMap<PathBuf, RequestedWork>>,
    /// Calls without ids that began here.
    open: Mutex<OpenCalls>,
}

/// Requested work that is not done.
struct RequestedWork {
    team: Team,
    context: Arc<HookContext>,
    /// Whether it was requested again since it began.
    again: bool,
}

impl Scribe {
    /// Creates a Scribe for `teams`; `workers` run the disk access, and `timer` measures pauses.
    pub fn new(teams: impl Into<TeamPlace>, workers: impl Workers + 'static, timer: Arc<dyn Timer>) -> Self {
        Self::build(teams.into(), Arc::new(workers), Some(timer))
    }

    /// Creates a Scribe that does all work before an event is answered, for processes that end after their
    /// answer.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::beside::Here;
    /// use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// use hooks_core::{HookContext, Hooks};
    /// use hooks_scribe::Scribe;
    /// use hooks_team::Team;
    ///
    /// let disk = FakeDisk::default().with_directory("/p/.squad");
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let team = Team::new(Arc::new(disk), "/p/.squad", &environment);
    /// let scribe = Scribe::at_once(team, Here);
    /// let hooks = scribe.add_to(Hooks::builder()).build();
    /// // Nothing was left to do, so no further run is necessary.
    /// let context = HookContext::new("session-1", "Backend").in_dir("/p").with_environment(environment);
    /// assert!(!scribe.work(&context)?);
    /// # drop(hooks);
    /// # Ok::<(), hooks_core::BoxError>(())
    /// ```
    pub fn at_once(teams: impl Into<TeamPlace>, workers: impl Workers + 'static) -> Self {
        Self::build(teams.into(), Arc::new(workers), None)
    }

    fn build(teams: TeamPlace, workers: Arc<dyn Workers>, timer: Option<Arc<dyn Timer>>) -> Self {
        Self(Arc::new(Shared {
            teams,
            workers,
            settings: ScribeSettings::default(),
            tools: ToolTable::default(),
            scrub: None,
            timer,
            limit: None,
            requested: Mutex::default(),
            open: Mutex::default(),
        }))
    }

    /// Sets the settings. Existing clones keep theirs.
    ///
    /// A file of the inbox is merged without waiting for it to settle:
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_core::beside::Here;
    /// use hooks_scribe::{Scribe, ScribeSettings};
    /// # use hooks_core::HookContext;
    /// # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// # use hooks_team::Team;
    /// # let disk = FakeDisk::default()
    /// #     .with_file("/p/.squad/decisions/inbox/backend-db.md", "### Use SQLite\n\n**By:** Backend\n");
    /// # let (mut environment, ..) = world(FakeFileSystem::default());
    /// # environment.files = Arc::new(disk.clone());
    /// # let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
    /// # let context = HookContext::new("session-1", "Backend").in_dir("/p").with_environment(environment);
    ///
    /// let mut settings = ScribeSettings::default();
    /// settings.settle = Duration::ZERO;
    /// let scribe = Scribe::at_once(team, Here).with(settings);
    /// let has_to_settle = scribe.work(&context)?;
    /// assert!(!has_to_settle);
    /// # Ok::<(), hooks_core::BoxError>(())
    /// ```
    #[must_use]
    pub fn with(self, settings: ScribeSettings) -> Self {
        self.changed(|shared| shared.settings = settings)
    }

    /// Limits the time that an answer waits for work that runs at once; `timer` measures it, and `workers`
    /// run the work. Late work continues as long as the process lives, and the next process finishes it.
    /// Answers always wait for notes.
    #[must_use]
    pub fn within(self, limit: Duration, timer: Arc<dyn Timer>, workers: impl Workers + 'static) -> Self {
        let workers = Arc::new(workers);
        self.changed(|shared| shared.limit = Some(Limit { after: limit, timer, workers }))
    }

    /// Sets the table of tools that write files or run commands.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use futures_util::FutureExt;
    /// use hooks_core::beside::Here;
    /// use hooks_core::event::{PostToolUse, PreToolUse};
    /// # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// use hooks_core::{HookContext, Hooks};
    /// use hooks_facts::tools::{ToolKind, ToolTable};
    /// use hooks_scribe::Scribe;
    /// # use hooks_team::Team;
    /// use serde_json::{Value, json};
    /// # let disk = FakeDisk::default().with_file("/p/.squad/team.md", "# Team\n");
    /// # let (mut environment, ..) = world(FakeFileSystem::default());
    /// # environment.files = Arc::new(disk.clone());
    /// # let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
    /// # let context = HookContext::new("session-1", "Lead").in_dir("/p").with_environment(environment);
    ///
    /// // `publish` is a tool of the host, which writes the file that its argument names.
    /// let tools = ToolTable::default().with("publish", ToolKind::WriteFile);
    /// let hooks = Scribe::at_once(team, Here).knowing(tools).add_to(Hooks::builder()).build();
    /// let call = PreToolUse::new("publish", json!({"path": ".squad/decisions.md"}));
    /// let wrote = PostToolUse::after(&call, Value::Null, None, 1);
    /// hooks.on(context).post_tool_use(wrote).now_or_never().ok_or("waits")?;
    /// let logs = disk.files().into_iter().filter(|(path, _)| path.starts_with("/p/.squad/log"));
    /// let lines: String = logs.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()).collect();
    /// assert!(lines.contains("decisions.md") && lines.contains("publish"));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn knowing(self, tools: ToolTable) -> Self {
        self.changed(|shared| shared.tools = tools)
    }

    /// Removes secrets from everything that the Scribe writes: `scrub` returns a text without its secrets, or
    /// `None` if it has none. The folder is committed to a repository, and the task of a child may contain
    /// secrets.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use futures_util::FutureExt;
    /// use hooks_core::beside::Here;
    /// use hooks_core::event::SubagentStart;
    /// # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// use hooks_core::{HookContext, Hooks};
    /// use hooks_scribe::Scribe;
    /// # use hooks_team::Team;
    /// # let disk = FakeDisk::default().with_file("/p/.squad/team.md", "# Team\n");
    /// # let (mut environment, ..) = world(FakeFileSystem::default());
    /// # environment.files = Arc::new(disk.clone());
    /// # let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
    /// # let context = HookContext::new("session-1", "Lead").in_dir("/p").with_environment(environment);
    ///
    /// let scrub = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "[secret]"));
    /// let scribe = Scribe::at_once(team, Here).scrubbed_by(scrub);
    /// let hooks = scribe.add_to(Hooks::builder()).build();
    /// let child = SubagentStart::new("Tester", "log in with hunter2");
    /// hooks.on(context).subagent_start(child).now_or_never().ok_or("waits")?;
    /// let mut files = disk.files().into_iter();
    /// let task = files.find(|(path, _)| path.starts_with("/p/.squad/orchestration-log"));
    /// let (_, bytes) = task.ok_or("each child has a file")?;
    /// let text = String::from_utf8_lossy(&bytes);
    /// assert!(text.contains("log in with [secret]") && !text.contains("hunter2"));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn scrubbed_by(self, scrub: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.changed(|shared| shared.scrub = Some(Arc::new(scrub)))
    }

    /// Adds the Scribe to all events it handles.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = ScribeLayer::new(self.clone());
        // The guard lets calls go ahead if a note fails.
        let guard = FailureLayer::new(NAME).opened();
        let mut builder = builder
            .hook::<SessionStart, _>(&guard, layer.layer(Settle))
            .hook::<ToolDecided, _>(&guard, layer.layer(Settle))
            .stack::<PostToolUse, _>(&guard, layer.layer(Settle))
            .hook::<SessionEnd, _>(&guard, layer.layer(Settle))
            .reserve::<PreToolUse>(self.clone())
            .reserve::<SubagentStart>(self.clone())
            .reserve::<SubagentStop>(self.clone());
        builder.add_close(self.clone());
        builder
    }

    /// Delivers all notes and merges the inbox now; returns whether files have to settle before they are
    /// merged. Accesses the disk.
    ///
    /// # Errors
    /// Returns an error if there is no team, or its folder cannot be read or written. The next run finishes
    /// moves that have begun.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::HookContext;
    /// use hooks_core::beside::Here;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_scribe::Scribe;
    /// use hooks_team::TeamPlace;
    ///
    /// // There is no `.squad` folder above the session's folder.
    /// let scribe = Scribe::at_once(TeamPlace::below(Arc::new(FakeDisk::default()), ".squad"), Here);
    /// let error = scribe.work(&HookContext::new("session-1", "backend").in_dir("/p"));
    /// assert!(error.is_err());
    /// ```
    pub fn work(&self, context: &HookContext) -> Result<bool, BoxError> {
        let team = self.0.teams.team(context).ok_or("there is no team folder")?;
        Ok(work(&team, &self.pen(), context, WAIT)?)
    }

    pub(super) fn settings(&self) -> &ScribeSettings {
        &self.0.settings
    }

    /// Settings and scrubber for a run.
    pub(super) fn pen(&self) -> Pen {
        Pen { settings: self.0.settings, scrub: self.0.scrub.clone() }
    }

    pub(super) fn tools(&self) -> &ToolTable {
        &self.0.tools
    }

    pub(super) fn workers(&self) -> &dyn Workers {
        &*self.0.workers
    }

    pub(super) fn team(&self, context: &HookContext) -> Option<Team> {
        self.0.teams.team(context)
    }

    pub(super) fn open(&self) -> MutexGuard<'_, OpenCalls> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the agents `whom` get a notice about a file. Accesses the disk.
    pub(crate) fn told(
        &self,
        context: &HookContext,
        team: &Team,
        whom: Vec<String>,
        file: &str,
    ) -> Result<(), BoxError> {
        let what = What::Told { whom, file: short(file) };
        self.leave(team, &Note::new(context, random(context), what))
    }

    /// Leaves a note in the folder of `team`. Accesses the disk.
    pub(super) fn leave(&self, team: &Team, note: &Note) -> Result<(), BoxError> {
        Ok(leave(team, note)?)
    }

    /// Requests a run. Without a timer, it runs at once and the future waits for it; otherwise it runs soon,
    /// and the future is ready at once.
    pub(super) fn stir(
        &self,
        context: &Arc<HookContext>,
        team: Team,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let Some(timer) = self.0.timer.clone() else { return self.work_aside(context, team, Duration::ZERO) };
        // A run for the folder that is already due notices the request; there is at most one.
        let requested = RequestedWork { team: team.clone(), context: Arc::clone(context), again: true };
        if self.requested().insert(team.root().to_owned(), requested).is_some() {
            return HookFuture::now(Ok(()));
        }
        let (this, context) = (self.clone(), Arc::clone(context));
        match context.environment.background.clone() {
            Some(background) => background.run(HookFuture::later(this.work_soon(context, team, timer))),
            None => {
                self.requested().remove(team.root());
                let (pen, theirs) = (self.pen(), Arc::clone(&context));
                let done = move || Ok(work(&team, &pen, &theirs, WAIT)?);
                offload_then(self.workers(), done, move |done| {
                    if let Err(error) = done {
                        failed(&context, EventKind::PostToolUse, &*error);
                    }
                });
            }
        }
        HookFuture::now(Ok(()))
    }

    /// Runs the work, and waits for it within the limit. Waits up to `wait` if another process is running it.
    pub(super) fn work_aside(
        &self,
        context: &Arc<HookContext>,
        team: Team,
        wait: Duration,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let (pen, context) = (self.pen(), Arc::clone(context));
        let done = move || Ok(work(&team, &pen, &context, wait).map(drop)?);
        match &self.0.limit {
            Some(limit) => limit.wait_for(offload(&*limit.workers, done)),
            None => offload(self.workers(), done),
        }
    }

    /// Runs the work after a pause, and again while it is requested or files have to settle.
    async fn work_soon(self, context: Arc<HookContext>, team: Team, timer: Arc<dyn Timer>) {
        let (mut pause, mut looks) = (self.0.settings.pause, 0);
        loop {
            timer.sleep(pause).await;
            // A request from here on may be too late for this run.
            match self.requested().get_mut(team.root()) {
                Some(requested) => requested.again = false,
                // `close` has done the work.
                None => return,
            }
            let (pen, folder, theirs) = (self.pen(), team.clone(), Arc::clone(&context));
            let worked = offload(self.workers(), move || Ok(work(&folder, &pen, &theirs, Duration::ZERO)?));
            let waits = worked.await.unwrap_or_else(|error| {
                failed(&context, EventKind::PostToolUse, &*error);
                false
            });
            looks += 1;
            let mut requested = self.requested();
            if requested.get(team.root()).is_some_and(|requested| requested.again) {
                (pause, looks) = (self.0.settings.pause, 0);
            } else if waits && looks < LOOKS {
                pause = self.0.settings.settle.max(self.0.settings.pause);
            } else {
                requested.remove(team.root());
                return;
            }
        }
    }

    fn requested(&self) -> MutexGuard<'_, HashMap<PathBuf, RequestedWork>> {
        self.0.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(self, change: impl FnOnce(&mut Shared)) -> Self {
        let Shared { teams, workers, settings, tools, scrub, timer, limit, .. } = &*self.0;
        let (requested, open) = (Mutex::default(), Mutex::default());
        let mut shared = Shared {
            teams: teams.clone(),
            workers: Arc::clone(workers),
            settings: *settings,
            tools: tools.clone(),
            scrub: scrub.clone(),
            timer: timer.clone(),
            limit: limit.clone(),
            requested,
            open,
        };
        change(&mut shared);
        Self(Arc::new(shared))
    }
}

/// Limit on waiting, and the workers that continue meanwhile.
#[derive(Clone)]
struct Limit {
    after: Duration,
    timer: Arc<dyn Timer>,
    workers: Arc<dyn Workers>,
}

impl Limit {
    /// Returns the result of `work`, or an error if it takes longer than the limit. A result that is ready is
    /// returned at once.
    fn wait_for(
        &self,
        work: HookFuture<'static, Result<(), BoxError>>,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        if matches!(work, HookFuture::Now(_)) {
            return work;
        }
        let (after, late) = (self.after, self.timer.sleep(self.after));
        HookFuture::later(async move {
            match select(work, late).await {
                Either::Left((done, _)) => done,
                Either::Right(_) => Err(format!(
                    "the team's folder was not in order within {after:?}; the next event goes on"
                )
                .into()),
            }
        })
    }
}

impl Close for Scribe {
    fn name(&self) -> &str {
        NAME
    }

    /// Does the requested work without its pause. Files that have to settle are left to the next process.
    fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
        let requested: Vec<_> = self.requested().drain().map(|(_, requested)| requested).collect();
        if requested.is_empty() {
            return HookFuture::now(Ok(()));
        }
        let this = self.clone();
        HookFuture::later(async move {
            let mut done = Ok(());
            for RequestedWork { team, context, .. } in requested {
                done = done.and(this.work_aside(&context, team, WAIT).await);
            }
            done
        })
    }
}

impl fmt::Debug for Scribe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scribe").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Reports an error to the failure sink.
pub(super) fn failed(context: &HookContext, event: EventKind, error: &(dyn std::error::Error + 'static)) {
    context.environment.failures.record(context, event, &Reason::failure(NAME, error));
}
