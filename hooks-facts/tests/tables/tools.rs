//! Names of tools and of their arguments.

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, PolicyErrors};
use hooks_facts::calls::{CallReader, PathPatterns};
use hooks_facts::tools::{PathRole, ToolKind, ToolTable, paths_of, reads_by_name};
use serde_json::{Value, json};

use crate::{assert_effects, example, keys, table};

#[test]
fn tools_have_the_kind_of_their_row_in_every_spelling() {
    let table = table(include_str!("../../data/tools.tsv"));
    let known = ToolTable::default();
    let mut wrong = Vec::new();
    for (row, key) in keys(&table) {
        let name = example(&table, row, key);
        let kind = format!("{:?}", known.kind(&name));
        let (first, rest) = name.split_at(1);
        let spellings = [name.to_uppercase(), format!("mcp__srv__{name}"), format!("{first}_{rest}")];
        let agree = spellings.iter().all(|spelling| known.kind(spelling) == known.kind(&name));
        if table.words(row, "kind") != [kind.as_str()] || !agree {
            wrong.push(format!("{}: `{name}` is a {kind}", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn arguments_have_the_meaning_of_their_row() {
    let table = table(include_str!("../../data/path_keys.tsv"));
    let mut wrong = Vec::new();
    for (row, key) in keys(&table) {
        let name = example(&table, row, key);
        let meaning = table.words(row, "meaning").concat();
        for spelling in [name.clone(), name.to_uppercase(), format!("{name}_")] {
            if effects(&spelling) != expected(&meaning) {
                wrong.push(format!("{}: `{spelling}` {:?}", row.line, effects(&spelling)));
            }
        }
    }
    assert_effects(&wrong);
}

/// Effects of an argument: on a path in a call that moves, copies or writes; on a patch in a call that applies
/// patches or writes; on the path in an object.
fn effects(key: &str) -> [Option<PathRole>; 6] {
    let role =
        |kind, value: Value| paths_of(kind, &json!({ key: value })).found.first().map(|path| path.role);
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    [
        role(ToolKind::MoveFile, json!("a")),
        role(ToolKind::CopyFile, json!("a")),
        role(ToolKind::WriteFile, json!("a")),
        role(ToolKind::Patch, json!(patch)).filter(|_| role(ToolKind::Patch, json!("a")).is_none()),
        role(ToolKind::WriteFile, json!(patch)).filter(|_| role(ToolKind::WriteFile, json!("a")).is_none()),
        role(ToolKind::WriteFile, json!({"path": "a"})),
    ]
}

/// Returns the effects of a meaning. A `NewPath` has those of a `Path`.
fn expected(meaning: &str) -> [Option<PathRole>; 6] {
    let (read, removed, written) = (Some(PathRole::Read), Some(PathRole::Removed), Some(PathRole::Written));
    let link = Some(PathRole::LinkTarget);
    match meaning {
        "Path" | "NewPath" => [written, written, written, None, None, written],
        "OldPath" => [removed, read, removed, None, None, written],
        "Source" => [removed, read, None, None, None, written],
        "Destination" => [written, written, None, None, None, written],
        "LinkTarget" => [link, link, link, None, None, written],
        "Text" => [None; 6],
        "TextOrPatch" => [None, None, None, written, None, None],
        "Patch" => [None, None, None, written, written, written],
        "Input" => [None, None, None, written, None, written],
        other => panic!("no test for the meaning `{other}`"),
    }
}

#[test]
fn words_of_a_tool_name_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/tool_words.tsv"));
    let kind = |name: &str| ToolTable::default().kind_of_call(name, &json!({"paths": ["a"]}));
    let mut wrong = Vec::new();
    for (row, word) in keys(&table) {
        let (name, other) = (example(&table, row, word), example(&table, row, "zzz"));
        let has_effect = match row.list.as_str() {
            "removing" => kind(&name) == ToolKind::DeleteFile && kind(&other) == ToolKind::Unknown,
            "writing" | "nouns" => kind(&name) == ToolKind::WriteFile && kind(&other) == ToolKind::Unknown,
            "weak" => {
                kind(&name) == ToolKind::WriteFile && kind(&format!("{word}_thing")) == ToolKind::Unknown
            }
            "reading" => reads_by_name(&name) && !reads_by_name(&other),
            "doing" => !reads_by_name(&name) && reads_by_name(&other),
            list => panic!("no test for the list `{list}`"),
        };
        if !has_effect {
            wrong.push(format!("{}: {} `{word}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn tools_that_search_read_below_the_folder_and_those_that_list_read_nothing() {
    let table = table(include_str!("../../data/tree_readers.tsv"));
    let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    let patterns = PathPatterns::compile(&["secrets/**".to_owned()], "reads", &reader, &mut errors);
    let reads = |tool: &str, args: Value| {
        let (environment, ..) = world(FakeFileSystem::default());
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let request = HookRequest::new(context, PreToolUse::new(tool, args));
        let call = reader.read(&request);
        call.reads().may_match(&patterns, call)
    };
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let (args, read) = match row.list.as_str() {
            "tool" => (json!({"pattern": "x"}), true),
            _ => (json!({"path": "secrets/key"}), false),
        };
        if reads(&example(&table, row, name), args.clone()) != read || reads("zzz", args) == read {
            wrong.push(format!("{}: {} `{name}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

/// Returns whether a call reads a file named `.env`.
fn reads_env(tool: &str, args: Value) -> bool {
    let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    let patterns = PathPatterns::compile(&["**/.env".to_owned()], "reads", &reader, &mut errors);
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    let request = HookRequest::new(context, PreToolUse::new(tool, args));
    let call = reader.read(&request);
    call.reads().each(call).any(|read| patterns.find_read(call, &read, &PathPatterns::default()).is_some())
}

#[test]
fn an_address_of_a_file_is_read_as_browsers_parse_it() {
    for tool in ["WebFetch", "fetch", "browser_navigate", "read_resource", "mcp__odd__peek"] {
        for (address, is_read) in [
            ("file:///x/.env", true),
            (" file:///x/.env", true),
            ("fi\tle:///x/.env", true),
            ("fi\nle:///x/.env", true),
            ("\u{1}file:///x/.env", true),
            ("file:///x/.e\tnv", true),
            ("file:///x/.env\u{1f}", true),
            ("file:\\\\\\x\\.env", true),
            ("https://a.example/x/.env.html", false),
            ("file:///x/.envrc", false),
        ] {
            for key in ["url", "uri", "target"] {
                assert_eq!(reads_env(tool, json!({ key: address })), is_read, "{tool} {key} {address:?}");
            }
        }
    }
}

#[test]
fn code_that_calls_tools_is_not_known_before() {
    let has_unknown = |tool: &str| {
        let call = PreToolUse::new(tool, json!({"code": "async function run() { return 1; }"}));
        CallReader::default().read(&HookRequest::new(HookContext::default(), call)).commands().has_unknown()
    };
    for tool in ["execute_typescript", "execute", "execute_code", "run_code"] {
        assert!(has_unknown(&format!("code_execution__{tool}")), "{tool}");
    }
    assert!(!has_unknown("mcp__node__execute_javascript"));
}

#[test]
fn a_folder_that_windsurf_reads_is_read_with_what_is_below_it() {
    let file = hooks_core::fs::EntryKind::File;
    let files = FakeFileSystem::default().with("/repo/app/.env", file).with("/repo/app/main.rs", file);
    let (environment, ..) = world(files);
    let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    let patterns = PathPatterns::compile(&["app/.env".to_owned()], "reads", &reader, &mut errors);
    for (path, is_read) in [("app", true), ("app/.env", true), ("app/main.rs", false)] {
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment.clone());
        let call = PreToolUse::new("read_code", json!({"file_path": path}));
        let request = HookRequest::new(context, call);
        let call = reader.read(&request);
        let found = call
            .reads()
            .each(call)
            .any(|read| patterns.find_read(call, &read, &PathPatterns::default()).is_some());
        assert_eq!(found, is_read, "{path}");
        // Also what `.gitignore` lists.
        assert!(
            call.reads().each(call).all(|read| read.kind == hooks_facts::commands::AccessKind::ReadBelow)
        );
    }
}
