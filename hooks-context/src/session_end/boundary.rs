//! The events at the start and the end of a session.

use std::sync::Arc;

use hooks_core::event::{SessionEnd, SessionStart};
use hooks_core::{BoxError, Event, HookFuture, HookRequest};
use hooks_team::beside::offload;

use super::SessionEnding;
use super::closing::Closing;
use super::record::Ended;

/// The start or the end of a session.
pub trait Boundary: Event {
    /// Starts the work for this event.
    fn work(ending: &SessionEnding, request: &HookRequest<Self>)
    -> HookFuture<'static, Result<(), BoxError>>;
}

impl Boundary for SessionStart {
    fn work(
        ending: &SessionEnding,
        request: &HookRequest<Self>,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let context = Arc::clone(request.context());
        let work = offload(&*ending.workers, {
            let ending = ending.clone();
            move || {
                // Without a team, nothing is written.
                let Some(team) = ending.team(&context) else { return Ok(()) };
                let closing = Closing { team: &team, settings: &ending.settings };
                Ok(closing.begin(&context, context.timestamp)?)
            }
        });
        ending.limited(work)
    }
}

impl Boundary for SessionEnd {
    fn work(
        ending: &SessionEnding,
        request: &HookRequest<Self>,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let (ending, context, end) = (ending.clone(), Arc::clone(request.context()), request.event().clone());
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
        whole.limited(HookFuture::later(async move {
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
        }))
    }
}
