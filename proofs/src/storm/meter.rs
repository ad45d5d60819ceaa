//! What is measured, from outside: nothing here asks a policy what it did.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Tick;
use hooks_resilience::ErrorKind;
use serde::Serialize;

use super::params::Params;
use super::providers::{Fault, Providers, Quota, Response};
use super::traffic::Asked;
use super::weather::{HOPELESS, Weather};

/// Collects.
#[derive(Debug)]
pub(super) struct Meter {
    params: Arc<Params>,
    /// From when to when the first model of the chain is in trouble.
    trouble: Vec<(Tick, Tick)>,
    /// The provider of each model.
    providers: Vec<usize>,
    /// Who knows of each other: all instances, or each alone.
    is_shared: bool,
    evidence: Vec<Vec<Evidence>>,
    windows: BTreeMap<u64, Load>,
    waits_ms: Vec<u32>,
    measures: Measures,
}

/// What a policy got out of a storm.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Measures {
    pub(super) sessions: u64,
    /// Sessions that ended because of a call nobody would have answered.
    pub(super) caller_bugs: u64,
    /// Sessions that ended for other reasons, by the last error.
    pub(super) failed: BTreeMap<ErrorKind, u64>,
    /// Which sessions those were.
    #[serde(skip)]
    lost: BTreeSet<u64>,
    /// Those of them that ended with a call that nobody could have answered between its beginning and its deadline.
    #[serde(skip)]
    hopeless: BTreeSet<u64>,
    /// All calls, and all attempts.
    pub(super) all: Load,
    /// Calls that were answered by their deadline.
    pub(super) answered: u64,
    /// What came while the first provider was in trouble.
    pub(super) in_trouble: Load,
    /// The same, as far as a model of another provider was well at the time: nobody needs to ask the one in trouble then.
    pub(super) in_trouble_elsewhere: Load,
    /// Its five minutes with the most attempts at it for each call.
    pub(super) worst: Load,
    /// Those that are nearest to what is too many, or furthest beyond it.
    pub(super) hardest: Load,
    /// Calls that ended after their deadline.
    pub(super) late: u64,
    /// Times a call waited although another model, against which nobody had anything, would have answered.
    pub(super) idle: u64,
    /// How long calls took, in seconds: median, 99th and 99.9th percentile.
    pub(super) waits_s: [f64; 3],
    /// In US dollars.
    pub(super) cost: f64,
}

/// Calls that began, and attempts.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Load {
    pub(super) calls: u64,
    pub(super) attempts: u64,
    /// The attempts that were made while any model of any provider answered some.
    answerable: u64,
    /// The shares that the best of all models answered at each of them, summed.
    shares: f64,
}

/// What was seen of a model.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    failed: Option<Tick>,
    /// Until when it asked to be left alone.
    told: Tick,
    /// Whether nothing good was seen of it since it failed.
    is_unproven: bool,
    in_flight: u32,
}

impl Evidence {
    /// Whether anything speaks against the model: a failure of late, its provider's word, or a failure of any age
    /// that was not disproved, while somebody is finding out. One call at a time finds out about a model that failed,
    /// so that 200 who come back do not: what the others do meanwhile is no idling. Where nobody is asking, an old
    /// failure is no reason to wait.
    fn speaks_against(&self, now: Tick) -> bool {
        let is_fresh = self.failed.is_some_and(|failed| now.since(failed) <= MEMORY);
        is_fresh || self.told > now || (self.is_unproven && self.in_flight > 0)
    }
}

/// How long a failure speaks against a model.
const MEMORY: Duration = Duration::from_secs(600);
/// An answer, or the lack of one, that took so long speaks against a model too.
pub(super) const SLOW: Duration = Duration::from_secs(30);
/// A wait that is none.
const INSTANT: Duration = Duration::from_millis(50);
/// The windows in which load is looked at.
const WINDOW: Duration = Duration::from_secs(300);
/// How many attempts at a failing provider a call may take in five minutes.
const MOST_IN_FIVE_MINUTES: f64 = 2.0;
/// A window with fewer calls says nothing.
const FEW: u64 = 30;

