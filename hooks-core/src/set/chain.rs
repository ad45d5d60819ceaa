//! Asks several parts that may wait and rewrite, one after the other, and keeps law 2 between them.

use super::provider::Prepared;
use super::slot::goes_on;
use crate::event::Event;
use crate::future::{HookFuture, noting_wait};
use crate::outcome::{Judged, Outcome};
use crate::request::{Evaluation, HookRequest, Stage};
use crate::verdict::Strength;

/// Asks each of `parts` to prepare the event as the part before left it. Afterwards, parts that decided
/// before the last rewrite are asked again. The future is ready at once if no part had to wait.
/// `already_said` is merged before the answers of the parts.
pub(super) fn prepare_in_turn<'a, E, P, F>(
    parts: &'a [P],
    request: HookRequest<E>,
    already_said: E::Outcome,
    ask: F,
) -> HookFuture<'a, Prepared<E>>
where
    E: Event<Outcome: Judged<E>>,
    P: Sync,
    F: Fn(&'a P, HookRequest<E>) -> HookFuture<'a, Prepared<E>> + Send + 'a,
{
    let mut chain = Chain { request, settled: already_said, judgements: Vec::new() };
    let mut rest = parts.iter();
    while let Some(part) = rest.next() {
        match ask(part, chain.request.clone()) {
            HookFuture::Now(Some(prepared)) => chain.add(part, prepared),
            waiting => {
                return HookFuture::later(async move {
                    let (prepared, mut has_waited) = noting_wait(waiting).await;
                    chain.add(part, prepared);
                    for part in rest {
                        if !chain.goes_on() {
                            break;
                        }
                        // An earlier part had to wait, so facts of the event are derived again (law 6).
                        if has_waited {
                            chain.request = chain.request.refreshed();
                        }
                        let prepared;
                        (prepared, has_waited) = noting_wait(ask(part, chain.request.clone())).await;
                        chain.add(part, prepared);
                    }
                    chain.judged_again(ask).await
                });
            }
        }
        if !chain.goes_on() {
            break;
        }
    }
    if chain.is_stale() { HookFuture::later(chain.judged_again(ask)) } else { HookFuture::now(chain.end()) }
}

struct Chain<'a, E: Event, P> {
    /// The event as it is now.
    request: HookRequest<E>,
    /// Answers that no rewrite makes stale.
    settled: E::Outcome,
    /// Answers of deciders that wait, each with its part and the revision that it is about.
    judgements: Vec<(&'a P, E::Outcome, u32)>,
}

impl<'a, E: Event<Outcome: Judged<E>>, P> Chain<'a, E, P> {
    fn add(&mut self, part: &'a P, prepared: Prepared<E>) {
        let Prepared { request, outcome, judged_at } = prepared;
        let revision = request.revision();
        // Stage and evaluation are set by the caller, not by a part; in the judging stage the event cannot
        // change.
        let (stage, evaluation) = (self.request.stage(), self.request.evaluation());
        if stage != Stage::Judge {
            self.request = request.at(stage).evaluated(evaluation);
        }
        // An allow without a revision is about the event in the state in which it was returned.
        let judged_at = judged_at.or((outcome.strength() == Strength::Allow).then_some(revision));
        match judged_at {
            None => self.settled.merge(outcome),
            Some(revision) => self.judgements.push((part, outcome, revision)),
        }
    }

    fn goes_on(&self) -> bool {
        goes_on(&self.settled, &self.request)
            && self.judgements.last().is_none_or(|(_, outcome, _)| goes_on(outcome, &self.request))
    }

    fn is_stale(&self) -> bool {
        self.judgements.iter().any(|(_, _, revision)| *revision != self.request.revision())
    }

    /// Asks the parts again that decided about an earlier event. Of their earlier answers, deny and ask stay.
    /// If a further answer cannot change the result, no part is asked.
    async fn judged_again<F>(mut self, ask: F) -> Prepared<E>
    where
        F: Fn(&'a P, HookRequest<E>) -> HookFuture<'a, Prepared<E>>,
    {
        if !self.goes_on() {
            return self.end();
        }
        let last = self.request.revision();
        let stage = self.request.stage();
        let asks_until_denied = self.request.evaluation() == Evaluation::UntilDenied;
        let mut denied = !self.goes_on();
        for index in 0..self.judgements.len() {
            let Some((part, outcome, revision)) = self.judgements.get_mut(index) else { break };
            if *revision == last {
                continue;
            }
            outcome.make_stale();
            if denied && asks_until_denied {
                continue;
            }
            let part = *part;
            let again = ask(part, self.request.clone().refreshed().at(Stage::Judge)).await;
            denied |= again.outcome.is_denied();
            if let Some((_, outcome, revision)) = self.judgements.get_mut(index) {
                outcome.merge(again.outcome);
                *revision = last;
            }
        }
        self.request = self.request.at(stage);
        self.end()
    }

    fn end(self) -> Prepared<E> {
        let judged_at = (!self.judgements.is_empty()).then(|| self.request.revision());
        let mut outcome = self.settled;
        for (_, judgement, _) in self.judgements {
            outcome.merge(judgement);
        }
        Prepared { request: self.request, outcome, judged_at }
    }
}
