//! What a new stream says again of what was said already.
//!
//! A model that is given the beginning of its answer ought to go on behind it. Some say all of it again first, some
//! its last words, and since no provider takes a beginning that ends in white space, that may come again too.

/// Holds back the beginning of a new stream until it is clear how much of it was said already.
#[derive(Debug)]
pub(super) struct Overlap {
    /// What was said, without the white space at its end.
    said: String,
    /// The white space at its end.
    space: String,
    /// What came and is not decided.
    held: String,
    /// How far what came is what was said, from its beginning on.
    common: usize,
}

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It may yet turn out either way.
    Open,
    /// So many bytes were said already.
    Repeated(usize),
    /// It begins like what was said and goes on otherwise: another answer, not the rest of this one.
    Another,
}

/// Words that come again are a repetition from this length on, four or five words; shorter ones may be meant. This and
/// the next three are ours: no provider says how its models go on.
const WORDS: usize = 24;

/// The whole text that comes again is a repetition from this length on, with the white space at its end: a word and
/// what parts it from the next. A shorter one may be meant, as the second syllable of a laugh is, or the second digit
/// of a number.
const WHOLE: usize = 4;

/// How far back it is looked for them: two or three sentences. To look takes as many comparisons.
const BACK: usize = 256;

/// Something that begins like the whole text for so long, and then differs, tells it anew: twice as long as what is
/// taken for a repetition, because to be wrong here ends the answer.
const LIKENESS: usize = 48;

impl Overlap {
    /// `said` was released.
    pub(super) fn new(said: &str) -> Self {
        let text = said.trim_end();
        let space = said.strip_prefix(text).unwrap_or_default();
        Self { said: text.to_owned(), space: space.to_owned(), held: String::new(), common: 0 }
    }

    /// Takes more of the new stream. `Some` is what is new in all that was held, and the end of holding; `Err`
    /// where it is another answer.
    pub(super) fn feed(&mut self, new: &str) -> Result<Option<String>, Differs> {
        let before = self.held.len();
        self.held.push_str(new);
        if self.common == before {
            let rest = self.said.get(before..).unwrap_or_default();
            self.common += rest.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
        }
        self.decide(false)
    }

    /// No more comes: what is new in what was held.
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
        let all = self.said.len();
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
        let tails = self.said.char_indices().map(|(at, _)| at).skip_while(|at| *at < back);
        for tail in tails.filter_map(|at| self.said.get(at..)).take_while(|tail| tail.len() >= WORDS) {
            if self.held.starts_with(tail) {
                return self.with_space(tail.len(), last);
            }
            if !last && tail.starts_with(&self.held) {
                return Verdict::Open;
            }
        }
        self.with_space(0, last)
    }

    /// `bytes` were said already; so was the white space behind, as far as it comes again.
    fn with_space(&self, bytes: usize, last: bool) -> Verdict {
        let rest = self.held.get(bytes..).unwrap_or_default();
        if !last && rest.len() < self.space.len() && self.space.starts_with(rest) {
            return Verdict::Open;
        }
        let same = rest.chars().zip(self.space.chars()).take_while(|(one, other)| one == other);
        Verdict::Repeated(bytes + same.map(|(letter, _)| letter.len_utf8()).sum::<usize>())
    }
}

/// The new stream is another answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Differs;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is released of `new`, when it comes in pieces of `size` characters.
    fn released(said: &str, new: &str, size: usize) -> Result<String, Differs> {
        let (mut overlap, mut out, mut holding) = (Overlap::new(said), String::new(), true);
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
        for (said, new, rest) in [
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
                assert_eq!(released(said, new, size).as_deref(), Ok(rest), "{said:?} {new:?} by {size}");
            }
        }
    }

    #[test]
    fn another_answer_is_known() {
        let said = "The answer to your question is, after much thought, that it depends on the weather";
        let new = "The answer to your question is, after much thought, forty-two";
        assert_eq!(released(said, new, 5), Err(Differs));
    }

    proptest! {
        #[test]
        fn the_rest_comes_once(text in "[a-z ]{1,80}", at: prop::sample::Index, size in 1usize..7, again: bool) {
            let (said, rest) = text.split_at(at.index(text.len()));
            // The rest may itself begin like the whole: that is taken for a repetition, and something short is not.
            let (whole, is_long) = (said.trim_end(), said.len() >= WHOLE);
            prop_assume!(whole.is_empty() || if again { is_long } else { !is_long || !rest.starts_with(whole) });
            prop_assume!(!rest.starts_with(' ') || !said.ends_with(' '));
            let new = if again { text.as_str() } else { rest };
            prop_assert_eq!(released(said, new, size), Ok(rest.to_owned()));
        }

        #[test]
        fn any_text_is_taken(said in ".{0,300}", new in ".{0,300}", size in 1usize..20) {
            let _released = released(&said, &new, size);
        }
    }
}
