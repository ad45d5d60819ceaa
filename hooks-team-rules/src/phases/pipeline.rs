//! A pipeline: a run of a team through its phases.

use std::path::{Path, PathBuf};

use hooks_core::HookContext;

use super::moment::Moment;

/// State of one pipeline, as a state file or the host gives it.
///
/// ```
/// use hooks_team_rules::phases::{Pipeline, PipelineStatus};
///
/// let pipeline = Pipeline::new("/repo/.specs/demo", "phase-1", PipelineStatus::Running);
/// assert!(pipeline.is_active());
/// ```
///
/// Customised: parallel tasks, and one session that the pipeline governs.
///
/// ```
/// use hooks_core::HookContext;
/// use hooks_team_rules::phases::{ParallelTasks, Pipeline, PipelineStatus};
///
/// let tasks = ParallelTasks { running: 2, ..ParallelTasks::default() };
/// let pipeline = Pipeline::new("/repo/.specs/demo", "build", PipelineStatus::Running);
/// let pipeline = pipeline.with_parallel_tasks(tasks).of_session("session-1");
/// assert!(pipeline.governs(&HookContext::new("session-1", "backend")));
/// assert!(!pipeline.governs(&HookContext::new("session-2", "backend")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pipeline {
    /// Folder of its artifacts.
    pub workspace: PathBuf,
    /// File that the state comes from.
    pub state_file: Option<PathBuf>,
    /// Name of the phase.
    pub phase: String,
    /// Status of the phase.
    pub status: PipelineStatus,
    /// Tasks that run in parallel.
    pub parallel: ParallelTasks,
    /// Session that is governed; `None` for all sessions in the project.
    pub session: Option<String>,
    /// Time of the last change.
    pub updated: Option<Moment>,
    /// Whether the state asks for a commit of a finished group.
    pub batch_commit_due: bool,
    /// Whether the run has no branch, and so no final commit.
    pub has_no_branch: bool,
    /// Artifacts that its workspace lacks.
    pub missing_artifacts: Vec<String>,
    /// Problem of a state that cannot be read.
    pub problem: Option<String>,
}

/// Status of a pipeline in its phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PipelineStatus {
    /// The phase has not begun.
    Pending,
    /// The phase is in progress.
    Running,
    /// A person has to decide.
    AwaitingPerson,
    /// The phase failed.
    Failed,
    /// The pipeline is completed.
    Completed,
    /// A person abandoned the pipeline.
    Abandoned,
    /// A status with another name.
    Other,
}

/// Tasks that run in parallel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParallelTasks {
    /// Number of tasks that are in progress.
    pub running: usize,
    /// Number of tasks that have not ended, and may not have begun.
    pub waiting: usize,
    /// Number of tasks that ended.
    pub ended: usize,
    /// Files of all tasks.
    pub files: Vec<String>,
}

impl Pipeline {
    /// Creates a pipeline, without tasks that run in parallel.
    ///
    /// ```
    /// use hooks_team_rules::phases::{Pipeline, PipelineStatus};
    ///
    /// let pipeline = Pipeline::new("/repo/.specs/demo", "phase-1", PipelineStatus::Running);
    /// assert!(pipeline.is_active() && !pipeline.runs_parallel_tasks());
    /// ```
    pub fn new(workspace: impl Into<PathBuf>, phase: impl Into<String>, status: PipelineStatus) -> Self {
        Self {
            workspace: workspace.into(),
            state_file: None,
            phase: phase.into(),
            status,
            parallel: ParallelTasks::default(),
            session: None,
            updated: None,
            batch_commit_due: false,
            has_no_branch: false,
            missing_artifacts: Vec::new(),
            problem: None,
        }
    }

    /// Creates a pipeline whose state cannot be read. It is active in every phase.
    pub(super) fn unreadable(workspace: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        let pipeline = Self::new(workspace, String::new(), PipelineStatus::Other);
        Self { problem: Some(problem.into()), ..pipeline }
    }

