//! The section about routes: the tasks that an agent gives to another one.

use std::sync::Arc;

use hooks_budgets::SpawnBudget;
use hooks_core::HooksBuilder;
use hooks_system::StdFileSystem;
use hooks_team::TeamPlace;
use hooks_team_rules::routing::RoutesConfig;
use hooks_team_rules::{RouteRules, Routing};

use super::error::Mistakes;
use super::prune::Pruned;
use super::spawned::SpawnedAgents;
use super::team_rules::{TeamRuleWorld, report};

/// Key of the section.
pub(super) const KEY: &str = "routes";

/// Adds the rules of `config`. Open tasks are the children that the section `spawn` counts.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &RoutesConfig,
    world: &TeamRuleWorld<'_>,
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
) -> HooksBuilder {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let compiled = report(tree, mistakes, |errors| {
        let rules = RouteRules::compile(config, Some(team), errors);
        if !config.limits_load() {
            return Routing::new(rules);
        }
        let Some(spawn) = &world.policy.spawn else {
            errors.push(
                KEY,
                "nothing counts open tasks, which it limits",
                "add a section `spawn`, which counts children",
            );
            return Routing::new(rules);
        };
        // Mistakes of that section are reported there.
        match SpawnBudget::new(spawn, &world.reader) {
            Ok(budget) => {
                let budget = budget.with_store(Arc::clone(&world.store));
                Routing::new(rules).counting(Arc::new(SpawnedAgents::new(&budget)))
            }
            Err(_) => Routing::new(rules),
        }
    });
    match compiled {
        Some(routing) => routing.add_to(builder),
        None => builder,
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::event::{Route, SubagentStart};
    use hooks_core::{HookContext, Judged};

    use super::super::Config;

    #[tokio::test]
    async fn open_tasks_are_those_of_the_spawn_registry() {
        let text = "version: 1\nspawn: {}\nroutes: { agents: { ada: { most: 1, instead: [bob] } } }";
        let hooks = Config::parse(text, "hooks.yaml").unwrap().hooks();
        let context = || HookContext::new("s", "lead").with_environment(hooks_system::system());
        let target = async || {
            let decided = hooks.on(context()).route(Route::new("Ada", "x")).await;
            assert!(decided.outcome.goes_ahead(), "{:?}", decided.outcome);
            decided.request.event().target_agent.clone()
        };
        assert_eq!(target().await, "Ada");
        hooks.on(context()).subagent_start(SubagentStart::new("ada", "a task")).await.commit();
        assert_eq!(target().await, "bob");
    }

    #[test]
    fn a_limit_without_a_count_is_a_mistake() {
        let errors = Config::parse("version: 1\nroutes: { most: 2 }", "hooks.yaml").unwrap_err();
        assert!(errors.errors()[0].message.contains("nothing counts open tasks"), "{errors}");
        assert!(Config::parse("version: 1\nspawn: {}\nroutes: { most: 2 }", "hooks.yaml").is_ok());
    }
}
