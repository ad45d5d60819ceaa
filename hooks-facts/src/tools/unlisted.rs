//! Commands among the arguments of a tool that no table lists, in whatever shape they stand.
//!
//! Each text and each list of words may be a command if the name of the tool means that it starts something. So may a text
//! beside a key that names a way to run it. If the name means that its texts are for readers, no text is a command.

use serde_json::{Map, Value};

use super::command_arguments::{Command, CommandArgument, CommandArguments};
use super::names::Folded;
use super::verbs::{reads_by_name, words};

const RUNNING: &[&str] = table!("unlisted_words_running");
const TELLING: &[&str] = table!("unlisted_words_telling");
const PLAIN: &[&str] = table!("unlisted_words_plain");
const SAYING: &[&str] = table!("unlisted_words_saying");
const SHELLS: &[&str] = table!("unlisted_words_shells");

/// Languages with the program that runs a text, and its option.
const LANGUAGES: &[(&str, &str, &str)] = table!("code_languages");

/// Deepest arguments that are read; deeper ones are unusable. No client sends as deep ones, as `hooks run` reads 100 levels.
pub(super) const MAX_DEPTH: usize = 128;
/// Most commands of one call; with more, the arguments count as unusable.
const MAX_COMMANDS: usize = 256;

/// Returns the texts and lists that the tool may run.
pub(crate) fn unlisted_commands(name: &str, arguments: &Value) -> CommandArguments {
    let words = words(name);
    let own = name.rsplit("__").next().unwrap_or(name);
    let runs =
        words.iter().any(|word| RUNNING.contains(&word.as_str())) && !tells(&words) && !reads_by_name(own);
    let language = words.iter().find_map(|word| language(word));
    let mut walk = Walk { commands: CommandArguments::default(), language };
    walk.value(arguments, "", runs, 0);
    walk.commands.found.extend(git_command(name, arguments));
    walk.commands
}

/// Commands of git that change something, as tools are named for them.
const GIT: &[&str] = &[
    "branch", "checkout", "clean", "commit", "merge", "push", "rebase", "reset", "restore", "rm", "stash",
    "switch", "tag",
];