    /// Sets the tasks that run in parallel.
    #[must_use]
    pub fn with_parallel_tasks(mut self, tasks: ParallelTasks) -> Self {
        self.parallel = tasks;
        self
    }

    /// Restricts the pipeline to a session and its children.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_team_rules::phases::{Pipeline, PipelineStatus};
    ///
    /// let pipeline = Pipeline::new("/repo/run", "build", PipelineStatus::Running).of_session("s-1");
    /// assert!(pipeline.governs(&HookContext::new("s-1", "Backend")));
    /// assert!(!pipeline.governs(&HookContext::new("s-2", "Backend")));
    /// ```
    #[must_use]
    pub fn of_session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Returns whether the pipeline has neither been completed nor abandoned.
    ///
    /// ```
    /// use hooks_team_rules::phases::{Pipeline, PipelineStatus};
    ///
    /// let is_active = |status| Pipeline::new("/repo/run", "build", status).is_active();
    /// assert!(is_active(PipelineStatus::AwaitingPerson) && is_active(PipelineStatus::Failed));
    /// assert!(!is_active(PipelineStatus::Completed) && !is_active(PipelineStatus::Abandoned));
    /// ```
    pub fn is_active(&self) -> bool {
        !matches!(self.status, PipelineStatus::Completed | PipelineStatus::Abandoned)
    }

    /// Returns whether the pipeline governs the session of an event.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_team_rules::phases::{Pipeline, PipelineStatus};
    ///
    /// let pipeline = Pipeline::new("/repo/run", "build", PipelineStatus::Running).of_session("session-1");
    /// let mut child = HookContext::new("session-2", "tester");
    /// assert!(!pipeline.governs(&child));
    /// child.parent_session_id = Some("session-1".to_owned());
    /// assert!(pipeline.governs(&child));
    /// ```
    pub fn governs(&self, context: &HookContext) -> bool {
        self.session.as_ref().is_none_or(|session| {
            *session == context.session_id || context.parent_session_id.as_ref() == Some(session)
        })
    }

    /// Returns whether parallel tasks run now. While the phase is in progress, a task that has not ended counts.
    ///
    /// ```
    /// use hooks_team_rules::phases::{ParallelTasks, Pipeline, PipelineStatus};
    ///
    /// let waiting = ParallelTasks { waiting: 1, ..ParallelTasks::default() };
    /// let pipeline = |status| Pipeline::new("/repo/run", "build", status).with_parallel_tasks(waiting.clone());
    /// assert!(pipeline(PipelineStatus::Running).runs_parallel_tasks());
    /// assert!(!pipeline(PipelineStatus::Pending).runs_parallel_tasks());
    /// ```
    pub fn runs_parallel_tasks(&self) -> bool {
        let ParallelTasks { running, waiting, .. } = self.parallel;
        self.is_active() && (running > 0 || waiting > 0 && self.status == PipelineStatus::Running)
    }

    /// Name of the pipeline for messages: its workspace, below the root if it is there.
    pub(super) fn name(&self, root: &Path) -> String {
        self.workspace.strip_prefix(root).unwrap_or(&self.workspace).to_string_lossy().into_owned()
    }
}

impl PipelineStatus {
    /// Name for messages.
    ///
    /// ```
    /// use hooks_team_rules::phases::PipelineStatus;
    ///
    /// assert_eq!(PipelineStatus::Running.name(), "in progress");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "in progress",
            Self::AwaitingPerson => "awaiting a person",
            Self::Failed => "failed",
            Self::Completed => "completed",
            Self::Abandoned => "abandoned",
            Self::Other => "in an unknown status",
        }
    }

    /// Reads the word of a state file.
    pub(super) fn of_word(word: &str) -> Self {
        match word.trim() {
            "pending" => Self::Pending,
            "in_progress" | "active" | "running" => Self::Running,
            "awaiting_human" | "awaiting_person" => Self::AwaitingPerson,
            "failed" => Self::Failed,
            "completed" => Self::Completed,
            "abandoned" => Self::Abandoned,
            _ => Self::Other,
        }
    }
}
