//! Makes a move, or finishes one that a killed process began.

use std::collections::HashMap;

use super::intent::{Intent, Left, Source};
use super::route;
use crate::error::TeamError;
use crate::folder::{LARGEST, TeamPath, Writer};
use crate::text::{Document, key};

/// Stored move that is in progress. There is at most one: a process that begins a move holds the lock.
pub(crate) const UNDER_WAY: &str = ".hooks/move.json";

/// Stores `intent` and makes the move.
///
/// # Errors
/// Returns an error if a file cannot be written. If the target has no part of the move, the move is cancelled
/// and every entry is where it was. If another kind of entry is in the way of a source, the other sources are
/// finished. In other cases the next writer finishes the move.
pub(crate) fn begin(writer: &Writer<'_>, intent: &Intent) -> Result<(), TeamError> {
    let (place, bytes) = (TeamPath::known(UNDER_WAY), intent.to_bytes());
    if bytes.len() as u64 > LARGEST {
        // A file of this size could not be read again to finish the move.
        return Err(TeamError::Full { place: place.to_string(), limit: LARGEST });
    }
    writer.update(&place, |_| Ok(bytes.clone()))?;
    if let Err(error) = add(writer, intent) {
        if is_missing(writer, intent) {
            writer.remove(&place, &bytes)?;
        }
        return Err(error);
    }
    let stuck = take(writer, intent)?;
    writer.remove(&place, &bytes)?;
    stuck.map_or(Ok(()), Err)
}

/// Finishes the stored move. Returns whether there was one.
///
/// A move that this crate did not store is [set aside](Writer::set_aside), and so is a move whose target was
/// replaced by another kind of entry. It blocks no later work, and its entries are where they were.
///
/// # Errors
/// Returns an error if a file cannot be written. The next writer then finishes the move.
pub(crate) fn resume(writer: &Writer<'_>) -> Result<bool, TeamError> {
    let place = TeamPath::known(UNDER_WAY);
    let bytes = match writer.folder().read(&place) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(false),
        Err(error) if error.is_in_the_way() => return writer.set_aside_unread(&place, "move").map(|()| true),
        Err(error) => return Err(error),
    };
    let refused = match Intent::parse(&bytes) {
        Ok(intent) => finish(writer, &intent)?,
        Err(reason) => Some(reason),
    };
    if let Some(reason) = refused {
        writer.set_aside("move", &reason, &bytes)?;
    }
    writer.remove(&place, &bytes)
}

/// Finishes a move. Returns a reason if another kind of entry is in the way of its target.
fn finish(writer: &Writer<'_>, intent: &Intent) -> Result<Option<String>, TeamError> {
    match add(writer, intent) {
        Ok(()) => {}
        Err(error) if error.is_in_the_way() && is_missing(writer, intent) => {
            return Ok(Some(error.to_string()));
        }
        Err(error) => return Err(error),
    }
    // Entries that could not be removed from a source are found again by the next move.
    take(writer, intent).map(|_| None)
}

/// Adds the parts to the target, unless they are already there.
fn add(writer: &Writer<'_>, intent: &Intent) -> Result<(), TeamError> {
    let target = TeamPath::stored(&intent.target).filter(|_| !intent.parts.is_empty());
    let Some(target) = target else { return Ok(()) };
    let is_written_once = route::is_written_once(&intent.target);
    writer.update(&target, |current| {
        let current = current.unwrap_or_default();
        let is_done = intent.is_in(current) || is_written_once && !current.is_empty();
        Ok(if is_done { current.to_vec() } else { added(current, intent) })
    })?;
    Ok(())
}

/// Whether the target certainly has no part of the move.
fn is_missing(writer: &Writer<'_>, intent: &Intent) -> bool {
    let Some(target) = TeamPath::stored(&intent.target) else { return true };
    match writer.folder().read(&target) {
        Ok(current) => !intent.is_in(&current.unwrap_or_default()),
        Err(error) => error.is_in_the_way(),
    }
}

