//! Child agents: a file in `orchestration-log/` before a child starts, and a line after it ended.
//!
//! Both are written by the last reservation ([`Reserve`]), when no hook has denied the event: a denied child
//! leaves no file, and a child that is made to continue has not ended.

use std::sync::Arc;

use hooks_core::beside::{offload, offload_then};
use hooks_core::event::{SubagentStart, SubagentStop};
use hooks_core::{
    BoxError, Event, Hold, HookContext, HookError, HookFuture, HookRequest, Reservation, Reserve,
};
use hooks_team::files::SpawnRecord;
use hooks_team::folder::TeamPath;
use hooks_team::{Team, TeamError};

use super::Scribe;
use super::call::random;
use super::log::{named, plain};
use super::note::{Note, What, key, name, short, stem, time};
use super::settings::{NAME, failed};
use super::work::Pen;

/// Leaves a note that a child was not started, unless it was.
struct Sent {
    scribe: Scribe,
    context: Arc<HookContext>,
    note: Option<Note>,
}

impl Hold for Sent {
    fn commit(mut self: Box<Self>) {
        self.note = None;
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let Some(note) = self.note.take() else { return };
        let (scribe, context) = (self.scribe.clone(), Arc::clone(&self.context));
        let theirs = Arc::clone(&context);
        offload_then(
            self.scribe.workers(),
            move || leave(&scribe, &theirs, &note),
            move |left| {
                if let Err(error) = left {
                    failed(&context, SubagentStart::KIND, &*error);
                }
            },
        );
    }
}

impl Reserve<SubagentStart> for Scribe {
    fn name(&self) -> &str {
        NAME
    }

    /// Writes the file in `orchestration-log/`; if that fails, leaves a note with its content. Never denies.
    fn reserve(
        &self,
        request: &HookRequest<SubagentStart>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (scribe, context, start) = (self.clone(), Arc::clone(request.context()), request.event().clone());
        let child = start.child_id.clone().unwrap_or_else(|| random(&context));
        let id = key(&["spawn", &context.session_id, &child]);
        let what = What::NotSpawned { child: short(&self.pen().clean(start.agent_name.clone())) };
        let note = Some(Note::new(&context, key(&["not spawned", &context.session_id, &child]), what));
        let sent = Sent { scribe: self.clone(), context: Arc::clone(&context), note };
        let theirs = Arc::clone(&context);
        let written = offload(self.workers(), move || {
            let Some(team) = scribe.team(&theirs) else { return Ok(false) };
            if let Err(error) = before(&scribe, &theirs, &team, &start, &id) {
                failed(&theirs, SubagentStart::KIND, &*error);
            }
            Ok(true)
        });
        HookFuture::later(async move {
            let has_team = written.await.unwrap_or_else(|error| {
                failed(&context, SubagentStart::KIND, &*error);
                false
            });
            if !has_team {
                Box::new(sent).commit();
                return Ok(Reservation::NotNeeded);
            }
            Ok(Reservation::Held(Box::new(sent)))
        })
    }
}

impl Reserve<SubagentStop> for Scribe {
    fn name(&self) -> &str {
        NAME
    }

    /// Notes the end of the child. Never denies.
    fn reserve(
        &self,
        request: &HookRequest<SubagentStop>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (scribe, context, stop) = (self.clone(), Arc::clone(request.context()), request.event().clone());
        let child = stop.child_id.clone().unwrap_or_else(|| random(&context));
        let what = What::Ended {
            child: short(&self.pen().clean(stop.agent_name.clone())),
            status: stop.status,
            duration_ms: stop.duration_ms,
            tokens: stop.tokens_used,
            calls: stop.tool_call_count,
        };
        let note = Note::new(&context, key(&["ended", &context.session_id, &child]), what);
        let theirs = Arc::clone(&context);
        let found = offload(self.workers(), move || {
            if let Err(error) = leave(&scribe, &theirs, &note) {
                failed(&theirs, SubagentStop::KIND, &*error);
            }
            Ok(scribe.team(&theirs))
        });
        let scribe = self.clone();
        HookFuture::later(async move {
            let stirred = match found.await {
                Ok(Some(team)) => scribe.stir(&context, team).await,
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = stirred {
                failed(&context, SubagentStop::KIND, &*error);
            }
            Ok(Reservation::NotNeeded)
        })
    }
}

/// Writes the file for a child before it starts.
fn before(
    scribe: &Scribe,
    context: &HookContext,
    team: &Team,
    start: &SubagentStart,
    id: &str,
) -> Result<(), BoxError> {
    let (pen, ending) = (scribe.pen(), format!("-{id}.md"));
    let agent = pen.clean(start.agent_name.clone());
    let title = format!("{} — {}", time(context.timestamp), named(&agent));
    let text = pen.clean(record(context, start, &pen).to_markdown(&title));
    let file = format!("{}-{}{ending}", time(context.timestamp), stem(&agent));
    let Err(error) = publish(scribe, team, &file, &ending, &text) else { return Ok(()) };
    // Whatever the error was, the file is written later from a note.
    let (title, text) = text.split_once("\n\n").unwrap_or((&text, ""));
    let what = What::Spawned { name: file, title: title.to_owned(), text: text.to_owned() };
    scribe.leave(team, &Note::new(context, id.to_owned(), what))?;
    match error {
        TeamError::Busy { .. } => Ok(()),
        error => Err(error.into()),
    }
}

/// Writes the file unless there is one with that `ending`.
fn publish(scribe: &Scribe, team: &Team, file: &str, ending: &str, text: &str) -> Result<(), TeamError> {
    if team.spawn_logs()?.iter().any(|file| file.ends_with(ending)) {
        return Ok(());
    }
    let place = TeamPath::new("orchestration-log")?.join(&name(file)?);
    let team = team.clone().with_patience(scribe.settings().spawn_wait);
    team.writer()?.publish(&place, text.as_bytes()).map(drop)
}

/// Fills in Squad's template, as far as its fields are known before the child starts. Secrets are removed
/// before long texts are cut, because a cut secret would not be recognized.
fn record(context: &HookContext, start: &SubagentStart, pen: &Pen) -> SpawnRecord {
    let clean = |text: &str| plain(&pen.clean(text.to_owned())).into_owned();
    let told = |text: Option<&str>| text.map_or_else(|| "—".to_owned(), clean);
    SpawnRecord {
        agent: named(&pen.clean(start.agent_name.clone())).into_owned(),
        why_chosen: if start.task.trim().is_empty() { "—".to_owned() } else { clean(&start.task) },
        mode: format!(
            "child of {} in generation {}",
            named(&pen.clean(context.agent_name.clone())),
            start.depth
        ),
        why_mode: format!(
            "task type {}, model {}",
            told(start.task_type.as_deref()),
            told(start.model.as_deref())
        ),
        reads: start.charter_path.as_deref().map(clean).into_iter().collect(),
        produces: Vec::new(),
        outcome: "pending: written before it began; its end is in `log/`".to_owned(),
    }
}

/// Leaves a note if the session has a team.
fn leave(scribe: &Scribe, context: &HookContext, note: &Note) -> Result<(), BoxError> {
    scribe.team(context).map_or(Ok(()), |team| scribe.leave(&team, note))
}
