//! One compiled rule.

use hooks_core::state::OpId;
use hooks_core::{Evidence, PolicyErrors, Reason};
use hooks_facts::calls::{Call, CallPatternConfig, CallPatterns, CallPatternsConfig, CallReader};

use super::config::{SequenceAction, SequenceRuleConfig, TaintEvidence};

pub(super) const NAME: &str = "sequences";

/// Longest window in milliseconds. A session that is idle for longer is forgotten.
const LONGEST: u64 = 30 * 24 * 60 * 60 * 1_000;

/// Largest number of calls that a rule may let run.
const MOST_CALLS: u64 = 1_000_000;

/// Compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) action: SequenceAction,
    /// Derived from the patterns, so that the state of a rule outlives a change of its place, name or reason.
    pub(super) id: u64,
    pub(super) form: Form,
    reason: Option<String>,
    /// Calls that lift the rule, in words.
    lifted_by: Option<String>,
}

/// Form of a rule.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// `never` after `after`, unless a call in between lifts it.
    Never { never: CallPatterns, after: CallPatterns, unless: Option<CallPatterns> },
    /// At most so many calls, for the session or within a window in milliseconds.
    Count { calls: CallPatterns, at_most: u64, within: Option<u64> },
    /// No result of `from` in an argument of `to`.
    Taint { from: CallPatterns, to: CallPatterns, by: TaintEvidence },
}

/// Roles of a call in one rule, apart from its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Index of the rule.
    pub(super) rule: usize,
    /// Whether the rule may deny the call.
    pub(super) is_target: bool,
    /// Whether the call makes the rule stricter: it matches `after`, `calls` or `from`.
    pub(super) advances: bool,
    /// Whether it does so before it runs, whatever its result will be.
    pub(super) starts: bool,
    /// Whether the call lifts the rule.
    pub(super) lifts: bool,
}

/// Reason why a rule is about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A call of the session matches `after` or `from`.
    Earlier,
    /// The call itself matches `from` and `to`.
    Itself,
    /// So many calls ran already.
    Count(u64),
    /// The result of an earlier call is not known.
    InFlight,
    /// The results are more than can be remembered.
    TooMuch,
    /// An argument holds a piece of a result.
    Content,
    /// The arguments are too long to be searched.
    TooLong,
}

