//! Measures of a run, taken from outside: a policy is never asked about its own work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Tick;
use hooks_resilience::ErrorKind;
use serde::Serialize;

use super::params::Params;
use super::providers::{Fault, Providers, Quota, Response};
use super::traffic::AgentCall;
use super::weather::{HOPELESS, Weather};

/// Collector of the measures of one run.
#[derive(Debug)]
pub(super) struct Meter {
    params: Arc<Params>,
    /// Start and end of each time in which the first model of the chain has an incident.
    trouble: Vec<(Tick, Tick)>,
    /// The provider of each model.
    providers: Vec<usize>,
    /// Whether all instances share what they know; otherwise each knows only its own calls.
    is_shared: bool,
    evidence: Vec<Vec<Evidence>>,
    windows: BTreeMap<u64, Load>,
    waits_ms: Vec<u32>,
    measures: Measures,
}

/// Measures of one policy in one storm.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Measures {
    pub(super) sessions: u64,
    /// Sessions that ended because of a call that no provider would have answered.
    pub(super) caller_bugs: u64,
    /// Sessions that ended for other reasons, by the last error.
    pub(super) failed: BTreeMap<ErrorKind, u64>,
    /// The sessions counted in `failed`.
    #[serde(skip)]
    lost: BTreeSet<u64>,
    /// Sessions of `lost` whose last call no model could have answered between its start and its deadline.
    #[serde(skip)]
    hopeless: BTreeSet<u64>,
    /// All calls, and all attempts.
    pub(super) all: Load,
    /// Calls that were answered by their deadline.
    pub(super) answered: u64,
    /// Calls, and attempts with the first provider, while its first model had an incident.
    pub(super) in_trouble: Load,
    /// The same, while a model of another provider had no incident, so that no call needed the provider in
    /// trouble.
    pub(super) in_trouble_elsewhere: Load,
    /// The five minutes of `in_trouble` with the most attempts for each call.
    pub(super) worst: Load,
    /// The five minutes of `in_trouble` that are nearest to the limit of attempts, or furthest beyond it.
    pub(super) hardest: Load,
    /// Calls that ended after their deadline.
    pub(super) late: u64,
    /// Number of times that a call waited although another model, with no evidence against it, would have
    /// answered.
    pub(super) idle: u64,
    /// The first few of these times.
    first_idle: Vec<IdleWait>,
    /// The first few sessions of `failed`.
    first_lost: Vec<LostSession>,
    /// Duration of calls in seconds: median, 99th and 99.9th percentile.
    pub(super) waits_s: [f64; 3],
    /// In US dollars.
    pub(super) cost: f64,
}

/// A time for which a call waited although another model would have answered.
#[derive(Clone, Debug, Serialize)]
struct IdleWait {
    since_s: f64,
    seconds: f64,
    /// Models that would have answered.
    well: Vec<String>,
}

/// The last call of a session that was lost.
#[derive(Clone, Debug, Serialize)]
struct LostSession {
    session: u64,
    began_s: f64,
    ended_s: f64,
    error: ErrorKind,
    /// Whether no model could have answered the call in its time.
    is_hopeless: bool,
}

/// Calls that began, and attempts.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Load {
    pub(super) calls: u64,
    pub(super) attempts: u64,
    /// Attempts made while at least one model of any provider answered some attempts.
    answerable: u64,
    /// Sum, over these attempts, of the share of attempts that the best of all models answered.
    shares: f64,
}

/// Evidence about a model.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    failed: Option<Tick>,
    /// Time until which the provider asked to leave the model alone.
    told: Tick,
    /// Whether the model gave no quick answer since it failed.
    is_unproven: bool,
    in_flight: u32,
}

impl Evidence {
    /// Whether there is evidence against the model: a recent failure, a wait that its provider asked for, or
    /// an older failure that was not disproved while a call is testing the model.
    ///
    /// One call at a time tests a model that failed, so that 200 returning calls do not. The other calls are
    /// not idle meanwhile. If no call is testing the model, an old failure is no reason to wait.
    fn speaks_against(&self, now: Tick) -> bool {
        let is_fresh = self.failed.is_some_and(|failed| now.since(failed) <= MEMORY);
        is_fresh || self.told > now || (self.is_unproven && self.in_flight > 0)
    }
}

/// Time for which a failure counts as evidence against a model.
const MEMORY: Duration = Duration::from_secs(600);
/// An attempt that took this long, answered or not, counts as evidence against a model too.
pub(super) const SLOW: Duration = Duration::from_secs(30);
/// A shorter wait does not count as one.
const INSTANT: Duration = Duration::from_millis(50);
/// Length of the windows in which load is measured.
const WINDOW: Duration = Duration::from_secs(300);
/// Most attempts with a failing provider for each call in five minutes.
const MOST_IN_FIVE_MINUTES: f64 = 2.0;
/// Number of idle waits, and of lost sessions, that are listed with their times.
const LISTED: usize = 16;
/// Fewest calls of a window that is judged; fewer show nothing.
const FEW: u64 = 30;

impl Measures {
    /// Share of sessions that failed, without those that no provider could have helped.
    pub(super) fn failures(&self) -> f64 {
        ratio(self.lost.len() as u64, self.sessions)
    }

    /// Share of sessions that failed although they could have been saved: those that `oracle` did not lose.
    /// The oracle met the same weather, calls and quotas, and knew all of them.
    ///
    /// A call that no model could have answered in its time was not avoidable either. The oracle, which
    /// answers faster, was at another call of that session then.
    pub(super) fn avoidable(&self, oracle: &Self) -> f64 {
        let beyond = self.lost.difference(&oracle.lost);
        ratio(beyond.filter(|session| !self.hopeless.contains(session)).count() as u64, self.sessions)
    }

