//! Limits how often the user is asked in a session.
//!
//! Takes a place in a [`StateStore`] for each call of a tool that asks, by the table of tool names; the counter is
//! that of the tenant's session and shared by its agents. A call that is denied gives its place back, unless
//! attempts count. A client that asks twice about the same call takes one place. A store that fails is a denial.
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
use hooks_core::state::{Answer, Key, Memory, Op, OpId, Scope, StateStore, StoreError};
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

    /// Takes a place, and says under which id.
    fn take(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> (OpId, HookFuture<'static, Result<Answer, StoreError>>) {
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
        let scopes = Arc::from([Scope { key, limit: self.limit }]);
        let op = Op::Reserve { id, scopes, amount: 1, ttl: OPEN };
        (id, self.store.of(request).apply(op))
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
        let (id, answer) = self.take(request);
        let background = request.context().environment.background.clone();
        let question = Question { id, store: Some(self.store.of(request)), background };
        match answer {
            HookFuture::Now(answer) => HookFuture::now(
                answer.map_or_else(|| Err(no_answer()), |answer| question.reservation(answer)),
            ),
            HookFuture::Later(answer) => HookFuture::later(async move { question.reservation(answer.await) }),
        }
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
        let (_, answer) = self.take(request);
        if let (HookFuture::Later(answer), Some(background)) =
            (answer, &request.context().environment.background)
        {
            background.run(HookFuture::later(async move {
                // A place that could not be taken was none that anybody waits for.
                let _answer = answer.await;
            }));
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

/// A place that was asked for; given back on drop, unless the question was put.
struct Question {
    id: OpId,
    /// `None` once the place is nobody's or for good.
    store: Option<Arc<dyn StateStore>>,
    background: Option<Arc<dyn Background>>,
}

impl Question {
    fn reservation(mut self, answer: Result<Answer, StoreError>) -> Result<Reservation, HookError> {
        match answer {
            Ok(Answer::Done) => Ok(Reservation::Held(Box::new(self))),
            Ok(Answer::Refused { used, limit, .. }) => {
                self.store = None;
                Ok(Reservation::Refused(refusal(used, limit)))
            }
            Ok(other) => {
                Err(HookError::bad_answer(format!("the state store answered {other:?} to a reservation")))
            }
            Err(error) => Err(HookError::other(error)),
        }
    }
}

impl Hold for Question {
    fn commit(mut self: Box<Self>) {
        self.store = None;
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let Some(store) = self.store.take() else { return };
        let released = store.apply(Op::Release { id: self.id });
        // Where nothing runs in the background the place stays taken: the limit errs on its safe side.
        if let (HookFuture::Later(released), Some(background)) = (released, &self.background) {
            background.run(HookFuture::later(async move {
                let _released = released.await;
            }));
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

fn no_answer() -> HookError {
    HookError::unavailable("the state store gave no answer")
}

#[cfg(test)]
mod tests;
