//! Health of the models of a catalog: which of them work, which need a pause, and how much may still be sent
//! to them. All layers of a stack share it, and optionally a fleet.

mod budget;
mod fleet;
mod gate;
mod gated_breaker;
#[cfg(test)]
mod orders;
mod permit;
mod quota;
mod rates;
mod readiness;
mod settings;
mod sharing;
mod standing;
mod tenant;
#[cfg(test)]
mod tests;
mod told;

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hooks_core::event::ErrorOccurred;
use hooks_core::time::Tick;
use hooks_core::{HookContext, HookFuture};

use self::fleet::Fleet;
use self::gated_breaker::{Change, Event, GatedBreaker, What};
pub use self::permit::Permit;
pub(crate) use self::quota::Quota;
pub use self::readiness::{Because, NotAdmitted, Readiness};
pub use self::settings::{HealthSettings, RetryBudgetConfig, SettingsError};
use self::standing::{Provider, Standing};
use self::told::Told;
pub(crate) use self::told::ToldOf;
use crate::breaker::{BreakerState, Pass, Showed};
use crate::call::Needs;
use crate::catalog::{Catalog, Model};
use crate::error::{ErrorKind, Treatments};
use crate::tenant::Kept;
use crate::world::World;

/// Health of the models of a catalog. Clones share it.
///
/// The record belongs to one set of credentials, that of one tenant: a tenant's wrong key or used-up quota
/// must not affect others. See [`of_tenant`](Self::of_tenant).
///
/// A model that is not in the catalog has no record, and may always be called.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Tick;
/// use hooks_resilience::{Catalog, ErrorKind, Health, HealthSettings, Model, Needs, Readiness, Tier};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
/// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
/// let health = Health::new(&catalog, HealthSettings::default(), world)?;
/// let (now, needs) = (Tick::default(), Needs::default());
/// assert_eq!(health.readiness(opus, &needs, now), Readiness::Ready);
///
/// // A host that learns of a pause outside of the stack records it for all calls.
/// let later = now.after(Duration::from_secs(40));
/// health.cool_down_until(opus, later, ErrorKind::Overloaded);
/// assert_eq!(health.clone().readiness(opus, &needs, now), Readiness::At(later));
/// assert_eq!(health.readiness(opus, &needs, later), Readiness::Ready);
/// // `opus` does not read images.
/// assert_eq!(health.readiness(opus, &Needs { vision: true, ..needs }, now), Readiness::Never);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Health {
    inner: Arc<Inner>,
}

struct Inner {
    catalog: Catalog,
    models: Vec<Standing>,
    quotas: Vec<Arc<Quota>>,
    providers: Vec<Arc<Provider>>,
    settings: HealthSettings,
    world: World,
    listeners: Mutex<Vec<Listener>>,
    fleet: OnceLock<Fleet>,
    told: Told,
    /// The tenant that the record belongs to, if it is one tenant's.
    owner: OnceLock<Arc<str>>,
    /// Records of the other tenants.
    tenants: Kept<Health>,
}

/// The future of a publication that is not finished because the store answers later.
pub(crate) type Telling = Option<HookFuture<'static, ()>>;

type Listener = Arc<dyn Fn(&Transition) + Send + Sync>;

/// A change of a breaker's state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transition {
    /// Name of the model; `None` if the breaker is that of a whole provider.
    pub model: Option<Arc<str>>,
    /// Name of the provider.
    pub provider: Arc<str>,
    /// Previous state.
    pub from: BreakerState,
    /// New state.
    pub to: BreakerState,
    /// Time of the change.
    pub at: Tick,
}

