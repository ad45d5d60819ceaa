//! Wishes in plain words: places to leave alone, the only means of something, facts to keep in mind, and sentences that
//! make a rule of the sentence before them.

use super::super::{Wish, WishParser};
use super::{AT_WORK, Context, MATERIALS, RULED, STYLE};
use crate::directive::Mode;
use crate::directive::sentence::Sentence;
use crate::directive::words::{OF_WORK, VERBS};

/// Things of a project that lie in a place.
const PLACES: &[&str] = table!("unmarked_places");

/// Verbs with which a team settles something.
const SETTLING: &[&str] = table!("unmarked_settling");

impl WishParser<'_> {
    /// Returns the wish of a sentence that states it in plain words.
    pub(super) fn plainly(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        if context.builds {
            return None;
        }
        // "In this repository" names a place of work, and no task.
        if let Some(wish) = self.ruled(first) {
            return Some(wish);
        }
        if self.is_passing_from(first) {
            return None;
        }
        self.left_alone(first)
            .or_else(|| self.only_means(first))
            .or_else(|| self.wanted_of_you(first))
            .or_else(|| self.kept_in_mind(first))
            .or_else(|| self.used_for(first))
            .or_else(|| self.settled(first))
            .or_else(|| self.not_bothered(first))
    }

    /// "Steer clear of the vendor folder.", "Leave `legacy/` alone."
    fn left_alone(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let clear = s.is(first, &["steer", "stay", "keep"]) && s.reads(first + 1, &["clear", "of"]);
        let alone = s.is(first, &["leave"])
            && self.find_near(first + 1, 7, &["alone", "untouched", "be"]).is_some_and(|at| at > first + 1);
        let is_place = (first + 1..s.len().min(first + 8))
            .any(|at| s.is(at, PLACES) || s.word(at).contains('/') || s.is_quoted(at))
            || s.is(first + 1, &["my", "our"]);
        let stays = self.find_near(first + 1, 5, &["stays", "stay", "remains", "remain"]).is_some_and(|at| {
            s.reads(at + 1, &["as", "it", "is"])
                || s.reads(at + 1, &["as", "is"])
                || s.is(at + 1, &["untouched", "frozen"])
        });
        let barred = self.find_near(first + 1, 5, &["have", "has"]).is_some_and(|at| {
            s.is(at + 1, &["no"])
                && s.is(at + 2, &["place", "business"])
                && s.is(at + 3, &["in", "inside", "on"])
        });
        if stays && is_place || barred && !s.is(first, &["it", "this", "that", "you"]) {
            return Some(self.to_the_end(Mode::Never, first));
        }
        (clear && s.len() > first + 3 || alone && is_place).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "Only use the standard library in scripts.", "Only ever talk to the sandbox."
    fn only_means(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["only"]) {
            return None;
        }
        let ever = s.is(first + 1, &["ever"]) && s.is(first + 2, VERBS);
        let used = s.is(first + 1, &["use", "write", "touch", "commit"])
            && (self.is_kind(first + 2)
                || self
                    .find_near(first + 2, 7, &["in", "for", "when", "inside", "within", "below"])
                    .is_some())
            && !(first + 2..s.len()).any(|at| s.is(at, &["this", "that", "these", "those"]));
        (ever || used).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "I want you to ask before installing anything.", "I don't want any more banners."
    fn wanted_of_you(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["i", "we", "i'd"]) {
            return None;
        }
        let unwanted = s.reads(first + 1, &["don't", "want"])
            && (s.reads(first + 3, &["any", "more"]) || s.is(first + 3, &["anymore"]));
        if unwanted && s.len() > first + 5 {
            return Some(self.to_the_end(Mode::Stop, first));
        }
        let asks = s.is(first + 1, &["want", "need", "expect", "like"])
            && s.is(first + 2, &["you"])
            && s.is(first + 3, &["to"]);
        let recurs = (first + 4..s.len()).any(|at| {
            s.is(at, &["any", "anything", "each", "every", "whenever", "unless"])
                || s.is(at, &["before", "after", "when"]) && s.word(at + 1).ends_with("ing")
        });
        let is_one = (first + 4..s.len()).any(|at| s.is(at, &["this", "these", "that"]));
        (asks && recurs && !is_one).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "My time zone is Lisbon, keep that in mind.", "Note: our main branch is called trunk."
    fn kept_in_mind(&self, first: usize) -> Option<Wish> {
        const ENDS: [&[&str]; 9] = [
            &["keep", "that", "in", "mind"],
            &["keep", "it", "in", "mind"],
            &["bear", "that", "in", "mind"],
            &["remember", "that"],
            &["so", "you", "know"],
            &["just", "so", "you", "know"],
            &["don't", "forget"],
            &["make", "a", "note"],
            &["fyi"],
        ];
        let s = self.sentence;
        let wish = |start| Some(Wish { mode: Mode::Remember, tokens: start..s.len() });
        if s.is(first, &["note", "reminder", "heads-up", "nb"]) && s.mark(first + 1) == Some(':') {
            let start = first + 2;
            return self.is_lasting_fact(start, true).then_some(start).and_then(wish);
        }
        let end =
            (first + 2..s.len()).rev().find(|at| matches!(s.mark(*at), Some(',' | ';' | '—' | '–' | '-')))?;
        let what = end + 1 + usize::from(s.is(end + 1, &["please", "and"]));
        let closes = ENDS.iter().any(|words| s.reads(what, words) && what + words.len() >= s.len());
        (closes && self.is_lasting_fact(first, true)).then_some(first).and_then(wish)
    }

    /// "Comments are to be written in English.", "Type hints are mandatory in this code base."
    fn ruled(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if s.is(
            first,
            &["the", "this", "that", "it", "these", "those", "there", "a", "an", "he", "she", "they"],
        ) {
            return None;
        }
        if s.is(first, &["you're", "you"]) {
            let not = self.find_near(first + 1, 3, &["not", "aren't"])?;
            let holds = s.is(not + 1, &["allowed", "permitted", "supposed", "to"]);
            return (holds && s.len() > not + 3).then(|| self.to_the_end(Mode::Never, first));
        }
        let be = self.find_near(first + 1, 5, &["is", "are", "isn't", "aren't"])?;
        let named = (first..be).any(|at| s.is(at, MATERIALS) || s.is(at, OF_WORK) || s.is(at, STYLE));
        let is_due = named && s.reads(be + 1, &["to", "be"]) && !s.word(be + 3).is_empty();
        let is_here = (be + 1..s.len()).any(|at| {
            s.is(at, &["here"])
                || self.past_place(at).is_some()
                || s.is(at, &["code"]) && s.is(at + 1, &["base"])
                || s.is(at, AT_WORK)
        });
        let is_ruled = s.is(be + 1, RULED) && (is_here || (named && be + 2 >= s.len()));
        (is_due || is_ruled).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Use English for code comments."
    fn used_for(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["use"])
            || s.is(first + 1, &["the", "this", "that", "a", "an", "your", "my", "these"])
        {
            return None;
        }
        let link = self.find_near(first + 2, 4, &["for", "in"])?;
        let end = (link + 1..s.len()).find(|at| s.mark(*at).is_some()).unwrap_or(s.len());
        let is_pointed =
            (link + 1..end).any(|at| s.is(at, &["the", "this", "that", "these", "those", "it", "now"]));
        let is_kind = self.is_plural(link + 1, end)
            && (link + 1..end).any(|at| s.is(at, MATERIALS) || s.is(at, OF_WORK));
        (is_kind && !is_pointed && s.len() < first + 14).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "The team agreed to use tabs."
    fn settled(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let team = s.is(first, &["the", "our", "my"])
            && s.is(first + 1, &["team", "group", "crew", "squad", "lab", "maintainers", "reviewers"]);
        let verb = first + 2 + usize::from(s.is(first + 2, &["has", "have"]));
        let settles = team && s.is(verb, SETTLING) && s.is(verb + 1, &["on", "to", "that", "not", "against"]);
        let is_work =
            (verb + 2..s.len()).any(|at| s.is(at, MATERIALS) || s.is(at, OF_WORK) || s.is(at, STYLE));
        (settles && is_work).then(|| self.to_the_end(Mode::FromNowOn, first))
    }

    /// "Don't bother with type stubs."
    fn not_bothered(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let bother = match s.word(first) {
            "don't" | "dont" => first + 1,
            "do" if s.is(first + 1, &["not"]) => first + 2,
            "no" if s.is(first + 1, &["need"]) && s.is(first + 2, &["for"]) => first + 1,
            "there's" if s.reads(first + 1, &["no", "need", "for"]) => first + 2,
            _ => return None,
        };
        let holds = s.is(bother, &["bother", "need"]) && s.is(bother + 1, &["with", "for"]);
        (holds && self.is_kind(bother + 2)).then(|| self.to_the_end(Mode::Stop, first))
    }
}

/// Whether a sentence makes a rule of the one before it: "That's how we do it here.", "Please stick to it."
pub(in crate::directive) fn makes_a_rule(sentence: &Sentence<'_>) -> bool {
    const RULES: [&[&str]; 14] = [
        &["that's", "the", "rule"],
        &["that", "is", "the", "rule"],
        &["that's", "our", "rule"],
        &["that's", "the", "policy"],
        &["that's", "our", "policy"],
        &["that's", "the", "convention"],
        &["that's", "our", "convention"],
        &["no", "exceptions"],
        &["no", "excuses"],
        &["stick", "to", "it"],
        &["stick", "to", "that"],
        &["please", "stick", "to", "it"],
        &["please", "stick", "to", "that"],
        &["house", "rule"],
    ];
    let s = sentence;
    if s.asks() {
        return false;
    }
    let applies = s.is(0, &["that", "this", "it", "same", "which"])
        && (1..4).any(|at| s.is(at, &["applies", "goes", "holds", "counts", "for"]))
        && (1..s.len())
            .any(|at| s.is(at, &["all", "every", "everything", "everywhere", "always", "any", "each"]))
        && s.len() < 10;
    let is_rule = applies || RULES.iter().any(|words| s.reads(0, words) && s.len() <= words.len() + 3);
    let is_custom = s.is(0, &["that's", "this's"])
        && s.is(1, &["how"])
        && s.is(2, &["we", "this", "our", "the", "things"])
        && s.len() <= 10
        && !(2..s.len()).any(|at| s.is(at, &["broke", "failed", "got", "found", "was", "were", "it's"]));
    is_rule || is_custom
}

/// Whether a sentence only reports a statement of another text: "…, so the spec".
pub(in crate::directive) fn is_told_by_a_text(sentence: &Sentence<'_>) -> bool {
    let s = sentence;
    (1..s.len()).any(|at| {
        s.mark(at) == Some(',')
            && s.is(at + 1, &["says", "said", "states", "reads", "writes", "claims"])
            && s.is(at + 2, &["the", "their", "his", "her", "its", "a", "an", "someone", "everybody"])
            && (at + 3..at + 8).any(|end| end >= s.len() || s.mark(end).is_some())
    })
}
