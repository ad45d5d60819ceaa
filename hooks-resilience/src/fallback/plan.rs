//! What a call does next: decided from what failed and what is ready, without waiting for anything.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Tick;

use super::past::Past;
use super::settings::FallbackSettings;
use super::step::{End, Step};
use super::view::{View, earliest, soonest};
use crate::call::Needs;
use crate::catalog::Model;
use crate::chain::Chain;
use crate::error::{BreakerVote, ErrorKind, ModelError, NextModel, SameModel, Treatments};

/// The course of one call along its chain. Pure: it is told the time and what failed, and says what to do.
///
/// It always ends: attempts are counted, and each turn without one needs time to pass, which is bounded too.
#[derive(Debug)]
pub struct Plan {
    chain: Chain,
    needs: Needs,
    /// The largest window, where the conversation is too long for every model that could serve it otherwise.
    widest: Option<u64>,
    deadline: Option<Tick>,
    /// From when on a call that has no model to turn to asks one all the same; None before the first turn, without a deadline, and
    /// where too little time is left for an answer.
    last_chance: Option<Tick>,
    max_attempts: u32,
    max_park: Duration,
    /// The longest pause before a model is asked again, as long as its tries last.
    longest_pause: Duration,
    /// The place that is asked before all others, as long as it did not fail.
    preferred: usize,
    /// The place that was asked last.
    asked: usize,
    attempts: u32,
    turns: u32,
    parked: Duration,
    /// What came of each place of the chain; empty, and not allocated, until something failed.
    past: Vec<Past>,
    /// Providers of which this call asks nothing more.
    barred: Vec<Arc<str>>,
    /// The window that was too small.
    too_small: Option<u64>,
    /// Whether a refused content was carried to another provider.
    crossed: bool,
    over: bool,
}

fn widest(chain: &Chain, needs: Needs) -> Option<u64> {
    if chain.iter().any(|model| model.can_serve(&needs)) {
        return None;
    }
    let needs = needs.of_any_length();
    chain.iter().filter(|model| model.can_serve(&needs)).filter_map(|model| model.context_tokens).max()
}

/// More turns than a course of four models takes that are looked at every second of ten minutes: no course ends here
/// but one of a model that is always ready and never admits.
const TURNS: u32 = 4_000;

/// The least that has to pass before a model that was not admitted is looked at again, doubled each time: somebody else
/// was faster, and is done in a moment or in a second.
const LOOK: Duration = Duration::from_millis(10);

/// How often a call comes back exactly when it was told to; after that its pauses grow. As often as the providers' own
/// clients try again.
const BELIEVED: u32 = 2;

/// The longest a model is left alone by a call. A model that answers two calls of five has to be asked ten times to answer nearly
/// all; that it is not asked too often where it answers none is its breaker's affair.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// So long before its deadline a call asks a model whose breaker is open, and no longer than a tenth of its time: long enough for
/// most answers. It asks again whenever half of the time is gone that was left: what ends within these seconds is seen in time for
/// a quick answer.
const LAST_CHANCE: Duration = Duration::from_secs(20);

/// With less than this left no model answers any more.
const TOO_LATE: Duration = Duration::from_secs(4);

/// The most that it is doubled to: a moment that a waiting person does not notice.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

