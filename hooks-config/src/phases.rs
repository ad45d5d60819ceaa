//! The section about the phases of a pipeline.

use std::sync::Arc;

use hooks_core::HooksBuilder;
use hooks_core::beside::Here;
use hooks_system::StdFileSystem;
use hooks_team_rules::phases::{PhaseHooks, PhasesConfig};

use super::error::Mistakes;
use super::prune::Pruned;
use super::team_rules::TeamRuleWorld;

/// Key of the section.
pub(super) const KEY: &str = "phases";

/// Adds the hooks of `config`, or reports its mistakes. State files are small, so that they are read at once.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &PhasesConfig,
    world: &TeamRuleWorld<'_>,
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
) -> HooksBuilder {
    let (disk, effects) = (Arc::new(StdFileSystem), world.effects.clone());
    match PhaseHooks::continuing(config, disk, Arc::new(Here), &world.reader, effects) {
        Ok(hooks) => hooks.add_to(builder),
        Err(errors) => {
            for error in errors {
                if let Some(tree) = tree {
                    let place = tree.root.locate(&error.field);
                    mistakes.add_with_hint(place, tree.path_before(&error.field), error.problem, error.hint);
                }
            }
            builder
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    #[test]
    fn a_mistake_is_reported_at_its_place() {
        for (section, report) in [
            ("{ state: '.specs/*' }", "phases.state: `.specs/*` is not a file below the root"),
            ("{ state: '../x.json' }", "phases.state: `../x.json` is not a file below the root"),
            ("{ read_only: [analyse, ' '] }", "phases.read_only[1]: the name is empty"),
            ("{ branches: [''] }", "phases.branches[0]: the name is empty"),
            ("{ checkpoints: ['a{'] }", "phases.checkpoints[0]: "),
            ("{ readonly: [x] }", "unknown option `readonly`"),
            ("{ unresolvable: maybe }", "phases.unresolvable"),
        ] {
            let errors = Config::parse(&format!("version: 1\nphases: {section}"), "hooks.yaml").unwrap_err();
            let text = errors.to_string();
            assert!(text.contains(report) && text.contains("line 2, column "), "{section}: {text}");
        }
    }
}
