//! The text of a slash command or a skill, as Claude Code fills it in before the model reads it.
//!
//! | in the file | what Claude Code puts there |
//! | --- | --- |
//! | `$ARGUMENTS`, `$ARGUMENTS[0]`, `$0` | all arguments, or one of them |
//! | `$name`, if the file has `arguments: [name]` | the argument at the place of the name |
//! | `${CLAUDE_SKILL_DIR}` | the folder of the file |
//! | ``!`command` ``, and a block of code whose language is `!` | the output of the command, which runs in a shell |

/// Most names of arguments.
const MOST_NAMES: usize = 100;

/// The arguments of a command, and the names that its file gives them, longest first.
pub(super) struct Arguments<'a> {
    all: &'a str,
    words: Vec<String>,
    names: Vec<(String, usize)>,
}

impl<'a> Arguments<'a> {
    /// The arguments `all` for the file with `text`.
    pub(super) fn new(all: &'a str, text: &str) -> Self {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let names = header(text, "arguments");
        let names = names.split(|c| !is_part(c)).map(|name| name.trim_start_matches('-'));
        let names = names.filter(|name| name.chars().any(|c| !c.is_ascii_digit()));
        let mut names: Vec<_> = names.enumerate().map(|(at, name)| (name.to_owned(), at)).collect();
        names.truncate(MOST_NAMES);
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { all, words: words(all), names }
    }

    /// The text with the arguments in it.
    pub(super) fn fill(&self, text: &str) -> String {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, behind)) = rest.split_once('$') {
            let escaped = before.strip_suffix('\\').filter(|before| !before.ends_with('\\'));
            match (self.value(behind), escaped) {
                (Some((value, after)), None) => {
                    filled.extend([before, value]);
                    rest = after;
                }
                (Some(_), Some(before)) => {
                    filled.extend([before, "$"]);
                    rest = behind;
                }
                (None, _) => {
                    filled.extend([before, "$"]);
                    rest = behind;
                }
            }
        }
        filled + rest
    }

    /// The value for the text behind a `$`, and the text after its name.
    fn value<'t>(&self, behind: &'t str) -> Option<(&str, &'t str)> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for (name, at) in &self.names {
            let after = behind.strip_prefix(&**name);
            if let Some(after) = after.filter(|after| !after.starts_with(|c| c == '[' || is_word(c))) {
                return Some((self.words.get(*at).map_or("", String::as_str), after));
            }
        }
        let one = |number: &str| self.words.get(number.parse::<usize>().ok()?).map(String::as_str);
        if let Some(after) = behind.strip_prefix("ARGUMENTS") {
            let indexed = after.strip_prefix('[').and_then(|inner| inner.split_once(']'));
            return match indexed.filter(|(number, _)| number.parse::<usize>().is_ok()) {
                Some((number, after)) => Some((one(number)?, after)),
                None => Some((self.all, after)),
            };
        }
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, after) = behind.split_at_checked(end)?;
        Some((one(number).filter(|_| !after.starts_with(is_word))?, after))
    }
}

/// The words of arguments, with quotes resolved. Operators of a shell are no words, and the words behind them count.
fn words(all: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = all.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() || ";|&<>()".contains(c) => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if open == c => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The value of a field in the header of a file, with the lines of its list; empty if the field is missing.
pub(super) fn header<'t>(text: &'t str, field: &str) -> &'t str {
    let inner = text.trim_start_matches('\u{feff}').strip_prefix("---");
    let Some((inner, _)) = inner.and_then(|inner| inner.split_once("\n---")) else { return "" };
    let starts = |line: &str| line.strip_prefix(field).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let mut next_at = 0_usize;
    let found = inner.split_inclusive('\n').find_map(|line| {
        let at = next_at;
        next_at = at.saturating_add(line.len());
        starts(line).then_some(at)
    });
    let behind = found.and_then(|at| inner.get(at..)).and_then(|rest| rest.split_once(':'));
    let Some((_, value)) = behind else { return "" };
    // The next field begins at the margin.
    let next = value.match_indices('\n').find(|(at, _)| {
        let line = value.get(at + 1..).unwrap_or_default();
        !line.starts_with([' ', '\t', '-', '\n', '\r']) && !line.is_empty()
    });
    next.and_then(|(at, _)| value.get(..at)).unwrap_or(value).trim()
}

/// The commands that run while the text is filled in. A mark in the middle of a word counts as well, as some versions of
/// Claude Code take it.
pub(super) fn commands(text: &str) -> impl Iterator<Item = &str> {
    [("!`", "`"), ("```!", "```")].into_iter().flat_map(move |(mark, end)| {
        text.match_indices(mark).filter_map(move |(at, _)| {
            let command = text.get(at + mark.len()..)?.split_once(end)?.0.trim();
            (!command.is_empty()).then_some(command)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_filled_in_as_claude_code_does() {
        let file = "---\ndescription: d\narguments: [file, file_b]\n---\n";
        for (text, filled) in [
            ("@$ARGUMENTS.", "@a.md 'b c'."),
            ("@$ARGUMENTS[0] $ARGUMENTS[1]", "@a.md b c"),
            ("$ARGUMENTS[7] $7", "$ARGUMENTS[7] $7"),
            ("@$0, $1", "@a.md, b c"),
            ("$0x $", "$0x $"),
            ("$file $file_b $files $file[0]", "a.md b c $files $file[0]"),
            (r"\$0 \\$0 \$x", r"$0 \\a.md \$x"),
        ] {
            assert_eq!(Arguments::new("a.md 'b c'", file).fill(text), filled, "{text}");
        }
        assert_eq!(Arguments::new("x; y 'a;b'", file).fill("$0 $1 $2"), "x y a;b");
        let listed = "---\narguments:\n  - one\n  - two\nmodel: m\n---\n";
        assert_eq!(Arguments::new("x y", listed).fill("$two $model"), "y $model");
        assert_eq!(Arguments::new("x y", "---\narguments: one two\n---").fill("$two"), "y");
    }

    #[test]
    fn commands_are_found() {
        let text = "a !`ls -a` b!`pwd`\n```!\nmake\nmake test\n```\n```sh\nno\n```\n!`open";
        assert_eq!(commands(text).collect::<Vec<_>>(), ["ls -a", "pwd", "make\nmake test"]);
    }

    #[test]
    fn a_field_of_the_header_is_found() {
        assert_eq!(header("---\nname: sk\nmodel: m\n---\nname: no", "name"), "sk");
        assert_eq!(header("name: sk", "name"), "");
        assert_eq!(header("---\nmy-name: sk2\nname: sk\n---\n", "name"), "sk");
        assert_eq!(header("---\nname: \"sk\"\r\n---\n", "name"), "\"sk\"");
    }
}
