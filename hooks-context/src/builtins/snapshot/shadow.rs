//! A separate repository whose work tree is the user's.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::fs::DiskLock;
use hooks_core::time::{Tick, Timestamp};
use hooks_team::Digest;

use crate::builtins::World;
use crate::builtins::files::make_folders;
use crate::builtins::git::Git;

/// Time limit of one step if the caller set no budget; a large work tree takes long.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most bytes of git's output; commands of this module print lists of names.
const LONGEST: usize = 16 << 20;

/// Snapshots of one working copy.
#[derive(Debug)]
pub struct Shadow<'a> {
    world: &'a World,
    work_tree: PathBuf,
    folder: PathBuf,
    /// The user's own ignore file, which applies in addition to those of the work tree.
    excludes: PathBuf,
    /// Moment at which all steps have to be finished, if the caller set a budget.
    until: Option<Tick>,
}

/// A snapshot of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Id of the snapshot.
    pub id: String,
    /// Time of the snapshot, in whole seconds.
    pub taken: Timestamp,
    /// Occasion of the snapshot, such as the name of the event.
    pub label: String,
}

/// Changes made by a restore.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// Files that changed, relative to the root of the working copy.
    pub files: Vec<String>,
    /// Id of the snapshot of the files before the restore, with which the restore can be undone.
    pub before: String,
}

/// Error of taking, listing or restoring a snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Git failed, is missing, or took too long.
    #[error("`git {step}` did not succeed; see whether git is installed and the files can be read")]
    Git {
        /// Name of the git command.
        step: String,
    },
    /// The store cannot be written.
    #[error("the store of snapshots cannot be written: {0}")]
    Store(#[from] io::Error),
    /// No snapshot has this id.
    #[error("there is no snapshot `{id}`; list them first")]
    Unknown {
        /// The requested id.
        id: String,
    },
}

impl<'a> Shadow<'a> {
    /// Opens the snapshots of the working copy that contains `directory`. Returns `None` if it is in no
    /// working copy.
    ///
    /// # Errors
    /// Returns `Store` if the store cannot be written; `Git` if git cannot create a repository there.
    ///
    /// Without git, or outside of a repository, there is nothing to keep:
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_context::builtins::World;
    /// use hooks_context::builtins::snapshot::Shadow;
    /// use hooks_core::programs::{Finished, Program, Programs};
    /// use hooks_core::testing::{FakeClock, FakeDisk};
    ///
    /// struct NoGit;
    ///
    /// impl Programs for NoGit {
    ///     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
    ///         Err(std::io::ErrorKind::NotFound.into())
    ///     }
    /// }
    ///
    /// let (clock, disk) = (Arc::new(FakeClock::default()), Arc::new(FakeDisk::default()));
    /// let world = World::new(clock, disk, Arc::new(NoGit), "/var/lib/hooks");
    /// assert!(Shadow::open(&world, Path::new("/repo"))?.is_none());
    /// # Ok::<(), hooks_context::builtins::snapshot::SnapshotError>(())
    /// ```
    pub fn open(world: &'a World, directory: &Path) -> Result<Option<Self>, SnapshotError> {
        Self::open_until(world, directory, None)
    }

    /// Opens the snapshots for a caller that waits: all later steps together end when `budget` is used up.
    ///
    /// # Errors
    /// Returns the errors of [`Shadow::open`].
    pub fn open_within(
        world: &'a World,
        directory: &Path,
        budget: Duration,
    ) -> Result<Option<Self>, SnapshotError> {
        let until = Tick(world.clock.tick().0.saturating_add(budget));
        Self::open_until(world, directory, Some(until))
    }

    fn open_until(
        world: &'a World,
        directory: &Path,
        until: Option<Tick>,
    ) -> Result<Option<Self>, SnapshotError> {
        let output = Git::new(world, directory).text([
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
        ]);
        let Some((work_tree, common)) = output.as_deref().and_then(|output| output.split_once('\n')) else {
            return Ok(None);
        };
        let folder = world.store.join("snapshots").join(Digest::hash(work_tree.as_bytes()).to_string());
        let excludes = Path::new(common).join("info").join("exclude");
        let shadow = Self { world, work_tree: work_tree.into(), folder, excludes, until };
        shadow.prepare()?;
        Ok(Some(shadow))
    }

