//! Limits how often the user is asked in a session.
//!
//! Takes a place in a [`StateStore`] for each call of a tool that asks, by the table of tool names; the counter is
//! that of the tenant's session and shared by its agents. A call that is denied gives its place back, unless
//! attempts count. A client that asks twice about the same call takes one place; where that was given back in between,
//! it takes another. A store that fails is a denial.
//!
//! ```
//! use hooks_core::Hooks;
//! use hooks_policies::config::{AskUserConfig, PolicyConfig};
//!
//! let ask_user = Some(AskUserConfig { max_per_session: 3, ..AskUserConfig::default() });
//! let hooks = Hooks::from_policy(PolicyConfig { ask_user, ..PolicyConfig::default() })?;
//! # Ok::<(), hooks_policies::PolicyErrors>(())
//! ```

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hooks_core::event::PreToolUse;
use hooks_core::state::{Answer, Key, Memory, Op, OpId, Scope, StateStore, StoreError, Window};
use hooks_core::{
    Background, Decision, Evidence, Hold, HookError, HookFuture, HookRequest, Judged, Observer, Reason,
    Reservation, Reserve, ReserveLayer,
};
use hooks_facts::tools::ToolKind;

use crate::config::{AskCounting, AskUserConfig};
use crate::facts::CallReader;

const NAME: &str = "ask-limit";

/// How long a question may stay open before its holder is taken for lost. Its place stays taken then.
const OPEN: Duration = Duration::from_secs(24 * 60 * 60);

/// How often one call may take a place and give it back: each time is one more question to the store.
const MOST_GIVEN_BACK: usize = 32;

/// Limits how often the user is asked; see the [module](self) for an example.
pub struct AskLimit {
    reader: CallReader,
    limit: u64,
    counts: AskCounting,
    store: Store,
    /// Tells calls without an id apart, also where the random numbers of two contexts are the same.
    asked: AtomicU64,
}

/// An ask limit outside of an inner hook.
pub type AskLimitLayer = ReserveLayer<Arc<AskLimit>>;

impl AskLimit {
    /// A limit that counts in memory, by the clock of its first call.
    pub fn new(config: &AskUserConfig, reader: &CallReader) -> Self {
        let (limit, counts) = (config.max_per_session, config.counts);
        Self { reader: reader.clone(), limit, counts, store: Store::default(), asked: AtomicU64::new(0) }
    }

    /// Counts in `store`, which may be shared and may last.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn StateStore>) -> Self {
        self.store = Store::Given(store);
        self
    }

    /// The limit as a layer. Put it outermost, so that it is asked last.
    pub fn layer(self) -> AskLimitLayer {
        ReserveLayer::new(Arc::new(self))
    }

    fn asks(&self, request: &HookRequest<PreToolUse>) -> bool {
        self.reader.read(request).kind() == ToolKind::AskUser
    }

    fn question(&self, request: &HookRequest<PreToolUse>) -> Question {
        let context = request.context();
        let (tenant, session) = (context.tenant.as_deref(), context.session_id.as_str());
        let key = Key::new(tenant, &[NAME, session]);
        let id = match request.event().tool_use_id.as_ref().or(context.call_id.as_ref()) {
            Some(call) => OpId::of(&[key.as_str(), "call", call]),
            None => {
                let number = self.asked.fetch_add(1, Ordering::Relaxed).to_string();
                let random = context.environment.random.next_u128().to_string();
                OpId::of(&[key.as_str(), "random", &random, &number])
            }
        };
        Question {
            id,
            given_back: 0,
            scopes: Arc::from([Scope::spent(key, self.limit).per(Window::SESSION)]),
            store: self.store.of(request),
            background: context.environment.background.clone(),
            open: true,
        }
    }
}

impl Reserve<PreToolUse> for AskLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        if !self.asks(request) {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        self.question(request).take()
    }
}

/// Counts what was denied, where attempts count.
impl Observer<PreToolUse> for AskLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        let refused_here = || outcome.reasons().iter().any(|reason| reason.policy == NAME);
        if self.counts == AskCounting::Asked || !outcome.is_denied() || !self.asks(request) || refused_here()
        {
            return;
        }
        // A place that could not be taken was none that anybody waits for.
        let count = |taken| {
            if let Ok(Reservation::Held(place)) = taken {
                place.commit();
            }
        };
        match self.question(request).take() {
            HookFuture::Now(taken) => taken.into_iter().for_each(count),
            HookFuture::Later(taken) => {
                if let Some(background) = &request.context().environment.background {
                    background.run(HookFuture::later(async move { count(taken.await) }));
                }
            }
        }
    }
}

impl fmt::Debug for AskLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskLimit")
            .field("limit", &self.limit)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// Where the places are counted.
enum Store {
    Given(Arc<dyn StateStore>),
    /// Made at the first call, whose clock it takes.
    Own(OnceLock<Arc<Memory>>),
}

impl Store {
    fn of(&self, request: &HookRequest<PreToolUse>) -> Arc<dyn StateStore> {
        match self {
            Self::Given(store) => Arc::clone(store),
            Self::Own(memory) => {
                let clock = &request.context().environment.clock;
                Arc::clone(memory.get_or_init(|| Arc::new(Memory::new(Arc::clone(clock)))))
                    as Arc<dyn StateStore>
            }
        }
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::Own(OnceLock::new())
    }
}

/// A place for one question: given back on drop, taken for good once the question was put.
struct Question {
    /// Follows from the call, and from how often its place was given back.
    id: OpId,
    given_back: usize,
    scopes: Arc<[Scope]>,
    store: Arc<dyn StateStore>,
    background: Option<Arc<dyn Background>>,
    /// Whether there is a place that dropping this gives back.
    open: bool,
}

impl Question {
    /// Takes a place, another one where the call's own was given back. Ready at once where the store is.
    fn take(mut self) -> HookFuture<'static, Result<Reservation, HookError>> {
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
            Ok(Answer::Refused { used, limit, .. }) => {
                self.open = false;
                Ok(Reservation::Refused(refusal(used, limit)))
            }
            Ok(Answer::Ended { actual }) => {
                self.open = false;
                // The question was put before, and is paid for.
                Ok(if actual > 0 { Reservation::NotNeeded } else { Reservation::Refused(asked_too_often()) })
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

impl Hold for Question {
    fn commit(mut self: Box<Self>) {
        let id = self.id;
        self.end(Op::Settle { id, actual: 1 });
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        if self.open {
            self.end(Op::Release { id: self.id });
        }
    }
}

fn refusal(used: u64, limit: u64) -> Reason {
    let message = match limit {
        0 => "the user may not be asked in this session".to_owned(),
        _ => format!("the user was asked {used} of {limit} times in this session"),
    };
    Reason::new(NAME, "session", message)
        .because(Evidence::Count { used, limit })
        .unless("go on without an answer, or raise `ask_user.max_per_session`")
}

fn asked_too_often() -> Reason {
    let message = format!("this call was asked about and given up {MOST_GIVEN_BACK} times");
    Reason::new(NAME, "call", message).unless("ask under a call id of its own")
}

fn no_answer() -> StoreError {
    StoreError::Unavailable("it gave no answer".to_owned())
}

#[cfg(test)]
mod tests;
