//! Reads the calls in a text for the shell of MongoDB.

use super::{Statement, Statements, UNKNOWN};
use crate::globs::Gap;

/// Part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Symbol(char),
    Gap,
}

/// Calls whose first argument chooses documents.
const FILTERED: &[&str] = &[
    "deleteMany",
    "deleteOne",
    "remove",
    "updateMany",
    "update",
    "updateOne",
    "replaceOne",
    "findOneAndDelete",
    "delete",
    "bulkWrite",
];

/// Calls that run a command of the server, which their argument names.
const COMMANDS: &[&str] = &["runCommand", "adminCommand", "command"];

/// Reads the calls of a text: each name that is called is a statement.
pub(crate) fn read(text: &str) -> Statements {
    let tokens = tokens(text);
    let mut found = Statements::default();
    if tokens.first() == Some(&Token::Gap) {
        found.push(Statement::new(&[UNKNOWN]));
    }
    for (at, token) in tokens.iter().enumerate() {
        if *token != Token::Symbol('(') {
            continue;
        }
        let before = |count: usize| at.checked_sub(count).and_then(|at| tokens.get(at));
        let name = match before(1) {
            Some(Token::Word(name)) => name.as_str(),
            // `db["drop"]()`.
            Some(Token::Symbol(']')) => match before(2) {
                Some(Token::Text(name)) => name.as_str(),
                _ => UNKNOWN,
            },
            Some(Token::Gap) => UNKNOWN,
            _ => continue,
        };
        let arguments = tokens.get(at + 1..).unwrap_or_default();
        let mut statement = Statement::new(&[name]);
        if COMMANDS.contains(&name) {
            statement.words.extend(first_key(arguments));
        }
        if FILTERED.contains(&name) && has_filter(arguments) {
            statement = statement.with("--filter");
        }
        found.push(statement);
    }
    found
}

/// Returns the first key of an object, or the first string.
fn first_key(arguments: &[Token]) -> Option<String> {
    let mut arguments = arguments.iter().filter(|token| **token != Token::Symbol('{'));
    match arguments.next()? {
        Token::Word(key) | Token::Text(key) => Some(key.clone()),
        Token::Gap => Some(UNKNOWN.to_owned()),
        Token::Symbol(_) => None,
    }
}

/// Returns whether the first argument is more than an empty object.
fn has_filter(arguments: &[Token]) -> bool {
    let is_empty =
        matches!(arguments, [Token::Symbol(')'), ..] | [Token::Symbol('{'), Token::Symbol('}'), ..] | []);
    !is_empty
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let used = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' | '`' => {
                let (text, used) = string(rest, c);
                tokens.push(Token::Text(text));
                used
            }
            _ if c.is_alphanumeric() || matches!(c, '_' | '$') => {
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..end).unwrap_or_default().to_owned()));
                end
            }
            _ => {
                if Gap::from_char(c).is_some() {
                    tokens.push(Token::Gap);
                } else if !c.is_whitespace() {
                    tokens.push(Token::Symbol(c));
                }
                c.len_utf8()
            }
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    tokens
}

/// Reads a string; returns it, and the bytes that it takes.
fn string(text: &str, quote: char) -> (String, usize) {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            _ if c == quote => return (value, at + c.len_utf8()),
            _ => value.push(c),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        for (text, wanted) in [
            ("db.dropDatabase()", &["dropDatabase"][..]),
            ("db.getSiblingDB('a').users.drop()", &["getSiblingDB", "drop"]),
            ("print('db.dropDatabase()') // db.dropDatabase()", &["print"]),
            ("db.users.deleteMany({})", &["deleteMany"]),
            ("db.users.deleteMany({ _id: 1 })", &["deleteMany --filter"]),
            ("db['users']['drop']()", &["drop"]),
            ("db[name]()", &["unknown"]),
            ("db.runCommand({drop: 'x'})", &["runCommand drop"]),
            ("db.adminCommand('shutdown')", &["adminCommand shutdown"]),
            ("\u{E113}", &["unknown"]),
            ("/* db.a.drop() */ db.a.find({x: \"drop()\"})", &["find"]),
        ] {
            let all = read(text).all.into_iter();
            let shown: Vec<_> = all.map(|one| [one.words, one.marks].concat().join(" ")).collect();
            assert_eq!(shown, wanted, "{text}");
        }
    }
}
