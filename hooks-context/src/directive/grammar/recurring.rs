//! Instructions for recurring occasions: "whenever you touch the schema, …", "… before every commit".

use super::before::Clause;
use super::{MarkedWish, WishParser};
use crate::directive::Mode;
use crate::directive::markers::Marker;
use crate::directive::words::{ARTEFACTS, OBLIGING, OF_WORK, TOLD, VERBS};

impl WishParser<'_> {
    /// "Whenever you touch the schema, regenerate the client.", "Ask me each time you add a dependency."
    pub(super) fn each_time(
        &self,
        marker: &Marker,
        clause: Clause,
        last: Option<&MarkedWish>,
    ) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let when = usize::from(s.is(marker.end(), &["when", "that"]));
        let who = marker.end() + when;
        let somebody =
            ["you", "we", "somebody", "someone", "a", "an", "the", "there", "anyone", "after", "i"];
        // "Whenever you like" and "any time you have time" are about one task.
        let is_leave = (s.is(who + 1, &["want"]) && !s.is(who + 2, &["to"]))
            || s.is(who + 1, &["like", "can", "wish", "feel", "prefer", "please"])
            || s.is(who + 2, &["time", "ready", "done", "free", "minute", "chance"])
            || s.is(who + 3, &["minute", "moment", "chance"]);
        if is_leave {
            return None;
        }
        if clause.start == marker.at {
            let comma = (who..s.len()).find(|at| s.mark(*at) == Some(','));
            let what = comma.map(|comma| self.content(comma + 1));
            let what = what.filter(|what| self.instructs_here(*what) || self.instructs(*what));
            // If the comma is missing, an object follows the verb of the instruction.
            let what = what.or_else(|| (who + 2..s.len()).find(|at| self.begins_anew(*at)));
            // "Each time" can begin a noun, as in "each time step"; "whenever" cannot.
            let is_plain = s.is(marker.at, &["whenever"])
                && what.is_some_and(|what| s.is(what, VERBS) && comma.is_some_and(|comma| comma < what));
            let somebody = s.is(who, &somebody) || s.is(who, OF_WORK) || is_plain;
            let Some(what) = what.filter(|_| somebody) else {
                // "Ask me first, every time you want to delete something."
                let start = self.content(0);
                let instructs = last.is_none() && s.is(start, VERBS) && s.is(who, &["you", "we"]);
                return (instructs && comma.is_none() && start < marker.at)
                    .then(|| (self.mode_at(start), start));
            };
            return Some((self.mode_at(what), clause.start));
        }
        let start = clause.start.min(clause.wide);
        let instructs = last.is_none() && start < marker.at && s.is(who, &["you", "we"]);
        let told = s.is(start, TOLD) && s.is(start + 1, OBLIGING);
        (instructs && (told || s.is(start, VERBS)) && self.is_of_the_reader(start, marker.at))
            .then(|| (self.mode_at(start), start))
    }

    fn instructs_here(&self, at: usize) -> bool {
        let s = self.sentence;
        let is_told = s.is(at, &["you", "we"]) && (s.is(at + 1, OBLIGING) || s.is(at + 1, VERBS));
        s.is(at, VERBS) || s.is(at, &["don't", "do", "make", "please", "never", "always", "also"]) || is_told
    }

    fn begins_anew(&self, at: usize) -> bool {
        let s = self.sentence;
        let is_told = s.is(at, &["you", "we"]) && s.is(at + 1, &["must", "should", "have", "need"]);
        let follows_noun = !s.is(
            at.wrapping_sub(1),
            &[
                "to", "the", "a", "an", "you", "we", "and", "or", "my", "your", "our", "of", "i", "every",
                "new",
            ],
        );
        let has_object = s.is(at + 1, &["the", "a", "an", "me", "it", "all", "your", "our", "my"]);
        is_told || (s.is(at, VERBS) && follows_noun && has_object)
    }

    /// "Run the linter before every push.", "For each bug you fix, add a test."
    pub(super) fn for_each(
        &self,
        marker: &Marker,
        clause: Clause,
        last: Option<&MarkedWish>,
    ) -> Option<(Mode, usize)> {
        let s = self.sentence;
        if clause.start == marker.at {
            // "Before every commit run the tests."
            let is_told = s.is(marker.end(), VERBS) && s.is(marker.at, &["before", "after"]);
            let comma = (marker.end()..s.len().min(marker.end() + 8)).find(|at| s.mark(*at) == Some(','));
            let what = if is_told { marker.end() } else { self.content(comma? + 1) };
            return self.instructs(what).then(|| (self.mode_at(what), clause.start));
        }
        // After an instruction, "for" and "in" refer to existing things: "print the author for each commit".
        let is_when = s.is(marker.at, &["before", "after", "upon", "on", "with"])
            || s.is(marker.end() - 2, &["you", "we"]);
        if last.is_some() || !is_when || s.is(marker.end(), &["that", "whether", "if"]) {
            return None;
        }
        let start = clause.start.min(clause.wide);
        let told = s.is(start, &["you", "we", "everyone"]) && s.is(start + 1, OBLIGING);
        let instructs = told || s.is(start, VERBS) || s.is(start, &["don't"]);
        (instructs && self.is_of_the_reader(start, marker.at)).then(|| (self.mode_at(start), start))
    }

    /// Whether the agent itself is to do it, and not the program that it builds.
    fn is_of_the_reader(&self, start: usize, end: usize) -> bool {
        let s = self.sentence;
        !s.is(start, &["make", "have", "create", "implement", "build", "configure", "set", "let", "design"])
            && !(start..end).any(|at| {
                s.is(at, &["that", "which", "who"]) || s.is(at, ARTEFACTS) && s.is(start, &["add", "write"])
            })
    }
}
