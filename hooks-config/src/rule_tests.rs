//! Tests of rules: a table of calls and the decisions that are expected, beside `hooks.yaml`.
//!
//! `hooks test` runs the table on the command line, and [`assert_rules`] in a `#[test]`.
//!
//! ```
//! use hooks_config::rule_tests::assert_rules;
//!
//! # let folder = tempfile::tempdir()?;
//! # let rules = folder.path().join("hooks.yaml");
//! # std::fs::write(&rules, "version: 1\nrules: [{ name: no-push, commands: [git push] }]\n")?;
//! let table = "
//! - { bash: git push --force, expect: deny, rule: no-push }
//! - { bash: git status, expect: no opinion }
//! ";
//! std::fs::write(folder.path().join("hooks.test.yaml"), table)?;
//! assert_rules(&rules); // panics with each call that is decided otherwise
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Customised: calls of one session in order, another agent, and a look at what went wrong.
//!
//! ```
//! use hooks_config::ConfigReader;
//! use hooks_config::rule_tests::RuleTests;
//!
//! # let folder = tempfile::tempdir()?;
//! # let rules = folder.path().join("hooks.yaml");
//! std::fs::write(&rules, "version: 1\nask_user: { max_per_session: 1 }\n")?;
//! let table = "
//! - agent: backend
//!   session:
//!     - { call: { tool: ask_user, input: { question: which port? } } }
//!     - { call: { tool: ask_user, input: { question: which host? } }, expect: ask }
//! ";
//! let failures = RuleTests::parse(table, "hooks.test.yaml")?.run(&ConfigReader::default(), &rules)?;
//! assert_eq!((failures[0].line, &*failures[0].expected, &*failures[0].got), (5, "ask", "deny"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::state::Memory;
use hooks_core::{HookContext, Judged, Reason, Strength};
use hooks_facts::tools::Dialect;
use hooks_policies::LockoutRegistry;
use hooks_system::SystemClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::audit::project_of;
use super::build::Kept;
use super::check::check;
use super::document::without_null;
use super::error::{ConfigErrors, Mistakes};
use super::read::{Config, ConfigReader};
use super::tree::Node;
use super::{source, yaml};

/// A table of tests, parsed.
#[derive(Debug)]
pub struct RuleTests {
    cases: Vec<Case>,
    root: Node,
}

/// A test whose decision is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TestFailure {
    /// Line of the test in the table, from 1.
    pub line: usize,
    /// Name of the test, or the call.
    pub test: String,
    /// Expected decision.
    pub expected: String,
    /// Decision of the rules.
    pub got: String,
    /// Policy and rule that decided, if one did.
    pub decided_by: Option<String>,
    /// Reason of that rule.
    pub reason: Option<String>,
}

impl fmt::Display for TestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, test, expected, got, .. } = self;
        write!(f, "line {line}: {test}: expected {expected}, got {got}")?;
        if let Some(decided_by) = &self.decided_by {
            write!(f, " by {decided_by}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

/// One test: a call, or a session of calls.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Case {
    /// Name for the report.
    name: Option<String>,
    /// Agent that makes the calls.
    agent: Option<String>,
    /// Calls of one session, in order; limits and sequences count them.
    session: Vec<Step>,
    /// Command that a shell tool runs.
    bash: Option<String>,
    /// File that a tool writes.
    write: Option<String>,
    /// File that a tool reads.
    read: Option<String>,
    /// Any other call.
    call: Option<CallUnderTest>,
    /// Expected decision.
    expect: Option<Expected>,
    /// Rule or policy that has to decide.
    rule: Option<String>,
    /// Decision of rules in the shadow.
    would: Option<Expected>,
}

/// One call of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Step {
    /// Command that a shell tool runs.
    bash: Option<String>,
    /// File that a tool writes.
    write: Option<String>,
    /// File that a tool reads.
    read: Option<String>,
    /// Any other call.
    call: Option<CallUnderTest>,
    /// Agent that makes the call, if it is another one.
    agent: Option<String>,
    /// Result of the call, if it goes ahead; an empty text by default.
    result: Option<Value>,
    /// Error of the call, if it goes ahead and fails.
    error: Option<String>,
    /// Expected decision; any if it is missing.
    expect: Option<Expected>,
    /// Rule or policy that has to decide.
    rule: Option<String>,
    /// Decision of rules in the shadow.
    would: Option<Expected>,
}

