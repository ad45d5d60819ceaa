//! The events around a compaction.

use std::sync::Arc;

use hooks_core::event::{PostCompact, PreCompact, SessionStart, StartSource, TurnStart};
use hooks_core::{Event, HookFuture, HookRequest, Outcome, Reason, Stage, Verdict};

use super::hand_over::HandOver;
use super::settings::STATE;
use super::{Compacting, Survivors};

/// An event at which something is handed over, or given again.
pub trait CompactionMoment: Event {
    /// What is done then; nothing where nothing is to be.
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>>;

    /// Adds it to the answer.
    fn add(request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver);
}

impl CompactionMoment for PreCompact {
    fn work(compacting: &Compacting, request: &HookRequest<Self>) -> Option<HookFuture<'static, HandOver>> {
        let (context, asked) = (Arc::clone(request.context()), request.event().clone());
        // It was handed over when the event was prepared.
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
        // What the team knows is given again at such a start by itself.
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
        // What is due stays so until a model call has shown that it is there.
        let due = compacting.ledger.look(request.context(), |known| known.due.clone());
        (!due.is_empty()).then(|| HookFuture::now(HandOver { notes: due, ..HandOver::default() }))
    }

    fn add(_request: &HookRequest<Self>, outcome: &mut Self::Outcome, hand_over: HandOver) {
        outcome.additional_context.extend(hand_over.notes);
    }
}