impl Health {
    /// Creates a record for the models of `catalog`, all of them healthy.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(catalog: &Catalog, settings: HealthSettings, world: World) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self::build(catalog.clone(), settings, world, Told::default()))
    }

    /// Creates a record with settings that were checked.
    fn build(catalog: Catalog, settings: HealthSettings, world: World, told: Told) -> Self {
        let (mut models, mut quotas, mut providers) = (Vec::new(), Vec::new(), Vec::new());
        for model in catalog.models() {
            let quota = quota::quota_of(&mut quotas, model, &settings, world.tick());
            let provider = standing::provider_of(&mut providers, model, &settings);
            models.push(Standing::new(model, quota, provider, &settings));
        }
        let (listeners, fleet) = (Mutex::default(), OnceLock::new());
        let (owner, tenants) = (OnceLock::new(), Kept::default());
        let inner = Inner {
            catalog,
            models,
            quotas,
            providers,
            settings,
            world,
            listeners,
            fleet,
            told,
            owner,
            tenants,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The clock, timer and randomness of the record.
    pub fn world(&self) -> &World {
        &self.inner.world
    }

    /// The treatments of error kinds.
    pub fn treatments(&self) -> &Treatments {
        &self.inner.settings.treatments
    }

    /// The settings.
    pub fn settings(&self) -> &HealthSettings {
        &self.inner.settings
    }

    /// When `model` could be called with `needs`. This reserves nothing and guarantees nothing, since other
    /// calls may be faster.
    pub fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness {
        if !model.can_serve(needs) {
            return Readiness::Never;
        }
        let Some(known) = self.known(model) else { return Readiness::Ready };
        let paced = known.quota.ready_at(needs, now, self.inner.fleet.get());
        let Some(paced) = paced else { return Readiness::Never };
        self.look(known, now);
        Readiness::at(known.opens_at(now).map_or(paced, |opens| opens.max(paced)), now)
    }

    /// When `model` could be called through its open breaker, because it answers some calls or this is the
    /// `last_chance` of a call; `None` if it could not.
    pub(crate) fn last_resort(
        &self,
        model: &Model,
        needs: &Needs,
        now: Tick,
        last_chance: bool,
    ) -> Option<Tick> {
        let known =
            self.known(model).filter(|known| model.can_serve(needs) && known.place.lets_last_resort())?;
        if !last_chance && !known.place.answers_some(&self.inner.settings.breaker) {
            return None;
        }
        let paced = known.quota.ready_at(needs, now, self.inner.fleet.get())?;
        Some(known.gates_and_provider_open_at(now).map_or(paced, |opens| opens.max(paced)))
    }

    /// Sends no calls to `model` until `until`, at most as long as the settings allow. A rate belongs to a
    /// whole quota: if it is used up, no model that shares the quota is called.
    pub fn cool_down_until(&self, model: &Model, until: Tick, why: ErrorKind) {
        if self.known(model).is_some() {
            self.cool_down_place(model.index(), until, why, self.inner.world.tick());
            drop(self.known(model).and_then(|known| self.tell_fleet(known)));
        }
    }

    /// Asks gate and breaker, but not the rate, whether `model` may be called.
    ///
    /// # Errors
    /// Returns [`NotAdmitted`] with the time from which the model may be called.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{Because, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// let health = Health::new(&catalog, HealthSettings::default(), world)?;
    ///
    /// let (now, took) = (Tick::default(), Duration::from_secs(1));
    /// health.admit(opus, now).map_err(|refusal| format!("{refusal:?}"))?.succeeded(now, took);
    /// let error = ModelError::new(ErrorKind::QuotaExhausted, "no credit is left");
    /// health.admit(opus, now).map_err(|refusal| format!("{refusal:?}"))?.failed(&error, now, took);
    ///
    /// let refusal = health.admit(opus, now).expect_err("an operator has to buy credit");
    /// assert_eq!(refusal.because, Because::Breaker);
    /// assert!(refusal.ready_at >= now.after(Duration::from_secs(150)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn admit(&self, model: &Model, now: Tick) -> Result<Permit, NotAdmitted> {
        self.admit_and_tell(model, now, false).map(|(permit, _)| permit)
    }

    /// Asks as [`admit`](Self::admit) does. A probe has to be published to a fleet whose store answers later,
    /// and is confirmed after that.
    pub(crate) fn admit_and_tell(
        &self,
        model: &Model,
        now: Tick,
        last_resort: bool,
    ) -> Result<(Permit, Telling), NotAdmitted> {
        let Some(known) = self.known(model) else {
            return Ok((Permit::new(self.clone(), usize::MAX, Pass::Usual, now), None));
        };
        self.look(known, now);
        if let Some(ready_at) = known.shut_until(now) {
            return Err(NotAdmitted { ready_at, because: Because::Gate });
        }
        let refused = |ready_at| NotAdmitted { ready_at, because: Because::Breaker };
        let settings = &self.inner.settings.breaker;
        let name = || self.probe_name();
        let own =
            known.place.admit(name, now, last_resort, settings).map_err(refused)?.unwrap_or(Pass::Usual);
        let mut permit = Permit::new(self.clone(), model.index(), own, now);
        // If the provider refuses, the permit is dropped, which returns its probe.
        permit.provider = known.provider.place.admit(name, now, false, settings).map_err(refused)?;
        if !permit.is_probe() {
            return Ok((permit, None));
        }
        let telling = self.tell_fleet(known);
        if telling.is_none() {
            self.confirm(&permit, now)?;
        }
        Ok((permit, telling))
    }

    /// Checks whether a probe is still ours after the fleet's state was read.
    pub(crate) fn confirm(&self, permit: &Permit, now: Tick) -> Result<(), NotAdmitted> {
        let Some(known) = self.inner.models.get(permit.model) else { return Ok(()) };
        let refused = |ready_at| NotAdmitted { ready_at, because: Because::Breaker };
        known.place.still_lets(permit.pass, now).map_err(refused)?;
        match permit.provider {
            Some(pass) => known.provider.place.still_lets(pass, now).map_err(refused),
            None => Ok(()),
        }
    }

    /// Records the first attempt of a call with this model: its provider's retry budget earns a share.
    pub fn first_attempt(&self, model: &Model) {
        if let Some(known) = self.known(model) {
            known.provider.first_attempt(self.inner.settings.budget);
        }
    }

    /// Takes a further attempt with this model from its provider's retry budget; returns false if the budget
    /// is used up.
    ///
    /// ```
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{RetryBudgetConfig, Catalog, Health, HealthSettings, Model, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// let mut settings = HealthSettings::default();
    /// let budget: RetryBudgetConfig = serde_json::from_value(serde_json::json!({"burst": 2, "per_minute": 6}))?;
    /// settings.budget = budget;
    /// let health = Health::new(&catalog, settings, world)?;
    ///
    /// let now = Tick::default();
    /// let attempts: Vec<bool> = (0..3).map(|_| health.another_attempt(opus, now)).collect();
    /// assert_eq!(attempts, [true, true, false]);
    /// let later = now.after(std::time::Duration::from_secs(10));
    /// assert!(health.another_attempt(opus, later), "six attempts a minute are earned");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn another_attempt(&self, model: &Model, now: Tick) -> bool {
        self.known(model).is_none_or(|known| known.provider.another_attempt(now, self.inner.settings.budget))
    }

    /// Registers a failure that a stack reports to hooks and handles itself. Hooks need not handle it as long
    /// as the returned value is held.
    pub(crate) fn tells_of(&self, context: &HookContext, event: &ErrorOccurred) -> ToldOf {
        self.inner.told.begin(context, event)
    }

    /// Whether a stack reports this failure and handles it itself.
    pub(crate) fn is_told_of(&self, context: &HookContext, event: &ErrorOccurred) -> bool {
        self.inner.told.contains(context, event)
    }

    /// State of the breaker of `model`.
    pub fn breaker(&self, model: &Model) -> BreakerState {
        self.known(model).map_or(BreakerState::Closed, |known| known.place.state())
    }

    /// Whether the breaker of `model` may close at any moment.
    pub(crate) fn may_close(&self, model: &Model) -> bool {
        self.known(model).is_some_and(|known| known.place.may_close())
    }

    /// Counts the time of an answer.
    fn answered(&self, model: usize, took: Duration) {
        if let Some(known) = self.inner.models.get(model) {
            known.answered(took);
        }
    }

    /// The time that `model` took for its recent answers to this process; `None` before the first.
    pub(crate) fn usual_time(&self, model: &Model) -> Option<Duration> {
        self.known(model)?.usual_time()
    }

    /// Answers of `model` to a thousand calls, by the recent calls of this process and of the fleet. A model that is not
    /// in the catalog counts as one that answers all.
    pub(crate) fn answers_per_thousand(&self, model: &Model) -> u32 {
        self.known(model).map_or(1_000, |known| known.place.answered().per_thousand())
    }

    /// When all gates of `model` are open; `None` if they are at `now`.
    pub(crate) fn gates_open_at(&self, model: &Model, now: Tick) -> Option<Tick> {
        self.known(model)?.shut_until(now)
    }

    /// Whether the time at which `model` will be ready is only a guess: that of a breaker, or of a quota
    /// whose stated wait proved wrong.
    pub(crate) fn is_guessed(&self, model: &Model, now: Tick) -> bool {
        let is_disbelieved =
            |known: &Standing| known.quota.place.is_disbelieved(&self.inner.settings.breaker);
        let may_close = self.may_close(model) && self.gates_open_at(model, now).is_none();
        may_close || self.known(model).is_some_and(is_disbelieved)
    }

    /// Calls `listener` whenever a breaker changes its state; it must not block.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use std::time::Duration;
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{
    ///     BreakerState, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, Tier,
    /// };
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// let health = Health::new(&catalog, HealthSettings::default(), world)?;
    /// let changes = Arc::new(Mutex::new(Vec::new()));
    /// let log = Arc::clone(&changes);
    /// health.on_transition(move |change| {
    ///     log.lock().expect("no holder panics").push((change.model.clone(), change.from, change.to));
    /// });
    ///
    /// let error = ModelError::new(ErrorKind::ModelUnavailable, "the model was retired");
    /// let permit = health.admit(opus, Tick::default()).map_err(|refusal| format!("{refusal:?}"))?;
    /// permit.failed(&error, Tick::default(), Duration::ZERO);
    /// let expected = (Some("opus".into()), BreakerState::Closed, BreakerState::Open);
    /// assert_eq!(*changes.lock().expect("no holder panics"), [expected]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_transition(&self, listener: impl Fn(&Transition) + Send + Sync + 'static) {
        self.listeners().push(Arc::new(listener));
    }

    fn cool_down_place(&self, model: usize, until: Tick, why: ErrorKind, now: Tick) {
        let until = until.min(now.after(self.inner.settings.longest_gate));
        let Some(known) = self.inner.models.get(model) else { return };
        let settings = &self.inner.settings.breaker;
        if why == ErrorKind::RateLimited {
            let cautious_until = known.quota.cautious_after_refusal(now, until);
            return known.quota.place.refused(until, cautious_until, now, settings);
        }
        let _unchanged = known.place.happened(Event { at: now, what: What::Shut { until } }, settings);
    }

    /// Counts the result of a permit. `wide` marks a result that concerns all models of the provider.
    fn tell(&self, permit: &Permit, showed: Showed, wide: bool, times: [Tick; 2]) -> Telling {
        let known = self.inner.models.get(permit.model)?;
        let own = if wide { Showed::Nothing } else { showed };
        self.ended(&known.place, permit.pass, own, times);
        // A provider's breaker counts only results about its credentials.
        let shared = match showed {
            Showed::Success { .. } => showed,
            Showed::Hopeless if wide => showed,
            _ => Showed::Nothing,
        };
        if permit.provider.is_some() || shared == Showed::Hopeless {
            self.ended(&known.provider.place, permit.provider.unwrap_or(Pass::Usual), shared, times);
        }
        // For a quota, only an admitted call is news.
        if matches!(showed, Showed::Success { .. }) && known.quota.place.is_failing() {
            let ([began, at], showed) = (times, Showed::Success { slow: false });
            let what = What::Ended { pass: Pass::Usual, showed, began, jitter: 0 };
            let _unchanged = known.quota.place.happened(Event { at, what }, &self.inner.settings.breaker);
        }
        self.tell_fleet(known)
    }

    fn ended(&self, place: &GatedBreaker, pass: Pass, showed: Showed, [began, now]: [Tick; 2]) {
        let what = match (pass, showed) {
            (Pass::Usual, Showed::Nothing) => return,
            // For an open breaker, successes are news too.
            (Pass::Usual, Showed::Success { slow: false }) if !place.is_troubled() => {
                What::WentWell { calls: 1, began }
            }
            _ => What::Ended { pass, showed, began, jitter: self.jitter(showed) },
        };
        let change = place.happened(Event { at: now, what }, &self.inner.settings.breaker);
        self.announce(change, place, now);
    }

    /// Random numbers are drawn only if they may be needed.
    fn jitter(&self, showed: Showed) -> u16 {
        match showed {
            Showed::Nothing | Showed::Success { slow: false } => 0,
            _ => u16::try_from(self.inner.world.below(1 << 16)).unwrap_or_default(),
        }
    }

    fn announce(&self, change: Change, place: &GatedBreaker, at: Tick) {
        let Some((from, to)) = change else { return };
        let (model, provider) = (place.model.clone(), Arc::clone(&place.provider));
        let change = Transition { model, provider, from, to, at };
        let listeners = self.listeners().clone();
        for listener in listeners {
            listener(&change);
        }
    }

    /// The record of `model`, if it is in the catalog.
    fn known(&self, model: &Model) -> Option<&Standing> {
        self.inner.models.get(model.index()).filter(|known| model.is_named(&known.model.name))
    }

    /// The place of `model`, if it is the same allocation as in the catalog; [`model_at`](Self::model_at)
    /// returns the model again.
    pub(crate) fn place_of(&self, model: &Arc<Model>) -> Option<usize> {
        let known = self.inner.models.get(model.index())?;
        Arc::ptr_eq(&known.model, model).then_some(model.index())
    }

    /// The model at this place.
    pub(crate) fn model_at(&self, place: usize) -> Option<&Arc<Model>> {
        self.inner.models.get(place).map(|known| &known.model)
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