    /// Share of sessions that failed and that `oracle` did not lose, whether or not a model could have
    /// answered.
    pub(super) fn beyond(&self, oracle: &Self) -> f64 {
        ratio(self.lost.difference(&oracle.lost).count() as u64, self.sessions)
    }

    /// Attempts for each session that was completed; attempts for lost sessions are counted too.
    pub(super) fn attempts_a_session(&self) -> f64 {
        ratio(self.all.attempts, self.finished())
    }

    /// Calls for each session that was completed; calls of lost sessions are counted too.
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

    /// Share of its attempts that the best of all models would have answered, while any model answered some.
    pub(super) fn best_share(&self) -> f64 {
        if self.answerable == 0 { 1.0 } else { self.shares / self.answerable as f64 }
    }

    /// Number of attempts that a call needs, under any policy, until one is answered: two and a half with a
    /// model that answers two of five.
    pub(super) fn needed(&self) -> f64 {
        1.0 / self.best_share()
    }

    /// Most attempts for each call in five minutes: [`MOST_IN_FIVE_MINUTES`], or the number needed with the
    /// best of all models and three standard errors, because five minutes have only some dozen calls.
    pub(super) fn most_in_five_minutes(&self) -> f64 {
        let share = self.best_share();
        let error = (1.0 - share).sqrt() / share / (self.calls.max(1) as f64).sqrt();
        MOST_IN_FIVE_MINUTES.max(self.needed() + 3.0 * error)
    }
}

/// Number of the window that contains `at`.
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
    /// A call from an earlier window also counts as a call of this window. `counted` is the time at which the
    /// call was last counted.
    pub(super) fn attempted(
        &mut self,
        model: usize,
        call: &AgentCall,
        now: Tick,
        weather: &Weather,
        counted: &mut Tick,
    ) {
        let attempt = Load::attempt(weather.best_share(now));
        self.measures.all.add(attempt);
        if let Some(evidence) = self.evidence_of(call).get_mut(model) {
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
        call: &AgentCall,
        now: Tick,
        took: Duration,
        result: Option<Response>,
    ) {
        if let Some(evidence) = self.evidence_of(call).get_mut(model) {
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
            let tokens = call.tokens as f64 * input + call.output as f64 * answered * output;
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
        // A quota belongs to the organisation, so its refusal is evidence about all models of its provider.
        let is_of_quota = |kind| matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted);
        let is_wide = fault.is_some_and(|fault| is_of_quota(fault.kind));
        let told = fault.and_then(|fault| fault.retry_after).unwrap_or_default();
        let provider = self.providers.get(model).copied();
        let group = self.group(call);
        let of_group = self.evidence.get_mut(group).into_iter().flatten();
        for ((other, evidence), of) in of_group.enumerate().zip(&self.providers) {
            if other == model || (is_wide && Some(*of) == provider) {
                evidence.failed = Some(now);
                evidence.is_unproven = true;
                evidence.told = evidence.told.max(now.after(told));
            }
        }
    }

    /// Index of the group of instances that share what the instance of a call knows.
    fn group(&self, call: &AgentCall) -> usize {
        if self.is_shared { 0 } else { call.instance as usize }
    }

    fn evidence_of(&mut self, call: &AgentCall) -> &mut [Evidence] {
        let group = self.group(call);
        self.evidence.get_mut(group).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// Models that would answer `call` now, with no evidence against them in its group, as bits.
    pub(super) fn evidently_well(
        &self,
        providers: &Providers,
        quotas: &[Quota],
        call: &AgentCall,
        now: Tick,
    ) -> u64 {
        let mut well = 0;
        for (model, evidence) in self.evidence.get(self.group(call)).into_iter().flatten().enumerate() {
            let has_room =
                || quotas.get(providers.provider_of(model)).is_some_and(|quota| quota.has_room(now));
            let is_clear = || providers.weather.at(model, now).0.is_empty();
            if !evidence.speaks_against(now) && has_room() && is_clear() && providers.is_able(call, model) {
                well |= 1 << model;
            }
        }
        well
    }

    /// Records that a call slept while the models in `well` would have answered.
    pub(super) fn slept(&mut self, since: Tick, now: Tick, well: u64) {
        if well == 0 || now.since(since) <= INSTANT {
            return;
        }
        self.measures.idle += 1;
        if self.measures.first_idle.len() < LISTED {
            let models = self.params.models.iter().enumerate();
            let well =
                models.filter(|(place, _)| well >> place & 1 == 1).map(|(_, model)| model.name.clone());
            self.measures.first_idle.push(IdleWait {
                since_s: since.0.as_secs_f64(),
                seconds: now.since(since).as_secs_f64(),
                well: well.collect(),
            });
        }
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
    ///
    /// `times` are those at which that call began and ended.
    pub(super) fn session_failed(
        &mut self,
        call: &AgentCall,
        times: [Tick; 2],
        error: ErrorKind,
        is_hopeless: bool,
    ) {
        self.measures.sessions += 1;
        if call.is_bug {
            self.measures.caller_bugs += 1;
        } else {
            *self.measures.failed.entry(error).or_default() += 1;
            self.measures.lost.insert(call.session());
            if self.measures.first_lost.len() < LISTED {
                let [began_s, ended_s] = times.map(|time| time.0.as_secs_f64());
                let session = call.session();
                self.measures.first_lost.push(LostSession { session, began_s, ended_s, error, is_hopeless });
            }
            if is_hopeless {
                self.measures.hopeless.insert(call.session());
            }
        }
    }

    /// Returns the measures, with the percentiles and the windows that stand out.
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
