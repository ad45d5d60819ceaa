//! Several markers in one sentence: which of them belong together, and the end of each wish.

use super::{MarkedWish, Wish, WishParser};
use crate::directive::Mode;
use crate::directive::markers::{Marker, Sign};
use crate::directive::words::{JOINING, TOLD, VERBS};

impl WishParser<'_> {
    /// Whether `marker` is a part of the wish before it: "from now on, never …", "always prefer …".
    pub(super) fn belongs_to(&self, last: &MarkedWish, marker: &Marker) -> bool {
        let s = self.sentence;
        let is_new = (last.marker.end()..marker.at).any(|at| {
            !(s.mark(at) == Some(',')
                || (last.mode == Mode::FromNowOn && s.mark(at) == Some(':'))
                || (marker.sign == Sign::EachTime && s.is(at, &["and"]))
                || s.is(at, TOLD)
                || s.is(
                    at,
                    &[
                        "must", "should", "need", "to", "be", "make", "sure", "let's", "i", "want", "please",
                        "just", "will",
                    ],
                ))
        });
        let announces = last.marker.sign.announces() && !s.is(last.marker.end(), &["to", "that"]);
        if !is_new && !announces {
            return true;
        }
        // "As of today, all commits must be signed."
        if marker.sign.is_weak() && self.content(last.marker.end()) >= self.clause(marker.at).start {
            return true;
        }
        // "don't forget", "do not" and "in future" within a wish are part of its text.
        let is_weak = marker.sign.is_weak()
            || matches!(
                marker.sign,
                Sign::Later | Sign::FromNowOn | Sign::NextTime | Sign::Prefer | Sign::Remember
            );
        let clause = self.clause(marker.at);
        is_weak && clause.start != marker.at && clause.boundary <= last.marker.at
    }

    /// Whether there are only fillers between the wish before and a wish that begins at `start`.
    pub(super) fn is_only_announced(&self, last: &MarkedWish, start: usize) -> bool {
        let is_head = matches!(last.marker.sign, Sign::Later | Sign::FromNowOn)
            && self.sentence.mark(start.wrapping_sub(1)) == Some(':')
            && last.start < last.marker.end();
        (last.marker.sign.announces() || is_head)
            && (last.marker.end()..start)
                .all(|at| self.sentence.mark(at).is_some() || self.sentence.is_filler(at))
    }

    /// Whether the wish before only gives the occasion, and the wish that begins at `start` gives the
    /// instruction: "Whenever you touch the schema, always regenerate the client."
    pub(super) fn is_condition_of(&self, last: &MarkedWish, start: usize) -> bool {
        let is_condition =
            matches!(last.marker.sign, Sign::EachTime | Sign::Each | Sign::Standing | Sign::Place);
        let comma = (last.marker.end()..start).find(|at| self.sentence.mark(*at) == Some(','));
        let what = comma.map_or(last.marker.end(), |comma| comma + 1);
        is_condition && last.start == last.marker.at && self.content(what) >= start
    }

    /// Returns the wishes with their ends.
    pub(super) fn bounded(&self, found: &[MarkedWish]) -> Vec<Wish> {
        let mut wishes = Vec::with_capacity(found.len());
        for (place, one) in found.iter().enumerate() {
            let limit = found.get(place + 1).map_or(self.sentence.len(), |next| next.start);
            let from = self.behind(&one.marker).max(one.marker.end());
            let is_named = one.mode == Mode::Remember && self.sentence.mark(one.marker.end()) == Some(':');
            let end = (from..limit).find(|at| !is_named && self.ends_clause(*at, from)).unwrap_or(limit);
            let mut end = end.max(one.marker.end().min(limit));
            while end > one.marker.end() && self.is_trailing(end - 1) {
                end -= 1;
            }
            if one.start < end {
                wishes.push(Wish { mode: one.mode, tokens: one.start..end });
            }
        }
        wishes
    }

    pub(super) fn ends_clause(&self, at: usize, from: usize) -> bool {
        let s = self.sentence;
        match s.mark(at) {
            Some(';' | '—' | '–') => at > from,
            // "Stop apologising and give me …": the rest is the task.
            None if at > from && s.is(at, &["and"]) => {
                s.is(at + 1, &["tell", "show", "give", "explain", "just"])
                    && s.is(at + 2, &["me", "us", "it", "the"])
            }
            // An aside at the end is not part of the wish.
            Some('(') => {
                at > from
                    && s.mark(s.len() - 1) == Some(')')
                    && (at..s.len()).any(|at| s.mark(at) == Some(','))
            }
            Some(',') if at > from && s.is(at + 1, &["and", "then"]) => {
                let please = usize::from(s.is(at + 2, &["please", "also"]));
                let at = at + please;
                s.is(at + 2, VERBS) && s.is(at + 3, &["the", "this", "that", "a", "an", "me", "it", "my"])
            }
            Some(',') if at > from => s.is(
                at + 1,
                &[
                    "thanks",
                    "thank",
                    "thx",
                    "ok",
                    "okay",
                    "it",
                    "it's",
                    "that's",
                    "this",
                    "they",
                    "i",
                    "i'm",
                    "i'll",
                    "we",
                    "he",
                    "she",
                    "then",
                    "but",
                    "cheers",
                    "so",
                    "otherwise",
                    "please",
                ],
            ),
            _ => false,
        }
    }

    pub(super) fn is_trailing(&self, at: usize) -> bool {
        let s = self.sentence;
        s.is(at, JOINING)
            || s.is(at, &["thanks", "though", "ok", "okay", "please"])
                && s.mark(at.wrapping_sub(1)) == Some(',')
            || matches!(s.mark(at), Some(',' | ':' | ';' | '-' | '—' | '–' | '('))
    }
}
