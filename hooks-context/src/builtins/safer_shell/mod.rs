//! `safer_shell`: classifies shell commands, and asks or allows by a policy, as docker-agent did in July 2026.
//!
//! It compares texts and does not read the shell. It is here for files that name it; the guards of Hooks read
//! commands.

mod shapes;

use std::sync::LazyLock;

use regex::RegexSet;
use serde_json::Map;

use self::shapes::{HARMFUL, HARMLESS, Radius, Shapes};
use super::{BuiltinError, Call, Output, Specific, World};

/// The only event and the only tool that it classifies.
const EVENT: &str = "pre_tool_use";
const TOOL: &str = "shell";

/// A longer command is not compared, and counts as unknown.
const LONGEST: usize = 64 << 10;

/// Policy of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Never answers.
    Unsafe,
    /// Asks about harmful commands.
    Safer,
    /// Allows harmless commands, and asks about all others.
    SafeAuto,
    /// Asks about every command.
    Strict,
}

impl Policy {
    fn named(word: &str) -> Option<Self> {
        match word {
            "unsafe" => Some(Self::Unsafe),
            "safer" => Some(Self::Safer),
            "safe-auto" => Some(Self::SafeAuto),
            "strict" => Some(Self::Strict),
            _ => None,
        }
    }
}

/// Answers with a verdict and its metadata: the risk, its category and the reason.
pub(super) fn safer_shell(call: &Call<'_>, _world: &World) -> Result<Output, BuiltinError> {
    if call.event() != EVENT || call.text("tool_name") != TOOL {
        return Ok(Output::default());
    }
    let pinned = call.args.first().and_then(|word| Policy::named(word));
    let policy = pinned.or_else(|| Policy::named(call.text("safety_policy"))).unwrap_or(Policy::Strict);
    if policy == Policy::Unsafe {
        return Ok(Output::default());
    }
    let arguments = call.input.get("tool_input");
    let argument = |name: &str| arguments.and_then(|arguments| arguments.get(name)?.as_str());
    let found = classified(argument("cmd").or_else(|| argument("command")).unwrap_or_default());
    let decision = match (policy, found.radius) {
        (Policy::Safer, Radius::Safe | Radius::Unknown) => return Ok(Output::default()),
        (Policy::SafeAuto, Radius::Safe) => "allow",
        _ => "ask",
    };
    let mut metadata = Map::new();
    metadata.insert("blast_radius".to_owned(), found.radius.word().into());
    if let Some(category) = found.category {
        metadata.insert("category".to_owned(), category.into());
    }
    metadata.insert("reason".to_owned(), found.reason.as_str().into());
    let specific = Specific {
        hook_event_name: EVENT.to_owned(),
        permission_decision: Some(decision),
        permission_decision_reason: Some(found.reason),
        metadata: Some(metadata),
        ..Specific::default()
    };
    Ok(Output { hook_specific_output: Some(Box::new(specific)), ..Output::default() })
}

/// The risk of a command.
struct Classified {
    radius: Radius,
    category: Option<&'static str>,
    reason: String,
}

fn classified(command: &str) -> Classified {
    if command.len() <= LONGEST {
        let words = normalized(command);
        if let Some((shapes, shape)) = HARMFUL_SHAPES.worst(&words) {
            let reason = format!("Command matches destructive operation: {shape}");
            return Classified { radius: shapes.radius, category: Some(shapes.category), reason };
        }
        let is_chained = words.split(' ').any(|word| ["&&", "||", "|", ";"].contains(&word));
        if !is_chained && let Some((shapes, shape)) = HARMLESS_SHAPES.worst(&words) {
            let reason = format!("Command matches safe read-only pattern: {shape}");
            return Classified { radius: Radius::Safe, category: Some(shapes.category), reason };
        }
    }
    let reason = "Shell command requires safer-mode confirmation.".to_owned();
    Classified { radius: Radius::Unknown, category: None, reason }
}

