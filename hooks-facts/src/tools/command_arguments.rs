//! Finds the commands in the arguments of a shell tool.

use serde_json::{Map, Value};

use super::arguments::{MAX_DEPTH, Pointer};
use super::names::Folded;

/// Commands in the arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandArguments {
    /// Every command, also if several arguments hold one. An argument that can be read in two ways (a list of
    /// texts, or the words of one command) is listed in both.
    pub found: Vec<CommandArgument>,
    /// JSON pointers of command arguments that are present but cannot be read; a guard denies them.
    pub unusable: Vec<String>,
}

impl CommandArguments {
    /// Returns whether the call has no command: the arguments are missing, empty or null.
    pub fn is_missing(&self) -> bool {
        self.found.is_empty() && self.unusable.is_empty()
    }
}

/// Command in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandArgument {
    /// JSON pointer (RFC 6901).
    pub pointer: String,
    /// The command.
    pub command: Command,
}

/// Command in the form in which a tool receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Text that a shell parses.
    Text(String),
    /// Program with its words, run without a shell.
    Words(Vec<String>),
}

/// Returns every command in the arguments of a shell tool, at any depth.
///
/// ```
/// use hooks_facts::tools::{Command, commands_of};
/// use serde_json::json;
///
/// let text = commands_of(&json!({"command": "ls -l"}));
/// assert_eq!(text.found[0].command, Command::Text("ls -l".to_owned()));
/// assert_eq!(text.found[0].pointer, "/command");
///
/// // A command that is neither a text nor a list is reported, so that a guard can deny it.
/// assert_eq!(commands_of(&json!({"command": 7})).unusable, ["/command"]);
/// ```
pub fn commands_of(arguments: &Value) -> CommandArguments {
    let mut walk = Walk::default();
    match arguments {
        Value::Object(map) => walk.object(map, &Pointer::default()),
        // A tool whose only argument is the command may receive a bare text or list.
        value => walk.command(value, None, &Pointer::default()),
    }
    walk.result
}

/// Folded names of arguments that hold a command.
const COMMAND: &[&str] = table!("argument_names_command");
const PROGRAM: &[&str] = table!("argument_names_program");
const ARGS: &[&str] = table!("argument_names_words");

#[derive(Default)]
struct Walk {
    result: CommandArguments,
}

impl Walk {
    fn object(&mut self, map: &Map<String, Value>, pointer: &Pointer<'_>) {
        let args = map.iter().find(|(key, _)| is_one_of(key, ARGS)).map(|(_, value)| value);
        for (key, value) in map {
            let pointer = &pointer.key(key);
            // Usually `shell` is the name of the program that parses the command.
            let is_shell_text =
                || value.as_str().is_some_and(|text| text.trim().contains(char::is_whitespace));
            if is_one_of(key, COMMAND) || (is_one_of(key, &["shell"]) && is_shell_text()) {
                self.command(value, args, pointer);
            } else if is_one_of(key, PROGRAM) {
                self.program(value, args, pointer);
            } else {
                self.nested(value, pointer);
            }
        }
    }

