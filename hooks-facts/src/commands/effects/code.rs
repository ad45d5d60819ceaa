//! Reads the text of an interpreter to names, strings and signs: enough to find calls with literal arguments.
//!
//! Strings that are put together of literals are one string. Comments and patterns are left out. What is computed stays unknown;
//! the code in a string, such as `${f(x)}`, comes after the rest.

use crate::commands::code::Language;
use crate::shell::escape;

/// Most tokens that are read: more than a text has that the analysis accepts.
const MAX_TOKENS: usize = 2 * 1024 * 1024;

/// Piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Token {
    /// A name or a number.
    Name(String),
    /// A string without its quotes.
    Text(String),
    /// A text between signs that run it: backticks, `%x(…)`, `qx(…)`.
    Command(String),
    /// Any other character.
    Sign(char),
}

impl Token {
    pub(in crate::commands) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub(in crate::commands) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(in crate::commands) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a text of a language.
pub(in crate::commands) fn tokens(language: Language, text: &str) -> Vec<Token> {
    read(CodeLexer::new(language, text))
}

/// Reads a text of a language. The name of a variable in a string stays, as in `${name}`, also where the language has another form.
pub(in crate::commands) fn tokens_with_names(language: Language, text: &str) -> Vec<Token> {
    read(CodeLexer { keeps_names: true, ..CodeLexer::new(language, text) })
}

fn read(mut lexer: CodeLexer<'_>) -> Vec<Token> {
    let language = lexer.language;
    lexer.all();
    let doubtful = std::mem::take(&mut lexer.doubtful);
    let mut result = joined(language, lexer.tokens);
    let mut aside = lexer.aside;
    // What is a pattern only if no value ended before it is read as code too.
    for text in doubtful {
        let mut inner = CodeLexer::new(language, text);
        inner.all();
        aside.push(Token::Sign('\n'));
        aside.extend(inner.tokens);
        aside.extend(inner.aside);
    }
    if !aside.is_empty() {
        result.push(Token::Sign('\n'));
        result.extend(joined(language, aside));
    }
    result
}

/// Words after which a slash begins a pattern.
const BEFORE_PATTERNS: &[&str] = table!("effect_words_before_patterns");

/// Words whose brackets hold a condition, after which a statement begins.
const CONDITIONS: &[&str] = &["if", "while", "for", "with"];

/// Value of a string in which code stands, while that code is read.
struct OpenString {
    /// Tokens before the string.
    before: Vec<Token>,
    value: String,
    form: Form,
    /// Brackets that are open in the code.
    depth: usize,
}

/// Form of a string.
#[derive(Clone)]
struct Form {
    close: String,
    /// Beginning and end of code in the string.
    inner: Option<(&'static str, char)>,
    /// Whether the text runs as a command.
    runs: bool,
}

struct CodeLexer<'t> {
    rest: &'t str,
    /// Length of the whole text.
    length: usize,
    language: Language,
    /// Whether a string keeps the name of a variable in it.
    keeps_names: bool,
    tokens: Vec<Token>,
    /// Code in strings.
    aside: Vec<Token>,
    open: Vec<OpenString>,
    /// For each open bracket, whether it holds a condition.
    conditions: Vec<bool>,
    /// Whether the last bracket that was closed held a condition.
    after_condition: bool,
    /// Patterns that may also be code.
    doubtful: Vec<&'t str>,
    patterns: LineOfPatterns,
}

impl<'t> CodeLexer<'t> {
    fn new(language: Language, text: &'t str) -> Self {
        Self {
            rest: text,
            length: text.len(),
            language,
            keeps_names: false,
            tokens: Vec::new(),
            aside: Vec::new(),
            open: Vec::new(),
            conditions: Vec::new(),
            after_condition: false,
            doubtful: Vec::new(),
            patterns: LineOfPatterns::default(),
        }
    }

