//! The policy: rules of a module run on the register machine.

use std::fmt;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Policy, PolicyLayer, Reason, ReasonKind, Verdict};
use hooks_facts::calls::CallReader;
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::rvm::program::Program;
use regorus::rvm::vm::VmError;
use regorus::{CompiledPolicy, Engine};
use serde_json::Value;

use crate::config::RegoConfig;
use crate::error::RegoError;
use crate::input::{NeededLists, facts, input};
use crate::text::{self, TextProblem};

const NAME: &str = "rego";

/// Most instructions that one rule may run.
const MAX_INSTRUCTIONS: usize = 100_000;

/// Rules that count.
const RULES: [&str; 3] = ["deny", "ask", "allow"];

/// Judges calls by a Rego module; see the [crate](crate) for an example. Clones share the module.
#[derive(Clone)]
pub struct RegoPolicy(Arc<Compiled>);

/// A Rego module in front of an inner hook.
pub type RegoLayer = PolicyLayer<RegoPolicy>;

struct Compiled {
    rules: Vec<Rule>,
    asked: NeededLists,
    reader: CallReader,
}

/// A rule of the package, in two forms.
struct Rule {
    name: &'static str,
    /// Runs on the register machine, which counts instructions, but takes an error in a rule for no value.
    machine: Arc<Program>,
    /// Runs in the interpreter, which counts nothing, and reports errors.
    interpreted: CompiledPolicy,
}

impl RegoPolicy {
    /// Compiles the module.
    ///
    /// # Errors
    /// Returns the first error of the text with its place, or an error if it is of another package, or has none of the rules that
    /// count.
    pub fn new(config: &RegoConfig, reader: &CallReader) -> Result<Self, RegoError> {
        if let Some(TextProblem { line, problem, hint }) = text::problem(&config.text, &config.package) {
            return Err(RegoError { line, ..RegoError::of_module(problem, hint) });
        }
        let room = with_room(|| Ok(Self::compiled(config, reader)));
        room.unwrap_or_else(|failed| Err(RegoError::of_module(failed.problem, "make the module smaller")))
    }

    fn compiled(config: &RegoConfig, reader: &CallReader) -> Result<Self, RegoError> {
        let reported = |error: &dyn fmt::Display| RegoError::reported(&error.to_string());
        let mut engine = Engine::new();
        engine.set_strict_builtin_errors(true);
        let package =
            engine.add_policy(config.name.clone(), config.text.clone()).map_err(|error| reported(&error))?;
        if package != format!("data.{}", config.package) {
            let problem = format!("the package is `{}`, not `data.{}`", package, config.package);
            return Err(RegoError::of_module(problem, "name it in `package`"));
        }
        let mut rules = Vec::new();
        for rule in RULES {
            let is_there =
                engine.has_declared_rule_rooted_at(&config.name, rule).map_err(|error| reported(&error))?;
            if !is_there {
                continue;
            }
            let path = format!("{package}.{rule}");
            let compiled =
                engine.compile_with_entrypoint(&path.as_str().into()).map_err(|error| reported(&error))?;
            let machine =
                Compiler::compile_from_policy(&compiled, &[&path]).map_err(|error| reported(&error))?;
            rules.push(Rule { name: rule, machine, interpreted: compiled });
        }
        if rules.is_empty() {
            let problem = format!("the package `{}` has no rule `deny`, `ask` or `allow`", config.package);
            return Err(RegoError::of_module(problem, "write one, such as `deny contains msg if { … }`"));
        }
        Ok(Self(Arc::new(Compiled {
            rules,
            asked: NeededLists::in_text(&config.text),
            reader: reader.clone(),
        })))
    }

    /// Wraps the module in a layer.
    pub fn layer(self) -> RegoLayer {
        PolicyLayer::new(self)
    }
}

impl Compiled {
    fn verdict(&self, request: &HookRequest<PreToolUse>) -> Result<Verdict, Failed> {
        let facts = facts(request, &self.reader);
        if let Some(list) = self.asked.missing(&facts) {
            let problem = format!("`input.facts.{list}` is not known in full before the call runs");
            return Err(Failed { rule: "facts", problem });
        }
        let failed = |error: &dyn fmt::Display| Failed { rule: "input", problem: error.to_string() };
        let input = input(request, &facts).map_err(|error| failed(&error))?;
        let input: regorus::Value = serde_json::from_value(input).map_err(|error| failed(&error))?;
        let mut verdict = Verdict::NO_OPINION;
        for rule in &self.rules {
            let value = rule.value(&input).map_err(|problem| Failed { rule: rule.name, problem })?;
            verdict.merge(read(rule.name, value)?);
        }
        Ok(verdict)
    }
}

