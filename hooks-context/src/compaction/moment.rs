//! The events around a compaction.

use std::sync::Arc;

use hooks_core::event::{PostCompact, PreCompact, SessionStart, StartSource, TurnStart};
use hooks_core::{Event, HookFuture, HookRequest, Outcome, Reason, Stage, Verdict};

use super::hand_over::HandOver;
use super::settings::STATE;
use super::{Compacting, Survivors};

/// An event at which texts are handed over, or given again.
pub trait CompactionMoment: Event {
    /// Starts the work for this event, or returns `None` if there is nothing to do.
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>>;

    /// Adds the hand-over to the outcome.
    fn add(request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver);
}

impl CompactionMoment for PreCompact {
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>> {
        let (context, asked) = (Arc::clone(request.context()), request.event().clone());
        // At the judge stage, the texts were already handed over when the event was prepared.
        (request.stage() != Stage::Judge)
            .then(|| HookFuture::later(compacting.clone().hand_over(context, asked)))
    }

    fn add(_request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver) {
        let HandOver { veto, notes, summary, survivors } = hand_over;
        if let Some(why) = veto {
            outcome.merge(Verdict::deny(Reason::new("compaction", "veto", why)).into());
            return;
        }
        let mine = outcome.notes_mut();
        mine.context.additional_context.extend(notes);
        if mine.summary.is_none() {
            mine.summary = summary;
        }
        if survivors != Survivors::default()
            && let Ok(state) = serde_json::to_value(survivors)
        {
            mine.exported_state.entry(STATE).or_insert(state);
        }
    }
}

impl CompactionMoment for PostCompact {
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>> {
        compacting.ledger.change(request.context(), |known| known.due = std::mem::take(&mut known.handed));
        None
    }

    fn add(_request: &HookRequest<Self>, (): &mut (), _hand_over: HandOver) {}
}

impl CompactionMoment for SessionStart {
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>> {
        if request.event().source != StartSource::Compact {
            return None;
        }
        // The team's context is given again at such a start by `AutoContext` itself.
        let survivors = compacting.ledger.change(request.context(), |known| {
            known.due.clear();
            known.survivors.clone()
        });
        let notes = compacting.kept(&survivors, request.event().model.as_deref());
        Some(HookFuture::now(HandOver { notes, ..HandOver::default() }))
    }

    fn add(_request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver) {
        outcome.additional_context.extend(hand_over.notes);
    }
}

impl CompactionMoment for TurnStart {
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>> {
        // Texts stay due until a model call shows that the model has them.
        let due = compacting.ledger.look(request.context(), |known| known.due.clone());
        (!due.is_empty()).then(|| HookFuture::now(HandOver { notes: due, ..HandOver::default() }))
    }

    fn add(_request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver) {
        outcome.additional_context.extend(hand_over.notes);
    }
}
