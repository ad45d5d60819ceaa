//! Permission rules: patterns on the name of a tool and on its arguments.

use serde_json::{Map, Value};

/// The patterns of one layer: of the session, or of the team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Calls that run without a question.
    pub(crate) allow: Vec<String>,
    /// Calls that always need a question.
    pub(crate) ask: Vec<String>,
    /// Calls that never run.
    pub(crate) deny: Vec<String>,
}

/// The decision of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruled {
    /// The call never runs.
    Deny,
    /// The call runs without a question.
    Allow,
    /// The user is asked.
    Ask,
}

impl Rule {
    /// The decision about a call: deny counts before allow, allow before ask.
    pub(crate) fn about(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Ruled> {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| covers(pattern, tool, arguments));
        let layers = [(&self.deny, Ruled::Deny), (&self.allow, Ruled::Allow), (&self.ask, Ruled::Ask)];
        layers.iter().find(|(patterns, _)| any(patterns)).map(|(_, ruled)| *ruled)
    }

    /// Whether a user's grants cover a call clearly enough to settle a question of a guard. For the shell,
    /// they cover a single plain command only, compared by whole words.
    pub(crate) fn grants(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        if self.about(tool, arguments) != Some(Ruled::Allow) {
            return false;
        }
        if tool != "shell" {
            return true;
        }
        let command = arguments.get("cmd").and_then(Value::as_str).unwrap_or_default();
        is_plain(command) && self.allow.iter().any(|pattern| grants_command(pattern, tool, command))
    }
}

/// Whether a command is a single command, without chaining, substitution or redirection.
fn is_plain(command: &str) -> bool {
    !command.contains([';', '&', '|', '<', '>', '$', '`', '(', ')', '{', '}', '\n', '\r', '\\'])
}

fn grants_command(pattern: &str, tool: &str, command: &str) -> bool {
    if pattern == tool {
        return true;
    }
    let condition = pattern.strip_prefix(tool).and_then(|rest| rest.strip_prefix(":cmd="));
    let Some(condition) = condition.map(str::to_lowercase) else { return false };
    let command = command.to_lowercase();
    let Some(literal) = condition.strip_suffix('*') else { return condition == command };
    let rest = command.strip_prefix(literal);
    !literal.contains(['*', '?', '[', '\\', ':'])
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Whether a pattern, which is `tool` or `tool:argument=value`, covers a call.
fn covers(pattern: &str, tool: &str, arguments: &Map<String, Value>) -> bool {
    let (name, conditions) = parts(pattern);
    glob(name, tool)
        && conditions.iter().all(|(argument, pattern)| {
            arguments.get(*argument).is_some_and(|value| glob(pattern, &text(value)))
        })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

/// The pattern of the tool, and those of its arguments. Names and values can contain colons: only a colon
/// before `name=` begins a condition.
fn parts(pattern: &str) -> (&str, Vec<(&str, &str)>) {
    let mut starts: Vec<(usize, usize, &str)> = Vec::new();
    for (at, _) in pattern.match_indices(':') {
        let after = pattern.get(at + 1..).unwrap_or_default();
        let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let name = after.get(..length).unwrap_or_default();
        if !name.is_empty() && after.get(length..).is_some_and(|rest| rest.starts_with('=')) {
            starts.push((at, at + length + 2, name));
        }
    }
    let end = starts.first().map_or(pattern.len(), |(at, ..)| *at);
    let ends = starts.iter().skip(1).map(|(at, ..)| *at).chain([pattern.len()]);
    let conditions = starts
        .iter()
        .zip(ends)
        .map(|((_, from, name), to)| (*name, pattern.get(*from..to).unwrap_or_default()));
    (pattern.get(..end).unwrap_or_default(), conditions.collect())
}

/// Whether the complete text matches a pattern, ignoring case: `*`, `?`, `[a-z]`, `[^a]`, `\x`. Takes time
/// proportional to the length of the pattern times the length of the text.
fn glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<Piece> = pieces(&pattern.to_lowercase());
    let text: Vec<char> = text.to_lowercase().chars().collect();
    // Entry `n` is whether the first `n` pieces of the pattern match the text read so far.
    let mut reached = vec![true];
    reached.extend(pattern.iter().scan(true, |all, piece| {
        *all &= matches!(piece, Piece::Any);
        Some(*all)
    }));
    for c in text {
        let mut next = vec![false];
        for (index, piece) in pattern.iter().enumerate() {
            let at = |list: &[bool], index: usize| list.get(index).copied().unwrap_or_default();
            next.push(match piece {
                Piece::Any => at(&reached, index + 1) || at(&next, index) || at(&reached, index),
                piece => at(&reached, index) && piece.is(c),
            });
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

enum Piece {
    Any,
    One,
    Letter(char),
    Class { ranges: Vec<(char, char)>, is_negated: bool },
}

impl Piece {
    fn is(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Letter(letter) => *letter == c,
            Self::Class { ranges, is_negated } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negated
            }
        }
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            '\\' => Piece::Letter(chars.next().unwrap_or('\\')),
            '[' => match class(chars.as_str()) {
                Some((class, rest)) => {
                    chars = rest.chars();
                    class
                }
                None => Piece::Letter('['),
            },
            c => Piece::Letter(c),
        });
    }
    pieces
}

