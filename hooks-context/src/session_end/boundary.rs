//! The events at the start and the end of a session.

use std::sync::Arc;

use hooks_core::beside::{Beside, offload};
use hooks_core::event::{SessionEnd, SessionStart};
use hooks_core::{BoxError, ContextPatch, Event, HookFuture, HookRequest, Reason};

use super::SessionEnding;
use super::closing::Closing;
use super::record::Ended;

impl Beside<SessionStart> for SessionEnding {
    type Done = Result<(), BoxError>;

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, Self::Done>> {
        let context = Arc::clone(request.context());
        let work = offload(&*self.workers, {
            let ending = self.clone();
            move || {
                // Without a team, nothing is written.
                let Some(team) = ending.team(&context) else { return Ok(()) };
                let closing = Closing { team: &team, settings: &ending.settings };
                Ok(closing.begin(&context, context.timestamp)?)
            }
        });
        Some(self.limited(work))
    }

    fn add(request: &HookRequest<SessionStart>, _outcome: &mut ContextPatch, done: Self::Done) {
        report(request, done);
    }
}

impl Beside<SessionEnd> for SessionEnding {
    type Done = Result<(), BoxError>;

    fn start(&self, request: &HookRequest<SessionEnd>) -> Option<HookFuture<'static, Self::Done>> {
        let (ending, context, end) = (self.clone(), Arc::clone(request.context()), request.event().clone());
        let counts = ending.tally.take(&context);
        // This starts before anything waits, so the end is recorded even if the answer is dropped.
        let written = offload(&*ending.workers, {
            let (ending, context) = (ending.clone(), Arc::clone(&context));
            move || {
                let Some(team) = ending.team(&context) else { return Ok(None) };
                let closing = Closing { team: &team, settings: &ending.settings };
                let opened = closing.opened(&context)?;
                let ended = Ended::new(&context, opened.as_ref(), end, context.timestamp, counts);
                Ok(closing.write_down(&ended)?.then_some((team, ended)))
            }
        });
        let whole = ending.clone();
        Some(whole.limited(HookFuture::later(async move {
            let Some((team, mut ended)) = written.await? else { return Ok(()) };
            let told = match ending.open_work(&context).await {
                Ok(work) => {
                    ended.work = work;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            let done = offload(&*ending.workers, {
                let settings = ending.settings;
                move || Ok(Closing { team: &team, settings: &settings }.finish(&ended)?)
            });
            done.await?;
            told
        })))
    }

    fn add(request: &HookRequest<SessionEnd>, (): &mut (), done: Self::Done) {
        report(request, done);
    }
}

fn report<E: Event>(request: &HookRequest<E>, done: Result<(), BoxError>) {
    if let Err(error) = done {
        let context = request.context();
        context.environment.failures.record(context, E::KIND, &Reason::failure("session_end", &*error));
    }
}
