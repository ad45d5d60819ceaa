//! Packs of Hooks, their examples, and the section `packs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hooks_config::{Config, ConfigReader, packs};
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, HooksProvider, Judged, PolicyErrors, Strength};
use hooks_facts::calls::CallReader;
use hooks_policies::packs::{PackAction, PackConfig, PackExample, Packs, check_examples};
use serde_json::json;

fn all() -> impl Iterator<Item = PackConfig> {
    packs::names().map(|name| {
        packs::parse(packs::text(name).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
    })
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/packs");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<_> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let listed: BTreeSet<_> = packs::names().map(str::to_owned).collect();
    assert_eq!(listed, files);
    assert!(packs::names().is_sorted());
}

#[test]
fn packs_are_whole() {
    for (pack, name) in all().zip(packs::names()) {
        assert_eq!(pack.name, name);
        assert!(!pack.about.is_empty(), "{name}");
        let text = packs::text(name).unwrap();
        assert!(
            text.starts_with("# ") && text.contains("\n# Source: "),
            "{name} says what it guards, and its sources"
        );
        for rule in &pack.rules {
            assert!(!rule.matches.is_empty() && !rule.no_match.is_empty(), "{name}: {}", rule.name);
            assert!(!rule.reason.is_empty(), "{name}: {}", rule.name);
        }
    }
}

#[test]
fn every_example_is_right() {
    let (all, reader, mut errors) =
        (all().collect::<Vec<_>>(), CallReader::default(), PolicyErrors::default());
    drop(Packs::new(&all, &reader).unwrap_or_else(|errors| panic!("{errors}")));
    check_examples(&all, &reader, &mut errors);
    let wrong: Vec<_> =
        errors.into_iter().map(|error| format!("{}: {}", error.field, error.problem)).collect();
    assert!(wrong.is_empty(), "{} wrong examples: {wrong:#?}", wrong.len());
}

#[test]
fn there_are_many_packs_and_examples() {
    let count = |pack: &PackConfig| {
        pack.rules.iter().map(|rule| rule.matches.len() + rule.no_match.len()).sum::<usize>()
    };
    assert!(all().count() >= 30);
    assert!(all().map(|pack| count(&pack)).sum::<usize>() >= 1000);
}

fn read(text: &str) -> Config {
    ConfigReader::default().parse(&format!("version: 1\n{text}"), "hooks.yaml").unwrap()
}

fn mistakes(text: &str) -> String {
    let parsed = ConfigReader::default().parse(&format!("version: 1\n{text}"), "hooks.yaml");
    parsed.unwrap_err().to_string()
}

fn judge(config: &Config, command: &str) -> Strength {
    let event = PreToolUse::new("bash", json!({ "command": command }));
    config.clone().hooks().judge_pre_tool_use(&HookRequest::new(HookContext::new("s", "a"), event)).strength()
}

#[test]
fn a_pack_is_used_by_its_name() {
    let config = read("packs: [git, {name: redis, action: ask, except: [server], at_least: high}]");
    assert_eq!(judge(&config, "git push --force origin main"), Strength::Deny);
    assert_eq!(judge(&config, "redis-cli flushall"), Strength::Ask);
    assert_eq!(judge(&config, "redis-cli shutdown"), Strength::NoOpinion);
    assert_eq!(packs::standard("redis").unwrap().rules[0].action(), PackAction::Deny);
}

/// Also by rules that are compiled at the first call which may match them.
#[test]
fn all_packs_together_find_what_each_finds() {
    let config = read(&format!("packs: [{}]", packs::names().collect::<Vec<_>>().join(", ")));
    for pack in all() {
        // Rules about files need a disk.
        let rules = pack.rules.iter().filter(|rule| rule.reads.is_empty() && rule.writes.is_empty());
        for example in rules.flat_map(|rule| &rule.matches) {
            if let PackExample::Command(command) = example {
                assert!(judge(&config, command) >= Strength::Ask, "{}: {command}", pack.name);
            }
        }
    }
}

#[test]
fn mistakes_are_explained() {
    for (text, wanted) in [
        ("packs: [giit]", "did you mean `git`"),
        ("packs: [nothing-like-it]", "`hooks packs` lists the names"),
        ("packs: [{name: git, except: [x]}]", "the pack `git` has no rule `x`"),
        ("packs: [git, git]", "is used twice"),
        ("packs: [./team.yaml]", "nothing is relative to it"),
        ("packs: [{name: git, action: allow}]", "packs"),
    ] {
        let told = mistakes(text);
        assert!(told.contains(wanted), "{text}: {told}");
    }
}

#[test]
fn users_write_packs_whose_examples_are_tried() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let rule = "rules: [{name: deploy, severity: critical, reason: it is live then, commands: [ship it], match: [EXAMPLE]}]";
    write("team.pack.yaml", &format!("name: team\n{}", rule.replace("EXAMPLE", "ship it now")));
    write("hooks.yaml", "version: 1\npacks: [./team.pack.yaml]\n");
    let path = folder.path().join("hooks.yaml");
    let config = ConfigReader::default().read(&path).unwrap();
    assert_eq!(judge(&config, "sudo ship it"), Strength::Deny);

    write("team.pack.yaml", &format!("name: team\n{}", rule.replace("EXAMPLE", "ship that")));
    let error = ConfigReader::default().read(&path).unwrap_err().to_string();
    assert!(error.contains("the rule does not match `ship that`"), "{error}");

    write("team.pack.yaml", "name: team\nrules: [{name: a, severity: huge, reason: x}]");
    let error = ConfigReader::default().read(&path).unwrap_err().to_string();
    assert!(error.contains("severity") || error.contains("huge"), "{error}");
}

/// `HOOKS_BLESS=1` writes the list.
#[test]
fn the_page_lists_the_packs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/packs.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once("<!-- packs -->\n").unwrap();
    let (listed, after) = rest.split_once("<!-- /packs -->").unwrap();
    let rows = all().map(|pack| {
        let examples: usize = pack.rules.iter().map(|rule| rule.matches.len() + rule.no_match.len()).sum();
        let rules: Vec<_> = pack.rules.iter().map(|rule| format!("`{}`", rule.name)).collect();
        format!("| `{}` | {} | {} | {examples} |\n", pack.name, pack.about, rules.join(", "))
    });
    let wanted = format!(
        "| pack | guards | rules | examples |\n| --- | --- | --- | --- |\n{}",
        rows.collect::<String>()
    );
    if std::env::var_os("HOOKS_BLESS").is_some() {
        fs::write(&page, format!("{before}<!-- packs -->\n{wanted}<!-- /packs -->{after}")).unwrap();
        return;
    }
    assert_eq!(listed, wanted, "docs/packs.md is not what the packs are; HOOKS_BLESS=1 writes it");
}