fn class(text: &str) -> Option<(Piece, &str)> {
    let (body, rest) = text.split_once(']')?;
    let (body, is_negated) = body.strip_prefix('^').map_or((body, false), |body| (body, true));
    let letters: Vec<char> = body.chars().filter(|c| *c != '\\').collect();
    let mut ranges = Vec::new();
    let mut rest_of = letters.as_slice();
    loop {
        rest_of = match rest_of {
            [from, '-', to, after @ ..] => {
                ranges.push((*from, *to));
                after
            }
            [one, after @ ..] => {
                ranges.push((*one, *one));
                after
            }
            [] => break,
        };
    }
    Some((Piece::Class { ranges, is_negated }, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn patterns_on_names_and_arguments() {
        let call = arguments(&json!({"cmd": "Git push --force\nx", "cwd": "/home/a", "n": 5}));
        for (pattern, covered) in [
            ("shell", true),
            ("SHELL", true),
            ("sh*", true),
            ("*", true),
            ("s?ell", true),
            ("[r-t]hell", true),
            ("[^s]hell", false),
            ("read_*", false),
            ("shell:cmd=git push*", true),
            ("shell:cmd=*--force*", true),
            ("shell:cmd=git", false),
            ("shell:cmd=git*:cwd=/home/*", true),
            ("shell:cmd=git*:cwd=/srv/*", false),
            ("shell:n=5", true),
            ("shell:nobody=*", false),
            (r"shell:cmd=git\*", false),
        ] {
            assert_eq!(covers(pattern, "shell", &call), covered, "{pattern}");
        }
        assert!(covers("mcp:github:create_*", "mcp:github:create_issue", &call));
    }

    #[test]
    fn a_grant_covers_one_plain_command() {
        let rule = Rule { allow: vec!["shell:cmd=mkdir*".to_owned()], ..Rule::default() };
        for (command, granted) in [
            ("mkdir x", true),
            ("mkdir", true),
            ("mkdirs x", false),
            ("mkdir x && rm y", false),
            ("mkdir $(x)", false),
        ] {
            assert_eq!(rule.grants("shell", &arguments(&json!({"cmd": command}))), granted, "{command}");
        }
        let all = Rule {
            allow: vec!["shell".to_owned()],
            deny: vec!["shell:cmd=rm*".to_owned()],
            ..Rule::default()
        };
        assert!(all.grants("shell", &arguments(&json!({"cmd": "ls"}))));
        assert!(!all.grants("shell", &arguments(&json!({"cmd": "rm x"}))));
    }

    #[test]
    fn many_stars_are_no_work() {
        let pattern = "*a".repeat(200);
        assert!(!glob(&pattern, &"a".repeat(199)));
        assert!(glob(&pattern, &"a".repeat(2000)));
    }
}
