//! Detects a stream that stalls: the time of the last chunk, and the timer for the next.

use std::pin::Pin;
use std::task::{Context, Poll};

use hooks_core::HookFuture;
use hooks_core::time::Tick;

use super::layer::Shared;
use crate::error::{ErrorKind, ModelError};

/// The time of the last chunk, and the timer for the next.
pub(super) struct Watch {
    began: Tick,
    last: Tick,
    first: bool,
    timer: Option<HookFuture<'static, ()>>,
}

impl Watch {
    /// Starts with a new stream.
    pub(super) const fn new(now: Tick) -> Self {
        Self { began: now, last: now, first: true, timer: None }
    }

    /// When the stream began.
    pub(super) const fn began(&self) -> Tick {
        self.began
    }

    /// Records a chunk.
    pub(super) const fn came(&mut self, now: Tick) {
        (self.last, self.first) = (now, false);
    }

    /// Pending, or the error of a stall.
    pub(super) fn poll_late(
        &mut self,
        cx: &mut Context<'_>,
        shared: &Shared,
        deadline: Option<Tick>,
    ) -> Poll<ModelError> {
        let (world, settings) = (shared.health.world(), &shared.settings);
        loop {
            let (limit, kind) = match self.first {
                true => (settings.first_chunk, ErrorKind::FirstByteTimeout),
                false => (settings.idle, ErrorKind::IdleTimeout),
            };
            let late = self.last.after(limit);
            let (due, kind) = match deadline {
                Some(deadline) if deadline < late => (deadline, ErrorKind::DeadlineExceeded),
                _ => (late, kind),
            };
            let timer = self.timer.get_or_insert_with(|| world.sleep_until(due));
            if Pin::new(timer).poll(cx).is_pending() {
                return Poll::Pending;
            }
            // The timer was set before the last chunk arrived.
            self.timer = None;
            if world.tick() >= due {
                return Poll::Ready(ModelError::new(kind, "the answer stalled"));
            }
        }
    }
}
