//! The requests of the agents: sessions that begin independently of earlier results, and the calls of each.

use std::time::Duration;

use hooks_core::time::Tick;

use super::dice::{Dice, Purpose};
use super::params::Params;

/// The start of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Tick,
    pub(super) instance: u32,
    /// Number of the session, from 0 in order of arrival.
    pub(super) session: u64,
}

/// A call of an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentCall {
    /// Key of the call, which determines its luck.
    pub(super) key: u64,
    pub(super) instance: u32,
    /// Real number of input tokens; `estimate` is the host's.
    pub(super) tokens: u64,
    pub(super) estimate: u64,
    /// Number of output tokens.
    pub(super) output: u64,
    /// Whether every provider would reject the call.
    pub(super) is_bug: bool,
    /// Time that the agent takes before the call.
    pub(super) think: Duration,
}

/// More calls than any session makes. The key of a call is its session's number times this, plus its own
/// number in the session.
const CALLS: u64 = 1_000;

impl AgentCall {
    /// The number of the session.
    pub(super) const fn session(&self) -> u64 {
        self.key / CALLS
    }
}

/// All sessions, in order.
pub(super) fn arrivals(params: &Params) -> Vec<Arrival> {
    let end = params.days * 86_400.0;
    let mut found = Vec::new();
    for instance in 0..params.instances {
        let mut dice = Dice::new(params.seed, Purpose::Arrivals, [u64::from(instance), 0]);
        // Thinned from a process as dense as at noon, so that the density follows the time of day.
        let peak = 1.0 + params.traffic.day_swing;
        let mut at = dice.gap(params.traffic.session_every_s / peak);
        while at < end {
            let density = 1.0 - params.traffic.day_swing * (at / 86_400.0 * std::f64::consts::TAU).cos();
            if dice.chance(density / peak) {
                found.push((Tick(Duration::from_secs_f64(at)), instance));
            }
            at += dice.gap(params.traffic.session_every_s / peak);
        }
    }
    found.sort_unstable();
    let number = |((at, instance), session)| Arrival { at, instance, session };
    found.into_iter().zip(0..).map(number).collect()
}

/// The calls of one session.
#[derive(Debug)]
pub(super) struct Conversation {
    arrival: Arrival,
    dice: Dice,
    left: u64,
    next: u64,
    tokens: f64,
    factor: f64,
}

impl Conversation {
    /// The session of `arrival`.
    pub(super) fn new(params: &Params, arrival: Arrival) -> Self {
        let traffic = &params.traffic;
        let mut dice = Dice::new(params.seed, Purpose::Session, [arrival.session, 0]);
        let left = dice.between(traffic.calls).round() as u64;
        let tokens = dice.between(traffic.first_tokens);
        let factor = if dice.chance(traffic.heavy_share) { traffic.heavy_factor } else { 1.0 };
        Self { arrival, dice, left, next: 0, tokens, factor }
    }

    /// The next call; `None` at the end.
    pub(super) fn next(&mut self, params: &Params) -> Option<AgentCall> {
        self.left = self.left.checked_sub(1)?;
        let key = self.arrival.session * CALLS + self.next;
        self.next += 1;
        let traffic = &params.traffic;
        let mut dice = Dice::new(params.seed, Purpose::Call, [key, 0]);
        let tokens = self.tokens * self.factor;
        self.tokens += self.dice.between(traffic.growth_tokens);
        Some(AgentCall {
            key,
            instance: self.arrival.instance,
            tokens: tokens as u64,
            estimate: (tokens * dice.between(traffic.estimate)) as u64,
            output: dice.between(traffic.output_tokens) as u64,
            is_bug: dice.chance(params.everyday.caller_bug),
            think: Duration::from_secs_f64(dice.between(traffic.think_s)),
        })
    }

    /// Shrinks the conversation after a compaction.
    pub(super) fn shrink(&mut self, factor: f64) {
        self.tokens *= factor;
    }
}
