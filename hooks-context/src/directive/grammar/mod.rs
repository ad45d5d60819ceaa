//! Decides which markers make a wish, by the words before and after them and by the form of the sentence.

mod about;
mod banned;
mod before;
mod behind;
mod form;
mod heading;
mod instruction;
mod modes;
mod parts;
mod recurring;
mod ruled;
mod several;
mod unmarked;

use std::ops::Range;

use self::form::{Form, form};
pub(super) use self::heading::{Heading, heading};
use self::unmarked::is_told_by_a_text;
pub(super) use self::unmarked::{Context, announces_text, asks_to_build, makes_a_rule, takes_back};
use super::Mode;
use super::markers::{self, Marker, Sign, goes_on};
use super::sentence::Sentence;
use super::words::HAPPENING;

/// A wish: a standing instruction of the user, with its mode and the tokens that express it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) mode: Mode,
    pub(super) tokens: Range<usize>,
}

/// A marker that makes a wish.
struct MarkedWish {
    marker: Marker,
    mode: Mode,
    /// First token of the wish.
    start: usize,
}

/// Returns the wishes of a sentence, in order.
pub(super) fn wishes<'a>(sentence: &Sentence<'a>, context: &mut Context<'a>) -> Vec<Wish> {
    let markers = markers::all(sentence);
    let reader = WishParser { sentence, form: form(sentence) };
    if context.is_material(sentence) || is_told_by_a_text(sentence) || asks_to_build(sentence) {
        return Vec::new();
    }
    if sentence.reads(reader.content(0), &["would", "you", "prefer"]) && sentence.asks() {
        return Vec::new();
    }
    if reader.form == Form::Question {
        return reader.rhetorical().into_iter().collect();
    }
    let mut found: Vec<MarkedWish> = Vec::new();
    let mut was_rejected = false;
    for marker in markers {
        if let Some(last) = found.last_mut().filter(|last| reader.belongs_to(last, &marker)) {
            // "Don't use lodash from now on": the last words are stronger than the first ones.
            let closes = marker.end() >= sentence.len() || sentence.mark(marker.end()).is_some();
            let is_later = matches!(marker.sign, Sign::FromNowOn | Sign::Later);
            if closes && is_later && last.marker.sign.is_weak() && last.mode != Mode::Remember {
                last.mode = Mode::FromNowOn;
            }
            // "Always remember that …" is a fact to remember, "always remember to …" is an instruction.
            let is_known = marker.sign == Sign::Remember && marker.at == last.marker.end();
            if is_known && last.mode == Mode::Always && !sentence.is(marker.end(), &["to"]) {
                last.mode = Mode::Remember;
            }
            continue;
        }
        match reader.wish(&marker, was_rejected, found.last()) {
            Some((mode, start)) => {
                // In "Remember: never …", the "never" is the wish.
                if found.last().is_some_and(|last| reader.is_only_announced(last, start)) {
                    found.pop();
                }
                let condition = found.pop_if(|last| reader.is_condition_of(last, start));
                let start = condition.map_or(start, |condition| condition.start);
                found.push(MarkedWish { marker, mode, start });
            }
            None => was_rejected |= !marker.sign.is_weak(),
        }
    }
    let wishes = reader.bounded(&found);
    let wishes = if context.is_listed { wishes } else { reader.with_unmarked(wishes, context) };
    context.note(&reader);
    wishes
}

/// Returns the mode of a sentence that the next one makes a rule.
pub(super) fn mode_of_rule(text: &str) -> Mode {
    let negates =
        |word: &str| matches!(word, "no" | "not" | "never" | "don't" | "nothing" | "nobody" | "mustn't");
    let is_ban = text.to_ascii_lowercase().split_whitespace().any(negates);
    if is_ban { Mode::Never } else { Mode::Always }
}

struct WishParser<'a> {
    sentence: &'a Sentence<'a>,
    form: Form,
}

