//! Files that the session wrote, and the programs that run them.

use std::rc::Rc;

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest};
use hooks_facts::calls::CallReader;
use hooks_facts::commands::{Analysis, BlockedPattern, Options, SessionFiles, WrittenContent};

use super::{assert_effects, example, keys, table};

/// One file of a session.
struct File {
    path: String,
    text: String,
}

impl SessionFiles for File {
    fn content(&self, path: &str) -> Option<WrittenContent> {
        let name = path.strip_prefix("/repo/").unwrap_or(path);
        (name == self.path).then(|| WrittenContent::Text(self.text.clone()))
    }
}

fn dangerous() -> [BlockedPattern; 1] {
    [BlockedPattern::parse("dangerous -xy").expect("the pattern is correct")]
}

/// Returns whether a command starts `dangerous -xy`, if the session wrote a file.
fn runs(path: &str, text: &str, command: &str) -> bool {
    let file = File { path: path.to_owned(), text: text.to_owned() };
    let analysis = Analysis::of_text_with(command, Some("/repo"), Rc::new(file), &Options::default());
    analysis.find(&dangerous()).is_some()
}

/// Returns a file for a reader, in which a task `x` starts `dangerous -xy`.
fn content(reader: &str, file: &str, place: &str) -> String {
    let call = "system(\"dangerous -xy\")";
    match reader {
        "Shell" => "dangerous -xy\n".to_owned(),
        "Python" => format!("import os\nos.{call}\n"),
        "JavaScript" => "require('child_process').execSync('dangerous -xy')\n".to_owned(),
        "Php" => format!("<?php {call};\n"),
        "Blocks" if file.ends_with(".py") => "def x(c):\n    c.run(\"dangerous -xy\")\n".to_owned(),
        "Blocks" if file.contains("Fastfile") => "lane :x do\n  sh \"dangerous -xy\"\nend\n".to_owned(),
        "Blocks" => "task :x do\n  sh \"dangerous -xy\"\nend\n".to_owned(),
        "Tasks" => tree(file, place),
        "Image" => "FROM a\nRUN dangerous -xy\n".to_owned(),
        "Escapes" => "\\! dangerous -xy\n".to_owned(),
        "Times" => "0 1 * * * dangerous -xy\n".to_owned(),
        "Unit" => "[Service]\nExecStart=dangerous -xy\n".to_owned(),
        "Generate" => "package a\n//go:generate dangerous -xy\n".to_owned(),
        _ => format!("{call}\n"),
    }
}

fn tree(file: &str, place: &str) -> String {
    if file.ends_with(".ini") || file.ends_with(".cfg") {
        return format!("[{place}x]\ncommands = dangerous -xy\n");
    }
    let is_toml = file.ends_with(".toml") || file.ends_with("/config");
    if is_toml && file.ends_with("toml") {
        let path = place.trim_end_matches('*');
        return match path {
            "" => "[build]\nrunner = \"dangerous -xy\"\n".to_owned(),
            path => format!("[{path}]\nx = \"dangerous -xy\"\n"),
        };
    }
    let (path, takes_all) = place.strip_suffix('*').map_or((place, false), |path| (path, true));
    let inner =
        if takes_all { "{\"run\": \"dangerous -xy\"}" } else { "{\"x\": {\"run\": \"dangerous -xy\"}}" };
    path.split('.')
        .rev()
        .filter(|key| !key.is_empty())
        .fold(inner.to_owned(), |inner, key| format!("{{\"{key}\": {inner}}}"))
}

#[test]
fn every_runner_runs_its_files() {
    let table = table(include_str!("../../data/runners.tsv"));
    let mut failed = Vec::new();
    for row in table.rows() {
        let program = table.words(row, "programs")[0];
        let command = example(&table, row, program);
        let (reader, place) = (&*row.cells[3], &*row.cells[4]);
        for file in table.words(row, "files") {
            // These only show the endings of files that the command names.
            if file.starts_with("a.") && !command.contains(file) {
                continue;
            }
            let file = file.replace('*', "x");
            let command =
                if command.contains("main.go") { format!("{command} {file}") } else { command.clone() };
            if !runs(&file, &content(reader, &file, place), &command) {
                failed.push(format!("{}: {file}: {command}", row.line));
            }
        }
    }
    assert_effects(&failed);
}

#[test]
fn every_word_has_its_effect() {
    let table = table(include_str!("../../data/runner_words.tsv"));
    let mut failed = Vec::new();
    for (row, word) in keys(&table) {
        let example = example(&table, row, word);
        let parts: Vec<&str> = example.split(" → ").collect();
        let [file, text, command] = parts.as_slice() else { panic!("{example}") };
        let text = text.replace('⏎', "\n");
        // `b.js` is what a loader loads.
        let is_loader = row.list == "loaders";
        let found = match is_loader {
            true => loads(file, &text, command),
            false => runs(file, &text, command),
        };
        if !found {
            failed.push(format!("{}: {example}", row.line));
        }
    }
    assert_effects(&failed);
}

/// Two files, of which the first loads the second.
struct Two(File);

impl SessionFiles for Two {
    fn content(&self, path: &str) -> Option<WrittenContent> {
        let call = "require('child_process').execSync('dangerous -xy')";
        let is_loaded = path.ends_with("/b.js");
        if is_loaded { Some(WrittenContent::Text(call.to_owned())) } else { self.0.content(path) }
    }
}

