//! Decisions of the team, and standing directives of the user.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use hooks_core::BoxError;
use hooks_core::time::Timestamp;
use hooks_team::Name;
use hooks_team::files::{Decisions, InboxFile, Roster};
use hooks_team::folder::TeamPath;
use hooks_team::ledger::Entry;

use super::{Ask, Reading, Section, cut};
use crate::source::{Item, Words};

/// Fields of a decision that determine its order and whether it is in force.
struct Decision {
    text: String,
    title: String,
    date: Option<Timestamp>,
    /// Author, as the name of an agent's folder.
    by: Option<Name>,
    /// Addressees, if the decision names them.
    audience: Vec<String>,
    /// Decisions that it replaces.
    replaces: Vec<String>,
    is_in_force: bool,
    is_directive: bool,
    words: OnceLock<Words>,
}

/// Returns the decisions in force for the agent, the most relevant for its task first.
pub(super) fn section(from: &Reading<'_>, ask: &Ask) -> Result<Section, BoxError> {
    let all = read(from)?;
    let agents = agents(from)?;
    let mut order = in_force(&all, &ask.agent, &agents, false);
    let me = Name::of_agent(&ask.agent).ok();
    order.sort_by_cached_key(|(at, decision)| {
        let relevance = match ask.words.is_empty() {
            true => 0,
            false => decision.words.get_or_init(|| Words::from_text(&decision.text)).shared_with(&ask.words),
        };
        let is_for_me = !decision.audience.is_empty();
        let is_mine = decision.by.is_some() && decision.by == me;
        std::cmp::Reverse((relevance, is_for_me, is_mine, decision.date, *at))
    });
    Ok(given(order, "Decisions in force", from.limits.decisions))
}

/// Returns the standing directives of the user, the newest first.
pub(super) fn directives(from: &Reading<'_>, ask: &Ask) -> Result<Section, BoxError> {
    let all = read(from)?;
    let agents = agents(from)?;
    let mut order = in_force(&all, &ask.agent, &agents, true);
    order.sort_by_key(|(at, decision)| std::cmp::Reverse((decision.date, *at)));
    Ok(given(order, "Standing directives of the user", from.limits.decisions))
}

fn given(mut order: Vec<(usize, &Decision)>, title: &str, most: usize) -> Section {
    let more = order.len().saturating_sub(most);
    order.truncate(most);
    let items = order.into_iter().map(|(_, decision)| Item::new(&cut(&decision.text))).collect();
    Section::new(title, items).with_rest(more, None)
}

/// Returns the decisions in force for `agent`, numbered in file order.
fn in_force<'a>(
    all: &'a [Arc<Vec<Decision>>],
    agent: &str,
    agents: &HashSet<Name>,
    directives: bool,
) -> Vec<(usize, &'a Decision)> {
    let decisions = || all.iter().flat_map(|file| file.iter());
    let replaced: HashSet<_> = decisions()
        .filter(|one| one.is_in_force)
        .flat_map(|one| &one.replaces)
        .map(|title| key(title))
        .collect();
    let me = Name::of_agent(agent).ok();
    let concerns = |decision: &Decision| {
        let named: Vec<_> = decision.audience.iter().filter_map(|name| Name::of_agent(name).ok()).collect();
        // An audience without names of agents does not restrict a decision.
        !named.iter().any(|name| agents.contains(name)) || me.as_ref().is_some_and(|me| named.contains(me))
    };
    decisions()
        .enumerate()
        .filter(|(_, one)| one.is_directive == directives && one.is_in_force && concerns(one))
        .filter(|(_, one)| replaced.is_empty() || !replaced.contains(&key(&one.title)))
        .collect()
}

/// Reads the decisions and then the inbox, in file order.
fn read(from: &Reading<'_>) -> Result<Vec<Arc<Vec<Decision>>>, BoxError> {
    let folder = from.team.folder();
    let mut all = vec![from.made(&TeamPath::new("decisions.md")?, |document| {
        Decisions::new(document).entries().map(|entry| decision(&entry, None, "")).collect::<Vec<_>>()
    })?];
    let inbox = TeamPath::new("decisions/inbox")?;
    for name in folder.list(&inbox)? {
        // A file with an invalid name is skipped, so that the others can be read.
        let Ok(file) = Name::new(name.as_str()) else { continue };
        if !name.to_ascii_lowercase().ends_with(".md") {
            continue;
        }
        all.push(from.made(&inbox.join(&file), |document| {
            let file = InboxFile::new(name.as_str(), document);
            file.entries().map(|entry| decision(&entry, file.date(), &name)).collect::<Vec<_>>()
        })?);
    }
    Ok(all)
}

fn agents(from: &Reading<'_>) -> Result<Arc<HashSet<Name>>, BoxError> {
    let place = TeamPath::new("team.md")?;
    Ok(from.made(&place, |document| {
        let roster = Roster::new(document);
        roster.members().iter().filter_map(|member| Name::of_agent(&member.name).ok()).collect()
    })?)
}

fn decision(entry: &Entry<'_>, date: Option<Timestamp>, file: &str) -> Decision {
    let title = entry.title().into_owned();
    let fields = entry.fields();
    let field = |names: &[&str]| {
        fields.iter().find(|field| field.is(names)).map(|field| field.value.as_ref()).unwrap_or_default()
    };
    let is_directive = file.to_ascii_lowercase().contains("directive")
        || key(&title).split(' ').any(|word| word == "directive")
        || fields.iter().any(|field| field.is(&["mode"]));
    let audience = field(&["applies to", "for", "agents", "audience"]);
    let replaces = field(&["supersedes", "replaces"]);
    Decision {
        text: entry.text().into_owned(),
        date: entry.date().or(date),
        by: fields
            .iter()
            .find(|field| field.is(&["by", "author", "decided by", "owner"]))
            .and_then(|field| Name::of_agent(&field.value).ok()),
        audience: listed(audience),
        replaces: listed(replaces),
        title,
        is_in_force: entry.is_in_force(),
        is_directive,
        words: OnceLock::new(),
    }
}

fn listed(text: &str) -> Vec<String> {
    let parts = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// Reduces `text` to letters and digits in lower case, with one space between words.
fn key(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