    /// Walks a value under an unknown key: only objects in it are read.
    fn nested(&mut self, value: &Value, pointer: &Pointer<'_>) {
        match value {
            Value::Object(_) | Value::Array(_) if pointer.depth() >= MAX_DEPTH => self.unusable(pointer),
            Value::Object(map) => self.object(map, pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.nested(item, &pointer.item(index));
                }
            }
            _ => {}
        }
    }

    fn command(&mut self, value: &Value, args: Option<&Value>, pointer: &Pointer<'_>) {
        match value {
            Value::Null => {}
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) => {
                self.push(Command::Text(text.clone()), pointer);
                // `command` with `args` beside it may also be a program and its words.
                if args.is_some() {
                    self.program(value, args, pointer);
                }
            }
            Value::Array(_) | Value::Object(_) if pointer.depth() >= MAX_DEPTH => self.unusable(pointer),
            Value::Array(items) => self.list(items, pointer),
            Value::Object(map) => {
                let before = (self.result.found.len(), self.result.unusable.len());
                self.object(map, pointer);
                if before == (self.result.found.len(), self.result.unusable.len()) {
                    self.unusable(pointer);
                }
            }
            Value::Bool(_) | Value::Number(_) => self.unusable(pointer),
        }
    }

    /// Reads a list as the words of one command. If its name is in the plural, or it is the only argument, an
    /// item can also be a text of its own.
    fn list(&mut self, items: &[Value], pointer: &Pointer<'_>) {
        if items.is_empty() {
            return;
        }
        if let Some(words) = words_of(items) {
            if words.len() == 1 || pointer.text().ends_with('s') {
                for (index, word) in words.iter().enumerate().filter(|(_, word)| !word.trim().is_empty()) {
                    self.push(Command::Text(word.clone()), &pointer.item(index));
                }
            }
            if words.iter().any(|word| !word.is_empty()) {
                self.push(Command::Words(words), pointer);
            }
            return;
        }
        for (index, item) in items.iter().enumerate() {
            self.command(item, None, &pointer.item(index));
        }
    }

    fn program(&mut self, value: &Value, args: Option<&Value>, pointer: &Pointer<'_>) {
        let args = match args {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Array(items)) => words_of(items),
            Some(Value::String(text)) => Some(text.split_whitespace().map(str::to_owned).collect()),
            Some(_) => None,
        };
        match (value, args) {
            (Value::Null, _) => {}
            (Value::String(program), _) if program.is_empty() => {}
            (Value::String(program), Some(args)) => {
                let mut words = vec![program.clone()];
                words.extend(args);
                self.push(Command::Words(words), pointer);
            }
            _ => self.unusable(pointer),
        }
    }

    fn push(&mut self, command: Command, pointer: &Pointer<'_>) {
        self.result.found.push(CommandArgument { pointer: pointer.text().into_owned(), command });
    }

    fn unusable(&mut self, pointer: &Pointer<'_>) {
        self.result.unusable.push(pointer.text().into_owned());
    }
}

fn is_one_of(key: &str, names: &[&str]) -> bool {
    Folded::new(key).is_some_and(|key| key.is_one_of(names))
}

/// Returns the items as words, if all of them are texts; a number is formatted, as tools do.
fn words_of(items: &[Value]) -> Option<Vec<String>> {
    let word = |item: &Value| match item {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    items.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(words: &[&str]) -> Command {
        Command::Words(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn found(arguments: &Value) -> Vec<(String, Command)> {
        commands_of(arguments).found.into_iter().map(|found| (found.pointer, found.command)).collect()
    }

    #[test]
    fn all_commands_are_found() {
        let arguments = json!({"command": "ls", "description": "rm", "then": [{"cmd": ["rm", "-rf"]}], "script": "", "shell": "zsh"});
        let expected =
            [("/command".into(), Command::Text("ls".into())), ("/then/0/cmd".into(), words(&["rm", "-rf"]))];
        assert_eq!(found(&arguments), expected);
    }

    #[test]
    fn a_program_and_its_words() {
        let expected = [("/program".to_owned(), words(&["git", "push", "-f"]))];
        assert_eq!(found(&json!({"program": "git", "args": ["push", "-f"]})), expected);
        assert!(
            found(&json!({"command": "rm", "args": ["-rf"]}))
                .contains(&("/command".into(), words(&["rm", "-rf"])))
        );
    }

    #[test]
    fn a_list_of_texts_is_read_both_ways() {
        let commands = found(&json!({"commands": ["ls -l", "rm x"]}));
        assert!(commands.contains(&("/commands/1".into(), Command::Text("rm x".into()))));
        assert!(commands.contains(&("/commands".into(), words(&["ls -l", "rm x"]))));
        assert_eq!(found(&json!({"command": ["echo", "rm -rf x"]})).len(), 1);
    }

    #[test]
    fn missing_and_unusable_are_two_things() {
        for missing in
            [json!({}), json!({"command": null}), json!({"command": " "}), json!({"cmd": []}), json!(null)]
        {
            assert!(commands_of(&missing).is_missing(), "{missing}");
        }
        for unusable in [json!({"command": 7}), json!({"cmd": {"x": 1}}), json!({"program": "a", "args": 3})]
        {
            assert_eq!(commands_of(&unusable).unusable.len(), 1, "{unusable}");
        }
    }
}
