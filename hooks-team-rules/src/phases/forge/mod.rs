//! The profile `claude-forge-compat`: the hooks of claude-forge 2.19 (MIT licence, copyright 2026 HirokiYasui), with
//! their exit status, their messages, and their faults.
//!
//! The scripts match commands as text, by the lines of `grep` and `sed`, and compare times as text. They let a call
//! pass if a file cannot be read. This profile alone does the same: it is exempt from laws 2 to 4, by name. Use the
//! strict policies of [`phases`](crate::phases) for anything but a comparison or a move.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::FakeDisk;
//! use hooks_team_rules::phases::forge::{Forge, ForgeScript};
//!
//! let state = r#"{"currentPhase":"phase-1","currentPhaseStatus":"in_progress"}"#;
//! let disk = FakeDisk::default().with_file("/repo/.specs/demo/state.json", state);
//! let forge = Forge::new(Arc::new(disk), "/repo");
//!
//! let input = r#"{"tool_name":"Edit","tool_input":{"file_path":"/repo/src/lib.rs"}}"#;
//! let answer = forge.run(ForgeScript::PreTool, input);
//! assert_eq!(answer.exit, 2);
//! assert!(answer.stderr.starts_with("Phase 1-2 is read-only."));
//! ```
//!
//! Customised: the variable `CLAUDE_PROJECT_DIR` names another folder, and a path is compared with its text.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::FakeDisk;
//! use hooks_team_rules::phases::forge::{Forge, ForgeScript};
//!
//! let state = r#"{"currentPhase":"phase-1","currentPhaseStatus":"in_progress"}"#;
//! let disk = FakeDisk::default().with_file("/repo/.specs/demo/state.json", state);
//! let forge = Forge::new(Arc::new(disk), "/elsewhere").in_project("/repo/");
//!
//! let input = r#"{"tool_name":"Write","tool_input":{"file_path":"/repo/.specs/demo/notes.md"}}"#;
//! assert_eq!(forge.run(ForgeScript::PreTool, input).exit, 2); // the text begins with `/repo//.specs`, not `/repo/.specs`
//! ```

mod jq;
mod layer;
mod scripts;
mod search;
mod text;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::Disk;

pub use self::layer::{ForgeCompat, ForgeCompatLayer};

/// One of the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForgeScript {
    /// Before a tool: `pre-tool-hook.sh`.
    PreTool,
    /// After the tool `Agent`: `post-agent-hook.sh`.
    PostAgent,
    /// After the tool `Bash`: `post-bash-hook.sh`.
    PostBash,
    /// Before the agent stops: `stop-hook.sh`.
    Stop,
}

/// Answer of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptAnswer {
    /// Exit status: 0 lets the action go on, 2 stops it.
    pub exit: i32,
    /// Text for the model if the action is stopped.
    pub stderr: String,
    /// Output, which is JSON or empty.
    pub stdout: String,
    /// Commit that the script makes before it answers; the host makes it and asks for the
    /// [answer](ForgeCommit::answer).
    pub commit: Option<ForgeCommit>,
}

/// Files that a script adds to the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForgeCommit {
    /// Folder in which git runs.
    pub folder: PathBuf,
    /// Files, as the script names them.
    pub files: [String; 2],
}

/// Result of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommitResult {
    /// Nothing had changed, or the files could not be added.
    Nothing,
    /// The last commit could not be amended.
    NotAmended,
    /// The last commit was amended; the text is what `git push --force-with-lease` printed.
    Amended(String),
}

/// The scripts, in a project. Cheap to clone.
#[derive(Clone)]
pub struct Forge {
    disk: Arc<dyn Disk>,
    cwd: PathBuf,
    project: Option<String>,
}

impl Forge {
    /// Runs the scripts in the folder `cwd`, without `CLAUDE_PROJECT_DIR`.
    pub fn new(disk: Arc<dyn Disk>, cwd: impl Into<PathBuf>) -> Self {
        Self { disk, cwd: cwd.into(), project: None }
    }

    /// Sets `CLAUDE_PROJECT_DIR`.
    #[must_use]
    pub fn in_project(mut self, folder: impl Into<String>) -> Self {
        self.project = Some(folder.into());
        self
    }

    /// Answers `input`, which is the text that a script reads.
    pub fn run(&self, script: ForgeScript, input: &str) -> ScriptAnswer {
        let folder = self.project.as_deref().filter(|folder| !folder.is_empty()).unwrap_or(".");
        let project = search::Project { disk: &*self.disk, cwd: &self.cwd, folder };
        let input = input.trim_end_matches('\n');
        match script {
            ForgeScript::PreTool => scripts::pre_tool(&project, input),
            ForgeScript::PostAgent => scripts::post_agent(&project, input),
            ForgeScript::PostBash => scripts::post_bash(&project, input),
            ForgeScript::Stop => scripts::stop(&project),
        }
    }
}

impl ForgeCommit {
    /// Returns the answer of the script after its commit.
    ///
    /// ```
    /// use hooks_team_rules::phases::forge::{CommitResult, ForgeCommit};
    ///
    /// let answer = ForgeCommit::answer(&CommitResult::Amended("fatal: no remote".to_owned()));
    /// assert!(answer.stdout.contains("pipeline finalized")); // the script looks for three other words
    /// ```
    pub fn answer(result: &CommitResult) -> ScriptAnswer {
        scripts::committed(result)
    }
}

impl fmt::Debug for Forge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forge")
            .field("cwd", &self.cwd)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}
