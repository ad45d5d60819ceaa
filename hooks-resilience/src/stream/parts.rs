//! What the parts of a broken answer took, added up: what was streamed is charged, whether it was of use or not.

use hooks_core::event::Usage;

/// Tokens of the parts that broke, and of the one that streams.
#[derive(Debug, Default)]
pub(super) struct Parts {
    broken: Usage,
    /// The last report of the part that streams.
    current: Option<Usage>,
    /// How many bytes it brought.
    bytes: u64,
}

/// What a token has, about, where the provider did not come to say how many there were.
const BYTES_OF_A_TOKEN: u64 = 4;

impl Parts {
    /// So many bytes came.
    pub(super) fn brought(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
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

    /// The part that streams broke. What it took and did not report is estimated: `input` tokens, and a token for
    /// every four bytes that came.
    pub(super) fn broke(&mut self, input: u64) {
        let mut part = self.current.take().unwrap_or_default();
        if self.bytes > 0 {
            let input = if part.input_tokens == 0 { input } else { part.input_tokens };
            part.input_tokens = input;
            part.output_tokens = part.output_tokens.max(self.bytes.div_ceil(BYTES_OF_A_TOKEN));
        }
        self.bytes = 0;
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