/// Removes the entries from the sources; steps that were already made are skipped. An entry in the way of one
/// source is reported, and does not stop the others.
fn take(writer: &Writer<'_>, intent: &Intent) -> Result<Option<TeamError>, TeamError> {
    // Folders from which files were removed: each one is synced once, for any number of files.
    let (mut left, mut stuck) = (Vec::new(), None);
    for source in &intent.sources {
        let Some(place) = TeamPath::stored(&source.place) else { continue };
        match leave(writer, source, &place) {
            Ok(true) if !left.iter().any(|other: &TeamPath| other.is_beside(&place)) => left.push(place),
            Ok(_) => {}
            Err(error) if error.is_in_the_way() => stuck = stuck.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    left.iter().try_for_each(|place| writer.settle(place))?;
    Ok(stuck)
}

/// Removes the moved entries from one source. Returns whether the whole file was removed.
fn leave(writer: &Writer<'_>, source: &Source, place: &TeamPath) -> Result<bool, TeamError> {
    let Some(current) = writer.folder().read(place)? else { return Ok(false) };
    match source.left(&current) {
        Left::AsItIs => Ok(false),
        Left::Nothing => writer.take_away(place).map(|()| true),
        Left::Bytes(_) => {
            writer.update(place, |current| {
                let current = current.unwrap_or_default();
                Ok(match source.left(current) {
                    Left::Bytes(left) => left,
                    Left::AsItIs | Left::Nothing => current.to_vec(),
                })
            })?;
            Ok(false)
        }
    }
}

/// Adds all parts of `intent` to `target`: to the sections of their groups, or else at the end.
fn added(target: &[u8], intent: &Intent) -> Vec<u8> {
    let title = format!("{}\n", intent.title).into_bytes();
    let document = Document::parse(if target.is_empty() { title } else { target.to_vec() });
    let mut sections = HashMap::new();
    for section in document.sections().iter().filter(|section| section.level == 2) {
        sections.entry(key(&document.title_of(section))).or_insert(section);
    }
    let mut splices = Vec::new();
    // Missing sections, in the order of their first entries: text without headings, and the rest.
    let (mut missing, mut numbers) = (Vec::<(Option<&str>, [Vec<u8>; 2])>::new(), HashMap::new());
    // Text without headings comes first if both are added at the same position.
    let (leading, blocks): (Vec<_>, Vec<_>) = intent.parts.iter().partition(|part| part.leading);
    for part in &intent.parts {
        let group = part.group.as_deref();
        let is_there = group.is_some_and(|group| sections.contains_key(&key(group)));
        let is_head = part.leading && group.is_none();
        if !(is_there || is_head) {
            let number = *numbers.entry(group).or_insert(missing.len());
            if number == missing.len() {
                missing.push((group, Default::default()));
            }
            if let Some((_, [before, behind])) = missing.get_mut(number) {
                let text = if part.leading { before } else { behind };
                text.extend_from_slice(&part.text.bytes());
            }
        }
    }
    for part in leading.into_iter().chain(blocks) {
        let group = part.group.as_deref();
        let range = match group.and_then(|group| sections.get(&key(group))) {
            Some(section) => section.start..if part.leading { section.end } else { section.below },
            None if part.leading && group.is_none() => 0..head_end(&document),
            None => continue,
        };
        splices.push(document.add_bytes_behind(range, &part.text.bytes()));
    }
    let (newline, mut new) = (document.newline().as_bytes(), Vec::new());
    for (group, texts) in missing {
        if let Some(group) = group {
            let apart = if new.is_empty() { "" } else { document.newline() };
            new.extend_from_slice(format!("{apart}## {group}{}", document.newline()).as_bytes());
        }
        for text in texts.iter().filter(|text| !text.is_empty()) {
            if !new.is_empty() {
                new.extend_from_slice(newline);
            }
            new.extend_from_slice(text);
        }
    }
    if !new.is_empty() {
        splices.push(document.add_bytes_behind(0..document.bytes().len(), &new));
    }
    document.with(splices)
}

/// Returns the end of the text that is under the title and before the next heading.
fn head_end(document: &Document) -> usize {
    let first = document.sections().first();
    first.map_or(document.bytes().len(), |first| if first.level == 1 { first.end } else { first.start })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use hooks_core::testing::FakeDisk;
    use hooks_core::time::SeededRandom;

    use super::super::plan;
    use super::*;
    use crate::folder::Folder;
    use crate::ledger::{Grammar, Ledger};

    const HISTORY: &str = "# E\n\n## Learnings\n\n### 2025-01-01\none\n\n### old\ntwo\n\n- three\n\n## Patterns\n\n- four\n- five\n\n### 2025-01-01\none\n\n### new\nsix\n";

    fn folder(disk: &FakeDisk) -> Folder {
        Folder::new(Arc::new(disk.clone()), Arc::new(SeededRandom::new(1)), "/t")
    }

    fn archive(folder: &Folder) -> Result<usize, TeamError> {
        let (source, target) =
            (TeamPath::known("agents/e/history.md"), TeamPath::known("agents/e/history-archive.md"));
        let writer = folder.writer()?;
        resume(&writer)?;
        let (from, to) =
            (folder.read(&source)?.unwrap_or_default(), folder.read(&target)?.unwrap_or_default());
        let keep = |text: &str| text.contains("six") || text.contains("four");
        let planned = plan((&source, &from), (&target, &to), Grammar::History, "# Archive", |entry| {
            !keep(&entry.text())
        });
        let Some((intent, moved)) = planned? else { return Ok(0) };
        begin(&writer, &intent)?;
        Ok(moved.entries)
    }

    /// Returns all entries of both files.
    fn entries(disk: &FakeDisk) -> Vec<String> {
        let mut found = Vec::new();
        for name in ["/t/agents/e/history.md", "/t/agents/e/history-archive.md"] {
            let bytes = disk.files().remove(std::path::Path::new(name)).unwrap_or_default();
            let ledger = Ledger::new(Document::parse(bytes), Grammar::History);
            found.extend(ledger.entries().map(|entry| entry.text().trim().to_owned()));
        }
        found.sort();
        found
    }

    #[test]
    fn every_entry_is_in_exactly_one_place_whenever_it_is_killed() {
        let start = FakeDisk::default().with_file("/t/agents/e/history.md", HISTORY);
        let all = entries(&start);
        assert_eq!(all.len(), 6);
        for power in [false, true] {
            for at in 0.. {
                let disk = FakeDisk::default().with_file("/t/agents/e/history.md", HISTORY);
                let folder = folder(&disk);
                disk.kill_at(at);
                let done = archive(&folder).is_ok();
                if power {
                    disk.lose_power();
                } else {
                    disk.restart();
                }
                // The process is killed again while it finishes the move.
                for again in 0..3 {
                    disk.kill_at(again * 5);
                    drop(folder.writer().and_then(|writer| resume(&writer)));
                    if power { disk.lose_power() } else { disk.restart() }
                }
                let seen: BTreeSet<_> = entries(&disk).into_iter().collect();
                assert_eq!(seen, all.iter().cloned().collect(), "{at}: nothing is lost at any moment");
                resume(&folder.writer().unwrap()).unwrap();
                assert_eq!(entries(&disk), all, "{at}");
                archive(&folder).unwrap();
                assert_eq!(entries(&disk), all, "{at}");
                assert_eq!(archive(&folder).unwrap(), 0);
                if done {
                    break;
                }
            }
        }
    }

    #[test]
    fn sections_are_found_again_in_the_archive() {
        let disk = FakeDisk::default().with_file("/t/agents/e/history.md", HISTORY);
        archive(&folder(&disk)).unwrap();
        let files = disk.files();
        let text = |name: &str| String::from_utf8(files[std::path::Path::new(name)].clone()).unwrap();
        assert_eq!(
            text("/t/agents/e/history.md"),
            "# E\n\n## Learnings\n\n## Patterns\n\n- four\n### new\nsix\n"
        );
        assert_eq!(
            text("/t/agents/e/history-archive.md"),
            "# Archive\n\n## Learnings\n\n### 2025-01-01\none\n\n### old\ntwo\n\n- three\n\n## Patterns\n\n- five\n\n### 2025-01-01\none\n"
        );
    }

    #[test]
    fn a_move_that_nobody_wrote_is_kept_and_harms_nothing() {
        for broken in [
            "{",
            "{\"version\":2}",
            "{\"version\":1,\"target\":\"../x\",\"title\":\"\",\"parts\":[],\"before\":0,\"sources\":[]}",
        ] {
            let disk = FakeDisk::default().with_file("/t/.hooks/move.json", broken).with_file("/t/a.md", "a");
            let folder = folder(&disk);
            let resumed = folder.writer().and_then(|writer| resume(&writer));
            assert!(resumed.is_ok(), "{resumed:?}");
            assert!(!folder.exists(&TeamPath::known(".hooks/move.json")).unwrap());
            assert_eq!(disk.files().len(), 4, "it is kept under another name");
        }
    }

    #[test]
    fn a_move_that_somebody_else_wrote_reaches_no_other_file() {
        let digest = crate::Digest::hash(b"held");
        let source = |place: &str| {
            format!("{{\"place\":\"{place}\",\"before\":\"{digest}\",\"after\":null,\"removals\":[]}}")
        };
        let cut = String::from(
            "{\"place\":\"orchestration-log/w0.jsonl\",\"before\":\"\",\"after\":\"\",\"removals\":[{\"start\":0,\"end\":4,\"text\":{\"text\":\"held\"}}]}",
        );
        let text = "{\"group\":null,\"text\":{\"text\":\"x\"}}";
        let files = ["holds.json", "w0.jsonl", "w0.jsonl.gz", "w0.lock", "w0.end"];
        let holds = source("orchestration-log/holds.json");
        let own = source(".hooks/scribe/1.json");
        for (target, part, source) in [
            ("x.md", "", &holds),
            ("decisions.md", "", &holds),
            ("decisions.md", "", &cut),
            ("orchestration-log/w9.jsonl", text, &own),
            ("orchestration-log/holds.json", text, &own),
            ("team.md", text, &own),
            ("log/x.md", text, &String::new()),
        ] {
            let intent = format!(
                "{{\"version\":1,\"target\":\"{target}\",\"title\":\"\",\"parts\":[{part}],\"before\":0,\"sources\":[{source}]}}"
            );
            let mut disk = FakeDisk::default().with_file("/t/.hooks/move.json", &*intent);
            for file in files {
                disk = disk.with_file(format!("/t/orchestration-log/{file}"), "held");
            }
            let before = disk.files().len();
            let folder = folder(&disk);
            assert!(resume(&folder.writer().unwrap()).unwrap(), "{intent}");
            for file in files {
                let place = TeamPath::known("orchestration-log").listed(file);
                assert_eq!(folder.read(&place).unwrap().unwrap(), b"held", "{intent}");
            }
            assert_eq!(disk.files().len(), before + 2, "a lock and what Git ignores: {:?}", disk.files());
            let aside = folder.aside().unwrap();
            let why = folder.why_aside(&aside[0]).unwrap();
            assert!(why.starts_with("nothing is moved"), "{why}");
            assert!(!resume(&folder.writer().unwrap()).unwrap());
        }
    }

    #[test]
    fn what_stands_in_the_way_of_a_move_keeps_nobody_from_the_next() {
        let place = TeamPath::known("decisions/inbox/in.md");
        let parts = || {
            let mut parts = crate::moves::Parts::default();
            parts.add(None, false, b"### new\n");
            parts.finish()
        };
        let target = TeamPath::known("decisions.md");
        let intent = |target: &TeamPath| {
            Intent::new(target, b"", "# T", parts(), vec![Source::whole(&place, b"### new")]).unwrap()
        };
        let disk = FakeDisk::default()
            .with_file("/t/decisions/inbox/in.md", "### new")
            .with_link("/t/decisions.md", "/etc/passwd");
        let folder = folder(&disk);
        // Begun by this writer, and found by the next one.
        assert!(begin(&folder.writer().unwrap(), &intent(&target)).is_err());
        assert!(!resume(&folder.writer().unwrap()).unwrap());
        disk.put("/t/.hooks/move.json", intent(&target).to_bytes());
        assert!(resume(&folder.writer().unwrap()).unwrap() && folder.exists(&place).unwrap());
        assert_eq!(folder.aside().unwrap().len(), 1);
        assert!(!folder.exists(&TeamPath::known(UNDER_WAY)).unwrap());
        // Another kind of entry at the path of the stored move.
        let disk = disk.with_link("/t/.hooks/move.json", "/etc/passwd");
        assert!(resume(&folder.writer().unwrap()).unwrap());
        assert!(!resume(&folder.writer().unwrap()).unwrap());
        assert_eq!(folder.aside().unwrap().len(), 2);
        drop(disk);
    }

    #[test]
    fn what_is_written_once_is_not_added_to() {
        let disk = FakeDisk::default()
            .with_file("/t/orchestration-log/a.md", "as it was")
            .with_file("/t/.hooks/scribe/1.json", "x\n");
        let folder = folder(&disk);
        let mut parts = crate::moves::Parts::default();
        parts.add(None, false, b"more\n");
        let target = TeamPath::known("orchestration-log/a.md");
        let source = Source::whole(&TeamPath::known(".hooks/scribe/1.json"), b"x\n");
        let intent = Intent::new(&target, b"", "", parts.finish(), vec![source]).unwrap();
        begin(&folder.writer().unwrap(), &intent).unwrap();
        assert_eq!(folder.read(&target).unwrap().unwrap(), b"as it was");
        assert!(!folder.exists(&TeamPath::known(".hooks/scribe/1.json")).unwrap());
    }

    #[test]
    fn a_changed_file_is_not_taken_away() {
        let place = TeamPath::known("decisions/inbox/in.md");
        let source = Source::whole(&place, b"seen");
        let intent =
            Intent::new(&TeamPath::known("decisions.md"), b"", "# T", Vec::new(), vec![source]).unwrap();
        let disk = FakeDisk::default().with_file("/t/decisions/inbox/in.md", "changed");
        let folder = folder(&disk);
        begin(&folder.writer().unwrap(), &intent).unwrap();
        assert!(folder.exists(&place).unwrap());
        disk.put("/t/decisions/inbox/in.md", "seen");
        begin(&folder.writer().unwrap(), &intent).unwrap();
        assert!(!folder.exists(&place).unwrap());
    }
}
