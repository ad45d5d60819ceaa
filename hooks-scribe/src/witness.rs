//! Events that the Scribe notes, and the note of each.

use std::sync::Arc;

use hooks_core::beside::{Beside, offload};
use hooks_core::event::{PostToolUse, SessionEnd, SessionStart, ToolDecided};
use hooks_core::{BoxError, Event, HookContext, HookFuture, HookRequest, Stage, Strength};
use hooks_team::Team;

use super::Scribe;
use super::call::{Call, may_write};
use super::note::{Note, What, key};
use super::settings::{MOMENT, failed};

/// The first event of a session: work that other processes left is done in the background.
impl Beside<SessionStart> for Scribe {
    type Done = ();

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, ()>> {
        let (scribe, context) = (self.clone(), Arc::clone(request.context()));
        Some(told::<SessionStart>(Arc::clone(&context), async move {
            match find(&scribe, &context).await? {
                Some(team) => scribe.stir(&context, team).await,
                None => Ok(()),
            }
        }))
    }
}

/// If a person or the client denies a call after the hooks allowed it, its note is removed.
impl Beside<ToolDecided> for Scribe {
    type Done = ();

    fn start(&self, request: &HookRequest<ToolDecided>) -> Option<HookFuture<'static, ()>> {
        let event = request.event();
        if event.verdict != Strength::Deny || !may_write(self, &event.tool_name) {
            return None;
        }
        let (call, theirs, context) = (Call::decided(event), self.clone(), Arc::clone(request.context()));
        let own_context = Arc::clone(&context);
        let refused = offload(self.workers(), move || {
            Ok(theirs.team(&own_context).map_or(Ok(()), |team| call.refuse(&own_context, &team))?)
        });
        Some(told::<ToolDecided>(context, refused))
    }
}

impl Beside<PostToolUse> for Scribe {
    type Done = ();

    fn start(&self, request: &HookRequest<PostToolUse>) -> Option<HookFuture<'static, ()>> {
        // Judging the event again is not a second call.
        if request.stage() == Stage::Judge || !may_write(self, &request.event().tool_name) {
            return None;
        }
        let (call, scribe, context) =
            (Call::after(request.event()), self.clone(), Arc::clone(request.context()));
        Some(told::<PostToolUse>(Arc::clone(&context), async move {
            let (writer, theirs) = (scribe.clone(), Arc::clone(&context));
            let stirred = offload(scribe.workers(), move || {
                let Some(team) = writer.team(&theirs) else { return Ok(None) };
                let is_open = call.note(&writer, &theirs, &team)?.is_open;
                Ok(is_open.then_some(team))
            });
            match stirred.await? {
                Some(team) => scribe.stir(&context, team).await,
                None => Ok(()),
            }
        }))
    }
}

/// Waits until the work is done, because the process may end with its session.
impl Beside<SessionEnd> for Scribe {
    type Done = ();

    fn start(&self, request: &HookRequest<SessionEnd>) -> Option<HookFuture<'static, ()>> {
        let (scribe, context, end) = (self.clone(), Arc::clone(request.context()), request.event().clone());
        scribe.open().end_session(&context);
        Some(told::<SessionEnd>(Arc::clone(&context), async move {
            let Some(team) = find(&scribe, &context).await? else { return Ok(()) };
            // A session may be resumed, and end again with the same data.
            let text = format!("{} {}", context.timestamp, serde_json::to_string(&end).unwrap_or_default());
            let what = What::Over { reason: end.reason, tokens: end.tokens_used, calls: end.tool_call_count };
            let note = Note::new(&context, key(&["over", &context.session_id, &text]), what);
            let (theirs, folder) = (scribe.clone(), team.clone());
            offload(scribe.workers(), move || theirs.leave(&folder, &note)).await?;
            scribe.work_aside(&context, team, MOMENT).await
        }))
    }
}

/// Finds the team of a session in a worker.
async fn find(scribe: &Scribe, context: &Arc<HookContext>) -> Result<Option<Team>, BoxError> {
    let (theirs, context) = (scribe.clone(), Arc::clone(context));
    offload(scribe.workers(), move || Ok(theirs.team(&context))).await
}

/// Runs `work`; reports an error to the failure sink.
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
