//! The team in a `hooks.yaml`: the agents that its sections name, their boundaries, models and routes.

use hooks::config::Config;
use hooks::team_rules::routing::{RouteAction, RouteRuleConfig};
use hooks_team::files::NewMember;
use hooks_team::{Name, NewCharter, NewRoute, NewTeam};

/// Adds the agents and routes of `config` to `team`. Fields that `team` has already stay.
pub(super) fn add(config: &Config, team: &mut NewTeam) {
    let rules = config.team_rules();
    for (name, boundary) in rules.boundaries.iter().flat_map(|boundaries| &boundaries.agents) {
        if let Some(charter) = charter_of(name, team) {
            charter.writes = charter.writes.take().or_else(|| boundary.writes.clone());
            charter.reads = charter.reads.take().or_else(|| boundary.reads.clone());
        }
    }
    for (name, agent) in rules.routes.iter().flat_map(|routes| &routes.agents) {
        if let Some(charter) = charter_of(name, team) {
            let known = charter.expertise.clone();
            charter.expertise.extend(agent.capabilities.iter().filter(|one| !known.contains(one)).cloned());
        }
    }
    let models = config.context().context.as_ref().and_then(|context| context.model.as_ref());
    for (name, model) in models.iter().flat_map(|models| &models.agents) {
        if let Some(charter) = charter_of(name, team) {
            charter.model.preferred.get_or_insert_with(|| model.clone());
        }
    }
    for rule in rules.routes.iter().flat_map(|routes| &routes.rules) {
        if let Some(route) = route(rule) {
            for agent in &route.agents {
                charter_of(agent, team);
            }
            team.routes.push(route);
        }
    }
}

/// The charter of the member `name`, who joins the team if it is a name and not a pattern.
fn charter_of<'t>(name: &str, team: &'t mut NewTeam) -> Option<&'t mut NewCharter> {
    let key = Name::of_agent(name).ok().filter(|_| !name.contains('*'))?;
    let known =
        team.members.iter().find(|member| Name::of_agent(&member.name).is_ok_and(|other| other == key));
    let name = match known {
        Some(member) => member.name.clone(),
        None => {
            team.members.push(NewMember { name: name.to_owned(), role: String::new() });
            name.to_owned()
        }
    };
    Some(team.charters.entry(name).or_default())
}

/// The row of a rule that sends work to agents: it allows a target, or names another one.
fn route(rule: &RouteRuleConfig) -> Option<NewRoute> {
    let agents = match rule.action {
        RouteAction::Allow => &rule.to,
        RouteAction::Deny => &rule.instead,
    };
    let agents: Vec<_> = agents.iter().filter(|agent| !agent.contains('*')).cloned().collect();
    let is_about_work = !agents.is_empty() && !rule.words.is_empty();
    is_about_work.then(|| NewRoute {
        work: rule.words.join(", "),
        agents,
        examples: rule.reason.clone().unwrap_or_else(|| rule.name.clone()),
    })
}