/// A call with the name and arguments of its tool.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallUnderTest {
    /// Name of the tool.
    tool: String,
    /// Arguments of the tool.
    #[serde(default)]
    input: Value,
}

/// An expected decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Expected {
    Allow,
    Ask,
    Deny,
    #[serde(rename = "no opinion")]
    NoOpinion,
}

impl Expected {
    const fn strength(self) -> Strength {
        match self {
            Self::Allow => Strength::Allow,
            Self::Ask => Strength::Ask,
            Self::Deny => Strength::Deny,
            Self::NoOpinion => Strength::NoOpinion,
        }
    }
}

impl Case {
    /// The calls of the test, each with its path in the table.
    fn steps(&self, path: &str) -> Vec<(String, Step)> {
        if !self.session.is_empty() {
            let steps = self.session.iter().enumerate();
            return steps.map(|(index, step)| (format!("{path}.session[{index}]"), step.clone())).collect();
        }
        let Self { bash, write, read, call, expect, rule, would, .. } = self.clone();
        vec![(path.to_owned(), Step { bash, write, read, call, expect, rule, would, ..Step::default() })]
    }
}

impl Step {
    /// Number of calls that the step names.
    fn calls(&self) -> usize {
        [self.bash.is_some(), self.write.is_some(), self.read.is_some(), self.call.is_some()]
            .into_iter()
            .filter(|is_given| *is_given)
            .count()
    }

    fn event(&self) -> PreToolUse {
        if let Some(command) = &self.bash {
            PreToolUse::new("bash", json!({ "command": command }))
        } else if let Some(path) = &self.write {
            PreToolUse::new("write_file", json!({"path": path, "content": ""}))
        } else if let Some(path) = &self.read {
            PreToolUse::new("read_file", json!({ "path": path }))
        } else {
            let call = self.call.clone().unwrap_or_default();
            let input = if call.input.is_null() { json!({}) } else { call.input };
            PreToolUse::new(call.tool, input)
        }
    }

    fn in_words(&self) -> String {
        match (&self.bash, &self.write, &self.read) {
            (Some(command), ..) => format!("`{command}`"),
            (_, Some(path), _) => format!("writing `{path}`"),
            (_, _, Some(path)) => format!("reading `{path}`"),
            _ => format!("a call of `{}`", self.call.as_ref().map_or("", |call| &call.tool)),
        }
    }
}

impl RuleTests {
    /// The table beside the rules at `rules`: `hooks.test.yaml` for `hooks.yaml`.
    ///
    /// ```
    /// use std::path::Path;
    /// use hooks_config::rule_tests::RuleTests;
    ///
    /// let table = RuleTests::beside(Path::new("/repo/.hooks/hooks.yaml"));
    /// assert_eq!(table, Path::new("/repo/.hooks/hooks.test.yaml"));
    /// ```
    pub fn beside(rules: &Path) -> PathBuf {
        rules.with_extension("test.yaml")
    }

