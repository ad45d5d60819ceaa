//! What goes wrong when, for each model: fixed before the first call, the same for every policy.

use std::time::Duration;

use hooks_core::time::Tick;

use super::dice::{Dice, Purpose};
use super::params::{IncidentKind, IncidentParams, Params, RetryAfter};

/// One thing that goes wrong, from when to when.
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
    /// For each model: moments at which something begins or ends, and what goes on from there.
    models: Vec<Vec<(Tick, Vec<Incident>)>>,
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
                let mut dice = Dice::of(params.seed, Purpose::Weather, [front as u64, whose]);
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
        Self { models: models.iter().map(|incidents| segments(incidents)).collect() }
    }

    /// What goes on at `model` at `now`, and from when on something else does.
    pub(super) fn at(&self, model: usize, now: Tick) -> (&[Incident], Option<Tick>) {
        let Some(segments) = self.models.get(model) else { return (&[], None) };
        let next = segments.partition_point(|(from, _)| *from <= now);
        let until = segments.get(next).map(|(from, _)| *from);
        let incidents = next.checked_sub(1).and_then(|current| segments.get(current));
        (incidents.map_or(&[], |(_, incidents)| incidents), until)
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

/// Cuts overlapping incidents at their ends.
fn segments(incidents: &[Incident]) -> Vec<(Tick, Vec<Incident>)> {
    let mut cuts: Vec<Tick> = incidents.iter().flat_map(|incident| [incident.from, incident.until]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let going_on = |at: Tick| {
        incidents.iter().filter(|incident| incident.from <= at && at < incident.until).copied().collect()
    };
    cuts.into_iter().map(|at| (at, going_on(at))).collect()
}
