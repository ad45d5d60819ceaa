//! Instructions that a label, a habit or a default makes permanent, without an adverb.

use super::before::Clause;
use super::{MarkedWish, WishParser};
use crate::directive::Mode;
use crate::directive::markers::{Marker, Sign, goes_on};
use crate::directive::words::{OBLIGING, OF_WORK, OWN, PLACES_OF_WORK, SCOPING, VERBS};

/// Verbs and words for ways of working, as opposed to single tasks.
const MANNERS: &[&str] = table!("words_manners");

/// Parts of a project for which rules of work exist.
const PARTS: &[&str] = table!("words_parts");

impl WishParser<'_> {
    /// "Rule: …", "New rule for the tests: …", "our policy is to …": the words after the label are the wish.
    pub(super) fn labelled(&self, marker: &Marker) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let label = marker.at..marker.end();
        let begins = (0..marker.at)
            .rev()
            .find(|at| matches!(s.mark(*at), Some(',' | ';' | ':' | '—' | '–' | '-' | '.' | '(')))
            .map_or(0, |at| at + 1);
        let begins = self.content(begins).min(marker.at);
        let is_described = |at: usize| {
            s.is(at, OWN)
                || s.is(at, OF_WORK)
                || s.is(at, &["naming", "per"])
                || s.is(at, &["the", "a", "it's", "it", "is", "here's", "here", "that's", "this", "and"])
                || s.is_filler(at)
        };
        if !(begins..marker.at).all(is_described) {
            return None;
        }
        let owned = (begins..marker.at).any(|at| s.is(at, OWN))
            || label.clone().any(|at| s.is(at, PLACES_OF_WORK) || s.is(at, &["you", "us", "thumb", "all"]));
        // "Rules for the password field", "New order": these are about a product, not about work.
        let is_of = (marker.at + 1..marker.end()).any(|at| s.is(at, &["for", "of", "in", "on"]));
        let is_of_part = label.clone().any(|at| s.is(at, OF_WORK) || s.is(at, PARTS));
        let is_of_a_thing = is_of && !owned && !is_of_part;
        let is_command = s.is(marker.at, &["order", "orders", "request", "requests", "wish"])
            && !(begins..marker.at).any(|at| s.is(at, &["standing", "permanent", "general"]));
        if is_of_a_thing || is_command {
            return None;
        }
        let is_said = s.mark(marker.end() - 1).is_none();
        let is_plain = s.is(marker.at, &["rule", "rules", "convention", "conventions"]);
        // "The policy is that …" is a report: it does not name whose policy it is.
        let is_to_be = is_said && s.is(begins, &["the"]) && is_plain && s.is(marker.end() - 1, &["to"]);
        let is_of_work = s.is(marker.at, &["policy", "policies"])
            && (marker.end()..s.len().min(marker.end() + 6)).any(|at| s.is(at, OF_WORK));
        if !owned && !is_to_be && (is_said || !(is_plain || is_of_work)) {
            return None;
        }
        let content = self.content(marker.end());
        // A rule for one thing is not a way of working: "Rule: the name must be unique".
        let is_thing = !owned
            && s.is(content, &["the", "a", "an", "this"])
            && !(content..s.len()).any(|at| s.is(at, OF_WORK));
        let words = (content..s.len()).filter(|at| !s.word(*at).is_empty()).count();
        (words > 1 && !is_thing).then(|| (self.mode_at(content), marker.end()))
    }

    /// "As a rule, …", "Unless I ask otherwise, …", "… as a rule".
    pub(super) fn by_default(
        &self,
        marker: &Marker,
        clause: Clause,
        last: Option<&MarkedWish>,
    ) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let content = self.content(marker.end());
        let ideally_you = marker.sign == Sign::Ideally
            && s.is(content, &["you", "we"])
            && s.is(content + 1, VERBS)
            && !self.is_soon_over(content..s.len());
        if clause.start == marker.at && (ideally_you || self.instructs(content)) {
            return self.stands(marker, content).map(|mode| (mode, clause.start));
        }
        // "Without exception, changes to auth need my approval."
        let demands =
            (content..s.len()).any(|at| s.is(at, &["need", "needs", "require", "requires", "must"]));
        if clause.start == marker.at && s.reads(marker.at, &["without"]) && demands {
            return Some((Mode::Always, clause.start));
        }
        // The marker ends an instruction. "The dialog opens by default" and "make it dark by default" are
        // about a product. "We use tabs in this repository" is about the whole project, so it is a way of
        // working.
        let is_ours = s.is(clause.start, &["we"])
            && s.is(clause.start + 1, &["use", "keep", "write", "name", "format", "follow"]);
        if marker.sign == Sign::Place && is_ours && last.is_none() && self.opens(clause) {
            return Some((Mode::Always, clause.start));
        }
        let closes = marker.end() >= s.len() || s.mark(marker.end()).is_some();
        if !closes || last.is_some() || matches!(s.word(marker.at), "by" | "for" | "in") {
            return None;
        }
        let start = self.past_fillers(self.instruction_before(marker.at).min(clause.wide), marker.at);
        let is_relative = (start..marker.at).any(|at| s.is(at, &["that", "which", "who"]));
        // "Don't treat that as a rule" does not make a rule.
        let is_deemed = (start..marker.at)
            .any(|at| s.is(at, &["treat", "take", "consider", "see", "regard", "mean", "read"]));
        let instructs = start < marker.at && self.instructs(start) && !is_relative && !is_deemed;
        instructs.then(|| self.stands(marker, start).map(|mode| (mode, start))).flatten()
    }

    /// Returns the mode of an instruction at `content`, if the marker makes it permanent.
    fn stands(&self, marker: &Marker, content: usize) -> Option<Mode> {
        let s = self.sentence;
        let mode = self.mode_at(content);
        let compares = (content..s.len()).any(|at| s.is(at, &["over", "rather", "instead", "than"]));
        match marker.sign {
            // A place can also be the place of a task: "In this repository, fix the login".
            Sign::Place => {
                let is_manner = s.is(content, MANNERS) || s.is(content + 1, &["only"]);
                (is_manner && !self.is_soon_over(content..s.len())).then_some(mode)
            }
            Sign::Ideally if mode == Mode::Always => Some(Mode::Prefer),
            Sign::IfPossible => compares.then_some(Mode::Prefer),
            _ if compares
                && s.is(marker.end() - 1, &["doubt", "unsure", "general"])
                && mode == Mode::Always =>
            {
                Some(Mode::Prefer)
            }
            _ => Some(mode),
        }
    }

    /// "Make it a habit to …", "Get into the habit of …ing".
    pub(super) fn habitual(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let mut content = self.content(marker.end());
        if s.is(content, &["you", "we"]) {
            content += 1;
        }
        let governs = clause.start == marker.at || self.obliges(clause.start, marker.at, marker);
        let governs = governs || s.is(clause.start, &["let's", "i", "i'd", "we"]);
        let acts = s.is(content, VERBS)
            || self.is_verb(content)
            || goes_on(s, content)
            || s.is(content, &["not", "never", "always"]);
        let negated = s.is(marker.end() - 1, &["never"]) || s.is(content, &["not", "never"]);
        let mode = if negated { Mode::Never } else { Mode::Always };
        (governs && acts).then_some((mode, clause.start))
    }

    /// "Choose clarity over cleverness.", "I like small commits better than big ones."
    pub(super) fn chosen(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let likes = s.is(marker.at, &["like"]);
        let governs = if likes {
            s.is(clause.start, &["i", "we"]) && clause.start + 1 == marker.at
        } else {
            clause.start == marker.at || self.obliges(clause.start, marker.at, marker)
        };
        let is_shown = (marker.end()..s.len())
            .any(|at| s.is(at, &["the", "this", "that", "these", "it", "option", "one", "two", "here"]));
        (governs && !is_shown && self.opens(clause)).then_some((Mode::Prefer, clause.start))
    }

    /// "Only use named exports.", "Use only English.", "We only support Postgres."
    pub(super) fn exclusive(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let object = if s.is(marker.end(), VERBS) || s.is(marker.end(), &["support"]) {
            marker.end() + 1
        } else {
            marker.end()
        };
        let before = marker.at - clause.start;
        let governs = before == 0
            || (before == 1 && (s.is(clause.start, VERBS) || s.is(clause.start, &["we"])))
            || (before == 2 && self.is_told(clause.start, marker.at - 1) && s.is(marker.at - 1, OBLIGING));
        let ends = self.clause_end(object);
        let holds = governs
            && self.opens(clause)
            && self.is_general(object, ends)
            && !(object..ends).any(|at| s.is(at, &["the", "my", "your"]))
            && !self.is_soon_over(object..ends);
        holds.then_some((Mode::Always, clause.start))
    }

    /// "Commits should be signed.", "Every commit message must name a ticket."
    pub(super) fn due(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let is_many =
            s.word(marker.at).ends_with('s') || s.is(marker.at + 1, &["titles", "messages", "names"]);
        let all = s.is(clause.start, &["every", "each", "all", "any"]);
        let described = (clause.start..marker.at).all(|at| {
            s.is(at, &["every", "each", "all", "any", "new", "pull", "our", "single", "feature"])
                || s.is(at, OF_WORK)
        });
        // A sentence about how a product shows commits is a requirement for the product.
        let is_shown = s.is(
            marker.end() + usize::from(s.is(marker.end(), &["be", "to"])),
            &[
                "show",
                "shown",
                "appear",
                "display",
                "displayed",
                "listed",
                "visible",
                "sorted",
                "load",
                "open",
                "fit",
            ],
        );
        let holds = !is_shown
            && (all || (is_many && clause.start == marker.at))
            && described
            && self.opens(clause)
            && !self.is_soon_over(marker.end()..s.len());
        let mode = if s.is(marker.end(), &["not", "never"]) { Mode::Never } else { Mode::Always };
        holds.then_some((mode, clause.start))
    }

    /// "Lean towards …", "Better use … instead of …".
    pub(super) fn leaning(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let compares =
            (marker.end()..s.len()).any(|at| s.is(at, &["over", "rather", "instead", "than", "general"]));
        let is_chosen = marker.sign == Sign::Lean || compares;
        let is_shown = s.is(marker.end(), &["this", "that", "it"]) || s.is(marker.end() + 1, &["this", "it"]);
        let governs = clause.start == marker.at || self.obliges(clause.start, marker.at, marker);
        let governs = governs || (s.is(clause.start, SCOPING) && self.is_scope(clause.wide, marker.at));
        (governs && is_chosen && !is_shown && self.opens(clause)).then_some((Mode::Prefer, clause.start))
    }
}
