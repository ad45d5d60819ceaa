//! Entries that move: from the inbox to the decisions, from what is in force to what is put away.

use super::{Team, layout};
use crate::digest::Digest;
use crate::error::TeamError;
use crate::files::InboxFile;
use crate::folder::Place;
use crate::ledger::{Entry, Grammar};
use crate::moves::{self, Intent, Known, Moved, Parts, Source, block};

/// What was left behind by processes that were killed, and is in order now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// Whether a move was under way.
    pub move_finished: bool,
    /// How many files were taken away that nobody will finish.
    pub files_swept: usize,
}

impl Team {
    /// Moves all of the inbox to `decisions.md`, oldest first. A decision that is there already, byte for byte, is not
    /// added again. A file that somebody changes meanwhile stays for the next time.
    ///
    /// # Errors
    /// A file cannot be read or written. What was begun is finished by the next change.
    pub fn merge_inbox(&self) -> Result<Moved, TeamError> {
        self.merge_inbox_of(|_| true)
    }

    /// The same with the files that `select` picks; those that somebody still writes can wait.
    ///
    /// # Errors
    /// A file cannot be read or written. What was begun is finished by the next change.
    pub fn merge_inbox_of(&self, select: impl FnMut(&InboxFile) -> bool) -> Result<Moved, TeamError> {
        let writer = self.writer()?;
        let (inbox, target) = (layout::inbox(), layout::decisions());
        let mut files = self.inbox()?;
        files.retain(|file| !file.document().bytes().trim_ascii().is_empty());
        files.retain(select);
        files.sort_by_cached_key(|file| (file.date(), file.name().to_owned()));
        if files.is_empty() {
            return Ok(Moved::default());
        }
        let current = self.decisions()?;
        let mut known = Known::of(current.ledger());
        let (mut parts, mut moved) = (Parts::default(), Moved { entries: files.len(), known: 0 });
        for text in files.iter().map(InboxFile::as_decision) {
            if known.take(Digest::of_text(text.as_bytes())) {
                moved.known += 1;
            } else {
                parts.add(None, false, &block(current.document(), text.as_bytes()));
            }
        }
        let sources =
            files.iter().map(|file| Source::whole(&inbox.listed(file.name()), file.document().bytes()));
        let intent = Intent::new(
            &target,
            current.document().bytes(),
            "# Decisions",
            parts.finish(),
            sources.collect(),
        );
        moves::begin(&writer, &intent)?;
        Ok(moved)
    }

    /// Moves the decisions that `select` picks to `decisions-archive.md`.
    ///
    /// # Errors
    /// A file cannot be read or written. What was begun is finished by the next change.
    pub fn archive_decisions(&self, select: impl FnMut(&Entry<'_>) -> bool) -> Result<Moved, TeamError> {
        let (source, target) = (layout::decisions(), layout::decisions_archive());
        self.archive(&source, &target, Grammar::Decisions, "# Decisions Archive", select)
    }

    /// Moves the entries of an agent's history that `select` picks to `history-archive.md` beside it.
    ///
    /// # Errors
    /// There is no such agent, or a file cannot be read or written. What was begun is finished by the next change.
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

    /// Finishes what killed processes began, and takes away the files they were writing.
    ///
    /// # Errors
    /// Something cannot be read or written.
    pub fn recover(&self) -> Result<Recovered, TeamError> {
        let writer = self.folder.writer()?;
        let mut recovered =
            Recovered { move_finished: moves::resume(&writer)?, files_swept: writer.sweep_root()? };
        // As deep as this crate writes.
        let mut folders = vec![(0, Place::known(".hooks"))];
        folders.extend(self.folder.names()?.iter().map(|name| (1, Place::root(name))));
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
        source: &Place,
        target: &Place,
        grammar: Grammar,
        title: &str,
        select: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<Moved, TeamError> {
        let writer = self.writer()?;
        let (from, to) =
            (self.folder.read(source)?.unwrap_or_default(), self.folder.read(target)?.unwrap_or_default());
        let Some((intent, moved)) = moves::plan((source, &from), (target, &to), grammar, title, select)
        else {
            return Ok(Moved::default());
        };
        moves::begin(&writer, &intent)?;
        Ok(moved)
    }
}
