//! Codes that can be read exactly: what may start a program stands where it is looked for, and nothing else reaches it.
//!
//! A lexer of a few lines does not know all of a language. So only plain forms are read exactly: few escapes, no modules
//! that could run a text, and no word of a call that starts programs outside a call that was read. Behind a comment or in a string with
//! code such a word may be one that the lexer took for text:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let started = |code: &str| {
//!     let analysis = Analysis::of_text(&format!("python3 -c '{code}'"), &Options::default());
//!     analysis.invocations.iter().any(|it| it.argv[0].literal() == Some("rm"))
//! };
//! assert!(!started(r#"import subprocess; subprocess.run(["git", "log"]); print("rm -rf x")"#));
//! assert!(started(r#"import subprocess; subprocess.run(["git", "log"]); x = "rm -rf x" # os.system(x)"#));
//! ```

use super::starts::{may_start, names_start};
use crate::commands::code::Language;
use crate::commands::effects::code::Token;

/// Modules that run no text as code, and give no function by its name.
const OF_PYTHON: &[&str] = table!("plain_modules_python");
const OF_JAVASCRIPT: &[&str] = table!("plain_modules_javascript");

/// Returns whether a text has only forms that the lexer surely reads as the language does.
pub(super) fn is_plain(language: Language, text: &str, tokens: &[Token]) -> bool {
    let is_escape_plain = text.split('\\').skip(1).all(|rest| rest.starts_with(['n', 't', '"', '\'']));
    // Other ends of lines end a comment, and other letters may be spellings of these.
    let is_letter_plain = |c: char| matches!(c, '\n' | '\t') || c.is_ascii() && !c.is_ascii_control();
    is_escape_plain
        && text.chars().all(is_letter_plain)
        && (language != Language::JavaScript || is_plain_javascript(text, tokens))
}

/// Whether no member has a computed name, no text is given to a function without brackets, and all modules are known ones.
fn is_plain_javascript(text: &str, tokens: &[Token]) -> bool {
    let is_computed = |(at, token): (usize, &Token)| {
        let is_member = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| matches!(before, Token::Name(_) | Token::Sign(')' | ']' | '}')));
        let is_literal =
            matches!(tokens.get(at + 1..), Some([Token::Text(_) | Token::Name(_), Token::Sign(']'), ..]))
                && tokens.get(at + 1).and_then(Token::name).is_none_or(|name| name.parse::<u32>().is_ok());
        token.is('[') && is_member && !is_literal
    };
    let is_unknown_module = |(at, token): (usize, &Token)| {
        let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
        let is_loaded = match before {
            [Token::Name(call), Token::Sign('(')] => matches!(&**call, "require" | "import"),
            [.., Token::Name(from)] => matches!(&**from, "from" | "import"),
            _ => false,
        };
        let is_called = before.iter().any(|it| it.is('('));
        let is_plain = match token {
            Token::Text(name) => is_plain_module(OF_JAVASCRIPT, name),
            // The names of an import stand before its module.
            Token::Name(_) | Token::Sign('{' | '*') => !is_called,
            _ => false,
        };
        is_loaded && !is_plain
    };
    // A text between backticks is given to the name before it, and each of the marks begins a comment.
    !text.contains(['`', '\u{2028}'])
        && !["<!--", "-->", "#!"].iter().any(|sign| text.contains(sign))
        && !tokens.iter().enumerate().any(is_computed)
        && !tokens.iter().enumerate().any(is_unknown_module)
}

/// Returns whether the module of an import runs no text: `os.path`.
pub(super) fn is_plain_python(module: &str) -> bool {
    is_plain_module(OF_PYTHON, module)
}

fn is_plain_module(list: &[&str], name: &str) -> bool {
    let name = name.strip_prefix("node:").unwrap_or(name);
    list.contains(&name.split(['/', '.']).next().unwrap_or(name))
}

/// Returns how many words of a code may start a program, but for lines that are comments. In a string of several
/// lines such a line is text, unless it ends the string.
pub(super) fn count_in_code(language: Language, text: &str) -> usize {
    let (mark, ends): (_, &[&str]) = match language {
        Language::JavaScript => ("//", &["*/"]),
        _ => ("#", &["\"\"\"", "'''"]),
    };
    let is_comment =
        |line: &&str| line.trim_start().starts_with(mark) && !ends.iter().any(|end| line.contains(end));
    text.lines().filter(|line| !is_comment(line)).map(count).sum()
}

/// Returns how many words of a text may start a program.
fn count(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| may_start(word)).count()
}

/// Returns how many words of a token may start a program.
pub(super) fn count_in(token: &Token) -> usize {
    match token {
        Token::Name(text) | Token::Text(text) | Token::Command(text) => count(text),
        Token::Sign(_) => 0,
    }
}

/// Returns whether a token with words that may start a program does not, where it stands: `p.communicate()` without an input,
/// `stdio: "inherit"`, `sys.stdout.write`, and a string of a code that has no strings with code in them.
pub(super) fn asks_nothing(language: Language, text: &str, tokens: &[Token], at: usize) -> bool {
    let behind = tokens.get(at + 1..).unwrap_or_default();
    let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
    if let Some(Token::Text(string)) = tokens.get(at) {
        return language == Language::Python && !text.contains('{') && !names_start(string);
    }
    match tokens.get(at).and_then(Token::name) {
        Some("communicate") => matches!(behind, [Token::Sign('('), Token::Sign(')'), ..]),
        Some("stdio") => matches!(behind, [Token::Sign(':'), Token::Text(_) | Token::Sign('['), ..]),
        Some("write") => {
            matches!(before, [Token::Name(stream), Token::Sign('.')] if matches!(&**stream, "stdout" | "stderr"))
        }
        _ => false,
    }
}
