//! Streamed answer that is paid for as it grows.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use hooks_core::HookFuture;
use hooks_core::event::Usage;
use hooks_core::state::StoreError;
use pin_project_lite::pin_project;

use super::error::SpendError;
use super::hold::{Charge, Grown, SpendHold, Used};
use super::meter::{MeterPiece, PieceSize};
use super::refusal::SpendRefusal;

pin_project! {
    /// Streamed answer: reserves more as it grows, and is cut if no more can be reserved. On drop, it is settled
    /// with the usage received so far.
    #[must_use = "streams do nothing unless polled"]
    pub struct SpendStream<St, M> {
        // `None` after the stream ended or was cut.
        #[pin]
        inner: Option<St>,
        meter: M,
        payment: Payment,
    }
}

/// Usage received, and its reservation.
struct Payment {
    /// `None` after settling has started.
    hold: Option<SpendHold>,
    /// Tokens by which the reservation grows.
    step: u64,
    growing: Option<HookFuture<'static, Result<Grown, SpendRefusal>>>,
    /// Reason why no more could be reserved.
    refused: Option<SpendRefusal>,
    ending: Option<HookFuture<'static, Result<(), StoreError>>>,
    /// Latest usage reported by the provider.
    stated: Option<Used>,
    /// Tokens received since then, or from the start.
    since: u64,
    /// Most tokens in one piece: the next piece may have as many.
    largest: u64,
}

impl<St, M> SpendStream<St, M> {
    pub(super) fn new(inner: St, meter: M, hold: SpendHold, step: u64) -> Self {
        let payment = Payment {
            hold: Some(hold),
            step,
            growing: None,
            refused: None,
            ending: None,
            stated: None,
            since: 0,
            largest: 1,
        };
        Self { inner: Some(inner), meter, payment }
    }

    /// Returns the inner stream; `None` after it ended or was cut.
    pub const fn get_ref(&self) -> Option<&St> {
        self.inner.as_ref()
    }
}

impl<St, M, T, E> Stream for SpendStream<St, M>
where
    St: Stream<Item = Result<T, E>>,
    M: MeterPiece<T>,
{
    type Item = Result<T, SpendError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Some(inner) = this.inner.as_mut().as_pin_mut() else {
            ready!(this.payment.poll_end(cx));
            return Poll::Ready(this.payment.refused.take().map(|refusal| Err(refusal.into())));
        };
        if !ready!(this.payment.poll_room(cx)) {
            // The stream is cut: the whole reserved amount counts as received.
            this.inner.set(None);
            this.payment.end(Some(Charge::Held));
            ready!(this.payment.poll_end(cx));
            return Poll::Ready(this.payment.refused.take().map(|refusal| Err(refusal.into())));
        }
        match ready!(inner.poll_next(cx)) {
            Some(Ok(piece)) => {
                this.payment.receive(this.meter.piece(&piece));
                Poll::Ready(Some(Ok(piece)))
            }
            Some(Err(error)) => {
                // Ends with the current charge of the hold: the usage received, or the charge for a call
                // without an answer.
                this.inner.set(None);
                this.payment.end(None);
                this.payment.refused = None;
                Poll::Ready(Some(Err(SpendError::Model(error))))
            }
            None => {
                this.inner.set(None);
                let charge = this.payment.is_silent().then_some(Charge::Held);
                this.payment.end(charge);
                this.payment.refused = None;
                ready!(this.payment.poll_end(cx));
                Poll::Ready(None)
            }
        }
    }
}

impl Payment {
    /// Returns whether the next piece is covered by the reservation, assuming it is as large as the largest
    /// so far. Requests more well before the reservation is used up.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        loop {
            let received = self.output_tokens();
            let Some(hold) = &mut self.hold else { return Poll::Ready(false) };
            if let Some(growing) = &mut self.growing
                && let Poll::Ready(grown) = Pin::new(growing).poll(cx)
            {
                self.growing = None;
                match grown {
                    Ok(grown) => {
                        hold.grown(&grown);
                        self.refused = grown.refused.map(SpendRefusal::Refused);
                    }
                    Err(refusal) => self.refused = Some(refusal),
                }
            }
            let holds = |more| hold.holds_all() || received.saturating_add(more) <= hold.output_tokens();
            let (is_paid, is_ample) = (holds(self.largest), holds(self.largest.max(self.step / 4)));
            match (&self.growing, &self.refused) {
                _ if is_ample => return Poll::Ready(true),
                (Some(_), _) if is_paid => return Poll::Ready(true),
                (Some(_), _) => return Poll::Pending,
                (None, Some(_)) => return Poll::Ready(is_paid),
                (None, None) => {
                    let to = received.saturating_add(self.largest).saturating_add(self.step);
                    self.growing = Some(hold.grow(to.max(hold.output_tokens())));
                }
            }
        }
    }

    fn receive(&mut self, piece: PieceSize) {
        let before = self.output_tokens();
        match piece.so_far {
            Some(stated) => {
                self.stated = Some(stated);
                self.since = 0;
            }
            None => self.since = self.since.saturating_add(piece.output_tokens),
        }
        let more = self.output_tokens().saturating_sub(before);
        // A report of the provider may cover many pieces, so it is not the size of one.
        if piece.so_far.is_none() {
            self.largest = self.largest.max(more);
        }
        if self.is_silent() {
            return;
        }
        let used = self.used();
        if let Some(hold) = &mut self.hold {
            hold.used(used);
        }
    }

    /// Returns the usage of the call up to here.
    fn used(&self) -> Used {
        let input_tokens = self.hold.as_ref().map_or(0, SpendHold::input_tokens);
        match self.stated {
            // The provider's cost does not cover tokens received since its report: the price is the better
            // estimate.
            Some(stated) => {
                let mut usage = stated.usage;
                if usage.input_tokens == 0 {
                    usage.input_tokens = input_tokens;
                }
                usage.output_tokens = usage.output_tokens.saturating_add(self.since);
                Used::tokens(usage).costing(stated.cost.filter(|_| self.since == 0))
            }
            None => Used::tokens(Usage { input_tokens, output_tokens: self.since, ..Usage::default() }),
        }
    }

    fn output_tokens(&self) -> u64 {
        let stated = self.stated.map_or(0, |stated| stated.usage.output_tokens);
        stated.saturating_add(self.since)
    }

    /// Returns whether no usage was received.
    fn is_silent(&self) -> bool {
        self.stated.is_none() && self.since == 0
    }

    fn end(&mut self, charge: Option<Charge>) {
        self.growing = None;
        if let Some(mut hold) = self.hold.take() {
            if let Some(charge) = charge {
                hold.charge = charge;
            }
            self.ending = Some(hold.end());
        }
    }

    /// Settles the reservation. A part that cannot be settled is charged when it expires.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(ending) = &mut self.ending {
            let _settled = ready!(Pin::new(ending).poll(cx));
            self.ending = None;
        }
        Poll::Ready(())
    }
}

impl<St, M> std::fmt::Debug for SpendStream<St, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpendStream").field("hold", &self.payment.hold).finish_non_exhaustive()
    }
}
