//! The hooks of Kimi CLI's TOML file: `[[hooks]]`, each with its event.

use hooks_protocols::Client;
use toml_edit::{ArrayOfTables, InlineTable, Item, Table, Value, value};

use super::toml::{as_json, command_of, parse, retain, seconds, tables};
use super::wiring::{FoundEntry, Refused};

const KEY: &str = "hooks";

/// All command lines.
pub(super) fn commands(text: &str) -> Result<Vec<FoundEntry>, Refused> {
    let document = parse(text)?;
    let hooks = document.get(KEY).map(tables).unwrap_or_default();
    let entry = |hook: &dyn toml_edit::TableLike| {
        Some(FoundEntry {
            event: hook.get("event").and_then(Item::as_str)?.to_owned(),
            line: command_of(hook)?.to_owned(),
            options: hook.iter().map(|(key, item)| (key.to_owned(), as_json(item))).collect(),
        })
    };
    Ok(hooks.into_iter().filter_map(entry).collect())
}

/// The text with a hook for each event.
pub(super) fn wire(text: &str, client: Client, lines: &[(&str, String)]) -> Result<String, Refused> {
    let mut document = parse(text)?;
    match document.entry(KEY).or_insert(Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(hooks) => {
            for (event, line) in lines {
                let fields = [("event", value(*event)), ("command", value(line))];
                let mut hook = Table::from_iter(fields);
                drop(hook.insert("timeout", value(seconds(client, event))));
                hooks.push(hook);
            }
        }
        // Kimi CLI itself writes `hooks = []`.
        Item::Value(Value::Array(hooks)) => {
            for (event, line) in lines {
                let fields = [("event", Value::from(*event)), ("command", Value::from(line))];
                let mut hook = InlineTable::from_iter(fields);
                drop(hook.insert("timeout", Value::from(seconds(client, event))));
                let mut hook = Value::InlineTable(hook);
                hook.decor_mut().set_prefix("\n    ");
                hooks.push_formatted(hook);
            }
            hooks.set_trailing("\n");
        }
        _ => return Err(Refused::other("`hooks` is not an array")),
    }
    Ok(document.to_string())
}

/// The text without our hooks.
pub(super) fn unwire(text: &str, is_meant: impl Fn(&str) -> bool) -> Result<String, Refused> {
    let mut document = parse(text)?;
    let Some(hooks) = document.get_mut(KEY) else { return Ok(text.to_owned()) };
    let before = tables(hooks).len();
    retain(hooks, &mut |hook| !command_of(hook).is_some_and(&is_meant));
    let after = tables(hooks).len();
    if before == after {
        return Ok(text.to_owned());
    }
    match hooks {
        Item::Value(Value::Array(hooks)) if hooks.is_empty() => hooks.set_trailing(""),
        Item::ArrayOfTables(hooks) if hooks.is_empty() => drop(document.remove(KEY)),
        _ => {}
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kimi CLI writes its hooks in the first form, and its documentation shows the second.
    #[test]
    fn both_notations_of_a_list_are_read_and_written() {
        let lines = [("PreToolUse", "ours".to_owned()), ("Stop", "ours".to_owned())];
        for text in [
            "# mine\nhooks = []\nmodel = \"m\"\n",
            "model = \"m\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"theirs\"\n\n[loop_control]\nmax = 3\n",
            "hooks = [{ event = \"Stop\", command = \"theirs\" }]\n",
            "model = \"m\"\n",
            "",
        ] {
            let wired = wire(text, Client::Kimi, &lines).unwrap();
            let found = commands(&wired).unwrap();
            let ours: Vec<_> = found.iter().filter(|one| one.line == "ours").collect();
            assert_eq!(
                ours.iter().map(|one| &*one.event).collect::<Vec<_>>(),
                ["PreToolUse", "Stop"],
                "{wired}"
            );
            assert_eq!(wired.contains("theirs"), text.contains("theirs"), "{wired}");
            let removed = unwire(&wired, |line| line == "ours").unwrap();
            assert_eq!(removed.trim_end(), text.trim_end());
        }
        assert!(wire("hooks = 1\n", Client::Kimi, &lines).is_err());
    }
}
