//! The phases that govern: from state files, or from the host.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::fs::Disk;
use hooks_core::{HookContext, PolicyErrors};

use super::config::PhasesConfig;
use super::effect::{PhaseEffect, PhaseEffects};
use super::pipeline::{Pipeline, PipelineStatus};
use super::state_files::StateFiles;

/// Most projects whose phases are remembered.
const MOST_PROJECTS: usize = 1024;

/// The phases that govern. Policies read them; a host sets them, or [`ReadPhases`](super::ReadPhases) reads them
/// from state files before each call. Clones share them.
///
/// A host that drives a pipeline itself:
///
/// ```
/// use hooks_team_rules::phases::{ParallelTasks, PhaseEffect, Phases, PhasesConfig, Pipeline, PipelineStatus};
///
/// let phases = Phases::of_host(&PhasesConfig::default());
/// let build = Pipeline::new("/repo/.specs/demo", "phase-5", PipelineStatus::Running);
/// let tasks = |running, ended| ParallelTasks { running, ended, ..ParallelTasks::default() };
/// phases.set(build.clone().with_parallel_tasks(tasks(2, 0)));
/// phases.set(build.with_parallel_tasks(tasks(0, 2)));
/// assert!(matches!(phases.effects().drain()[..], [PhaseEffect::BatchCommit { .. }]));
/// ```
///
/// Customised: phases from state files, which are read again before each call.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::HookContext;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team_rules::phases::{Phases, PhasesConfig};
///
/// let state = r#"{"phase": "analyse", "status": "running"}"#;
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/run/state.json", state));
/// let config = PhasesConfig { state: "run/state.json".into(), ..PhasesConfig::default() };
/// let phases = Phases::of_files(&config, disk)?;
///
/// let context = HookContext::new("session-1", "backend").in_dir("/repo");
/// assert!(phases.pipelines(&context).is_none()); // not read yet
/// phases.refresh(&context);
/// assert_eq!(phases.pipelines(&context).expect("they were read")[0].phase, "analyse");
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone)]
pub struct Phases(Arc<Shared>);

struct Shared {
    source: Source,
    final_files: Vec<PathBuf>,
    artifacts: Vec<String>,
    seen: Mutex<Seen>,
    effects: PhaseEffects,
}

enum Source {
    Host,
    Files { disk: Arc<dyn Disk>, files: StateFiles },
}

#[derive(Default)]
struct Seen {
    /// Pipelines by the root of their project; those of a host have no root.
    by_root: HashMap<PathBuf, Arc<[Pipeline]>>,
    order: VecDeque<PathBuf>,
}

impl Phases {
    /// Creates phases that a host sets.
    pub fn of_host(config: &PhasesConfig) -> Self {
        Self::new(config, Source::Host, PhaseEffects::default())
    }

    /// Creates phases that are read from the state files of `config`.
    ///
    /// # Errors
    /// Returns an error if `state` is not a path below the root with at most one `*`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_team_rules::phases::{Phases, PhasesConfig};
    ///
    /// let config = PhasesConfig { state: "runs/*/*/state.json".into(), ..PhasesConfig::default() };
    /// assert!(Phases::of_files(&config, Arc::new(FakeDisk::default())).is_err()); // more than one `*`
    /// ```
    pub fn of_files(config: &PhasesConfig, disk: Arc<dyn Disk>) -> Result<Self, PolicyErrors> {
        Self::of_files_with(config, disk, PhaseEffects::default())
    }

    /// Creates phases that are read from state files, and adds to `effects`.
    pub(super) fn of_files_with(
        config: &PhasesConfig,
        disk: Arc<dyn Disk>,
        effects: PhaseEffects,
    ) -> Result<Self, PolicyErrors> {
        match StateFiles::parse(&config.state) {
            Ok(files) => Ok(Self::new(config, Source::Files { disk, files }, effects)),
            Err((problem, hint)) => {
                let mut errors = PolicyErrors::default();
                errors.push("phases.state", problem, hint);
                Err(errors)
            }
        }
    }

    fn new(config: &PhasesConfig, source: Source, effects: PhaseEffects) -> Self {
        Self(Arc::new(Shared {
            source,
            final_files: config.final_files.iter().map(PathBuf::from).collect(),
            artifacts: config.artifacts.clone(),
            seen: Mutex::default(),
            effects,
        }))
    }

    /// Returns the effects that the host has to carry out.
    pub fn effects(&self) -> &PhaseEffects {
        &self.0.effects
    }

    /// Sets a pipeline; one with the same workspace is replaced. State files replace it when they are read again.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_team_rules::phases::{Phases, PhasesConfig, Pipeline, PipelineStatus};
    ///
    /// let phases = Phases::of_host(&PhasesConfig::default());
    /// phases.set(Pipeline::new("/repo/run", "plan", PipelineStatus::Running));
    /// phases.set(Pipeline::new("/repo/run", "build", PipelineStatus::Running));
    /// let pipelines = phases.pipelines(&HookContext::new("session-1", "lead")).expect("the host set them");
    /// assert_eq!(pipelines.len(), 1);
    /// assert_eq!(pipelines[0].phase, "build");
    /// ```
    pub fn set(&self, pipeline: Pipeline) {
        let mut seen = self.seen();
        let known = seen.pipelines(Path::new(""));
        let mut pipelines: Vec<_> = known.iter().flat_map(|known| known.iter().cloned()).collect();
        pipelines.retain(|known| known.workspace != pipeline.workspace);
        pipelines.push(pipeline);
        self.replace(&mut seen, PathBuf::new(), pipelines);
    }

