//! Names of arguments, and names of tools and arguments per client.

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::{Command, Dialect, WorkingFolder, agent_arguments, commands_of, runs_in_background};
use serde_json::{Value, json};

use crate::{assert_effects, example, keys, table};

#[test]
fn arguments_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/argument_names.tsv"));
    let mut wrong = Vec::new();
    for (row, key) in keys(&table) {
        let name = example(&table, row, key);
        for spelling in [name.clone(), name.to_uppercase(), format!("{name}_")] {
            if !has_effect(&row.list, &spelling) || has_effect(&row.list, "zzz") {
                wrong.push(format!("{}: {} `{spelling}`", row.line, row.list));
            }
        }
    }
    assert_effects(&wrong);
}

/// Returns whether an argument with this name has the effect of a list.
fn has_effect(list: &str, name: &str) -> bool {
    let arguments = json!({ name: "value" });
    let agent = agent_arguments(&arguments);
    match list {
        "agent" => agent.agent == Some("value"),
        "model" => agent.model == Some("value"),
        "task_type" => agent.task_type == Some("value"),
        "task" => agent.task == Some("value"),
        "several" => agent_arguments(&json!({ name: ["a", "b"] })).is_unusable,
        "command" => commands(&arguments) == [Command::Text("value".to_owned())],
        "program" => commands(&arguments) == [Command::Words(vec!["value".to_owned()])],
        "words" => {
            let wanted = Command::Words(vec!["a".to_owned(), "b".to_owned()]);
            commands(&json!({ "program": "a", name: ["b"] })) == [wanted]
        }
        "folder" => WorkingFolder::of_file_tool(&arguments).is_given(),
        "command_folder" => {
            WorkingFolder::of_command_tool(&arguments).is_given()
                && !WorkingFolder::of_file_tool(&arguments).is_given()
        }
        "envelope" => writes(json!({ name: "{\"path\": \"a\", \"body\": \"x\"}" })),
        "background" => runs_in_background("bash", &json!({ "command": "a", name: true })),
        "file_text" => writes(json!({ "path": "a", name: "x" })),
        list => panic!("no test for the list `{list}`"),
    }
}

fn commands(arguments: &Value) -> Vec<Command> {
    commands_of(arguments).found.into_iter().map(|argument| argument.command).collect()
}

/// Returns whether a call of an unknown tool writes files, by its arguments.
fn writes(arguments: Value) -> bool {
    let request = HookRequest::new(HookContext::default(), PreToolUse::new("zzz", arguments));
    CallReader::default().read(&request).writes_files()
}

#[test]
fn calls_of_a_client_have_common_names_and_can_be_converted_back() {
    let table = table(include_str!("../../data/dialects.tsv"));
    let mut wrong = Vec::new();
    for (row, key) in keys(&table) {
        let dialect = dialect(&row.list);
        let name = example(&table, row, key);
        let pairs = table.words(row, "arguments").into_iter().filter_map(|pair| pair.split_once('='));
        for (theirs, ours) in pairs.chain([("other", "other")]) {
            let call = dialect.to_canonical(&name, json!({ theirs: "x" }));
            let is_common = [call.name.as_str()] == *table.words(row, "canonical")
                && call.arguments == json!({ ours: "x" });
            if !is_common || call.back(json!({ ours: "x" })) != json!({ theirs: "x" }) {
                wrong.push(format!("{}: `{name}` with `{theirs}`", row.line));
            }
        }
        // The conversion back uses the first row of a common name.
        let first = table
            .rows()
            .iter()
            .find(|other| other.list == row.list && other.cells.get(2) == row.cells.get(2));
        let spelling = dialect.spelling(&table.words(row, "canonical").concat());
        if spelling != first.and_then(|first| table.keys(first).first().copied()) {
            wrong.push(format!("{}: `{name}` is back `{spelling:?}`", row.line));
        }
    }
    assert_effects(&wrong);
}

/// Returns the client of a list.
fn dialect(list: &str) -> Dialect {
    let is_one = |dialect: &&Dialect| format!("{dialect:?}").to_lowercase() == list.replace('_', "");
    *Dialect::ALL.iter().find(is_one).unwrap_or_else(|| panic!("no client is called `{list}`"))
}
