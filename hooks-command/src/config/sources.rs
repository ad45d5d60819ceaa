//! Sources of handlers, and their order.

use serde_json::{Value, json};

/// The source of a block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The agent's own file.
    Agent,
    /// The user's settings.
    Settings,
    /// A file of the folder `hooks.d`, by name.
    DropIn(String),
    /// The command line.
    CommandLine,
}

impl Source {
    /// A file of the folder `hooks.d`; `None` if it is not a YAML file, as other files are ignored.
    pub fn drop_in(name: &str) -> Option<Self> {
        let is_yaml = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).is_some();
        is_yaml.then(|| Self::DropIn(name.to_owned()))
    }
}

/// Sorts the parts of several sources into the order in which they run. Every source adds handlers, and
/// replaces none.
///
/// ```
/// use hooks_command::config::{Source, in_order};
///
/// let drop_in = Source::drop_in("10-team.yaml").ok_or("not a YAML file")?;
/// assert_eq!(Source::drop_in("README.md"), None);
/// let parts = vec![(Source::CommandLine, 3), (drop_in, 2), (Source::Agent, 1)];
/// let order: Vec<_> = in_order(parts).into_iter().map(|(_, part)| part).collect();
/// assert_eq!(order, [1, 2, 3]);
/// # Ok::<(), &str>(())
/// ```
pub fn in_order<T>(mut parts: Vec<(Source, T)>) -> Vec<(Source, T)> {
    parts.sort_by(|(a, _), (b, _)| a.cmp(b));
    parts
}

/// The flags of the command line, and their events.
const COMMAND_LINE_FLAGS: [(&str, &str); 6] = [
    ("--hook-pre-tool-use", "pre_tool_use"),
    ("--hook-post-tool-use", "post_tool_use"),
    ("--hook-session-start", "session_start"),
    ("--hook-session-end", "session_end"),
    ("--hook-on-user-input", "on_user_input"),
    ("--hook-stop", "stop"),
];

/// The block that a flag with these values stands for: commands for all tools, without blank ones. `None` if
/// the flag is unknown.
///
/// ```
/// use hooks_command::config::from_flag;
/// use serde_json::json;
///
/// let commands = ["./check.sh".to_owned(), " ".to_owned()];
/// assert_eq!(
///     from_flag("--hook-stop", &commands),
///     Some(json!({"stop": [{"type": "command", "command": "./check.sh"}]}))
/// );
/// assert_eq!(from_flag("--hook-other", &commands), None);
/// ```
pub fn from_flag(flag: &str, commands: &[String]) -> Option<Value> {
    let event = COMMAND_LINE_FLAGS.iter().find(|(name, _)| *name == flag)?.1;
    let handlers: Vec<_> = commands
        .iter()
        .filter(|command| !command.trim().is_empty())
        .map(|command| json!({"type": "command", "command": command}))
        .collect();
    if handlers.is_empty() {
        return Some(json!({}));
    }
    let is_about_tools = matches!(event, "pre_tool_use" | "post_tool_use");
    Some(if is_about_tools { json!({ event: [{ "hooks": handlers }] }) } else { json!({ event: handlers }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_own_come_first_and_the_command_line_last() {
        let parts = ["z.yaml", "notes.txt", "a.yml"].iter().filter_map(|name| Source::drop_in(name));
        let mut parts: Vec<_> = parts.chain([Source::CommandLine, Source::Agent, Source::Settings]).collect();
        parts.rotate_left(1);
        let order: Vec<_> = in_order(parts.into_iter().map(|source| (source, ())).collect());
        let order: Vec<_> = order.into_iter().map(|(source, ())| source).collect();
        let drop_in = |name: &str| Source::DropIn(name.to_owned());
        assert_eq!(
            order,
            [Source::Agent, Source::Settings, drop_in("a.yml"), drop_in("z.yaml"), Source::CommandLine]
        );
    }

    #[test]
    fn a_flag_is_a_block_and_blank_commands_are_none() {
        let texts = ["./a.sh".to_owned(), "  ".to_owned()];
        let handler = json!({"type": "command", "command": "./a.sh"});
        assert_eq!(from_flag("--hook-stop", &texts), Some(json!({"stop": [handler]})));
        let tools = json!({"pre_tool_use": [{"hooks": [handler]}]});
        assert_eq!(from_flag("--hook-pre-tool-use", &texts), Some(tools));
        assert_eq!(from_flag("--hook-stop", &texts[1..]), Some(json!({})));
        assert_eq!(from_flag("--hook-turn-end", &texts), None);
    }
}
