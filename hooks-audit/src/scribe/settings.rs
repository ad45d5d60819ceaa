//! The Scribe, and what it keeps to.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use hooks_core::event::{
    PostToolUse, PreToolUse, SessionEnd, SessionStart, SubagentStart, SubagentStop, ToolDecided,
};
use hooks_core::time::Timer;
use hooks_core::{
    BoxError, Close, EventKind, FailureLayer, HookContext, HookFuture, HooksBuilder, Reason, Settle,
};
use hooks_facts::tools::ToolTable;
use hooks_team::beside::{Workers, offload, offload_then};
use hooks_team::{Team, TeamPlace};
use tower_layer::Layer;

use super::ScribeLayer;
use super::call::random;
use super::note::{Note, What, short};
use super::open::OpenCalls;
use super::work::{Pen, leave, work};

/// The name it goes by in reports.
pub(super) const NAME: &str = "scribe";

/// How often the inbox is looked at again for what did not settle. Beyond that, the next event does.
const LOOKS: u32 = 8;

/// How long another one's work is waited for where no agent waits.
pub(super) const WAIT: Duration = Duration::from_secs(30);

/// How long another one's work is waited for where an agent does: what is noted by then is left to that one.
pub(super) const MOMENT: Duration = Duration::from_secs(1);

/// What the Scribe keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScribeSettings {
    /// So long after a note the work begins, for all that is noted meanwhile; 500 ms unless told.
    pub pause: Duration,
    /// A file of the inbox that no call is known to have written is merged once it did not change for so long; 2 s
    /// unless told.
    pub settle: Duration,
    /// So long after it began, a call whose end nobody told is given up; an hour unless told.
    pub given_up_after: Duration,
    /// The start of a child waits so long for others who write in the folder; 2 s unless told.
    pub spawn_wait: Duration,
    /// Above so many bytes of `decisions.md`, entries older than `older_than` are put away; 20,480 unless told, never
    /// where it is 0.
    pub decisions_above: u64,
    /// How old they are then; 30 days unless told.
    pub older_than: Duration,
    /// Above so many bytes, those older than `then_older_than` go too; 51,200 unless told, never where it is 0.
    pub decisions_far_above: u64,
    /// How old they are then; 7 days unless told.
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

/// What a text is without its secrets, where it has any.
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
    /// Tells when a pause is over; without one, the work is done at once.
    timer: Option<Arc<dyn Timer>>,
    /// How long an answer waits for work that is done at once.
    limit: Option<Limit>,
    /// Folders where work is under way or due.
    asked: Mutex<HashMap<PathBuf, Asked>>,
    /// Calls without ids that began here.
    open: Mutex<OpenCalls>,
}

/// Work that was asked for and is not done.
struct Asked {
    team: Team,
    context: Arc<HookContext>,
    /// Whether it was asked for again since it began.
    again: bool,
}

impl Scribe {
    /// A Scribe for `teams`, whose disk `workers` wait for; `timer` tells when a pause is over.
    pub fn new(teams: impl Into<TeamPlace>, workers: impl Workers + 'static, timer: Arc<dyn Timer>) -> Self {
        Self::of(teams.into(), Arc::new(workers), Some(timer))
    }

    /// A Scribe that does all the work before an event is answered: for processes that end with their answer.
    pub fn at_once(teams: impl Into<TeamPlace>, workers: impl Workers + 'static) -> Self {
        Self::of(teams.into(), Arc::new(workers), None)
    }

    fn of(teams: TeamPlace, workers: Arc<dyn Workers>, timer: Option<Arc<dyn Timer>>) -> Self {
        Self(Arc::new(Shared {
            teams,
            workers,
            settings: ScribeSettings::default(),
            tools: ToolTable::default(),
            scrub: None,
            timer,
            limit: None,
            asked: Mutex::default(),
            open: Mutex::default(),
        }))
    }

    /// Sets what it keeps to. Clones made before keep what they had.
    #[must_use]
    pub fn with(self, settings: ScribeSettings) -> Self {
        self.changed(|shared| shared.settings = settings)
    }

    /// Has no answer wait longer than `limit` for work that is done at once, as `timer` tells; `workers` do it meanwhile.
    /// What is late goes on as long as the process does, and is finished by the next one. Notes are waited for.
    #[must_use]
    pub fn within(self, limit: Duration, timer: Arc<dyn Timer>, workers: impl Workers + 'static) -> Self {
        let workers = Arc::new(workers);
        self.changed(|shared| shared.limit = Some(Limit { after: limit, timer, workers }))
    }

    /// Sets which tools write and run commands.
    #[must_use]
    pub fn knowing(self, tools: ToolTable) -> Self {
        self.changed(|shared| shared.tools = tools)
    }

