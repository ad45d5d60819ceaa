//! Time of one call until its deadline: its last chances, and the lengths of its rests and jitter.

use std::time::Duration;

use hooks_core::time::Tick;

/// Time of a call until its deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remaining {
    deadline: Option<Tick>,
    /// The time that the call has in all. `None` before the first turn, and without a deadline.
    whole: Option<Duration>,
    /// Time of the first last chance. `None` before the first turn, and without a deadline.
    first_chance: Option<Tick>,
    /// Time from which a call without a ready model tries one all the same, as its last chance. `None` before
    /// the first turn, without a deadline, and if too little time is left for an answer.
    chance: Option<Tick>,
}

/// Longest time for which a call leaves a model alone. A model that answers two calls of five has to be tried
/// ten times to answer nearly all of them. If it answers none, its breaker keeps it from being tried too
/// often.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// Shortest time for which a call without retries left leaves a model alone, however little time it has.
const SHORTEST_REST: Duration = Duration::from_secs(5);

/// Share of the call's whole time that a rest takes at most; the first rest takes half of that. With two minutes,
/// rests of half a minute leave three tries.
const SHARE_OF_A_REST: u32 = 12;

/// Time before its deadline at which a call tries a model whose breaker is open; at most a tenth of the
/// call's time. It is long enough for most answers. The call tries again whenever a third of the remaining time
/// has passed. So it notices the end of an incident within these seconds in time for a quick answer.
const LAST_CHANCE: Duration = Duration::from_secs(20);

/// With less time than this left, no model answers any more.
const TOO_LATE: Duration = Duration::from_secs(4);

/// With no more time than this left, the fastest model comes first: the others hardly answer in time.
const HURRY: Duration = Duration::from_secs(10);

/// Interval at which a call checks the models from its first last chance on. A shorter one than before that,
/// because a second is then a part of an answer.
const LAST_LOOK: Duration = Duration::from_secs(1);

impl Remaining {
    pub(super) const fn until(deadline: Option<Tick>) -> Self {
        Self { deadline, whole: None, first_chance: None, chance: None }
    }

    /// Sets the times that follow from the deadline, once.
    pub(super) fn begin(&mut self, now: Tick) {
        let Some(deadline) = self.deadline.filter(|_| self.whole.is_none()) else { return };
        let whole = deadline.since(now);
        let chance = now.after(whole.saturating_sub(LAST_CHANCE.min(whole / 10)));
        (self.whole, self.first_chance, self.chance) = (Some(whole), Some(chance), Some(chance));
    }

    /// Whether the deadline is at `at` or before it.
    pub(super) fn ends_by(&self, at: Tick) -> bool {
        self.deadline.is_some_and(|deadline| at >= deadline)
    }

    /// Whether the call would end without an answer if it went on waiting. Then it has nothing to lose by an
    /// attempt, and may be the first to find that a model has recovered.
    pub(super) fn is_last_chance(&self, now: Tick) -> bool {
        self.chance.is_some_and(|chance| chance <= now)
    }

    /// The next last chance, if it is not yet there.
    pub(super) fn chance_after(&self, now: Tick) -> Option<Tick> {
        self.chance.filter(|chance| *chance > now)
    }

    /// Uses up a last chance at `now`. There is no further one if too little time is left.
    pub(super) fn use_chance(&mut self, now: Tick) {
        self.chance = self.deadline.and_then(|deadline| {
            let left = deadline.since(now);
            let wait = left / 3;
            (left.saturating_sub(wait) >= TOO_LATE).then(|| now.after(wait))
        });
    }

    /// Whether the first last chance is at `at` or before it.
    pub(super) fn is_ending(&self, at: Tick) -> bool {
        self.first_chance.is_some_and(|first| first <= at)
    }

    /// Whether only a quick answer comes in time.
    pub(super) fn hurries(&self, now: Tick) -> bool {
        self.deadline.is_some_and(|deadline| deadline.since(now) <= HURRY)
    }

    /// The time at which a call that waits until `until` checks the models again.
    pub(super) fn look(&self, until: Tick, now: Tick) -> Tick {
        if self.is_ending(now) { until.min(now.after(LAST_LOOK)) } else { until }
    }

    /// The jitter of a wait from `now`, if it is `most` for a call that has just begun. It shrinks with the
    /// remaining time: of the calls that wait for a quota, those that have waited longest wake first.
    pub(super) fn jitter(&self, most: Duration, now: Tick) -> Duration {
        let (Some(deadline), Some(whole)) = (self.deadline, self.whole) else { return most };
        let left = deadline.since(now).as_secs_f64() / whole.as_secs_f64().max(f64::MIN_POSITIVE);
        most.mul_f64(left.clamp(0.0, 1.0))
    }

    /// The first time for which a model without retries left is left alone.
    pub(super) fn first_rest(&self) -> Duration {
        self.rest_of(2 * SHARE_OF_A_REST)
    }

    /// The longest such time.
    pub(super) fn longest_rest(&self) -> Duration {
        self.rest_of(SHARE_OF_A_REST)
    }

    fn rest_of(&self, share: u32) -> Duration {
        self.whole.map_or(LONGEST_REST, |whole| (whole / share).clamp(SHORTEST_REST, LONGEST_REST))
    }
}