impl Measures {
    /// The share of sessions that failed, those left out that no provider could have helped.
    pub(super) fn failures(&self) -> f64 {
        ratio(self.lost.len() as u64, self.sessions)
    }

    /// The share of sessions that failed and need not have: those that `oracle`, which met the same weather, the same
    /// calls and the same quotas and knew all of them, did not lose. A call that nobody could have answered in its time was not
    /// avoidable either: the oracle, which answers faster, was at another call of that session then.
    pub(super) fn avoidable(&self, oracle: &Self) -> f64 {
        let beyond = self.lost.difference(&oracle.lost);
        ratio(beyond.filter(|session| !self.hopeless.contains(session)).count() as u64, self.sessions)
    }

    /// The share of sessions that failed and that `oracle` did not lose, whether or not anybody could have answered.
    pub(super) fn beyond(&self, oracle: &Self) -> f64 {
        ratio(self.lost.difference(&oracle.lost).count() as u64, self.sessions)
    }

    /// Attempts for each session that came to its end: what was spent on sessions that were lost is spent too.
    pub(super) fn attempts_a_session(&self) -> f64 {
        ratio(self.all.attempts, self.finished())
    }

    /// Calls for each session that came to its end.
    pub(super) fn calls_a_session(&self) -> f64 {
        ratio(self.all.calls, self.finished())
    }

    fn finished(&self) -> u64 {
        self.sessions.saturating_sub(self.lost.len() as u64 + self.caller_bugs)
    }

    /// Attempts for each call.
    pub(super) fn load(&self) -> f64 {
        self.all.ratio()
    }

    /// Attempts at the failing provider for each call.
    pub(super) fn load_in_trouble(&self) -> f64 {
        self.in_trouble.ratio()
    }

    /// The same while another provider could answer.
    pub(super) fn load_in_trouble_elsewhere(&self) -> f64 {
        self.in_trouble_elsewhere.ratio()
    }
}

impl Load {
    /// A call.
    pub(super) const CALL: Self = Self { calls: 1, attempts: 0, answerable: 0, shares: 0.0 };

    /// An attempt, made while the best of all models answered this share.
    pub(super) fn attempt(best_share: f64) -> Self {
        match best_share {
            hopeless if hopeless < HOPELESS => Self { attempts: 1, ..Self::default() },
            shares => Self { attempts: 1, answerable: 1, shares, ..Self::default() },
        }
    }

    pub(super) fn add(&mut self, more: Self) {
        self.calls += more.calls;
        self.attempts += more.attempts;
        self.answerable += more.answerable;
        self.shares += more.shares;
    }

    /// Attempts for each call.
    pub(super) fn ratio(&self) -> f64 {
        ratio(self.attempts, self.calls)
    }

    /// The share of its attempts that the best of all models answered, while any answered some.
    pub(super) fn best_share(&self) -> f64 {
        if self.answerable == 0 { 1.0 } else { self.shares / self.answerable as f64 }
    }

    /// How many attempts a call takes to meet one that is answered, whoever makes it: of a model that answers two of five, two and
    /// a half.
    pub(super) fn needed(&self) -> f64 {
        1.0 / self.best_share()
    }

    /// How many attempts a call may take in five minutes: [`MOST_IN_FIVE_MINUTES`], or what it takes with the best of all models;
    /// and three standard errors more, since five minutes have some dozen calls.
    pub(super) fn most_in_five_minutes(&self) -> f64 {
        let share = self.best_share();
        let error = (1.0 - share).sqrt() / share / (self.calls.max(1) as f64).sqrt();
        MOST_IN_FIVE_MINUTES.max(self.needed() + 3.0 * error)
    }
}

