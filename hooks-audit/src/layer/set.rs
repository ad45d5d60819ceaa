//! The audit hooks of a set: an observer in every slot that records the final outcome.
//!
//! Observers never wait, so the waits for a sync are in hooks that may wait. One is the reservation at the
//! end of a tool decision: for tools whose effects cannot be undone, and for a log that cannot be written.
//! The other is the `ToolDecided` event: for a denial, or an answer of the user.

use std::convert::Infallible;
use std::mem;

use hooks_core::event::*;
use hooks_core::{
    BoxError, Close, FailureLayer, HookError, HookFuture, HookRequest, HooksBuilder, HooksConfig, Observer,
    Reservation, Reserve, hook_fn,
};

use super::audit::{Audit, NAME, judged};
use crate::describe::{Described, RecordedOutcome, events};
use crate::log::{Log, Unwritten};

impl<E: Described> Observer<E> for Audit {
    fn name(&self) -> &str {
        NAME
    }

    fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome) {
        let request = judged(request, outcome);
        let Some(recorded) = self.hold_back(request, E::recorded(outcome)) else { return };
        // A later hook waits for the sync. The queue is written in order, so that hook's record is written
        // after this one.
        let put = if recorded.is_grave() {
            self.put_through(request, recorded).map(drop)
        } else {
            self.put(request, recorded)
        };
        if let Err(error) = put {
            // The call, if the event is one, was denied before or may go ahead.
            drop(self.failed(request, &error));
        }
    }
}

impl Reserve<PreToolUse> for Audit {
    fn name(&self) -> &str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        if let Err(error) = self.log().and_then(Log::check) {
            return HookFuture::now(Ok(self.refusal(request, &error)));
        }
        if !self.is_irreversible(request.event()) {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        let (audit, request) = (self.clone(), request.clone());
        HookFuture::later(async move {
            let written = match audit.put_intent(&request) {
                Ok(ticket) => ticket.await,
                Err(error) => Err(error),
            };
            Ok(match written {
                Ok(()) => Reservation::NotNeeded,
                Err(error) => audit.refusal(&request, &error),
            })
        })
    }
}

impl Audit {
    fn refusal(&self, request: &HookRequest<PreToolUse>, error: &Unwritten) -> Reservation {
        self.failed(request, error).map_or(Reservation::NotNeeded, Reservation::Refused)
    }
}

/// Adds an observer for each event, except for the one that has a hook which waits.
macro_rules! observe {
    ($builder:ident, $audit:ident, deciding { $($Deciding:ident)* } informing { $($Informing:ident)* }) => {
        $( $builder = $builder.observer::<$Deciding>($audit.clone()); )*
        $( if $Informing::KIND != ToolDecided::KIND {
            $builder = $builder.listener::<$Informing>($audit.clone());
        } )*
    };
}

impl HooksConfig for Audit {
    type Error = Infallible;

    /// Adds the audit to every slot. Add it last, so that it reserves last.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Infallible> {
        let mut observed = mem::take(builder);
        hooks_core::for_each_event_type! { [observe] { observed, self, } }
        let told = self.clone();
        let decided = hook_fn(move |request: HookRequest<ToolDecided>| {
            let audit = told.clone();
            async move {
                let written = if events::is_grave(request.event()) {
                    match audit.put_through(&request, RecordedOutcome::default()) {
                        Ok(ticket) => ticket.await,
                        Err(error) => Err(error),
                    }
                } else {
                    audit.put(&request, RecordedOutcome::default())
                };
                if let Err(error) = written {
                    drop(audit.failed(&request, &error));
                }
                Ok::<_, HookError>(())
            }
        });
        *builder = observed.hook(&FailureLayer::new(NAME), decided);
        builder.add_reserve::<PreToolUse>(self.clone());
        builder.add_close(self);
        Ok(())
    }
}

impl Close for Audit {
    fn name(&self) -> &str {
        NAME
    }

    fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
        // These events have no answer.
        for entry in self.take_deferred() {
            // Missing records are counted by the log.
            drop(self.log().and_then(|log| log.put(move || entry)));
        }
        // A log without any record is not opened to close it.
        match self.opened() {
            Some(log) => {
                let closed = log.close();
                HookFuture::later(async move { Ok(closed.await?) })
            }
            None => HookFuture::now(Ok(())),
        }
    }
}
