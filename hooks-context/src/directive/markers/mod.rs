//! Words and phrases that can make a sentence a standing wish.

mod standing;

use super::sentence::Sentence;
use super::typos::corrected;
use super::words::{DAYS, NOT_GOING_ON, OF_WORK, TOLD};

/// Verbs that, after a negative pronoun, make the sentence a rule.
const OBLIGED: &[&str] = table!("words_obliged");

/// A word or phrase that can make a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) sign: Sign,
    /// First token of the marker.
    pub(super) at: usize,
    /// Number of tokens.
    pub(super) len: usize,
}

/// Kind of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// "always".
    Always,
    /// "never".
    Never,
    /// "under no circumstances", "on no account".
    NoWay,
    /// "from now on" and other phrases that are only used about the future.
    FromNowOn,
    /// "in future", "starting today": also used in predictions.
    Later,
    /// "next time".
    NextTime,
    /// "prefer".
    Prefer,
    /// "stop", "quit", before an activity.
    Stop,
    /// "no more", "no longer".
    NoMore,
    /// "don't", which needs an "anymore" after it.
    Not,
    /// "don't forget", "keep in mind", "for future reference".
    Remember,
    /// "rule:", "our policy is that".
    Rule,
    /// "as a rule", "by default", "unless I ask otherwise".
    Standing,
    /// "in this repository".
    Place,
    /// "make it a habit to".
    Habit,
    /// "wherever possible".
    Ideally,
    /// "if possible", which needs a comparison after it.
    IfPossible,
    /// "lean towards".
    Lean,
    /// "better use", which needs a comparison as well.
    Better,
    /// "whenever", "each time".
    EachTime,
    /// "before every commit".
    Each,
    /// "avoid", "refrain from".
    Avoid,
    /// "cut out", before a recurring thing.
    Drop,
    /// "no" and "nothing", if they forbid.
    None,
    /// "not" after the person who must not do it.
    NotTo,
    /// "forbidden", "off limits".
    Banned,
    /// "mandatory".
    Demanded,
    /// "a no-go".
    Taboo,
    /// "only", before or after the thing that may be used.
    Only,
    /// "choose … over".
    Choose,
    /// "commits should".
    Due,
    /// "just so you know", which needs a "for the future".
    Informed,
}

impl Sign {
    /// Whether the marker shows nothing about a sentence in which it makes no wish. Other markers show that
    /// such a sentence is a report.
    pub(super) fn is_weak(self) -> bool {
        !matches!(
            self,
            Self::Always
                | Self::Never
                | Self::NoWay
                | Self::FromNowOn
                | Self::Later
                | Self::NextTime
                | Self::Prefer
                | Self::Stop
                | Self::NoMore
                | Self::Remember
        )
    }

    /// Whether the marker only announces a wish, so that a marker after it takes precedence.
    pub(super) fn announces(self) -> bool {
        matches!(self, Self::Remember | Self::Rule | Self::Habit)
    }
}

impl Marker {
    /// Returns the index after the last token.
    pub(super) fn end(&self) -> usize {
        self.at + self.len
    }
}

/// The most markers that are read in a sentence.
const MOST: usize = 24;

/// The most weak markers that are read in a sentence.
const MOST_WEAK: usize = 6;

/// Returns all markers of a sentence in order, without overlaps.
pub(super) fn all(sentence: &Sentence<'_>) -> Vec<Marker> {
    let mut markers = Vec::new();
    let (mut at, mut weak) = (0, 0);
    while at < sentence.len() && markers.len() < MOST {
        match marker(sentence, at).or_else(|| standing::standing(sentence, at)) {
            Some((sign, len)) => {
                // So many weak markers are not a ban any more; skipping them keeps the time linear.
                weak += usize::from(sign.is_weak());
                if sign.is_weak() && weak > MOST_WEAK {
                    at += len;
                    continue;
                }
                markers.push(Marker { sign, at, len });
                at += len;
            }
            None => at += 1,
        }
    }
    markers
}

/// Whether the word at `at` is a form in "-ing" that names an activity: "adding".
pub(super) fn goes_on(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = sentence.word(at);
    word.len() > 4 && word.ends_with("ing") && !NOT_GOING_ON.contains(&word)
}

