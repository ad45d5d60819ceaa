//! The files of the demo: a temporary folder with a small git repository and its remote.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::process;
use crate::failure::Failure;

/// The initial files of the repository.
const FILES: [(&str, &str); 5] = [
    ("README.md", "# Greeter\n\nSays hello.\n"),
    ("src/greet.sh", "#!/bin/sh\necho \"hello\"\n"),
    ("docs/customers.md", "# Customers\n\n- Jane Doe, jane.doe@example.com\n- Ravi, ravi@mail.example.org\n"),
    ("build/greeter.tar", "not really an archive\n"),
    (".gitignore", "build/\n"),
];

/// The folders of the repository and of its remote, next to each other.
const REPOSITORY: &str = "repository";
const REMOTE: &str = "remote.git";

/// The temporary folder, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Workspace {
    folder: TempDir,
    repository: PathBuf,
    /// The first commit of the session.
    beginning: String,
}

impl Workspace {
    /// Creates the folder, the repository and its remote.
    pub(super) async fn create(config: Option<&str>) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        // The canonical path, so that resolved paths and allowed paths agree.
        let root = folder.path().canonicalize()?;
        let repository = root.join(REPOSITORY);
        for (path, content) in FILES {
            put(&repository.join(path), content)?;
        }
        if let Some(config) = config {
            put(&repository.join("hooks.yaml"), config)?;
        }
        let mut workspace = Self { folder, repository, beginning: String::new() };
        for command in [
            "init --quiet --initial-branch=main",
            "config user.name demo",
            "config user.email demo@localhost",
            &format!("init --quiet --bare ../{REMOTE}"),
            &format!("remote add origin ../{REMOTE}"),
            "add .",
            "commit --quiet --message=begin",
        ] {
            workspace.git(command).await?;
        }
        workspace.git("rev-parse HEAD").await?.trim().clone_into(&mut workspace.beginning);
        Ok(workspace)
    }

    /// Working directory of the agents.
    pub(super) fn repository(&self) -> &Path {
        &self.repository
    }

    /// The folder that the tools never leave.
    pub(super) fn folder(&self) -> &Path {
        self.repository.parent().unwrap_or_else(|| self.folder.path())
    }

    /// The changes in the repository since the session began, as `git diff --stat` prints them, one line per
    /// file.
    pub(super) async fn changes(&self) -> Result<String, Failure> {
        self.git("add --intent-to-add .").await?;
        self.git(&format!("diff --stat=72 {} --", self.beginning)).await
    }

    /// Names of the files next to the repository that the demo did not create.
    pub(super) fn strangers(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder())? {
            let name = entry?.file_name();
            if name != REPOSITORY && name != REMOTE {
                names.push(name.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Runs `git` with the arguments in `command`, and returns its output.
    pub(super) async fn git(&self, command: &str) -> Result<String, Failure> {
        let args: Vec<_> = command.split(' ').collect();
        let done = process::run("git", &args, &self.repository, self.folder()).await;
        match done {
            Ok(done) if done.error.is_none() => Ok(done.output),
            Ok(done) => Err(Failure::message(format!("`git {command}` failed: {}", done.output.trim()))),
            Err(error) => Err(Failure::message(format!(
                "the demo works in a git repository, and git cannot be started: {error}"
            ))),
        }
    }
}

fn put(path: &Path, content: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
