//! The pages `docs/configure*.md`: their examples are valid, and they name every option.

use hooks_config::{Config, schema};
use hooks_policies::config::CommandGuardConfig;
use hooks_redaction::Label;

const PAGE: &str = concat!(
    include_str!("../../../docs/configure.md"),
    include_str!("../../../docs/configure-limits.md"),
    include_str!("../../../docs/configure-models.md"),
    include_str!("../../../docs/configure-records.md"),
    include_str!("../../../docs/configure-sessions.md"),
    include_str!("../../../docs/configure-team.md"),
    include_str!("../../../docs/sandbox.md"),
    include_str!("../../../docs/team-rules.md"),
);

/// The examples, each as a file of its own.
fn examples() -> Vec<String> {
    let blocks = PAGE.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks
        .map(
            |block| {
                if block.starts_with("version") { block.to_owned() } else { format!("version: 1\n{block}") }
            },
        )
        .collect()
}

#[test]
fn every_example_is_read() {
    let examples = examples();
    assert!(examples.len() > 8);
    for example in examples {
        let read = Config::parse(&example, "hooks.yaml");
        assert!(read.is_ok(), "{example}\n{}", read.unwrap_err());
    }
}

#[test]
fn every_option_and_every_word_is_there() {
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap().values();
    for part in definitions.chain([&schema]) {
        let names =
            part["properties"].as_object().into_iter().flat_map(|names| names.keys().map(String::as_str));
        let words = part["oneOf"].as_array().into_iter().flatten().filter_map(|word| word["const"].as_str());
        for name in names.chain(words) {
            let there = PAGE.contains(&format!("`{name}`")) || PAGE.contains(&format!("{name}:"));
            assert!(there, "`{name}` is not on the pages");
        }
    }
    for label in Label::built_in() {
        assert!(PAGE.contains(&format!("`{}`", label.as_str())), "{label:?} is not on the pages");
    }
}

#[test]
fn the_default_commands_are_the_ones_on_the_page() {
    let commands = CommandGuardConfig::default().block;
    let listed: Vec<_> = commands.iter().map(|command| format!("`{command}`")).collect();
    let text = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("the list is {};", listed.join(", "))));
}
