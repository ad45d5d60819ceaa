//! Checks of a module's text before the engine reads it: what it would overflow the stack with, or take for nothing.

use std::collections::{BTreeMap, BTreeSet};

/// Deepest nesting of brackets. The parser takes twice as long for each level of a list.
const MAX_DEPTH: usize = 12;
/// Longest run of signs in front of a number.
const MAX_SIGNS: usize = 8;

const KEYWORDS: [&str; 16] = [
    "as", "contains", "default", "else", "every", "false", "if", "import", "in", "not", "null", "package",
    "set", "some", "true", "with",
];

/// A problem with its line, from 1.
pub(crate) struct TextProblem {
    pub(crate) line: usize,
    pub(crate) problem: String,
    pub(crate) hint: &'static str,
}

/// Words and signs of a module, without comments.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Sign(char),
}

struct Placed {
    token: Token,
    line: usize,
    is_first: bool,
    depth: usize,
}

/// Returns whether the module asks which facts are unknown: `input.facts.unknown`.
pub(crate) fn asks_for_unknown(text: &str) -> bool {
    let tokens: Vec<Token> = tokens(text).into_iter().map(|placed| placed.token).collect();
    let name =
        |token: Option<&Token>, wanted: &str| matches!(token, Some(Token::Name(name)) if name == wanted);
    (0..tokens.len()).any(|at| {
        let next = |by: usize| tokens.get(at + by);
        let dotted = next(1) == Some(&Token::Sign('.')) && name(next(2), "unknown");
        let indexed =
            next(1) == Some(&Token::Sign('[')) && next(2) == Some(&Token::Text("unknown".to_owned()));
        name(next(0), "facts") && (dotted || indexed)
    })
}

/// Returns the first thing in a module of `package` that the engine must not get.
pub(crate) fn problem(text: &str, package: &str) -> Option<TextProblem> {
    let tokens = tokens(text);
    deep(&tokens).or_else(|| other_data(&tokens, package)).or_else(|| cycle(&tokens))
}

fn deep(tokens: &[Placed]) -> Option<TextProblem> {
    let hint = "take parts of it into rules of their own";
    let mut signs = 0;
    for Placed { token, line, depth, .. } in tokens {
        signs = if *token == Token::Sign('-') { signs + 1 } else { 0 };
        if *depth > MAX_DEPTH || signs > MAX_SIGNS {
            let problem =
                format!("brackets are nested deeper than {MAX_DEPTH} levels, or signs follow each other");
            return Some(TextProblem { line: *line, problem, hint });
        }
    }
    None
}

/// A path below `data` that is not of this package has no value: there are no documents.
fn other_data(tokens: &[Placed], package: &str) -> Option<TextProblem> {
    let wanted: Vec<&str> = package.split('.').collect();
    tokens.iter().enumerate().find_map(|(at, placed)| {
        let dotted = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_root = placed.token == Token::Name("data".to_owned())
            && dotted.is_none_or(|before| before.token != Token::Sign('.'));
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let parts = rest.iter().map_while(|next| match &next.token {
            Token::Sign('.' | '[' | ']') => Some(None),
            Token::Name(name) | Token::Text(name) => Some(Some(name.as_str())),
            Token::Sign(_) => None,
        });
        (is_root && !parts.flatten().take(wanted.len()).eq(wanted.iter().copied())).then(|| TextProblem {
            line: placed.line,
            problem: "this path below `data` has no value, because there are no data documents".to_owned(),
            hint: "write what it has into the module",
        })
    })
}

/// A rule that depends on itself.
fn cycle(tokens: &[Placed]) -> Option<TextProblem> {
    let (rules, lines) = uses(tokens);
    let name = rules.keys().find(|name| reaches(&rules, name, name))?;
    Some(TextProblem {
        line: lines.get(name).copied().unwrap_or(1),
        problem: format!("the rule `{name}` depends on itself"),
        hint: "a rule cannot be recursive; if a variable has the name of a rule, give it another one",
    })
}

type Uses = BTreeMap<String, BTreeSet<String>>;

/// Names that each rule uses, and the line where it begins.
fn uses(tokens: &[Placed]) -> (Uses, BTreeMap<String, usize>) {
    let (mut rules, mut lines) = (Uses::new(), BTreeMap::new());
    let mut rule: Option<String> = None;
    let mut root = "";
    for (at, Placed { token, line, is_first, depth }) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map(|before| &before.token);
        let is_part = matches!(before, Some(Token::Sign('.' | '[')));
        let (Token::Name(name) | Token::Text(name)) = token else { continue };
        if *token == Token::Text(name.clone()) && !(is_part && root == "data") {
            continue;
        }
        if !is_part {
            root = name;
        }
        if *is_first && *depth == 0 && matches!(name.as_str(), "default" | "import" | "package") {
            rule = None;
        } else if *is_first && *depth == 0 && begins(before) && !KEYWORDS.contains(&name.as_str()) {
            rules.entry(name.clone()).or_default();
            lines.entry(name.clone()).or_insert(*line);
            rule = Some(name.clone());
        } else if let Some(used) = rule.as_ref().and_then(|rule| rules.get_mut(rule))
            && (!is_part || root == "data")
        {
            used.insert(name.clone());
        }
    }
    (rules, lines)
}

/// Returns whether a rule may begin after a token: an operator and `if` go on in the next line.
fn begins(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Text(_) | Token::Sign(')' | ']' | '}')) => true,
        Some(Token::Name(name)) => {
            !matches!(name.as_str(), "if" | "in" | "not" | "some" | "with" | "as" | "contains")
        }
        Some(Token::Sign(sign)) => sign.is_ascii_digit(),
    }
}

fn reaches(rules: &Uses, from: &str, wanted: &str) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        for used in rules.get(name).into_iter().flatten() {
            if used == wanted {
                return true;
            }
            if rules.contains_key(used) && seen.insert(used.as_str()) {
                open.push(used);
            }
        }
    }
    false
}

fn tokens(text: &str) -> Vec<Placed> {
    let mut tokens = Vec::new();
    let (mut line, mut is_first, mut depth) = (1, true, 0_usize);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let token = match c {
            '\n' => {
                (line, is_first) = (line + 1, true);
                continue;
            }
            '#' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '"' | '`' => {
                let mut inside = String::new();
                while let Some(next) = chars.next_if(|next| *next != c && (c == '`' || *next != '\n')) {
                    line += usize::from(next == '\n');
                    inside.push(next);
                    if next == '\\' && c == '"' {
                        inside.extend(chars.next());
                    }
                }
                chars.next_if(|next| *next == c);
                Token::Text(inside)
            }
            _ if c.is_alphabetic() || c == '_' => {
                let mut name = c.to_string();
                while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    name.push(next);
                }
                Token::Name(name)
            }
            _ if c.is_whitespace() => continue,
            _ => Token::Sign(c),
        };
        let opens = usize::from(matches!(token, Token::Sign('(' | '[' | '{')));
        let closes = usize::from(matches!(token, Token::Sign(')' | ']' | '}')));
        depth = (depth + opens).saturating_sub(closes);
        tokens.push(Placed { token, line, is_first, depth });
        is_first = false;
    }
    tokens
}
