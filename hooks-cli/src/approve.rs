//! `hooks approve`: a person lets a call pass that waits for them, once.

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use hooks::budgets::{ApprovalCode, ApprovalError, Approvals, WaitingCall};
use hooks::config::Config;
use hooks::policies::PolicyHooks;
use hooks::redaction::Redaction;
use hooks::state::Key;
use hooks::store::{ByHand, Engine};
use hooks::{HookContext, PolicyErrors, SystemRandom};
use serde_json::Value;

use crate::audit::plain::plain;
use crate::cli::{Approve, ApproveAction};
use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::paint::{LOUD, QUIET, one_line};
use crate::run::project::{GoverningFile, find_from};
use crate::state::{done, found_nothing, user};
use crate::{load, person};

/// Name of the command.
const COMMAND: &str = "hooks approve";
/// Maximum characters of a text on a line.
const WIDTH: usize = 100;
/// Maximum length of the reason before the offer, in bytes. The whole has to fit in a client's answer.
const LONGEST_REASON: usize = 4_000;

/// The approvals that the store of `config` keeps; `None` if the store ends with this process.
pub(crate) fn approvals(config: &Config) -> Option<Approvals> {
    config.store().filter(|store| store.engine != Engine::Memory)?;
    let approvals = Approvals::new(Arc::clone(config.kept().store()), Arc::new(SystemRandom));
    let Some(redaction) = &config.policy().redaction else { return Some(approvals) };
    // The configuration was checked when it was read.
    let redaction = Redaction::compile(redaction, &mut PolicyErrors::default());
    Some(approvals.redacted_by(redaction.scrubber().clone()))
}

/// The reason of a question, with the offer that a person can approve the call. `config` is named if it was
/// named to `hooks run`.
pub(crate) fn offered(reason: Option<&str>, code: &str, config: Option<&Path>) -> String {
    let reason = reason.unwrap_or("a person has to approve this").trim_end();
    let end = (0..=reason.len().min(LONGEST_REASON)).rev().find(|end| reason.is_char_boundary(*end));
    let kept = reason.get(..end.unwrap_or_default()).unwrap_or_default();
    let cut = if kept.len() < reason.len() { "…" } else { "" };
    let stop = if kept.ends_with(['.', '!', '?']) { "" } else { "." };
    let quoted = |config: &Path| config.display().to_string().replace('\'', r"'\''");
    let config = config.map(|config| format!("-c '{}' ", quoted(config))).unwrap_or_default();
    format!("{kept}{cut}{stop} A person can let this call pass once: `{COMMAND} {config}{code}`")
}

/// Lists the calls that wait, or approves one.
pub(crate) fn run(options: &Approve) -> Result<Status, Failure> {
    person::require(COMMAND)?;
    let folder = env::current_dir()?;
    let Some(GoverningFile { config: path, .. }) = find_from(options.config.as_deref(), &folder) else {
        return Err(Failure::message(format!(
            "no configuration governs `{}`; call `{COMMAND}` in the project, or name the configuration with `--config`",
            folder.display()
        )));
    };
    let config = load::config(&path, None)?;
    let Some(approvals) = approvals(&config) else {
        return Err(Failure::message(format!(
            "`{}` keeps state in memory, where it ends with each process; write `store: {{engine: file}}`",
            path.display()
        )));
    };
    let command = Command { options, config, approvals };
    let mut out = anstream::stdout().lock();
    runtime()?.block_on(async {
        match (&options.action, &options.code) {
            (Some(ApproveAction::Budget { session, agent, model }), _) => {
                let mut context = HookContext::new(session, agent).with_environment(hooks::system());
                context.tenant = command.tenant();
                command.budget(context.into(), model, &mut out).await
            }
            (None, Some(code)) => command.approve(code, &mut out).await,
            (None, None) => command.list(&mut out).await,
        }
    })
}

/// One call of the command.
struct Command<'a> {
    options: &'a Approve,
    config: Config,
    approvals: Approvals,
}

