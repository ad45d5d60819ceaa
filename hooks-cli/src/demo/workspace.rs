//! The place where the demo happens: a temporary folder with a small git repository and the remote it pushes to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::process;
use crate::failure::Failure;

/// What stands in the repository at first.
const FILES: [(&str, &str); 5] = [
    ("README.md", "# Greeter\n\nSays hello.\n"),
    ("src/greet.sh", "#!/bin/sh\necho \"hello\"\n"),
    ("docs/customers.md", "# Customers\n\n- Jane Doe, jane.doe@example.com\n- Ravi, ravi@mail.example.org\n"),
    ("build/greeter.tar", "not really an archive\n"),
    (".gitignore", "build/\n"),
];

/// The repository's folder and its remote's, beside each other.
const REPOSITORY: &str = "repository";
const REMOTE: &str = "remote.git";

/// The folder; removed when this is dropped.
#[derive(Debug)]
pub(super) struct Workspace {
    folder: TempDir,
    repository: PathBuf,
    /// The commit that the session begins with.
    beginning: String,
}

impl Workspace {
    /// Makes it.
    pub(super) async fn create(config: Option<&str>) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        // The name that the system goes by, so that what is resolved and what is allowed agree.
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

    /// Where the agents work.
    pub(super) fn repository(&self) -> &Path {
        &self.repository
    }

    /// What the tools never leave.
    pub(super) fn folder(&self) -> &Path {
        self.repository.parent().unwrap_or_else(|| self.folder.path())
    }

    /// What changed in the repository since the session began, as git has it, one line per file.
    pub(super) async fn changes(&self) -> Result<String, Failure> {
        self.git("add --intent-to-add .").await?;
        self.git(&format!("diff --stat=72 {} --", self.beginning)).await
    }

    /// What stands beside the repository and was not put there by the demo, by name.
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

    /// What `git` says to `command`.
    pub(super) async fn git(&self, command: &str) -> Result<String, Failure> {
        let args: Vec<_> = command.split(' ').collect();
        let done = process::run("git", &args, &self.repository, self.folder()).await;
        match done {
            Ok(done) if done.error.is_none() => Ok(done.output),
            Ok(done) => Err(Failure::said(format!("`git {command}` failed: {}", done.output.trim()))),
            Err(error) => Err(Failure::said(format!(
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
