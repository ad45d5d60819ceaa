//! Form of a sentence: statement, request or question.

use crate::directive::sentence::Sentence;
use crate::directive::words::{ASKING, JOINING, QUESTIONS, SUBJECTS, VERBS};

/// Form of a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Statement,
    /// A request in the form of a question, with the first token of the requested action.
    Request(usize),
    Question,
}

/// Returns the form of `sentence`.
pub(super) fn form(sentence: &Sentence<'_>) -> Form {
    let request = (0..sentence.len()).rev().find(|at| {
        sentence.is(*at, &["can", "could", "would", "will", "can't"]) && sentence.is(at + 1, &["you", "u"])
    });
    let is_request_at = |at: usize| {
        at == 0
            || sentence.mark(at - 1).is_some()
            || sentence.is_filler(at - 1)
            || sentence.is(at - 1, JOINING)
    };
    let mut first = 0;
    while sentence.is_filler(first) || matches!(sentence.mark(first), Some(',' | ':')) {
        first += 1;
    }
    if let Some(at) = request.filter(|at| is_request_at(*at)) {
        let mut start = at + 2;
        while sentence.is_filler(start) || sentence.is(start, &["mind", "maybe"]) {
            start += 1;
        }
        if tag(sentence).is_none_or(|tag| at < tag) {
            return Form::Request(start);
        }
    }
    if sentence.asks() && is_checked(sentence, first) {
        return Form::Question;
    }
    if sentence.asks() {
        return if tag(sentence).is_some() { Form::Statement } else { Form::Question };
    }
    let next = first + 1;
    let is_question = match sentence.word(first) {
        "why" | "how" => true,
        word if QUESTIONS.contains(&word) => sentence.is(next, ASKING) && !sentence.is(next, &["do", "have"]),
        "do" | "have" => sentence.is(next, &["i", "you", "we", "they", "he", "she", "users", "people"]),
        "can" | "could" | "would" | "will" | "may" | "must" | "don't" | "won't" | "can't" => {
            sentence.is(next, SUBJECTS)
        }
        // "Should a test fail, stop."
        "should" if (next..sentence.len()).any(|at| sentence.mark(at) == Some(',')) => false,
        // A sentence such as "Is not allowed to …" lacks its subject and is not a question.
        "is" => !sentence.is(next, &["not", "forbidden", "mandatory", "prohibited", "strictly"]),
        word => ASKING.contains(&word),
    };
    if is_question { Form::Question } else { Form::Statement }
}

/// "We always deploy on Fridays, right?": the user asks whether a statement is true.
fn is_checked(sentence: &Sentence<'_>, first: usize) -> bool {
    let last = sentence.len().saturating_sub(1);
    let instructs = sentence.is(first, VERBS)
        || sentence.is(first, &["always", "never", "don't", "no", "only", "from", "please", "you", "so"]);
    let is_statement = !instructs;
    let obliges = sentence.is(first + 1, &["should", "must", "shouldn't", "mustn't"]);
    is_statement && !obliges && sentence.is(last, &["right", "yes", "yeah", "correct", "true"])
}

/// Returns the first token of the end of the sentence, if only that end is a question: "never push to main,
/// ok?"
fn tag(sentence: &Sentence<'_>) -> Option<usize> {
    let tag = (0..sentence.len()).rev().find(|at| sentence.mark(*at) == Some(',')).map(|at| at + 1);
    let last = sentence.len().checked_sub(1).filter(|last| sentence.is(*last, &["ok", "okay"]));
    tag.or(last).filter(|tag| {
        let tag = *tag;
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