impl WishParser<'_> {
    /// Returns the mode and the first token of the wish that `marker` makes, if it makes one.
    fn wish(&self, marker: &Marker, was_rejected: bool, last: Option<&MarkedWish>) -> Option<(Mode, usize)> {
        let is_none_of_ours = self.is_told_by_others(marker.at)
            || self.is_named(marker.at)
            || self.is_talked_about(marker.at)
            || self.is_passing(marker)
            || self.is_of_the_product(marker.at);
        if is_none_of_ours {
            return None;
        }
        let clause = self.clause(marker.at);
        let governed = || self.governed(marker, clause, was_rejected);
        match marker.sign {
            Sign::Always => {
                // "Would you mind always adding …?"
                let behind = self.behind(marker);
                let is_asked = matches!(self.form, Form::Request(_)) && goes_on(self.sentence, behind);
                let fails =
                    self.sentence.is(behind, &["fail", "crash", "break", "hang", "seem", "forget", "lose"]);
                let start = governed().filter(|_| is_asked || self.is_verb(behind) && !fails);
                let closing = || self.behind_an_instruction(marker, clause);
                start
                    .or_else(|| self.told_to(marker, clause))
                    .or_else(|| closing().filter(|start| last.is_none_or(|last| last.start < *start)))
                    .map(|start| (Mode::Always, start))
            }
            Sign::Never => {
                // "Would you mind never touching …?"
                let behind = self.behind(marker);
                let is_asked = matches!(self.form, Form::Request(_)) && goes_on(self.sentence, behind);
                let start = governed().filter(|_| is_asked || self.is_verb(behind));
                start.or_else(|| self.told_to(marker, clause)).map(|start| (Mode::Never, start))
            }
            Sign::NoWay => clause.begin_if(clause.start == marker.at).map(|start| (Mode::Never, start)),
            Sign::FromNowOn | Sign::Later | Sign::NextTime => {
                self.standing_from(marker, clause, last).map(|start| (Mode::FromNowOn, start))
            }
            Sign::Prefer => self.preferred(marker, clause, was_rejected).map(|start| (Mode::Prefer, start)),
            Sign::Stop => governed().map(|start| (Mode::Stop, start)),
            Sign::NoMore => {
                let is_ours = clause.start + 1 == marker.at && self.sentence.is(clause.start, &["we"]);
                let is_ours =
                    is_ours && self.is_verb(marker.end()) && !self.sentence.is(marker.end(), HAPPENING);
                // "No more disk space" reports a shortage and is not a wish.
                let has_run_out = self.sentence.is(
                    marker.end(),
                    &[
                        "disk",
                        "space",
                        "memory",
                        "time",
                        "room",
                        "errors",
                        "questions",
                        "results",
                        "quota",
                        "tokens",
                    ],
                );
                let holds = (clause.start == marker.at || is_ours)
                    && !has_run_out
                    && !self.sentence.word(marker.end()).is_empty();
                clause.begin_if(holds).map(|start| (Mode::Stop, start))
            }
            Sign::Not => self.no_longer(marker, clause).or_else(|| self.not_done(marker, clause)),
            Sign::Remember => self.remembered(marker, clause).map(|start| (Mode::Remember, start)),
            Sign::Informed => self.informed(marker, clause).map(|start| (Mode::Remember, start)),
            Sign::Rule => self.labelled(marker),
            Sign::Standing | Sign::Place | Sign::Ideally | Sign::IfPossible => {
                self.by_default(marker, clause, last)
            }
            Sign::Habit => self.habitual(marker, clause),
            Sign::Lean | Sign::Better => self.leaning(marker, clause),
            Sign::EachTime => self.each_time(marker, clause, last),
            Sign::Each => self.for_each(marker, clause, last),
            Sign::Avoid => self.avoided(marker, clause),
            Sign::Drop => self.dropped(marker, clause),
            Sign::None => self.none_of(marker, clause),
            Sign::NotTo => self.not_allowed(marker, clause),
            Sign::Choose => self.chosen(marker, clause),
            Sign::Only => self.exclusive(marker, clause),
            Sign::Due => self.due(marker, clause),
            Sign::Banned | Sign::Taboo => self.predicated(marker, Mode::Never),
            Sign::Demanded => self.predicated(marker, Mode::Always),
        }
    }
}
