//! What is known about the models of a catalog: which are well, which want to be left alone, and how much may
//! still be sent to them. All layers of a stack share it, and so may a fleet.

mod budget;
mod gate;
mod permit;
mod readiness;
mod settings;
mod standing;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::state::StateStore;
use hooks_core::time::Tick;

pub use self::permit::Permit;
pub use self::readiness::{Because, Closed, Readiness};
pub use self::settings::{BudgetSettings, HealthSettings, SettingsError};
use self::standing::{Provider, Quota, Standing};
use crate::breaker::{BreakerState, Pass, Showed};
use crate::call::Needs;
use crate::catalog::{Catalog, Limits, Model};
use crate::error::{ErrorKind, Treatments};
use crate::pacing::Slot;
use crate::world::World;

/// What is known about the models of a catalog. Clones share it.
///
/// Of a model that is not in the catalog nothing is known, and nothing learned: it may always be asked.
#[derive(Clone)]
pub struct Health {
    inner: Arc<Inner>,
}

struct Inner {
    models: Vec<Standing>,
    quotas: Vec<Quota>,
    providers: Vec<Provider>,
    settings: HealthSettings,
    world: World,
    listeners: Mutex<Vec<Listener>>,
}

type Listener = Arc<dyn Fn(&Transition) + Send + Sync>;

/// A breaker went from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transition {
    /// Of this model; None where it is that of a whole provider.
    pub model: Option<Arc<str>>,
    /// Whose model it is.
    pub provider: Arc<str>,
    /// What it was.
    pub from: BreakerState,
    /// What it is.
    pub to: BreakerState,
    /// When.
    pub at: Tick,
}

