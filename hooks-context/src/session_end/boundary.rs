//! The events between which a session is.

use std::sync::Arc;

use hooks_core::event::{SessionEnd, SessionStart};
use hooks_core::{BoxError, Event, HookFuture, HookRequest};

use super::SessionEnding;
use super::closing::Closing;
use super::record::{Ended, Work};
use crate::source::offload;

/// What a session begins or ends with.
pub trait Boundary: Event {
    /// What is done then.
    fn work(ending: &SessionEnding, request: &HookRequest<Self>)
    -> HookFuture<'static, Result<(), BoxError>>;
}

impl Boundary for SessionStart {
    fn work(
        ending: &SessionEnding,
        request: &HookRequest<Self>,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let (ending, context) = (ending.clone(), Arc::clone(request.context()));
        let workers = Arc::clone(&ending.workers);
        offload(&*workers, move || {
            // Where there is no team, nothing is written.
            let Some(team) = ending.place.team(&context) else { return Ok(()) };
            let closing = Closing { team: &team, settings: &ending.settings };
            Ok(closing.begin(&context, context.timestamp)?)
        })
    }
}

impl Boundary for SessionEnd {
    fn work(
        ending: &SessionEnding,
        request: &HookRequest<Self>,
    ) -> HookFuture<'static, Result<(), BoxError>> {
        let (ending, context, end) = (ending.clone(), Arc::clone(request.context()), request.event().clone());
        HookFuture::later(async move {
            let (mut work, mut told) = (None, Ok(()));
            if let Some(source) = &ending.work {
                match source.open(&context).await {
                    Ok(items) => work = Some(Work { source: source.name().to_owned(), items }),
                    Err(error) => told = Err(error),
                }
            }
            let counts = ending.tally.take(&context.session_id);
            let workers = Arc::clone(&ending.workers);
            let done = offload(&*workers, move || {
                let Some(team) = ending.place.team(&context) else { return Ok(()) };
                let closing = Closing { team: &team, settings: &ending.settings };
                let opened = closing.opened(&context.session_id)?;
                let mut ended = Ended::new(&context, opened.as_ref(), end, context.timestamp, counts);
                ended.work = work;
                Ok(closing.end(&ended)?)
            });
            done.await?;
            told
        })
    }
}
