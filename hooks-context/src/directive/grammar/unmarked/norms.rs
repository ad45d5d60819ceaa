//! Norms: statements that hold for all work, and sentences that end with "no exceptions".

use super::super::{Wish, WishParser};
use super::{Context, MATERIALS, STYLE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{OF_WORK, SUBJECTS, TELLING, VERBS, WITHDRAWING};

impl WishParser<'_> {
    /// Returns the wish of a statement that holds for all work.
    pub(super) fn norm(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.no_exceptions(first)
            .or_else(|| self.agreed(first))
            .or_else(|| self.team_likes(first))
            .or_else(|| self.house_of(first))
            .or_else(|| self.in_this_place(first))
            .or_else(|| self.each_made(first, context))
            .or_else(|| self.needs_leave(first))
            .or_else(|| self.no_one(first))
            .or_else(|| self.bounded_amount(first, context))
            .or_else(|| self.before_doing(first))
    }

    /// "Tests before code, no exceptions.", "Sign your commits, every single time."
    fn no_exceptions(&self, first: usize) -> Option<Wish> {
        const ENDS: [&[&str]; 9] = [
            &["no", "exceptions"],
            &["no", "exception"],
            &["no", "excuses"],
            &["every", "time"],
            &["every", "single", "time"],
            &["each", "time"],
            &["full", "stop"],
            &["period"],
            &["always"],
        ];
        let s = self.sentence;
        let comma =
            (first + 1..s.len()).rev().find(|at| matches!(s.mark(*at), Some(',' | '—' | '–' | '-' | ':')))?;
        let ends = ENDS.iter().any(|words| s.reads(comma + 1, words) && comma + 1 + words.len() >= s.len());
        let is_told = (first..comma).any(|at| s.is(at, TELLING));
        let is_plain = !is_told && (!s.is(first, SUBJECTS) || s.is(first, &["all", "any", "you", "we"]));
        let is_order = s.is(comma - 1, &["first"]) && comma < first + 5;
        (ends && is_plain && (is_order || !self.is_passing_from(first)))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "We've agreed to squash.", "We settled on Conventional Commits."
    fn agreed(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["we", "we've", "team"]) {
            return None;
        }
        let verb = first + 1 + usize::from(s.is(first + 1, &["have", "all", "recently"]));
        let agrees = s.is(verb, &["agreed", "decided", "settled", "standardised", "standardized"])
            && s.is(verb + 1, &["on", "to", "that", "not"]);
        let switched = s.is(verb, &["switched", "moved", "migrated"])
            && s.is(verb + 1, &["to"])
            && self.has_from(verb, &["use", "so"])
            && !self.has_from(verb, &["broken", "fails", "error"]);
        let is_one = self.has_from(verb, &["this", "yesterday", "meeting", "tomorrow"])
            || s.is(verb + 1, &["to"]) && s.is(verb + 2, WITHDRAWING);
        ((agrees || switched) && !is_one).then(|| self.to_the_end(Mode::FromNowOn, first))
    }

    /// "The team prefers rebasing.", "Everyone here uses pnpm."
    fn team_likes(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let team = (s.is(first, &["the", "our", "my"])
            && s.is(first + 1, &["team", "group", "crew", "lab", "reviewers", "maintainers"]))
        .then_some(first + 2);
        let here = (s.is(first, &["everyone", "everybody", "people", "folks"]) && s.is(first + 1, &["here"]))
            .then_some(first + 2);
        let verb = team.or(here)?;
        let likes = s.is(
            verb,
            &[
                "prefers", "prefer", "likes", "like", "uses", "use", "expects", "expect", "wants", "writes",
                "hates", "favours", "favors", "insists", "follows", "sticks",
            ],
        );
        (likes && !self.is_passing_from(verb)).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "We're a tabs shop.", "House style is Oxford commas.", "The convention here is …"
    fn house_of(&self, first: usize) -> Option<Wish> {
        const NORMS: [&str; 14] = [
            "style",
            "convention",
            "policy",
            "standard",
            "practice",
            "rule",
            "custom",
            "default",
            "norm",
            "tradition",
            "habit",
            "etiquette",
            "workflow",
            "conventions",
        ];
        let s = self.sentence;
        let is_house = (s.is(first, &["we're"])
            || s.reads(first, &["we", "are"])
            || s.reads(first, &["this", "is"]))
            && (first + 2..first + 6).any(|at| {
                s.is(at, &["shop", "house", "household"]) && (at + 1 >= s.len() || s.mark(at + 1).is_some())
            });
        let noun = (first..first + 4).find(|at| s.is(*at, &NORMS));
        let is_norm = noun.is_some_and(|noun| {
            let owned = s.is(first, &["our", "my", "house", "team"])
                || s.is(noun + 1, &["here"])
                || (s.is(first, &["the"])
                    && (s.is(noun + 1, &["here"])
                        || self.past_place(noun + 1).is_some()
                        || s.is(noun - 1, &["house", "team"])));
            let after = if s.is(noun + 1, &["here"]) {
                noun + 2
            } else {
                self.past_place(noun + 1).unwrap_or(noun + 1)
            };
            owned
                && s.is(after, &["is", "says", "are", "calls"])
                && !s.is(after + 1, &["broken", "wrong", "not", "unclear", "missing", "outdated"])
        });
        (is_house || (is_norm && !self.is_passing_from(first)))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "In this codebase errors are returned, never thrown.", "Migrations here are written by hand."
    fn in_this_place(&self, first: usize) -> Option<Wish> {
        const VERBED: [&str; 24] = [
            "are", "is", "go", "goes", "live", "lives", "get", "gets", "start", "starts", "end", "ends",
            "have", "has", "carry", "use", "uses", "follow", "follows", "stay", "belong", "come", "must",
            "should",
        ];
        let s = self.sentence;
        let is_led =
            s.is(first, &["in", "on", "at", "within", "inside", "across"]) && !s.is(first + 1, &["the"]);
        let start = if is_led { self.content(self.past_place(first)?) } else { first };
        if s.is(
            start,
            &[
                "i", "it", "there", "you", "they", "he", "she", "the", "a", "an", "this", "that", "we",
                "these", "those", "my", "some",
            ],
        ) {
            return None;
        }
        let verb = self.find_near(start + 1, 6, &VERBED)?;
        let here = s.is(verb - 1, &["here"]) && verb > start + 1;
        let compares =
            (verb..s.len()).any(|at| s.mark(at) == Some(',') && s.is(at + 1, &["not", "never", "no"]));
        let named = (start..verb).any(|at| s.is(at, MATERIALS) || s.is(at, OF_WORK) || s.is(at, STYLE));
        let holds = (is_led && (compares || named)) || (here && named);
        (holds && (compares || self.is_stated(verb))).then(|| self.to_the_end(Mode::Always, start))
    }

    /// "Every PR gets a changelog entry.", "All new modules need tests.", "Branches are named after tickets."
    fn each_made(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        const DUE: [&str; 18] = [
            "needs", "need", "gets", "get", "must", "should", "carries", "carry", "ends", "end", "starts",
            "start", "has", "have", "comes", "goes", "go", "requires",
        ];
        let s = self.sentence;
        if !s.is(first, &["every", "each", "all", "any", "new", "a", "an"]) || context.builds {
            return None;
        }
        let verb = self.find_near(first + 1, 5, &DUE)?;
        let all = s.is(first, &["every", "each", "all", "any"]);
        let made = (first + 1..verb).any(|at| {
            (s.is(at, OF_WORK) && (!s.is(at, &["request", "requests"]) || s.is(at - 1, &["pull", "merge"])))
                || s.is(at, MATERIALS)
                || s.is(
                    at,
                    &[
                        "endpoint",
                        "module",
                        "function",
                        "file",
                        "class",
                        "script",
                        "component",
                        "package",
                        "variable",
                        "type",
                        "method",
                        "service",
                        "container",
                        "migration",
                    ],
                )
        });
        let single = s.is(first, &["a", "an", "new"])
            && s.is(verb, &["needs", "need", "must", "gets", "should", "requires"])
            && (s.is(first, &["new"])
                || s.is(first + 1, &["new", "commit", "pr", "bugfix", "migration", "release"]));
        let passes = self.is_passing_from(verb)
            || s.is(verb + 1, &["been", "failed", "stuck", "lost"])
            || goes_on(s, verb + 1);
        ((all || single) && made && !passes).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Schema changes need my approval.", "I do the releases myself.", "You don't commit, I do."
    fn needs_leave(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let leave = (first + 1..s.len()).find(|at| {
            s.is(
                *at,
                &[
                    "ok",
                    "okay",
                    "approval",
                    "sign-off",
                    "signoff",
                    "blessing",
                    "permission",
                    "consent",
                    "go-ahead",
                    "review",
                ],
            ) && s.is(at - 1, &["my", "our"])
        });
        let needs = leave.is_some_and(|leave| {
            (first + 1..leave).any(|at| s.is(at, &["need", "needs", "require", "requires", "want", "wants"]))
        }) && !s.is(first, &["this", "it", "i", "the", "that", "you", "he", "she", "they"]);
        let myself = s.is(first, &["i", "i'll", "we"])
            && self.has_from(first, &["myself", "ourselves"])
            && s.is(
                first + 1,
                &[
                    "do", "handle", "make", "write", "run", "push", "merge", "deploy", "commit", "cut",
                    "prefer",
                ],
            )
            && !self.points_at(first + 2);
        let you = s.is(first, &["you"])
            && s.is(first + 1, &["don't"])
            && s.is(
                first + 2,
                &[
                    "commit",
                    "push",
                    "deploy",
                    "merge",
                    "install",
                    "delete",
                    "touch",
                    "edit",
                    "release",
                    "publish",
                    "rebase",
                    "force-push",
                ],
            );
        if needs {
            return Some(self.to_the_end(Mode::Always, first));
        }
        ((myself || you) && !self.is_passing_from(first)).then(|| self.to_the_end(Mode::Never, first))
    }

    fn points_at(&self, at: usize) -> bool {
        self.sentence.is(at, &["this", "that", "it", "these"])
    }

    /// "No one commits to main.", "No merge without a review."
    fn no_one(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = match s.word(first) {
            "nobody" => first + 1,
            "no" if s.is(first + 1, &["one"]) => first + 2,
            "no" => {
                let without = self.find_near(first + 2, 4, &["without", "unless"]);
                let is_kind =
                    !s.is(first + 1, &["idea", "way", "more", "longer", "need", "luck", "problem", "point"]);
                return (without.is_some() && is_kind && !self.is_passing_from(first))
                    .then(|| self.to_the_end(Mode::Never, first));
            }
            _ => return None,
        };
        let acts = s.is(
            verb,
            &[
                "commits",
                "merges",
                "pushes",
                "deploys",
                "touches",
                "edits",
                "skips",
                "changes",
                "uses",
                "writes",
                "releases",
                "installs",
                "deletes",
                "force-pushes",
                "hardcodes",
            ],
        );
        (acts && !self.is_passing_from(verb)).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "Max three arguments per function.", "Limit lines to 100 characters."
    fn bounded_amount(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let bounds = s.is(first, &["max", "maximum", "max."])
            || (s.is(first, &["at"]) && s.is(first + 1, &["most"]))
            || (s.reads(first, &["no", "more", "than"]));
        let recurs = self.has_from(first, &["per", "each", "every"])
            || (first..s.len()).any(|at| s.is(at, &["sentences", "paragraphs"]));
        let limits = s.is(first, &["limit", "cap", "restrict"])
            && self.is_kind(first + 1)
            && self.has_from(first + 2, &["to", "at"]);
        let passes = context.builds || self.is_passing_from(first) || self.has_from(first, &["the", "this"]);
        ((bounds && recurs || limits) && !passes).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Before touching shared code, ask.", "When stuck, ask."
    fn before_doing(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["before", "when", "after", "while", "if"]) {
            return None;
        }
        let comma = (first + 1..s.len()).find(|at| s.mark(*at) == Some(','))?;
        let what = self.content(comma + 1);
        let does = goes_on(s, first + 1)
            && !(first + 1..comma).any(|at| s.is(at, &["this", "that", "it", "these", "the"]));
        let is_lost = s.is(first + 1, &["stuck", "lost", "blocked", "unsure", "unclear", "possible"])
            && comma == first + 2;
        let instructs = self.is_imperative(what) || s.is(what, VERBS);
        ((does || is_lost) && instructs && !self.is_passing_from(first))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }
}