/// Returns what a tool such as `mcp__git__git_push` runs: a flag is an option, as the value of `mode` is, and a text is an operand.
fn git_command(name: &str, arguments: &Value) -> Option<CommandArgument> {
    let (server, own) = name.rsplit_once("__")?;
    let own = own.to_lowercase();
    let is_of_git = server.rsplit("__").next().is_some_and(|server| server.eq_ignore_ascii_case("git"));
    let command = own.strip_prefix("git_").or_else(|| Some(own.as_str()).filter(|_| is_of_git))?;
    let mut words = vec!["git".to_owned(), (*GIT.iter().find(|known| **known == command)?).to_owned()];
    for (key, value) in arguments.as_object()?.iter().take(MAX_COMMANDS) {
        match value {
            Value::Bool(true) => words.push(format!("--{}", key.replace('_', "-"))),
            Value::String(mode) if key.eq_ignore_ascii_case("mode") => words.push(format!("--{mode}")),
            Value::String(_)
                if is_in(key, PLAIN)
                    || ["repo", "cwd", "path", "dir"]
                        .iter()
                        .any(|place| key.to_lowercase().contains(place)) => {}
            Value::String(text) => words.push(text.clone()),
            Value::Array(items) => words.extend(items.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
    Some(CommandArgument { pointer: String::new(), command: Command::Words(words) })
}

/// Returns whether the words of a name mean that its texts are for readers.
pub(super) fn tells(words: &[String]) -> bool {
    words.iter().any(|word| TELLING.contains(&word.as_str()))
}

/// Returns whether a key names a way to use the values beside it.
pub(super) fn is_saying(key: &str) -> bool {
    is_in(key, SAYING)
}

/// Returns every text and list of a tool that runs commands, but has none under a key that is known.
pub(crate) fn commands_anywhere(arguments: &Value) -> CommandArguments {
    let mut walk = Walk { commands: CommandArguments::default(), language: None };
    walk.value(arguments, "", true, 0);
    walk.commands
}

fn language(word: &str) -> Option<(&'static str, &'static str)> {
    let found = LANGUAGES.iter().find(|(language, ..)| *language == word);
    found.map(|(_, program, option)| (*program, *option))
}

struct Walk {
    commands: CommandArguments,
    language: Option<(&'static str, &'static str)>,
}

impl Walk {
    fn value(&mut self, value: &Value, pointer: &str, runs: bool, depth: usize) {
        let is_too_much = depth > MAX_DEPTH || runs && self.commands.found.len() >= MAX_COMMANDS;
        match value {
            Value::Object(_) | Value::Array(_) if is_too_much => {
                self.commands.unusable.push(pointer.to_owned());
            }
            Value::String(text) if runs => self.text(text, pointer),
            Value::Array(items) => {
                let words: Option<Vec<String>> =
                    items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                if let Some(words) = words.filter(|words| runs && !words.is_empty()) {
                    self.push(Command::Words(words), pointer);
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &format!("{pointer}/{index}"), runs, depth + 1);
                }
            }
            Value::Object(map) => self.object(map, pointer, runs, depth),
            _ => {}
        }
    }

    fn object(&mut self, map: &Map<String, Value>, pointer: &str, runs: bool, depth: usize) {
        let sayings =
            map.iter().filter(|(key, _)| is_in(key, SAYING)).filter_map(|(_, value)| value.as_str());
        let sayings: Vec<String> = sayings.map(str::to_lowercase).collect();
        let is_shell = sayings.iter().any(|word| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word)));
        let outer = self.language;
        self.language = sayings.iter().find_map(|word| language(word)).or(outer);
        if is_shell {
            self.language = None;
        }
        let runs = runs || is_shell || self.language.is_some() && self.language != outer;
        if runs {
            self.split_words(map, pointer);
        }
        for (key, value) in map {
            if is_in(key, PLAIN) && !value.is_object() || is_in(key, SAYING) && !value.is_object() {
                continue;
            }
            let step = key.replace('~', "~0").replace('/', "~1");
            self.value(value, &format!("{pointer}/{step}"), runs, depth + 1);
        }
        self.language = outer;
    }

    /// A program and its words under two keys.
    fn split_words(&mut self, map: &Map<String, Value>, pointer: &str) {
        for (key, program) in map {
            let Some(program) = program.as_str().filter(|program| !program.contains(char::is_whitespace))
            else {
                continue;
            };
            for (_, list) in map {
                let Some(items) = list.as_array() else { continue };
                let words: Option<Vec<String>> =
                    items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                let Some(words) = words else { continue };
                let argv = std::iter::once(program.to_owned()).chain(words).collect();
                self.push(Command::Words(argv), &format!("{pointer}/{key}"));
            }
        }
    }

    fn text(&mut self, text: &str, pointer: &str) {
        if text.trim().is_empty() {
            return;
        }
        // A cell of a notebook leaves a line to a shell.
        for line in text.lines().map(str::trim_start) {
            if let Some(command) = line.strip_prefix('!').or_else(|| line.strip_prefix("%sx ")) {
                self.push(Command::Text(command.to_owned()), pointer);
            }
        }
        if let Some(script) = text.trim_start().strip_prefix("%%") {
            let script = script.split_once('\n').map_or("", |(_, script)| script);
            self.push(Command::Text(script.to_owned()), pointer);
        }
        match self.language {
            Some((program, option)) => {
                let argv = [program, option, text].map(str::to_owned).to_vec();
                self.push(Command::Words(argv), pointer);
            }
            None => self.push(Command::Text(text.to_owned()), pointer),
        }
    }

    fn push(&mut self, command: Command, pointer: &str) {
        if self.commands.found.len() < MAX_COMMANDS {
            self.commands.found.push(CommandArgument { pointer: pointer.to_owned(), command });
        } else if self.commands.unusable.is_empty() {
            self.commands.unusable.push(pointer.to_owned());
        }
    }
}

fn is_in(key: &str, names: &[&str]) -> bool {
    Folded::new(key).is_some_and(|key| key.is_one_of(names))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_for_people_and_readers_are_no_commands() {
        let arguments = json!({"value": "rm -rf x", "list": [["rm", "-rf"]]});
        for name in ["mcp__slack__post_message", "mcp__x__list_commands", "mcp__crm__add_customer"] {
            assert!(unlisted_commands(name, &arguments).found.is_empty(), "{name}");
        }
        assert_eq!(unlisted_commands("mcp__x__run", &arguments).found.len(), 4);
    }

    #[test]
    fn too_deep_or_too_many_is_unusable_and_not_less() {
        let mut deep = json!("rm -rf x");
        for _ in 0..400 {
            deep = json!({ "a": deep });
        }
        assert_eq!(unlisted_commands("run", &deep).unusable.len(), 1);
        assert_eq!(unlisted_commands("frobnicate", &deep).unusable.len(), 1);
        let many: Vec<_> = (0..1_000).map(|number| json!([format!("rm {number}")])).collect();
        let commands = unlisted_commands("run", &json!(many));
        assert_eq!(commands.found.len(), MAX_COMMANDS);
        assert!(!commands.unusable.is_empty());
        assert!(unlisted_commands("show", &json!(many)).unusable.is_empty());
    }
}
