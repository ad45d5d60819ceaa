use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::time::Tick;
use tower_layer::Layer;

use super::recent::Recent;
use super::service::Hedge;
use super::settings::{HedgeDelay, HedgeSettings, HedgeTarget};
use crate::call::Call;
use crate::chain::Chains;
use crate::fallback::{Adapt, DropForeignThinking, fit};
use crate::health::{Health, Readiness, SettingsError};

/// Makes a second attempt beside a slow one; see the module docs.
#[derive(Clone)]
pub struct HedgeLayer {
    shared: Arc<Shared>,
}

/// What all services of a layer share.
pub(super) struct Shared {
    chains: Chains,
    pub(super) health: Health,
    settings: HedgeSettings,
    adapt: Arc<dyn Adapt>,
    recent: Recent,
    /// The second attempts that are saved up, in hundredths.
    saved: AtomicU64,
    hedged: AtomicU64,
}

/// What a second attempt costs, in hundredths of one.
const ONE: u64 = 100;

/// The most that is saved up: after a quiet hour not every call is hedged. Five are a turn of one agent.
const MOST: u64 = 5 * ONE;

impl HedgeLayer {
    /// Hedges calls with the models of `chains` that `health` says are ready.
    ///
    /// # Errors
    /// The settings are nonsense.
    pub fn new(chains: Chains, health: Health, settings: HedgeSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        let (adapt, recent) = (Arc::new(DropForeignThinking), Recent::default());
        let (saved, hedged) = (AtomicU64::new(ONE), AtomicU64::new(0));
        Ok(Self { shared: Arc::new(Shared { chains, health, settings, adapt, recent, saved, hedged }) })
    }

    /// How many second attempts were made.
    pub fn hedged(&self) -> u64 {
        self.shared.hedged.load(Ordering::Relaxed)
    }
}

impl Shared {
    pub(super) const fn is_on(&self) -> bool {
        self.settings.delay.is_some()
    }

    /// A call begins: its share is saved up.
    pub(super) fn earn(&self) {
        let share = u64::from(self.settings.budget_percent);
        let more = |saved: u64| Some(saved.saturating_add(share).min(MOST));
        // It never refuses.
        let _earned = self.saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// After how long a second attempt is made beside `call`; `None` where none is.
    pub(super) fn delay(&self, call: &Call) -> Option<Duration> {
        match self.settings.delay.filter(|_| call.turn <= 1)? {
            HedgeDelay::After(delay) => Some(delay),
            HedgeDelay::Percentile(percent) => self.recent.percentile(call.model.as_ref()?.index(), percent),
        }
    }

    /// The second attempt, where one may be made.
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
        // Nobody waits on its behalf: the first attempt is on its way.
        (second.now, second.elsewhere) = (Some(now), Some(now));
        Some(second)
    }

    /// The model of `call` answered after so long, or had not when another did.
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
