//! The events around a compaction.

use std::sync::Arc;

use hooks_core::beside::Beside;
use hooks_core::event::{PostCompact, PreCompact, SessionStart, StartSource, TurnStart};
use hooks_core::{Event, HookFuture, HookRequest, Outcome, Reason, Stage, Verdict};

use super::hand_over::HandOver;
use super::settings::STATE;
use super::{Compacting, Survivors};

impl Beside<PreCompact> for Compacting {
    type Done = HandOver;

    fn start(&self, request: &HookRequest<PreCompact>) -> Option<HookFuture<'static, HandOver>> {
        let (context, compaction) = (Arc::clone(request.context()), request.event().clone());
        // At the judge stage, the texts were already handed over when the event was prepared.
        (request.stage() != Stage::Judge)
            .then(|| HookFuture::later(self.clone().hand_over(context, compaction)))
    }

    fn add(
        _request: &HookRequest<PreCompact>,
        outcome: &mut <PreCompact as Event>::Outcome,
        hand_over: HandOver,
    ) {
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

impl Beside<PostCompact> for Compacting {
    type Done = HandOver;

    fn start(&self, request: &HookRequest<PostCompact>) -> Option<HookFuture<'static, HandOver>> {
        self.ledger.change(request.context(), |known| known.due = std::mem::take(&mut known.handed));
        None
    }

    fn add(_request: &HookRequest<PostCompact>, (): &mut (), _hand_over: HandOver) {}
}

impl Beside<SessionStart> for Compacting {
    type Done = HandOver;

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, HandOver>> {
        if request.event().source != StartSource::Compact {
            return None;
        }
        // The team's context is given again at such a start by `AutoContext` itself.
        let survivors = self.ledger.change(request.context(), |known| {
            known.due.clear();
            known.survivors.clone()
        });
        let notes = self.kept(&survivors, request.event().model.as_deref());
        Some(HookFuture::now(HandOver { notes, ..HandOver::default() }))
    }

    fn add(
        _request: &HookRequest<SessionStart>,
        outcome: &mut <SessionStart as Event>::Outcome,
        hand_over: HandOver,
    ) {
        outcome.additional_context.extend(hand_over.notes);
    }
}

impl Beside<TurnStart> for Compacting {
    type Done = HandOver;

    fn start(&self, request: &HookRequest<TurnStart>) -> Option<HookFuture<'static, HandOver>> {
        // Texts stay due until a model call shows that the model has them.
        let due = self.ledger.look(request.context(), |known| known.due.clone());
        (!due.is_empty()).then(|| HookFuture::now(HandOver { notes: due, ..HandOver::default() }))
    }

    fn add(
        _request: &HookRequest<TurnStart>,
        outcome: &mut <TurnStart as Event>::Outcome,
        hand_over: HandOver,
    ) {
        outcome.additional_context.extend(hand_over.notes);
    }
}
