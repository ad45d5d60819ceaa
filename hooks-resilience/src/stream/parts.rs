//! What the parts of a broken answer took, added up: what was streamed is charged, whether it was of use or not.

use hooks_core::event::Usage;

use crate::message::Tally;

/// Tokens of the parts that broke, and of the one that streams.
#[derive(Debug, Default)]
pub(super) struct Parts {
    broken: Usage,
    /// The last report of the part that streams.
    current: Option<Usage>,
    /// What it brought.
    brought: Tally,
}

impl Parts {
    /// A piece of text or of arguments came.
    pub(super) fn brought(&mut self, piece: &str) {
        self.brought.add(piece);
    }

    /// The part that streams reports what it took so far. Providers report the input at the beginning and the
    /// output at the end: what is left out stays.
    pub(super) fn report(&mut self, usage: Usage) {
        let known = self.current.unwrap_or_default();
        self.current = Some(Usage {
            input_tokens: known.input_tokens.max(usage.input_tokens),
            output_tokens: known.output_tokens.max(usage.output_tokens),
            cached_tokens: known.cached_tokens.max(usage.cached_tokens),
            reasoning_tokens: known.reasoning_tokens.max(usage.reasoning_tokens),
        });
    }

    /// The part that streams broke. What it took and did not report is estimated: `input` tokens, and
    /// what came by the measure of prompts.
    pub(super) fn broke(&mut self, input: u64) {
        let mut part = self.current.take().unwrap_or_default();
        let brought = std::mem::take(&mut self.brought).tokens();
        if brought > 0 {
            let input = if part.input_tokens == 0 { input } else { part.input_tokens };
            part.input_tokens = input;
            part.output_tokens = part.output_tokens.max(brought);
        }
        self.broken = sum(&self.broken, &part);
    }

    /// All of them together.
    pub(super) fn total(&self) -> Usage {
        sum(&self.broken, &self.current.unwrap_or_default())
    }
}

fn sum(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        cached_tokens: one.cached_tokens.saturating_add(other.cached_tokens),
        reasoning_tokens: one.reasoning_tokens.saturating_add(other.reasoning_tokens),
    }
}
