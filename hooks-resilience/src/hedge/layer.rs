use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::time::Tick;
use tower_layer::Layer;

use super::config::{HedgeConfig, HedgeDelay, HedgeTarget};
use super::recent::Recent;
use super::service::Hedge;
use crate::call::Call;
use crate::chain::Chains;
use crate::fallback::{Adapt, DropForeignThinking, fit};
use crate::health::{Health, Readiness, SettingsError};

/// Makes a second attempt beside a slow one; see the module docs.
#[derive(Clone)]
pub struct HedgeLayer {
    shared: Arc<Shared>,
}

/// State shared by all services of a layer.
pub(super) struct Shared {
    chains: Chains,
    pub(super) health: Health,
    settings: HedgeConfig,
    adapt: Arc<dyn Adapt>,
    recent: Recent,
    /// Saved second attempts, in hundredths.
    saved: AtomicU64,
    hedged: AtomicU64,
}

/// Cost of a second attempt, in hundredths.
const ONE: u64 = 100;

/// Most second attempts that are saved, so that not every call is hedged after a quiet hour. Five are the
/// calls of one turn of an agent.
const MOST: u64 = 5 * ONE;

impl HedgeLayer {
    /// Creates a layer that hedges calls with the models of `chains` that are ready according to `health`.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(chains: Chains, health: Health, settings: HedgeConfig) -> Result<Self, SettingsError> {
        settings.check()?;
        let (adapt, recent) = (Arc::new(DropForeignThinking), Recent::default());
        let (saved, hedged) = (AtomicU64::new(ONE), AtomicU64::new(0));
        Ok(Self { shared: Arc::new(Shared { chains, health, settings, adapt, recent, saved, hedged }) })
    }

    /// Number of second attempts so far.
    pub fn hedged(&self) -> u64 {
        self.shared.hedged.load(Ordering::Relaxed)
    }
}

impl Shared {
    pub(super) const fn is_on(&self) -> bool {
        self.settings.delay.is_some()
    }

    /// Saves the share of a call that begins.
    pub(super) fn earn(&self) {
        let share = u64::from(self.settings.budget_percent);
        let more = |saved: u64| Some(saved.saturating_add(share).min(MOST));
        // The update never fails.
        let _earned = self.saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// The delay before a second attempt beside `call`; `None` if there will be none.
    pub(super) fn delay(&self, call: &Call) -> Option<Duration> {
        match self.settings.delay.filter(|_| call.turn <= 1)? {
            HedgeDelay::After(delay) => Some(delay),
            HedgeDelay::Percentile(percent) => self.recent.percentile(call.model.as_ref()?.index(), percent),
        }
    }

    /// The second attempt, if one is allowed.
    pub(super) fn second(&self, call: &Call, now: Tick) -> Option<Call> {
        if call.has_effects() {
            return None;
        }
        let chain = self.chains.for_call(call).ok()?;
        let from = chain.first()?;
        let is_ready = |model: &&Arc<_>| self.health.readiness(model, call.needs(), now) == Readiness::Ready;
        let to = match self.settings.target {
            HedgeTarget::Next => chain.iter().skip(1).find(is_ready)?,
            HedgeTarget::Same => Some(from).filter(is_ready)?,
        };
        let spend = |saved: u64| saved.checked_sub(ONE);
        self.saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).ok()?;
        self.hedged.fetch_add(1, Ordering::Relaxed);
        let mut second = fit(&*self.adapt, call.clone(), from, to);
        // The second attempt never waits, because the first one is in flight.
        (second.now, second.elsewhere) = (Some(now), Some(now));
        Some(second)
    }

    /// Records that the model of `call` took this long, or had not answered when another did.
    pub(super) fn took(&self, call: &Call, took: Duration) {
        if let (Some(model), Some(HedgeDelay::Percentile(_))) = (&call.model, self.settings.delay) {
            self.recent.add(model.index(), took);
        }
    }
}

impl<S> Layer<S> for HedgeLayer {
    type Service = Hedge<S>;

    fn layer(&self, inner: S) -> Hedge<S> {
        Hedge::new(inner, Arc::clone(&self.shared))
    }
}

impl fmt::Debug for HedgeLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HedgeLayer").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}
