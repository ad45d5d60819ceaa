//! The section about ceremonies, which close tools while they are held.

use std::sync::Arc;

use hooks_core::HooksBuilder;
use hooks_core::event::{PostToolUse, PreToolUse, Route, SubagentStart};
use hooks_system::StdFileSystem;
use hooks_team::TeamPlace;
use hooks_team_rules::ceremonies::CeremoniesConfig;
use hooks_team_rules::{CeremonyGates, HeldCeremonies};

use super::error::Mistakes;
use super::prune::Pruned;
use super::team_rules::{TeamRuleWorld, report};

/// Key of the section.
pub(super) const KEY: &str = "ceremonies";

/// Adds the gates of `config`. The handle to the ceremonies is an extension of the hooks.
pub(super) fn add_to(
    mut builder: HooksBuilder,
    config: &CeremoniesConfig,
    world: &TeamRuleWorld<'_>,
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
) -> HooksBuilder {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let mut held = HeldCeremonies::new(config.clone()).with_team(team);
    if let Some(earlier) = &world.held {
        held = held.continuing(earlier);
    }
    let compiled =
        report(tree, mistakes, |errors| CeremonyGates::compile(held.clone(), &world.reader, errors));
    let Some(gates) = compiled.map(Arc::new) else { return builder };
    builder.add_extension(Arc::new(held));
    let builder =
        builder.policy::<PreToolUse>(Arc::clone(&gates)).policy::<SubagentStart>(Arc::clone(&gates));
    let builder = builder.policy::<Route>(Arc::clone(&gates));
    match config.gates.values().any(|gate| !(gate.started_by.is_empty() && gate.ended_by.is_empty())) {
        true => builder.observer::<PostToolUse>(gates),
        false => builder,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hooks_core::{HookContext, HookRequest};
    use hooks_system::system;
    use serde_json::json;

    use super::super::Config;
    use super::*;

    #[test]
    fn a_ceremony_in_the_folder_of_the_team_closes_tools() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".squad")).unwrap();
        let file = dir.path().join("hooks.yaml");
        fs::write(&file, "version: 1\nceremonies: {}").unwrap();
        let config = Config::read(&file).unwrap();
        assert!(config.protected().iter().any(|pattern| pattern.ends_with(".squad/.hooks")));
        let hooks = config.hooks();
        let context = || HookContext::new("s", "a").in_dir(dir.path()).with_environment(system());
        let is_closed = || {
            let event = PreToolUse::new("edit", json!({"path": "src/a"}));
            let explained = hooks.explain(&HookRequest::new(context(), event));
            explained.iter().any(|one| one.verdict.reasons().iter().any(|reason| reason.policy == KEY))
        };
        assert!(!is_closed());
        let held = hooks.extension::<HeldCeremonies>().unwrap();
        held.start(&context(), "Design Review", "host").unwrap();
        assert!(is_closed());
        held.end(&context(), "Design Review").unwrap();
        assert!(!is_closed());
    }

    #[test]
    fn mistakes_are_at_their_places() {
        let text = "version: 1\nceremonies:\n  gates:\n    A: { closes: [] }\n    B: { time: 0s }\n";
        let errors = Config::parse(text, "hooks.yaml").unwrap_err();
        let shown: Vec<_> = errors.errors().iter().map(|error| (error.line, error.path.as_str())).collect();
        assert_eq!(shown, [(4, "ceremonies.gates.A"), (5, "ceremonies.gates.B.time")]);
    }
}
