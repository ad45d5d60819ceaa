//! The events that the Scribe witnesses, and what it notes of each.

use std::path::Path;
use std::sync::Arc;

use hooks_core::event::{PostToolUse, SessionEnd, SessionStart, ToolDecided};
use hooks_core::{BoxError, Event, HookContext, HookFuture, HookRequest, Stage, Strength};
use hooks_team::Team;
use hooks_team::beside::offload;
use serde_json::Value;

use super::Scribe;
use super::note::{Note, What, files, key, short};
use super::settings::{WAIT, failed};
use crate::touched::{SeenFolder, Touched};

/// The team's own tools that write, by the end of their names: clients put something before.
const TEAM_TOOLS: [&str; 3] = ["squad_decide", "squad_memory", "squad_skill"];

/// An event that a Scribe witnesses.
pub trait Witnessed: Event {
    /// What is done beside the inner hook; nothing where the event says nothing about a team's folder.
    fn witness(scribe: &Scribe, request: &HookRequest<Self>) -> Option<HookFuture<'static, ()>>;
}

/// A call, before or after it ran.
struct Call {
    tool: String,
    args: Value,
    id: Option<String>,
    /// Whether it failed, and what it answered; nothing before it ran.
    ended: Option<(bool, Option<String>)>,
}

/// Comes first: what others left is put in order in the background.
impl Witnessed for SessionStart {
    fn witness(scribe: &Scribe, request: &HookRequest<Self>) -> Option<HookFuture<'static, ()>> {
        let (scribe, context) = (scribe.clone(), Arc::clone(request.context()));
        Some(told::<Self>(Arc::clone(&context), async move {
            match find(&scribe, &context).await? {
                Some(team) => scribe.stir(&context, team).await,
                None => Ok(()),
            }
        }))
    }
}

/// Noted before the tool runs: a call that is killed in the middle is known to have begun.
impl Witnessed for ToolDecided {
    fn witness(scribe: &Scribe, request: &HookRequest<Self>) -> Option<HookFuture<'static, ()>> {
        let event = request.event();
        if event.verdict != Strength::Allow || !may_write(scribe, &event.tool_name) {
            return None;
        }
        let (tool, args, id) = (event.tool_name.clone(), event.tool_args.clone(), event.tool_use_id.clone());
        let call = Call { tool, args, id, ended: None };
        Some(noted::<Self>(scribe, request.context(), call))
    }
}

impl Witnessed for PostToolUse {
    fn witness(scribe: &Scribe, request: &HookRequest<Self>) -> Option<HookFuture<'static, ()>> {
        let event = request.event();
        // Judging it once more is no second call.
        if request.stage() == Stage::Judge || !may_write(scribe, &event.tool_name) {
            return None;
        }
        let (tool, args, id) = (event.tool_name.clone(), event.tool_args.clone(), event.tool_use_id.clone());
        let answer = event.tool_result.as_str().filter(|_| is_of_team(&tool)).map(str::to_owned);
        let call = Call { tool, args, id, ended: Some((event.error.is_some(), answer)) };
        Some(noted::<Self>(scribe, request.context(), call))
    }
}

/// Ends with the work done: a process may end with its session.
impl Witnessed for SessionEnd {
    fn witness(scribe: &Scribe, request: &HookRequest<Self>) -> Option<HookFuture<'static, ()>> {
        let (scribe, context, end) = (scribe.clone(), Arc::clone(request.context()), request.event().clone());
        Some(told::<Self>(Arc::clone(&context), async move {
            let Some(team) = find(&scribe, &context).await? else { return Ok(()) };
            let said = serde_json::to_string(&end).unwrap_or_default();
            let what = What::Over { reason: end.reason, tokens: end.tokens_used, calls: end.tool_call_count };
            let note = Note::new(&context, key(&["over", &context.session_id, &said]), what);
            let (theirs, folder) = (scribe.clone(), team.clone());
            offload(scribe.workers(), move || theirs.leave(&folder, &note)).await?;
            scribe.work_aside(&context, team, WAIT).await
        }))
    }
}

fn may_write(scribe: &Scribe, tool: &str) -> bool {
    is_of_team(tool) || Touched::may_be(scribe.tools(), tool)
}

fn is_of_team(tool: &str) -> bool {
    TEAM_TOOLS.iter().any(|name| tool.ends_with(name))
}