    /// Takes secrets out of all that it writes: `scrub` gives a text without them, where it has any. The folder is
    /// committed, and what a child is asked to do may hold what nobody should read there.
    #[must_use]
    pub fn scrubbed_by(self, scrub: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.changed(|shared| shared.scrub = Some(Arc::new(scrub)))
    }

    /// Adds it to the hooks of all events it is for.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = ScribeLayer::new(self.clone());
        // Nobody is kept from work because somebody could not write it down here.
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

    /// Works up all that was noted, now; whether something has to settle before it is merged. This waits for the disk.
    ///
    /// # Errors
    /// There is no team, or its folder cannot be read or written. What was begun is finished by the next one.
    pub fn work(&self, context: &HookContext) -> Result<bool, BoxError> {
        let team = self.0.teams.team(context).ok_or("there is no team folder")?;
        Ok(work(&team, &self.pen(), context, WAIT)?)
    }

    pub(super) fn settings(&self) -> &ScribeSettings {
        &self.0.settings
    }

    /// What it works with.
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

    /// Notes that `whom` will be told of a file. This waits for the disk.
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

    /// Leaves a note in the folder of `team`. This waits for the disk.
    pub(super) fn leave(&self, team: &Team, note: &Note) -> Result<(), BoxError> {
        Ok(leave(team, note)?)
    }

    /// Has the work done: at once, to be waited for, where there is no timer; else soon, and nobody waits.
    pub(super) fn stir(
        &self,
        context: &Arc<HookContext>,
        team: Team,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let Some(timer) = self.0.timer.clone() else { return self.work_aside(context, team, Duration::ZERO) };
        // Whoever works already hears of it; there is one at most.
        let asked = Asked { team: team.clone(), context: Arc::clone(context), again: true };
        if self.asked().insert(team.root().to_owned(), asked).is_some() {
            return HookFuture::now(Ok(()));
        }
        let (this, context) = (self.clone(), Arc::clone(context));
        match context.environment.background.clone() {
            Some(background) => background.run(HookFuture::later(this.work_soon(context, team, timer))),
            None => {
                self.asked().remove(team.root());
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

    /// Has the work done, to be waited for as long as there is time; so does whoever works already, as long as `wait`.
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

    /// Works after a pause, and again as long as somebody asks for it or something has to settle.
    async fn work_soon(self, context: Arc<HookContext>, team: Team, timer: Arc<dyn Timer>) {
        let (mut pause, mut looks) = (self.0.settings.pause, 0);
        loop {
            timer.sleep(pause).await;
            // What is asked for from here on may be too late for this time.
            match self.asked().get_mut(team.root()) {
                Some(asked) => asked.again = false,
                // Done when this was closed.
                None => return,
            }
            let (pen, folder, theirs) = (self.pen(), team.clone(), Arc::clone(&context));
            let worked = offload(self.workers(), move || Ok(work(&folder, &pen, &theirs, Duration::ZERO)?));
            let waits = worked.await.unwrap_or_else(|error| {
                failed(&context, EventKind::PostToolUse, &*error);
                false
            });
            looks += 1;
            let mut asked = self.asked();
            if asked.get(team.root()).is_some_and(|asked| asked.again) {
                (pause, looks) = (self.0.settings.pause, 0);
            } else if waits && looks < LOOKS {
                pause = self.0.settings.settle.max(self.0.settings.pause);
            } else {
                asked.remove(team.root());
                return;
            }
        }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<PathBuf, Asked>> {
        self.0.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(self, change: impl FnOnce(&mut Shared)) -> Self {
        let Shared { teams, workers, settings, tools, scrub, timer, limit, .. } = &*self.0;
        let (asked, open) = (Mutex::default(), Mutex::default());
        let mut shared = Shared {
            teams: teams.clone(),
            workers: Arc::clone(workers),
            settings: *settings,
            tools: tools.clone(),
            scrub: scrub.clone(),
            timer: timer.clone(),
            limit: limit.clone(),
            asked,
            open,
        };
        change(&mut shared);
        Self(Arc::new(shared))
    }
}

/// How long an answer waits, and who works meanwhile.
#[derive(Clone)]
struct Limit {
    after: Duration,
    timer: Arc<dyn Timer>,
    workers: Arc<dyn Workers>,
}

impl Limit {
    /// What comes of `work`; an error where it is late. What is done already waits for nobody.
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

    /// Does the work that was asked for, without its pause. What has to settle first is left to the next one.
    fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
        let asked: Vec<_> = self.asked().drain().map(|(_, asked)| asked).collect();
        if asked.is_empty() {
            return HookFuture::now(Ok(()));
        }
        let this = self.clone();
        HookFuture::later(async move {
            let mut done = Ok(());
            for Asked { team, context, .. } in asked {
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

/// Tells the failure sink.
pub(super) fn failed(context: &HookContext, event: EventKind, error: &(dyn std::error::Error + 'static)) {
    context.environment.failures.record(context, event, &Reason::failure(NAME, error));
}
