//! Finds the clauses that are wishes.

use std::ops::Range;

use super::clauses::{Clause, clauses};
use super::{Likely, Role, Spoken, phrase};
use crate::directive::Mode;
use crate::directive::sentence::Sentence;

/// Markers, with the mode of their wishes, the strongest first.
const MARKERS: [(Role, Mode); 4] = [
    (Role::FromNowOn, Mode::FromNowOn),
    (Role::Never, Mode::Never),
    (Role::Always, Mode::Always),
    (Role::Prefer, Mode::Prefer),
];

/// Beginnings of words for "every".
const EVERY: [&str; 13] = [
    "jede", "cada", "chaque", "ogni", "elk", "ieder", "każd", "кажд", "кожн", "всяк", "toda", "todas",
    "todos",
];

/// Verbs that demand something of a piece of work.
const DUE: &[&str] = table!("words_abroad_due");

/// Words that join a clause to the one that begins an instruction.
const JOINTS: [&str; 8] = ["dass", "daß", "que", "che", "dat", "że", "чтобы", "щоб"];

/// Words for parts of the work in languages other than English.
const LOANS: &[&str] = table!("words_loans");

/// Returns the wishes of a sentence.
pub(super) fn wishes(language: &Likely, folded: &str, sentence: &Sentence<'_>) -> Vec<Spoken> {
    let Some(span) = sentence.whole() else { return Vec::new() };
    let finder =
        WishFinder { language, folded, span, has_spaces: language.has_spaces(), asks: sentence.asks() };
    if finder.is_about_something_else() {
        return Vec::new();
    }
    let clauses = clauses(language, folded, sentence);
    // "Pas de console.log dans le code, jamais."
    if let [first, .., last] = clauses.as_slice()
        && finder.begins(last, Role::Never) == Some(finder.own(last).len())
        && !finder.is_report(finder.text(finder.span.clone()))
    {
        return vec![Spoken { mode: Mode::Never, span: first.start..finder.span.end }];
    }
    let mut found: Vec<Spoken> = Vec::new();
    let mut told_until = 0;
    let mut condition: Option<usize> = None;
    for clause in &clauses {
        let is_within = found.last().is_some_and(|last| last.span.end > clause.start);
        let is_told = told_until > clause.start;
        if let Some(length) = finder.begins(clause, Role::Told) {
            told_until = told_until.max(clause.start + length);
        }
        if is_within {
            // "Siempre …, y nunca …": a marker that begins a clause begins another wish.
            if !found.last().is_some_and(|last| finder.is_only_marker(last, clause))
                && let Some((mode, end)) = finder.another(clause)
                && let Some(last) = found.last_mut()
            {
                last.span.end = last.span.end.min(clause.start);
                found.push(Spoken { mode, span: clause.start..end });
            }
        } else if let Some((mode, end)) = finder.wish(clause, is_told, &clauses) {
            let start = condition.take().unwrap_or(clause.start);
            found.push(Spoken { mode, span: start..end });
        } else {
            condition = condition.or_else(|| finder.begins(clause, Role::Condition).map(|_| clause.start));
        }
    }
    finder.bounded(found, &clauses)
}

struct WishFinder<'a> {
    language: &'a Likely,
    folded: &'a str,
    /// Position of the sentence.
    span: Range<usize>,
    has_spaces: bool,
    asks: bool,
}

