//! The line about entries that a briefing leaves out.

use super::{Choice, Loaded, Part};

/// Entries and sources that a briefing leaves out.
pub(super) struct LeftOut<'a> {
    /// For each part with left-out entries: their number, the name of the part, and the command that shows
    /// them.
    entries: Vec<(usize, &'a str, Option<&'a str>)>,
    /// For each source that could not be read: the problem, the name, and the command that shows it.
    unread: Vec<(&'static str, &'a str, Option<&'a str>)>,
}

impl<'a> LeftOut<'a> {
    /// Counts the entries of `parts` that `choice` leaves out.
    pub(super) fn from_choice(parts: &'a [Part], choice: &Choice<'_>) -> Self {
        Self::counting(parts, |at| choice.left_out(at))
    }

    /// Counts every entry as left out: the longest line possible, for which the budget keeps room.
    pub(super) fn most(parts: &'a [Part]) -> Self {
        Self::counting(parts, |at| match parts.get(at).map(|part| &part.loaded) {
            Some(Loaded::Section(section)) => section.items.len().saturating_add(section.more),
            _ => 0,
        })
    }

    fn counting(parts: &'a [Part], count: impl Fn(usize) -> usize) -> Self {
        let (mut entries, mut unread) = (Vec::new(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            let command = part.command.as_deref();
            match &part.loaded {
                Loaded::Section(section) => {
                    let left = count(at);
                    if left > 0 {
                        entries.push((left, &*part.name, section.command.as_deref().or(command)));
                    }
                }
                Loaded::Late => unread.push(("not read in time", &*part.name, command)),
                Loaded::Failed(_) => unread.push(("not readable", &*part.name, command)),
            }
        }
        Self { entries, unread }
    }

    /// Formats the line, or returns `None` if nothing is left out. Sources that could not be read are always
    /// listed; left-out entries only if the briefing has other entries.
    pub(super) fn line(&self, something_is_given: bool) -> Option<String> {
        let mut lines: Vec<String> = self
            .entries
            .iter()
            .filter(|_| something_is_given)
            .map(|(count, name, command)| format!("{count} of {name}{}", shown(*command)))
            .collect();
        lines.extend(
            self.unread.iter().map(|(what, name, command)| format!("{name}, {what}{}", shown(*command))),
        );
        (!lines.is_empty()).then(|| format!("[left out: {}]", lines.join("; ")))
    }
}

fn shown(command: Option<&str>) -> String {
    command.map(|command| format!(" (`{command}`)")).unwrap_or_default()
}
