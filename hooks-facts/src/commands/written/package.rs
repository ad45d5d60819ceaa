//! Scripts of `package.json`, with those that run before and after them.

use serde_json::Value;

use super::super::argument::Argument;
use super::super::file_programs;
use super::super::walk::Walk;
use crate::shell::Span;

/// Scripts that a subcommand of a package manager runs by itself.
const LIFECYCLES: &[(&str, &[&str])] = table!("runner_groups_lifecycles");

/// Options of package managers that set their folder.
const FOLDERS: &[&str] = &["--prefix", "--cwd", "--dir"];

/// Subcommands that run a script by its name.
const NAMING: &[&str] = &["run", "run-script", "rum", "urn", "test", "t", "tst", "start", "stop", "restart"];

/// Walks the scripts that a package manager runs.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    let names = match name {
        "npm" | "pnpm" | "yarn" | "bun" | "cnpm" | "yarnpkg" => scripts_of(name, words),
        "node" => after_option(words, "--run"),
        "run-s" | "run-p" | "npm-run-all" | "nlx" | "nr" => operands(words),
        "vlt" | "ni" | "ultra" => operands(words),
        _ => return,
    };
    // With this option, scripts run only if they are named.
    let names_scripts = words.first().and_then(Argument::literal).is_some_and(|word| NAMING.contains(&word));
    let ignores = words.iter().any(|word| word.literal() == Some("--ignore-scripts"));
    if names.is_empty() || ignores && !names_scripts {
        return;
    }
    let folder = FOLDERS.iter().find_map(|long| file_programs::value(words, 'C', long));
    walk.in_folder(folder.as_ref(), |walk| {
        let Some(text) = walk.written_text("package.json", span) else { return };
        let scripts = scripts_in(&text);
        let is_idle = words.iter().any(|word| word.literal() == Some("--ignore-scripts"));
        for name in names {
            let around = [format!("pre{name}"), name.clone(), format!("post{name}")];
            for wanted in around.iter().filter(|wanted| !is_idle || **wanted == name) {
                let found = scripts.iter().find(|(script, _)| script == wanted);
                let Some((script, command)) = found else { continue };
                // A script that runs itself does not end.
                if walk.loaded.insert(format!("package.json#{script}")) {
                    walk.text(command, &walk.inherited_input(), span);
                    walk.loaded.remove(&format!("package.json#{script}"));
                }
            }
        }
    });
}

/// Returns the names of the scripts that a package manager runs.
fn scripts_of(manager: &str, words: &[Argument]) -> Vec<String> {
    let operands = operands(words);
    let Some((first, rest)) = operands.split_first() else {
        // `yarn` alone installs.
        return if manager == "yarn" { lifecycle("install") } else { Vec::new() };
    };
    match first.as_str() {
        "run" | "run-script" | "rum" | "urn" => rest.first().cloned().into_iter().collect(),
        "workspace" | "workspaces" | "-w" => rest.last().cloned().into_iter().collect(),
        first => {
            let mut names = lifecycle(first);
            // Other words name a script, except for npm.
            if names.is_empty() && manager != "npm" && manager != "cnpm" {
                names.push(first.to_owned());
            }
            names
        }
    }
}

fn lifecycle(subcommand: &str) -> Vec<String> {
    let found = LIFECYCLES.iter().find(|(name, _)| *name == subcommand);
    found.map(|(_, names)| names.iter().map(|name| (*name).to_owned()).collect()).unwrap_or_default()
}

fn operands(words: &[Argument]) -> Vec<String> {
    let found = file_programs::operands(words, "Cw", &["prefix", "cwd", "dir", "workspace", "filter"]);
    found.into_iter().filter_map(Argument::literal).map(str::to_owned).collect()
}

fn after_option(words: &[Argument], option: &str) -> Vec<String> {
    let at = words.iter().position(|word| word.literal() == Some(option));
    at.and_then(|at| words.get(at + 1)).and_then(Argument::literal).map(str::to_owned).into_iter().collect()
}

/// Returns the scripts of a manifest. In a piece of one, every pair of texts counts as a script.
fn scripts_in(text: &str) -> Vec<(String, String)> {
    if let Ok(manifest) = serde_json::from_str::<Value>(text) {
        let scripts = manifest.get("scripts").and_then(Value::as_object);
        let pairs = scripts.into_iter().flatten();
        return pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    }
    let mut pairs = Vec::new();
    let mut strings = serde_strings(text).into_iter().peekable();
    while let Some((string, is_key)) = strings.next() {
        if is_key && let Some((value, false)) = strings.peek() {
            pairs.push((string, value.clone()));
        }
    }
    pairs
}

/// Returns the strings of a piece of JSON, each with whether a colon follows.
fn serde_strings(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let from = rest.get(at..).unwrap_or_default();
        let mut escaped = false;
        let end = from.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else { break };
        let behind = from.get(end + 1..).unwrap_or_default();
        if let Ok(string) = serde_json::from_str::<String>(from.get(..=end).unwrap_or_default()) {
            found.push((string, behind.trim_start().starts_with(':')));
        }
        rest = behind;
    }
    found
}
