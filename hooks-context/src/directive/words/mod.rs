//! Words that grammar needs to know, by what they do in a sentence.

mod standing;
mod verbs;

pub(super) use self::standing::{
    ARTEFACTS, AUTHORING, OWN, PLACES_OF_WORK, RECURRING, RULE_NOUNS, TEXTING, WITHDRAWING,
};
pub(super) use self::verbs::VERBS;

/// Words with an apostrophe.
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

/// Whether a word may stand before an instruction and changes nothing about it. It is asked of many words many times:
/// a match looks at their length first, a list at each of its own.
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

/// Those who are told what to do.
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

/// Verbs and their like that oblige.
pub(super) const OBLIGING: &[&str] =
    &["must", "should", "shall", "ought", "need", "have", "are", "shd", "gotta"];

/// What makes a rule of what follows.
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

/// Verbs after which a "that" has a rule behind it.
pub(super) const RULING: &[&str] = &[
    "agreed", "agree", "decided", "insist", "expect", "require", "ask", "demand", "want", "prefer", "is",
    "remember", "promise",
];

/// Things that a way of working has: a rule about them is a rule about work.
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

/// What is talked about, who talks, what something belongs to: no verb follows an adverb here.
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

/// Forms of the past that do not end in "ed".
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

/// Verbs that end in "s" or "ed" by themselves.
pub(super) const BASE: &[&str] = &[
    "access", "address", "alias", "assess", "bias", "compress", "cross", "discuss", "dismiss", "embed",
    "exceed", "express", "feed", "focus", "guess", "need", "pass", "press", "process", "proceed", "seed",
    "suppress",
];

/// What happens to people rather than what they do by rule.
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

/// Words that tell what somebody else says.
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

/// Words that name words.
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

/// Words that begin a question when somebody follows.
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

/// Words that begin a question by themselves.
pub(super) const QUESTIONS: &[&str] =
    &["why", "how", "what", "which", "who", "whose", "where", "when", "what's", "whom"];

/// Somebody or something that a question or report is about.
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

/// What begins a condition or a scope.
pub(super) const SCOPING: &[&str] = &[
    "if", "when", "whenever", "before", "after", "in", "on", "for", "while", "during", "with", "inside",
    "within", "at", "unless", "once", "under", "across", "per", "as", "outside", "without", "until", "since",
    "where", "by", "upon", "between", "below", "above",
];

/// Conditions that have a verb of their own.
pub(super) const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "while", "once", "unless", "until", "since", "where"];

/// Nouns that end like a verb that goes on.
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

/// Days on which something may begin.
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

/// What is over soon: a wish about it is for one task.
pub(super) const PASSING: &[&str] = &[
    "pr", "commit", "task", "ticket", "issue", "change", "branch", "run", "one", "slide", "message", "time",
    "once", "patch", "deploy", "step", "attempt", "diff",
];
