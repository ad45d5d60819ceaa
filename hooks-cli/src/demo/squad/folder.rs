//! The folder of a team, copied into a temporary repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::config::TeamRuleSections;
use hooks::team::{Snapshot, Team};
use tempfile::TempDir;

use crate::demo::process;
use crate::failure::Failure;
use crate::load;

/// Name of the team folder in the copy.
pub(super) const TEAM: &str = ".squad";
/// Name of the copy.
const REPOSITORY: &str = "repository";
/// Most files and bytes that are copied.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 64 << 20;

/// A copied team.
pub(super) struct CopiedTeam {
    folder: TempDir,
    root: PathBuf,
    pub(super) team: Team,
    pub(super) snapshot: Snapshot,
    /// Sections of the `hooks.yaml` beside the team folder.
    pub(super) sections: TeamRuleSections,
    has_config: bool,
    left_out: Vec<String>,
}

impl CopiedTeam {
    /// Copies the team folder `dir`, or the one in the project `dir`, with the state files of its pipelines.
    pub(super) async fn copy(dir: &Path) -> Result<Self, Failure> {
        let unreadable =
            |error: io::Error| Failure::message(format!("`{}` cannot be read: {error}", dir.display()));
        let dir = dir.canonicalize().map_err(unreadable)?;
        let (team, project) = places(&dir)?;
        let folder = tempfile::tempdir()?;
        // The canonical path, so that resolved paths and allowed paths agree.
        let root = folder.path().canonicalize()?.join(REPOSITORY);
        let config = project.join("hooks.yaml");
        let has_config = config.is_file();
        let sections = if has_config {
            load::on_trial(&config)?.team_rules().clone()
        } else {
            TeamRuleSections::default()
        };
        let mut copy = Copy::default();
        copy.tree(&team, &root.join(TEAM))?;
        let state = sections.phases.clone().unwrap_or_default().state;
        let above = state
            .split(['/', '\\'])
            .next()
            .filter(|first| !first.is_empty() && *first != "*" && *first != "..");
        if let Some(above) = above.filter(|above| project.join(above).is_dir()) {
            copy.tree(&project.join(above), &root.join(above))?;
        }
        begin(&root).await?;
        let team = Team::new(Arc::new(hooks::StdFileSystem), root.join(TEAM), &hooks::system());
        let snapshot = team.read();
        Ok(Self { folder, root, team, snapshot, sections, has_config, left_out: copy.left_out })
    }

    /// Returns the root of the copy.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that the tools never leave.
    pub(super) fn folder(&self) -> &Path {
        self.root.parent().unwrap_or_else(|| self.folder.path())
    }

    /// Describes what was found and what was left out.
    pub(super) fn described(&self) -> Vec<String> {
        let Snapshot { roster, agents, ceremonies, skills, .. } = &self.snapshot;
        let mut lines = vec![format!(
            "{} members, {} agents with a folder, {} ceremonies, {} skills",
            roster.members().len(),
            agents.len(),
            ceremonies.all().len(),
            skills.len(),
        )];
        lines.push(match self.has_config {
            true => "the team rules of `hooks.yaml` beside it".to_owned(),
            false => "no `hooks.yaml` beside it: each section has its defaults".to_owned(),
        });
        lines.extend(self.snapshot.problems.iter().map(|problem| format!("problem: {problem}")));
        lines.extend(self.left_out.iter().map(|what| format!("left out: {what}")));
        lines
    }

    /// Returns the agent whose calls no boundary of a charter limits: the coordinator of a session.
    pub(super) const fn coordinator() -> &'static str {
        "coordinator"
    }

    /// Returns the names of the agents with a folder.
    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        self.snapshot.agents.iter().map(|agent| agent.folder.as_str()).filter(|name| !name.starts_with('_'))
    }

    /// Names of the files next to the copy.
    pub(super) fn strangers(&self) -> io::Result<Vec<String>> {
        let names =
            fs::read_dir(self.folder())?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: Vec<String> = names.collect::<io::Result<_>>()?;
        Ok(names.into_iter().filter(|name| name != REPOSITORY).collect())
    }
}

/// Returns the team folder and its project.
fn places(dir: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let inner = dir.join(TEAM);
    if inner.is_dir() {
        return Ok((inner, dir.to_owned()));
    }
    let is_team = ["team.md", "decisions.md", "agents"].iter().any(|name| dir.join(name).exists());
    match dir.parent().filter(|_| is_team) {
        Some(parent) => Ok((dir.to_owned(), parent.to_owned())),
        None => Err(Failure::message(format!(
            "`{}` is not a team folder: it has neither `{TEAM}` nor `team.md`, `decisions.md` or `agents`",
            dir.display()
        ))),
    }
}

/// A copy with bounds.
#[derive(Default)]
struct Copy {
    files: usize,
    bytes: u64,
    left_out: Vec<String>,
}

impl Copy {
    /// Copies the regular files below a folder.
    fn tree(&mut self, from: &Path, to: &Path) -> Result<(), Failure> {
        let mut open = vec![(from.to_owned(), to.to_owned())];
        while let Some((from, to)) = open.pop() {
            fs::create_dir_all(&to)?;
            for entry in fs::read_dir(&from)? {
                let entry = entry?;
                let (kind, path, target) = (entry.file_type()?, entry.path(), to.join(entry.file_name()));
                // Ceremonies that are held, and locks.
                if entry.file_name() == ".hooks" || entry.file_name() == ".git" {
                    self.left_out.push(format!("`{}`", entry.file_name().to_string_lossy()));
                } else if kind.is_dir() {
                    open.push((path, target));
                } else if kind.is_file() {
                    self.files += 1;
                    self.bytes += fs::copy(&path, &target)?;
                } else {
                    self.left_out.push(format!("`{}`, which is a link", path.display()));
                }
                if self.files > MOST_FILES || self.bytes > MOST_BYTES {
                    let limit = format!("more than {MOST_FILES} files, or {} MiB", MOST_BYTES >> 20);
                    return Err(Failure::message(format!("`{}` has {limit}", from.display())));
                }
            }
        }
        Ok(())
    }
}

/// Makes the copy a repository.
async fn begin(root: &Path) -> Result<(), Failure> {
    for command in [
        "init --quiet --initial-branch=work",
        "config user.name demo",
        "config user.email demo@localhost",
        "commit --quiet --allow-empty --message=begin",
        "branch main",
    ] {
        let args: Vec<_> = command.split(' ').collect();
        let done = process::run("git", &args, root, root).await;
        let done = done.map_err(|error| Failure::message(format!("the demo needs git: {error}")))?;
        if let Some(error) = done.error {
            return Err(Failure::message(format!("`git {command}` failed: {error}\n{}", done.output.trim())));
        }
    }
    Ok(())
}
