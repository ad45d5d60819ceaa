//! The events at the start and the end of a session.

use std::sync::Arc;

use hooks_core::beside::{Beside, offload};
use hooks_core::event::{SessionEnd, SessionStart};
use hooks_core::{BoxError, ContextPatch, Event, EventKind, HookFuture, HookRequest, Reason};

use super::closing::Closing;
use super::record::Ended;
use super::{Counts, SessionEnding};

impl Beside<SessionStart> for SessionEnding {
    type Done = Result<(), BoxError>;

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, Self::Done>> {
        let (ending, context) = (self.clone(), Arc::clone(request.context()));
        // This starts before anything waits.
        let left_over = offload(&*self.workers, {
            let (ending, context) = (ending.clone(), Arc::clone(&context));
            move || {
                // Without a team, nothing is written.
                let Some(team) = ending.team(&context) else { return Ok(None) };
                let closing = Closing { team: &team, settings: &ending.settings };
                let left_over = closing.left_over(&context, context.timestamp);
                Ok(Some((team, left_over)))
            }
        });
        Some(self.limited(HookFuture::later(async move {
            let Some((team, left_over)) = left_over.await? else { return Ok(()) };
            let (mut others, found) = match left_over {
                Ok(others) => (others, Ok(())),
                Err(error) => (Vec::new(), Err(error)),
            };
            for other in &mut others {
                ending.count_in(&mut other.ended).await;
            }
            let sessions: Vec<_> = others.iter().map(|other| other.ended.context()).collect();
            let done = offload(&*ending.workers, {
                let settings = ending.settings;
                move || {
                    let closing = Closing { team: &team, settings: &settings };
                    let closed = closing.finish_others(&others);
                    // A session that cannot be closed keeps no other from opening.
                    closing.open(&context, context.timestamp)?;
                    Ok(closed.and(found)?)
                }
            });
            done.await?;
            for session in sessions {
                ending.kept_counts.forget(&session).await?;
            }
            Ok(())
        })))
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
            ending.count_in(&mut ended).await;
            let session = ended.context();
            let done = offload(&*ending.workers, {
                let settings = ending.settings;
                move || Ok(Closing { team: &team, settings: &settings }.finish(&ended)?)
            });
            done.await?;
            ending.kept_counts.forget(&session).await?;
            told
        })))
    }

    fn add(request: &HookRequest<SessionEnd>, (): &mut (), done: Self::Done) {
        report(request, done);
    }
}

impl SessionEnding {
    /// Adds the counts that other processes kept in the store. If the store fails, they are missing.
    async fn count_in(&self, ended: &mut Ended) {
        let session = ended.context();
        match self.kept_counts.get(&session).await {
            Ok(kept) if !ended.is_counted && kept != Counts::default() => {
                ended.counts.add(&kept);
                ended.is_counted = true;
            }
            Ok(_) => {}
            Err(error) => {
                let reason = Reason::failure("session_end", &error);
                session.environment.failures.record(&session, EventKind::SessionEnd, &reason);
            }
        }
    }
}

fn report<E: Event>(request: &HookRequest<E>, done: Result<(), BoxError>) {
    if let Err(error) = done {
        let context = request.context();
        context.environment.failures.record(context, E::KIND, &Reason::failure("session_end", &*error));
    }
}