impl WishFinder<'_> {
    fn text(&self, range: Range<usize>) -> &str {
        self.folded.get(range).unwrap_or_default()
    }

    fn own(&self, clause: &Clause) -> &str {
        self.text(clause.start..clause.end).trim_end_matches(|c: char| !c.is_alphanumeric() && c != '"')
    }

    fn has(&self, text: &str, role: Role) -> bool {
        phrase::has(text, self.language.phrases(role), self.has_spaces)
    }

    fn starts(&self, text: &str, role: Role) -> bool {
        phrase::at_start(text, self.language.phrases(role), self.has_spaces).is_some()
    }

    /// Whether the words after a marker describe what something else does.
    fn is_third(&self, after: &str) -> bool {
        const NOT: [&str; 8] = ["не", "nie", "ne", "no", "não", "non", "nicht", "n'"];
        let mut words = after.split(|c: char| c.is_whitespace() || matches!(c, ',' | '\'' | '’'));
        let first = words.find(|word| !word.is_empty() && !NOT.contains(word)).unwrap_or_default();
        self.starts(after, Role::Third) || phrase::is_word(first, self.language.phrases(Role::Third))
    }

    fn ends(&self, text: &str, role: Role) -> bool {
        phrase::at_end(text, self.language.phrases(role), self.has_spaces)
    }

    /// Returns the length of a phrase at the start of the clause; it may go beyond the clause.
    fn begins(&self, clause: &Clause, role: Role) -> Option<usize> {
        let rest = self.text(clause.start..self.span.end);
        phrase::at_start(rest, self.language.phrases(role), self.has_spaces)
    }

    /// Whether the sentence is a question, is about one task, or withdraws a wish.
    fn is_about_something_else(&self) -> bool {
        let text = self.text(self.span.clone());
        let is_question = self.asks && !self.has(text, Role::Request);
        is_question || self.has(text, Role::Undone) || self.is_of_a_task(text)
    }

    /// Whether words limit the sentence to one task. "From today on" has the word "today" and does not.
    fn is_of_a_task(&self, text: &str) -> bool {
        let marker = phrase::first(text, self.language.phrases(Role::FromNowOn), self.has_spaces);
        let marker = marker.unwrap_or(0..0);
        let parts = [text.get(..marker.start), text.get(marker.end..)];
        parts.into_iter().flatten().any(|part| self.has(part, Role::Task))
    }

    /// Returns the mode of the wish that the clause makes, and the end of its text.
    fn wish(&self, clause: &Clause, is_told: bool, all: &[Clause]) -> Option<(Mode, usize)> {
        let own = self.own(clause);
        if own.is_empty() {
            return None;
        }
        let whole = self.span.end;
        let is_anywhere = self.language.is_verb_final();
        let opens = |role| {
            if is_anywhere { self.has(own, role) } else { self.begins(clause, role).is_some() }
        };
        if opens(Role::Remember) {
            return (own.len() < whole - clause.start || is_anywhere).then_some((Mode::Remember, whole));
        }
        if opens(Role::Stop) && !self.is_report(own) {
            let next = all.iter().find(|next| next.start > clause.start);
            let goes_on = next.is_none_or(|next| !self.starts(self.own(next), Role::Told));
            // "Non toccare mai …": the words of a ban are stronger than those of its start.
            let mode = if self.begins(clause, Role::Never) > self.begins(clause, Role::Stop) {
                Mode::Never
            } else {
                Mode::Stop
            };
            return Some((mode, if goes_on { self.end_of(clause) } else { clause.end }));
        }
        // "Ich möchte nicht, dass du …": the phrase goes beyond its clause.
        let denied = self.begins(clause, Role::Never).filter(|length| *length > own.len());
        if denied.is_some() && !self.is_report(own) {
            return Some((Mode::Never, whole));
        }
        let is_watched =
            all.iter().any(|other| other.start < clause.start && self.starts(self.own(other), Role::Told));
        if is_watched && self.is_every(own) {
            return Some((Mode::Always, whole));
        }
        if self.is_each(clause, all) || self.is_every_work(own) {
            return Some((Mode::Always, whole));
        }
        // "从今天起，新代码都用 TypeScript。": the clause after the marker has the instruction.
        if self.language.code == "zh" && self.begins(clause, Role::FromNowOn) == Some(own.len()) {
            let next = all.iter().find(|next| next.start > clause.start)?;
            return (!self.is_report(self.own(next))).then_some((Mode::FromNowOn, next.end));
        }
        for (role, mode) in MARKERS {
            let found = phrase::first(own, self.language.phrases(role), self.has_spaces);
            let Some(marker) = found else { continue };
            if self.governs(role, own, &marker, is_told) {
                return Some((mode, self.end_of(clause)));
            }
        }
        self.is_custom(clause, own).then(|| {
            let mode = if self.has(own, Role::Never) { Mode::Never } else { Mode::Always };
            (mode, self.end_of(clause))
        })
    }

    /// Whether the wish before has no words besides its marker, so that the clause goes on with it.
    fn is_only_marker(&self, last: &Spoken, clause: &Clause) -> bool {
        self.text(last.span.start..clause.start).split_whitespace().count() <= 3
    }

    /// Returns the mode of a wish that begins with a marker, in the middle of a sentence.
    fn another(&self, clause: &Clause) -> Option<(Mode, usize)> {
        let own = self.own(clause);
        let strong = MARKERS.iter().filter(|(role, _)| *role != Role::Prefer).find(|(role, _)| {
            let marker = phrase::first(own, self.language.phrases(*role), self.has_spaces);
            marker.is_some_and(|marker| marker.start == 0 && self.governs(*role, own, &marker, false))
        });
        strong.map(|(_, mode)| (*mode, self.end_of(clause)))
    }

    /// Returns the end of a wish that begins in the clause. A Chinese sentence goes on with other matters after
    /// a comma.
    fn end_of(&self, clause: &Clause) -> usize {
        if self.language.code == "zh" { clause.end } else { self.span.end }
    }

    fn is_report(&self, own: &str) -> bool {
        self.has(own, Role::Report)
    }

    /// Whether the clause states a custom of the team: "bei uns …".
    fn is_custom(&self, clause: &Clause, own: &str) -> bool {
        let is_long = own.chars().count() >= if self.has_spaces { 14 } else { 6 };
        let is_label = own.len() < 25 && self.text(clause.start..self.span.end).len() > own.len() + 8;
        let begins = self.begins(clause, Role::Ours).is_some()
            || (self.language.is_verb_final() && self.has(own, Role::Ours) && !self.asks);
        begins && (is_long || is_label) && !self.is_report(own) && !self.has(own, Role::Product)
    }

    /// Whether the clause names an occasion and the sentence has an instruction for it.
    fn is_each(&self, clause: &Clause, all: &[Clause]) -> bool {
        let own = self.own(clause);
        let opens = self.begins(clause, Role::Each).is_some();
        let instructs = |text: &str| self.starts(text, Role::Told) && !self.has(text, Role::Product);
        if self.language.is_verb_final() {
            return self.has(own, Role::Each) && self.is_strong_occasion(own) && self.is_final(own);
        }
        if self.language.code == "zh" {
            let is_strict = own.starts_with("每");
            return is_strict && opens && self.has(own, Role::Told) && !self.is_report(own);
        }
        if opens {
            if self.instructs_behind_occasion(own) {
                return true;
            }
            let later = all.iter().filter(|later| later.start > clause.start);
            return later
                .map(|later| self.own(later))
                .any(|text| (instructs(text) || self.ends(text, Role::Final)) && !self.is_report(text))
                && !self.is_report(own);
        }
        let occasion = phrase::first(own, self.language.phrases(Role::Each), true);
        occasion.is_some() && instructs(own) && !self.is_report(own)
    }

    /// "… dass jede Funktion dokumentiert ist": whether the clause is about every piece of work.
    fn is_every(&self, own: &str) -> bool {
        let mut words = own.split_whitespace().skip_while(|word| JOINTS.contains(word));
        let is_every = words.next().is_some_and(|word| EVERY.iter().any(|every| word.starts_with(every)));
        is_every && words.take(3).any(|word| LOANS.contains(&word))
    }

    /// "Chaque PR doit avoir des tests.": whether the clause demands something of every piece of work.
    fn is_every_work(&self, own: &str) -> bool {
        let is_due = own.split_whitespace().any(|word| DUE.contains(&word));
        self.is_every(own)
            && !self.is_report(own)
            && (is_due || self.has(own, Role::Product) || self.has(own, Role::Ours))
    }

    /// Whether an instruction follows the occasion without a comma: "перед каждым коммитом запускай тесты".
    fn instructs_behind_occasion(&self, own: &str) -> bool {
        // "Before you push" may be about one push.
        const PRONOUNS: [&str; 12] =
            ["du", "ihr", "wir", "man", "tu", "ty", "my", "ты", "мы", "вы", "ми", "ви"];
        let words: Vec<&str> = own.split_whitespace().collect();
        let is_every = words.iter().take(3).any(|word| EVERY.iter().any(|every| word.starts_with(every)));
        if !is_every || self.is_report(own) || self.has(own, Role::Product) {
            return false;
        }
        let tells = words.iter().skip(2).enumerate().any(|(at, word)| {
            !PRONOUNS.contains(word)
                && words.get(at + 2..).is_some_and(|rest| self.starts(&rest.join(" "), Role::Told))
        });
        tells || self.ends(own, Role::Final)
    }

    /// Whether the occasion recurs: "every", "each time". "Before you push" may be about one push.
    fn is_strong_occasion(&self, own: &str) -> bool {
        let strong: &[&str] = match self.language.code {
            "tr" => &["her"],
            "ko" => &["마다", "매번", "모든"],
            "ja" => &["たび", "度に", "ごと", "毎"],
            _ => &["हर", "जब भी"],
        };
        strong.iter().any(|word| own.contains(word)) || self.has(own, Role::Always)
    }

    fn is_final(&self, own: &str) -> bool {
        self.ends(own, Role::Final) || {
            let text = self.text(self.span.clone());
            self.ends(text.trim_end_matches(|c: char| !c.is_alphanumeric()), Role::Final)
        }
    }

    /// Whether the words around a marker let it make a wish.
    fn governs(&self, role: Role, own: &str, marker: &Range<usize>, is_told: bool) -> bool {
        let before = own.get(..marker.start).unwrap_or_default().trim();
        let after = own.get(marker.end..).unwrap_or_default().trim_start();
        if self.language.is_verb_final() {
            return self.governs_its_end(role, own, marker);
        }
        if self.is_report(own) {
            return false;
        }
        let is_product = self.has(own, Role::Product);
        // "Ne modifie jamais le fichier.": the imperative is within the marker.
        let inside = own.get(marker.clone()).and_then(|text| text.split_once(' '));
        if before.is_empty() && !is_product && inside.is_some_and(|(_, verb)| self.starts(verb, Role::Told)) {
            return true;
        }
        // "Datumsangaben schreiben wir grundsätzlich im ISO-Format."
        let is_ours =
            before.ends_with(" wir") && before.split(' ').count() < 5 && !self.has(before, Role::Third);
        if is_ours && matches!(role, Role::Always | Role::Never) && !is_product {
            return true;
        }
        let is_told = is_told || self.starts(before, Role::Told);
        match role {
            Role::Prefer => {
                !is_product
                    && (before.chars().count() < 16 || is_told)
                    && (own.len() > marker.len() + 2 || own.split_whitespace().count() > 2)
            }
            Role::FromNowOn if before.is_empty() => !is_product || self.starts(after, Role::Told),
            Role::FromNowOn => !is_product || is_told,
            _ if is_product && !is_told => false,
            _ if self.language.code == "zh" => self.governs_chinese(own.get(marker.clone()), before),
            _ if before.is_empty() => {
                (marker.len() + 1 < own.len() || own.split_whitespace().count() > 2)
                    && (!self.is_third(after) || self.ends(own, Role::Final))
            }
            _ if is_told => {
                !is_product && (after.is_empty() || !names_actor(before) || !self.is_third(after))
            }
            _ if self.ends(own, Role::Final) => !is_product,
            _ => self.starts(before, Role::Condition) && !after.is_empty() && !self.is_third(after),
        }
    }

    /// Whether the end of the clause makes it an instruction.
    fn governs_its_end(&self, role: Role, own: &str, marker: &Range<usize>) -> bool {
        match role {
            Role::Prefer => !self.is_report(own) && own.len() > marker.len() + 2,
            Role::FromNowOn => self.is_final(own) || !(self.is_report(own) || self.has(own, Role::Product)),
            _ => {
                let closes = marker.end == own.len() && role == Role::Never && !self.has(own, Role::Product);
                closes || (self.is_final(own) && !self.has(own, Role::Product))
            }
        }
    }

    fn governs_chinese(&self, marker: Option<&str>, before: &str) -> bool {
        let is_frequency = marker.is_some_and(|marker| matches!(marker, "总是" | "始终" | "一直用"));
        let is_occasion = before.ends_with(['时', '后', '前', '里', '中', '上']);
        before.is_empty()
            || self.starts(before, Role::Told)
            || is_occasion
            || (!is_frequency && before.chars().count() <= 12)
    }

    /// Returns the wishes without the marks and joining words at their ends.
    fn bounded(&self, found: Vec<Spoken>, clauses: &[Clause]) -> Vec<Spoken> {
        let mut bounded = Vec::with_capacity(found.len());
        for mut wish in found {
            let last =
                clauses.iter().rfind(|clause| clause.start < wish.span.end && clause.end >= wish.span.start);
            if wish.span.end < self.span.end
                && let Some(last) = last
            {
                wish.span.end = wish.span.end.min(last.end.max(wish.span.start));
            }
            let text = self.text(wish.span.clone());
            let trimmed = text
                .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '、' | '،'));
            wish.span.end = wish.span.start + trimmed.len();
            if !trimmed.is_empty() {
                bounded.push(wish);
            }
        }
        bounded
    }
}

/// Whether the words before a marker begin with a pronoun or a negation: a report may begin so as well, unlike an
/// imperative.
fn names_actor(before: &str) -> bool {
    const ACTORS: [&str; 38] = [
        "du", "ihr", "wir", "man", "tu", "vous", "nous", "on", "tú", "usted", "nosotros", "você", "vocês",
        "nós", "noi", "voi", "je", "jij", "jullie", "u", "wij", "we", "men", "ty", "my", "wy", "ты", "мы",
        "вы", "ти", "ми", "ви", "no", "não", "non", "nie", "не", "ne",
    ];
    before.split_whitespace().next().is_some_and(|first| ACTORS.contains(&first))
}