impl Plan {
    /// The course of a call that needs `needs`, along `chain`.
    pub fn new(chain: Chain, needs: Needs, deadline: Option<Tick>, settings: &FallbackSettings) -> Self {
        let widest = widest(&chain, needs);
        Self {
            chain,
            needs,
            widest,
            deadline,
            last_chance: None,
            max_attempts: settings.max_attempts,
            max_park: settings.max_park,
            longest_pause: settings.backoff.cap,
            preferred: 0,
            asked: 0,
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

    /// Asks the model at `place` before the others.
    #[must_use]
    pub fn preferring(mut self, place: usize) -> Self {
        self.preferred = place;
        self
    }

    /// Asks the models at these places of the catalog after the others, and not before then: they let the call down.
    #[must_use]
    pub fn behind(mut self, let_down: &[(usize, Tick)]) -> Self {
        for (index, not_before) in let_down {
            if let Some(place) = self.chain.iter().position(|model| model.index() == *index) {
                self.change(place, |past| (past.attempts, past.not_before) = (1, *not_before));
            }
        }
        self
    }

    /// So many attempts were made before, all of them of the first model.
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

    /// How often the model at `place` was tried.
    pub fn attempts_of(&self, place: usize) -> u32 {
        self.past(place).attempts
    }

    /// Whether nobody ever came to the model at `place`: not even to find that it lets nobody in.
    pub(super) fn is_untouched(&self, place: usize) -> bool {
        let past = self.past(place);
        past.attempts == 0 && past.not_admitted == 0
    }

    /// What to do at `now`.
    pub fn next(&mut self, view: &impl View, now: Tick) -> Step {
        if self.turns == 0 {
            self.last_chance = self.deadline.map(|deadline| {
                let left = deadline.since(now);
                now.after(left.saturating_sub(LAST_CHANCE.min(left / 10)))
            });
        }
        self.turns += 1;
        if self.over {
            return Step::GiveUp(End::Final);
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Step::GiveUp(End::Late(None));
        }
        if self.attempts >= self.max_attempts || self.turns > TURNS {
            return Step::GiveUp(End::Attempts);
        }
        // Each turn but the last puts a place off.
        loop {
            let ready = self.fresh(view, now).or_else(|| self.again(view, now));
            let Some(place) = ready.or_else(|| self.last_resort(view, now)) else {
                return self.wait(view, now);
            };
            let last_resort = ready.is_none();
            if (self.past(place).is_fresh() && !last_resort)
                || self.chain.get(place).is_some_and(|model| view.another_attempt(model, now))
            {
                self.asked = place;
                if last_resort && self.is_last_chance(now) {
                    self.last_chance = self.next_chance(now);
                }
                return Step::Try { place, elsewhere: self.elsewhere(place, view, now), last_resort };
            }
            // The budget fills again. A model whose breaker is open may be ready before that, and then costs nothing more.
            let rested = now.after(self.rest(1));
            self.change(place, |past| match last_resort {
                true => past.no_last_resort_before = rested,
                false => past.not_before = rested,
            });
        }
    }

    /// The model that was asked last, or else the first, failed at `now`. `pause` says how long to leave it alone after so many
    /// failures, where nobody else does.
    pub fn failed(
        &mut self,
        error: &ModelError,
        treatments: &Treatments,
        now: Tick,
        pause: impl FnOnce(u32) -> Duration,
    ) {
        let place = self.asked;
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
        let treatment = treatments.of(error.kind());
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
        let (barred, not_before) = match treatment.same_model {
            // What passes by itself may be over after a rest: calls that are parked ask again, within their attempts.
            SameModel::No if passes => (false, told.max(now.after(self.rest(attempts)))),
            SameModel::Backoff(more) if attempts > more => {
                (false, told.max(now.after(self.rest(attempts - more))))
            }
            SameModel::No | SameModel::Compacted => (true, now),
            // A provider that says "a second" again and again is not believed for ever.
            SameModel::AsTold(_) if attempts > BELIEVED => (false, told.max(now.after(pause(attempts)))),
            SameModel::Backoff(_) | SameModel::AsTold(_) => {
                (false, ready_at.unwrap_or_else(|| now.after(pause(attempts))))
            }
        };
        // What hooks propose narrows it; a model they name goes first, where the chain has it.
        let proposal = error.proposal();
        let least = proposal.and_then(|it| it.backoff_ms).map(Duration::from_millis).unwrap_or_default();
        let named = proposal.and_then(|it| it.fallback_model.as_deref());
        if let Some(place) = named.and_then(|name| self.chain.iter().position(|model| &*model.name == name)) {
            self.preferred = place;
        }
        self.change(place, |past| {
            past.attempts = attempts;
            past.not_before = past.not_before.max(not_before).max(now.after(least));
            past.barred |= barred || error.forbids_retry();
        });
        if error.kind() == ErrorKind::RateLimited {
            self.was_refused(&model, place);
        }
    }

    /// The quota of `model`, at `place`, is used up, and with it that of all who draw on it: asking one of them next is
    /// asking the same again.
    fn was_refused(&mut self, model: &Model, place: usize) {
        let not_before = self.past(place).not_before;
        for other in 0..self.chain.len() {
            if other != place && self.chain.get(other).is_some_and(|it| it.shares_quota_with(model)) {
                self.change(other, |past| {
                    past.refused = true;
                    past.not_before = past.not_before.max(not_before);
                });
            }
        }
    }

    /// The places before `place` that are passed over because they are not ready, and when they are.
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

    /// A model that was not tried yet and is ready: the preferred one, or the first of the chain.
    fn fresh(&self, view: &impl View, now: Tick) -> Option<usize> {
        let is_fresh = |place: &usize| {
            self.past(*place).is_fresh() && self.ready_at(*place, view, now).is_some_and(|at| at <= now)
        };
        Some(self.preferred).filter(is_fresh).or_else(|| (0..self.chain.len()).find(is_fresh))
    }

    /// A model that failed before and may be tried again: the one that may for longest.
    fn again(&self, view: &impl View, now: Tick) -> Option<usize> {
        let tried = (0..self.chain.len()).filter(|place| !self.past(*place).is_fresh());
        let ready = tried.filter(|place| self.ready_at(*place, view, now).is_some_and(|at| at <= now));
        ready.min_by_key(|place| self.past(*place).not_before)
    }

    /// Where no model is ready, one whose breaker is open and that answers some calls: of those one of the
    /// provider that was tried least.
    fn last_resort(&self, view: &impl View, now: Tick) -> Option<usize> {
        let is_ready = |place: &usize| self.last_resort_at(*place, view, now).is_some_and(|at| at <= now);
        (0..self.chain.len())
            .filter(is_ready)
            .min_by_key(|place| (self.attempts_of_provider(*place), self.past(*place).attempts))
    }

    fn attempts_of_provider(&self, place: usize) -> u32 {
        let Some(model) = self.chain.get(place) else { return u32::MAX };
        let of_provider =
            self.chain.iter().zip(&self.past).filter(|(other, _)| other.provider == model.provider);
        of_provider.map(|(_, past)| past.attempts).sum()
    }

    fn last_resort_at<V: View>(&self, place: usize, view: &V, now: Tick) -> Option<Tick> {
        self.ready_as_last_resort(place, view, now, self.is_last_chance(now))
    }

    /// When the call asks the model at `place` before it ends unanswered; None where a gate or a quota would not let it even
    /// then: nobody waits for that.
    fn last_chance_at(&self, place: usize, view: &impl View, now: Tick) -> Option<Tick> {
        let chance = self.last_chance.filter(|chance| *chance > now)?;
        Some(self.ready_as_last_resort(place, view, now, true)?.max(chance))
    }

    /// When the call asks once more, after a last chance that is taken at `now`.
    fn next_chance(&self, now: Tick) -> Option<Tick> {
        let left = self.deadline?.since(now) / 2;
        (left >= TOO_LATE).then(|| now.after(left))
    }

    fn ready_as_last_resort<V: View>(
        &self,
        place: usize,
        view: &V,
        now: Tick,
        last_chance: bool,
    ) -> Option<Tick> {
        let at =
            |view: &V, model: &Model, needs: &Needs, now| view.last_resort(model, needs, now, last_chance);
        Some(self.ready_by(place, at, view, now)?.max(self.past(place).no_last_resort_before))
    }

    /// Whether the call ends without an answer if it goes on waiting: then it has nothing to lose by asking, and may be the
    /// first to find that a model is well again.
    fn is_last_chance(&self, now: Tick) -> bool {
        self.last_chance.is_some_and(|chance| chance <= now)
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
        if self.deadline.is_some_and(|deadline| until >= deadline) {
            return Step::GiveUp(End::Late(Some(until)));
        }
        let parked = self.parked.saturating_add(until.since(now));
        if parked > self.max_park {
            return Step::GiveUp(End::TooFar(until));
        }
        self.parked = parked;
        Step::Park { until, place }
    }

    /// Whose turn it is, of places that are ready at one moment: those that were not tried, the preferred one first,
    /// and then the one that may be asked again for longest.
    fn rank(&self, place: usize) -> (Option<Tick>, bool) {
        let past = self.past(place);
        let is_tried = !past.is_fresh();
        (is_tried.then_some(past.not_before), !is_tried && place != self.preferred)
    }

    /// When another place than `place` could be asked.
    fn elsewhere(&self, place: usize, view: &impl View, now: Tick) -> Option<Tick> {
        let others = (0..self.chain.len()).filter(|other| *other != place);
        let ready = |other| {
            let resort = self.last_resort_at(other, view, now);
            self.ready_by(other, soonest, view, now).into_iter().chain(resort).min()
        };
        earliest(others.filter_map(ready), now)
    }

    /// From when on the model at `place` may be asked; `None` where this call must not ask it (any more).
    pub(super) fn ready_at<V: View>(&self, place: usize, view: &V, now: Tick) -> Option<Tick> {
        self.ready_by(place, |view, model, needs, now| view.readiness(model, needs, now).tick(now), view, now)
    }

    /// The same, as far as this call has nothing against the model, from when it is `ready`.
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
        Some(at.max(past.not_before))
    }

    /// What the call needs of a model that can serve it. A conversation that is too long for all of them goes to the
    /// largest window, where it can be compacted.
    fn needs_of(&self, model: &Model) -> Option<Needs> {
        let is_widest = self.widest.is_some() && model.context_tokens == self.widest;
        let needs = if is_widest { self.needs.of_any_length() } else { self.needs };
        model.can_serve(&needs).then_some(needs)
    }

    /// Nobody was asked: others were faster, or the rate is used up. Looked at again when it is said to be ready, and
    /// never at once, so that a model that is always ready and never open ends too.
    fn was_not_admitted(&mut self, place: usize, ready_at: Option<Tick>, now: Tick) {
        self.change(place, |past| {
            let doubled = LOOK.saturating_mul(1u32.checked_shl(past.not_admitted).unwrap_or(u32::MAX));
            past.not_admitted = past.not_admitted.saturating_add(1);
            past.not_before = now.after(doubled.min(LONGEST_LOOK)).max(ready_at.unwrap_or(now));
        });
    }

    /// How long a model is left alone whose tries are used up for the `time`th time: in minutes that a call is parked
    /// it is asked a few times, not in vain every second.
    fn rest(&self, time: u32) -> Duration {
        let doubled = 1u32.checked_shl(time.saturating_sub(1)).unwrap_or(u32::MAX);
        self.longest_pause.saturating_mul(doubled).clamp(LOOK, LONGEST_REST)
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