impl Rule {
    pub(super) fn compile(
        config: &SequenceRuleConfig,
        index: usize,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Option<Self> {
        let field = format!("sequences[{index}]");
        if config.name.trim().is_empty() {
            errors.push(format!("{field}.name"), "it is empty", "name the rule; reasons give its name");
        }
        let form = Compiler { reader, field: &field, errors }.form(config)?;
        let SequenceRuleConfig { never, after, unless, calls, at_most, within, taint, .. } = config;
        let parts = serde_json::to_string(&(never, after, unless, calls, at_most, within, taint));
        Some(Self {
            name: config.name.clone(),
            action: config.action,
            id: folded(OpId::from_parts(&[NAME, &parts.unwrap_or_default()])),
            form,
            reason: config.reason.clone(),
            lifted_by: unless.as_ref().map(in_words),
        })
    }

    /// Returns the roles of a call before it runs, if it has any.
    pub(super) fn hit(&self, rule: usize, call: Call<'_>) -> Option<Hit> {
        let hit = match &self.form {
            Form::Never { never, after, unless } => Hit {
                rule,
                is_target: never.may_match(call),
                advances: after.may_match(call),
                starts: after.may_match_before_it_runs(call),
                lifts: unless.as_ref().is_some_and(|unless| unless.surely_match(call)),
            },
            Form::Count { calls, .. } => {
                let (is_target, starts) = (calls.may_match(call), calls.may_match_before_it_runs(call));
                Hit { rule, is_target, advances: is_target, starts, lifts: false }
            }
            Form::Taint { from, to, .. } => {
                let (is_target, advances) = (to.may_match(call), from.may_match(call));
                Hit { rule, is_target, advances, starts: advances, lifts: false }
            }
        };
        (hit.is_target || hit.advances || hit.lifts).then_some(hit)
    }

    /// Returns the roles of a call with its result, if it has any.
    pub(super) fn hit_of_result(&self, rule: usize, call: Call<'_>, failed: bool) -> Option<Hit> {
        let advancing = match &self.form {
            Form::Never { after, .. } => after,
            Form::Count { calls, .. } => calls,
            Form::Taint { from, .. } => from,
        };
        let lifts = match &self.form {
            Form::Never { unless: Some(unless), .. } => unless.surely_match_result(call, failed),
            _ => false,
        };
        let advances = advancing.may_match_result(call, failed);
        let starts = advances && advancing.may_match_before_it_runs(call);
        (advances || lifts).then_some(Hit { rule, is_target: false, advances, starts, lifts })
    }

    /// Returns whether the rule looks for pieces of results.
    pub(super) fn is_by_content(&self) -> bool {
        matches!(self.form, Form::Taint { by: TaintEvidence::Content, .. })
    }

    /// Returns the reason of the rule about a call of `tool`.
    pub(super) fn reason(&self, tool: &str, why: Why) -> Reason {
        let reason = match &self.reason {
            Some(own) => Reason::new(NAME, self.name.clone(), own.as_str()).by_operator(),
            None => Reason::new(NAME, self.name.clone(), self.message(tool, why)),
        };
        let reason = match (&self.lifted_by, why) {
            (Some(calls), _) => {
                reason.instead(format!("first make a call that matches {calls}, and nothing else"))
            }
            (None, Why::TooLong) => reason.instead("make the arguments shorter"),
            _ => reason,
        };
        let reason = match (&self.form, why) {
            (Form::Count { at_most, .. }, Why::Count(ran)) => {
                reason.because(Evidence::Count { used: ran, limit: *at_most })
            }
            _ => reason,
        };
        reason.unless(format!("change or remove the rule `{}`", self.name))
    }

    fn message(&self, tool: &str, why: Why) -> String {
        let name = &self.name;
        match why {
            Why::Earlier => {
                format!(
                    "the rule `{name}` keeps this call of `{tool}` from running after an earlier call of the session"
                )
            }
            Why::Itself => {
                format!("the rule `{name}` keeps what this call of `{tool}` reads from where it sends it")
            }
            Why::Count(ran) => {
                format!("the rule `{name}` counts this call of `{tool}`, and {ran} such calls ran already")
            }
            Why::InFlight => format!(
                "the rule `{name}` keeps an earlier result from this call of `{tool}`, and that result is not known"
            ),
            Why::TooMuch => format!(
                "the rule `{name}` keeps earlier results from this call of `{tool}`, and they are too many to compare"
            ),
            Why::Content => {
                format!(
                    "the rule `{name}` keeps an earlier result from this call of `{tool}`, and it has a piece of it"
                )
            }
            Why::TooLong => {
                format!(
                    "the rule `{name}` has to search the arguments of this call of `{tool}`, and they are too long"
                )
            }
        }
    }
}

/// Compiles the form of a rule.
struct Compiler<'a> {
    reader: &'a CallReader,
    field: &'a str,
    errors: &'a mut PolicyErrors,
}