    /// Abandons a pipeline that the host set, in the name of a person. Returns whether it was active.
    ///
    /// ```
    /// use std::path::Path;
    /// use hooks_team_rules::phases::{Phases, PhasesConfig, Pipeline, PipelineStatus};
    ///
    /// let phases = Phases::of_host(&PhasesConfig::default());
    /// phases.set(Pipeline::new("/repo/run", "build", PipelineStatus::Running));
    /// assert!(phases.abandon(Path::new("/repo/run")));
    /// assert!(!phases.abandon(Path::new("/repo/run"))); // it is not active any more
    /// ```
    pub fn abandon(&self, workspace: &Path) -> bool {
        let mut seen = self.seen();
        let known = seen.pipelines(Path::new(""));
        let mut pipelines: Vec<_> = known.iter().flat_map(|known| known.iter().cloned()).collect();
        let found = pipelines.iter_mut().find(|known| known.workspace == workspace && known.is_active());
        let was_active = found.map(|pipeline| pipeline.status = PipelineStatus::Abandoned).is_some();
        self.replace(&mut seen, PathBuf::new(), pipelines);
        was_active
    }

    /// Reads the state files of the project of `context`. Phases of a host do not change.
    pub fn refresh(&self, context: &HookContext) {
        let Source::Files { disk, files } = &self.0.source else { return };
        let root = context.root();
        let mut pipelines = files.read(&**disk, root);
        self.look_for_artifacts(&**disk, &mut pipelines);
        self.replace(&mut self.seen(), root.to_owned(), pipelines);
    }

    /// Returns the pipelines of the project of `context`, active or not; `None` if they have not been read.
    pub fn pipelines(&self, context: &HookContext) -> Option<Arc<[Pipeline]>> {
        let seen = self.seen();
        match self.0.source {
            Source::Host => Some(seen.pipelines(Path::new("")).unwrap_or_default()),
            Source::Files { .. } => seen.pipelines(context.root()),
        }
    }

    pub(super) fn state_files(&self) -> Option<&StateFiles> {
        match &self.0.source {
            Source::Host => None,
            Source::Files { files, .. } => Some(files),
        }
    }

    /// Returns the files of the final commit of a pipeline.
    pub(super) fn final_commit(&self, pipeline: &Pipeline) -> PhaseEffect {
        let files = self.0.final_files.iter().map(|file| pipeline.workspace.join(file));
        let files = files.chain(pipeline.state_file.clone()).collect();
        PhaseEffect::FinalCommit { workspace: pipeline.workspace.clone(), files }
    }

    /// Only the newest completed pipeline is looked at, so that old ones never keep an agent from stopping.
    fn look_for_artifacts(&self, disk: &dyn Disk, pipelines: &mut [Pipeline]) {
        let completed = pipelines.iter_mut().filter(|pipeline| pipeline.status == PipelineStatus::Completed);
        if let Some(newest) = completed.max_by_key(|pipeline| pipeline.updated) {
            let exists = |name: &String| matches!(disk.entry(&newest.workspace.join(name)), Ok(Some(_)));
            newest.missing_artifacts =
                self.0.artifacts.iter().filter(|name| !exists(name)).cloned().collect();
        }
    }

    fn replace(&self, seen: &mut Seen, root: PathBuf, pipelines: Vec<Pipeline>) {
        let before = seen.pipelines(&root);
        for pipeline in &pipelines {
            let known = before.iter().flat_map(|known| known.iter());
            let known = known.into_iter().find(|known| known.workspace == pipeline.workspace);
            self.announce(known, pipeline);
        }
        seen.put(root, pipelines.into());
    }

    /// Adds the effects of a change.
    fn announce(&self, before: Option<&Pipeline>, now: &Pipeline) {
        let ended = now.parallel.ended > 0 && !now.runs_parallel_tasks();
        let was_running = before.is_some_and(Pipeline::runs_parallel_tasks);
        let is_new_wish = now.batch_commit_due && !before.is_some_and(|before| before.batch_commit_due);
        if ended && (was_running || is_new_wish && now.is_active()) {
            let files = now.parallel.files.clone();
            self.0.effects.push(PhaseEffect::BatchCommit { workspace: now.workspace.clone(), files });
        }
        let is_completed = |pipeline: &Pipeline| pipeline.status == PipelineStatus::Completed;
        if is_completed(now) && !now.has_no_branch && before.is_some_and(|before| !is_completed(before)) {
            self.0.effects.push(self.final_commit(now));
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn pipelines(&self, root: &Path) -> Option<Arc<[Pipeline]>> {
        self.by_root.get(root).map(Arc::clone)
    }

    fn put(&mut self, root: PathBuf, pipelines: Arc<[Pipeline]>) {
        if self.by_root.insert(root.clone(), pipelines).is_some() {
            return;
        }
        self.order.push_back(root);
        if self.order.len() > MOST_PROJECTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_root.remove(&oldest);
        }
    }
}

impl fmt::Debug for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Phases").finish_non_exhaustive()
    }
}
