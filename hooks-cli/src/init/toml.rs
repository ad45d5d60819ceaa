//! The hooks of a TOML file: `[[hooks.EVENT]]` with `[[hooks.EVENT.hooks]]` in each.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::settings;
use super::wiring::{FoundEntry, Refused};

/// Whether a text contains hooks.
pub(super) fn has_hooks(text: &str) -> bool {
    text.parse::<DocumentMut>().is_ok_and(|document| {
        document
            .get("hooks")
            .and_then(Item::as_table_like)
            .is_some_and(|hooks| hooks.iter().any(|(key, item)| key != "state" && !item.is_none()))
    })
}

/// All command lines, by event.
pub(super) fn commands(text: &str) -> Result<Vec<FoundEntry>, Refused> {
    let document = parse(text)?;
    let mut all = Vec::new();
    let Some(hooks) = document.get("hooks").and_then(Item::as_table_like) else { return Ok(all) };
    for (event, groups) in hooks.iter() {
        for group in tables(groups) {
            for hook in group.get("hooks").into_iter().flat_map(tables) {
                let Some(line) = command_of(hook) else { continue };
                let group = group.iter().filter(|(key, _)| *key != "hooks");
                let options = group.chain(hook.iter()).map(|(key, item)| (key.to_owned(), as_json(item)));
                all.push(FoundEntry {
                    event: event.to_owned(),
                    line: line.to_owned(),
                    options: options.collect(),
                });
            }
        }
    }
    Ok(all)
}

/// The text with a group for each event.
pub(super) fn wire(
    text: &str,
    client: hooks_protocols::Client,
    lines: &[(&str, String)],
) -> Result<String, Refused> {
    let mut document = parse(text)?;
    let hooks = document.entry("hooks").or_insert_with(implicit_table);
    let Some(hooks) = hooks.as_table_like_mut() else { return Err(Refused::other("`hooks` is not a table")) };
    for (event, line) in lines {
        match hooks.entry(event).or_insert(Item::ArrayOfTables(ArrayOfTables::new())) {
            Item::ArrayOfTables(groups) => groups.push(group(client, event, line)),
            Item::Value(Value::Array(groups)) => groups.push(inline_group(client, event, line)),
            _ => return Err(Refused::other(format!("`hooks.{event}` is not an array"))),
        }
    }
    Ok(document.to_string())
}

/// The text without our hooks.
pub(super) fn unwire(text: &str, is_meant: impl Fn(&str) -> bool) -> Result<String, Refused> {
    let mut document = parse(text)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let is_ours = |hook: &dyn TableLike| command_of(hook).is_some_and(&is_meant);
    let events: Vec<String> = hooks.iter().map(|(event, _)| event.to_owned()).collect();
    for event in events {
        let Some(groups) = hooks.get_mut(&event) else { continue };
        let before = tables(groups).len();
        retain(groups, &mut |group| {
            let Some(hooks) = group.get_mut("hooks") else { return true };
            let before = tables(hooks).len();
            retain(hooks, &mut |hook| !is_ours(hook));
            before == 0 || !tables(hooks).is_empty()
        });
        if before > 0 && tables(groups).is_empty() {
            drop(hooks.remove(&event));
        }
    }
    if hooks.is_empty() {
        drop(document.remove("hooks"));
    }
    Ok(document.to_string())
}

/// The text with the hashes of trusted hooks, by the key of each hook.
pub(super) fn trusting(text: &str, hashes: &[(&str, &str)]) -> Result<String, Refused> {
    let mut document = parse(text)?;
    for (key, hash) in hashes {
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for name in ["hooks", "state", key] {
            let item = table
                .entry(name)
                .or_insert_with(|| if name == *key { Item::Table(Table::new()) } else { implicit_table() });
            table =
                item.as_table_like_mut().ok_or_else(|| Refused::other(format!("`{name}` is not a table")))?;
        }
        drop(table.insert("trusted_hash", value(*hash)));
        // To trust a hook that was switched off is to switch it on.
        drop(table.remove("enabled"));
    }
    Ok(document.to_string())
}

/// The text with `hooks = true` among its features, so that users cannot switch hooks off.
pub(super) fn requiring_hooks(text: &str) -> Result<String, Refused> {
    let mut document = parse(text)?;
    let features = document.entry("features").or_insert_with(|| Item::Table(Table::new()));
    let Some(features) = features.as_table_like_mut() else {
        return Err(Refused::other("`features` is not a table"));
    };
    match features.get("hooks").and_then(Item::as_bool) {
        Some(true) => return Ok(text.to_owned()),
        _ => drop(features.insert("hooks", value(true))),
    }
    Ok(document.to_string())
}

pub(super) fn parse(text: &str) -> Result<DocumentMut, Refused> {
    text.parse::<DocumentMut>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Refused::at(text, at, error.message().lines().next().unwrap_or("this is not TOML"))
    })
}

fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn group(client: hooks_protocols::Client, event: &str, line: &str) -> Table {
    let mut hook = Table::new();
    drop(hook.insert("type", value("command")));
    drop(hook.insert("command", value(line)));
    drop(hook.insert("timeout", value(seconds(client, event))));
    let mut hooks = ArrayOfTables::new();
    hooks.push(hook);
    let mut group = Table::new();
    drop(group.insert("hooks", Item::ArrayOfTables(hooks)));
    group
}

fn inline_group(client: hooks_protocols::Client, event: &str, line: &str) -> InlineTable {
    let hook = InlineTable::from_iter([
        ("type", Value::from("command")),
        ("command", Value::from(line)),
        ("timeout", Value::from(seconds(client, event))),
    ]);
    InlineTable::from_iter([("hooks", Value::Array(Array::from_iter([hook])))])
}

pub(super) fn seconds(client: hooks_protocols::Client, event: &str) -> i64 {
    settings::patience(client, event).try_into().unwrap_or(i64::MAX)
}

/// A simple value; other values are null.
pub(super) fn as_json(item: &Item) -> serde_json::Value {
    match item.as_value() {
        Some(Value::String(text)) => text.value().as_str().into(),
        Some(Value::Integer(number)) => (*number.value()).into(),
        Some(Value::Boolean(flag)) => (*flag.value()).into(),
        _ => serde_json::Value::Null,
    }
}

pub(super) fn command_of(hook: &dyn TableLike) -> Option<&str> {
    hook.get("command").and_then(Item::as_str)
}

/// The tables of an array, in any notation.
pub(super) fn tables(item: &Item) -> Vec<&dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(values)) => {
            values.iter().filter_map(Value::as_inline_table).map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// Keeps the given tables of an array.
pub(super) fn retain(item: &mut Item, keep: &mut dyn FnMut(&mut dyn TableLike) -> bool) {
    match item {
        Item::ArrayOfTables(tables) => {
            let mut at = 0;
            while let Some(table) = tables.get_mut(at) {
                if keep(table) { at = at.saturating_add(1) } else { drop(tables.remove(at)) }
            }
        }
        Item::Value(Value::Array(values)) => {
            let mut at = 0;
            while let Some(value) = values.get_mut(at) {
                let stays = value.as_inline_table_mut().is_none_or(|table| keep(table));
                if stays { at = at.saturating_add(1) } else { drop(values.remove(at)) }
            }
        }
        _ => {}
    }
}
