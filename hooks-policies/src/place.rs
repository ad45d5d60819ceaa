//! A place in a limit for one event: given back on drop, taken for good once the event went ahead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::state::{Answer, Op, OpId, Scope, StateStore, StoreError};
use hooks_core::{Background, Hold, HookContext, HookError, HookFuture, Reason, Reservation};

use crate::store::no_answer;

/// How long an event may stay open before its holder is taken for lost. Its place stays taken then.
const OPEN: Duration = Duration::from_secs(24 * 60 * 60);

/// How often one call may take a place and give it back: each time is one more question to the store.
pub(crate) const MOST_GIVEN_BACK: usize = 32;

/// A place in one or several limits.
pub(crate) struct Place {
    /// Follows from the call, and from how often its place was given back.
    id: OpId,
    given_back: usize,
    scopes: Arc<[Scope]>,
    store: Arc<dyn StateStore>,
    background: Option<Arc<dyn Background>>,
    refuse: Box<dyn Fn(NoPlace) -> Reason + Send + Sync>,
    /// Whether there is a place that dropping this gives back.
    open: bool,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoPlace {
    /// A limit is reached.
    Refused {
        /// Which one, by its place among the scopes.
        scope: usize,
        used: u64,
        limit: u64,
    },
    /// The call took a place and gave it back more often than is looked for.
    TooOften,
}

impl Place {
    /// A place for one event in `scopes`; `refuse` says why there is none.
    pub(crate) fn new(
        id: OpId,
        scopes: Arc<[Scope]>,
        store: Arc<dyn StateStore>,
        context: &HookContext,
        refuse: impl Fn(NoPlace) -> Reason + Send + Sync + 'static,
    ) -> Self {
        let background = context.environment.background.clone();
        Self { id, given_back: 0, scopes, store, background, refuse: Box::new(refuse), open: true }
    }

    /// Takes it, another one where the call's own was given back. Ready at once where the store is.
    pub(crate) fn take(mut self) -> HookFuture<'static, Result<Reservation, HookError>> {
        loop {
            match self.ask() {
                HookFuture::Now(answer) => {
                    let answer = answer.unwrap_or_else(|| Err(no_answer()));
                    if !self.goes_on(&answer) {
                        return HookFuture::now(self.reservation(answer));
                    }
                }
                HookFuture::Later(answer) => {
                    return HookFuture::later(async move {
                        let mut answer = answer.await;
                        while self.goes_on(&answer) {
                            answer = self.ask().await;
                        }
                        self.reservation(answer)
                    });
                }
            }
        }
    }

    fn ask(&self) -> HookFuture<'static, Result<Answer, StoreError>> {
        let scopes = Arc::clone(&self.scopes);
        self.store.apply(Op::Reserve { id: self.id, scopes, amount: 1, ttl: OPEN })
    }

    /// Goes on to the next place of the call, where this one was given back before.
    fn goes_on(&mut self, answer: &Result<Answer, StoreError>) -> bool {
        let given_back = matches!(answer, Ok(Answer::Ended { actual: 0 }));
        if !given_back || self.given_back == MOST_GIVEN_BACK {
            return false;
        }
        self.given_back += 1;
        self.id = OpId::of(&[&self.id.0.to_string(), "again"]);
        true
    }

    fn reservation(mut self, answer: Result<Answer, StoreError>) -> Result<Reservation, HookError> {
        match answer {
            Ok(Answer::Done) => Ok(Reservation::Held(Box::new(self))),
            Ok(Answer::Refused { scope, used, limit }) => {
                self.open = false;
                Ok(Reservation::Refused((self.refuse)(NoPlace::Refused { scope, used, limit })))
            }
            Ok(Answer::Ended { actual }) => {
                self.open = false;
                // The event went ahead before, and is paid for.
                Ok(if actual > 0 {
                    Reservation::NotNeeded
                } else {
                    Reservation::Refused((self.refuse)(NoPlace::TooOften))
                })
            }
            Ok(other) => {
                Err(HookError::bad_answer(format!("the state store answered {other:?} to a reservation")))
            }
            Err(error) => Err(HookError::other(error)),
        }
    }

    /// Ends the reservation. Where nothing runs in the background the place stays taken: the limit errs on its safe
    /// side.
    fn end(&mut self, op: Op) {
        self.open = false;
        if let (HookFuture::Later(ended), Some(background)) = (self.store.apply(op), &self.background) {
            background.run(HookFuture::later(async move {
                let _ended = ended.await;
            }));
        }
    }
}

impl Hold for Place {
    fn commit(mut self: Box<Self>) {
        let id = self.id;
        self.end(Op::Settle { id, actual: 1 });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.open {
            self.end(Op::Release { id: self.id });
        }
    }
}

/// The id of the place of `call` in the limit `key`: that of its client, or one apart from all others.
///
/// `what` is what the call does: clients number their calls anew each turn, and a number that comes back with something
/// else is another call. One that is empty is none.
pub(crate) fn place_id(key: &str, call: Option<&str>, what: &str, context: &HookContext) -> OpId {
    match call.filter(|call| !call.trim().is_empty()) {
        Some(call) => OpId::of(&[key, "call", call, what]),
        None => fresh_id(key, context),
    }
}

/// An id that nobody has.
pub(crate) fn fresh_id(key: &str, context: &HookContext) -> OpId {
    // Tells calls apart also where two contexts, of whichever hooks, have the same random numbers.
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
    let random = context.environment.random.next_u128().to_string();
    OpId::of(&[key, "random", &random, &number])
}
