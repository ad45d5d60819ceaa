//! Entries that move: from the inbox to the decisions, from what is in force to what is put away.

use std::collections::VecDeque;

use super::{Team, layout};
use crate::error::TeamError;
use crate::files::InboxFile;
use crate::folder::{LARGEST, Place, Writer};
use crate::ledger::{Entry, Grammar, Ledger};
use crate::moves::{self, Intent, Known, Moved, Parts, Source, block, is_unmistakable};
use crate::text::Document;

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
    /// Moves all of the inbox to `decisions.md`, oldest first. A decision that is there already, or comes twice, byte for
    /// byte, is not added again. A file that somebody changes meanwhile stays for the next time, and so does what is no
    /// [text of a decision](Self::inbox).
    ///
    /// # Errors
    /// A file cannot be read or written, or `decisions.md` has no room for any of it. What was begun is finished by the
    /// next change.
    pub fn merge_inbox(&self) -> Result<Moved, TeamError> {
        self.merge_inbox_of(|_| true)
    }

    /// The same with the files that `select` picks; those that somebody still writes can wait.
    ///
    /// # Errors
    /// As [`merge_inbox`](Self::merge_inbox).
    pub fn merge_inbox_of(&self, select: impl FnMut(&InboxFile) -> bool) -> Result<Moved, TeamError> {
        self.merge_inbox_scrubbed(select, |_| None)
    }

    /// The same; `scrub` gives a text without what nobody shall read in `decisions.md`, where it has any of that.
    ///
    /// # Errors
    /// As [`merge_inbox`](Self::merge_inbox).
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

    /// One move of as many of `files` as one takes. Those for which there is no room are left where they are.
    fn merge_some(
        &self,
        writer: &Writer<'_>,
        files: &mut VecDeque<InboxFile>,
        scrub: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Moved, TeamError> {
        let (inbox, target) = (layout::inbox(), layout::decisions());
        let current = self.decisions()?;
        let mut known = Known::of(current.ledger());
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
                // The file may have to begin with its title, and lines are set apart.
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
        let Some((intent, moved)) = moves::plan((source, &from), (target, &to), grammar, title, select)?
        else {
            return Ok(Moved::default());
        };
        moves::begin(&writer, &intent)?;
        Ok(moved)
    }
}
