//! Next step of a call, decided from its failures and from which models are ready, without waiting.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Tick;

use super::config::FallbackConfig;
use super::past::Past;
use super::remaining::Remaining;
use super::step::{End, Step};
use super::view::{View, earliest, soonest};
use crate::call::Needs;
use crate::catalog::{Model, Tier};
use crate::chain::Chain;
use crate::error::{BreakerVote, ErrorKind, ModelError, NextModel, SameModel, Treatments};

/// Course of one call along its chain of models. It is pure: the caller passes the time and the failures, and
/// [`Plan::next`] returns the next step.
///
/// The course always ends: the number of attempts is bounded, and each turn without an attempt needs time to
/// pass, which is bounded too.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Tick;
/// use hooks_resilience::fallback::{End, Plan, Step};
/// use hooks_resilience::{
///     Catalog, Chain, ErrorKind, FallbackConfig, Health, HealthSettings, Model, ModelError, Needs, Tier,
///     Treatments,
/// };
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let catalog = Catalog::new([
///     Model::new("opus", "anthropic", Tier::Premium),
///     Model::new("gpt", "openai", Tier::Premium),
/// ])?;
/// let health = Health::new(&catalog, HealthSettings::default(), world)?;
/// let chain = Chain::new(catalog.models()[0].clone(), catalog.models()[1..].iter().cloned());
/// let mut plan = Plan::new(chain, Needs::default(), None, &FallbackConfig::default());
///
/// let now = Tick::default();
/// assert!(matches!(plan.next(&health, now), Step::Try { place: 0, .. }));
/// let overloaded = ModelError::new(ErrorKind::Overloaded, "come back later");
/// plan.failed(&overloaded, &Treatments::default(), now, |_| Duration::from_secs(1));
/// assert!(matches!(plan.next(&health, now), Step::Try { place: 1, .. }));
///
/// // No model can repair a request that is malformed.
/// let invalid = ModelError::new(ErrorKind::InvalidRequest, "`messages` is missing");
/// plan.failed(&invalid, &Treatments::default(), now, |_| Duration::from_secs(1));
/// assert_eq!(plan.next(&health, now), Step::GiveUp(End::Final));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    chain: Chain,
    needs: Needs,
    /// Largest context window among the models that could serve a shorter conversation; `None` if a model can
    /// serve the conversation as it is.
    widest: Option<u64>,
    remaining: Remaining,
    max_attempts: u32,
    max_park: Duration,
    /// Longest pause before another attempt with the same model, while the model has retries left.
    longest_pause: Duration,
    /// Place that is tried before all others, as long as it did not fail.
    preferred: usize,
    /// Place of the last attempt.
    tried: usize,
    attempts: u32,
    turns: u32,
    parked: Duration,
    /// History of each place of the chain; empty, and not allocated, until the first failure is known.
    past: Vec<Past>,
    /// Providers that this call does not try any more.
    barred: Vec<Arc<str>>,
    /// Largest context window that was too small for the conversation.
    too_small: Option<u64>,
    /// Whether content that one provider refused was sent to another one.
    crossed: bool,
    over: bool,
}

/// Time that `model` usually takes. Before its first answer, a model of the fast tier counts as the fastest.
fn usual_time(view: &impl View, model: &Model) -> Duration {
    let unknown = if model.tier == Tier::Fast { Duration::ZERO } else { Duration::MAX };
    view.usual_time(model).unwrap_or(unknown)
}

fn widest(chain: &Chain, needs: Needs) -> Option<u64> {
    if chain.iter().any(|model| model.can_serve(&needs)) {
        return None;
    }
    let needs = needs.of_any_length();
    chain.iter().filter(|model| model.can_serve(&needs)).filter_map(|model| model.context_tokens).max()
}

/// Most turns of one course. A course of four models that are checked every second for ten minutes takes
/// fewer. Only a course with a model that is always ready and never admits the call ends here.
const TURNS: u32 = 4_000;

/// Shortest time before a model that did not admit the call is checked again; doubled each time. Other calls
/// were faster, and are done in a moment or in a second.
const LOOK: Duration = Duration::from_millis(10);

/// Number of failures of a model after which a call retries exactly at the time that the provider named;
/// after that its pauses grow. The providers' own clients retry as often.
const BELIEVED: u32 = 2;

/// Longest pause that [`LOOK`] is doubled to: a moment that a waiting user does not notice.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Fewest answers of a thousand calls that a turn counts with: also a model that answered none of late gets every tenth
/// attempt beside one that answers all.
const FEWEST_ANSWERS: u32 = 100;

impl Plan {
    /// Creates the course of a call that needs `needs`, along `chain`.
    pub fn new(chain: Chain, needs: Needs, deadline: Option<Tick>, settings: &FallbackConfig) -> Self {
        let widest = widest(&chain, needs);
        Self {
            chain,
            needs,
            widest,
            remaining: Remaining::until(deadline),
            max_attempts: settings.max_attempts,
            max_park: settings.max_park,
            longest_pause: settings.backoff.cap,
            preferred: 0,
            tried: 0,
            attempts: 0,
            turns: 0,
            parked: Duration::ZERO,
            past: Vec::new(),
            barred: Vec::new(),
            too_small: None,
            crossed: false,
            over: false,
        }
    }

    /// Tries the model at `place` before the others.
    #[must_use]
    pub fn preferring(mut self, place: usize) -> Self {
        self.preferred = place;
        self
    }

    /// Tries the models at these places of the catalog after the others, and not before the given times,
    /// because their streams broke for this call.
    #[must_use]
    pub fn behind(mut self, let_down: &[(usize, Tick)]) -> Self {
        for (index, not_before) in let_down {
            if let Some(place) = self.chain.iter().position(|model| model.index() == *index) {
                self.change(place, |past| (past.attempts, past.rests_until) = (1, *not_before));
            }
        }
        self
    }

    /// Counts `attempts` earlier attempts, all of them with the first model.
    #[must_use]
    pub fn having_tried(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self.change(0, |past| past.attempts = attempts);
        self
    }

    /// The models, in order.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Number of attempts with the model at `place`.
    pub fn attempts_of(&self, place: usize) -> u32 {
        self.past(place).attempts
    }

    /// Whether the call did not come to the model at `place` yet: it made no attempt, and was not refused
    /// admission.
    pub(super) fn is_untouched(&self, place: usize) -> bool {
        let past = self.past(place);
        past.attempts == 0 && past.not_admitted == 0
    }

    /// Returns the next step at `now`.
    pub fn next(&mut self, view: &impl View, now: Tick) -> Step {
        self.remaining.begin(now);
        self.turns += 1;
        if self.over {
            return Step::GiveUp(End::Final);
        }
        if self.remaining.ends_by(now) {
            return Step::GiveUp(End::Late(None));
        }
        if self.attempts >= self.max_attempts || self.turns > TURNS {
            return Step::GiveUp(End::Attempts);
        }
        // Each iteration but the last puts a place off.
        loop {
            let ready = self.fresh(view, now).or_else(|| self.again(view, now));
            let Some(place) = ready.or_else(|| self.last_resort(view, now)) else {
                return self.wait(view, now);
            };
            let last_resort = ready.is_none();
            if (self.past(place).is_fresh() && !last_resort)
                || self.chain.get(place).is_some_and(|model| view.another_attempt(model, now))
            {
                self.tried = place;
                if last_resort && self.remaining.is_last_chance(now) {
                    self.remaining.use_chance(now);
                }
                return Step::Try { place, elsewhere: self.elsewhere(place, view, now), last_resort };
            }
            // The retry budget fills again. A model whose breaker is open may be ready before that, and then
            // costs nothing more.
            let rested = now.after(self.remaining.longest_rest());
            self.change(place, |past| match last_resort {
                true => past.no_last_resort_before = rested,
                false => past.rests_until = rested,
            });
        }
    }

    /// The jitter of a wait from `now`, if it is `most` for a call that has just begun.
    pub(super) fn jitter(&self, most: Duration, now: Tick) -> Duration {
        self.remaining.jitter(most, now)
    }

    /// Records that the model of the last attempt, or else the first model, failed at `now`. `pause` returns
    /// the time to leave it alone after that many failures; it is used if the provider named no time, or
    /// named one too often.
    pub fn failed(
        &mut self,
        error: &ModelError,
        treatments: &Treatments,
        now: Tick,
        pause: impl FnOnce(u32) -> Duration,
    ) {
        self.remaining.begin(now);
        let place = self.tried;
        let Some(model) = self.chain.get(place).cloned() else { return };
        if error.kind() == ErrorKind::NotAdmitted {
            return self.was_not_admitted(place, error.ready_at(), now);
        }
        let earlier = error
            .failed()
            .iter()
            .filter(|failed| failed.model == model.name && failed.kind != ErrorKind::NotAdmitted);
        let attempts = u32::try_from(earlier.count()).unwrap_or(u32::MAX).saturating_add(1);
        self.attempts = self.attempts.saturating_add(attempts);
        let treatment = treatments.for_kind(error.kind());
        match treatment.next_model {
            NextModel::No => self.over = true,
            NextModel::Any => {}
            NextModel::OtherProvider => self.barred.push(Arc::clone(&model.provider)),
            NextModel::IfAllowed if treatments.cross_content_filter && !self.crossed => {
                self.crossed = true;
                self.barred.push(Arc::clone(&model.provider));
            }
            NextModel::IfAllowed => self.over = true,
            NextModel::LargerWindow => {
                let window = model.context_tokens.unwrap_or_else(|| self.needs.tokens());
                self.too_small = self.too_small.max(Some(window));
            }
        }
        let ready_at = error.ready_at().or_else(|| error.retry_after().map(|wait| now.after(wait)));
        let told = ready_at.unwrap_or(now);
        let attempts = self.past(place).attempts.saturating_add(attempts);
        let passes = matches!(treatment.breaker, BreakerVote::Failure | BreakerVote::Slow);
        let (barred, told, rests) = match treatment.same_model {
            // A failure that passes by itself may be over after a rest: parked calls try again, within their
            // attempts.
            SameModel::No if passes => (false, told, self.rest(attempts)),
            SameModel::Backoff(more) if attempts > more => (false, told, self.rest(attempts - more)),
            SameModel::No | SameModel::Compacted => (true, now, Duration::ZERO),
            // If a provider names a short time, such as a second, again and again, the call stops following
            // it.
            SameModel::AsTold(_) if attempts > BELIEVED => (false, told, pause(attempts)),
            SameModel::Backoff(_) | SameModel::AsTold(_) => match ready_at {
                Some(told) => (false, told, Duration::ZERO),
                None => (false, now, pause(attempts)),
            },
        };
        // A proposal of hooks can only lengthen the pause or forbid a retry; a model that it names goes
        // first, if the chain has it.
        let proposal = error.proposal();
        let least = proposal.and_then(|it| it.backoff_ms).map(Duration::from_millis).unwrap_or_default();
        let named = proposal.and_then(|it| it.fallback_model.as_deref());
        if let Some(place) = named.and_then(|name| self.chain.iter().position(|model| &*model.name == name)) {
            self.preferred = place;
        }
        self.change(place, |past| {
            past.attempts = attempts;
            past.told_until = past.told_until.max(told).max(now.after(least));
            past.rests_until = past.rests_until.max(now.after(rests));
            past.barred |= barred || error.forbids_retry();
        });
        if error.kind() == ErrorKind::RateLimited {
            self.was_refused(&model, place);
        }
    }

    /// Records that the quota of `model`, at `place`, is used up, and so for every other model that draws on
    /// it: an attempt with one of them would ask the same quota again.
    fn was_refused(&mut self, model: &Model, place: usize) {
        let Past { told_until, rests_until, .. } = self.past(place);
        for other in 0..self.chain.len() {
            if other != place && self.chain.get(other).is_some_and(|it| it.shares_quota_with(model)) {
                self.change(other, |past| {
                    past.refused = true;
                    past.told_until = past.told_until.max(told_until);
                    past.rests_until = past.rests_until.max(rests_until);
                });
            }
        }
    }

    /// Places before `place` that are passed over because they are not ready, with the time at which they
    /// are.
    pub(super) fn passed_over<'a>(
        &'a self,
        place: usize,
        view: &'a impl View,
        now: Tick,
    ) -> impl Iterator<Item = (&'a Arc<Model>, Tick)> {
        let before = (0..place.min(self.chain.len())).filter(|before| self.past(*before).attempts == 0);
        before.filter_map(move |before| {
            let at = self.ready_at(before, view, now)?;
            Some((self.chain.get(before)?, at)).filter(|_| at > now)
        })
    }

    /// A model that is ready and was not tried yet: the preferred one, or the first of the chain.
    fn fresh(&self, view: &impl View, now: Tick) -> Option<usize> {
        let is_fresh = |place: &usize| {
            self.past(*place).is_fresh() && self.ready_at(*place, view, now).is_some_and(|at| at <= now)
        };
        Some(self.preferred).filter(is_fresh).or_else(|| (0..self.chain.len()).find(is_fresh))
    }

    /// A model that failed before and may be tried again: the one whose pause ended first.
    fn again(&self, view: &impl View, now: Tick) -> Option<usize> {
        let tried = (0..self.chain.len()).filter(|place| !self.past(*place).is_fresh());
        let ready = tried.filter(|place| self.ready_at(*place, view, now).is_some_and(|at| at <= now));
        ready.min_by_key(|place| self.past(*place).not_before())
    }

    /// If no model is ready: a model that may be tried through its open breaker. If there are several, the
    /// providers take turns, a better one more often: the first is the one with the fewest attempts for the share
    /// of calls that its model answers. In the last seconds, it is the fastest model that answers.
    fn last_resort(&self, view: &impl View, now: Tick) -> Option<usize> {
        let is_ready = |place: &usize| self.last_resort_at(*place, view, now).is_some_and(|at| at <= now);
        let hurries = self.remaining.hurries(now);
        let slowness = |place: usize| {
            let is_down = self.ready_as_last_resort(place, view, now, false).is_none();
            hurries.then(|| (is_down, self.chain.get(place).map(|model| usual_time(view, model))))
        };
        (0..self.chain.len()).filter(is_ready).min_by_key(|place| {
            (slowness(*place), self.turn_of_provider(*place, view), self.past(*place).attempts)
        })
    }

    /// Order of the providers' turns: the attempts with the provider, this one included, times the calls that its
    /// model needs for a thousand answers.
    fn turn_of_provider(&self, place: usize, view: &impl View) -> u64 {
        let share = self.chain.get(place).map_or(1_000, |model| view.answers_per_thousand(model));
        let calls = 1_000_000 / u64::from(share.max(FEWEST_ANSWERS));
        u64::from(self.attempts_of_provider(place)).saturating_add(1).saturating_mul(calls)
    }

    fn attempts_of_provider(&self, place: usize) -> u32 {
        let Some(model) = self.chain.get(place) else { return u32::MAX };
        let of_provider =
            self.chain.iter().zip(&self.past).filter(|(other, _)| other.provider == model.provider);
        of_provider.map(|(_, past)| past.attempts).sum()
    }

    fn last_resort_at<V: View>(&self, place: usize, view: &V, now: Tick) -> Option<Tick> {
        self.ready_as_last_resort(place, view, now, self.remaining.is_last_chance(now))
    }

    /// Time at which the call tries the model at `place` as a last chance, before it ends unanswered. `None`
    /// if a gate or a quota would refuse the attempt even then: to wait for it would be of no use.
    fn last_chance_at(&self, place: usize, view: &impl View, now: Tick) -> Option<Tick> {
        let chance = self.remaining.chance_after(now)?;
        Some(self.ready_as_last_resort(place, view, now, true)?.max(chance))
    }

    fn ready_as_last_resort<V: View>(
        &self,
        place: usize,
        view: &V,
        now: Tick,
        last_chance: bool,
    ) -> Option<Tick> {
        // A last chance ends the rests of the call: it takes a model that admits calls, too.
        let at = |view: &V, model: &Model, needs: &Needs, now| {
            let ready = || view.readiness(model, needs, now).tick(now).filter(|_| last_chance);
            view.last_resort(model, needs, now, last_chance).or_else(ready)
        };
        let past = self.past(place);
        let rested = if last_chance { past.told_until } else { past.not_before() };
        Some(self.ready_by(place, at, view, now)?.max(rested).max(past.no_last_resort_before))
    }

    fn wait(&mut self, view: &impl View, now: Tick) -> Step {
        let at = |place| {
            let resort = self.last_resort_at(place, view, now);
            let chance = self.last_chance_at(place, view, now);
            self.ready_at(place, view, now).into_iter().chain(resort).chain(chance).min()
        };
        let ready = |place| Some((at(place)?, self.rank(place), place));
        let earliest = (0..self.chain.len()).filter_map(ready).min();
        let Some((until, _, place)) = earliest else { return Step::GiveUp(End::NoneLeft) };
        if self.remaining.ends_by(until) {
            return Step::GiveUp(End::Late(Some(until)));
        }
        let until = self.remaining.look(until, now);
        let parked = self.parked.saturating_add(until.since(now));
        if parked > self.max_park {
            return Step::GiveUp(End::TooFar(until));
        }
        self.parked = parked;
        Step::Park { until, place, last_chance: self.remaining.is_ending(until) }
    }

    /// Order of places that become ready at the same time: untried places first, the preferred one before the
    /// others; then the tried place whose pause ended first.
    fn rank(&self, place: usize) -> (Option<Tick>, bool) {
        let past = self.past(place);
        let is_tried = !past.is_fresh();
        (is_tried.then_some(past.not_before()), !is_tried && place != self.preferred)
    }

    /// Earliest time at which a place other than `place` could be tried.
    fn elsewhere(&self, place: usize, view: &impl View, now: Tick) -> Option<Tick> {
        let others = (0..self.chain.len()).filter(|other| *other != place);
        let ready = |other| {
            let resort = self.last_resort_at(other, view, now);
            let ready =
                self.ready_by(other, soonest, view, now).map(|at| at.max(self.past(other).not_before()));
            ready.into_iter().chain(resort).min()
        };
        earliest(others.filter_map(ready), now)
    }

    /// Time from which the model at `place` may be tried; `None` if this call must not try it (any more).
    pub(super) fn ready_at<V: View>(&self, place: usize, view: &V, now: Tick) -> Option<Tick> {
        let ready = |view: &V, model: &Model, needs: &Needs, now| view.readiness(model, needs, now).tick(now);
        Some(self.ready_by(place, ready, view, now)?.max(self.past(place).not_before()))
    }

    /// The time that `ready` returns for the model at `place`; `None` if this call must not try it (any more).
    fn ready_by<V: View>(
        &self,
        place: usize,
        ready: impl Fn(&V, &Model, &Needs, Tick) -> Option<Tick>,
        view: &V,
        now: Tick,
    ) -> Option<Tick> {
        let (model, past) = (self.chain.get(place)?, self.past(place));
        let small = self.too_small.is_some_and(|small| model.context_tokens.is_none_or(|it| it <= small));
        if past.barred || small || self.barred.contains(&model.provider) {
            return None;
        }
        let at = ready(view, model, &self.needs_of(model)?, now)?;
        Some(at)
    }

    /// Needs of the call that `model` has to meet; `None` if it cannot. A conversation that is too long for
    /// all models goes to the largest window, where it can be compacted.
    fn needs_of(&self, model: &Model) -> Option<Needs> {
        let is_widest = self.widest.is_some() && model.context_tokens == self.widest;
        let needs = if is_widest { self.needs.of_any_length() } else { self.needs };
        model.can_serve(&needs).then_some(needs)
    }

    /// Records that the call was not admitted: other calls were faster, or the rate is used up. The model is
    /// checked again at `ready_at`, but never at once, so that the course ends even if a model is always
    /// ready and never admits it.
    fn was_not_admitted(&mut self, place: usize, ready_at: Option<Tick>, now: Tick) {
        self.change(place, |past| {
            let doubled = LOOK.saturating_mul(1u32.checked_shl(past.not_admitted).unwrap_or(u32::MAX));
            past.not_admitted = past.not_admitted.saturating_add(1);
            past.told_until = now.after(doubled.min(LONGEST_LOOK)).max(ready_at.unwrap_or(now));
        });
    }

    /// Time for which a model without retries left is left alone, for the `time`th time. A call that is
    /// parked for minutes tries the model a few times, not every second in vain.
    fn rest(&self, time: u32) -> Duration {
        let doubled = 1u32.checked_shl(time.saturating_sub(1)).unwrap_or(u32::MAX);
        let first = self.longest_pause.min(self.remaining.first_rest());
        first.saturating_mul(doubled).min(self.remaining.longest_rest()).max(LOOK)
    }

    fn past(&self, place: usize) -> Past {
        self.past.get(place).copied().unwrap_or_default()
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Past)) {
        self.past.resize(self.chain.len(), Past::default());
        if let Some(past) = self.past.get_mut(place) {
            change(past);
        }
    }
}