fn marker(sentence: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let reads = |words: &[&str]| sentence.reads(at, words).then_some(words.len());
    let later = |len: usize| Some((Sign::Later, len));
    // A match on the first word skips most words without further comparisons.
    match corrected(sentence.word(at)) {
        "" => None,
        "always"
            if sentence.is(at + 1, &["when", "whenever", "if"]) && sentence.is(at + 2, &["you", "we"]) =>
        {
            Some((Sign::EachTime, 2))
        }
        "always" => Some((Sign::Always, 1)),
        "never" => Some((Sign::Never, if sentence.is(at + 1, &["ever", "again"]) { 2 } else { 1 })),
        "under" => reads(&["under", "no", "circumstances"])
            .or_else(|| reads(&["under", "no", "circumstance"]))
            .or_else(|| reads(&["under", "no", "condition"]))
            .or_else(|| reads(&["under", "no", "conditions"]))
            .map(|len| (Sign::NoWay, len)),
        "on" => reads(&["on", "no", "account"]).map(|len| (Sign::NoWay, len)),
        "at" => reads(&["at", "no", "point"])
            .or_else(|| reads(&["at", "no", "time"]))
            .map(|len| (Sign::NoWay, len))
            .or_else(|| reads(&["at", "all", "times"]).map(|len| (Sign::Always, len))),
        "from" | "form" | "frm" | "fron" => from(sentence, at),
        "going" | "moving" | "forward" => {
            let is_phrase =
                sentence.is(at + 1, &["forward", "forwards"]) && !sentence.is(at + 2, &["with", "to", "on"]);
            let is_verb = at > 0
                && sentence.is(
                    at - 1,
                    &["am", "are", "is", "be", "was", "were", "keep", "i'm", "we're", "you're", "been"],
                );
            (is_phrase && !is_verb).then_some((Sign::FromNowOn, 2))
        }
        "henceforth" | "henceforward" | "hereafter" => Some((Sign::FromNowOn, 1)),
        "until" | "till" if sentence.is(at + 1, &["further"]) => reads(&["until", "further", "notice"])
            .or_else(|| reads(&["till", "further", "notice"]))
            .map(|len| (Sign::FromNowOn, len)),
        "in" => in_future(sentence, at),
        "for" => for_all(sentence, at),
        "as" if sentence.is(at + 1, &["of", "from"]) => day(sentence, at + 2).and_then(|len| later(len + 2)),
        "since" => sentence.is(at + 1, &["now", "today"]).then_some((Sign::Later, 2)),
        "starting" | "beginning" | "effective" | "commencing" => {
            let joined = usize::from(sentence.is(at + 1, &["from", "with", "on", "as"]));
            let joined = joined + usize::from(joined == 1 && sentence.word(at + 2) == "of");
            day(sentence, at + 1 + joined).and_then(|len| later(len + 1 + joined))
        }
        "next" => reads(&["next", "time"]).map(|len| (Sign::NextTime, len)),
        "prefer" | "favour" | "favor" => Some((Sign::Prefer, 1)),
        "prefers" | "preference" => Some((Sign::Prefer, 1)),
        "rather" => sentence.is(at + 1, &["you", "have", "see", "use", "we"]).then_some((Sign::Prefer, 1)),
        "not" if sentence.word(at + 1) == "once" => {
            let is_rule = (at + 2..at + 9).any(|at| sentence.is(at, &["should", "must", "may", "shall"]));
            is_rule.then_some((Sign::NoWay, 2))
        }
        "not" => {
            (sentence.word(at + 1) == "ever" && at > 0 && sentence.is(at - 1, &["must", "should", "shall"]))
                .then_some((Sign::Never, 2))
        }
        "hence" => reads(&["hence", "forth"]).map(|len| (Sign::FromNowOn, len)),
        "nobody" | "no-one" | "noone" => sentence.is(at + 1, OBLIGED).then_some((Sign::NoWay, 2)),
        "every" => {
            let len = reads(&["every", "time"]).or_else(|| reads(&["every", "single", "time"]))?;
            sentence.word(at + len).is_empty().then_some((Sign::Always, len))
        }
        "note" => (sentence.reads(at + 1, &["for", "the", "future"])
            || sentence.reads(at + 1, &["to", "self"]))
        .then_some((Sign::Remember, if sentence.word(at + 1) == "to" { 3 } else { 4 }))
        .or_else(|| note_for_later(sentence, at).map(|len| (Sign::Remember, len))),
        "default" => reads(&["default", "to"]).map(|len| (Sign::Prefer, len)),
        "stop" | "quit" | "cease" => {
            let with = sentence.word(at + 1) == "with" || sentence.reads(at + 1, &["it", "with"]);
            (with || goes_on(sentence, at + 1)).then_some((Sign::Stop, 1))
        }
        "enough" => reads(&["enough", "with"]).map(|len| (Sign::NoMore, len)),
        "no" => {
            if sentence.is(at + 1, &["one"]) && sentence.is(at + 2, OBLIGED) {
                return Some((Sign::NoWay, 3));
            }
            let obliged = (at + 2..at + 4).find(|at| sentence.is(*at, OBLIGED));
            if let Some(obliged) = obliged.filter(|at| sentence.word(at + 1) == "ever")
                && (sentence.is(at + 1, TOLD) || sentence.is(at + 1, OF_WORK))
            {
                return Some((Sign::NoWay, obliged + 2 - at));
            }
            // "No agent ever logs in as root."
            if sentence.is(at + 1, TOLD) && sentence.is(at + 2, &["ever"]) {
                return Some((Sign::NoWay, 3));
            }
            let is_measure = sentence.is(at + 2, &["than"]);
            (sentence.is(at + 1, &["more", "longer"]) && !is_measure).then_some((Sign::NoMore, 2))
        }
        "don't" | "dont" | "do" => {
            let len = if sentence.word(at) == "do" { 2 } else { 1 };
            if len == 2 && sentence.word(at + 1) != "not" {
                return None;
            }
            if sentence.word(at + len) == "ever" {
                let forgets = sentence.word(at + len + 1) == "forget";
                return Some(if forgets { (Sign::Remember, len + 2) } else { (Sign::Never, len + 1) });
            }
            if sentence.word(at + len) == "forget" {
                return Some((Sign::Remember, len + 1));
            }
            Some((Sign::Not, len))
        }
        "remember" => Some((Sign::Remember, 1)),
        "keep" | "bear" | "have" | "hold" => in_mind(sentence, at).map(|len| (Sign::Remember, len)),
        "make" => reads(&["make", "a", "note"])
            .or_else(|| reads(&["make", "a", "mental", "note"]))
            .map(|len| (Sign::Remember, len)),
        _ => None,
    }
}

