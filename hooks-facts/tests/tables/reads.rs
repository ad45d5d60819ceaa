//! Files that programs read, and hosts that they connect to.

use hooks_facts::commands::AccessKind;

use crate::{analysis, assert_effects, example, keys, table};

/// Returns whether a command reads the file `secret`, for certain.
fn reads(text: &str) -> bool {
    reads_as(text, |kind, is_possible| kind != AccessKind::Used && !is_possible)
}

fn reads_as(text: &str, is_meant: impl Fn(AccessKind, bool) -> bool) -> bool {
    let analysis = analysis(text);
    let is_secret = |name: &str| name.ends_with("secret");
    analysis
        .reads()
        .iter()
        .any(|read| is_secret(&read.target.outline()) && is_meant(read.kind, read.is_possible))
}

#[test]
fn readers_read_the_files_of_their_row() {
    let table = table(include_str!("../../data/readers.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let text = example(&table, row, program);
        let text = if matches!(program, "]" | "]]") { continue } else { text };
        let operands = table.words(row, "operands").join(", ");
        let is_read = match operands.as_str() {
            "Names" => !reads_as(&text, |_, _| true),
            "Possible" => reads_as(&text, |_, _| true),
            _ => reads(&text),
        };
        let is_possible = reads_as(&example(&table, row, "zzz"), |_, is_possible| is_possible);
        let hides = table.words(row, "hides");
        let is_hidden = |hide: &&str| !reads(&example(&table, row, &format!("{program} {hide}")));
        if !is_read || !is_possible || !hides.iter().all(is_hidden) {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn commands_show_the_file_of_their_row() {
    let table = table(include_str!("../../data/shown_files.tsv"));
    let mut wrong = Vec::new();
    for (row, command) in keys(&table) {
        let file = table.words(row, "file").join(", ");
        let shows =
            |text: &str| analysis(text).reads().iter().any(|read| read.target.literal() == Some(&file));
        if !shows(&example(&table, row, command)) || shows("zzz") {
            wrong.push(format!("{}: `{command}`", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn words_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/read_words.tsv"));
    let mut wrong = Vec::new();
    for (row, word) in keys(&table) {
        let (text, other) = (example(&table, row, word), example(&table, row, "zzz"));
        let names =
            |text: &str, name: &str| analysis(text).reads().iter().any(|it| it.target.outline() == name);
        let is_shown = |text: &str| reads_as(text, |kind, _| kind != AccessKind::Used);
        let of_folder = |text: &str, is_meant: &dyn Fn(&str, AccessKind) -> bool| {
            analysis(text).reads().iter().any(|it| is_meant(&it.target.outline(), it.kind))
        };
        let in_folder =
            |text: &str| of_folder(text, &|name, _| name.starts_with("folder/") || name.starts_with("./"));
        let ends =
            |text: &str| of_folder(text, &|name, _| name.starts_with("folder/") && name.ends_with(".zz"));
        let below_folder =
            |text: &str| of_folder(text, &|name, kind| name == "folder" && kind == AccessKind::ReadBelow);
        let has_effect = match row.list.as_str() {
            "used" | "texts" | "loaders" | "silent" | "builds" | "copies" => {
                !is_shown(&text) && is_shown(&other)
            }
            "shows" | "opens" | "curl_data" | "curl_files" => is_shown(&text) && !is_shown(&other),
            "loads" => names(&text, ".env") && !names(&other, ".env"),
            "homes" => names(&text, "~/secret") && !names(&other, "~/secret"),
            "joins" => names(&text, "folder/secret") && !names(&other, "folder/secret"),
            "packs" | "serves" => {
                let is_tree = |text: &str| reads_as(text, |kind, _| kind == AccessKind::ReadBelow);
                is_tree(&text) && !is_tree(&other)
            }
            "lists" | "contents" => in_folder(&text) && !in_folder(&other),
            "walks" => below_folder(&text) && !below_folder(&other),
            "endings" => ends(&text) && !ends(&other),
            "namers" => analysis(&text).network().is_empty() && !analysis(&other).network().is_empty(),
            "connects" => !analysis(&text).network().is_empty() && analysis(&other).network().is_empty(),
            list => panic!("no test for the list `{list}`"),
        };
        if !has_effect {
            wrong.push(format!("{}: {} `{word}` in `{text}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn a_server_reads_all_that_it_serves() {
    let served = |text: &str| {
        let analysis = analysis(text);
        let below = analysis.reads().iter().filter(|read| read.kind == AccessKind::ReadBelow);
        below.map(|read| read.target.outline()).collect::<Vec<_>>()
    };
    assert_eq!(served("python3 -m http.server"), ["."]);
    assert_eq!(served("python3 -m http.server 8000 --bind 127.0.0.1"), ["."]);
    assert_eq!(served("cd dist && python3 -m http.server"), ["dist/."]);
    assert_eq!(served("python3 -m http.server 8000 -d dist"), ["dist"]);
    assert_eq!(served("python3 -m http.server --directory=dist"), ["dist"]);
    assert_eq!(served("python3 -m http.server --help"), [""; 0]);
}

#[test]
fn the_names_in_a_list_of_files_are_not_known() {
    let is_unknown = |text: &str| !analysis(text).unknown_reads().is_empty();
    for text in
        ["tar cf x.tar -T list", "rsync --files-from=list . /mnt/x", "rsync --files-from list . /mnt/x"]
    {
        assert!(is_unknown(text), "{text}");
    }
    assert!(!is_unknown("rsync -a docs /mnt/x"));
}

#[test]
fn clients_connect_to_the_host_of_their_row() {
    let mut wrong = Vec::new();
    for text in [include_str!("../../data/network_clients.tsv"), include_str!("../../data/schemes.tsv")] {
        let table = table(text);
        for (row, key) in keys(&table) {
            let is_service = table.words(row, "form") == ["Service"];
            let connects = |text: &str| {
                let is_met = |host: Option<&str>| host == Some("a.example") || is_service && host.is_none();
                analysis(text).network().iter().any(|target| is_met(target.host.literal()))
            };
            if !connects(&example(&table, row, key)) || connects(&example(&table, row, "zzz")) {
                wrong.push(format!("{}: `{key}`", row.line));
            }
        }
    }
    assert_effects(&wrong);
}