/// A rule without a usable value.
struct Failed {
    rule: &'static str,
    problem: String,
}

impl Rule {
    /// The value; `None` if it is undefined.
    fn value(&self, input: &regorus::Value) -> Result<Option<Value>, String> {
        self.bound(input).map_err(|error| error.to_string())?;
        let value = self.interpreted.eval_with_input(input.clone());
        let value = value.map_err(|error| RegoError::reported(&error.to_string()).to_string())?;
        if value == regorus::Value::Undefined {
            return Ok(None);
        }
        serde_json::to_value(&value).map(Some).map_err(|error| error.to_string())
    }

    /// Fails if the rule runs too many instructions.
    fn bound(&self, input: &regorus::Value) -> Result<(), VmError> {
        let mut machine = RegoVM::new();
        machine.set_max_instructions(MAX_INSTRUCTIONS);
        machine.load_program(Arc::clone(&self.machine));
        machine.set_data(regorus::Value::new_object())?;
        machine.set_input(input.clone());
        machine.execute().map(drop)
    }
}

/// The verdict that the value of a rule is.
fn read(rule: &'static str, value: Option<Value>) -> Result<Verdict, Failed> {
    let one = |name: String, message: String| match rule {
        "ask" => Verdict::ask(Reason::new(NAME, name, message).by_operator()),
        _ => Verdict::deny(Reason::new(NAME, name, message).by_operator()),
    };
    match (rule, value) {
        (_, None) | ("deny" | "ask", Some(Value::Bool(false))) => Ok(Verdict::NO_OPINION),
        ("allow", Some(Value::Bool(true))) => Ok(Verdict::ALLOW),
        ("allow", Some(Value::Bool(false))) => {
            Ok(one(rule.to_owned(), "the policy does not allow this call".to_owned()))
        }
        ("ask", Some(Value::Bool(true))) => {
            Ok(one(rule.to_owned(), "the policy asks about this call".to_owned()))
        }
        ("deny", Some(Value::Bool(true))) => {
            Ok(one(rule.to_owned(), "the policy denies this call".to_owned()))
        }
        ("deny" | "ask", Some(Value::Array(messages))) => {
            let mut verdict = Verdict::NO_OPINION;
            for message in messages {
                let (name, message) = told(rule, &message).ok_or_else(|| unusable(rule, &message))?;
                verdict.merge(one(name, message));
            }
            Ok(verdict)
        }
        (_, Some(value)) => Err(unusable(rule, &value)),
    }
}

/// Name of the rule, and the message, of one element: a text, or an object with `msg` and perhaps `rule`.
fn told(rule: &str, element: &Value) -> Option<(String, String)> {
    let text = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    match element {
        Value::String(_) => Some((rule.to_owned(), text(Some(element))?)),
        Value::Object(fields) => {
            Some((text(fields.get("rule")).unwrap_or_else(|| rule.to_owned()), text(fields.get("msg"))?))
        }
        _ => None,
    }
}

fn unusable(rule: &'static str, value: &Value) -> Failed {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object without `msg`",
    };
    Failed { rule, problem: format!("`{rule}` has {kind} where it needs a message") }
}

impl Policy<PreToolUse> for RegoPolicy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        with_room(|| self.0.verdict(request)).unwrap_or_else(|Failed { rule, problem }| {
            let mut reason = Reason::new(NAME, rule, format!("the policy cannot be evaluated: {problem}"));
            reason.kind = ReasonKind::Failure;
            Verdict::deny(reason)
        })
    }
}

/// Bytes of the stack on which rules run. Rules that call each other use up their instructions before it; memory is taken
/// as far as it is used.
const STACK: usize = 1 << 30;

/// Calls `run` where it has room: the engine calls itself for rules that call each other, and a process that overflows its
/// stack gives no answer.
fn with_room<T: Send>(run: impl FnOnce() -> Result<T, Failed> + Send) -> Result<T, Failed> {
    let failed = |problem: &str| Failed { rule: "room", problem: problem.to_owned() };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| failed(&format!("no thread for it: {error}")))?;
        thread.join().unwrap_or_else(|_| Err(failed("the engine panicked")))
    })
}

impl fmt::Debug for RegoPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<_> = self.0.rules.iter().map(|rule| rule.name).collect();
        f.debug_struct("RegoPolicy").field("rules", &rules).finish_non_exhaustive()
    }
}