    fn all(&mut self) {
        while !self.rest.is_empty() && self.tokens.len() < MAX_TOKENS {
            self.step();
        }
        while let Some(open) = self.open.pop() {
            self.end_code(open.before);
            self.push_string(open.value, open.form.runs);
        }
    }

    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        if self.ends_code(c) || self.skips_format(c) || self.skips_comment() || self.skips_pattern(c) {
            return;
        }
        if c == '\n' {
            self.tokens.push(Token::Sign('\n'));
        }
        if c.is_whitespace() {
            return self.pass(c.len_utf8());
        }
        if matches!(c, '"' | '\'' | '`') && !(c == '\'' && self.language.is_lisp()) {
            return self.quoted(c, false);
        }
        if let Some((open, close)) = self.marked() {
            let runs = self.rest.starts_with("%x") || self.rest.starts_with("qx");
            let is_plain = ["qw", "%q", "%w", "%i"].iter().any(|plain| self.rest.starts_with(plain))
                || self.rest.starts_with('q') && !self.rest.starts_with("qq") && !runs;
            let inner = inner_code(self.language, '"', false).filter(|_| !is_plain);
            self.pass(open);
            return self.string(String::new(), Form { close: close.to_string(), inner, runs });
        }
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let is_own = |c: char| is_letter(c) || self.language.is_lisp() && "-!?*".contains(c);
        if is_letter(c) {
            let end = self.rest.find(|c| !is_own(c)).unwrap_or(self.rest.len());
            let name = self.rest.get(..end).unwrap_or_default().to_owned();
            self.pass(end);
            // `r"…"`, `b'…'`: the letters before a string belong to it.
            let is_prefix = name.len() <= 2 && name.chars().all(|c| "rbftuRBFTU".contains(c));
            match self.rest.chars().next().filter(|next| is_prefix && matches!(next, '"' | '\'')) {
                Some(quote) => self.quoted(quote, name.contains(['f', 'F', 't', 'T'])),
                None => self.tokens.push(Token::Name(name)),
            }
            return;
        }
        if let Some(length) =
            ["::", "->", "?."].iter().find(|it| self.rest.starts_with(**it)).map(|it| it.len())
        {
            self.tokens.push(Token::Sign('.'));
            return self.pass(length);
        }
        self.note_bracket(c);
        // In Clojure and Babashka, a slash is between a namespace and its name.
        let c = if c == '/' && self.language.is_lisp() { '.' } else { c };
        self.tokens.push(Token::Sign(c));
        self.pass(c.len_utf8());
    }

