//! The section about boundaries: the files that each agent writes and reads.

use std::sync::Arc;

use hooks_core::HooksBuilder;
use hooks_system::{StdFileSystem, system};
use hooks_team::{Team, TeamPlace};
use hooks_team_rules::Boundaries;
use hooks_team_rules::boundaries::{BoundariesConfig, overlaps, proposed_block, scopes};

use super::audit::project_of;
use super::error::Mistakes;
use super::prune::Pruned;
use super::read::Config;
use super::team_rules::{TeamRuleWorld, report};

/// Key of the section.
pub(super) const KEY: &str = "boundaries";

/// Adds the policy of `config`, which reads the charters of each session's team.
pub(super) fn add_to(
    mut builder: HooksBuilder,
    config: &BoundariesConfig,
    world: &TeamRuleWorld<'_>,
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
) -> HooksBuilder {
    let compiled = report(tree, mistakes, |errors| Boundaries::compile(config, &world.reader, errors));
    if let Some(boundaries) = compiled {
        builder.add_policy(boundaries.with_team(TeamPlace::below(Arc::new(StdFileSystem), &config.team)));
    }
    builder
}

impl Config {
    /// Doubts about the boundaries of the team in the project of the file: charters whose boundary cannot be used, and agents
    /// that may write the same files. None without the section `boundaries`.
    pub fn boundary_doubts(&self) -> Vec<String> {
        let Some(config) = &self.team_rules().boundaries else { return Vec::new() };
        let Some(team) = self.team_of(config) else { return Vec::new() };
        let stated = match team.stated_files() {
            Ok(stated) => stated,
            Err(error) => {
                return vec![format!("the charters cannot be read, so no agent may write: {error}")];
            }
        };
        let all = scopes(config, &stated);
        let problems = all.iter().filter_map(|scope| {
            let problem = scope.problem.as_ref()?;
            Some(format!("`{}` may write nothing: {}: {problem}", scope.agent, scope.source))
        });
        problems.chain(overlaps(&all).iter().map(ToString::to_string)).collect()
    }

    /// Blocks that are proposed for charters without a boundary, each with the path of the charter; made of the files that
    /// charters and `routing.md` name in prose. None without the section `boundaries`.
    pub fn proposed_boundaries(&self) -> Vec<(String, String)> {
        let Some(config) = &self.team_rules().boundaries else { return Vec::new() };
        let stated = self.team_of(config).and_then(|team| team.stated_files().ok()).unwrap_or_default();
        let name = config.team.display().to_string();
        let proposed = stated.iter().filter_map(|stated| {
            Some((format!("{name}/agents/{}/charter.md", stated.agent), proposed_block(stated, &name)?))
        });
        proposed.collect()
    }

    /// The team in the project of the file.
    fn team_of(&self, config: &BoundariesConfig) -> Option<Team> {
        let folder = project_of(self.path()?).join(&config.team);
        folder.is_dir().then(|| Team::new(Arc::new(StdFileSystem), folder, &system()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hooks_core::event::PreToolUse;
    use hooks_core::{HookContext, HookRequest};
    use serde_json::json;

    use super::*;

    fn project(charters: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (agent, text) in charters {
            let folder = dir.path().join(".squad/agents").join(agent);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("charter.md"), text).unwrap();
        }
        fs::write(
            dir.path().join("hooks.yaml"),
            "version: 1\nboundaries: { agents: { tester: { writes: [tests/**] } } }",
        )
        .unwrap();
        dir
    }

    #[test]
    fn the_charters_of_a_project_are_enforced() {
        let charter = "# Backend\n\n```boundaries\nwrites: [src/**]\n```\n";
        let dir = project(&[("backend", charter)]);
        let hooks = Config::read(dir.path().join("hooks.yaml")).unwrap().hooks();
        let denied = |agent: &str, path: &str| {
            let context = HookContext::new("s", agent).in_dir(dir.path()).with_environment(system());
            let event = PreToolUse::new("edit", json!({ "path": path }));
            let explained = hooks.explain(&HookRequest::new(context, event));
            explained.iter().any(|one| one.verdict.reasons().iter().any(|reason| reason.policy == KEY))
        };
        assert!(denied("backend", "lib/a") && !denied("backend", "src/a"));
        assert!(denied("tester", "src/a") && !denied("tester", "tests/a"));
        assert!(!denied("lead", "src/a"));
    }

    #[test]
    fn overlaps_and_problems_are_doubts_and_prose_is_proposed() {
        let dir = project(&[
            ("backend", "# B\n\n```boundaries\nwrites: [tests/api/*]\n```\n"),
            ("broken", "# C\n\n```boundaries\nwrite: [x]\n```\n"),
            ("prose", "# D\n\n## What I Own\n\n- `docs/`\n"),
        ]);
        let config = Config::read(dir.path().join("hooks.yaml")).unwrap();
        let doubts = config.boundary_doubts();
        assert_eq!(doubts.len(), 2, "{doubts:?}");
        assert!(
            doubts[0].starts_with("`broken` may write nothing: .squad/agents/broken/charter.md: line 4"),
            "{doubts:?}"
        );
        assert_eq!(doubts[1], "`tester` (`tests/**`) and `backend` (`tests/api/*`) may write the same files");
        let proposed = config.proposed_boundaries();
        let [(path, block)] = &proposed[..] else { panic!("{proposed:?}") };
        assert_eq!(path, ".squad/agents/prose/charter.md");
        assert!(block.contains("  - docs/**\n"), "{block}");
    }

    #[test]
    fn mistakes_are_at_their_places() {
        let text = "version: 1\nboundaries:\n  agents:\n    a: { writes: [ok/**, 'x/{y'] }\n    b: {}\n";
        let errors = Config::parse(text, "hooks.yaml").unwrap_err();
        let shown: Vec<_> = errors.errors().iter().map(|error| (error.line, error.path.as_str())).collect();
        assert_eq!(shown, [(4, "boundaries.agents.a.writes[1]"), (5, "boundaries.agents.b")]);
    }
}