/// The number of the window a moment is in.
fn window(at: Tick) -> u64 {
    at.0.as_secs() / WINDOW.as_secs()
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl Meter {
    pub(super) fn new(params: &Arc<Params>, providers: &Providers, is_shared: bool) -> Self {
        let groups = if is_shared { 1 } else { params.instances as usize };
        let mut trouble = Vec::new();
        let mut at = Tick::default();
        loop {
            let (incidents, until) = providers.weather.at(0, at);
            let end = until.unwrap_or(Tick(Duration::MAX));
            if !incidents.is_empty() {
                trouble.push((at, end));
            }
            let Some(until) = until else { break };
            at = until;
        }
        Self {
            params: Arc::clone(params),
            trouble,
            providers: (0..params.models.len()).map(|model| providers.provider_of(model)).collect(),
            is_shared,
            evidence: vec![vec![Evidence::default(); params.models.len()]; groups],
            windows: BTreeMap::new(),
            waits_ms: Vec::new(),
            measures: Measures::default(),
        }
    }

    /// A call begins.
    pub(super) fn began(&mut self, now: Tick, weather: &Weather) {
        self.measures.all.add(Load::CALL);
        self.add_load(now, weather, Load::CALL);
    }

    /// An attempt begins.
    ///
    /// A call that comes over from an earlier window asks in this one too: `counted` says when it
    /// last did.
    pub(super) fn attempted(
        &mut self,
        model: usize,
        asked: &Asked,
        now: Tick,
        weather: &Weather,
        counted: &mut Tick,
    ) {
        let attempt = Load::attempt(weather.best_share(now));
        self.measures.all.add(attempt);
        if let Some(evidence) = self.evidence_of(asked).get_mut(model) {
            evidence.in_flight += 1;
        }
        if self.providers.get(model) == self.providers.first() {
            self.add_load(now, weather, attempt);
            if window(*counted) != window(now) {
                *counted = now;
                if let Some(load) = self.windows.get_mut(&window(now)) {
                    load.calls += 1;
                }
            }
        }
    }

    fn add_load(&mut self, now: Tick, weather: &Weather, load: Load) {
        let after = self.trouble.partition_point(|(from, _)| *from <= now);
        let last = after.checked_sub(1).and_then(|last| self.trouble.get(last));
        if last.is_none_or(|(_, until)| *until <= now) {
            return;
        }
        self.measures.in_trouble.add(load);
        self.windows.entry(window(now)).or_default().add(load);
        let mut others =
            self.providers.iter().enumerate().filter(|(_, of)| Some(*of) != self.providers.first());
        if others.any(|(model, _)| weather.at(model, now).0.is_empty()) {
            self.measures.in_trouble_elsewhere.add(load);
        }
    }

    /// An attempt ended; without a result, it was given up.
    pub(super) fn finished(
        &mut self,
        model: usize,
        asked: &Asked,
        now: Tick,
        took: Duration,
        result: Option<Response>,
    ) {
        if let Some(evidence) = self.evidence_of(asked).get_mut(model) {
            evidence.in_flight = evidence.in_flight.saturating_sub(1);
            evidence.is_unproven &= !(result == Some(Ok(())) && took < SLOW);
        }
        let answered = match result {
            Some(Ok(())) => 1.0,
            None => 0.5,
            Some(Err(fault)) => match fault.kind {
                ErrorKind::AttemptTimeout | ErrorKind::StreamBroken => 0.5,
                _ => 0.0,
            },
        };
        if answered > 0.0
            && let Some([input, output]) = self.params.models.get(model).map(|model| model.price)
        {
            let tokens = asked.tokens as f64 * input + asked.output as f64 * answered * output;
            self.measures.cost += tokens / 1e6;
        }
        let fault = result.and_then(Response::err);
        let is_the_calls_own = |fault: Fault| {
            matches!(
                fault.kind,
                ErrorKind::InvalidRequest | ErrorKind::ContentFilter | ErrorKind::ContextOverflow
            )
        };
        if fault.is_some_and(is_the_calls_own) || (fault.is_none() && took < SLOW) {
            return;
        }
        // A quota is the organisation's: it speaks of all models of its provider.
        let is_of_quota = |kind| matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted);
        let is_wide = fault.is_some_and(|fault| is_of_quota(fault.kind));
        let told = fault.and_then(|fault| fault.retry_after).unwrap_or_default();
        let provider = self.providers.get(model).copied();
        let group = self.group(asked);
        let of_group = self.evidence.get_mut(group).into_iter().flatten();
        for ((other, evidence), of) in of_group.enumerate().zip(&self.providers) {
            if other == model || (is_wide && Some(*of) == provider) {
                evidence.failed = Some(now);
                evidence.is_unproven = true;
                evidence.told = evidence.told.max(now.after(told));
            }
        }
    }

    /// Those who know what the instance of a call knows.
    fn group(&self, asked: &Asked) -> usize {
        if self.is_shared { 0 } else { asked.instance as usize }
    }

    fn evidence_of(&mut self, asked: &Asked) -> &mut [Evidence] {
        let group = self.group(asked);
        self.evidence.get_mut(group).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// The models that would answer `asked` now, against which nobody who could tell has anything: bits.
    pub(super) fn evidently_well(
        &self,
        providers: &Providers,
        quotas: &[Quota],
        asked: &Asked,
        now: Tick,
    ) -> u64 {
        let mut well = 0;
        for (model, evidence) in self.evidence.get(self.group(asked)).into_iter().flatten().enumerate() {
            let has_room =
                || quotas.get(providers.provider_of(model)).is_some_and(|quota| quota.has_room(now));
            let is_clear = || providers.weather.at(model, now).0.is_empty();
            if !evidence.speaks_against(now) && has_room() && is_clear() && providers.is_able(asked, model) {
                well |= 1 << model;
            }
        }
        well
    }

    /// A call slept, while the models in `well` were.
    pub(super) fn slept(&mut self, since: Tick, now: Tick, well: u64) {
        self.measures.idle += u64::from(well != 0 && now.since(since) > INSTANT);
    }

    /// A call ended.
    pub(super) fn answered(&mut self, took: Duration, limit: Duration, is_answered: bool) {
        let is_late = took > limit + INSTANT;
        self.measures.late += u64::from(is_late);
        self.measures.answered += u64::from(is_answered && !is_late);
        self.waits_ms.push(u32::try_from(took.as_millis()).unwrap_or(u32::MAX));
    }

    /// A session came to its end.
    pub(super) fn session_ended(&mut self) {
        self.measures.sessions += 1;
    }

    /// A session ended because of a call that was not answered.
    pub(super) fn session_failed(&mut self, asked: &Asked, error: ErrorKind, is_hopeless: bool) {
        self.measures.sessions += 1;
        if asked.is_bug {
            self.measures.caller_bugs += 1;
        } else {
            *self.measures.failed.entry(error).or_default() += 1;
            self.measures.lost.insert(asked.session());
            if is_hopeless {
                self.measures.hopeless.insert(asked.session());
            }
        }
    }

    /// What it comes to.
    pub(super) fn measures(&mut self) -> Measures {
        let mut measures = self.measures.clone();
        self.waits_ms.sort_unstable();
        let last = self.waits_ms.len().saturating_sub(1) as f64;
        measures.waits_s = [0.5, 0.99, 0.999].map(|part| {
            let place = (last * part).round() as usize;
            self.waits_ms.get(place).map_or(0.0, |ms| f64::from(*ms) / 1e3)
        });
        let windows = || self.windows.values().filter(|load| load.calls >= FEW).copied();
        let most =
            |of: fn(&Load) -> f64| windows().max_by(|a, b| of(a).total_cmp(&of(b))).unwrap_or_default();
        measures.worst = most(Load::ratio);
        measures.hardest = most(|load| load.ratio() - load.most_in_five_minutes());
        measures
    }
}
