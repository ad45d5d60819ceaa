//! Incidents of each model over time: fixed before the first call, the same for every policy.

use std::time::Duration;

use hooks_core::time::Tick;

use super::dice::{Dice, Purpose};
use super::params::{IncidentKind, IncidentParams, ModelParams, Params, RetryAfter};
use super::policy::ATTEMPT;

/// A model that answers less than this share of its attempts answers nothing.
pub(super) const HOPELESS: f64 = 0.01;

/// One incident, with its start and end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incident {
    pub(super) kind: IncidentKind,
    pub(super) from: Tick,
    pub(super) until: Tick,
    pub(super) share: f64,
    pub(super) slower: f64,
    pub(super) retry_after: RetryAfter,
}

/// All incidents.
#[derive(Debug)]
pub(super) struct Weather {
    /// For each model, in order.
    models: Vec<Vec<Segment>>,
}

/// The time from one start or end of an incident until the next.
#[derive(Clone, Debug)]
struct Segment {
    from: Tick,
    /// Incidents during the segment.
    incidents: Vec<Incident>,
    /// The share of its attempts that the model answers, and in time.
    answered: f64,
}

impl Weather {
    /// The weather of `params`.
    pub(super) fn new(params: &Params) -> Self {
        let mut models = vec![Vec::new(); params.models.len()];
        for (front, incident) in params.incidents.iter().enumerate() {
            for (place, provider) in params.providers.iter().enumerate() {
                if incident.provider.as_ref().is_some_and(|name| *name != provider.name) {
                    continue;
                }
                let whose = if incident.at_once { 0 } else { place as u64 };
                let mut dice = Dice::new(params.seed, Purpose::Weather, [front as u64, whose]);
                let happened = happen(incident, params.days, &mut dice);
                for (model, of_model) in params.models.iter().zip(&mut models) {
                    let is_hit = model.provider == provider.name
                        && incident.model.as_ref().is_none_or(|name| *name == model.name);
                    if is_hit {
                        of_model.extend_from_slice(&happened);
                    }
                }
            }
        }
        let of_model = |(incidents, model): (&Vec<Incident>, &ModelParams)| {
            segments(incidents, |going_on| answered(going_on, model.answer_s, params.everyday.spread))
        };
        Self { models: models.iter().zip(&params.models).map(of_model).collect() }
    }

    /// Incidents of `model` at `now`, and the time at which they change.
    pub(super) fn at(&self, model: usize, now: Tick) -> (&[Incident], Option<Tick>) {
        let (current, next) = self.segments_at(model, now);
        (current.map_or(&[], |segment| &segment.incidents), next.map(|segment| segment.from))
    }

    /// The share of its attempts that `model` answers in the weather of `now`, and in time.
    pub(super) fn answered_share(&self, model: usize, now: Tick) -> f64 {
        self.segments_at(model, now).0.map_or(1.0, |segment| segment.answered)
    }

    /// The segment of `model` that `now` is in, and the next one.
    fn segments_at(&self, model: usize, now: Tick) -> (Option<&Segment>, Option<&Segment>) {
        let Some(segments) = self.models.get(model) else { return (None, None) };
        let next = segments.partition_point(|segment| segment.from <= now);
        (next.checked_sub(1).and_then(|current| segments.get(current)), segments.get(next))
    }

    /// The share of the model that answers most of its attempts.
    pub(super) fn best_share(&self, now: Tick) -> f64 {
        (0..self.models.len()).map(|model| self.answered_share(model, now)).fold(0.0, f64::max)
    }
}

/// When an incident happens.
fn happen(params: &IncidentParams, days: f64, dice: &mut Dice) -> Vec<Incident> {
    const DAY: f64 = 86_400.0;
    let end = days * DAY;
    let mut starts = Vec::new();
    if params.per_day > 0.0 {
        let mut at = dice.gap(DAY / params.per_day);
        while at < end {
            starts.push(at);
            at += dice.gap(DAY / params.per_day);
        }
    }
    for minute in &params.at_min {
        let mut at = minute * 60.0;
        while at < end {
            starts.push(at);
            let Some(every) = params.every_days.filter(|days| *days > 0.0) else { break };
            at += every * DAY;
        }
    }
    let incident = |from: f64| {
        let from = Tick(Duration::from_secs_f64(from));
        Incident {
            kind: params.kind,
            from,
            until: from.after(Duration::from_secs_f64(60.0 * dice.log_between(params.minutes))),
            share: dice.between(params.share),
            slower: dice.between(params.slower),
            retry_after: params.retry_after,
        }
    };
    starts.into_iter().map(incident).collect()
}

/// The share of its attempts that a model answers in time while `incidents` go on, of answers with this median and spread.
fn answered(incidents: &[Incident], median_s: f64, spread: f64) -> f64 {
    let Some((incident, others)) = incidents.split_first() else { return in_time(median_s, spread) };
    let spared = (1.0 - incident.share) * answered(others, median_s, spread);
    match incident.kind {
        IncidentKind::Slow => spared + incident.share * answered(others, median_s * incident.slower, spread),
        IncidentKind::Failing | IncidentKind::RateLimited | IncidentKind::SpendCap => spared,
    }
}

/// The share of log-normal answers that take no longer than an attempt may: the normal distribution, as close as a logistic curve
/// comes to it.
fn in_time(median_s: f64, spread: f64) -> f64 {
    let deviations = (ATTEMPT.as_secs_f64() / median_s).ln() / spread.max(1e-9);
    1.0 / (1.0 + (-1.702 * deviations).exp())
}

/// Cuts overlapping incidents at their ends.
fn segments(incidents: &[Incident], answered: impl Fn(&[Incident]) -> f64) -> Vec<Segment> {
    let mut cuts: Vec<Tick> = incidents.iter().flat_map(|incident| [incident.from, incident.until]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let segment = |from: Tick| {
        let goes_on = |incident: &&Incident| incident.from <= from && from < incident.until;
        let incidents: Vec<Incident> = incidents.iter().filter(goes_on).copied().collect();
        let answered = answered(&incidents);
        Segment { from, incidents, answered }
    };
    cuts.into_iter().map(segment).collect()
}