    /// Takes a snapshot of the files. If nothing changed since the session's last snapshot, returns that one.
    ///
    /// # Errors
    /// Returns `Git` if git cannot read the files or write the snapshot; `Store` if the store cannot be
    /// locked.
    pub fn take(&self, session: &str, label: &str) -> Result<Snapshot, SnapshotError> {
        let _held = self.lock()?;
        self.taken(session, label)
    }

    /// Lists the snapshots of a session, the newest first.
    ///
    /// # Errors
    /// Returns `Git` if git fails.
    pub fn list(&self, session: &str) -> Result<Vec<Snapshot>, SnapshotError> {
        let reference = reference(session);
        if self.last(&reference).is_none() {
            return Ok(Vec::new());
        }
        let log = self.output(&["log", "-z", "--format=%H %ct %s", &reference])?;
        Ok(log.split('\0').filter_map(snapshot).collect())
    }

    /// Restores the files of a snapshot: files that were changed, removed or added since are put back.
    /// Ignored files stay. Before that, a snapshot of the current files is taken, so that the restore can be
    /// undone.
    ///
    /// # Errors
    /// Returns `Unknown` if there is no such snapshot; `Git` if git refuses, for example because a file that
    /// no snapshot has is in the way; `Store` if the store cannot be locked.
    pub fn restore(&self, session: &str, id: &str) -> Result<Restored, SnapshotError> {
        let unknown = || SnapshotError::Unknown { id: id.to_owned() };
        let is_name = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let wanted =
            is_name.then(|| self.git().text(["rev-parse", "-q", "--verify", &format!("{id}^{{commit}}")]));
        let wanted = wanted.flatten().ok_or_else(unknown)?;
        let _held = self.lock()?;
        let before = self.taken(session, "before a restore")?;
        let changed = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", &before.id, &wanted];
        let files = self.output(&changed)?;
        let files = files.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
        // The index equals the first tree, so git updates only the files that differ between the two trees.
        // It refuses if a file changed since the snapshot.
        self.output(&["read-tree", "-m", "-u", &before.id, &wanted])?;
        Ok(Restored { files, before: before.id })
    }