impl Compiler<'_> {
    fn form(&mut self, config: &SequenceRuleConfig) -> Option<Form> {
        let is_never = config.never.is_some() || config.after.is_some() || config.unless.is_some();
        let is_count = config.calls.is_some() || config.at_most.is_some() || config.within.is_some();
        match (is_never, is_count, &config.taint) {
            (true, false, None) => self.never(config),
            (false, true, None) => self.count(config),
            (false, false, Some(taint)) => Some(Form::Taint {
                from: self.unconditional(&taint.from, "taint.from"),
                to: self.unconditional(&taint.to, "taint.to"),
                by: taint.by,
            }),
            (false, false, None) => {
                let hint = "write `never` with `after`, `calls` with `at_most`, or `taint`";
                self.report("", "the rule has no effect", hint);
                None
            }
            _ => {
                let hint = "write a rule for each of `never`, `calls` and `taint`";
                self.report("", "the rule has several forms", hint);
                None
            }
        }
    }

    fn never(&mut self, config: &SequenceRuleConfig) -> Option<Form> {
        let never = config.never.as_ref().map(|never| self.unconditional(never, "never"));
        let after = config.after.as_ref().map(|after| self.pattern(after, "after"));
        let unless = config.unless.as_ref().map(|unless| {
            for (key, pattern) in unless.fields(".unless") {
                if !pattern.reads.is_empty() {
                    let hint = "name the calls by `paths` or `commands`";
                    self.report(&format!("{key}.reads"), "reading is never certain", hint);
                }
            }
            self.pattern(unless, "unless")
        });
        for (key, is_missing) in [("never", never.is_none()), ("after", after.is_none())] {
            if is_missing {
                self.report("", &format!("`{key}` is missing"), "write both `never` and `after`");
            }
        }
        Some(Form::Never { never: never?, after: after?, unless })
    }

    fn count(&mut self, config: &SequenceRuleConfig) -> Option<Form> {
        let calls = config.calls.as_ref().map(|calls| self.pattern(calls, "calls"));
        let within = config.within.map(|within| u64::try_from(within.as_millis()).unwrap_or(u64::MAX));
        if within.is_some_and(|within| within == 0 || within > LONGEST) {
            self.report(".within", "no window of this length can be kept", "write a time of up to `30d`");
        }
        if config.at_most.is_some_and(|most| most > MOST_CALLS) {
            self.report(".at_most", "more calls than can be counted", &format!("write at most {MOST_CALLS}"));
        }
        for (key, is_missing) in [("calls", calls.is_none()), ("at_most", config.at_most.is_none())] {
            if is_missing {
                self.report("", &format!("`{key}` is missing"), "write both `calls` and `at_most`");
            }
        }
        Some(Form::Count { calls: calls?, at_most: config.at_most?, within })
    }

    /// Compiles patterns that are needed before the result of a call is known.
    fn unconditional(&mut self, config: &CallPatternsConfig, key: &str) -> CallPatterns {
        for (key, pattern) in config.fields(key) {
            if pattern.failed.is_some() {
                let problem = "the rule needs these calls before they fail or succeed";
                self.report(&format!(".{key}.failed"), problem, "leave `failed` out");
            }
        }
        self.pattern(config, key)
    }

    fn pattern(&mut self, config: &CallPatternsConfig, key: &str) -> CallPatterns {
        const HINT: &str = "write at least one condition; `tools: [\"*\"]` stands for every call";
        if config.as_slice().is_empty() {
            self.report(&format!(".{key}"), "it names no calls", HINT);
        }
        for (key, pattern) in config.fields(key) {
            if *pattern == (CallPatternConfig { failed: pattern.failed, ..CallPatternConfig::default() }) {
                self.report(&format!(".{key}"), "it names no calls", HINT);
            }
        }
        CallPatterns::compile(config, &format!("{}.{key}", self.field), self.reader, self.errors)
    }

    fn report(&mut self, key: &str, problem: &str, hint: &str) {
        self.errors.push(format!("{}{key}", self.field), problem, hint);
    }
}

/// Returns patterns in words for a reason.
fn in_words(config: &CallPatternsConfig) -> String {
    const SHOWN: usize = 3;
    let patterns = config.as_slice().iter().take(SHOWN).map(|pattern| {
        let lists = [&pattern.commands, &pattern.tools, &pattern.paths];
        let list = lists.into_iter().find(|list| !list.is_empty());
        let shown: Vec<_> = list.into_iter().flatten().take(SHOWN).map(|text| format!("`{text}`")).collect();
        let result = match pattern.failed {
            Some(true) => " and fails",
            Some(false) => " and succeeds",
            None => "",
        };
        format!("{}{result}", shown.join(" or "))
    });
    patterns.collect::<Vec<_>>().join(", or ")
}

/// Folds an id to 64 bits, which are enough to keep the rules of a file apart.
pub(super) fn folded(id: OpId) -> u64 {
    let [high, low] = [id.0 >> 64, id.0 & u128::from(u64::MAX)];
    u64::try_from(high ^ low).unwrap_or_default()
}
