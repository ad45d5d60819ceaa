//! Existing files that the words of a command name.

use hooks_core::fs::EntryKind;
use hooks_facts::calls::{Call, NamedPath, ParsedCommand};
use hooks_facts::commands::Argument;
use hooks_facts::globs::Gap;
use hooks_facts::tools::PathRole;

/// Most words of one command that are looked up.
const MAX_WORDS: usize = 1024;

/// Returns the existing files and folders that the words of a command name, and its names with a wildcard; `None` if it has
/// too many words to look at.
pub(super) fn in_words(call: Call<'_>, command: &ParsedCommand) -> Option<Vec<NamedPath>> {
    let analysis = &command.analysis;
    let (mut left, mut all) = (MAX_WORDS, Vec::new());
    for invocation in &analysis.invocations {
        for word in invocation.argv.iter().skip(1) {
            for piece in pieces(word) {
                left = left.checked_sub(1)?;
                for name in analysis.names(invocation, &piece) {
                    all.extend(existing(call, command, &name));
                }
            }
        }
    }
    Some(all)
}

/// Returns the existing files and folders that the texts of inline programs name; `None` if there are too many.
pub(super) fn in_programs(call: Call<'_>, command: &ParsedCommand) -> Option<Vec<NamedPath>> {
    let (mut left, mut all) = (MAX_WORDS, Vec::new());
    for program in command.analysis.programs() {
        let is_mark = |c: char| c.is_whitespace() || "'\"`()[]{}<>|&;,=:@!#%^+\\".contains(c);
        for piece in program.text.split(is_mark).filter(|piece| piece.contains(char::is_alphanumeric)) {
            left = left.checked_sub(1)?;
            for name in command.analysis.names_in_program(program, &Argument::from(piece)) {
                all.extend(existing(call, command, &name));
            }
        }
    }
    Some(all)
}

/// Returns a word, the value of its option, and both sides of a colon.
fn pieces(word: &Argument) -> Vec<Argument> {
    let outline = word.outline();
    let mut texts = vec![outline.clone()];
    if let Some(option) = outline.strip_prefix('-') {
        let attached = match option.starts_with('-') {
            true => option.split_once('=').map(|(_, value)| value),
            false => option.get(option.chars().next().map_or(0, char::len_utf8)..),
        };
        texts = attached.filter(|value| !value.is_empty()).map(str::to_owned).into_iter().collect();
    }
    let parts: Vec<_> =
        texts.iter().flat_map(|text| text.split([':', '=', '@'])).map(str::to_owned).collect();
    texts.extend(parts);
    texts.sort_unstable();
    texts.dedup();
    let as_argument = |text: &String| match word {
        Argument::Literal(_) => Argument::from(text.as_str()),
        Argument::Dynamic { .. } => Argument::of_outline(text),
    };
    texts.iter().filter(|text| !text.is_empty()).map(as_argument).collect()
}

/// Returns the place of a name if it exists, or if it has a wildcard of the shell, which stands for existing files. A name
/// with a variable is not known.
fn existing(call: Call<'_>, command: &ParsedCommand, name: &Argument) -> Vec<NamedPath> {
    let outline = name.outline();
    let is_partial = name.literal().is_none();
    if is_partial && outline.contains(Gap::is_anything_at) {
        return Vec::new();
    }
    let moved = call.moved(&outline);
    let names = std::iter::once(outline).chain(moved);
    let places = names.map(|name| NamedPath::named(call, &command.pointer, name, PathRole::Read, is_partial));
    places.filter(|place| is_partial || exists(call, place)).collect()
}

fn exists(call: Call<'_>, place: &NamedPath) -> bool {
    match &place.resolution {
        Ok(found) => matches!(
            found.kind,
            Some(EntryKind::File | EntryKind::Directory | EntryKind::Special | EntryKind::Symlink)
        ),
        // Outside of the root: only what is there counts, because most words are no paths at all.
        Err(_) => place.is_file(call),
    }
}