fn loads(path: &str, text: &str, command: &str) -> bool {
    let file = Two(File { path: path.to_owned(), text: text.to_owned() });
    let analysis = Analysis::of_text_with(command, Some("/repo"), Rc::new(file), &Options::default());
    analysis.find(&dangerous()).is_some()
}

#[test]
fn every_subcommand_runs_its_scripts_and_hooks() {
    let table = table(include_str!("../../data/runner_groups.tsv"));
    let mut failed = Vec::new();
    for (row, name) in keys(&table) {
        let command = example(&table, row, name);
        for script in table.words(row, "runs") {
            let found = match &*row.list {
                "lifecycles" => {
                    let manifest = format!("{{\"scripts\": {{\"{script}\": \"dangerous -xy\"}}}}");
                    runs("package.json", &manifest, &command)
                }
                _ => runs(&format!(".git/hooks/{script}"), "#!/bin/sh\ndangerous -xy\n", &command),
            };
            if !found {
                failed.push(format!("{}: {script}: {command}", row.line));
            }
        }
    }
    assert_effects(&failed);
}

#[test]
fn every_startup_file_runs() {
    let mut failed = Vec::new();
    let files = table(include_str!("../../data/startup_files.tsv"));
    for row in files.rows() {
        let command =
            example(&files, row, files.words(row, "programs")[0].replace("python", "python3").as_str());
        for file in files.words(row, "files") {
            if !runs(file, &content(&row.cells[3], file, ""), &command) {
                failed.push(format!("{}: {file}: {command}", row.line));
            }
        }
    }
    let variables = table(include_str!("../../data/startup_variables.tsv"));
    for (row, name) in keys(&variables) {
        let command = example(&variables, row, name);
        let endings = ["a.sh", "a.js", "a.py", "a.rb", "a.pm"];
        let named = endings.into_iter().find(|file| command.contains(file));
        let files = variables.words(row, "files");
        assert!(named.is_some() || !files.is_empty(), "{command} names no file");
        for file in named.into_iter().chain(files) {
            if !runs(file, &content(&row.cells[2], file, ""), &command) {
                failed.push(format!("{}: {file}: {command}", row.line));
            }
        }
    }
    assert_effects(&failed);
}

#[test]
fn every_word_of_an_unlisted_tool_has_its_effect() {
    let mut failed = Vec::new();
    let is_dangerous = |tool: &str, args: &str| {
        let args = serde_json::from_str(args).unwrap_or_else(|error| panic!("{error}: {args}"));
        let request = HookRequest::new(HookContext::default(), PreToolUse::new(tool, args));
        let reader = CallReader::default();
        reader.read(&request).commands().found.iter().any(|it| it.analysis.find(&dangerous()).is_some())
    };
    let words = table(include_str!("../../data/unlisted_words.tsv"));
    for (row, word) in keys(&words) {
        let example = example(&words, row, word);
        let (tool, args) = example.split_once(" → ").unwrap_or_else(|| panic!("{example}"));
        let is_none = matches!(&*row.list, "telling" | "plain");
        if is_dangerous(tool, args) == is_none {
            failed.push(format!("{}: {example}", row.line));
        }
    }
    let languages = table(include_str!("../../data/code_languages.tsv"));
    for (row, language) in keys(&languages) {
        let tool = example(&languages, row, language);
        if !is_dangerous(&tool, "{\"snippet\": \"system('dangerous -xy')\"}") {
            failed.push(format!("{}: {tool}", row.line));
        }
    }
    assert_effects(&failed);
}

#[test]
fn every_word_by_which_files_of_an_unlisted_tool_are_found_has_its_effect() {
    let writes = |tool: &str, args: &str| {
        let args: serde_json::Value =
            serde_json::from_str(args).unwrap_or_else(|error| panic!("{error}: {args}"));
        let (environment, ..) = world(FakeFileSystem::default());
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let request = HookRequest::new(context, PreToolUse::new(tool, args));
        let reader = CallReader::default();
        let call = reader.read(&request);
        let places = call.places();
        call.writes_files() && places.found.iter().any(|place| place.is_written() && place.given != "b")
    };
    let words = table(include_str!("../../data/unlisted_paths.tsv"));
    let mut failed = Vec::new();
    for (row, word) in keys(&words) {
        let example = example(&words, row, word);
        let (tool, args) = example.split_once(" → ").unwrap_or_else(|| panic!("{example}"));
        let is_none = matches!(&*row.list, "source" | "base" | "no_path");
        if writes(tool, args) == is_none {
            failed.push(format!("{}: {example}", row.line));
        }
    }
    assert_effects(&failed);
}

/// Regression test: a Makefile was not read if nothing was made, and variables in `$(shell ...)` had no values.
#[test]
fn what_a_makefile_runs_while_it_is_read_is_seen() {
    for (text, command, wanted) in [
        ("X := dangerous\nY := $(shell $(X) -xy)\nall:\n\techo\n", "make all", true),
        ("X := dangerous\nY := $(shell $(X) -xy)\nall:\n\techo\n", "make -n all", true),
        ("X = dangerous\nY != $(X) -xy\nall:\n\techo\n", "make --question", true),
        ("all:\n\tdangerous -xy\n", "make -n all", false),
        ("all:\n\tdangerous -xy\n", "make all", true),
    ] {
        assert_eq!(runs("Makefile", text, command), wanted, "{command}: {text}");
    }
}
