//! Tokens of the parts of a broken answer, added up: all streamed tokens are charged, useful or not.

use hooks_core::event::Usage;

use hooks_conversation::tokens::Tally;

/// Tokens of the broken parts, and of the part that streams.
#[derive(Debug, Default)]
pub(super) struct Parts {
    broken: Usage,
    /// Last report of the part that streams.
    current: Option<Usage>,
    /// Output of the part that streams.
    brought: Tally,
}

impl Parts {
    /// Counts a chunk of text or arguments.
    pub(super) fn brought(&mut self, piece: &str) {
        self.brought.add(piece);
    }

    /// Records the usage that the current part reports. Providers report the input at the beginning and the
    /// output at the end, so missing values keep their earlier report.
    pub(super) fn report(&mut self, usage: Usage) {
        let known = self.current.unwrap_or_default();
        self.current = Some(Usage {
            input_tokens: known.input_tokens.max(usage.input_tokens),
            output_tokens: known.output_tokens.max(usage.output_tokens),
            cached_tokens: known.cached_tokens.max(usage.cached_tokens),
            reasoning_tokens: known.reasoning_tokens.max(usage.reasoning_tokens),
        });
    }

    /// Ends the current part after a break. Unreported usage is estimated: `input` tokens, and the output by
    /// the rules of prompts.
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

    /// The tokens of all parts together.
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
