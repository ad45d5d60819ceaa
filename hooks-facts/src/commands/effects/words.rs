//! Words of a program as the table of effects sees them: operands, options, and the values of options.

use super::devices;
use super::table::ValueOptions;
use crate::commands::argument::Argument;
use crate::commands::git;
use crate::globs::Gap;

/// Longest pattern or text that is compared; longer ones never match.
const LONGEST: usize = 4096;

/// Words of a program.
pub(super) struct Words {
    /// Operands from the subcommand on, each with whether an option may take it as its value.
    pub(super) operands: Vec<(String, bool)>,
    /// Options with the word after them.
    pub(super) options: Vec<(String, String)>,
    /// Whether a bare `--` is among the words.
    pub(super) has_end: bool,
}

impl Words {
    /// Reads the words of a program; those of `values` take the next word.
    pub(super) fn new(name: &str, words: &[Argument], values: &ValueOptions<'_>) -> Self {
        let own = if name == "git" { git::subcommand(words) } else { words };
        let globals = words.get(..words.len() - own.len()).unwrap_or_default();
        let mut read = Self { operands: Vec::new(), options: Vec::new(), has_end: false };
        for (at, word) in globals.iter().enumerate() {
            read.option(word, globals.get(at + 1));
        }
        let subcommand = if name == "git" { own.first().map_or("", Argument::prefix) } else { "" };
        let mut after_option = false;
        let mut at = 0;
        while let Some(word) = own.get(at) {
            at += 1;
            let text = word.outline();
            if text == "--" {
                read.has_end = true;
                read.operands.extend(own.iter().skip(at).map(|word| (word.outline(), false)));
                break;
            }
            let is_option = text.len() > 1 && text.starts_with('-');
            if !is_option {
                read.operands.push((text, after_option));
                after_option = false;
                continue;
            }
            let takes_next = values.take_next(name, subcommand, &text);
            read.option(word, own.get(at));
            at += usize::from(takes_next);
            after_option = !takes_next && !text.contains('=');
        }
        read
    }

    fn option(&mut self, word: &Argument, next: Option<&Argument>) {
        let text = word.outline();
        if text.len() > 1 && text.starts_with('-') {
            self.options.push((text, next.map(Argument::outline).unwrap_or_default()));
        }
    }

    /// Returns the number of operands that the subcommand takes, if the operands begin with it. Before it, for programs other
    /// than git, may be operands that follow an option.
    pub(super) fn after(&self, sub: &str, is_exact: bool) -> Option<usize> {
        let wanted = || sub.split(' ').filter(|word| !word.is_empty());
        let skippable = self.operands.iter().take_while(|(_, after_option)| *after_option).count();
        let last = if is_exact { 0 } else { skippable };
        (0..=last).find_map(|start| {
            let mut given = self.operands.iter().skip(start);
            let fits = |wanted: &str| {
                given.next().is_some_and(|(given, _)| wanted.split('|').any(|wanted| glob(wanted, given)))
            };
            wanted().all(fits).then(|| start + wanted().count())
        })
    }

    /// Returns whether an option is given: a letter, a long name, or one of them with a value.
    pub(super) fn has(&self, wanted: &str) -> bool {
        let (name, value) = match wanted.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (wanted, None),
        };
        self.options.iter().any(|(given, next)| match (value, value_of(name, given, next)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(wanted), Some(given)) => is_value(wanted, &given),
        })
    }
}

/// Returns the value of an option, if `given` is the option `name`; the empty text if it has none.
fn value_of(name: &str, given: &str, next: &str) -> Option<String> {
    if let Some(long) = name.strip_prefix("--") {
        let given = given.strip_prefix("--")?;
        let (own, value) = given.split_once('=').map_or((given, None), |(own, value)| (own, Some(value)));
        let is_one = own == long || !own.is_empty() && long.starts_with(own) && !is_gap_in(own);
        return is_one.then(|| value.unwrap_or(next).to_owned());
    }
    let letters = name.strip_prefix('-')?;
    let bundle = given.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'))?;
    let mut all = letters.chars();
    let (Some(letter), None) = (all.next(), all.next()) else {
        let (own, value) = bundle.split_once(['=', ':']).unwrap_or((bundle, next));
        return own.eq_ignore_ascii_case(letters).then(|| value.to_owned());
    };
    let end = bundle.find('=').unwrap_or(bundle.len());
    let place = bundle.find(letter).filter(|at| *at < end)?;
    let attached = bundle.get(place + letter.len_utf8()..).unwrap_or_default();
    let attached = attached.strip_prefix('=').unwrap_or(attached);
    Some(if attached.is_empty() { next } else { attached }.to_owned())
}

fn is_value(wanted: &str, given: &str) -> bool {
    match wanted {
        "@device" => devices::is_device(given),
        _ => glob(&wanted.to_lowercase(), &given.to_lowercase()),
    }
}

/// Returns whether a text contains a part that is not known.
pub(super) fn is_gap_in(text: &str) -> bool {
    text.contains(|c| Gap::from_char(c).is_some())
}

/// Returns whether a name was found by a search below a folder, or has a wildcard for folders.
pub(super) fn is_found(text: &str) -> bool {
    let folders = Gap::Folders.stand_in();
    let name = Gap::Name.stand_in();
    text.contains(folders) && !text.contains(Gap::is_anything_at) || text.contains(&format!("{name}{name}/"))
}

/// Returns whether a text matches a pattern in which `*` stands for any text and `?` for a character. Linear for a pattern
/// with one `*`, and bounded otherwise.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == text;
    }
    if pattern.len() > LONGEST {
        return false;
    }
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = after_piece(first, text) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(found) = find_piece(piece, rest) else { return false };
        rest = found;
    }
    let length = last.chars().count();
    match rest.char_indices().rev().nth(length.saturating_sub(1)) {
        _ if length == 0 => true,
        Some((at, _)) => after_piece(last, rest.get(at..).unwrap_or_default()).is_some(),
        None => false,
    }
}

/// Returns the text after a piece at its start.
fn after_piece<'t>(piece: &str, text: &'t str) -> Option<&'t str> {
    if !piece.contains('?') {
        return text.strip_prefix(piece);
    }
    let mut rest = text.chars();
    for wanted in piece.chars() {
        let given = rest.next()?;
        if wanted != '?' && wanted != given {
            return None;
        }
    }
    Some(rest.as_str())
}

/// Returns the text after the first place of a piece.
fn find_piece<'t>(piece: &str, text: &'t str) -> Option<&'t str> {
    if !piece.contains('?') {
        return text.find(piece).and_then(|at| text.get(at + piece.len()..));
    }
    text.char_indices().take(LONGEST).find_map(|(at, _)| after_piece(piece, text.get(at..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_words() {
        for (pattern, text) in
            [("a", "a"), ("a*", "a"), ("*a", "ba"), ("*a*b*", "xaxbx"), ("4???", "4755"), (":?*", ":x")]
        {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("a", "b"),
            ("a*", "b"),
            ("*a", "b"),
            ("*a*b*", "xbxa"),
            ("4???", "755"),
            (":?*", ":"),
            ("a*a", "a"),
        ] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }
}