    /// Reads the table at `path`.
    ///
    /// # Errors
    /// Returns all mistakes in the table, or an error that the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, ConfigErrors> {
        let name = path.to_string_lossy();
        match source::read(path) {
            Ok(bytes) => Self::parse(&String::from_utf8_lossy(&bytes), &name),
            Err(error) => {
                let mut mistakes = Mistakes::default();
                let start = super::error::TextPosition::START;
                mistakes.add(&start, "", format!("the file cannot be read: {error}"));
                Err(ConfigErrors::new(&name, "", mistakes.into_errors()))
            }
        }
    }

    /// Parses the text of a table. Reports call it `name`.
    ///
    /// # Errors
    /// Returns all mistakes in the text.
    ///
    /// ```
    /// use hooks_config::rule_tests::RuleTests;
    ///
    /// let errors = RuleTests::parse("- { bash: ls, write: a, expect: dney }", "hooks.test.yaml").unwrap_err();
    /// let all: Vec<_> = errors.errors().iter().map(|error| error.path.as_str()).collect();
    /// assert_eq!(all, ["[0].expect"]);
    /// ```
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigErrors> {
        let mut mistakes = Mistakes::default();
        let tests = parsed(text, &mut mistakes);
        tests
            .filter(|_| mistakes.is_empty())
            .ok_or_else(|| ConfigErrors::new(name, text, mistakes.into_errors()))
    }

    /// Number of decisions that are expected.
    pub fn expectations(&self) -> usize {
        let steps = self.cases.iter().flat_map(|case| case.steps(""));
        steps.filter(|(_, step)| step.expect.is_some() || step.rule.is_some() || step.would.is_some()).count()
    }

    /// Runs all tests with the rules at `rules`, which `reader` reads, and returns those that fail. Each test has state
    /// of its own, in memory: nothing is counted or recorded, and no handler of the section `hooks` is started.
    ///
    /// # Errors
    /// Returns all mistakes in the rules if they have any.
    pub fn run(&self, reader: &ConfigReader, rules: &Path) -> Result<Vec<TestFailure>, ConfigErrors> {
        let mut failures = Vec::new();
        // Own files are found by their whole paths.
        let rules = &std::path::absolute(rules).unwrap_or_else(|_| rules.to_owned());
        for (index, case) in self.cases.iter().enumerate() {
            let store = Arc::new(Memory::new(Arc::new(SystemClock)));
            let kept = Kept::new(Arc::new(LockoutRegistry::default()), store);
            let config = reader.clone().judging_only().keeping(kept).read(rules)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            match runtime {
                Ok(runtime) => runtime.block_on(self.run_case(case, index, &config, rules, &mut failures)),
                // A test that was not run has not passed.
                Err(error) => failures.push(TestFailure {
                    line: self.root.locate(&format!("[{index}]")).line,
                    test: case.name.clone().unwrap_or_default(),
                    expected: "a run".to_owned(),
                    got: error.to_string(),
                    decided_by: None,
                    reason: None,
                }),
            }
        }
        Ok(failures)
    }

    async fn run_case(
        &self,
        case: &Case,
        index: usize,
        config: &Config,
        rules: &Path,
        failures: &mut Vec<TestFailure>,
    ) {
        let hooks = config.clone().hooks();
        let root = project_of(rules);
        for (number, (path, step)) in case.steps(&format!("[{index}]")).into_iter().enumerate() {
            let agent = step.agent.as_ref().or(case.agent.as_ref()).map_or("", String::as_str);
            let context = HookContext::new(format!("test-{index}"), agent).in_dir(&root);
            let mut context = context.with_environment(hooks_system::system());
            context.call_id = Some(format!("{index}-{number}"));
            let hooks = hooks.on(context).asking_everyone();
            let call = step.event();
            let mut decision = hooks.pre_tool_use(call.clone()).await;
            let line = self.root.locate(&path).line;
            let name = case.name.clone().unwrap_or_else(|| step.in_words());
            failures.extend(failure(
                line,
                name,
                &step,
                decision.outcome.strength(),
                decision.outcome.reasons(),
            ));
            decision.commit();
            if decision.outcome.goes_ahead() {
                let result = step.result.clone().unwrap_or_else(|| json!(""));
                let ended = PostToolUse::after(&call, result, step.error.clone(), 1);
                hooks.post_tool_use(ended).await.commit();
            }
        }
    }
}

