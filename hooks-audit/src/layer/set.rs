//! In a set of hooks: every slot has an observer that puts the final outcome down.
//!
//! Observers wait for nothing, so what has to be on the device first is waited for where hooks may wait: at the end of
//! the decision about a tool, where places are taken (a tool that cannot be undone, a log that cannot be written), and
//! when everybody is told of the verdict (a refusal, what a person said).

use std::convert::Infallible;
use std::mem;

use hooks_core::event::*;
use hooks_core::{
    BoxError, Close, FailureLayer, HookError, HookFuture, HookRequest, HooksBuilder, HooksConfig, Observer,
    Reservation, Reserve, hook_fn,
};

use super::audit::{Audit, NAME, judged};
use crate::describe::{Described, Said, events};
use crate::log::{Log, Unwritten};

impl<E: Described> Observer<E> for Audit {
    fn name(&self) -> &str {
        NAME
    }

    fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome) {
        let request = judged(request, outcome);
        let said = E::said(outcome);
        // Whoever has to wait for it comes later; what is behind it in the queue is written no earlier.
        let put =
            if said.is_grave() { self.put_through(request, said).map(drop) } else { self.put(request, said) };
        if let Err(error) = put {
            // The tool, if it is one, was refused before, or may go on.
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

/// Adds an observer for each event of the two lists.
macro_rules! observe {
    ($builder:expr, $audit:expr; $($deciding:ident)*; $($informing:ident)*) => {
        $builder
            $(.observer::<$deciding>($audit.clone()))*
            $(.listener::<$informing>($audit.clone()))*
    };
}

impl HooksConfig for Audit {
    type Error = Infallible;

    /// Adds it to every slot. Add it last, so that its places are taken last.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Infallible> {
        let observed = observe!(mem::take(builder), self;
            UserPromptSubmitted BeforeModelCall AfterModelCall PreToolUse PermissionRequest PostToolUse PreCompact
            SubagentStart SubagentStop Stop MaxIterations Route WorktreeCreated;
            SessionStart SessionEnd TurnStart TurnEnd UserInputRequested ErrorOccurred PostCompact SubagentSpawned
            SpawnFailed AgentSwitched Notification);
        let told = self.clone();
        let decided = hook_fn(move |request: HookRequest<ToolDecided>| {
            let audit = told.clone();
            async move {
                let written = if events::is_grave(request.event()) {
                    match audit.put_through(&request, Said::default()) {
                        Ok(ticket) => ticket.await,
                        Err(error) => Err(error),
                    }
                } else {
                    audit.put(&request, Said::default())
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
        // One that nothing was put down in is not opened for that.
        match self.opened() {
            Some(log) => {
                let closed = log.close();
                HookFuture::later(async move { Ok(closed.await?) })
            }
            None => HookFuture::now(Ok(())),
        }
    }
}
