//! Word lists of the grammar, by the function of the words in a sentence.

mod standing;
mod verbs;

pub(super) use self::standing::{
    ARTEFACTS, AUTHORING, OWN, PLACES_OF_WORK, RECURRING, RULE_NOUNS, TEXTING, WITHDRAWING,
};
pub(super) use self::verbs::VERBS;

/// Contractions.
pub(super) const CONTRACTIONS: &[&str] = &[
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "can't",
    "isn't",
    "aren't",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "we'd",
    "we'll",
    "we're",
    "we've",
    "let's",
    "it's",
    "that's",
    "there's",
    "you'd",
    "you'll",
    "you're",
    "they're",
    "shouldn't",
    "mustn't",
    "wouldn't",
    "couldn't",
    "wasn't",
    "weren't",
    "he's",
    "she's",
    "what's",
    "haven't",
    "hasn't",
];

/// Whether the word may come before an instruction without changing it. This is called very often: a `match`
/// compares lengths first and is faster than a search in a list.
pub(super) fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "please"
            | "pls"
            | "plz"
            | "ok"
            | "okay"
            | "also"
            | "and"
            | "but"
            | "so"
            | "just"
            | "then"
            | "well"
            | "hey"
            | "hi"
            | "hello"
            | "oh"
            | "again"
            | "thanks"
            | "cheers"
            | "importantly"
            | "generally"
            | "though"
            | "however"
            | "yes"
            | "no"
            | "right"
            | "cool"
            | "great"
            | "good"
            | "nice"
            | "perfect"
            | "sure"
            | "alright"
            | "finally"
            | "plus"
            | "additionally"
            | "furthermore"
            | "still"
            | "otherwise"
            | "instead"
            | "really"
            | "kindly"
            | "simply"
            | "actually"
            | "definitely"
            | "basically"
            | "absolutely"
            | "strictly"
    )
}

/// Words that join two clauses.
pub(super) const JOINING: &[&str] = &["and", "but", "or", "so", "then", "also", "plus", "yet", "nor"];

/// Subjects that a rule addresses.
pub(super) const TOLD: &[&str] = &[
    "you",
    "we",
    "everyone",
    "everybody",
    "anyone",
    "agents",
    "developers",
    "contributors",
    "reviewers",
    "engineers",
    "authors",
    "committers",
    "maintainers",
    "reviewer",
    "developer",
    "agent",
    "author",
    "team",
    "you'd",
    "we'd",
    "u",
    "y'all",
];

/// Verbs and other words that oblige.
pub(super) const OBLIGING: &[&str] =
    &["must", "should", "shall", "ought", "need", "have", "are", "shd", "gotta"];

/// Words that make a rule of the text after them.
pub(super) const WEIGHTY: &[&str] = &[
    "important",
    "essential",
    "vital",
    "crucial",
    "necessary",
    "best",
    "critical",
    "mandatory",
    "required",
    "imperative",
    "better",
    "policy",
    "rule",
    "convention",
    "habit",
    "custom",
    "customary",
    "practice",
    "point",
];

/// Verbs with which "that" begins a rule.
pub(super) const RULING: &[&str] = &[
    "agreed", "agree", "decided", "insist", "expect", "require", "ask", "demand", "want", "prefer", "is",
    "remember", "promise",
];

/// Parts of a way of working: a rule about them is a rule about work.
pub(super) const OF_WORK: &[&str] = &[
    "branch",
    "branches",
    "build",
    "builds",
    "changelog",
    "changelogs",
    "code",
    "comment",
    "comments",
    "commit",
    "commits",
    "credential",
    "credentials",
    "change",
    "changes",
    "dependencies",
    "dependency",
    "deploy",
    "deployment",
    "deployments",
    "deploys",
    "diff",
    "diffs",
    "doc",
    "docs",
    "documentation",
    "feature",
    "features",
    "fix",
    "fixes",
    "hotfix",
    "hotfixes",
    "issue",
    "issues",
    "merge",
    "merges",
    "migration",
    "migrations",
    "pr",
    "prs",
    "release",
    "releases",
    "request",
    "requests",
    "review",
    "reviews",
    "secret",
    "secrets",
    "test",
    "tests",
    "ticket",
    "tickets",
];

/// Articles, pronouns and other words that cannot be the verb after an adverb.
pub(super) const NO_VERBS: &[&str] = &[
    "a",
    "an",
    "the",
    "this",
    "that",
    "these",
    "those",
    "my",
    "your",
    "his",
    "her",
    "its",
    "our",
    "their",
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "me",
    "him",
    "them",
    "us",
    "on",
    "in",
    "at",
    "with",
    "without",
    "for",
    "from",
    "of",
    "by",
    "under",
    "over",
    "into",
    "onto",
    "to",
    "as",
    "than",
    "like",
    "about",
    "after",
    "before",
    "and",
    "or",
    "but",
    "so",
    "if",
    "when",
    "while",
    "because",
    "same",
    "available",
    "true",
    "false",
    "null",
    "possible",
    "worth",
    "easy",
    "hard",
    "good",
    "bad",
    "wrong",
    "fun",
    "enough",
    "mind",
    "one",
    "two",
    "some",
    "any",
    "there",
    "here",
    "too",
];

