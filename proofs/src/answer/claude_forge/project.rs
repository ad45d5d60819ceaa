//! The folder of a vector: its files, its repository, its input.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hooks_core::HookContext;
use hooks_team_rules::phases::forge::CommitResult;
use serde_json::Value;
use tempfile::TempDir;

use crate::answer::question;
use xtask::process::Program;

/// Placeholder for the folder in a vector.
const PLACEHOLDER: &str = "{{PROJECT}}";

/// A project with the files of a vector.
pub(super) struct Project {
    /// Removes the folder at the end.
    _folder: TempDir,
    path: PathBuf,
    /// Value of `CLAUDE_PROJECT_DIR`.
    variable: Option<String>,
    has_git: bool,
}

impl Project {
    /// Creates the folder, with its files and, if the vector has one, its repository.
    pub(super) fn create(vector: &Value) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().canonicalize()?;
        let variable = vector.pointer("/env/CLAUDE_PROJECT_DIR").and_then(Value::as_str).map(str::to_owned);
        let git = vector.get("git");
        let project = Self { _folder: folder, path, variable: None, has_git: git.is_some() };
        for file in question::list(vector, "files") {
            let target = project.path.join(question::text(file, "path"));
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            let content = match file.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => question::field(file, "json").to_string(),
            };
            fs::write(target, project.enter(&content))?;
        }
        if let Some(git) = git {
            project.git(&["init", "-q", "-b", "feature/demo"])?;
            for path in question::texts(git, "commit") {
                project.git(&["add", "-f", &path])?;
            }
            project.git(&["commit", "-q", "--allow-empty", "-m", "base"])?;
        }
        let variable = variable.map(|variable| project.enter(&variable));
        Ok(Self { variable, ..project })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    pub(super) fn has_git(&self) -> bool {
        self.has_git
    }

    /// The text that the hook of a vector reads.
    pub(super) fn input(&self, vector: &Value) -> String {
        let text = match vector.get("stdin").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => question::field(vector, "input").to_string(),
        };
        let text = self.enter(&text);
        let Some(pad) = vector.get("pad") else { return text };
        let times = question::field(pad, "times").as_u64().and_then(|times| usize::try_from(times).ok());
        text.replace(
            question::text(pad, "placeholder"),
            &question::text(pad, "text").repeat(times.unwrap_or(0)),
        )
    }

    /// The context of an event in the project.
    pub(super) fn context(&self, session: &str) -> HookContext {
        let mut context =
            HookContext::new(session, "agent").in_dir(&self.path).with_environment(hooks::system());
        context.team_root = self.variable().filter(|root| !root.is_empty()).map(PathBuf::from);
        context
    }

    /// Puts the placeholder back into an answer.
    pub(super) fn leave(&self, answer: &Value) -> Value {
        let path = self.path.to_string_lossy().into_owned();
        match answer {
            Value::String(text) => text.replace(&path, PLACEHOLDER).into(),
            Value::Array(items) => items.iter().map(|item| self.leave(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), self.leave(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// Adds files to the last commit and pushes it, as the host of a pipeline does.
    pub(super) fn commit(&self, files: &[PathBuf]) -> CommitResult {
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        let with_files = |words: &[&'static str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).chain(files.iter().cloned()).collect()
        };
        let run = |words: Vec<String>| self.git(&words.iter().map(String::as_str).collect::<Vec<_>>());
        if run(with_files(&["status", "--porcelain"])).unwrap_or_default().is_empty()
            || run(with_files(&["add"])).is_err()
        {
            return CommitResult::Nothing;
        }
        if self.git(&["commit", "--amend", "--no-edit"]).is_err() {
            return CommitResult::NotAmended;
        }
        CommitResult::Amended(
            self.git(&["push", "--force-with-lease"]).unwrap_or_else(|error| error.to_string()),
        )
    }

    /// Files of the last commit.
    pub(super) fn committed_files(&self) -> Vec<String> {
        let listed = self.git(&["ls-tree", "-r", "--name-only", "HEAD"]).unwrap_or_default();
        listed.lines().map(str::to_owned).collect()
    }

    /// Runs git in the project.
    ///
    /// # Errors
    /// Returns an error with the text that git printed if it does not succeed.
    fn git(&self, words: &[&str]) -> io::Result<String> {
        let path = self.path.to_string_lossy();
        let mut program = Program::new("git", ["-C", &*path].into_iter().chain(words.iter().copied()));
        for (name, value) in [
            ("HOME", &*path),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "host"),
            ("GIT_AUTHOR_EMAIL", "host@host.example"),
            ("GIT_COMMITTER_NAME", "host"),
            ("GIT_COMMITTER_EMAIL", "host@host.example"),
        ] {
            program = program.with_variable(name, value);
        }
        let output = program.answer(b"").map_err(|error| io::Error::other(error.to_string()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            Ok(text(&output.stdout) + &text(&output.stderr))
        } else {
            Err(io::Error::other(text(&output.stderr)))
        }
    }

    fn enter(&self, text: &str) -> String {
        text.replace(PLACEHOLDER, &self.path.to_string_lossy())
    }
}
