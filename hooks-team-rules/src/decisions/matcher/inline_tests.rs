//! Tests within a file of Rust: a rule that spares the files of tests spares them too.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Policy};
//! use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
//!
//! let decisions = Decisions::parse("- `unwrap()` is not allowed outside of tests.\n");
//! let policy = DecisionPolicy::new(&decisions, &Default::default());
//! let judge = |content: &str| {
//!     let write = PreToolUse::new("write", serde_json::json!({"file_path": "src/lib.rs", "content": content}));
//!     policy.judge(&HookRequest::new(HookContext::new("s", "a").in_dir("/repo"), write)).is_final()
//! };
//! assert!(judge("fn f() { g().unwrap(); }"));
//! assert!(!judge("fn f() {}\n#[cfg(test)]\nmod tests { fn t() { g().unwrap(); } }"));
//! ```

use super::super::lex::{Lexed, Token};

/// Glob of the files of tests, which an exception for tests has.
const TESTS: &str = "**/tests/**";

/// Whether places that a rule excepts are those of tests.
pub(super) fn are_tests(except: &[String]) -> bool {
    except.iter().any(|glob| glob == TESTS)
}

/// Returns source text of Rust without its tests; `None` if it has none.
pub(super) fn without_tests(lexed: &Lexed) -> Option<Lexed> {
    let mut kept = Lexed { code: lexed.code.clone(), ..Lexed::default() };
    let mut at = 0;
    while let Some(token) = lexed.at(at) {
        if let Some(end) = test_at(lexed, at) {
            at = end;
            continue;
        }
        kept.tokens.push(token.clone());
        kept.first.push(lexed.first.get(at).copied().unwrap_or_default());
        at += 1;
    }
    (kept.tokens.len() < lexed.tokens.len()).then_some(kept)
}

/// Returns the end of the test that begins at `at` with its attribute.
fn test_at(lexed: &Lexed, at: usize) -> Option<usize> {
    let is_mark = |at: usize, mark: char| lexed.at(at).is_some_and(|token| token.is(mark));
    if !is_mark(at, '#') || !is_mark(at + 1, '[') {
        return None;
    }
    let end = closed(lexed, at + 1)?;
    let attribute = lexed.tokens.get(at + 2..end.checked_sub(1)?)?;
    is_test(attribute).then(|| item_end(lexed, end))
}

/// Whether an attribute marks a test: `cfg(test)`, `test`, `tokio::test(…)`.
fn is_test(attribute: &[Token]) -> bool {
    let names: Vec<&str> = attribute
        .iter()
        .map_while(|token| match token {
            Token::Mark('(') => None,
            token => Some(token.name().unwrap_or(":")),
        })
        .collect();
    let is_condition = names == ["cfg"]
        && matches!(attribute, [_, open, test, close] if open.is('(') && test.name() == Some("test") && close.is(')'));
    is_condition || names.last() == Some(&"test")
}

/// Returns the end of the item from `at` on: behind its braces, or its semicolon.
fn item_end(lexed: &Lexed, at: usize) -> usize {
    let is_end = |at: &usize| lexed.at(*at).is_some_and(|token| token.is('{') || token.is(';'));
    let Some(start) = (at..lexed.tokens.len()).find(is_end) else { return lexed.tokens.len() };
    closed(lexed, start).unwrap_or(start + 1)
}

/// Returns the position behind the bracket that closes the one at `at`; the end, if none does.
fn closed(lexed: &Lexed, at: usize) -> Option<usize> {
    let (open, close) = match lexed.at(at)? {
        Token::Mark('{') => ('{', '}'),
        Token::Mark('[') => ('[', ']'),
        _ => return None,
    };
    let mut depth = 0_usize;
    for (offset, token) in lexed.tokens.iter().enumerate().skip(at) {
        if token.is(open) {
            depth += 1;
        } else if token.is(close) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(offset + 1);
            }
        }
    }
    Some(lexed.tokens.len())
}
