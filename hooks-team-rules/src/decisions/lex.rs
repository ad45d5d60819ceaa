//! Splits source text into tokens: comments are left out, and each string is one token.

use super::tables::Language;

/// Token of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Identifier, keyword or number.
    Name(String),
    /// Content of a string.
    Text(String),
    /// Any other character.
    Mark(char),
}

/// Source text as tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    /// For each token, whether it is the first of its line.
    pub(super) first: Vec<bool>,
    /// The text without its comments.
    pub(super) code: String,
}

impl Token {
    /// Returns the token if it is a name.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Text(_) | Self::Mark(_) => None,
        }
    }

    /// Returns the content if the token is a string.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Name(_) | Self::Mark(_) => None,
        }
    }

    /// Whether the token is the character `mark`.
    pub(super) fn is(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }
}

impl Lexed {
    /// Splits `text`, which is in `language`.
    pub(super) fn new(text: &str, language: &Language) -> Self {
        let mut lexed = Self::default();
        let mut rest = text;
        let mut before = '\n';
        let mut is_first = true;
        while let Some(c) = rest.chars().next() {
            if let Some(end) = comment(rest, before, language) {
                let (gone, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
                let lines = gone.matches('\n').count();
                lexed.code.extend(std::iter::repeat_n('\n', lines));
                lexed.code.push(' ');
                is_first |= lines > 0;
                (before, rest) = (' ', behind);
                continue;
            }
            let end = if let Some((content, end)) = string(rest, before, language) {
                lexed.push(Token::Text(content), &mut is_first);
                end
            } else if is_part(c) {
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                lexed.push(Token::Name(rest.get(..end).unwrap_or_default().to_owned()), &mut is_first);
                end
            } else {
                if c == '\n' {
                    is_first = true;
                } else if !c.is_whitespace() {
                    lexed.push(Token::Mark(c), &mut is_first);
                }
                c.len_utf8()
            };
            let (read, behind) = rest.split_at_checked(end.max(1)).unwrap_or((rest, ""));
            lexed.code.push_str(read);
            (before, rest) = (read.chars().next_back().unwrap_or(c), behind);
        }
        lexed
    }

    fn push(&mut self, token: Token, is_first: &mut bool) {
        self.tokens.push(token);
        self.first.push(std::mem::take(is_first));
    }

    /// Returns the token at `at`.
    pub(super) fn at(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// Returns the token before `at`.
    pub(super) fn before(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at.checked_sub(1)?)
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the length of the comment that `rest` begins with.
fn comment(rest: &str, before: char, language: &Language) -> Option<usize> {
    let mut blocks = language.block.chunks(2);
    if let Some((open, close)) = blocks.find_map(|pair| match pair {
        [open, close] => rest.starts_with(open).then_some((open, close)),
        _ => None,
    }) {
        let behind = rest.get(open.len()..)?;
        return Some(behind.find(close).map_or(rest.len(), |at| open.len() + at + close.len()));
    }
    let open = language.line.iter().find(|open| rest.starts_with(**open))?;
    let is_spaced = before.is_whitespace();
    let begins = match (*open, language.name) {
        ("#", "php") => !rest.starts_with("#["),
        // In these, `#` within a word is an ordinary character.
        ("#", "sh" | "yaml" | "docker" | "make") | (";", _) => is_spaced,
        // Not the slashes of a bare URL.
        ("//", _) => before != ':',
        _ => true,
    };
    begins.then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// Returns the content of the string that `rest` begins with, and its length.
fn string(rest: &str, before: char, language: &Language) -> Option<(String, usize)> {
    if matches!(language.name, "rs" | "c" | "jvm" | "cs" | "go" | "swift")
        && let Some(inner) = rest.strip_prefix('\'')
    {
        // A character, not a lifetime.
        let length = if inner.starts_with('\\') { 2 } else { inner.chars().next()?.len_utf8() };
        if inner.get(length..)?.starts_with('\'') {
            return Some((inner.get(..length)?.to_owned(), length + 2));
        }
    }
    let open = language.strings.iter().find(|open| rest.starts_with(**open))?;
    if *open == "'" && before.is_alphanumeric() && !matches!(language.name, "py" | "sh") {
        // An apostrophe in a text of markup or a label.
        return None;
    }
    let is_long = open.len() > 1 || *open == "`" || matches!(language.name, "sql" | "rs");
    let inner = rest.get(open.len()..)?;
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' && *open != "`" {
            escaped = true;
        } else if inner.get(at..)?.starts_with(open) {
            return Some((inner.get(..at)?.to_owned(), open.len() * 2 + at));
        } else if c == '\n' && !is_long {
            return Some((inner.get(..at)?.to_owned(), open.len() + at));
        }
    }
    Some((inner.to_owned(), rest.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tables::language;
    use super::*;

    fn shown(path: &str, text: &str) -> String {
        let lexed = Lexed::new(text, &language(path).unwrap());
        let shown = lexed.tokens.iter().map(|token| match token {
            Token::Name(name) => name.clone(),
            Token::Text(text) => format!("<{text}>"),
            Token::Mark(mark) => mark.to_string(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_left_out_and_strings_are_one_token() {
        assert_eq!(shown("a.ts", "f('a // b'); // eval()\n/* x */ y"), "f ( <a // b> ) ; y");
        assert_eq!(shown("a.py", "x = '#'  # eval()\n\"\"\"doc\n# no\"\"\"\n"), "x = <#> <doc\n# no>");
        assert_eq!(
            shown("a.rs", "fn f<'a>(c: char) { c == '\"' } // x"),
            "fn f < ' a > ( c : char ) { c = = <\"> }"
        );
        assert_eq!(shown("a.sh", "echo a#b # c"), "echo a # b");
        assert_eq!(shown("a.html", "<!-- x --><p>don't</p>"), "< p > don ' t < / p >");
        assert_eq!(shown("a.sql", "SELECT 'it' -- x\nFROM t"), "SELECT <it> FROM t");
    }

    proptest! {
        #[test]
        fn any_text_is_split(text in "\\PC{0,80}", name in prop::sample::select(&["a.ts", "a.py", "a.rs", "a.sh", "a.html", "a.php", "a.lua"][..])) {
            let lexed = Lexed::new(&text, &language(name).unwrap());
            prop_assert_eq!(lexed.tokens.len(), lexed.first.len());
        }
    }
}