impl Command<'_> {
    fn tenant(&self) -> Option<String> {
        self.config.tenant().map(str::to_owned)
    }

    /// Prints the calls that wait.
    async fn list(&self, out: &mut impl Write) -> Result<Status, Failure> {
        let calls = self.approvals.waiting(self.config.tenant()).await?;
        if calls.is_empty() {
            return found_nothing("no call waits for an approval");
        }
        for call in &calls {
            show(out, call)?;
            writeln!(out)?;
        }
        Ok(Status::Well)
    }

    /// Shows a call, and approves it if the person agrees.
    async fn approve(&self, code: &str, out: &mut impl Write) -> Result<Status, Failure> {
        let code: ApprovalCode = code
            .parse()
            .map_err(|error| Failure::message(format!("`{}`: {error}", one_line(code, WIDTH))))?;
        let Some(call) = self.approvals.find(self.config.tenant(), &code).await? else {
            return found_nothing(&format!(
                "no call waits under `{code}`: its time is over, it was made, or another configuration asked; \
                 `{COMMAND}` lists the calls that wait"
            ));
        };
        show(out, &call)?;
        if !self.options.yes && !person::agrees("Let this call pass once?")? {
            return found_nothing("the call was not approved");
        }
        // The record comes first: an approval without one would be worse than a record too many.
        let what = format!("`{code}` approved: {} {}", call.tool, call.arguments);
        let by = self.by_hand(&["approvals"], what).await?;
        let until = self.approvals.approve(&call, &by).await?;
        done(out, &format!("the call passes once, until {until}"))
    }

    /// Approves the questions of the budgets for `context`.
    async fn budget(
        &self,
        context: Arc<HookContext>,
        model: &str,
        out: &mut impl Write,
    ) -> Result<Status, Failure> {
        let hooks = self.config.clone().hooks();
        let Some(budget) = hooks.spend_budget() else {
            return Err(Failure::message("the configuration has no `budget`"));
        };
        let approved = budget.approve(&context, model).await?;
        if approved.is_empty() {
            let session = &context.session_id;
            return found_nothing(&format!(
                "no budget asks about session `{session}`; name its `--agent` and `--model`, too"
            ));
        }
        let to = format!("{} approved beyond the threshold", approved.join(", "));
        self.by_hand(&["spend"], to.clone()).await?;
        done(out, &to)
    }

    /// Records a change by hand. Returns the name of the person.
    async fn by_hand(&self, what: &[&str], to: String) -> Result<String, Failure> {
        let by = self.options.by.clone().unwrap_or_else(user);
        let store = Arc::clone(self.config.kept().store());
        let by_hand = ByHand::new(store, Arc::new(SystemRandom), self.config.tenant(), &by);
        by_hand.record(&Key::new(self.config.tenant(), what), to, self.options.why.as_deref()).await?;
        Ok(by)
    }
}

/// Prints a call exactly as it will run, except for secrets. No text of the model controls the terminal.
fn show(out: &mut impl Write, call: &WaitingCall) -> io::Result<()> {
    let approved = if call.approved.is_some() { " (approved)" } else { "" };
    writeln!(out, "{LOUD}{}{LOUD:#} {}{approved}", call.code, plain(&call.tool))?;
    let client = call.client.as_deref().unwrap_or_default();
    let origin =
        [("agent", &*call.agent), ("client", client), ("session", &call.session), ("folder", &call.folder)];
    for (name, value) in origin.into_iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "  {QUIET}{name}{QUIET:#} {}", plain(value))?;
    }
    writeln!(out, "  {QUIET}since{QUIET:#} {}", call.since)?;
    match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(fields)) => {
            for (name, value) in &fields {
                writeln!(out, "  {LOUD}{}{LOUD:#}", plain(name))?;
                match value {
                    Value::String(text) => lines(out, text)?,
                    value => lines(out, &value.to_string())?,
                }
            }
        }
        _ => lines(out, &call.arguments)?,
    }
    if call.is_cut {
        writeln!(out, "  The call is longer than what is shown of it.")?;
    }
    for reason in &call.reasons {
        writeln!(out, "  {QUIET}asks because{QUIET:#} {}", plain(reason))?;
    }
    Ok(())
}

/// Prints each line of a text, further in than the names of fields.
fn lines(out: &mut impl Write, text: &str) -> io::Result<()> {
    text.split('\n').try_for_each(|line| writeln!(out, "    {}", plain(line)))
}

impl From<ApprovalError> for Failure {
    fn from(error: ApprovalError) -> Self {
        Self::message(error.to_string())
    }
}
