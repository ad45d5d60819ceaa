//! Moves of entries: from the inbox to the decisions, and from the decisions and histories to their archives.

use std::collections::VecDeque;

use super::{Team, layout};
use crate::error::TeamError;
use crate::files::InboxFile;
use crate::folder::{LARGEST, TeamPath, Writer};
use crate::ledger::{Entry, Grammar, Ledger};
use crate::moves::{self, Intent, Known, Moved, Parts, Source, block, is_unmistakable};
use crate::text::Document;

/// Result of a recovery after killed processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// Whether a move in progress was finished.
    pub move_finished: bool,
    /// Number of temporary files that were removed.
    pub files_swept: usize,
}

impl Team {
    /// Moves all of the inbox to `decisions.md`, the oldest first. A decision that is already there, or
    /// occurs twice, byte for byte, is not added again. A file that another program changes in the meantime
    /// stays for the next merge. A file that [`inbox`](Self::inbox) leaves out stays too.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or if `decisions.md` has no room for any of the
    /// files. The next change finishes a move that was begun.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Environment;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_team::{NewTeam, Team};
    ///
    /// let disk = FakeDisk::default().with_directory("/repo");
    /// let team = Team::new(Arc::new(disk.clone()), "/repo/.squad", &Environment::detached());
    /// team.init(&NewTeam::default())?;
    /// disk.put("/repo/.squad/decisions/inbox/ada.md", "### 2026-03-15: Use SQLite\n**By:** Ada\n");
    /// team.merge_inbox()?;
    /// assert!(team.inbox()?.is_empty());
    /// assert!(team.decisions()?.entries().any(|entry| entry.title() == "Use SQLite"));
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn merge_inbox(&self) -> Result<Moved, TeamError> {
        self.merge_inbox_of(|_| true)
    }

    /// Merges only the files that `select` picks, so that files that are still being written can wait.
    ///
    /// # Errors
    /// Returns the errors of [`merge_inbox`](Self::merge_inbox).
    pub fn merge_inbox_of(&self, select: impl FnMut(&InboxFile) -> bool) -> Result<Moved, TeamError> {
        self.merge_inbox_scrubbed(select, |_| None)
    }

    /// Merges only the files that `select` picks. `scrub` returns a text without secrets, or `None` if it has
    /// no secrets.
    ///
    /// # Errors
    /// Returns the errors of [`merge_inbox`](Self::merge_inbox).
    pub fn merge_inbox_scrubbed(
        &self,
        select: impl FnMut(&InboxFile) -> bool,
        scrub: impl Fn(&str) -> Option<String>,
    ) -> Result<Moved, TeamError> {
        let writer = self.writer()?;
        let mut files = self.inbox()?;
        files.retain(|file| !file.document().bytes().trim_ascii().is_empty());
        files.retain(select);
        files.sort_by_cached_key(|file| (file.date(), file.name().to_owned()));
        let (mut files, mut all) = (VecDeque::from(files), Moved::default());
        while !files.is_empty() {
            let moved = self.merge_some(&writer, &mut files, &scrub)?;
            all.entries += moved.entries;
            all.known += moved.known;
        }
        Ok(all)
    }

    /// Makes one move with as many of `files` as fit into it. Files for which `decisions.md` has no room stay
    /// in the inbox.
    fn merge_some(
        &self,
        writer: &Writer<'_>,
        files: &mut VecDeque<InboxFile>,
        scrub: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Moved, TeamError> {
        let (inbox, target) = (layout::inbox(), layout::decisions());
        let current = self.decisions()?;
        let mut known = Known::from_ledger(current.ledger());
        let (mut parts, mut moved, mut sources) = (Parts::default(), Moved::default(), Vec::new());
        let (mut size, mut is_full) = (0, false);
        let room =
            usize::try_from(LARGEST).unwrap_or(usize::MAX).saturating_sub(current.document().bytes().len());
        while let Some(file) = files.pop_front() {
            if size >= moves::MOST {
                files.push_front(file);
                break;
            }
            let ledger = Ledger::new(Document::parse(file.as_decision(scrub)), Grammar::Decisions);
            let again = ledger.entries().filter(|entry| is_unmistakable(entry) && known.meet(entry.digest()));
            let again: Vec<_> = again.map(|entry| entry.range()).collect();
            if again.len() == ledger.len() && !again.is_empty() {
                moved.known += 1;
            } else {
                let block = block(current.document(), &ledger.without(again));
                // Room for a title and for empty lines between entries.
                if size + block.len() + 64 > room {
                    is_full = true;
                    continue;
                }
                size += block.len() + 2;
                parts.add(None, false, &block);
            }
            moved.entries += 1;
            sources.push(Source::whole(&inbox.listed(file.name()), file.document().bytes()));
        }
        if sources.is_empty() {
            let full = TeamError::Full { place: target.to_string(), limit: LARGEST };
            return if is_full { Err(full) } else { Ok(moved) };
        }
        let (title, bytes) = ("# Decisions", current.document().bytes());
        moves::begin(writer, &Intent::new(&target, bytes, title, parts.finish(), sources)?)?;
        Ok(moved)
    }

    /// Moves the decisions that `select` picks to `decisions-archive.md`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written. The next change finishes a move that was begun.
    pub fn archive_decisions(&self, select: impl FnMut(&Entry<'_>) -> bool) -> Result<Moved, TeamError> {
        let (source, target) = (layout::decisions(), layout::decisions_archive());
        self.archive(&source, &target, Grammar::Decisions, "# Decisions Archive", select)
    }

    /// Moves the entries of an agent's history that `select` picks to `history-archive.md` in the same
    /// folder.
    ///
    /// # Errors
    /// Returns `Missing` if there is no such agent, or an error if a file cannot be read or written. The next
    /// change finishes a move that was begun.
    pub fn archive_history(
        &self,
        agent: &str,
        select: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<Moved, TeamError> {
        let agent = self.agent(agent)?;
        let title = format!("# {agent}: History Archive");
        self.archive(
            &layout::history(&agent),
            &layout::history_archive(&agent),
            Grammar::History,
            &title,
            select,
        )
    }

    /// Finishes the stored move, and removes temporary files of killed processes.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub fn recover(&self) -> Result<Recovered, TeamError> {
        let writer = self.folder.writer()?;
        let mut recovered =
            Recovered { move_finished: moves::resume(&writer)?, files_swept: writer.sweep_root()? };
        // The search goes as deep as this crate writes.
        let mut folders = vec![(0, TeamPath::known(".hooks"))];
        folders.extend(self.folder.names()?.iter().map(|name| (1, TeamPath::root(name))));
        while let Some((depth, folder)) = folders.pop() {
            if !self.folder.is_folder(&folder) {
                continue;
            }
            recovered.files_swept += writer.sweep(&folder)?;
            if (1..4).contains(&depth) {
                folders
                    .extend(self.folder.list(&folder)?.iter().map(|name| (depth + 1, folder.listed(name))));
            }
        }
        Ok(recovered)
    }

    fn archive(
        &self,
        source: &TeamPath,
        target: &TeamPath,
        grammar: Grammar,
        title: &str,
        select: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<Moved, TeamError> {
        let writer = self.writer()?;
        let (from, to) =
            (self.folder.read(source)?.unwrap_or_default(), self.folder.read(target)?.unwrap_or_default());
        let Some((intent, moved)) = moves::plan((source, &from), (target, &to), grammar, title, select)?
        else {
            return Ok(Moved::default());
        };
        moves::begin(&writer, &intent)?;
        Ok(moved)
    }
}
