//! Archives histories that are too long.

use std::collections::HashMap;

use hooks_core::time::Timestamp;
use hooks_team::files::History;
use hooks_team::folder::TeamPath;
use hooks_team::text::{Document, Splice};
use hooks_team::{Digest, Name, Team, TeamError};

use super::SessionEndSettings;
use super::record::name;

/// First characters of the line about an archive. A quote under the title is not an entry.
const MARK: &str = "> Archived: ";

/// The most titles in the line.
const TITLES: usize = 5;

/// Archives the entries that make an agent's history too long. With `all`, the line about the archive is
/// updated in short histories as well, in case a process was killed before it did that.
pub(super) fn archive_histories(
    team: &Team,
    settings: &SessionEndSettings,
    all: bool,
) -> Result<(), TeamError> {
    if settings.history_above == 0 {
        return Ok(());
    }
    for folder in team.folder().list(&TeamPath::new("agents")?)? {
        // Folders of retired agents are skipped, and names that are not valid for an agent.
        let Ok(agent) = Name::new(folder.as_str()) else { continue };
        if folder.starts_with('_') {
            continue;
        }
        let here = TeamPath::new("agents")?.join(&agent);
        let history = here.join(&name("history.md")?);
        let Ok(Some(bytes)) = team.folder().read(&history) else { continue };
        let is_long = bytes.len() as u64 > settings.history_above;
        if is_long {
            let mut chosen = to_archive(&History::new(Document::parse(bytes)), settings);
            team.archive_history(&folder, |entry| take(&mut chosen, entry.digest()))?;
        }
        if is_long || all {
            summarise(team, &history, &here.join(&name("history-archive.md")?))?;
        }
    }
    Ok(())
}

/// Chooses the digests of the entries to archive, with their number. The newest entries stay, up to half of
/// the limit.
fn to_archive(history: &History, settings: &SessionEndSettings) -> HashMap<Digest, usize> {
    let mut last: Option<Timestamp> = None;
    let mut order: Vec<_> = history
        .entries()
        .enumerate()
        .map(|(at, entry)| {
            // An entry without a date counts as old as the entry before it.
            last = entry.date().or(last);
            (last, at, entry)
        })
        .collect();
    order.sort_by_key(|(date, at, _)| std::cmp::Reverse((*date, *at)));
    let (mut room, mut chosen) = (settings.history_above / 2, HashMap::new());
    for (number, (_, _, entry)) in order.into_iter().enumerate() {
        let length = entry.bytes().len() as u64;
        if number < settings.keep || length <= room {
            room = room.saturating_sub(length);
            continue;
        }
        // After the first entry that does not fit, all entries are older.
        room = 0;
        *chosen.entry(entry.digest()).or_default() += 1;
    }
    chosen
}

fn take(chosen: &mut HashMap<Digest, usize>, digest: Digest) -> bool {
    let Some(count) = chosen.get_mut(&digest).filter(|count| **count > 0) else { return false };
    *count -= 1;
    true
}

/// Updates the line in the history about its archive.
fn summarise(team: &Team, history: &TeamPath, archive: &TeamPath) -> Result<(), TeamError> {
    let Some(bytes) = team.folder().read(archive)? else { return Ok(()) };
    let Some(line) = line(&History::new(Document::parse(bytes))) else { return Ok(()) };
    let writer = team.writer()?;
    writer.update(history, |current| Ok(with_line(current.unwrap_or_default(), &line))).map(drop)
}

fn line(archive: &History) -> Option<String> {
    let mut entries: Vec<_> =
        archive.entries().map(|entry| (entry.date(), entry.title().into_owned())).collect();
    let dates = || entries.iter().filter_map(|(date, _)| *date);
    let day = |date: Timestamp| date.to_string().chars().take(10).collect::<String>();
    let span = dates().min().zip(dates().max());
    let span = span.map(|(first, last)| format!(", {} to {}", day(first), day(last))).unwrap_or_default();
    let count = entries.len();
    entries.sort_by_key(|(date, _)| std::cmp::Reverse(*date));
    let mut titles: Vec<String> = Vec::new();
    for (_, title) in entries {
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
        // A title that is only a date is not useful.
        if titles.len() < TITLES && title.chars().any(char::is_alphabetic) && !titles.contains(&title) {
            titles.push(title);
        }
    }
    let about =
        if titles.is_empty() { String::new() } else { format!("; the newest: {}", titles.join("; ")) };
    (count > 0).then(|| format!("{MARK}{count} older entries{span} are in `history-archive.md`{about}"))
}

/// Replaces the line in `history`, or adds it under the title.
fn with_line(history: &[u8], line: &str) -> Vec<u8> {
    let document = Document::parse(history);
    let newline = document.newline();
    // Only the part before the first entry is searched: further down the line may be part of an entry.
    let end =
        History::new(document.clone()).entries().next().map_or(history.len(), |entry| entry.range().start);
    let mut at = 0;
    for text in history.get(..end).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
        if text.starts_with(MARK.as_bytes()) {
            return document.with(vec![Splice::replace(at..at + text.len(), format!("{line}{newline}"))]);
        }
        at += text.len();
    }
    match document.sections().first().filter(|section| section.level == 1) {
        Some(title) => document.with(vec![Splice::insert(title.body, format!("{newline}{line}{newline}"))]),
        None => document.with(vec![Splice::insert(0, format!("{line}{newline}{newline}"))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_stands_under_the_title_and_is_no_entry() {
        for history in ["# A\n\n## Learnings\n\n### x\ny\n", "## Learnings\n\n- a\n", "- a\n", "# A\n"] {
            let count = |bytes: &[u8]| History::new(Document::parse(bytes)).entries().count();
            let once = with_line(history.as_bytes(), "> Archived: 1");
            assert_eq!(count(&once), count(history.as_bytes()), "{}", String::from_utf8_lossy(&once));
            let twice = with_line(&once, "> Archived: 2");
            assert_eq!(String::from_utf8(twice).unwrap(), String::from_utf8(once).unwrap().replace('1', "2"));
        }
    }

    #[test]
    fn the_newest_stay() {
        let text: String =
            (1..=9).map(|day| format!("### 2026-01-0{day}\n{}\n\n", "x".repeat(100))).collect();
        let history = History::new(Document::parse(text));
        let gone = |above, keep| {
            let settings = SessionEndSettings { history_above: above, keep, ..SessionEndSettings::default() };
            let chosen = to_archive(&history, &settings);
            history.entries().filter(|entry| chosen.contains_key(&entry.digest())).count()
        };
        assert_eq!((gone(600, 0), gone(600, 5), gone(10_000, 0)), (7, 4, 0));
    }
}
