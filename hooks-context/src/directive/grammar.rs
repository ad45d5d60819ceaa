//! Which markers make a wish: what stands before them, what behind, and what kind of sentence it is.

use std::ops::Range;

use super::Mode;
use super::markers::{self, Marker, Sign, goes_on};
use super::sentence::Sentence;
use super::typos::corrected;
use super::words::{
    ASKING, BASE, CONDITIONS, FILLERS, HAPPENING, JOINING, NAMING, NO_VERBS, OBLIGING, OF_WORK, PASSING,
    PAST, QUESTIONS, SCOPING, SUBJECTS, TELLING, TOLD, VERBS, WEIGHTY,
};

/// A wish: how it is meant, and which tokens of its sentence it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) mode: Mode,
    pub(super) tokens: Range<usize>,
}

/// A marker that makes a wish.
struct Found {
    marker: Marker,
    mode: Mode,
    /// Where the wish begins.
    start: usize,
}

/// What kind of sentence it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Statement,
    /// A request in the form of a question, and where what is asked for begins.
    Request(usize),
    Question,
}

/// The wishes of a sentence, in order.
pub(super) fn wishes(sentence: &Sentence<'_>) -> Vec<Wish> {
    let markers = markers::all(sentence);
    let reader = Reader { sentence, form: form(sentence) };
    if reader.form == Form::Question {
        return Vec::new();
    }
    let mut found: Vec<Found> = Vec::new();
    let mut was_rejected = false;
    for marker in markers {
        if found.last().is_some_and(|last| reader.belongs_to(last, &marker)) {
            continue;
        }
        match reader.wish(&marker, was_rejected, found.last()) {
            Some((mode, start)) => {
                // "Remember: never …" is the "never".
                if found.last().is_some_and(|last| reader.is_only_announced(last, start)) {
                    found.pop();
                }
                found.push(Found { marker, mode, start });
            }
            None => was_rejected |= marker.sign != Sign::Not,
        }
    }
    if found.is_empty() {
        found.extend(reader.each_time());
    }
    reader.bounded(&found)
}

/// What each line below `sentence` is, where that is a heading: "From now on:", "Never do the following:".
pub(super) fn heading(sentence: &Sentence<'_>) -> Option<Mode> {
    let last = sentence.len().checked_sub(1)?;
    if sentence.mark(last) != Some(':') {
        return None;
    }
    let markers = markers::all(sentence);
    let marker = markers.first()?;
    const EMPTY: [&str; 21] = [
        "do",
        "doing",
        "the",
        "following",
        "these",
        "this",
        "things",
        "rules",
        "follow",
        "obey",
        "a",
        "few",
        "of",
        "any",
        "to",
        "that",
        "keep",
        "apply",
        "respect",
        "we",
        "you",
    ];
    let is_bare = (0..last)
        .filter(|at| !(marker.at..marker.end()).contains(at))
        .all(|at| sentence.word(at).is_empty() || sentence.is(at, &EMPTY) || sentence.is(at, FILLERS));
    let mode = match marker.sign {
        Sign::Always => Mode::Always,
        Sign::Never | Sign::NoWay => Mode::Never,
        Sign::FromNowOn | Sign::Later => Mode::FromNowOn,
        Sign::Prefer => Mode::Prefer,
        Sign::Stop | Sign::NoMore => Mode::Stop,
        Sign::Remember => Mode::Remember,
        Sign::NextTime | Sign::Not => return None,
    };
    is_bare.then_some(mode)
}

struct Reader<'a> {
    sentence: &'a Sentence<'a>,
    form: Form,
}

