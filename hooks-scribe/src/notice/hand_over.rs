//! Text of notices for an agent.

use hooks_core::{ContextNote, Lifetime};

use super::queue::Notice;
use super::settings::NAME;

/// Returns the text for `notices`, with at most `most` files, the newest; `None` if there are no notices.
pub(super) fn note(notices: &[Notice], most: usize) -> Option<ContextNote> {
    // A file that one agent wrote several times is listed once, with the last time.
    let mut files: Vec<(&Notice, usize)> = Vec::new();
    for notice in notices.iter().rev() {
        let same = |(other, _): &&mut (&Notice, usize)| other.by == notice.by && other.file == notice.file;
        match files.iter_mut().find(same) {
            Some((_, times)) => *times += 1,
            None => files.push((notice, 1)),
        }
    }
    let count = files.len();
    if count == 0 {
        return None;
    }
    let mut text = "Since you last worked, others changed what your charter covers:\n".to_owned();
    for (notice, times) in files.iter().take(most.max(1)) {
        let Notice { at, by, file, tool, covered, .. } = notice;
        let times = if *times == 1 { String::new() } else { format!(", {times} times, last") };
        text.push_str(&format!(
            "- {}: {}{times} at {at} with {} (yours by {})\n",
            code(file),
            plain(by),
            code(tool),
            code(covered)
        ));
    }
    let rest = count.saturating_sub(most.max(1));
    if rest > 0 {
        text.push_str(&format!("- and {rest} older files; `git log` has them\n"));
    }
    text.push_str("Look at what changed before you build on it.");
    Some(ContextNote { text, lifetime: Lifetime::Session, source: Some(NAME.to_owned()) })
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Removes characters from a name that have a meaning in Markdown.
fn plain(text: &str) -> String {
    text.replace(['`', '<', '>', '[', ']'], "'")
}
