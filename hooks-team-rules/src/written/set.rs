//! The set of files that a session and its subagents wrote, in a store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::state::{Key, Lineage, Member, Op, OpId, StateStore, StepResult, StoreError};
use hooks_core::time::Timestamp;
use hooks_facts::calls::FileOfSession;

/// Name of the hooks, in reasons and in keys of the store.
pub(super) const NAME: &str = "written-files";

/// Time for which a file is remembered.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Most files of one session. With more, every file counts as written.
const MAX_FILES: usize = 2_048;

/// Name of the member that stands for every file.
const EVERY_FILE: &str = "*";

/// Files of a session, as they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    known: HashMap<Arc<str>, Known>,
    /// Whether every file counts as written.
    pub(super) is_full: bool,
    pub(super) now: Timestamp,
}

/// Facts about a written file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Program that the file is a copy of.
    pub(super) program: Option<String>,
    /// Time of the first call that wrote it.
    pub(super) since: Timestamp,
}

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && !self.is_full
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Known> {
        self.known.get(&*digest(path))
    }
}

/// Files of the session of one event.
#[derive(Clone)]
pub(super) struct FileSet {
    store: Arc<dyn StateStore>,
    key: Key,
}

impl FileSet {
    /// Finds the set of the session at the top of the tree.
    pub(super) async fn new(store: Arc<dyn StateStore>, context: &HookContext) -> Result<Self, StoreError> {
        let root = Lineage::resolve(&*store, context).await?.root;
        let key = Key::new(context.tenant.as_deref(), &[NAME, &root]);
        Ok(Self { store, key })
    }

    /// Reads the set.
    pub(super) async fn read(&self) -> Result<Files, StoreError> {
        let (members, now) = self.members().await?;
        let mut files = Files { now, ..Files::default() };
        for member in members.iter().filter(|member| !member.is_over(now)) {
            if &*member.name == EVERY_FILE {
                files.is_full = true;
                continue;
            }
            let program = Some(member.note.to_string()).filter(|note| !note.is_empty());
            files.known.insert(Arc::clone(&member.name), Known { program, since: member.since });
        }
        Ok(files)
    }

    async fn members(&self) -> Result<(Arc<Vec<Member>>, Timestamp), StoreError> {
        match self.store.apply(Op::Members { set: self.key.clone() }).await? {
            StepResult::Members { members, now } => Ok((members, now)),
            other => Err(bad(&other)),
        }
    }

    /// Adds files that a call is about to write.
    pub(super) async fn add(&self, written: &[FileOfSession]) -> Result<(), StoreError> {
        let every_file = self.id(EVERY_FILE);
        let mut new: Vec<_> = written
            .iter()
            .map(|file| {
                let name = digest(&file.path);
                (self.id(&name), name, file)
            })
            .collect();
        let (members, now) = self.members().await?;
        let mut known = 0;
        // Without a map of them, and by their ids, which stand in the list: a session that writes much has many members.
        for member in members.iter().filter(|member| !member.is_over(now)) {
            if member.id == every_file {
                return Ok(());
            }
            known += 1;
            new.retain(|(id, ..)| *id != member.id);
        }
        // The list is the store's own, which would be copied to add to it.
        drop(members);
        if known + new.len() > MAX_FILES {
            return self.insert(every_file, EVERY_FILE, "").await;
        }
        for (id, name, file) in new {
            self.insert(id, &name, file.program.as_deref().unwrap_or_default()).await?;
        }
        Ok(())
    }

    /// Id of the member with this name.
    fn id(&self, name: &str) -> OpId {
        OpId::from_parts(&[NAME, self.key.as_str(), name])
    }

    async fn insert(&self, id: OpId, name: &str, note: &str) -> Result<(), StoreError> {
        let (set, name, note) = (self.key.clone(), name.into(), note.into());
        match self.store.apply(Op::Insert { id, set, name, note, ttl: Some(REMEMBERED) }).await? {
            StepResult::Done | StepResult::Present(_) | StepResult::Ended { .. } => Ok(()),
            other => Err(bad(&other)),
        }
    }
}

/// Returns the name of a file in the set, which has a constant size.
fn digest(path: &Path) -> String {
    format!("{:032x}", OpId::from_parts(&[NAME, &path.to_string_lossy()]).0)
}

fn bad(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the request"))
}
