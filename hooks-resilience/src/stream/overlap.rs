//! Removes text that a continued stream repeats.
//!
//! A model that is given the beginning of its answer should continue after it. Some models repeat all of it,
//! some repeat the last words. No provider accepts a beginning that ends in white space, so the white space
//! may come again too.

/// Holds back the beginning of a new stream until it is known how much of it is a repetition.
#[derive(Debug)]
pub(super) struct Overlap {
    /// Earlier text, without the white space at its end.
    sent: String,
    /// White space at the end of the earlier text.
    space: String,
    /// New text that is not decided yet.
    held: String,
    /// Length of the common beginning of the new and the earlier text.
    common: usize,
}

/// State of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Not decided yet.
    Open,
    /// So many bytes are a repetition.
    Repeated(usize),
    /// The text begins like the earlier text and continues differently: it is another answer, not the rest of
    /// this one.
    Another,
}

/// Length from which repeated last words count as a repetition: four or five words. Shorter ones may be
/// intended. This and the next three constants are our choice, because no provider documents how its models
/// continue.
const WORDS: usize = 24;

/// Length from which a repetition of the whole text counts, white space at its end included: a word and its
/// separator. A shorter one may be intended, such as the second syllable of a laugh or the second digit of a
/// number.
const WHOLE: usize = 4;

/// Length of the earlier text that is searched for repeated last words: two or three sentences. The search
/// takes as many comparisons.
const BACK: usize = 256;

/// Length from which a text that begins like the whole earlier text, and then differs, counts as another
/// answer. It is twice the length of a repetition, because a mistake here ends the answer.
const LIKENESS: usize = 48;

impl Overlap {
    /// Starts after the released text `sent`.
    pub(super) fn new(sent: &str) -> Self {
        let text = sent.trim_end();
        let space = sent.strip_prefix(text).unwrap_or_default();
        Self { sent: text.to_owned(), space: space.to_owned(), held: String::new(), common: 0 }
    }

    /// Takes more of the new stream. Returns `Some` with the new part of all held text once that is decided,
    /// and `Err` if it is another answer.
    pub(super) fn feed(&mut self, new: &str) -> Result<Option<String>, Differs> {
        let before = self.held.len();
        self.held.push_str(new);
        if self.common == before {
            let rest = self.sent.get(before..).unwrap_or_default();
            self.common += rest.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
        }
        self.decide(false)
    }

    /// Ends the decision without more text: returns the new part of the held text.
    pub(super) fn finish(&mut self) -> Result<String, Differs> {
        self.decide(true).map(Option::unwrap_or_default)
    }

    fn decide(&mut self, last: bool) -> Result<Option<String>, Differs> {
        match self.verdict(last) {
            Verdict::Open => Ok(None),
            Verdict::Another => Err(Differs),
            Verdict::Repeated(bytes) => {
                let held = std::mem::take(&mut self.held);
                Ok(Some(held.get(bytes..).unwrap_or_default().to_owned()))
            }
        }
    }

    fn verdict(&self, last: bool) -> Verdict {
        let all = self.sent.len();
        if all == 0 || all + self.space.len() < WHOLE {
            return self.with_space(0, last);
        }
        if self.common == all {
            return self.with_space(all, last);
        }
        if self.common == self.held.len() && !last {
            return Verdict::Open;
        }
        if self.common >= LIKENESS {
            return Verdict::Another;
        }
        let back = all.saturating_sub(BACK);
        let tails = self.sent.char_indices().map(|(at, _)| at).skip_while(|at| *at < back);
        for tail in tails.filter_map(|at| self.sent.get(at..)).take_while(|tail| tail.len() >= WORDS) {
            if self.held.starts_with(tail) {
                return self.with_space(tail.len(), last);
            }
            if !last && tail.starts_with(&self.held) {
                return Verdict::Open;
            }
        }
        self.with_space(0, last)
    }

    /// The verdict for `bytes` repeated bytes, plus the white space behind them that is repeated too.
    fn with_space(&self, bytes: usize, last: bool) -> Verdict {
        let rest = self.held.get(bytes..).unwrap_or_default();
        if !last && rest.len() < self.space.len() && self.space.starts_with(rest) {
            return Verdict::Open;
        }
        let same = rest.chars().zip(self.space.chars()).take_while(|(one, other)| one == other);
        Verdict::Repeated(bytes + same.map(|(letter, _)| letter.len_utf8()).sum::<usize>())
    }
}

/// Error for a new stream that is another answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Differs;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The released part of `new`, if it arrives in chunks of `size` characters.
    fn released(sent: &str, new: &str, size: usize) -> Result<String, Differs> {
        let (mut overlap, mut out, mut holding) = (Overlap::new(sent), String::new(), true);
        let letters: Vec<char> = new.chars().collect();
        for piece in letters.chunks(size) {
            let piece: String = piece.iter().collect();
            if !holding {
                out.push_str(&piece);
            } else if let Some(text) = overlap.feed(&piece)? {
                out.push_str(&text);
                holding = false;
            }
        }
        if holding {
            out.push_str(&overlap.finish()?);
        }
        Ok(out)
    }

    #[test]
    fn what_is_said_again_is_left_out() {
        let long = "It was a bright cold day in April, and the clocks were striking";
        for (sent, new, rest) in [
            ("The quick ", "brown fox", "brown fox"),
            ("The quick ", " brown fox", "brown fox"),
            ("The quick", " brown fox", " brown fox"),
            ("The quick ", "The quick brown fox", "brown fox"),
            ("ha", "ha, no", "ha, no"),
            ("1", "10", "10"),
            ("The ", "The quick", "quick"),
            ("The  quick", "The  quick", ""),
            (long, " thirteen", " thirteen"),
            (long, "and the clocks were striking thirteen", " thirteen"),
            (long, "striking thirteen", "striking thirteen"),
            ("a\n\n", "\n\nb", "b"),
            ("a\n\n", "\nb", "b"),
            (" ", " x", "x"),
            ("", "x", "x"),
            ("x", "", ""),
        ] {
            for size in 1..10 {
                assert_eq!(released(sent, new, size).as_deref(), Ok(rest), "{sent:?} {new:?} by {size}");
            }
        }
    }

    #[test]
    fn another_answer_is_known() {
        let sent = "The answer to your question is, after much thought, that it depends on the weather";
        let new = "The answer to your question is, after much thought, forty-two";
        assert_eq!(released(sent, new, 5), Err(Differs));
    }

    proptest! {
        #[test]
        fn the_rest_comes_once(text in "[a-z ]{1,80}", at: prop::sample::Index, size in 1usize..7, again: bool) {
            let (sent, rest) = text.split_at(at.index(text.len()));
            // If the rest begins like the whole text, that counts as a repetition, but not if it is short.
            let (whole, is_long) = (sent.trim_end(), sent.len() >= WHOLE);
            prop_assume!(whole.is_empty() || if again { is_long } else { !is_long || !rest.starts_with(whole) });
            prop_assume!(!rest.starts_with(' ') || !sent.ends_with(' '));
            let new = if again { text.as_str() } else { rest };
            prop_assert_eq!(released(sent, new, size), Ok(rest.to_owned()));
        }

        #[test]
        fn any_text_is_taken(sent in ".{0,300}", new in ".{0,300}", size in 1usize..20) {
            let _released = released(&sent, &new, size);
        }
    }
}
