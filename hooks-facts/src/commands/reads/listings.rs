//! Code that lists a folder and opens each of the files: `for f in os.listdir('.'): print(open(f).read())`.
//!
//! The files are those that the listing finds, as if a shell's wildcard or a search named them. If the code compares the names
//! with endings, only names with these endings count; with any other filter, the names are not known.

use super::super::file_programs::inside;
use super::{AccessKind, Argument, Recorder, UnknownReadsReason, found_below, wildcards};
use crate::shell::Span;

/// Calls that list the names in a folder.
const LISTS: &[&str] = table!("read_words_lists");

/// Calls that find names everywhere below a folder.
const WALKS: &[&str] = table!("read_words_walks");

/// Calls that take the content of a file.
const CONTENTS: &[&str] = table!("read_words_contents");

/// Calls and properties that compare the end of a name.
const ENDINGS: &[&str] = table!("read_words_endings");

/// Calls and operators that choose names in another way.
const FILTERS: &[&str] = &[
    "fnmatch",
    "re.match",
    "re.search",
    ".match(",
    ".test(",
    "startswith",
    "startsWith",
    "start_with?",
    "=~",
    "not in",
    ".filter(",
];

/// Longest code between a call and its end that is looked at.
const MAX_CALL: usize = 400;

/// Most listings of one code that are looked at.
const MAX_LISTINGS: usize = 32;

/// Records the files that code opens of those which it lists.
pub(super) fn of_text(walk: &mut Recorder, program: &str, text: &str, span: Span) {
    if !takes_content(text) {
        return;
    }
    let all = LISTS.iter().map(|call| (*call, false)).chain(WALKS.iter().map(|call| (*call, true)));
    let found =
        all.flat_map(|(call, is_deep)| text.match_indices(call).map(move |(at, _)| (call, at, is_deep)));
    let calls = found.filter(|(call, at, _)| is_call(text, call, *at)).take(MAX_LISTINGS + 1);
    for (index, (call, at, is_deep)) in calls.enumerate() {
        if index == MAX_LISTINGS {
            return walk.reads_unknown(program, UnknownReadsReason::TooMany, span);
        }
        let behind = text.get(at + call.len()..).unwrap_or_default();
        let before = text.get(..at).unwrap_or_default();
        let listing = Listing::new(before, call, behind, is_deep);
        listing.record(walk, program, text, span);
    }
}

/// Returns whether a call only lists names.
pub(super) fn lists(call: &str) -> bool {
    LISTS.contains(&call) || WALKS.contains(&call)
}

/// Returns whether a text has a call whose bracket follows, and whose name is no part of another one.
fn is_call(text: &str, call: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let behind = text.get(at + call.len()..).unwrap_or_default().trim_start();
    let has_bracket = call.ends_with(['[', '('])
        || behind.starts_with('(')
        || (behind.starts_with([' ', '"', '\'']) && call.starts_with(char::is_uppercase));
    has_bracket && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Returns whether code takes the content of a file. A call of `open` that writes takes none.
fn takes_content(text: &str) -> bool {
    CONTENTS.iter().any(|call| {
        text.match_indices(call).any(|(at, _)| {
            let behind = text.get(at + call.len()..).unwrap_or_default();
            is_call(text, call, at) && !writes(call_end(behind))
        })
    })
}

/// Returns whether an argument behind the first one, or one with a name, is a mode that writes: `open(name, 'w')`.
fn writes(arguments: &str) -> bool {
    let own = usize::from(arguments.trim_start().starts_with('('));
    let mut depth = 0_usize;
    arguments.char_indices().any(|(at, letter)| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let behind = arguments.get(at + letter.len_utf8()..).unwrap_or_default();
        let is_quoted =
            depth == own && matches!(letter, ',' | '=') && behind.trim_start().starts_with(['"', '\'']);
        is_quoted && first_string(behind).is_some_and(is_writing_mode)
    })
}

fn is_writing_mode(mode: &str) -> bool {
    mode.starts_with(['w', 'a', 'x']) && mode.chars().all(|c| "rwaxbt+".contains(c))
}

/// Returns the arguments of a call: the text up to the bracket that ends it.
fn call_end(behind: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in behind.char_indices().take(MAX_CALL) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth <= 1 => return behind.get(..at).unwrap_or_default(),
            ')' | ']' => depth -= 1,
            '\n' if depth == 0 => return behind.get(..at).unwrap_or_default(),
            _ => {}
        }
    }
    behind.get(..behind.char_indices().nth(MAX_CALL).map_or(behind.len(), |(at, _)| at)).unwrap_or_default()
}

/// Returns the first string in a text.
fn first_string(text: &str) -> Option<&str> {
    let at = text.find(['"', '\'', '`'])?;
    let quote = text.get(at..)?.chars().next()?;
    text.get(at + 1..)?.split(quote).next()
}

/// Returns the folder in front of the first wildcard of a pattern.
fn known_folder(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    match pattern.get(..end).and_then(|start| start.rfind('/')) {
        Some(0) => "/",
        Some(at) => pattern.get(..at).unwrap_or("."),
        None => ".",
    }
}

/// Names that a call lists.
struct Listing<'t> {
    /// Folder or pattern; `None` if it is not known.
    folder: Option<&'t str>,
    pattern: Option<&'t str>,
    is_deep: bool,
    shows_hidden: bool,
}