/// The words of a command in lower case, with one space between them.
fn normalized(command: &str) -> String {
    command.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A command with the shape somewhere in it.
static HARMFUL_SHAPES: LazyLock<Compiled> =
    LazyLock::new(|| Compiled::new(HARMFUL, r"(?:^|(?-u:\b))", r"(?:$|(?-u:\b))"));
/// A command that has the shape as a whole.
static HARMLESS_SHAPES: LazyLock<Compiled> = LazyLock::new(|| Compiled::new(HARMLESS, "^", "$"));

struct Compiled {
    shapes: Vec<(&'static Shapes, &'static str)>,
    /// `None` if a shape cannot be compiled, which a test excludes.
    set: Option<RegexSet>,
}

impl Compiled {
    fn new(table: &'static [Shapes], before: &str, after: &str) -> Self {
        let shapes = table.iter().flat_map(|shapes| shapes.shapes.iter().map(move |shape| (shapes, *shape)));
        let shapes: Vec<_> = shapes.collect();
        let patterns = shapes.iter().map(|(_, shape)| format!("{before}{}{after}", pattern(shape)));
        Self { set: RegexSet::new(patterns).ok(), shapes }
    }

    /// The worst shape of a command; of several, the first.
    fn worst(&self, words: &str) -> Option<(&'static Shapes, &'static str)> {
        let found = self.set.as_ref()?.matches(words);
        let found = found.iter().filter_map(|index| self.shapes.get(index).copied());
        found.reduce(|worst, other| if other.0.radius > worst.0.radius { other } else { worst })
    }
}

/// The pattern of a shape: `<name>` is a word, and `...` any text.
fn pattern(shape: &str) -> String {
    let mut pattern = String::new();
    let shape = normalized(shape);
    let mut rest = shape.as_str();
    while !rest.is_empty() {
        if let Some((_, after)) = rest.strip_prefix('<').and_then(|inside| inside.split_once('>')) {
            pattern.push_str("[^ ]+");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("...") {
            pattern.push_str(".*");
            rest = after;
        } else {
            let end = rest.char_indices().nth(1).map_or(rest.len(), |(end, _)| end);
            let (letter, after) = rest.split_at(end);
            pattern.push_str(&regex::escape(letter));
            rest = after;
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_found_in_a_command_that_has_it() {
        assert!(HARMFUL_SHAPES.set.is_some() && HARMLESS_SHAPES.set.is_some());
        for (table, compiled) in [(HARMFUL, &*HARMFUL_SHAPES), (HARMLESS, &*HARMLESS_SHAPES)] {
            for shapes in table {
                for shape in shapes.shapes {
                    let sign = if shape.starts_with('>') { "> " } else { "" };
                    let command = sign.to_owned() + &shape.replace("...", "x ").replace(['<', '>'], "");
                    let words = normalized(&command);
                    let found = compiled.worst(&words).map(|(found, _)| found.radius);
                    assert!(found >= Some(shapes.radius), "{shape}: `{command}`");
                }
            }
        }
    }

    #[test]
    fn commands_and_their_risk() {
        for (command, radius, category) in [
            ("rm -rf /srv", Radius::High, "fs-delete"),
            ("cd /srv  &&  RM -Rf x", Radius::High, "fs-delete"),
            ("rm notes.txt", Radius::Low, "fs-delete"),
            ("find . | xargs rm -rf", Radius::Low, "fs-delete"),
            ("docker volume rm cache", Radius::High, "dk-volume-del"),
            ("docker system prune -af --volumes", Radius::High, "dk-multi-del"),
            ("mkfs.ext4 /dev/sda1", Radius::High, "block-device"),
            ("git push --force origin main", Radius::Medium, "git-history"),
            ("git status --short", Radius::Safe, "git-read"),
            ("ls -la src", Radius::Safe, "fs-read"),
            ("ls && pwd", Radius::Unknown, ""),
            ("perform -x", Radius::Unknown, ""),
            ("", Radius::Unknown, ""),
        ] {
            let found = classified(command);
            let found = (found.radius, found.category.unwrap_or_default());
            assert_eq!(found, (radius, category), "{command}");
        }
        assert_eq!(classified(&format!("rm -rf {}", "x".repeat(LONGEST))).radius, Radius::Unknown);
    }
}