/// "from now on", "from here on out", "from this point on", "from today".
fn from(sentence: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    const ON: [&str; 8] = ["on", "onward", "onwards", "forward", "forwards", "out", "in", "onwards,"];
    let is_on = |at: usize| usize::from(sentence.is(at, &ON));
    if sentence.is(at + 1, &["now", "here", "no", "know", "hereon"])
        && sentence.is(at + 2, &["on", "onward", "onwards", "forward", "out"])
    {
        return Some((Sign::FromNowOn, 3 + usize::from(sentence.is(at + 3, &["out", "in", "forward"]))));
    }
    if sentence.word(at + 1) == "nowon" {
        return Some((Sign::FromNowOn, 2));
    }
    if sentence.word(at + 1) == "this"
        && sentence.is(at + 2, &["point", "moment", "day", "pr", "commit", "release", "week", "sprint"])
    {
        let on = is_on(at + 3);
        let is_plain = on == 0 && !sentence.is(at + 2, &["point", "moment", "day"]);
        return (!is_plain).then_some((Sign::FromNowOn, 3 + on));
    }
    let len = day(sentence, at + 1)?;
    let on = is_on(at + 1 + len);
    Some((if on == 1 { Sign::FromNowOn } else { Sign::Later }, 1 + len + on))
}

/// "in future", "in the future", "in all future releases".
fn in_future(sentence: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let the = usize::from(sentence.is(at + 1, &["the", "all", "any"]));
    if sentence.word(at + 1 + the) != "future" {
        return None;
    }
    Some((Sign::Later, 2 + the + usize::from(is_plural(sentence.word(at + 2 + the)))))
}

/// "for future releases", "for the rest of this project"; "for future reference" is a fact to remember.
fn for_all(sentence: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    if sentence.reads(at + 1, &["the", "rest", "of"]) || sentence.reads(at + 1, &["the", "remainder", "of"]) {
        let is_long = |word| {
            matches!(
                word,
                "project" | "session" | "work" | "conversation" | "year" | "sprint" | "week" | "chat"
            )
        };
        let scope = (at + 4..at + 7).find(|at| is_long(sentence.word(*at)))?;
        return Some((Sign::FromNowOn, scope + 1 - at));
    }
    let all = usize::from(sentence.is(at + 1, &["all", "any", "the", "your", "our"]));
    if sentence.word(at + 1 + all) != "future" {
        return None;
    }
    if sentence.word(at + 2 + all) == "reference" {
        return Some((Sign::Remember, 3 + all));
    }
    Some((Sign::FromNowOn, 2 + all + usize::from(is_plural(sentence.word(at + 2 + all)))))
}

/// "keep in mind", "bear this in mind", "keep in memory".
fn in_mind(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    let this = usize::from(sentence.is(at + 1, &["this", "it"]));
    let is_mind = sentence.is(at + 1 + this, &["in"]) && sentence.is(at + 2 + this, &["mind", "memory"]);
    is_mind.then_some(3 + this)
}

/// "note for later sessions", "note for all agents".
fn note_for_later(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    const LATER: [&str; 9] =
        ["later", "future", "next", "sessions", "everyone", "everybody", "agents", "whoever", "posterity"];
    let ends = (at + 1..at + 8).find(|at| sentence.mark(*at).is_some())?;
    let lasts = sentence.is(at + 1, &["for", "to"]) && (at + 2..ends).any(|at| sentence.is(at, &LATER));
    lasts.then_some(ends - at)
}

/// Returns the number of words of a day on which something begins.
fn day(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    let the = usize::from(sentence.is(at, &["the", "right"]));
    match sentence.word(at + the) {
        "next" | "this" => Some(the + 2),
        word if DAYS.contains(&word) => Some(the + 1),
        _ => None,
    }
}

/// Whether the word is a plural such as "releases", and not a verb that ends in "s".
fn is_plural(word: &str) -> bool {
    word.ends_with('s')
        && !word.ends_with("ss")
        && !matches!(word, "is" | "was" | "has" | "does" | "always" | "us")
}
