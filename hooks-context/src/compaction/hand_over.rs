//! Texts that are handed over at a compaction, and given to the model again afterwards.

use std::sync::Arc;

use hooks_conversation::SummaryRequest;
use hooks_conversation::summary::{insert_kept, summarise};
use hooks_core::event::{BeforeModelCall, ModelRewrite, PreCompact, StartSource};
use hooks_core::{ContextNote, HookContext, HookError, HookRequest, Lifetime, Transform};
use serde_json::Value;

use super::settings::Compacting;
use super::survivors::{Ledger, Survivors};
use crate::brief::{Briefing, Loaded, Part};
use crate::source::{Ask, Item, Moment, Section};

/// Name of this hook in reasons and notes.
const NAME: &str = "compaction";

/// Depth to which the content of a message is searched.
const DEPTH: usize = 16;

/// Texts and state that are handed over at a compaction.
#[derive(Debug, Default)]
pub struct HandOver {
    pub(super) veto: Option<String>,
    pub(super) notes: Vec<ContextNote>,
    pub(super) summary: Option<String>,
    pub(super) survivors: Survivors,
}

impl Compacting {
    /// Builds the hand-over of a compaction. All of its notes are given again when the compaction is done.
    pub(super) async fn hand_over(self, context: Arc<HookContext>, compaction: PreCompact) -> HandOver {
        if !super::veto::is_dead_end(&compaction)
            && let Some(veto) = self.vetoes.iter().find_map(|veto| veto.veto(&context, &compaction))
        {
            return HandOver { veto: Some(veto), ..HandOver::default() };
        }
        let survivors = self.ledger.look(&context, |known| known.survivors.clone());
        let conversation = self.ledger.conversation(&context);
        let model = conversation.as_ref().map(|request| request.event().model.clone());
        let mut notes = Vec::new();
        if let Some(auto) = &self.context {
            let moment = Moment::Session(StartSource::Compact);
            let ask = Ask::new(Arc::clone(&context), context.agent_name.clone(), moment);
            notes = auto.gather(ask.about(survivors.request.clone()).for_model(model.clone())).await.notes;
        }
        notes.extend(self.kept(&survivors, model.as_deref()));
        let summary = match conversation {
            Some(conversation) => self.summary(&context, &conversation, &notes).await,
            None => None,
        };
        let handed = notes.clone();
        self.ledger.change(&context, |known| known.handed = handed);
        HandOver { veto: None, notes, summary, survivors }
    }

    /// Formats the survivors as notes, within their budget.
    pub(super) fn kept(&self, survivors: &Survivors, model: Option<&str>) -> Vec<ContextNote> {
        let part = |name: &str, weight, title: &str, items: Vec<String>| Part {
            name: name.to_owned(),
            weight,
            loaded: Loaded::Section(Section::new(title, items.iter().map(|item| Item::new(item)).collect())),
            command: None,
        };
        let list = |items: &[String]| items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>();
        let request = Some(survivors.request.clone()).filter(|request| !request.is_empty());
        let outputs = survivors.outputs.iter().rev();
        let outputs =
            outputs.map(|output| format!("`{}` printed:\n\n```\n{}\n```", output.command, output.text));
        let paths: Vec<_> = survivors.paths.iter().rev().cloned().collect();
        let parts = [
            part("request", 16, "The user's last request", request.into_iter().collect()),
            part("tasks", 8, "Open tasks", list(&survivors.tasks)),
            part("paths", 4, "Files worked on, the last first", list(&paths)),
            part("outputs", 4, "Output of commands", outputs.collect()),
        ];
        let tokenizer = self.tokenizers.for_model(model);
        let nothing_is_known_and_nothing_said = std::collections::HashSet::new();
        let known = Some(&nothing_is_known_and_nothing_said);
        let briefing = Briefing::new(&parts, self.settings.keep, &**tokenizer, known);
        let notes = briefing.texts.into_iter().map(|text| {
            let mut note = ContextNote::new(text.text).for_the(Lifetime::Session);
            note.source = Some(text.source.map_or(NAME.to_owned(), |source| format!("{NAME}/{source}")));
            note
        });
        notes.collect()
    }

    async fn summary(
        &self,
        context: &Arc<HookContext>,
        conversation: &HookRequest<BeforeModelCall>,
        notes: &[ContextNote],
    ) -> Option<String> {
        let (settings, event) = (&self.settings, conversation.event());
        if settings.summary == 0 {
            return None;
        }
        let tokenizer = self.tokenizers.for_model(Some(&event.model));
        if let Some(summariser) = &self.summariser {
            let (model, messages) = (&*event.model, event.messages.clone());
            let request = SummaryRequest::new(Arc::clone(context), model, messages, settings.summary)
                .keeping(notes.iter().map(|note| note.text.clone()).collect());
            let pending = summariser.summarise(request);
            let late = self.timer.sleep(settings.summary_within);
            let answer = futures_util::future::select(pending, late).await;
            // A summary that is longer than the budget cannot be used.
            if let futures_util::future::Either::Left((Ok(text), _)) = answer
                && !text.trim().is_empty()
                && tokenizer.count(&text) <= settings.summary
            {
                return Some(text);
            }
        }
        Some(summarise(&event.messages, settings.summary, &**tokenizer)).filter(|text| !text.is_empty())
    }
}

/// Adds kept text that is due to a model call that lacks it, because a host may lose the text that hooks
/// handed over.
pub(super) struct Reminder(pub(super) Arc<Ledger>);

impl Transform<BeforeModelCall> for Reminder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<BeforeModelCall>) -> Result<Option<ModelRewrite>, HookError> {
        let context = request.context();
        if !self.0.look(context, |known| !known.due.is_empty()) {
            return Ok(None);
        }
        let due = self.0.change(context, |known| std::mem::take(&mut known.due));
        let messages = &request.event().messages;
        let missing: Vec<_> = due
            .iter()
            .filter(|note| !messages.iter().any(|one| says(&one.content, &note.text, DEPTH)))
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let texts: Vec<_> = missing.iter().map(|note| note.text.as_str()).collect();
        let mut messages = messages.clone();
        insert_kept(&texts, &mut messages);
        Ok(Some(ModelRewrite { messages: Some(messages), model: None }))
    }
}

/// Whether `text` occurs in the content of a message, searched to `depth`.
fn says(content: &Value, text: &str, depth: usize) -> bool {
    match content {
        Value::String(string) => string.contains(text),
        Value::Array(parts) if depth > 0 => parts.iter().any(|part| says(part, text, depth - 1)),
        Value::Object(fields) if depth > 0 => fields.values().any(|part| says(part, text, depth - 1)),
        _ => false,
    }
}
