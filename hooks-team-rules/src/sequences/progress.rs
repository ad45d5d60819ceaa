//! State of all rules in one session: what happened so far, as far as it can change a later verdict.
//!
//! The state of a rule has a constant size. Steps are numbered, so that a call that lifts a rule can be compared with the
//! calls after which the rule applies: it has to start after the last of them.

use std::collections::BTreeMap;

use super::config::TaintEvidence;
use super::rule::{Form, Hit, Rule, Why};
use super::window::Window;

/// Most calls whose result is awaited. Beyond, the oldest is forgotten: its result lifts no rule, and a result of it that
/// is protected counts as unknown for the rest of the session.
pub(super) const MOST_OPEN: usize = 64;

/// Most rules whose state is kept. Beyond, the state of rules that are not configured is dropped.
const MOST_RULES: usize = 512;

/// State of the rules in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SessionState {
    /// Latest time that was seen, in milliseconds. If the clock goes back, this time is used.
    pub(super) clock: u64,
    /// Number of the last step.
    pub(super) step: u64,
    /// Calls whose result is awaited, the oldest first.
    pub(super) open: Vec<OpenCall>,
    /// State of each rule that has any, by the id of the rule.
    pub(super) rules: BTreeMap<u64, Progress>,
}

/// Call whose result is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenCall {
    pub(super) call: CallKey,
    /// Step with which it started.
    pub(super) step: u64,
}

/// Identity of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallKey {
    /// Hash of the id that the client gave the call; of its tool and arguments if it has none.
    pub(super) id: u64,
    /// Hash of its tool and arguments.
    pub(super) digest: u64,
}

/// State of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Last step that matches `after` or `from`; 0 if there was none, or if a later call lifted it.
    pub(super) since: u64,
    /// Number of calls whose protected result is awaited.
    pub(super) awaited: u64,
    /// Whether the protected results are more than can be remembered.
    pub(super) is_full: bool,
    /// Number of calls of the session.
    pub(super) calls: u64,
    /// Calls in the window.
    pub(super) window: Window,
}

/// Effects of the start of a call, to take back if it does not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Started {
    step: u64,
    time: u64,
    effects: Vec<Effect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Since { rule: u64, before: u64 },
    Awaited { rule: u64 },
    Counted { rule: u64 },
}

impl CallKey {
    /// Returns whether the client gave the call an id.
    const fn has_id(self) -> bool {
        self.id != self.digest
    }
}

impl SessionState {
    /// Returns whether a call is a second report of one that runs.
    pub(super) fn is_repeated(&self, call: CallKey) -> bool {
        call.has_id() && self.open.iter().any(|open| open.call == call)
    }

    /// Returns why a rule is about a call; pieces of results are not compared.
    pub(super) fn judge(&self, rule: &Rule, hit: Hit, now: u64) -> Option<Why> {
        if !hit.is_target {
            return None;
        }
        let none = Progress::default();
        let progress = self.rules.get(&rule.id).unwrap_or(&none);
        let earlier = (progress.since > 0).then_some(Why::Earlier);
        match &rule.form {
            Form::Never { .. } => earlier,
            Form::Count { at_most, within, .. } => {
                let now = now.max(self.clock);
                let ran = within.map_or(progress.calls, |within| progress.window.count(now, within));
                (ran >= *at_most).then_some(Why::Count(ran))
            }
            Form::Taint { .. } if hit.advances => Some(Why::Itself),
            Form::Taint { by: TaintEvidence::Session, .. } => earlier,
            Form::Taint { by: TaintEvidence::Content, .. } if progress.is_full => Some(Why::TooMuch),
            Form::Taint { by: TaintEvidence::Content, .. } => (progress.awaited > 0).then_some(Why::InFlight),
        }
    }

