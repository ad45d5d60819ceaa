//! Notes of calls before the tool runs, if no hook denies the call.
//!
//! The note is left by the last reservation ([`Reserve`]), so that it exists before the tool writes. This
//! works with clients that send no event between the decision and the result, and for calls that a person
//! approves, although most clients do not report the answer. If the call is denied later, its note is
//! removed, also when the client reports the denial later.

use std::sync::Arc;

use hooks_core::beside::{offload, offload_then};
use hooks_core::event::PreToolUse;
use hooks_core::{
    BoxError, Event, Hold, HookContext, HookError, HookFuture, HookRequest, Reservation, Reserve,
};
use hooks_team::Team;

use super::Scribe;
use super::call::{Call, may_write, take_back};
use super::note::Note;
use super::settings::{NAME, failed};

/// Removes the note of a call, unless the call goes ahead.
struct Expected {
    scribe: Scribe,
    context: Arc<HookContext>,
    left: Option<(Team, Note)>,
}

impl Hold for Expected {
    fn commit(mut self: Box<Self>) {
        self.left = None;
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        let Some((team, note)) = self.left.take() else { return };
        self.scribe.open().forget(&note.key);
        let context = Arc::clone(&self.context);
        offload_then(
            self.scribe.workers(),
            move || Ok::<_, BoxError>(take_back(&team, |other| *other == note)?),
            move |taken| tell(&context, taken),
        );
    }
}

impl Reserve<PreToolUse> for Scribe {
    fn name(&self) -> &str {
        NAME
    }

    /// Notes the call if it writes below the team's folder. Never denies.
    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        if !may_write(self, &request.event().tool_name) {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        let (scribe, context) = (self.clone(), Arc::clone(request.context()));
        let call = Call::before(request.event());
        let theirs = Arc::clone(&context);
        let noted = offload(self.workers(), move || {
            let Some(team) = scribe.team(&theirs) else { return Ok(None) };
            let note = call.note(&scribe, &theirs, &team)?.note;
            Ok(note.map(|note| Expected { scribe, context: theirs, left: Some((team, note)) }))
        });
        HookFuture::later(async move {
            Ok(match noted.await {
                Ok(Some(expected)) => Reservation::Held(Box::new(expected)),
                Ok(None) => Reservation::NotNeeded,
                Err(error) => {
                    tell(&context, Err(error));
                    Reservation::NotNeeded
                }
            })
        })
    }
}

fn tell(context: &HookContext, done: Result<(), BoxError>) {
    if let Err(error) = done {
        failed(context, PreToolUse::KIND, &*error);
    }
}
