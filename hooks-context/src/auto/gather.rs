//! Loads all sources at once until the deadline, and builds the briefing from what they returned.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt;
use hooks_core::{BoxError, ContextNote, HookFuture, Lifetime, Reason};

use super::sent::Record;
use super::settings::Shared;
use crate::brief::{Briefing, Loaded, Part};
use crate::source::{Ask, Moment, Section};

/// Name of this hook in reasons and in the sources of notes.
const NAME: &str = "auto_context";

/// The context to add to an outcome.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Gathered {
    /// Texts for the model, in order.
    pub notes: Vec<ContextNote>,
    /// Number of tokens of all texts, as the tokenizer counted them.
    pub tokens: u64,
    /// One reason for each source that was late or failed.
    pub failures: Vec<Reason>,
}

/// Loads all sources at once; sources that are not ready at the deadline are left out.
pub(super) async fn gather(shared: &Shared, ask: Arc<Ask>) -> Gathered {
    let mut deadline = shared.timer.sleep(shared.settings.deadline);
    let before = match ask.moment {
        // A child's session still has what the child was given when it was created.
        Moment::Session(_) | Moment::Turn
            if ask.moment.goes_on() || ask.context.parent_session_id.is_some() =>
        {
            let pending = shared.sent.get(&ask);
            first(pending, &mut deadline).await.flatten()
        }
        _ => None,
    };
    if ask.moment == Moment::Turn && before.is_none() {
        // Without a record of what the session was given, nothing is added: it would be repeated on every
        // turn.
        return Gathered::default();
    }
    let ask = match &before {
        // Use the task that the session began with, so that the same entries stay the most relevant.
        Some(record) if ask.task.is_empty() => Arc::new(Ask::clone(&ask).about(record.task.as_str())),
        _ => ask,
    };
    let parts = load(shared, &ask, &mut deadline).await;
    let tokenizer = shared
        .tokenizers
        .for_model(ask.model.as_deref().or(before.as_ref().and_then(|it| it.model.as_deref())));
    let known = before.as_ref().map(Record::known);
    let briefing = Briefing::new(&parts, shared.settings.budget(ask.moment), &**tokenizer, known.as_ref());
    let record = Record::with_parts(&ask, &parts, before.as_ref());
    if before.as_ref() != Some(&record) {
        // If the record cannot be written in time, the next event gives everything again.
        let _late = first(shared.sent.put(&ask, &record), &mut deadline).await;
    }
    Gathered { tokens: briefing.tokens, notes: notes(briefing), failures: failures(&parts) }
}

/// Returns the output of `future`, or `None` if the deadline comes first.
async fn first<T>(future: impl Future<Output = T>, deadline: &mut HookFuture<'static, ()>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        if let Poll::Ready(value) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        deadline.poll_unpin(cx).map(|()| None)
    })
    .await
}

/// Loads every source. The parts are in the order of the sources; a source that is not ready at the deadline
/// is `Late`.
async fn load(shared: &Shared, ask: &Arc<Ask>, deadline: &mut HookFuture<'static, ()>) -> Vec<Part> {
    let mut open: Vec<_> = shared
        .sources
        .iter()
        .map(|(_, source)| {
            // A panic, at the call or at a later poll, counts as a failure of that source only.
            let pending = std::panic::catch_unwind(AssertUnwindSafe(|| source.load(ask)));
            let pending = pending.unwrap_or_else(|_| HookFuture::now(Err("it panicked".into())));
            (Some(AssertUnwindSafe(pending).catch_unwind()), Loaded::Late)
        })
        .collect();
    std::future::poll_fn(|cx| {
        for (future, loaded) in &mut open {
            if let Some(pending) = future
                && let Poll::Ready(answer) = pending.poll_unpin(cx)
            {
                (*future, *loaded) = (None, answered(answer.unwrap_or_else(|_| Err("it panicked".into()))));
            }
        }
        match open.iter().all(|(future, _)| future.is_none()) {
            true => Poll::Ready(()),
            false => deadline.poll_unpin(cx),
        }
    })
    .await;
    let parts = shared.sources.iter().zip(open).map(|((weight, source), (_, loaded))| {
        let (name, command) = (source.name().to_owned(), source.command(ask));
        Part { name, weight: *weight, loaded, command }
    });
    parts.collect()
}

fn answered(answer: Result<Section, BoxError>) -> Loaded {
    match answer {
        Ok(section) => Loaded::Section(section),
        Err(error) => Loaded::Failed(error.to_string()),
    }
}

fn notes(briefing: Briefing) -> Vec<ContextNote> {
    let notes = briefing.texts.into_iter().map(|text| {
        let mut note = ContextNote::new(text.text).for_the(Lifetime::Session);
        note.source = Some(match text.source {
            Some(source) => format!("{NAME}/{source}"),
            None => NAME.to_owned(),
        });
        note
    });
    notes.collect()
}

fn failures(parts: &[Part]) -> Vec<Reason> {
    let failures = parts.iter().filter_map(|part| {
        let (rule, problem) = match &part.loaded {
            Loaded::Section(_) => return None,
            Loaded::Late => ("deadline", "was not read in time".to_owned()),
            Loaded::Failed(error) => ("source", format!("could not be read: {error}")),
        };
        let reason = Reason::new(NAME, rule, format!("`{}` {problem}; it was left out", part.name));
        Some(match &part.command {
            Some(command) => reason.instead(format!("read it with `{command}`")),
            None => reason,
        })
    });
    failures.collect()
}