    fn note_bracket(&mut self, c: char) {
        match c {
            '(' => {
                let before = self.tokens.last().and_then(Token::name);
                self.conditions.push(before.is_some_and(|before| CONDITIONS.contains(&before)));
            }
            ')' => self.after_condition = self.conditions.pop().unwrap_or_default(),
            _ => {}
        }
        if let Some(open) = self.open.last_mut() {
            match c {
                '(' | '[' | '{' => open.depth += 1,
                ')' | ']' | '}' => open.depth = open.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Begins a string with quotes.
    fn quoted(&mut self, quote: char, is_format: bool) {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let close = if self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        let inner = inner_code(self.language, quote, is_format);
        self.pass(close.len());
        let runs = quote == '`' && self.language.has_backticks();
        self.string(String::new(), Form { close, inner, runs });
    }

    /// Reads a string from its present place to its end, or to the code in it.
    fn string(&mut self, mut value: String, form: Form) {
        let text = self.rest;
        let mut at = 0;
        while let Some(rest) = text.get(at..)
            && let Some(c) = rest.chars().next()
        {
            if rest.starts_with(&form.close) {
                at += form.close.len();
                break;
            }
            if let Some((mark, _)) = form.inner
                && rest.starts_with(mark)
            {
                // In Python, a doubled brace is one.
                if mark == "{" && rest.starts_with("{{") {
                    value.push('{');
                    at += 2;
                    continue;
                }
                self.pass(at + mark.len());
                let before = std::mem::take(&mut self.tokens);
                return self.open.push(OpenString { before, value, form, depth: 0 });
            }
            at += c.len_utf8();
            if c == '\\' {
                let (text, length) = self.escaped(text.get(at..).unwrap_or_default());
                value.push_str(&text);
                at += length;
            } else {
                value.push(c);
            }
        }
        self.pass(at);
        self.push_string(value, form.runs);
    }

    /// Decodes what is behind a backslash; returns its length too.
    fn escaped(&self, rest: &str) -> (String, usize) {
        // The line goes on.
        if rest.starts_with('\n') {
            return (String::new(), 1);
        }
        if let Some((digits, _)) =
            rest.strip_prefix("u{").and_then(|rest| rest.split_once(|c: char| !c.is_ascii_hexdigit()))
            && let Some(c) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
            && rest.get("u{".len() + digits.len()..).is_some_and(|rest| rest.starts_with('}'))
        {
            return (c.into(), "u{}".len() + digits.len());
        }
        let read = escape(rest);
        // Most languages leave out a backslash that means nothing.
        let keeps = matches!(self.language, Language::Python | Language::R);
        match read.text.strip_prefix('\\').filter(|rest| !rest.is_empty() && !keeps) {
            Some(rest) => (rest.to_owned(), read.length),
            None => (read.text, read.length),
        }
    }

    /// Goes on with a string if the code in it ends here.
    fn ends_code(&mut self, c: char) -> bool {
        let ends =
            |open: &mut OpenString| open.depth == 0 && open.form.inner.is_some_and(|(_, end)| end == c);
        let Some(open) = self.open.pop_if(ends) else { return false };
        self.pass(c.len_utf8());
        // An unset variable of a shell.
        let name = match &*self.tokens {
            [Token::Name(name)] if self.keeps_names => name,
            _ => "_",
        };
        let value = format!("{}${{{name}}}", open.value);
        self.end_code(open.before);
        self.string(value, open.form);
        true
    }

    /// Puts the code of a string aside.
    fn end_code(&mut self, before: Vec<Token>) {
        self.aside.push(Token::Sign('\n'));
        self.aside.append(&mut self.tokens);
        self.tokens = before;
    }

    fn push_string(&mut self, value: String, runs: bool) {
        self.tokens.push(if runs { Token::Command(value) } else { Token::Text(value) });
    }

    fn pass(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Skips the format of a value in a string of Python, whose signs mean other things: `f"{x:#x}"`.
    fn skips_format(&mut self, c: char) -> bool {
        let is_format = c == ':'
            && self.language == Language::Python
            && self.open.last().is_some_and(|open| open.depth == 0);
        if is_format {
            self.pass(self.rest.find(['{', '}', '\n']).unwrap_or(self.rest.len()));
        }
        is_format
    }

    fn skips_comment(&mut self) -> bool {
        let (line, block): (&[&str], Option<(&str, &str)>) = match self.language {
            Language::JavaScript | Language::Java => (&["//"], Some(("/*", "*/"))),
            Language::Php => (&["//", "# "], Some(("/*", "*/"))),
            Language::Lua | Language::Haskell => (&["--"], None),
            Language::Lisp => (&[";"], None),
            Language::Vim => (&[], None),
            _ => (&["#"], None),
        };
        if line.iter().any(|mark| self.rest.starts_with(mark)) {
            let end = self.rest.find(['\n', '\r', '\u{2028}', '\u{2029}']);
            self.pass(end.unwrap_or(self.rest.len()));
            return true;
        }
        match block {
            Some((open, close)) if self.rest.starts_with(open) => {
                self.pass(self.rest.find(close).map_or(self.rest.len(), |at| at + close.len()));
                true
            }
            _ => false,
        }
    }

    /// Skips a pattern, whose quotes begin no string: `/'/`.
    fn skips_pattern(&mut self, c: char) -> bool {
        if c != '/' || !matches!(self.language, Language::JavaScript | Language::Ruby | Language::Perl) {
            return false;
        }
        let mut before = self.tokens.iter().rev().skip_while(|token| token.is('\n'));
        let (last, second) = (before.next(), before.next());
        let begins = match last {
            None => true,
            Some(Token::Name(name)) => BEFORE_PATTERNS.contains(&name.as_str()),
            Some(Token::Text(_) | Token::Command(_) | Token::Sign(']')) => false,
            Some(Token::Sign(')')) => self.after_condition,
            // `a++ / b`.
            Some(Token::Sign(sign @ ('+' | '-'))) => !second.is_some_and(|second| second.is(*sign)),
            Some(Token::Sign(_)) => true,
        };
        let at = self.length - self.rest.len();
        let Some(length) = begins.then(|| self.patterns.length(self.rest, at)).flatten() else {
            return false;
        };
        // What stands before the slash may be a value all the same: `of /2; f("a") /1`.
        let pattern = self.rest.get(1..length - 1).unwrap_or_default();
        let may_divide = self.language == Language::JavaScript
            && matches!(last, Some(Token::Name(_) | Token::Sign('.' | '/' | '$' | ')')));
        if last.is_some_and(|last| last.is('}')) || may_divide && pattern.contains(['(', '`']) {
            self.doubtful.push(pattern);
        }
        self.tokens.extend([Token::Sign('/'), Token::Sign('/')]);
        self.pass(length);
        // Its flags.
        self.pass(self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len()));
        true
    }

    /// `q(…)`, `%q(…)`, `qw(…)`: the length before the text, and the character after it.
    fn marked(&self) -> Option<(usize, char)> {
        let starts: &[&str] = match self.language {
            Language::Perl => &["qq", "qw", "qx", "q"],
            Language::Ruby => &["%q", "%Q", "%w", "%W", "%i", "%x", "%"],
            _ => return None,
        };
        if self.tokens.last().is_some_and(|last| last.is('$') || last.is('@')) {
            return None;
        }
        let start = starts.iter().find(|start| self.rest.starts_with(**start))?;
        let open = self.rest.get(start.len()..)?.chars().next()?;
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            '/' | '!' | '|' | '~' if start.len() > 1 || self.language == Language::Perl => open,
            _ => return None,
        };
        Some((start.len() + open.len_utf8(), close))
    }
}

/// Returns what begins and ends code in a string of a language.
fn inner_code(language: Language, quote: char, is_format: bool) -> Option<(&'static str, char)> {
    match language {
        Language::Python => is_format.then_some(("{", '}')),
        Language::JavaScript => (quote == '`').then_some(("${", '}')),
        _ if quote == '\'' => None,
        Language::Ruby | Language::Elixir => Some(("#{", '}')),
        Language::Perl => Some(("@{", '}')),
        Language::Php => Some(("{$", '}')),
        Language::Java => Some(("${", '}')),
        Language::Julia => Some(("$(", ')')),
        _ => None,
    }
}

/// Patterns of a line. Each slash may begin one, so their ends are found in one pass for all.
#[derive(Default)]
struct LineOfPatterns {
    /// Place in the text.
    start: usize,
    /// For each byte, the end of a pattern that begins there; 0 if it has none.
    ends: Vec<usize>,
}

impl LineOfPatterns {
    /// Returns the length of the pattern at the start of a text, which is at `at`; `None` if it does not end in its line.
    fn length(&mut self, text: &str, at: usize) -> Option<usize> {
        if !(self.start..self.start + self.ends.len()).contains(&at) {
            let line = text.split('\n').next().unwrap_or_default();
            *self = Self { start: at, ends: pattern_ends(line) };
        }
        let begin = at - self.start;
        self.ends.get(begin)?.checked_sub(begin).filter(|length| *length > 0)
    }
}

fn pattern_ends(line: &str) -> Vec<usize> {
    let mut ends = vec![0; line.len()];
    // The end if the next character is outside of a class or in one, and the same for the character after it.
    let (mut next, mut after_next) = ((0, 0), (0, 0));
    for (at, c) in line.char_indices().rev() {
        if let Some(end) = ends.get_mut(at) {
            *end = next.0;
        }
        let here = match c {
            '\\' => after_next,
            '[' => (next.1, next.1),
            ']' => (next.0, next.0),
            '/' => (at + 1, next.1),
            _ => next,
        };
        (next, after_next) = (here, next);
    }
    ends
}

/// Joins strings between which only a sign for joining is.
fn joined(language: Language, tokens: Vec<Token>) -> Vec<Token> {
    let joins_neighbours = matches!(language, Language::Python | Language::Awk);
    let is_sign = |token: &Token| ['+', '.', '&', '~'].iter().any(|sign| token.is(*sign));
    let mut result: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let Token::Text(text) = token else {
            result.push(token);
            continue;
        };
        let signs = result.iter().rev().take_while(|token| is_sign(token)).take(3).count();
        // `'a' && 'b'` is one of the two.
        let is_and = result.iter().rev().take(2).filter(|token| token.is('&')).count() == 2;
        if is_and {
            result.push(Token::Text(text));
            continue;
        }
        let before = result.len().checked_sub(signs + 1);
        match before.and_then(|before| result.get_mut(before)) {
            Some(Token::Text(first))
                if signs <= 2 && !language.is_lisp() && (signs > 0 || joins_neighbours) =>
            {
                first.push_str(&text);
                result.truncate(before.unwrap_or_default() + 1);
            }
            _ => result.push(Token::Text(text)),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_and_comments_left_out() {
        let texts = |language, text| {
            tokens(language, text).iter().filter_map(Token::text).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(texts(Language::Python, "f('a' + \"b\") # 'c'"), ["ab"]);
        assert_eq!(texts(Language::Python, "f(r'a', \"\"\"b'c\"\"\")"), ["a", "b'c"]);
        assert_eq!(texts(Language::JavaScript, "f('a') // 'b'\n/* 'c' */ g(`d`)"), ["a", "d"]);
        assert_eq!(texts(Language::Perl, "f(q(rm x) . qq{y}, 'z')"), ["rm xy", "z"]);
        assert_eq!(texts(Language::Ruby, "f %w[a b], 'c'"), ["a b", "c"]);
        assert_eq!(texts(Language::JavaScript, "f('\\u{61}\\/b')"), ["a/b"]);
    }

    #[test]
    fn code_in_strings_is_read_after_the_rest() {
        let names = |language, text| {
            tokens(language, text).iter().filter_map(Token::name).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(Language::JavaScript, "f(`a${g(`b${h('c')}`)}`, i)"), ["f", "i", "h", "g"]);
        assert_eq!(names(Language::Python, "f(f'{g(\"b\")} {{h}}', i)"), ["f", "i", "g"]);
        assert_eq!(names(Language::Ruby, "f(\"#{g(1)}\", '#{h}')"), ["f", "g", "1"]);
        assert_eq!(names(Language::JavaScript, "f(`${g({a: 1})}`); h()"), ["f", "h", "g", "a", "1"]);
        assert_eq!(names(Language::JavaScript, "f(`${g("), ["f", "g"]);
        let texts: Vec<_> = tokens(Language::JavaScript, "f(`rm ${x} ${y('z')}`)")
            .iter()
            .filter_map(Token::text)
            .map(str::to_owned)
            .collect();
        assert_eq!(texts, ["rm ${_} ${_}", "z"]);
    }

    #[test]
    fn quotes_in_patterns_begin_no_string() {
        let names = |text| {
            tokens(Language::JavaScript, text)
                .iter()
                .filter_map(Token::name)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("a.replace(/'/g, b); c()"), ["a", "replace", "b", "c"]);
        assert_eq!(names("if (a) /[/'\"]/.test(b)"), ["if", "a", "test", "b"]);
        assert_eq!(names("(a) / b; c('/')"), ["a", "b", "c"]);
        assert_eq!(names("a / b + c / d"), ["a", "b", "c", "d"]);
        // After a block it is a pattern, after an object a division: both are read.
        assert_eq!(names("{} / a() / 1"), ["1", "a"]);
    }

    #[test]
    fn a_pattern_ends_at_a_slash_of_its_line() {
        for (text, length) in [
            ("/a/b/", Some(3)),
            ("/a\\/b/c", Some(6)),
            ("/[/]/", Some(5)),
            ("/é[\\]/]/g", Some(9)),
            ("/a\n/", None),
            ("/[/", None),
            ("/a\\/", None),
            ("/a\\", None),
        ] {
            assert_eq!(LineOfPatterns::default().length(text, 7), length, "{text}");
        }
        let mut line = LineOfPatterns::default();
        let text = "/[/ /b/\n/c/";
        assert_eq!(
            [(0, None), (2, Some(3)), (4, Some(3)), (8, Some(3))],
            [0, 2, 4, 8].map(|at| (at, line.length(text.get(at..).unwrap(), at)))
        );
    }

    #[test]
    fn any_text_ends() {
        for text in ["'", "\"\\", "%q(", "((((", "'''", "é'ü", "`${", "f'{", "\"#{é", "}/é/}/", "/\\"] {
            for language in
                [Language::Python, Language::Perl, Language::Ruby, Language::Lisp, Language::JavaScript]
            {
                tokens(language, text);
            }
        }
    }
}
