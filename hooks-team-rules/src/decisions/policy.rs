//! Denies calls that would bring in what a decision forbids.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Policy, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::ToolKind;
use serde_json::json;

use super::change::Changes;
use super::index::Index;
use super::ledger::{Decision, Decisions};
use super::matcher::{Matcher, Text, Violation};
use super::rule::DecisionRule;

pub(super) const NAME: &str = "decisions";

/// Denies calls that would bring in what a decision forbids; see the [module](super) for an example.
///
/// It has no opinion on other calls. The cost grows with the text of a call; of the rules, only those that share a word
/// with the call cost anything.
#[derive(Clone, Debug)]
pub struct DecisionPolicy {
    reader: CallReader,
    rules: Arc<[Enforced]>,
    index: Arc<Index>,
    /// Reason to deny every call that writes or runs something, because a rule block has a mistake.
    mistake: Option<Reason>,
}

/// Policy of decisions in front of an inner hook.
pub type DecisionPolicyLayer = PolicyLayer<Arc<DecisionPolicy>>;

#[derive(Clone, Debug)]
struct Enforced {
    /// The decision, as in `"Dates" (2026-03-15, Ada)`.
    decision: String,
    rule: String,
    instead: Option<String>,
    file: String,
    matcher: Matcher,
}

impl DecisionPolicy {
    /// Compiles the rules of `decisions`, and reads calls with `reader`.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Policy, Strength};
    /// use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
    ///
    /// let decisions = Decisions::parse("# Decisions\n\n- Never use jQuery.\n");
    /// let policy = DecisionPolicy::new(&decisions, &Default::default());
    /// let strength = |command: &str| {
    ///     let call = PreToolUse::new("bash", serde_json::json!({ "command": command }));
    ///     let context = HookContext::new("session-1", "backend").in_dir("/repo");
    ///     policy.judge(&HookRequest::new(context, call)).strength()
    /// };
    /// assert_eq!(strength("npm install jquery"), Strength::Deny);
    /// assert_eq!(strength("npm install lodash"), Strength::NoOpinion);
    /// ```
    ///
    /// Customised: a rule block with a mistake, which denies every call that runs or writes something.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Policy};
    /// use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
    ///
    /// let decisions = Decisions::parse("### Logging\n\n```rule\ncals: [console.log]\n```\n");
    /// let policy = DecisionPolicy::new(&decisions, &Default::default());
    /// let call = PreToolUse::new("bash", serde_json::json!({"command": "npm test"}));
    /// let verdict = policy.judge(&HookRequest::new(HookContext::new("session-1", "backend").in_dir("/repo"), call));
    /// assert_eq!(verdict.reasons()[0].rule, "mistake");
    /// ```
    pub fn new(decisions: &Decisions, reader: &CallReader) -> Self {
        let rules = decisions
            .all()
            .iter()
            .flat_map(|decision| decision.rules.iter().filter_map(|rule| Enforced::new(decision, rule)));
        let mistake = decisions.mistakes().first().map(|mistake| {
            let reason =
                Reason::new(NAME, "mistake", format!("a rule of the team's decisions is wrong: {mistake}"));
            reason.unless(format!("correct the rule block in `{}`", mistake.file))
        });
        let rules: Arc<[Enforced]> = rules.collect();
        let index = Arc::new(Index::new(rules.iter().map(|rule| &rule.matcher)));
        Self { reader: reader.clone(), rules, index, mistake }
    }

    /// Number of the rules that a call is compared with.
    #[cfg(test)]
    pub(super) fn candidates(&self, request: &HookRequest<PreToolUse>) -> usize {
        let changes = Changes::new(self.reader.read(request), &|_| None);
        self.index.find(&changes, &Text::all(&changes)).len()
    }