/// Past forms that do not end in "ed".
pub(super) const PAST: &[&str] = &[
    "been",
    "began",
    "broke",
    "broken",
    "built",
    "came",
    "caught",
    "did",
    "done",
    "fell",
    "felt",
    "forgot",
    "forgotten",
    "found",
    "gave",
    "given",
    "gone",
    "got",
    "gotten",
    "had",
    "heard",
    "kept",
    "knew",
    "known",
    "lost",
    "made",
    "met",
    "ran",
    "said",
    "saw",
    "seen",
    "sent",
    "spoke",
    "taken",
    "thought",
    "told",
    "took",
    "understood",
    "was",
    "went",
    "were",
    "wrote",
];

/// Base forms of verbs that end in "s" or "ed".
pub(super) const BASE: &[&str] = &[
    "access", "address", "alias", "assess", "bias", "compress", "cross", "discuss", "dismiss", "embed",
    "exceed", "express", "feed", "focus", "guess", "need", "pass", "press", "process", "proceed", "seed",
    "suppress",
];

/// Verbs for events that happen to the user, as opposed to rules.
pub(super) const HAPPENING: &[&str] = &[
    "get",
    "see",
    "hit",
    "have",
    "run",
    "lose",
    "end",
    "seem",
    "know",
    "need",
    "think",
    "hear",
    "find",
    "forget",
    "wonder",
    "fail",
    "struggle",
    "thought",
    "manage",
    "receive",
    "notice",
    "understand",
    "want",
    "wanted",
];

/// Words that report the words of another source.
pub(super) const TELLING: &[&str] = &[
    "say",
    "says",
    "said",
    "saying",
    "read",
    "reads",
    "reading",
    "state",
    "states",
    "stating",
    "claim",
    "claims",
    "told",
    "tells",
    "mention",
    "mentions",
    "suggests",
    "recommends",
    "wrote",
    "writes",
    "named",
    "called",
];

/// Words that introduce a quoted word.
pub(super) const NAMING: &[&str] = &[
    "word",
    "words",
    "keyword",
    "flag",
    "string",
    "value",
    "term",
    "literal",
    "named",
    "called",
    "message",
    "comment",
    "line",
    "text",
    "title",
    "heading",
    "label",
    "phrase",
    "description",
    "docstring",
    "tooltip",
    "caption",
    "button",
    "option",
    "reads",
    "says",
    "said",
    "header",
    "placeholder",
    "quote",
    "sentence",
    "banner",
    "subject",
    "translate",
];

/// Words that begin a question if a subject follows.
pub(super) const ASKING: &[&str] = &[
    "do",
    "does",
    "did",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "can",
    "could",
    "would",
    "should",
    "will",
    "shall",
    "may",
    "might",
    "must",
    "am",
    "isn't",
    "aren't",
    "doesn't",
    "don't",
    "didn't",
    "won't",
    "can't",
    "shouldn't",
    "wouldn't",
    "couldn't",
    "hasn't",
];

/// Words that begin a question without a subject after them.
pub(super) const QUESTIONS: &[&str] =
    &["why", "how", "what", "which", "who", "whose", "where", "when", "what's", "whom"];

/// Subjects of questions and reports.
pub(super) const SUBJECTS: &[&str] = &[
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "this",
    "that",
    "these",
    "those",
    "there",
    "the",
    "a",
    "an",
    "my",
    "your",
    "our",
    "their",
    "his",
    "her",
    "its",
    "anyone",
    "anybody",
    "everyone",
    "someone",
    "any",
    "all",
    "some",
    "people",
    "users",
    "nobody",
    "everything",
    "anything",
];

/// Words that begin a condition or a scope.
pub(super) const SCOPING: &[&str] = &[
    "if", "when", "whenever", "before", "after", "in", "on", "for", "while", "during", "with", "inside",
    "within", "at", "unless", "once", "under", "across", "per", "as", "outside", "without", "until", "since",
    "where", "by", "upon", "between", "below", "above",
];

/// Conditions with a verb of their own.
pub(super) const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "while", "once", "unless", "until", "since", "where"];

/// Nouns that end in "ing".
pub(super) const NOT_GOING_ON: &[&str] = &[
    "thing",
    "string",
    "king",
    "ring",
    "spring",
    "bring",
    "nothing",
    "something",
    "anything",
    "everything",
    "morning",
    "evening",
    "ceiling",
    "swing",
    "ping",
    "sing",
    "wing",
    "sting",
];

/// Words for a day on which a rule may begin.
pub(super) const DAYS: &[&str] = &[
    "now",
    "today",
    "tomorrow",
    "tonight",
    "immediately",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "next",
];

/// Things that end soon: a wish about them is for one task.
pub(super) const PASSING: &[&str] = &[
    "pr", "commit", "task", "ticket", "issue", "change", "branch", "run", "one", "slide", "message", "time",
    "once", "patch", "deploy", "step", "attempt", "diff",
];