/// Notes a call if it writes below the team's folder, and has the work done once it ended.
fn noted<E: Event>(scribe: &Scribe, context: &Arc<HookContext>, call: Call) -> HookFuture<'static, ()> {
    let (scribe, theirs) = (scribe.clone(), Arc::clone(context));
    told::<E>(Arc::clone(context), async move {
        let has_ended = call.ended.is_some();
        let (writer, context) = (scribe.clone(), Arc::clone(&theirs));
        let stirred = offload(scribe.workers(), move || {
            let Some(team) = writer.team(&context) else { return Ok(None) };
            let is_open = note(&writer, &context, &team, &call)?;
            Ok((has_ended && is_open).then_some(team))
        });
        match stirred.await? {
            Some(team) => scribe.stir(&theirs, team).await,
            None => Ok(()),
        }
    })
}

/// Leaves a note of a call that writes below the folder of `team`; whether there may be work.
fn note(scribe: &Scribe, context: &HookContext, team: &Team, call: &Call) -> Result<bool, BoxError> {
    let (names, is_open) = if is_of_team(&call.tool) {
        let answer = call.ended.as_ref().and_then(|(_, answer)| answer.as_deref());
        (answer.and_then(place_in).into_iter().collect(), true)
    } else {
        let touched = Touched::by(context, scribe.tools(), &call.tool, &call.args);
        let names = match SeenFolder::new(context, &absolute(context, team.root())) {
            Some(folder) if !touched.files.is_empty() => below(&folder, &touched),
            _ => Vec::new(),
        };
        if names.is_empty() {
            // A program may have written where nobody can tell: the inbox is looked at.
            return Ok(touched.is_open);
        }
        (names, true)
    };
    let tool = short(&call.tool);
    let (what, key) = match &call.ended {
        None => (What::Begun { tool, files: names }, begun(scribe, context, call)),
        Some((failed, _)) => {
            (What::Done { tool, files: names, failed: *failed }, done(scribe, context, call))
        }
    };
    scribe.leave(team, &Note::new(context, key, what))?;
    Ok(is_open)
}

/// What of the files that a call writes is below a team's folder, and not ours.
fn below(folder: &SeenFolder, touched: &Touched) -> Vec<String> {
    let names = touched.files.iter().filter_map(|file| folder.strip(file));
    let mut names = files(names.filter(|name| !name.starts_with(".hooks/")).map(str::to_owned));
    names.dedup();
    names
}

/// The place that a tool of the team says it wrote to.
fn place_in(answer: &str) -> Option<String> {
    answer.split('`').nth(1).map(short)
}

fn absolute(context: &HookContext, root: &Path) -> std::path::PathBuf {
    context.root().join(root)
}

/// The key of a call that begins. One without an id is known again by what it does, in this process.
fn begun(scribe: &Scribe, context: &HookContext, call: &Call) -> String {
    of_id(context, call).unwrap_or_else(|| {
        let fresh = random(context);
        scribe.open().entry(about(context, call)).or_default().push(fresh.clone());
        fresh
    })
}

/// The key of a call that ended: the one it began with, where somebody saw it begin.
fn done(scribe: &Scribe, context: &HookContext, call: &Call) -> String {
    of_id(context, call).unwrap_or_else(|| {
        let about = about(context, call);
        let mut open = scribe.open();
        let keys = open.get_mut(&about);
        let known = keys.and_then(Vec::pop);
        if open.get(&about).is_some_and(Vec::is_empty) {
            open.remove(&about);
        }
        known.unwrap_or_else(|| random(context))
    })
}

fn of_id(context: &HookContext, call: &Call) -> Option<String> {
    let id = call.id.as_deref().or(context.call_id.as_deref())?;
    Some(key(&["call", &context.session_id, &context.agent_name, id]))
}

fn about(context: &HookContext, call: &Call) -> String {
    key(&["about", &context.session_id, &context.agent_name, &call.tool, &call.args.to_string()])
}

pub(super) fn random(context: &HookContext) -> String {
    format!("{:016x}", context.environment.random.next_u64())
}

/// The team of a session, found by a worker.
async fn find(scribe: &Scribe, context: &Arc<HookContext>) -> Result<Option<Team>, BoxError> {
    let (theirs, context) = (scribe.clone(), Arc::clone(context));
    offload(scribe.workers(), move || Ok(theirs.team(&context))).await
}

/// Does `work`; what goes wrong is told to the failure sink.
fn told<E: Event>(
    context: Arc<HookContext>,
    work: impl Future<Output = Result<(), BoxError>> + Send + 'static,
) -> HookFuture<'static, ()> {
    HookFuture::later(async move {
        if let Err(error) = work.await {
            failed(&context, E::KIND, &*error);
        }
    })
}