    /// Deletes the snapshots of sessions whose last snapshot is older than `moment`, and the objects that
    /// only they use.
    ///
    /// # Errors
    /// Returns `Git` if git fails; `Store` if the store cannot be locked.
    pub fn prune(&self, moment: Timestamp) -> Result<(), SnapshotError> {
        let _held = self.lock()?;
        let format = "--format=%(committerdate:unix) %(refname)";
        let sessions = self.output(&["for-each-ref", format, "refs/snapshots"])?;
        let old: Vec<_> = sessions
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(date, _)| date.parse::<u64>().is_ok_and(|date| date.saturating_mul(1_000) < moment.0))
            .map(|(_, reference)| reference)
            .collect();
        for reference in &old {
            self.output(&["update-ref", "-d", reference])?;
        }
        if !old.is_empty() {
            self.output(&["gc", "--quiet", "--prune=now"])?;
        }
        Ok(())
    }

    fn taken(&self, session: &str, label: &str) -> Result<Snapshot, SnapshotError> {
        // Files that cannot be read (exit code 1) are left out; the others are kept.
        let added = self.git().run(["add", "--all", "--ignore-errors", "--", "."]);
        if !added.is_some_and(|added| matches!(added.code, Some(0 | 1))) {
            return Err(refused("add"));
        }
        let tree = self.output(&["write-tree"])?;
        let reference = reference(session);
        let last = self.last(&reference);
        if let Some(last) = &last
            && self.output(&["rev-parse", &format!("{last}^{{tree}}")])? == tree
        {
            let log = self.output(&["log", "-1", "--format=%H %ct %s", last])?;
            return snapshot(&log).ok_or_else(|| refused("log"));
        }
        let label: String = label.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut commit = vec!["commit-tree", &tree, "-m", &label];
        commit.extend(last.iter().flat_map(|last| ["-p", last]));
        let id = self.output(&commit)?;
        self.output(&["update-ref", &reference, &id])?;
        Ok(Snapshot { id, taken: Timestamp(self.now() * 1_000), label })
    }

    fn last(&self, reference: &str) -> Option<String> {
        self.git().text(["rev-parse", "-q", "--verify", reference])
    }

    /// Creates the repository if it does not exist.
    fn prepare(&self) -> Result<(), SnapshotError> {
        let disk = &*self.world.disk;
        if matches!(disk.entry(&self.folder.join("ready")), Ok(Some(_))) {
            return Ok(());
        }
        make_folders(disk, &self.folder)?;
        let _held = self.lock()?;
        let made =
            Git::new(self.world, &self.folder).text(["init", "--quiet", "--bare", "--template=", "git"]);
        made.ok_or_else(|| refused("init"))?;
        let info = self.folder.join("git").join("info");
        make_folders(disk, &info)?;
        // Bytes are stored unchanged, whatever attributes the work tree sets.
        created(disk.create(&info.join("attributes"), b"* -text -filter -ident -working-tree-encoding\n"))?;
        Ok(created(disk.create(&self.folder.join("ready"), b""))?)
    }

    fn lock(&self) -> Result<DiskLock, SnapshotError> {
        let held = self.world.disk.lock(&self.folder.join("lock"), self.patience())?;
        // While our lock is held, no other git works here: an index lock was left by a git that was killed.
        match self.world.disk.remove(&self.folder.join("git").join("index.lock")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(held),
        }
    }

    /// Returns the time limit of the next step.
    fn patience(&self) -> Duration {
        let left = self.until.map(|until| until.0.saturating_sub(self.world.clock.tick().0));
        left.map_or(PATIENCE, |left| left.min(PATIENCE))
    }

    fn output(&self, arguments: &[&str]) -> Result<String, SnapshotError> {
        let step = arguments.first().copied().unwrap_or_default();
        if self.patience().is_zero() {
            return Err(refused(step));
        }
        self.git().text(arguments.iter().copied().map(OsString::from)).ok_or_else(|| refused(step))
    }

    fn git(&self) -> Git<'a> {
        let date = format!("{} +0000", self.now());
        Git::new(self.world, &self.work_tree)
            .within(LONGEST, self.patience())
            .with("GIT_DIR", self.folder.join("git"))
            .with("GIT_WORK_TREE", &self.work_tree)
            .with("GIT_AUTHOR_NAME", "hooks")
            .with("GIT_AUTHOR_EMAIL", "hooks@localhost")
            .with("GIT_AUTHOR_DATE", &date)
            .with("GIT_COMMITTER_NAME", "hooks")
            .with("GIT_COMMITTER_EMAIL", "hooks@localhost")
            .with("GIT_COMMITTER_DATE", &date)
            .set("core.bare", "false")
            .set("core.excludesFile", &self.excludes)
            .set("core.autocrlf", "false")
            .set("core.symlinks", "true")
            .set("core.untrackedCache", "false")
            .set("advice.addEmbeddedRepo", "false")
            .set("commit.gpgSign", "false")
    }

    /// Seconds since 1970; git refuses earlier dates.
    fn now(&self) -> u64 {
        self.world.clock.now().0 / 1_000
    }
}

/// Returns the reference of a session. A digest is a valid reference name for any session id.
fn reference(session: &str) -> String {
    format!("refs/snapshots/{}", Digest::hash(session.as_bytes()))
}

/// Parses `ID SECONDS LABEL`.
fn snapshot(line: &str) -> Option<Snapshot> {
    let mut parts = line.trim_end().splitn(3, ' ');
    let (id, taken) = (parts.next()?, parts.next()?.parse::<u64>().ok()?);
    let label = parts.next().unwrap_or_default().to_owned();
    Some(Snapshot { id: id.to_owned(), taken: Timestamp(taken.saturating_mul(1_000)), label })
}

fn created(made: io::Result<()>) -> io::Result<()> {
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn refused(step: &str) -> SnapshotError {
    SnapshotError::Git { step: step.to_owned() }
}