impl<'t> Listing<'t> {
    fn new(before: &'t str, call: &str, behind: &'t str, is_deep: bool) -> Self {
        let arguments = call_end(behind);
        let is_empty = arguments.trim_matches(['(', '[', ' ']).is_empty()
            || arguments.contains("getcwd")
            || arguments.contains("cwd()");
        let given = first_string(arguments);
        let is_pattern = given.is_some_and(|given| given.contains(['*', '?']))
            || matches!(call, "glob" | "rglob" | "iglob");
        // The folder of `Path('src').rglob('*')`.
        let receiver = before.strip_suffix('.').map(str::trim_end);
        let of_path = receiver
            .and_then(|receiver| receiver.strip_suffix(')'))
            .and_then(|receiver| receiver.rfind("Path(").and_then(|at| receiver.get(at + 5..)));
        let own = of_path
            .map(|inner| if inner.trim().is_empty() { "." } else { first_string(inner).unwrap_or_default() });
        let is_path = receiver.is_some_and(|receiver| {
            !["glob", "Dir", "os", "fs", "fsp", "promises"].iter().any(|module| receiver.ends_with(module))
        });
        let named = if is_pattern || is_path && is_empty {
            if is_path { own } else { given.map(known_folder) }
        } else {
            given.or_else(|| is_empty.then_some("."))
        };
        Self {
            folder: named.filter(|name| !name.is_empty()),
            pattern: given.filter(|_| is_pattern),
            is_deep: is_deep
                || given.is_some_and(|given| given.contains("**"))
                || arguments.contains("recursive"),
            // Patterns of a shell do not match hidden names; those of `pathlib` do.
            shows_hidden: !is_pattern || is_path || arguments.contains("DOTMATCH"),
        }
    }

    fn record(&self, walk: &mut Recorder, program: &str, text: &str, span: Span) {
        let Some(folder) = self.folder else {
            return walk.reads_unknown(program, UnknownReadsReason::Name, span);
        };
        let folder = Argument::from(folder);
        let endings = endings(text);
        if endings.len() > MAX_LISTINGS {
            return walk.reads_unknown(program, UnknownReadsReason::TooMany, span);
        }
        if endings.is_empty() && FILTERS.iter().any(|filter| text.contains(filter)) {
            return walk.reads_unknown(program, UnknownReadsReason::Name, span);
        }
        let pattern = self
            .pattern
            .filter(|pattern| pattern.rsplit('/').next().is_some_and(|last| last.contains(|c| c != '*')));
        let mut names: Vec<String> = endings.iter().map(|ending| format!("*{ending}")).collect();
        if let (Some(pattern), true) = (pattern, names.is_empty()) {
            names.push(pattern.rsplit('/').next().unwrap_or(pattern).to_owned());
        }
        if self.is_deep && names.is_empty() {
            let kind = if self.shows_hidden { AccessKind::ReadBelow } else { AccessKind::Searched };
            return walk.reads(program, &folder, kind, true, span);
        }
        if names.is_empty() {
            names.push("*".to_owned());
            names.extend(self.shows_hidden.then(|| ".*".to_owned()));
        }
        for name in names {
            let file = match self.is_deep {
                true => found_below(&folder, &wildcards(&name)),
                false => inside(&folder, &Argument::of_outline(&wildcards(&name))),
            };
            walk.reads(program, &file, AccessKind::Read, true, span);
        }
    }
}

/// Returns the endings that code compares names with: `.endswith('.py')`, `extname(f) === '.js'`.
fn endings(text: &str) -> Vec<&str> {
    let calls = ENDINGS.iter().flat_map(|call| text.match_indices(call).map(move |(at, _)| at + call.len()));
    let strings = calls.flat_map(|at| {
        let rest = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        rest.split(['"', '\'', '`']).skip(1).step_by(2)
    });
    strings.filter(|ending| ending.starts_with('.') && ending.len() > 1).take(MAX_LISTINGS + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::writes;
    use crate::commands::{Analysis, Options};

    /// Returns whether the secret of a folder is read, or files that are not known.
    fn may_read_secret(code: &str) -> bool {
        let analysis = Analysis::of_text(&format!("python3 -c \"{code}\""), &Options::default());
        let is_secret = |name: &str| name.starts_with("wallet") || name.starts_with(".");
        !analysis.unknown_reads().is_empty()
            || analysis.reads().iter().any(|read| is_secret(&read.target.outline()))
    }

    #[test]
    fn a_name_that_begins_like_a_mode_is_none() {
        assert!(may_read_secret(
            "import os\nfor f in os.listdir('wallet'): print(open('wallet/' + f).read())"
        ));
        for arguments in ["(f, 'w')", "(f,\"a+\")", "(f, mode='xb')", "('w', 'w')"] {
            assert!(writes(arguments), "{arguments}");
        }
        for arguments in ["('w')", "('wallet/' + f)", "(f, 'r')", "(f, encoding='ascii')", "(join(d, 'a'))"] {
            assert!(!writes(arguments), "{arguments}");
        }
    }

    #[test]
    fn more_listings_than_are_looked_at_are_unknown() {
        let code = format!("import os\n{}", "os.listdir('a')\n".repeat(40));
        assert!(may_read_secret(&format!("{code}for f in os.listdir('wallet'): print(open(f).read())")));
        let endings = ".endswith('.py') or f".repeat(40);
        let code = "import os\nfor f in os.listdir('src'): print(f";
        assert!(may_read_secret(&format!("{code}{endings}.endswith('.env') and open(f).read())")));
    }
}
