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
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::state::{Key, Scope, StateStore, Window};
use hooks_core::{
    Decision, Evidence, HookError, HookFuture, HookRequest, Judged, Observer, Reason, Reservation, Reserve,
    ReserveLayer,
};
use hooks_facts::tools::ToolKind;

use crate::config::{AskCounting, AskUserConfig};
use crate::facts::CallReader;
use crate::place::{MOST_GIVEN_BACK, NoPlace, Place, place_id};
use crate::store::CountingStore;

const NAME: &str = "ask-limit";

/// Limits how often the user is asked; see the [module](self) for an example.
pub struct AskLimit {
    reader: CallReader,
    limit: u64,
    counts: AskCounting,
    store: CountingStore,
}

/// An ask limit outside of an inner hook.
pub type AskLimitLayer = ReserveLayer<Arc<AskLimit>>;

impl AskLimit {
    /// A limit that counts in memory, by the clock of its first call.
    pub fn new(config: &AskUserConfig, reader: &CallReader) -> Self {
        let (limit, counts) = (config.max_per_session, config.counts);
        Self { reader: reader.clone(), limit, counts, store: CountingStore::default() }
    }

    /// Counts in `store`, which may be shared and may last.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn StateStore>) -> Self {
        self.store = CountingStore::Given(store);
        self
    }

    /// The limit as a layer. Put it outermost, so that it is asked last.
    pub fn layer(self) -> AskLimitLayer {
        ReserveLayer::new(Arc::new(self))
    }

    fn asks(&self, request: &HookRequest<PreToolUse>) -> bool {
        self.reader.read(request).kind() == ToolKind::AskUser
    }

    fn question(&self, request: &HookRequest<PreToolUse>) -> Place {
        let context = request.context();
        let (tenant, session) = (context.tenant.as_deref(), context.session_id.as_str());
        let key = Key::new(tenant, &[NAME, session]);
        let call = request.event().tool_use_id.as_ref().or(context.call_id.as_ref());
        let arguments = request.event().tool_args.to_string();
        let id = place_id(key.as_str(), call.map(String::as_str), &arguments, context);
        let scopes = Arc::from([Scope::spent(key, self.limit).per(Window::SESSION)]);
        Place::new(id, scopes, self.store.of(context), context, |no_place| match no_place {
            NoPlace::Refused { used, limit, .. } => refusal(used, limit),
            NoPlace::TooOften => asked_too_often(),
        })
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

#[cfg(test)]
mod tests;
