//! Makes a move, or finishes one that a killed process began.

use std::collections::HashMap;

use super::intent::{Intent, Left};
use crate::error::TeamError;
use crate::folder::{Place, Writer};
use crate::text::{Document, key};

/// Where the move that is under way is written down. There is one at most: whoever begins one holds the lock.
pub(crate) const UNDER_WAY: &str = ".hooks/move.json";

/// Writes `intent` down and makes the move.
///
/// # Errors
/// What keeps a file from being written. Then the next writer finishes it.
pub(crate) fn begin(writer: &Writer<'_>, intent: &Intent) -> Result<(), TeamError> {
    let bytes = intent.to_bytes();
    writer.update(&Place::known(UNDER_WAY), |_| Ok(bytes.clone()))?;
    run(writer, intent)?;
    writer.remove(&Place::known(UNDER_WAY), &bytes).map(drop)
}

/// Finishes the move that is under way. Tells whether there was one.
///
/// # Errors
/// What keeps a file from being written. Then the next writer finishes it.
pub(crate) fn resume(writer: &Writer<'_>) -> Result<bool, TeamError> {
    let place = Place::known(UNDER_WAY);
    let Some(bytes) = writer.folder().read(&place)? else { return Ok(false) };
    if let Some(intent) = Intent::parse(&bytes) {
        run(writer, &intent)?;
    } else {
        // Nobody who writes here leaves such a file; it is kept for a person to look at.
        writer.publish_new(&Place::known(".hooks"), "unreadable-move", &bytes)?;
    }
    writer.remove(&place, &bytes)
}

/// First to the target, then out of the sources; each step is one that was made already or is made now.
fn run(writer: &Writer<'_>, intent: &Intent) -> Result<(), TeamError> {
    let target = Place::stored(&intent.target).filter(|_| !intent.parts.is_empty());
    if let Some(target) = target {
        writer.update(&target, |current| {
            let current = current.unwrap_or_default();
            Ok(if intent.is_in(current) { current.to_vec() } else { added(current, intent) })
        })?;
    }
    // Folders that files left: one wait for the device each, however many there were.
    let mut left = Vec::new();
    for source in &intent.sources {
        let Some(place) = Place::stored(&source.place) else { continue };
        let Some(current) = writer.folder().read(&place)? else { continue };
        match source.left(&current) {
            Left::AsItIs => {}
            Left::Nothing => {
                writer.take_away(&place)?;
                if !left.iter().any(|other: &Place| other.is_beside(&place)) {
                    left.push(place);
                }
            }
            Left::Bytes(_) => {
                writer.update(&place, |current| {
                    let current = current.unwrap_or_default();
                    Ok(match source.left(current) {
                        Left::Bytes(left) => left,
                        Left::AsItIs | Left::Nothing => current.to_vec(),
                    })
                })?;
            }
        }
    }
    left.iter().try_for_each(|place| writer.settle(place))
}

/// `target` with all parts of `intent` added: to the sections of their groups, what has none at the end.
fn added(target: &[u8], intent: &Intent) -> Vec<u8> {
    let title = format!("{}\n", intent.title).into_bytes();
    let document = Document::parse(if target.is_empty() { title } else { target.to_vec() });
    let mut sections = HashMap::new();
    for section in document.sections().iter().filter(|section| section.level == 2) {
        sections.entry(key(&document.title_of(section))).or_insert(section);
    }
    let mut splices = Vec::new();
    // Sections that are not there yet, in the order of their first entries: what has no headings, and the rest.
    let (mut missing, mut numbers) = (Vec::<(Option<&str>, [Vec<u8>; 2])>::new(), HashMap::new());
    // What has no headings comes first where both are added at one place.
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

/// Where what stands under the title and no other heading ends.
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

    use super::super::{Source, plan};
    use super::*;
    use crate::folder::Folder;
    use crate::ledger::{Grammar, Ledger};

    const HISTORY: &str = "# E\n\n## Learnings\n\n### 2025-01-01\none\n\n### old\ntwo\n\n- three\n\n## Patterns\n\n- four\n- five\n\n### 2025-01-01\none\n\n### new\nsix\n";

    fn folder(disk: &FakeDisk) -> Folder {
        Folder::new(Arc::new(disk.clone()), Arc::new(SeededRandom::new(1)), "/t")
    }

    fn archive(folder: &Folder) -> Result<usize, TeamError> {
        let (source, target) = (Place::known("history.md"), Place::known("history-archive.md"));
        let writer = folder.writer()?;
        resume(&writer)?;
        let (from, to) =
            (folder.read(&source)?.unwrap_or_default(), folder.read(&target)?.unwrap_or_default());
        let keep = |text: &str| text.contains("six") || text.contains("four");
        let planned = plan((&source, &from), (&target, &to), Grammar::History, "# Archive", |entry| {
            !keep(&entry.text())
        });
        let Some((intent, moved)) = planned else { return Ok(0) };
        begin(&writer, &intent)?;
        Ok(moved.entries)
    }

    /// All entries of both files.
    fn entries(disk: &FakeDisk) -> Vec<String> {
        let mut found = Vec::new();
        for name in ["/t/history.md", "/t/history-archive.md"] {
            let bytes = disk.files().remove(std::path::Path::new(name)).unwrap_or_default();
            let ledger = Ledger::new(Document::parse(bytes), Grammar::History);
            found.extend(ledger.entries().map(|entry| entry.text().trim().to_owned()));
        }
        found.sort();
        found
    }

    #[test]
    fn every_entry_is_in_exactly_one_place_whenever_it_is_killed() {
        let start = FakeDisk::default().with_file("/t/history.md", HISTORY);
        let all = entries(&start);
        assert_eq!(all.len(), 6);
        for power in [false, true] {
            for at in 0.. {
                let disk = FakeDisk::default().with_file("/t/history.md", HISTORY);
                let folder = folder(&disk);
                disk.kill_at(at);
                let done = archive(&folder).is_ok();
                if power {
                    disk.lose_power();
                } else {
                    disk.restart();
                }
                // Killed again while it is finished.
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
        let disk = FakeDisk::default().with_file("/t/history.md", HISTORY);
        archive(&folder(&disk)).unwrap();
        let files = disk.files();
        let text = |name: &str| String::from_utf8(files[std::path::Path::new(name)].clone()).unwrap();
        assert_eq!(text("/t/history.md"), "# E\n\n## Learnings\n\n## Patterns\n\n- four\n### new\nsix\n");
        assert_eq!(
            text("/t/history-archive.md"),
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
            assert!(!folder.exists(&Place::known(".hooks/move.json")).unwrap());
            assert_eq!(disk.files().len(), 4, "it is kept under another name");
        }
    }

    #[test]
    fn a_changed_file_is_not_taken_away() {
        let place = Place::known("in.md");
        let source = Source::whole(&place, b"seen");
        let intent = Intent::new(&Place::known("to.md"), b"", "# T", Vec::new(), vec![source]);
        let disk = FakeDisk::default().with_file("/t/in.md", "changed");
        let folder = folder(&disk);
        begin(&folder.writer().unwrap(), &intent).unwrap();
        assert!(folder.exists(&place).unwrap());
        disk.put("/t/in.md", "seen");
        begin(&folder.writer().unwrap(), &intent).unwrap();
        assert!(!folder.exists(&place).unwrap());
    }
}