    /// The same policy, which tries every rule on every call.
    #[cfg(test)]
    pub(super) fn without_index(mut self) -> Self {
        self.index = Arc::new(Index::of_all(self.rules.len()));
        self
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> DecisionPolicyLayer {
        PolicyLayer::new(Arc::new(self))
    }
}

impl Enforced {
    fn new(decision: &Decision, rule: &DecisionRule) -> Option<Self> {
        let of = [decision.date.as_deref(), decision.author.as_deref()];
        let of = of.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
        let of = if of.is_empty() { of } else { format!(" ({of})") };
        Some(Self {
            decision: format!("\"{}\"{of}", decision.title),
            rule: decision.title.clone(),
            instead: rule.instead.clone(),
            file: decision.file.clone(),
            matcher: Matcher::new(rule).ok()?,
        })
    }

    fn reason(&self, violation: Violation) -> Reason {
        let message = format!("the call {}, which the decision {} forbids", violation.message, self.decision);
        let reason = Reason::new(NAME, self.rule.clone(), message);
        let reason = violation.evidence.into_iter().fold(reason, Reason::because);
        let reason = match &self.instead {
            Some(instead) => reason.instead(format!("use `{instead}`")),
            None => reason,
        };
        reason.unless(format!("change the decision in `{}`", self.file))
    }
}

impl Policy<PreToolUse> for DecisionPolicy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        self.judge_after(request, &|_| None)
    }
}

impl DecisionPolicy {
    /// Judges a call; `before` returns the text of an existing file, relative to the root.
    pub(super) fn judge_after(
        &self,
        request: &HookRequest<PreToolUse>,
        before: &dyn Fn(&str) -> Option<Arc<str>>,
    ) -> Verdict {
        let call = self.reader.read(request);
        let is_judged =
            call.writes_files() || call.kind().runs_commands() || call.kind() == ToolKind::Unknown;
        if !is_judged {
            return Verdict::NO_OPINION;
        }
        if let Some(mistake) = &self.mistake {
            return Verdict::deny(mistake.clone());
        }
        if self.rules.is_empty() {
            return Verdict::NO_OPINION;
        }
        let changes = Changes::new(call, before);
        if changes.is_excessive || !call.commands().unusable.is_empty() {
            let message = "the call cannot be compared with the decisions of the team";
            return Verdict::deny(
                Reason::new(NAME, "unreadable", message).instead("split it into smaller calls"),
            );
        }
        let texts = Text::all(&changes);
        let candidates = self.index.find(&changes, &texts);
        let mut rules = candidates.into_iter().filter_map(|number| self.rules.get(number));
        let found = rules.find_map(|rule| Some((rule, rule.matcher.find(&changes, &texts)?)));
        match found {
            Some((rule, violation)) => Verdict::deny(rule.reason(violation)),
            None => Verdict::NO_OPINION,
        }
    }
}

/// Checks the examples of a rule.
///
/// # Errors
/// Returns the first example that contradicts the rule.
pub(super) fn examples(rule: &DecisionRule) -> Result<(), String> {
    for (key, examples, wanted) in [("match", &rule.matches, true), ("no_match", &rule.no_match, false)] {
        for example in examples {
            if denies(rule, example)? != wanted {
                let problem = if wanted { "the rule allows it" } else { "the rule denies it" };
                return Err(format!(
                    "the example `{example}` of `{key}`: {problem}; correct the rule or the example"
                ));
            }
        }
    }
    Ok(())
}

/// Returns whether a rule denies an example: `$ COMMAND`, or `PATH: TEXT`.
fn denies(rule: &DecisionRule, example: &str) -> Result<bool, String> {
    let event = if let Some(command) = example.strip_prefix("$ ") {
        PreToolUse::new("bash", json!({"command": command}))
    } else {
        let (path, content) =
            example.split_once(": ").or_else(|| example.split_once(":\n")).unwrap_or((example, ""));
        if path.contains(' ') {
            return Err(format!("the example `{example}` is not a call; write `$ COMMAND` or `PATH: TEXT`"));
        }
        PreToolUse::new("write", json!({"path": path, "content": content}))
    };
    let request = HookRequest::new(HookContext::new("example", "agent").in_dir("/project"), event);
    let reader = CallReader::default();
    let changes = Changes::new(reader.read(&request), &|_| None);
    let texts = Text::all(&changes);
    Ok(Matcher::new(rule)?.find(&changes, &texts).is_some())
}
