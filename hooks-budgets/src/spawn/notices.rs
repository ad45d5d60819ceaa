//! Notices to the agents of a tree about children that started, ended or fell silent since their last turn.

use std::collections::BTreeSet;
use std::time::Duration;

use hooks_core::state::{Op, StepResult};
use hooks_core::{ContextNote, ContextPatch, HookContext, HookError, Lifetime};

use super::NAME;
use super::budget::is_of;
use super::child::{ChildState, Known};
use super::keys::hex;
use super::registry::Registry;
use super::registry::unexpected;

/// Most children in one notice.
const MOST: usize = 10;
/// Longest name in a notice, in characters.
const NAME_LENGTH: usize = 60;
/// Time for which an agent's notices are remembered.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the news for the agent of `context` as a note for its turn. The note names children and states,
/// never a child's task: the words of one agent are not instructions to another.
pub(super) async fn note_for_turn(
    registry: &Registry,
    known: &[Known],
    context: &HookContext,
) -> Result<ContextPatch, HookError> {
    let others: Vec<&Known> = known.iter().filter(|known| !is_of(&known.entry, context)).collect();
    let key = registry.keys.told(&context.session_id, &context.agent_name);
    let told = match registry.apply(Op::Get { key: key.clone() }).await? {
        StepResult::Value(told) => told,
        other => return Err(unexpected(&other)),
    };
    let is_first = told.is_none();
    if is_first && others.is_empty() {
        return Ok(ContextPatch::default());
    }
    let told: BTreeSet<String> =
        told.and_then(|(text, _)| serde_json::from_str(&text).ok()).unwrap_or_default();
    let now: BTreeSet<String> = others.iter().map(|known| mark(known)).collect();
    if now == told {
        return Ok(ContextPatch::default());
    }
    // An agent at its first turn needs no notice of children that ended before.
    let is_old = |known: &Known| told.contains(&mark(known)) || (is_first && known.has_ended());
    let news: Vec<String> = others.iter().filter(|known| !is_old(known)).map(|known| line(known)).collect();
    let value = serde_json::to_string(&now).map_err(HookError::other)?;
    registry.apply(Op::Put { key, value: value.into(), ttl: Some(REMEMBERED) }).await?;
    if news.is_empty() {
        return Ok(ContextPatch::default());
    }
    let mut text = "Other agents of this task:".to_owned();
    for line in news.iter().take(MOST) {
        text.push_str("\n- ");
        text.push_str(line);
    }
    if news.len() > MOST {
        text.push_str(&format!("\n- and {} more", news.len() - MOST));
    }
    let mut note = ContextNote::new(text).for_the(Lifetime::Turn);
    note.source = Some(NAME.to_owned());
    Ok(ContextPatch::note(note))
}

/// Returns a key for a child in its state.
fn mark(known: &Known) -> String {
    let state = match known.state() {
        ChildState::Waiting | ChildState::Running => "lives",
        ChildState::Silent => "silent",
        ChildState::Ended => "ended",
    };
    format!("{} {state}", hex(known.id))
}

fn line(known: &Known) -> String {
    let entry = &known.entry;
    let (agent, parent) = (short(&entry.agent), short(&entry.parent));
    let agent = if agent.is_empty() { "an agent" } else { &agent };
    match known.state() {
        ChildState::Waiting | ChildState::Running => match &entry.task_type {
            Some(kind) => format!("{agent} started, for {parent}: {}", short(kind)),
            None => format!("{agent} started, for {parent}"),
        },
        ChildState::Silent => format!("{agent}, started by {parent}, fell silent and is taken for lost"),
        ChildState::Ended => match entry.status {
            Some(hooks_core::event::ChildStatus::Completed) | None => {
                format!("{agent}, started by {parent}, is done")
            }
            Some(_) => format!("{agent}, started by {parent}, ended with an error"),
        },
    }
}

/// Returns a name on one line.
fn short(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(NAME_LENGTH).collect()
}