fn parsed(text: &str, mistakes: &mut Mistakes) -> Option<RuleTests> {
    let root = yaml::parse(text, mistakes)?;
    let mut schema = schemars::schema_for!(Vec<Case>).to_value();
    without_null(&mut schema);
    check(&schema, &root, mistakes);
    if !mistakes.is_empty() {
        return None;
    }
    let cases: Vec<Case> = match serde_json::from_value(root.to_json()) {
        Ok(cases) => cases,
        Err(error) => {
            mistakes.add(&root.place, "", error.to_string());
            return None;
        }
    };
    for (index, case) in cases.iter().enumerate() {
        for (path, step) in case.steps(&format!("[{index}]")) {
            let place = root.locate(&path);
            if step.calls() != 1 {
                let problem = format!("a test has one call, and this has {}", step.calls());
                let hint = "write one of `bash`, `write`, `read`, `call`; several calls go into `session`";
                mistakes.add_with_hint(place, path, problem, hint);
            } else if case.session.is_empty() && step.expect.is_none() && step.would.is_none() {
                let hint = "write `expect: deny`, `ask`, `allow` or `no opinion`";
                mistakes.add_with_hint(place, path, "nothing is expected of this call", hint);
            }
        }
    }
    Some(RuleTests { cases, root })
}

/// The failure of a step, if it is decided otherwise than expected.
fn failure(
    line: usize,
    test: String,
    step: &Step,
    strength: Strength,
    reasons: &[Reason],
) -> Option<TestFailure> {
    let would = reasons.iter().filter_map(|reason| reason.would).max().unwrap_or_default();
    let is_other = |expected: Option<Expected>, got| expected.is_some_and(|wanted| wanted.strength() != got);
    let is_shadow = !is_other(step.expect, strength) && is_other(step.would, would);
    let decides = |reason: &&Reason| match step.would {
        Some(_) if reason.would.is_some() => reason.would == Some(would),
        _ => reason.argues_for(strength),
    };
    let deciding: Vec<&Reason> = reasons.iter().filter(decides).collect();
    let is_named = |rule: &String| deciding.iter().any(|one| one.rule == *rule || one.policy == *rule);
    let is_by_other = step.rule.as_ref().is_some_and(|rule| !is_named(rule));
    let (expected, got) = if is_other(step.expect, strength) {
        (step.expect.map(|wanted| wanted.strength().to_string()), strength.to_string())
    } else if is_shadow {
        (
            step.would.map(|wanted| format!("that it would {}", wanted.strength())),
            format!("that it would {would}"),
        )
    } else if is_by_other {
        (step.rule.as_ref().map(|rule| format!("{strength} by `{rule}`")), strength.to_string())
    } else {
        return None;
    };
    let first = deciding.first();
    Some(TestFailure {
        line,
        test,
        expected: expected.unwrap_or_default(),
        got,
        decided_by: first.map(|reason| format!("`{}/{}`", reason.policy, reason.rule)),
        reason: first.map(|reason| reason.message.clone()),
    })
}

/// Asserts that the rules at `rules` decide as the table beside them expects, for a `#[test]`; see [`RuleTests::beside`].
///
/// # Panics
/// Panics with all tests that fail, or all mistakes in the rules or the table.
#[expect(clippy::panic, reason = "an assertion for tests")]
#[track_caller]
pub fn assert_rules(rules: impl AsRef<Path>) {
    let rules = rules.as_ref();
    let tests = RuleTests::read(&RuleTests::beside(rules));
    let reader = ConfigReader::default().spoken_in_any(Dialect::ALL).of_project(project_of(rules));
    match tests.and_then(|tests| tests.run(&reader, rules)) {
        Ok(failures) if failures.is_empty() => {}
        Ok(failures) => {
            let all: Vec<_> = failures.iter().map(ToString::to_string).collect();
            panic!("{}", all.join("\n"))
        }
        Err(errors) => panic!("{errors}"),
    }
}
