//! Tastes: "I'd sooner …", "I like short functions", "less chatter, more code".

use super::super::{Wish, WishParser};
use super::{ANSWERS, STYLE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{SUBJECTS, VERBS};

/// Verbs of a preference.
const LIKING: &[&str] = table!("unmarked_liking");

impl WishParser<'_> {
    /// Returns the wish of a statement about the taste of the user, in any clause of the sentence.
    pub(super) fn taste(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let later = (first..s.len()).filter(|at| {
            matches!(s.mark(*at), Some(',' | ';' | '—' | '–' | ':')) || s.is(*at, &["but", "and"])
        });
        let starts = std::iter::once(first).chain(later.take(6).map(|at| self.content(at + 1)));
        starts.into_iter().find_map(|at| self.taste_at(at).map(|mode| self.to_the_end(mode, at)))
    }

    fn taste_at(&self, at: usize) -> Option<Mode> {
        let s = self.sentence;
        if s.is(at, &["my", "our"]) {
            return self.rule_of_mine(at);
        }
        if self.reacts(at) {
            return Some(Mode::Prefer);
        }
        if s.is(at, &["not", "big", "huge", "no"])
            && self.find_near(at, 4, &["fan", "keen", "friend", "into"]).is_some()
        {
            return self.is_inclined(at);
        }
        if s.is(at + 1, &["take"]) && s.is(at + 2, &["over"]) {
            return None;
        }
        if s.is(at, &["i've", "i'll"]) || (s.is(at, &["i"]) && s.is(at + 1, &["have", "will"])) {
            return self.has_grown(at);
        }
        if !s.is(at, &["i", "i'd", "i'm", "we", "we'd", "we're"]) {
            return None;
        }
        let mut verb = at + 1;
        while s.is(
            verb,
            &[
                "really",
                "much",
                "generally",
                "honestly",
                "usually",
                "strongly",
                "still",
                "personally",
                "also",
                "always",
                "just",
                "quite",
                "kinda",
                "actually",
                "definitely",
                "absolutely",
                "would",
                "do",
                "tend",
                "to",
                "far",
                "rather",
                "am",
                "are",
                "very",
                "truly",
                "normally",
                "prefer",
            ],
        ) && verb < at + 5
        {
            verb += 1;
        }
        if self.is_passing_from(verb) || s.is(s.len() - 1, &["here"]) {
            return None;
        }
        let is_negated = s.is(verb, &["don't", "not", "can't"]);
        let told = verb + usize::from(is_negated);
        let told = told + usize::from(s.is(told, &["really", "particularly", "much"]));
        let object = told + 1;
        let is_would = s.is(at, &["i'd", "we'd"]) || s.is(at + 1, &["would"]);
        if s.is(at, &["i'm", "we're"]) || s.is(at + 1, &["am", "are"]) {
            return self.is_inclined(told);
        }
        if is_would {
            let rather = (at + 1..verb).any(|at| s.is(at, &["rather"])) && self.has_from(verb, &["than"]);
            let is_choice = rather
                || s.is(verb, &["sooner"])
                || (s.is(verb, &["go"]) && s.is(verb + 1, &["for", "with"]) && self.is_kind(verb + 2))
                || (s.is(verb, &["take", "pick", "choose"]) && self.has_from(verb, &["over"]))
                || (s.is(verb, LIKING) && self.has_from(verb, &["better"]));
            return (is_choice && !self.points(verb + 1)).then_some(Mode::Prefer);
        }
        if s.is(told, &["stand", "bear"]) && is_negated {
            return self.is_object(object).then_some(Mode::Prefer);
        }
        if is_negated && s.is(told, &["want", "need"]) {
            let sees =
                s.is(object, &["to"]) && s.is(object + 1, &["see", "find"]) && self.is_kind(object + 2);
            let here = (object..s.len()).any(|at| s.is(at, &["in"]) && self.past_place(at).is_some());
            return (sees || here || self.is_kind(object)).then_some(Mode::Never);
        }
        let is_habit = (at + 1..verb).any(|at| s.is(at, &["usually", "normally", "generally", "mostly"]))
            && s.is(
                told,
                &[
                    "use", "write", "go", "pick", "choose", "keep", "put", "name", "start", "avoid", "read",
                    "work", "format",
                ],
            );
        let keeps = s.is(told, &["avoid", "shun", "stick"]) && !self.points(object);
        let works = s.is(told, &["work", "read", "think", "learn"])
            && self.has_from(object, &["best", "better", "faster"]);
        let wants = s.is(told, &["want", "expect", "need"])
            && self.is_kind(object)
            && self.has_from(object, &["every", "each", "always", "whenever", "not", "short", "before"]);
        if (is_habit || keeps || works || wants) && !self.points(object) {
            return Some(if wants { Mode::Always } else { Mode::Prefer });
        }
        if !s.is(told, LIKING) {
            let leans = (s.is(told, &["lean"]) && s.is(object, &["towards", "toward"]))
                || (s.is(told, &["believe"]) && s.is(object, &["in"]))
                || (s.is(told, &["swear"]) && s.is(object, &["by"]))
                || (s.is(told, &["find"])
                    && self.has_from(object, &["easier", "clearer", "nicer", "cleaner"]))
                || (s.is(told, &["could"]) && s.is(object, &["do"]) && s.is(object + 1, &["without"]));
            return (leans && !self.points(object + 1)).then_some(Mode::Prefer);
        }
        let compares = (object..s.len()).any(|at| {
            s.is(at, &["better"]) || (s.is(at, &["more", "best", "most"]) && !s.is(at + 1, &["time"]))
        });
        let when = s.is(object, &["it"]) && s.is(object + 1, &["when", "if"]);
        let my = s.is(object, &["my", "our"]);
        let each = s.is(object, &["a", "an"]) && self.has_from(object, &["every", "each"]);
        let holds = when || my || each || (!self.points(object) && (compares || self.is_object(object)));
        holds.then_some(Mode::Prefer)
    }

    /// "Nested callbacks drive me mad.", "Short functions beat long ones any day.", "Plain text reads better to me."
    fn reacts(&self, at: usize) -> bool {
        let s = self.sentence;
        if self.points(at) || s.is(at, SUBJECTS) {
            return false;
        }
        let verb = (at + 1..at + 5).find(|at| {
            (s.is(
                *at,
                &[
                    "drive", "drives", "make", "makes", "give", "gives", "bother", "bothers", "annoy",
                    "annoys",
                ],
            ) && s.is(at + 1, &["me", "us"]))
                || s.reads(*at, &["get", "on", "my", "nerves"])
                || (s.is(*at, &["beats", "beat", "trumps", "trump"])
                    && self.has_from(*at, &["day", "me", "book", "time"]))
                || (s.is(*at, &["reads", "read", "works", "scans", "looks"])
                    && s.is(at + 1, &["better", "easier", "nicer", "best"])
                    && self.has_from(*at, &["me", "than"]))
                || (s.is(*at, &["is", "are"])
                    && s.is(at + 1, &["better", "easier", "nicer"])
                    && s.is(at + 2, &["than", "for", "on"])
                    && s.len() < at + 8)
        });
        verb.is_some()
    }

    /// "I've grown tired of …", "I've never liked …", "I'll take X over Y."
    fn has_grown(&self, at: usize) -> Option<Mode> {
        let s = self.sentence;
        let verb = at + 1 + usize::from(s.is(at + 1, &["have", "will"]));
        let verb = verb + usize::from(s.is(verb, &["always", "never", "really", "had", "grown", "come"]));
        let tired = s.is(verb, &["tired", "enough", "weary", "sick"]) && s.is(verb + 1, &["of"]);
        let likes =
            s.is(verb, &["liked", "preferred", "loved", "hated", "trusted"]) && !self.points(verb + 1);
        let takes = s.is(verb, &["take", "choose", "pick"])
            && self.has_from(verb, &["over"])
            && !self.points(verb + 1);
        let soft = s.is(verb, &["a", "an", "no"])
            && s.is(verb + 1, &["soft", "thing", "aversion", "love", "weakness"]);
        if tired {
            return Some(Mode::Stop);
        }
        (likes || takes || soft).then_some(Mode::Prefer)
    }

    /// "My rule of thumb is …", "My preference is …".
    fn rule_of_mine(&self, at: usize) -> Option<Mode> {
        let s = self.sentence;
        let noun = (at + 1..at + 4).find(|at| {
            s.is(
                *at,
                &[
                    "preference",
                    "taste",
                    "style",
                    "default",
                    "go-to",
                    "habit",
                    "convention",
                    "approach",
                    "policy",
                    "mantra",
                    "motto",
                    "principle",
                    "rule",
                ],
            )
        })?;
        let noun = if s.reads(noun + 1, &["of", "thumb"]) { noun + 2 } else { noun };
        let states = s.is(noun + 1, &["is", "has", "was"]) || s.mark(noun + 1) == Some(':');
        let is_one = s.is(noun + 2, &["broken", "failing", "wrong", "not", "missing"]);
        (states && !is_one && !s.is(noun + 1, &["was"]) && s.len() > noun + 2 && !self.is_passing_from(noun))
            .then_some(Mode::Prefer)
    }

    /// "I'm a fan of …", "I'm tired of …", "I'm happiest when …".
    fn is_inclined(&self, at: usize) -> Option<Mode> {
        let s = self.sentence;
        if s.is(at, &["happiest", "happier"]) {
            return s.is(at + 1, &["when", "with", "if"]).then_some(Mode::Prefer);
        }
        if s.is(at, &["all"]) && s.is(at + 1, &["for"]) {
            return (!self.points(at + 2)).then_some(Mode::Prefer);
        }
        if s.is(at, &["tired", "sick", "done"]) && s.is(at + 1, &["of", "with"]) {
            return (self.is_object(at + 2) || goes_on(s, at + 2)).then_some(Mode::Stop);
        }
        let fan = (at..at + 5).find(|at| {
            !s.is(at + 1, &["fan", "friend", "believer", "lover"])
                && s.is(
                    *at,
                    &[
                        "fan", "friend", "believer", "lover", "partial", "fond", "allergic", "person",
                        "keen", "big", "into", "used", "averse", "friend",
                    ],
                )
        })?;
        let is_of =
            (s.is(fan + 1, &["of", "in", "to", "on"]) || s.is(fan, &["into"])) && !self.points(fan + 2);
        (is_of || s.is(fan, &["person"])).then_some(Mode::Prefer)
    }

    /// Whether the object at `at` is one certain thing.
    fn points(&self, at: usize) -> bool {
        let s = self.sentence;
        s.is(
            at,
            &[
                "the", "this", "that", "these", "those", "it", "them", "your", "his", "her", "him", "you",
                "to",
            ],
        )
    }

    fn is_object(&self, at: usize) -> bool {
        !self.points(at)
            && (self.is_kind(at) || goes_on(self.sentence, at) || self.sentence.is(at, &["when", "it"]))
    }

    /// "SI units only, please.", "Less chatter, more code.", "Single quotes, no semicolons."
    pub(super) fn fragment(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_verbless = (!s.is(first, SUBJECTS) || s.is(first, &["the"]))
            && !s.is(first, VERBS)
            && !s.is(first, &["just", "only", "for", "with", "from", "to", "in", "use", "not"]);
        let end = (first..s.len())
            .find(|at| s.is(*at, &["please", "thanks"]) || matches!(s.mark(*at), Some(';' | '—' | '–')))
            .unwrap_or(s.len());
        let balanced = s.is(first, &["less", "fewer", "more"])
            && (first + 2..s.len())
                .any(|at| s.mark(at) == Some(',') && s.is(at + 1, &["more", "less", "fewer"]));
        if balanced && s.len() < first + 14 {
            return Some(Wish { mode: Mode::FromNowOn, tokens: first..s.len() });
        }
        let only = (first + 1..s.len().min(first + 5)).find(|at| s.is(*at, &["only"]));
        if let Some(only) = only {
            let from_here = s.is(only + 1, &["from"]) && s.is(only + 2, &["here", "now"]);
            if from_here {
                return Some(Wish { mode: Mode::FromNowOn, tokens: first..(only + 3).min(s.len()) });
            }
            let closes =
                only + 1 >= s.len() || matches!(s.mark(only + 1), Some(',')) || s.is(only + 1, &["please"]);
            let is_style = self.is_plural(only - 1, only) || (first..only).any(|at| s.is(at, STYLE));
            let is_plain = !(first..only).any(|at| s.is(at, &["the", "this", "that", "read"]));
            return (is_verbless && closes && is_style && is_plain)
                .then(|| Wish { mode: Mode::Always, tokens: first..only + 1 });
        }
        if s.is(first, &["only"]) && !s.is(first + 1, VERBS) && self.is_kind(first + 1) && end <= first + 4 {
            return Some(Wish { mode: Mode::Always, tokens: first..end });
        }
        if !is_verbless {
            return None;
        }
        let over = (first + 1..first + 4).find(|at| s.is(*at, &["over"]));
        if let Some(over) = over {
            let is_name = |range: std::ops::Range<usize>| {
                range.len() < 4
                    && range.clone().all(|at| {
                        s.word(at).starts_with(char::is_alphabetic)
                            && !s.is(at, SUBJECTS)
                            && !s.is(at, &["is", "are", "was", "went", "go", "came", "the", "to", "on", "in"])
                    })
            };
            return (over + 1 < end && is_name(first..over) && is_name(over + 1..end))
                .then_some(Wish { mode: Mode::Prefer, tokens: first..end });
        }
        let pleads = end < s.len() && s.is(end, &["please", "thanks"]);
        let mut end = end;
        while end > first && s.mark(end - 1) == Some(',') {
            end -= 1;
        }
        let all_over = end > first + 1
            && (s.is(end - 1, &["everywhere", "throughout"])
                || s.reads(end.saturating_sub(3), &["across", "the", "board"]));
        let comparative =
            s.is(first, &["the"]) && s.reads(end.saturating_sub(2), &["the", "better"]) && end < first + 9;
        let rather = s.is(first, &["rather", "better"])
            && self.has_from(first, &["than"])
            && !self.has_from(first, &["never", "nothing", "before", "expected"])
            && !self.points(first + 1);
        let styled = (first..first + 3).any(|at| s.is(at, STYLE))
            && (first + 1..first + 4).any(|at| s.is(at, &["for", "in", "over", "instead"]))
            && end < first + 9
            && !(first..end).any(|at| s.is(at, &["the", "this", "that", "is", "are", "it"]));
        if all_over && !self.points(first) || comparative || rather || styled {
            return Some(Wish { mode: Mode::Prefer, tokens: first..end });
        }
        let comma = (first..end.min(first + 5)).find(|at| s.mark(*at) == Some(','));
        let head_end = comma.unwrap_or(end);
        let is_style = head_end > first && head_end <= first + 4 && s.is(head_end - 1, STYLE);
        let lists = comma.is_some_and(|comma| s.is(comma + 1, &["no", "not", "never"]));
        let is_style =
            is_style || comma.is_some_and(|comma| lists && s.is(comma + 2, STYLE) && comma < first + 4);
        let is_adjusted = s.is(
            first,
            &[
                "shorter", "longer", "simpler", "short", "brief", "concise", "terse", "plain", "smaller",
                "small",
            ],
        ) && (first + 1..first + 3).any(|at| s.is(at, ANSWERS) || s.is(at, STYLE));
        let is_pointed =
            (first..end).any(|at| s.is(at, &["the", "this", "that", "these", "it", "just", "for"]));
        let holds = (is_style && (lists || pleads)) || (is_adjusted && end < first + 6);
        (holds && !is_pointed).then(|| {
            let last = (comma.map_or(end, |comma| comma + 1)..end)
                .find(|at| s.mark(*at) == Some(','))
                .unwrap_or(end);
            Wish { mode: Mode::Prefer, tokens: first..last }
        })
    }
}
