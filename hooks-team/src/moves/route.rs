//! The files between which entries can be moved. The list is fixed, so that a stored move of another program
//! cannot reach other files.

use crate::name::Name;
use crate::text::one_line;

/// The most characters of a file name in a reason.
const SHOWN: usize = 120;

/// A kind of file that takes part in moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'p> {
    Inbox,
    Decisions,
    DecisionsArchive,
    /// History of this agent.
    History(&'p str),
    HistoryArchive(&'p str),
    /// An entry of a queue.
    Queue,
    SessionLog,
    SpawnLog,
}

/// Checks the files of a move: `sources` are places, each with whether the file is removed.
///
/// Returns a reason if entries never move from such a source to `target`. The same holds if a source is removed
/// and files of its kind are kept, or the other way round.
pub(super) fn check<'p>(
    target: &str,
    sources: impl IntoIterator<Item = (&'p str, bool)>,
) -> Result<(), String> {
    let to = Kind::from_path(target);
    let mut is_empty = true;
    for (source, goes) in sources {
        is_empty = false;
        let from = Kind::from_path(source);
        let is_known = from.zip(to).is_some_and(|(from, to)| from.goes_to(to) && from.is_whole() == goes);
        if !is_known {
            return Err(format!("nothing is moved from {} to {}", shown(source), shown(target)));
        }
    }
    if is_empty { Err(format!("nothing is moved to {}", shown(target))) } else { Ok(()) }
}

/// Whether the file at `place` is written once and never extended.
pub(super) fn is_written_once(place: &str) -> bool {
    Kind::from_path(place) == Some(Kind::SpawnLog)
}

impl<'p> Kind<'p> {
    fn from_path(place: &'p str) -> Option<Self> {
        let parts: Vec<_> = place.split('/').collect();
        Some(match parts.as_slice() {
            ["decisions.md"] => Self::Decisions,
            ["decisions-archive.md"] => Self::DecisionsArchive,
            // Agents choose these names: every name that a listing shows is accepted.
            ["decisions", "inbox", file] if !file.starts_with('.') && is_markdown(file) => Self::Inbox,
            ["agents", agent, "history.md"] if is_name(agent) => Self::History(agent),
            ["agents", agent, "history-archive.md"] if is_name(agent) => Self::HistoryArchive(agent),
            [".hooks", queue, note] if is_name(queue) && is_name(note) && note.ends_with(".json") => {
                Self::Queue
            }
            ["log", file] if is_name(file) && file.ends_with(".md") => Self::SessionLog,
            ["orchestration-log", file] if is_name(file) && file.ends_with(".md") => Self::SpawnLog,
            _ => return None,
        })
    }

    fn goes_to(self, target: Self) -> bool {
        match (self, target) {
            (Self::Inbox, Self::Decisions)
            | (Self::Decisions, Self::DecisionsArchive)
            | (Self::Queue, Self::SessionLog | Self::SpawnLog) => true,
            (Self::History(agent), Self::HistoryArchive(other)) => agent == other,
            _ => false,
        }
    }

    /// Whether the whole file is removed by a move.
    const fn is_whole(self) -> bool {
        matches!(self, Self::Inbox | Self::Queue)
    }
}

/// Whether the name is that of a Markdown file.
pub(crate) fn is_markdown(name: &str) -> bool {
    name.len() > 3 && name.get(name.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"))
}

fn is_name(part: &str) -> bool {
    Name::new(part).is_ok()
}

fn shown(place: &str) -> String {
    let line: String = one_line(place).chars().take(SHOWN).collect();
    format!("`{}`", line.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_this_crate_moves_is_moved() {
        for (source, goes, target) in [
            ("decisions/inbox/a `b` $c.MD", true, "decisions.md"),
            ("decisions.md", false, "decisions-archive.md"),
            ("agents/a/history.md", false, "agents/a/history-archive.md"),
            (".hooks/scribe/00-1.json", true, "log/x.md"),
            (".hooks/scribe/00-1.json", true, "orchestration-log/x.md"),
        ] {
            assert_eq!(check(target, [(source, goes)]), Ok(()), "{source}");
            assert!(check(target, [(source, !goes)]).is_err(), "{source} goes in another way");
            for other in ["orchestration-log/holds.json", "team.md", "decisions/inbox/x/y.md", "log/x.md"] {
                assert!(check(target, [(source, goes), (other, true)]).is_err(), "{other}");
                assert!(check(target, [(source, goes), (other, false)]).is_err(), "{other}");
            }
            for other in [
                "x.md",
                "team.md",
                "decisions/inbox/x.md",
                "agents/b/history-archive.md",
                "agents/a/charter.md",
                "orchestration-log/holds.json",
                "orchestration-log/w0.00000001.jsonl",
                "orchestration-log/w0.00000001.jsonl.gz",
                "orchestration-log/w0.end",
                "orchestration-log/w0.lock",
                "orchestration-log/.md",
                "orchestration-log/a/b.md",
                "log/.x.md",
                ".hooks/lock",
                ".hooks/scribe/x.json",
            ] {
                assert!(check(other, [(source, goes)]).is_err(), "{source} to {other}");
            }
            assert!(check(target, []).is_err());
        }
    }
}