impl Health {
    /// Of the models of `catalog`, all of them taken for well.
    ///
    /// # Errors
    /// The settings are nonsense.
    pub fn new(catalog: &Catalog, settings: HealthSettings, world: World) -> Result<Self, SettingsError> {
        settings.check()?;
        let (mut models, mut quotas, mut providers) = (Vec::new(), Vec::new(), Vec::new());
        for model in catalog.models() {
            let quota = standing::quota_of(&mut quotas, model, &settings);
            let provider = standing::provider_of(&mut providers, model, &settings);
            models.push(Standing::new(model, quota, provider, &settings));
        }
        let inner = Inner { models, quotas, providers, settings, world, listeners: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Shares what is known with everybody who shares `store` under the name of `fleet`. Give it before the first
    /// clone is used.
    #[must_use]
    pub fn shared(self, store: Arc<dyn StateStore>, fleet: &str) -> Self {
        drop((store, fleet));
        self
    }

    /// The world its times are of.
    pub fn world(&self) -> &World {
        &self.inner.world
    }

    /// What is done about each kind of error.
    pub fn treatments(&self) -> &Treatments {
        &self.inner.settings.treatments
    }

    /// How health is judged.
    pub fn settings(&self) -> &HealthSettings {
        &self.inner.settings
    }

    /// When `model` could be asked for this. Takes nothing, and promises nothing: others may be faster.
    pub fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness {
        if !model.can_serve(needs) {
            return Readiness::Never;
        }
        let Some(known) = self.known(model) else { return Readiness::Ready };
        let Some(quota) = self.inner.quotas.get(known.quota) else { return Readiness::Ready };
        let Some(paced) = quota.ready_at(needs, now) else { return Readiness::Never };
        let broken =
            known.breaker.opens_at(now).max(self.provider(known).and_then(|it| it.breaker.opens_at(now)));
        let tick = paced.max(known.gate.opens()).max(quota.gate.opens());
        Readiness::at(tick.max(broken.unwrap_or(now)), now)
    }

    /// Leaves `model` alone until `until`, and at most for as long as the settings allow. A rate is the whole
    /// quota's: where that is used up, all models that draw on it are left alone.
    pub fn close_until(&self, model: &Model, until: Tick, why: ErrorKind) {
        if self.known(model).is_some() {
            self.close_place(model.index(), until, why, self.inner.world.tick());
        }
    }

    /// Asks whether `model` may be asked: gate and breaker, not the rate.
    ///
    /// # Errors
    /// Not now; the error says from when on.
    pub fn admit(&self, model: &Model, now: Tick) -> Result<Permit, Closed> {
        let Some(known) = self.known(model) else {
            return Ok(Permit::new(self.clone(), usize::MAX, Pass::Usual, None));
        };
        let shut = self.inner.quotas.get(known.quota).map_or(Tick::default(), |quota| quota.gate.opens());
        let shut = shut.max(known.gate.opens());
        if shut > now {
            return Err(Closed { ready_at: shut, because: Because::Gate });
        }
        let closed = |ready_at| Closed { ready_at, because: Because::Breaker };
        let settings = &self.inner.settings.breaker;
        let provider = match self.provider(known) {
            Some(provider) => provider.breaker.admit_if_troubled(now, settings).map_err(closed)?,
            None => None,
        };
        match known.breaker.admit(now, settings) {
            Ok(pass) => Ok(Permit::new(self.clone(), model.index(), pass, provider)),
            Err(at) => {
                if let (Some(pass), Some(it)) = (provider, self.provider(known)) {
                    it.breaker.tell(pass, Showed::Nothing, now, settings, 0);
                }
                Err(closed(at))
            }
        }
    }

    /// Takes what this needs from the rate of `model`.
    ///
    /// # Errors
    /// Not now; from then on.
    pub fn pace(&self, model: &Model, needs: &Needs, now: Tick) -> Result<(), Tick> {
        match self.known(model).and_then(|known| self.inner.quotas.get(known.quota)) {
            Some(quota) => quota.book(needs, now, Some(now)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// A place in the rate of `model`, at the latest at `latest`; None where it has no rate.
    pub(crate) fn book(
        &self,
        model: &Model,
        needs: &Needs,
        now: Tick,
        latest: Option<Tick>,
    ) -> Result<Option<Slot>, Tick> {
        let Some(known) = self.known(model) else { return Ok(None) };
        let Some(quota) = self.inner.quotas.get(known.quota) else { return Ok(None) };
        let at = quota.book(needs, now, latest)?;
        Ok(at.map(|at| Slot::new(self.clone(), known.quota, *needs, at)))
    }

    pub(crate) fn give_back(&self, quota: usize, needs: &Needs) {
        if let Some(quota) = self.inner.quotas.get(quota) {
            quota.give_back(needs);
        }
    }

    /// Learns what the provider of `model` lets through, as its headers say; what it does not say stays.
    pub fn learn_quota(&self, model: &Model, limits: Limits) {
        if let Some(quota) = self.known(model).and_then(|known| self.inner.quotas.get(known.quota)) {
            quota.learn(limits, &self.inner.settings);
        }
    }

    /// A call is tried for the first time, with this model: its provider's retry budget earns a share.
    pub fn first_attempt(&self, model: &Model) {
        if let Some(provider) = self.known(model).and_then(|known| self.provider(known)) {
            provider.budget().first(self.inner.settings.budget);
        }
    }

    /// Whether a call may be tried once more with this model; that is taken from its provider's retry budget.
    pub fn another_attempt(&self, model: &Model, now: Tick) -> bool {
        self.known(model)
            .and_then(|known| self.provider(known))
            .is_none_or(|provider| provider.budget().another(now, self.inner.settings.budget))
    }

    /// What the breaker of `model` does with calls.
    pub fn breaker(&self, model: &Model) -> BreakerState {
        self.known(model).map_or(BreakerState::Closed, |known| known.breaker.state())
    }

    /// Calls `listener` whenever a breaker goes from one state to another; it must not block.
    pub fn on_transition(&self, listener: impl Fn(&Transition) + Send + Sync + 'static) {
        self.listeners().push(Arc::new(listener));
    }

    fn close_place(&self, model: usize, until: Tick, why: ErrorKind, now: Tick) {
        let until = until.min(now.after(self.inner.settings.longest_gate));
        let Some(known) = self.inner.models.get(model) else { return };
        match self.inner.quotas.get(known.quota) {
            Some(quota) if why == ErrorKind::RateLimited => quota.gate.shut_until(until),
            _ => known.gate.shut_until(until),
        }
    }

    /// A permit came to its end. `wide` where what was shown is true of all models of the provider.
    fn tell(&self, model: usize, pass: Pass, provider: Option<Pass>, showed: Showed, wide: bool, now: Tick) {
        let Some(known) = self.inner.models.get(model) else { return };
        let settings = &self.inner.settings.breaker;
        let own = if wide { Showed::Nothing } else { showed };
        let change = known.breaker.tell(pass, own, now, settings, self.jitter(showed));
        self.announce(change, Some(&known.name), known, now);
        let shared = match showed {
            Showed::Success { .. } => showed,
            Showed::Hopeless if wide => showed,
            _ => Showed::Nothing,
        };
        // A provider's breaker only counts what mends or breaks its credentials.
        if (provider.is_some() || shared == Showed::Hopeless)
            && let Some(it) = self.provider(known)
        {
            let pass = provider.unwrap_or(Pass::Usual);
            let change = it.breaker.tell(pass, shared, now, settings, self.jitter(shared));
            self.announce(change, None, known, now);
        }
    }

    /// Chance is asked for only where it may be needed.
    fn jitter(&self, showed: Showed) -> u16 {
        match showed {
            Showed::Nothing | Showed::Success { slow: false } => 0,
            _ => u16::try_from(self.inner.world.below(1 << 16)).unwrap_or_default(),
        }
    }

    fn announce(
        &self,
        change: Option<(BreakerState, BreakerState)>,
        model: Option<&Arc<str>>,
        known: &Standing,
        at: Tick,
    ) {
        let (Some((from, to)), Some(provider)) = (change, self.provider(known)) else { return };
        let listeners = self.listeners().clone();
        let change = Transition { model: model.cloned(), provider: Arc::clone(&provider.name), from, to, at };
        for listener in listeners {
            listener(&change);
        }
    }

    /// What is known of `model`, if that is one of the catalog.
    fn known(&self, model: &Model) -> Option<&Standing> {
        self.inner.models.get(model.index()).filter(|known| known.name == model.name)
    }

    fn provider(&self, known: &Standing) -> Option<&Provider> {
        self.inner.providers.get(known.provider)
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<Listener>> {
        self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health").field("models", &self.inner.models.len()).finish_non_exhaustive()
    }
}
