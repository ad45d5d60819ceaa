//! Meaning of the sentences before for the next one.

use super::super::{Form, WishParser};
use crate::directive::sentence::Sentence;
use crate::directive::words::{ARTEFACTS, OWN, RULE_NOUNS, TEXTING};

/// Meaning of the sentences before.
#[derive(Debug, Default)]
pub(in crate::directive) struct Context<'a> {
    /// Whether the sentence is below a heading that makes a wish of each line.
    pub(in crate::directive) is_listed: bool,
    /// Whether a sentence before asks for something to be made, so that customs may be those of a product.
    pub(super) builds: bool,
    /// Sentence before the list, which may announce the requirements of a product.
    announcement: Option<Sentence<'a>>,
    /// Whether the list has the requirements of a product.
    specifies: bool,
}

/// Verbs that ask for something new.
const MAKING: [&str; 14] = [
    "make",
    "build",
    "create",
    "implement",
    "design",
    "develop",
    "write",
    "draft",
    "generate",
    "compose",
    "code",
    "spec",
    "specify",
    "prototype",
];

impl<'a> Context<'a> {
    /// Whether the sentence is an item of a specification.
    pub(in crate::directive::grammar) fn is_material(&mut self, sentence: &Sentence<'a>) -> bool {
        if !sentence.is_item() {
            self.announcement = Some(*sentence);
            self.specifies = false;
        } else if let Some(announcement) = self.announcement.take() {
            self.specifies = is_specification(&announcement);
        }
        self.specifies
    }

    /// Takes note of a sentence that was read.
    pub(in crate::directive::grammar) fn note(&mut self, reader: &WishParser<'_>) {
        let s = reader.sentence;
        let first = match reader.form {
            Form::Request(start) => start,
            _ => reader.content(0),
        };
        let makes =
            s.is(first, &MAKING) && s.is(first + 1, &["a", "an", "me", "the", "some", "us", "another"]);
        let adds = s.is(first, &["add", "set", "need", "i"])
            && (first..s.len().min(first + 8)).any(|at| s.is(at, ARTEFACTS));
        self.builds |= makes || adds;
    }
}

/// Whether the sentence announces requirements of a product.
fn is_specification(s: &Sentence<'_>) -> bool {
    const NOUNS: [&str; 9] = [
        "spec",
        "specs",
        "specification",
        "requirements",
        "criteria",
        "features",
        "behaviour",
        "behavior",
        "gameplay",
    ];
    let names = (0..s.len().min(12)).any(|at| s.is(at, &NOUNS));
    let is_ours =
        (0..s.len()).any(|at| s.is(at, OWN) && !s.is(at, &["new", "first", "basic", "simple", "general"]));
    names
        && !is_ours
        && !(0..s.len()).any(|at| s.is(at, &["you", "your", "we", "us"]) || s.is(at, RULE_NOUNS))
}

/// Whether the sentence withdraws the one before: "No, scratch that."
pub(in crate::directive) fn takes_back(s: &Sentence<'_>) -> bool {
    let mut at = 0;
    while s.is_filler(at)
        || matches!(s.mark(at), Some(',' | '-' | '—' | '–'))
        || s.is(at, &["wait", "hmm", "um"])
    {
        at += 1;
    }
    let that =
        |at: usize| s.is(at, &["that", "this", "it"]) && !s.is(at + 1, &["file", "line", "test", "branch"]);
    let is_short = s.len() < at + 4 || s.mark(at + 2).is_some();
    (s.is(at, &["scratch", "strike", "forget", "ignore", "disregard"]) && that(at + 1) && is_short)
        || (s.reads(at, &["never", "mind"])
            && (s.len() == at + 2 || s.mark(at + 2).is_some() || s.is(at + 2, &["that"])))
        || s.reads(at, &["on", "second", "thought"])
        || s.reads(at, &["on", "second", "thoughts"])
        || (s.is(at, &["kidding"]) && s.len() < at + 3)
        || s.reads(at, &["i", "take", "that", "back"])
}

/// Whether a part of the sentence asks to build what the other words describe: "…: implement this in the list view".
pub(in crate::directive) fn asks_to_build(s: &Sentence<'_>) -> bool {
    let begins =
        |at: usize| at == 0 || s.mark(at - 1).is_some() || s.is(at - 1, &["and", "so", "please", "then"]);
    (0..s.len()).filter(|at| s.is(*at, &["implement", "build"])).any(|at| {
        let is_object = s.is(at + 1, &["this", "that", "it", "them", "these"])
            && !s.is(at + 2, &["rule", "way", "habit"])
            || at + 1 >= s.len();
        is_object && begins(at)
    })
}

/// Whether the sentence announces a text below it that is not the user's: "Translate this:", "The log:".
pub(in crate::directive) fn announces_text(s: &Sentence<'_>) -> bool {
    const TEXTS: [&str; 22] = [
        "text",
        "message",
        "error",
        "errors",
        "output",
        "log",
        "logs",
        "warning",
        "email",
        "mail",
        "tweet",
        "poster",
        "label",
        "caption",
        "tooltip",
        "banner",
        "quote",
        "excerpt",
        "snippet",
        "readme",
        "changelog",
        "handbook",
    ];
    let Some(last) = s.len().checked_sub(1).filter(|last| s.mark(*last) == Some(':')) else { return false };
    let is_owned =
        (0..last).any(|at| s.is(at, &["rules", "rule", "conventions", "you", "your", "our", "we"]));
    let names = (0..last).any(|at| {
        s.is(at, &TEXTS) || (s.is(at, ARTEFACTS) && !s.is(at, &["section", "check", "story", "terms"]))
    });
    let rewrites = s.is(0, TEXTING) || (s.is_filler(0) && s.is(1, TEXTING));
    const WRITTEN: [&str; 18] = [
        "guide",
        "guidelines",
        "checklist",
        "policy",
        "notice",
        "sign",
        "slide",
        "lyrics",
        "song",
        "haiku",
        "essay",
        "blurb",
        "flyer",
        "manifesto",
        "oath",
        "chapter",
        "paragraph",
        "skit",
    ];
    let first = (0..last).find(|at| !s.is_filler(*at)).unwrap_or(0);
    let writes =
        s.is(first, &MAKING) || s.is(first, &["add", "put", "insert", "include", "paste", "use", "print"]);
    let written = writes
        && (first..last).any(|at| s.is(at, &WRITTEN) || s.is(at, ARTEFACTS))
        && !(first..last).any(|at| s.is(at, &["you", "your", "yourself"]));
    ((names || rewrites) && !is_owned) || written
}