    /// Records the start of a call.
    pub(super) fn start(&mut self, rules: &[Rule], hits: &[Hit], call: CallKey, now: u64) -> Started {
        let (step, now) = self.next(now);
        let mut started = Started { step, time: now, effects: Vec::new() };
        for (hit, rule) in hits.iter().filter_map(|hit| Some((hit, rules.get(hit.rule)?))) {
            if !hit.advances {
                continue;
            }
            let progress = self.rules.entry(rule.id).or_default();
            match &rule.form {
                Form::Never { .. } if hit.starts => {
                    started.effects.push(progress.advance(rule.id, step));
                }
                Form::Count { at_most, within, .. } if hit.starts => {
                    progress.count(now, *at_most, *within);
                    started.effects.push(Effect::Counted { rule: rule.id });
                }
                // Their calls count when the result is known.
                Form::Never { .. } | Form::Count { .. } => {}
                Form::Taint { by: TaintEvidence::Session, .. } => {
                    started.effects.push(progress.advance(rule.id, step));
                }
                Form::Taint { by: TaintEvidence::Content, .. } => {
                    progress.awaited = progress.awaited.saturating_add(1);
                    started.effects.push(Effect::Awaited { rule: rule.id });
                }
            }
        }
        self.open.push(OpenCall { call, step });
        let over = self.open.len().saturating_sub(MOST_OPEN);
        self.open.drain(..over);
        self.prune(rules);
        started
    }

    /// Takes back the effects of a call that did not run after all.
    pub(super) fn take_back(&mut self, started: &Started) {
        self.open.retain(|open| open.step != started.step);
        for effect in &started.effects {
            let (Effect::Since { rule, .. } | Effect::Awaited { rule } | Effect::Counted { rule }) = effect;
            let Some(progress) = self.rules.get_mut(rule) else { continue };
            match effect {
                // A later step stays.
                Effect::Since { before, .. } if progress.since == started.step => progress.since = *before,
                Effect::Since { .. } => {}
                Effect::Awaited { .. } => progress.awaited = progress.awaited.saturating_sub(1),
                Effect::Counted { .. } => {
                    progress.calls = progress.calls.saturating_sub(1);
                    progress.window.remove(started.time);
                }
            }
        }
    }

    /// Records the result of a call, whose roles are `hits`.
    pub(super) fn finish(&mut self, rules: &[Rule], hits: &[Hit], call: CallKey, now: u64) {
        let (step, now) = self.next(now);
        let at = self.open.iter().position(|open| open.call.id == call.id);
        let began = at.map(|at| self.open.remove(at).step);
        for (hit, rule) in hits.iter().filter_map(|hit| Some((hit, rules.get(hit.rule)?))) {
            let progress = self.rules.entry(rule.id).or_default();
            match &rule.form {
                Form::Never { .. } => {
                    if hit.lifts && began.is_some_and(|began| progress.since < began) {
                        progress.since = 0;
                    }
                    // The effects of a call last until its result: what lifts the rule has to start later.
                    if hit.advances {
                        progress.since = step;
                    }
                }
                Form::Count { at_most, within, .. } => {
                    if hit.advances && !hit.starts {
                        progress.count(now, *at_most, *within);
                    }
                }
                Form::Taint { by: TaintEvidence::Session, .. } if hit.advances => progress.since = step,
                Form::Taint { by: TaintEvidence::Content, .. } if hit.advances && began.is_some() => {
                    progress.awaited = progress.awaited.saturating_sub(1);
                }
                Form::Taint { .. } => {}
            }
        }
        self.prune(rules);
    }

    /// Records that the protected results of a rule are more than can be remembered.
    pub(super) fn fill(&mut self, rule: &Rule) {
        self.rules.entry(rule.id).or_default().is_full = true;
    }

    fn next(&mut self, now: u64) -> (u64, u64) {
        self.step = self.step.saturating_add(1);
        self.clock = self.clock.max(now);
        (self.step, self.clock)
    }

    /// Drops rules without state; beyond the bound, also those that are not configured.
    fn prune(&mut self, rules: &[Rule]) {
        let none = Progress::default();
        self.rules.retain(|_, progress| *progress != none);
        if self.rules.len() > MOST_RULES {
            self.rules.retain(|id, _| rules.iter().any(|rule| rule.id == *id));
        }
    }
}

impl Progress {
    fn advance(&mut self, rule: u64, step: u64) -> Effect {
        Effect::Since { rule, before: std::mem::replace(&mut self.since, step) }
    }

    fn count(&mut self, now: u64, at_most: u64, within: Option<u64>) {
        match within {
            Some(within) => self.window.add(now, within, at_most),
            None => self.calls = self.calls.saturating_add(1),
        }
    }
}