impl Reader<'_> {
    /// The mode and the beginning of the wish that `marker` makes, if it makes one.
    fn wish(&self, marker: &Marker, was_rejected: bool, last: Option<&Found>) -> Option<(Mode, usize)> {
        if self.is_told_by_others(marker.at) || self.is_named(marker.at) || self.is_passing(marker) {
            return None;
        }
        let clause = self.clause(marker.at);
        let governed = || self.governed(marker, clause, was_rejected);
        match marker.sign {
            Sign::Always => {
                let start = governed().filter(|_| self.is_verb(self.behind(marker)));
                start
                    .or_else(|| self.behind_an_instruction(marker, clause))
                    .map(|start| (Mode::Always, start))
            }
            Sign::Never => {
                let to = self.sentence.is(marker.end(), &["to"])
                    && self.sentence.is(marker.at.wrapping_sub(1), &["are"]);
                let start = governed().filter(|_| self.is_verb(self.behind(marker)));
                let start =
                    start.or_else(|| clause.begin_if(to && self.is_told(clause.start, marker.at - 1)));
                start.map(|start| (Mode::Never, start))
            }
            Sign::NoWay => clause.begin_if(clause.start == marker.at).map(|start| (Mode::Never, start)),
            Sign::FromNowOn | Sign::Later | Sign::NextTime => {
                self.from_now_on(marker, clause, last).map(|start| (Mode::FromNowOn, start))
            }
            Sign::Prefer => self.preferred(marker, clause, was_rejected).map(|start| (Mode::Prefer, start)),
            Sign::Stop => governed().map(|start| (Mode::Stop, start)),
            Sign::NoMore => {
                let is_ours = clause.start + 1 == marker.at && self.sentence.is(clause.start, &["we"]);
                let is_ours =
                    is_ours && self.is_verb(marker.end()) && !self.sentence.is(marker.end(), HAPPENING);
                let holds =
                    (clause.start == marker.at || is_ours) && !self.sentence.word(marker.end()).is_empty();
                clause.begin_if(holds).map(|start| (Mode::Stop, start))
            }
            Sign::Not => self.no_longer(marker, clause),
            Sign::Remember => self.remembered(marker, clause).map(|start| (Mode::Remember, start)),
        }
    }

    // ---- what stands before

    /// The clause that the token at `at` is in.
    fn clause(&self, at: usize) -> Clause {
        let is_boundary =
            |at: usize| matches!(self.sentence.mark(at), Some(',' | ':' | ';' | '—' | '–' | '-' | '(' | ')'));
        let wide = (0..at).rev().find(|at| is_boundary(*at)).map_or(0, |at| at + 1);
        let begins_request = match self.form {
            Form::Request(start) if start <= at => start,
            _ => 0,
        };
        let wide = wide.max(begins_request);
        let joined = (wide..at).rev().find(|at| self.sentence.is(*at, JOINING));
        let narrow = joined.map_or(wide, |at| at + 1);
        let start = self.past_fillers(narrow, at);
        Clause { start, wide: self.past_fillers(wide, at), boundary: narrow }
    }

    fn past_fillers(&self, from: usize, to: usize) -> usize {
        (from..to).find(|at| !self.sentence.is(*at, FILLERS)).unwrap_or(to)
    }

    /// Where the wish begins, if what stands before the marker lets it govern an instruction.
    fn governed(&self, marker: &Marker, clause: Clause, was_rejected: bool) -> Option<usize> {
        let at = marker.at;
        if clause.start == at {
            return clause.begin_if(!self.is_narrated(clause, was_rejected));
        }
        if self.obliges(clause.start, at, marker) {
            return Some(clause.start);
        }
        if clause.wide < clause.start && self.obliges(clause.wide, at, marker) {
            return Some(clause.wide);
        }
        // "When committing always …", "On the target never …": the condition has no comma.
        clause.begin_if_at(self.is_scope(clause.wide, at), at)
    }

    /// Whether an adverb without a subject goes on with a report: "it crashes and never recovers".
    fn is_narrated(&self, clause: Clause, was_rejected: bool) -> bool {
        let Some(before) = clause.boundary.checked_sub(1) else { return false };
        if matches!(self.form, Form::Request(start) if start == clause.boundary) {
            return false;
        }
        if matches!(self.sentence.mark(before), Some(':' | ';' | '—' | '–' | '-' | '(')) {
            return false;
        }
        let is_joined = self.sentence.is(before, JOINING);
        let has_comma = self.sentence.mark(before) == Some(',')
            || (is_joined && before > 0 && self.sentence.mark(before - 1) == Some(','));
        let begins = (0..before)
            .rev()
            .find(|at| matches!(self.sentence.mark(*at), Some(':' | ';' | '—' | '–')))
            .map_or(0, |at| at + 1);
        let begins = self.past_fillers(begins, before);
        if was_rejected && !self.sentence.is(before, &["but", "so"]) {
            return true;
        }
        let is_relative = (begins..before).any(|at| self.sentence.is(at, &["that", "which", "who"]));
        if is_joined && !has_comma && is_relative {
            return true;
        }
        let is_about = self.sentence.is(begins, SUBJECTS)
            && !self.sentence.is(begins, &["you", "we", "everyone", "all"]);
        let opposes = self.sentence.is(before, &["but", "so"]);
        is_about
            && !opposes
            && !(self.sentence.is(begins, &["i"]) && self.sentence.is(begins + 1, &["want", "need"]))
    }

    /// Whether the words from `start` to `end` tell somebody what to do with what follows.
    fn obliges(&self, start: usize, end: usize, marker: &Marker) -> bool {
        let s = self.sentence;
        let Some(mut last) = end.checked_sub(1).filter(|last| *last >= start) else { return false };
        while last > start && s.is(last, &["also", "really", "please", "just", "still", "really"]) {
            last -= 1;
        }
        if s.is(last, &["must", "should", "shall", "shd"]) {
            return self.is_told(start, last);
        }
        if s.is(last, &["to"]) {
            return last > start && self.leads(start, last - 1);
        }
        if start == last {
            return match s.word(start) {
                "let's" | "lets" => true,
                word if word.starts_with('@') => true,
                "we" => !s.is(marker.end(), HAPPENING) && marker.sign != Sign::Stop,
                "i" => s.is(marker.end(), &["want", "expect", "need", "prefer", "like", "insist"]),
                _ => false,
            };
        }
        // "make sure you", "it is vital that we", "in tests we"
        if s.is(last, &["you", "we", "u", "agents", "everyone"]) {
            let that = if s.is(last - 1, &["that"]) { last.checked_sub(2) } else { last.checked_sub(1) };
            let leads = that.filter(|at| *at >= start).is_some_and(|at| {
                s.is(at, &["sure", "ensure", "careful", "see", "it"])
                    || (s.is(at, WEIGHTY) && s.is(last - 1, &["that"]))
            });
            let is_ours = s.is(last, &["we"]) && s.is(start, SCOPING) && !s.is(marker.end(), HAPPENING);
            return leads || (is_ours && marker.sign != Sign::Stop);
        }
        if marker.sign == Sign::Never && s.is(last, &["may"]) {
            return self.is_told(start, last) && !s.is(marker.end(), HAPPENING);
        }
        if marker.sign == Sign::Stop && s.is(last, &["can", "may"]) {
            return s.is(start, &["you"]) && last == start + 1;
        }
        // "you will always"
        s.is(last, &["will"]) && s.is(start, &["you"]) && last == start + 1 && marker.sign == Sign::Always
    }

    /// Whether the words up to `last`, with a "to" behind, ask for something.
    fn leads(&self, start: usize, last: usize) -> bool {
        let s = self.sentence;
        match s.word(last) {
            "sure" => last > start && s.is(last - 1, &["make", "be"]),
            "try" | "remember" | "ensure" | "aim" | "careful" => {
                last == start || s.is(last - 1, &["be", "please", "must", "should"]) || s.is(start, TOLD)
            }
            "need" | "have" | "ought" | "are" | "supposed" | "got" | "want" | "going" => {
                let subject =
                    (start..last).rev().find(|at| !s.is(*at, &["are", "is", "really", "also", "'re"]));
                subject.is_some_and(|at| self.is_told(start, at + 1))
            }
            word if WEIGHTY.contains(&word) => true,
            "is" => (start..last).any(|at| s.is(at, &["rule", "policy", "convention"])),
            "you" | "us" | "everyone" | "everybody" | "agents" | "team" | "all" => {
                let verb = (start..last).rev().find(|at| !s.is(*at, &["the", "all", "of"]));
                verb.is_some_and(|at| {
                    s.is(
                        at,
                        &[
                            "want", "need", "expect", "ask", "like", "require", "tell", "remind", "asking",
                            "urge", "love",
                        ],
                    )
                }) && s.is(start, &["i", "we", "i'd", "we'd", "i'm", "we're"])
            }
            _ => false,
        }
    }

    /// Whether the words from `start` to `end` are somebody who is told what to do, or something that work has.
    fn is_told(&self, start: usize, end: usize) -> bool {
        let s = self.sentence;
        let count = end.saturating_sub(start);
        if count == 0 || count > 6 {
            return false;
        }
        let last = end - 1;
        if s.is(last, TOLD) && s.is(start, SCOPING) {
            return true;
        }
        if s.is(last, TOLD)
            && (count == 1
                || s.is(start, &["the", "all", "every", "our", "each", "that", "sure", "make", "ensure"]))
        {
            return true;
        }
        let is_one_thing = s.is(start, &["the", "this", "that", "a", "an", "my", "it"]);
        !is_one_thing && (start..end).any(|at| s.is(at, OF_WORK))
    }

    /// Whether the words from `start` to `end` say when or where, and who is told is left out.
    fn is_scope(&self, start: usize, end: usize) -> bool {
        let s = self.sentence;
        if end <= start + 1 || !s.is(start, SCOPING) {
            return false;
        }
        let last = end - 1;
        if s.is(last, SUBJECTS)
            || s.is(last, &["which", "who", "to", "is", "are", "was", "will", "can", "does", "do", "not"])
        {
            return false;
        }
        // "In CI the tests …": somebody comes behind the scope.
        let is_subject = (start + 2..last).any(|at| {
            s.is(at, &["the", "our", "my", "these", "those", "all", "some"])
                && !s.is(at - 1, SCOPING)
                && !s.is(at - 1, &["of", "to", "or", "and", "about"])
        });
        if is_subject && !goes_on(s, start + 1) && !s.is(start, CONDITIONS) {
            return false;
        }
        if s.is(start, CONDITIONS) {
            return goes_on(s, start + 1)
                || (s.is(start + 1, &["you", "we"]) && end > start + 2)
                || s.is(start + 1, &["in"]);
        }
        true
    }

    /// Whether somebody else says it: "the docs say to always …".
    fn is_told_by_others(&self, at: usize) -> bool {
        let s = self.sentence;
        let begins = (0..at).rev().find(|at| s.mark(*at) == Some(';')).map_or(0, |at| at + 1);
        (begins..at).any(|told| {
            let is_verb_here = told == self.past_fillers(begins, at) || s.is(told.wrapping_sub(1), JOINING);
            s.is(told, TELLING) && !is_verb_here && !s.is(told.wrapping_sub(1), &["i", "to"])
        })
    }

    /// Whether the word is only named: "the word always", "a message: never …".
    fn is_named(&self, at: usize) -> bool {
        let s = self.sentence;
        let Some(before) = at.checked_sub(1) else { return false };
        let before = if s.mark(before) == Some(':') { before.wrapping_sub(1) } else { before };
        s.is(before, NAMING)
    }

    /// Whether it is about one task: "this time", "for now", "in this PR".
    fn is_passing(&self, marker: &Marker) -> bool {
        let s = self.sentence;
        if matches!(marker.sign, Sign::FromNowOn | Sign::Later | Sign::NextTime) {
            return false;
        }
        let begins = (0..marker.at).rev().find(|at| s.mark(*at) == Some(';')).map_or(0, |at| at + 1);
        let ends = (marker.end()..s.len()).find(|at| s.mark(*at) == Some(';')).unwrap_or(s.len());
        (begins..ends).any(|at| match s.word(at) {
            "this" => {
                let is_during = s.is(at.wrapping_sub(1), &["in", "for", "on", "during", "just"]);
                s.is(at + 1, &["time"]) || (is_during && s.is(at + 1, PASSING))
            }
            "for" => {
                s.is(at + 1, &["now"])
                    || s.reads(at + 1, &["the", "moment"])
                    || s.reads(at + 1, &["the", "time", "being"])
            }
            "right" => s.is(at + 1, &["now"]),
            _ => false,
        })
    }

    // ---- what stands behind

    /// Where what is to be done begins, behind a marker: "never, under any pressure, skip".
    fn behind(&self, marker: &Marker) -> usize {
        let s = self.sentence;
        let mut at = marker.end();
        for _ in 0..3 {
            if s.mark(at) == Some(',') {
                let closes = (at + 1..s.len().min(at + 9)).find(|at| s.mark(*at) == Some(','));
                at = closes.filter(|_| !self.is_verb(at + 1)).map_or(at + 1, |closes| closes + 1);
            }
            if s.mark(at) == Some('(') {
                let closes = (at + 1..s.len().min(at + 9)).find(|at| s.mark(*at) == Some(')'));
                at = closes.map_or(at, |closes| closes + 1);
            }
            let is_repeated = matches!(
                corrected(s.word(at)),
                "always" | "never" | "ever" | "please" | "again" | "just" | "only" | "remember"
            );
            if is_repeated && !s.is(at, &["remember"]) {
                at += 1;
            }
        }
        at
    }

    /// Whether the word at `at` can be a verb as instructions have it.
    fn is_verb(&self, at: usize) -> bool {
        let s = self.sentence;
        let word = s.word(at);
        if word.is_empty() || s.is_quoted(at) || !word.starts_with(|c: char| c.is_alphabetic()) {
            return false;
        }
        if BASE.contains(&word) {
            return true;
        }
        let is_third = word.ends_with('s') && !word.ends_with("ss");
        let is_past = word.ends_with("ed") || PAST.contains(&word);
        let goes_on = goes_on(s, at);
        !(is_third || is_past || goes_on || NO_VERBS.contains(&word))
    }

    /// "Sign your commits, always.": the adverb closes an instruction.
    fn behind_an_instruction(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let is_last = marker.end() == self.sentence.len()
            || self.sentence.is(marker.end(), &["when", "before", "after"]);
        let start = if clause.start == marker.at { self.past_fillers(0, marker.at) } else { clause.start };
        let instructs = self.sentence.is(start, VERBS) && start < marker.at;
        let is_relative =
            (start..marker.at).any(|at| self.sentence.is(at, &["that", "which", "who", "to", "is", "are"]));
        (is_last && instructs && !is_relative).then_some(start)
    }

    // ---- modes that have a grammar of their own

    fn from_now_on(&self, marker: &Marker, clause: Clause, last: Option<&Found>) -> Option<usize> {
        let s = self.sentence;
        let mut content = marker.end();
        while matches!(s.mark(content), Some(',' | ':' | '-' | '—' | '–')) || s.is(content, FILLERS) {
            content += 1;
        }
        let will = |range: Range<usize>| {
            range.into_iter().any(|at| s.is(at, &["will", "might", "may", "could", "would"]))
        };
        let obliges = |range: Range<usize>| {
            range.into_iter().any(|at| s.is(at, OBLIGING) || s.is(at, &["needs", "has", "gets"]))
        };
        if clause.start == marker.at && (content < s.len()) {
            let subject = s.word(content);
            let is_wish = match subject {
                "i" => s.is(content + 1, &["want", "need", "expect", "prefer", "would", "always", "never"]),
                "i'll" | "i'm" | "i've" | "we'll" | "we're" => false,
                "can" | "could" | "would" | "will" if matches!(self.form, Form::Request(_)) => true,
                "it" | "he" | "she" | "they" | "there" | "it's" | "my" | "that" | "this" => {
                    obliges(content..s.len())
                }
                "the" | "a" | "an" if marker.sign != Sign::FromNowOn => obliges(content..s.len()),
                _ => !s.is(content, ASKING) || s.is(content, &["do", "have"]),
            };
            let is_foretold =
                marker.sign == Sign::Later && !s.is(content, &["you"]) && will(content..s.len());
            return clause.begin_if(is_wish && !is_foretold);
        }
        // It closes an instruction: "use tabs from now on".
        let is_place = marker.sign == Sign::Later
            && (0..marker.at)
                .any(|at| s.is(at, &["where", "that", "which", "is", "be", "are", "was", "happens"]))
            && !obliges(0..marker.at);
        if marker.sign == Sign::NextTime || is_place || last.is_some_and(|last| last.start >= clause.wide) {
            return None;
        }
        let wide = clause.wide.min(self.instruction_before(marker.at));
        let narrow = (wide..marker.at).rev().find(|at| {
            s.is(*at, JOINING) && (s.is(at + 1, VERBS) || s.is(at + 1, &["don't", "never", "please"]))
        });
        let start = self.past_fillers(narrow.map_or(wide, |at| at + 1), marker.at);
        let is_verb = self.is_verb(start) || s.is(start, &["don't", "dont", "no"]);
        let instructs = match s.word(start) {
            "i" => s.is(start + 1, &["want", "need", "expect", "prefer", "would"]),
            "i'd" | "we'd" | "let's" | "lets" => true,
            "you" | "we" | "everyone" | "everybody" => !will(start..marker.at) && !s.is(start + 1, PAST),
            "every" | "each" | "all" | "any" => obliges(start..marker.at) || marker.sign == Sign::FromNowOn,
            word if OF_WORK.contains(&word) => obliges(start..marker.at),
            word => {
                !SUBJECTS.contains(&word)
                    && is_verb
                    && (VERBS.contains(&word) || marker.sign == Sign::FromNowOn || word.starts_with("don"))
            }
        };
        let is_foretold = marker.sign == Sign::Later && will(start..marker.at);
        (instructs && !is_foretold && start < marker.at).then_some(start)
    }

    /// Where the sentence that `at` closes begins, commas of a list within it notwithstanding.
    fn instruction_before(&self, at: usize) -> usize {
        let hard = (0..at).rev().find(|at| matches!(self.sentence.mark(*at), Some(':' | ';' | '—' | '–')));
        let start = self.past_fillers(hard.map_or(0, |at| at + 1), at);
        if self.sentence.is(start, VERBS) || self.sentence.is(start, &["don't", "i'd", "i"]) {
            start
        } else {
            at
        }
    }

    fn preferred(&self, marker: &Marker, clause: Clause, was_rejected: bool) -> Option<usize> {
        let s = self.sentence;
        let at = marker.at;
        let rest = marker.end()..s.len();
        let compares = rest.clone().any(|at| s.is(at, &["over", "to", "rather", "instead"]));
        let is_third = s.word(at) == "prefers";
        match (s.word(at), s.word(clause.start)) {
            ("rather", "i'd" | "we'd" | "i" | "we") => return clause.begin_if(at <= clause.start + 2),
            ("preference", "my" | "our") => return clause.begin_if(at <= clause.start + 2),
            ("rather" | "preference", _) => return None,
            _ => {}
        }
        let governed = if clause.start == at {
            !is_third && !self.is_narrated(clause, was_rejected) && (s.word(at) == "prefer" || compares)
        } else {
            let subject = s.word(clause.start);
            let count = at - clause.start;
            match (subject, count) {
                ("i" | "we", 1) => !is_third,
                ("i" | "we", 2) => s.is(
                    at - 1,
                    &[
                        "would",
                        "generally",
                        "usually",
                        "strongly",
                        "really",
                        "much",
                        "also",
                        "always",
                        "tend",
                    ],
                ),
                ("i'd" | "we'd", 1 | 2) => true,
                ("our" | "the", 2) => is_third && s.is(at - 1, &["team"]),
                _ if s.is(at - 1, &["i", "we", "i'd"]) => {
                    s.is(clause.start, SCOPING) || s.is(clause.start, &["usually", "normally", "personally"])
                }
                _ => self.obliges(clause.start, at, marker) || self.is_scope(clause.wide, at),
            }
        };
        if !governed || s.is(marker.end(), &["not"]) {
            return None;
        }
        // One of several that are on the table is chosen, not a way of working.
        const CHOICES: [&str; 16] = [
            "option", "one", "version", "variant", "approach", "draft", "design", "solution", "choice",
            "first", "second", "third", "latter", "former", "last", "proposal",
        ];
        let first = marker.end();
        let is_shown = s.is(first, &["the", "this", "that", "your", "these", "those"]);
        let is_once = s.is(first, &["if", "to"])
            && rest.clone().any(|at| s.is(at, &["this", "later", "now", "today", "tomorrow", "it"]));
        let is_habit = s.is(first, &["it"]) && s.is(first + 1, &["when", "if"]);
        let chooses = is_once
            || (is_shown && (first + 1..first + 4).any(|at| s.is(at, &CHOICES)))
            || (s.is(first, &["option", "it", "this", "them", "neither", "both"]) && !is_habit)
            || (s.is(first, &["that"]) && !s.is(first + 1, &["you", "we", "all", "every", "the"]))
            || s.is(s.len() - 1, &["here"])
            || s.word(first).is_empty() && !s.is_quoted(first);
        if chooses {
            return None;
        }
        Some(if clause.start == at || self.is_scope(clause.wide, at) { at } else { clause.start })
    }

    /// "don't … anymore", "we don't … here".
    fn no_longer(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let is_bare = clause.start == marker.at;
        let is_ours = clause.start + 1 == marker.at && s.is(clause.start, &["we", "i"]);
        let wants = s.is(marker.end(), &["want", "need", "like"]);
        if !(is_bare || (is_ours && (s.word(clause.start) == "we" || wants))) {
            return None;
        }
        let ends =
            (marker.end()..s.len()).find(|at| matches!(s.mark(*at), Some(';' | ':'))).unwrap_or(s.len());
        let is_over = (marker.end()..ends).any(|at| {
            s.is(at, &["anymore", "any-more", "nomore"])
                || (s.is(at, &["any"])
                    && s.is(at + 1, &["more", "longer"])
                    && !s.is(at + 2, &["than"])
                    && self.closes(at + 1))
                || (s.is(at, &["again"]) && self.closes(at) && is_bare)
        });
        if is_over {
            return Some((Mode::Stop, clause.start));
        }
        let is_absolute = (marker.end()..ends)
            .any(|at| s.reads(at, &["under", "any"]) || (s.is(at, &["ever"]) && self.closes(at)));
        if is_absolute && is_bare {
            return Some((Mode::Never, clause.start));
        }
        let is_habit = is_ours && s.word(clause.start) == "we" && !s.is(marker.end(), HAPPENING);
        let here = (marker.end()..ends).any(|at| {
            s.is(at, &["here"])
                || (s.is(at, &["in", "on"])
                    && s.is(at + 1, &["this"])
                    && s.is(at + 2, &["repo", "repository", "project", "team", "codebase"]))
        });
        (is_habit && here && self.is_verb(marker.end())).then_some((Mode::Never, clause.start))
    }

    /// Whether the word at `at` ends its clause.
    fn closes(&self, at: usize) -> bool {
        at + 1 >= self.sentence.len()
            || self.sentence.word(at + 1).is_empty()
            || self.sentence.is(at + 1, &["in", "please", "when", "on", "for", "at"])
            || self.sentence.is(at + 1, FILLERS)
    }

    fn remembered(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let s = self.sentence;
        let is_governed = clause.start == marker.at || self.obliges(clause.start, marker.at, marker);
        let mut next = marker.end();
        let is_announced = matches!(s.mark(next), Some(',' | ':' | '-' | '—' | '–'));
        if is_announced {
            next += 1;
        }
        let words = s.len().saturating_sub(next);
        let is_statement = match s.word(next) {
            "to" | "that" => words > 1,
            "when" | "how" | "what" | "where" | "who" | "why" | "if" | "which" | "me" | "us" => {
                is_announced && words > 2
            }
            "" => false,
            "about" => words > 1,
            _ => words > 2,
        };
        // What is to be done today is no standing wish.
        let is_once = s.is(next, &["to"])
            && (next..s.len()).any(|at| {
                s.is(at, &["today", "tonight", "tomorrow", "later", "lunch", "now", "afterwards"])
                    || (s.is(at, &["this", "it"])
                        && (self.closes(at) || s.is(at + 1, &["before", "after", "later"])))
                    || s.reads(at, &["you're", "done"])
            });
        clause.begin_if(is_governed && is_statement && !is_once)
    }

    /// "Whenever you touch the schema, regenerate the client.": a standing wish without a marker.
    fn each_time(&self) -> Option<Found> {
        let s = self.sentence;
        let start = self.past_fillers(0, s.len());
        let (at, len) = match s.word(start) {
            "whenever" => (start, 1),
            "every" | "each" | "any" if s.is(start + 1, &["time"]) => (start, 2),
            _ => return None,
        };
        let comma = (at..s.len()).find(|at| s.mark(*at) == Some(','))?;
        let verb = self.past_fillers(comma + 1, s.len());
        let is_instruction = s.is(verb, VERBS) || s.is(verb, &["don't", "make", "you"]);
        let is_told =
            s.is(at + len, &["you", "we", "somebody", "someone", "a", "an", "the", "there", "anyone"]);
        let marker = Marker { sign: Sign::Always, at, len };
        (is_instruction && is_told && !(s.is(verb, &["you"]) && !s.is(verb + 1, OBLIGING))).then_some(Found {
            marker,
            mode: Mode::Always,
            start,
        })
    }

    // ---- several in one sentence

    /// Whether `marker` is part of what the wish before says: "from now on, never …", "always prefer …".
    fn belongs_to(&self, last: &Found, marker: &Marker) -> bool {
        let s = self.sentence;
        let is_new = (last.marker.end()..marker.at).any(|at| {
            !(s.mark(at) == Some(',')
                || s.is(at, TOLD)
                || s.is(
                    at,
                    &[
                        "must", "should", "need", "to", "be", "make", "sure", "let's", "i", "want", "please",
                        "just", "will",
                    ],
                ))
        });
        let announces = last.mode == Mode::Remember && !s.is(last.marker.end(), &["to", "that"]);
        if !is_new && !announces {
            return true;
        }
        // "don't forget", "do not" and "in future" within a wish are its own words.
        let is_weak = matches!(
            marker.sign,
            Sign::Not | Sign::Later | Sign::FromNowOn | Sign::NextTime | Sign::Prefer | Sign::Remember
        );
        let clause = self.clause(marker.at);
        is_weak && clause.start != marker.at && clause.boundary <= last.marker.at
    }

    /// Whether nothing is between the wish before and one that begins at `start`.
    fn is_only_announced(&self, last: &Found, start: usize) -> bool {
        last.mode == Mode::Remember
            && (last.marker.end()..start)
                .all(|at| self.sentence.mark(at).is_some() || self.sentence.is(at, FILLERS))
    }

    /// The wishes with their ends.
    fn bounded(&self, found: &[Found]) -> Vec<Wish> {
        let mut wishes = Vec::with_capacity(found.len());
        for (place, one) in found.iter().enumerate() {
            let limit = found.get(place + 1).map_or(self.sentence.len(), |next| next.start);
            let from = self.behind(&one.marker).max(one.marker.end());
            let end = (from..limit).find(|at| self.ends_clause(*at, from)).unwrap_or(limit);
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

    fn ends_clause(&self, at: usize, from: usize) -> bool {
        let s = self.sentence;
        match s.mark(at) {
            Some(';' | '—' | '–') => at > from,
            Some(',') if at > from && s.is(at + 1, &["and", "then"]) => {
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

    fn is_trailing(&self, at: usize) -> bool {
        let s = self.sentence;
        s.is(at, JOINING)
            || s.is(at, &["thanks", "though", "ok", "okay", "please"])
                && s.mark(at.wrapping_sub(1)) == Some(',')
            || matches!(s.mark(at), Some(',' | ':' | ';' | '-' | '—' | '–' | '('))
    }
}

/// The clause that a marker is in.
#[derive(Clone, Copy)]
struct Clause {
    /// Where it begins, behind fillers.
    start: usize,
    /// Where it begins if "and" and its like do not begin one.
    wide: usize,
    /// Where it begins, fillers included.
    boundary: usize,
}

impl Clause {
    fn begin_if(self, holds: bool) -> Option<usize> {
        self.begin_if_at(holds, self.start)
    }

    fn begin_if_at(self, holds: bool, at: usize) -> Option<usize> {
        holds.then_some(at)
    }
}

/// What kind of sentence it is.
fn form(sentence: &Sentence<'_>) -> Form {
    let request = (0..sentence.len()).rev().find(|at| {
        sentence.is(*at, &["can", "could", "would", "will", "can't"]) && sentence.is(at + 1, &["you", "u"])
    });
    let is_request_at = |at: usize| {
        at == 0
            || sentence.mark(at - 1).is_some()
            || sentence.is(at - 1, FILLERS)
            || sentence.is(at - 1, JOINING)
    };
    let mut first = 0;
    while sentence.is(first, FILLERS) || matches!(sentence.mark(first), Some(',' | ':')) {
        first += 1;
    }
    if let Some(at) = request.filter(|at| is_request_at(*at)) {
        let mut start = at + 2;
        while sentence.is(start, FILLERS) || sentence.is(start, &["mind", "maybe"]) {
            start += 1;
        }
        if !has_tag(sentence) {
            return Form::Request(start);
        }
    }
    if sentence.asks() {
        return if has_tag(sentence) { Form::Statement } else { Form::Question };
    }
    let next = first + 1;
    let is_question = match sentence.word(first) {
        "why" | "how" => true,
        word if QUESTIONS.contains(&word) => sentence.is(next, ASKING) && !sentence.is(next, &["do", "have"]),
        "do" | "have" => sentence.is(next, &["i", "you", "we", "they", "he", "she", "users", "people"]),
        "can" | "could" | "would" | "will" | "may" | "must" | "don't" | "won't" | "can't" => {
            sentence.is(next, SUBJECTS)
        }
        word => ASKING.contains(&word),
    };
    if is_question { Form::Question } else { Form::Statement }
}

/// Whether only the end of it asks: "never push to main, ok?"
fn has_tag(sentence: &Sentence<'_>) -> bool {
    let tag = (0..sentence.len()).rev().find(|at| sentence.mark(*at) == Some(',')).map(|at| at + 1);
    tag.is_some_and(|tag| {
        let is_short = sentence.len() - tag <= 3;
        is_short
            && (tag..sentence.len()).all(|at| {
                sentence.is(
                    at,
                    &[
                        "ok",
                        "okay",
                        "right",
                        "please",
                        "yes",
                        "alright",
                        "deal",
                        "got",
                        "it",
                        "understood",
                        "will",
                        "would",
                        "can",
                        "could",
                        "you",
                        "agreed",
                        "yeah",
                        "clear",
                    ],
                )
            })
    })
}
