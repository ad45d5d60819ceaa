//! One line about what a briefing does not have.

use super::{Choice, Loaded, Part};

/// What was left out of each part.
pub(super) struct LeftOut<'a> {
    /// How many entries, of what, and how to read them.
    entries: Vec<(usize, &'a str, Option<&'a str>)>,
    /// What nobody could read, and how to.
    unread: Vec<(&'static str, &'a str, Option<&'a str>)>,
}

impl<'a> LeftOut<'a> {
    /// What `choice` does not have.
    pub(super) fn of(parts: &'a [Part], choice: &Choice<'_>) -> Self {
        Self::counting(parts, |at| choice.left_out(at))
    }

    /// The most that can be left out: what room is kept for.
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

    /// The line, if there is something to say. What could not be read is always said; what did not fit only where
    /// something is given.
    pub(super) fn line(&self, something_is_given: bool) -> Option<String> {
        let mut said: Vec<String> = self
            .entries
            .iter()
            .filter(|_| something_is_given)
            .map(|(count, name, command)| format!("{count} of {name}{}", shown(*command)))
            .collect();
        said.extend(
            self.unread.iter().map(|(what, name, command)| format!("{name}, {what}{}", shown(*command))),
        );
        (!said.is_empty()).then(|| format!("[left out: {}]", said.join("; ")))
    }
}

fn shown(command: Option<&str>) -> String {
    command.map(|command| format!(" (`{command}`)")).unwrap_or_default()
}
