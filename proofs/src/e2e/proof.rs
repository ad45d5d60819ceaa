//! The proofs for a client: without hooks; with `hooks` in a project; with a hook that behaves
//! as no rule can; with `hooks` in the user's settings, and the rules that `hooks init` writes; with a rule that
//! asks a person; with rules that change; with a budget that the session uses up; with a deny list of the client
//! itself, without and with rules that allow; with all of its [`lists`]; with its calls in the sandbox; in the places of [`places`]; with the
//! settings of the machine; with the subagents of [`tree`]; with the rules of a [`team`].

use std::fmt;
use std::path::Path;
use std::time::Duration;

use hooks_protocols::{Ability, Client, Wish, capabilities};
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use super::{lists, places, stand_in, team, tree};
use crate::error::{Error, Result};

/// Time limit of a client for one run.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Time that a model takes for an answer of the run with a budget. A client writes its transcript meanwhile; none
/// of them waits for it.
pub(super) const THINKING: Duration = Duration::from_millis(400);

/// Reason of the denial of `touch`; the model has to receive it.
pub(super) const REASON: &str = "files are made in the proper way, see rule 4711";

/// The rules of the run with `hooks`.
const RULES: &str = "version: 1
write_guard:
  allow: [\"**\"]
  deny: [locked/**]
redaction:
  labels: [PRIVATE_KEY]
  patterns: { TICKET: 'TICKET-\\d{6}' }
rules:
  - name: touching
    commands: [touch]
    reason: files are made in the proper way, see rule 4711
    match:
      - { tool: bash, args: { command: touch x } }
    no_match:
      - { tool: bash, args: { command: echo touch } }
";

/// A budget of three answers of the scripted model. Calls that are announced reserve at most one answer.
const BUDGET: &str = "version: 1
budget:
  limits: [{ of: session, per: session, tokens: 3000 }]
  hold: { most_output_tokens: 100 }
";

/// The command that the rules of `hooks init` deny. It does no harm, because the repository of the sandbox is
/// empty.
pub(super) const RESET: &str = "git reset --hard; touch after-reset";

/// Result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The claim holds.
    Held,
    /// The claim does not hold, and our table does not promise it.
    Cannot,
    /// The claim does not hold, and must.
    Failed,
    /// The claim was not tried with this client.
    Untried,
}

/// The results of a client.
#[derive(Debug)]
pub(super) struct Results {
    /// The client's name and version.
    pub(super) title: String,
    /// Claims with their results.
    pub(super) claims: Vec<(Claim, Outcome)>,
    /// Whether all parts that this client has were tried.
    pub(super) is_whole: bool,
}

impl Results {
    /// No results yet.
    pub(super) fn new(client: &Runnable) -> Self {
        Self { title: format!("{} {}", client.client, client.version), claims: Vec::new(), is_whole: true }
    }

    /// The outcome of a claim; `None` if it was not tried.
    pub(super) fn outcome(&self, claim: Claim) -> Option<Outcome> {
        self.claims.iter().find(|(of, _)| *of == claim).map(|(_, outcome)| *outcome)
    }

    /// Adds a claim that must hold.
    pub(super) fn claim(&mut self, claim: Claim, is_so: bool) {
        self.claims.push((claim, if is_so { Outcome::Held } else { Outcome::Failed }));
    }

    /// Adds a claim that must hold only if our table promises the ability for this client.
    pub(super) fn ability(&mut self, claim: Claim, can: bool, is_so: bool) {
        let outcome = match (can, is_so) {
            (_, true) => Outcome::Held,
            (true, false) => Outcome::Failed,
            (false, false) => Outcome::Cannot,
        };
        self.claims.push((claim, outcome));
    }

    /// The claims that failed.
    pub(super) fn failures(&self) -> impl Iterator<Item = String> + '_ {
        let failed = self.claims.iter().filter(|(_, outcome)| *outcome == Outcome::Failed);
        failed.map(|(claim, _)| format!("{}: {claim}", self.title))
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (claim, outcome) in &self.claims {
            let mark = match outcome {
                Outcome::Held => "held",
                Outcome::Cannot => "cannot",
                Outcome::Failed => "FAILED",
                Outcome::Untried => "-",
            };
            writeln!(f, "  {mark:6}  {claim}")?;
        }
        Ok(())
    }
}

/// A part of the proofs: of a client, with its program and that of `hooks`.
type Part = fn(&Runnable, &Path, &Path, &mut Results) -> Result;

/// The parts, in their order, by name.
const PARTS: &[(&str, Part)] = &[
    ("control", control),
    ("governed", governed),
    ("stand-in", stood_in),
    ("killed", killed_after),
    ("user", of_user),
    #[cfg(unix)]
    ("approval", super::approval::approved),
    #[cfg(unix)]
    ("reload", super::reload::reloaded),
    ("budget", spent),
    ("listed", listed),
    ("lists", lists::prove),
    ("prompt", super::prompt::prove),
    ("checked", super::checked::prove),
    ("live", super::live::prove),
    #[cfg(target_os = "linux")]
    ("wrapped", super::wrapped::prove),
    #[cfg(target_os = "linux")]
    ("carried", super::carried::prove),
    #[cfg(target_os = "linux")]
    ("running", super::running::prove),
    ("unwrapped", super::unwrapped::prove),
    #[cfg(unix)]
    ("interrupted", super::interrupted::prove),
    ("replayed", super::replayed::prove),
    ("places", places::prove),
    ("packages", super::packages::prove),
    ("servers", super::servers::prove),
    #[cfg(target_os = "linux")]
    ("machine", super::machine::prove),
    #[cfg(unix)]
    ("trusted", super::trusted::prove),
    ("tree", tree::prove),
    ("team", team::prove),
];

/// The names of the parts.
pub(super) fn parts() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(name, _)| *name)
}

/// Runs the proofs for a client: all of them, or the named part.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, only: Option<&str>) -> Result<Results> {
    let mut results = Results::new(client);
    results.is_whole = only.is_none();
    for (name, part) in PARTS {
        if only.is_none_or(|only| only == *name) {
            part(client, program, hooks, &mut results)?;
        }
    }
    Ok(results)
}

/// The calls that the rules concern.
fn calls(client: &Runnable) -> Script {
    let shell = |command: &str| Call::Shell(command.to_owned());
    Script {
        calls: vec![
            shell("touch by-command"),
            Call::Write("locked/by-write.txt", "text"),
            shell(&format!("echo {{}} > {}", client.settings)),
            shell("echo text > allowed-by-command"),
            Call::Write("open/by-write.txt", "text"),
            shell("printf 'TICKET-%s' 123456"),
            shell(RESET),
        ],
        ..Script::default()
    }
}

/// Shows that without hooks all calls happen.
fn control(client: &Runnable, program: &Path, _: &Path, _: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    let (run, requests) = session(client, program, &sandbox, calls(client), Trust::Given)?;
    let happened = [
        sandbox.has("by-command"),
        sandbox.has("locked/by-write.txt"),
        sandbox.text(client.settings) == "{}\n",
        sandbox.has("allowed-by-command"),
        sandbox.has("open/by-write.txt"),
        says(&requests, "TICKET-123456"),
        sandbox.has("after-reset"),
    ];
    if happened.contains(&false) {
        return Err(failed(
            client,
            &format!("without hooks not everything happens: {happened:?}"),
            &run,
            &requests,
        ));
    }
    Ok(())
}

/// Shows that with `hooks`, installed by `hooks init`, the rules are enforced.
fn governed(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    wire(client, &sandbox, hooks)?;
    let settings = sandbox.text(client.settings);
    let (run, requests) = session(client, program, &sandbox, calls(client), Trust::Given)?;
    results.claim(Claim::ToolDenied, !sandbox.has("by-command"));
    results.claim(Claim::WriteDenied, !sandbox.has("locked/by-write.txt"));
    results.claim(Claim::SettingsKept, same_settings(client, &sandbox.text(client.settings), &settings));
    results.claim(Claim::CommandAllowed, sandbox.has("allowed-by-command"));
    results.claim(Claim::WriteAllowed, sandbox.has("open/by-write.txt"));
    results.claim(Claim::ReasonRead, says(&requests, REASON));
    let can = able(client, client.after_tool, Wish::Rewrite);
    results.ability(
        Claim::ResultScrubbed,
        can,
        says(&requests, "[TICKET_REDACTED]") && !says(&requests, "TICKET-123456"),
    );
    shown(client, &run, &requests, results);
    Ok(())
}

/// Shows the effects of a hook that fails on demand and gives answers which no rule gives.
fn stood_in(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    substituted(client, &sandbox, hooks)?;
    let touch = |name: &str| Call::Shell(format!("touch {name}"));
    let script = Script {
        calls: vec![
            touch(stand_in::CRASH),
            touch(stand_in::GONE),
            touch(stand_in::BROKEN),
            touch(stand_in::HANG),
            touch(stand_in::ASK),
            touch(stand_in::REWRITE),
            Call::Shell(format!("echo {}", stand_in::NOTE)),
            Call::Shell("printf 'result-%s' secret".to_owned()),
        ],
        ..Script::default()
    };
    let (run, requests) = session(client, program, &sandbox, script, Trust::Given)?;
    results.claim(Claim::CrashDenies, !sandbox.has(stand_in::CRASH));
    results.claim(Claim::GoneDenies, !sandbox.has(stand_in::GONE));
    results.claim(Claim::BrokenDenies, !sandbox.has(stand_in::BROKEN));
    results.claim(Claim::HangDenies, !sandbox.has(stand_in::HANG));
    results.claim(Claim::AskDenies, !sandbox.has(stand_in::ASK));
    results.ability(
        Claim::Rewritten,
        able(client, client.before_tool, Wish::Rewrite),
        sandbox.has(stand_in::REWRITTEN) && !sandbox.has(stand_in::REWRITE),
    );
    let [before, after, prompt] = stand_in::NOTES;
    for (claim, event, note) in [
        (Claim::NoteWithPrompt, client.prompt, prompt),
        (Claim::NoteBefore, client.before_tool, before),
        (Claim::NoteAfter, client.after_tool, after),
    ] {
        results.ability(claim, able(client, event, Wish::Context), says(&requests, note));
    }
    results.ability(
        Claim::ResultReplaced,
        able(client, client.after_tool, Wish::Rewrite),
        says(&requests, stand_in::MASKED) && !says(&requests, stand_in::SECRET),
    );
    shown(client, &run, &requests, results);
    Ok(())
}

/// Shows that a hook which is killed after a call lets no result through. In some clients this ends the run.
fn killed_after(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    substituted(client, &sandbox, hooks)?;
    let call = Call::Shell("printf 'result-%s' killed; touch killed".to_owned());
    let server =
        Server::start(client.speech, Script { calls: vec![call], ..Script::default() }, &sandbox.work())?;
    let url = server.url();
    let run = sandbox.run(
        program,
        &client.arguments(&url, Trust::Given),
        &client.variables(&url, Trust::Given),
        PATIENCE,
    )?;
    let requests = server.recorded();
    results.ability(
        Claim::KilledAfter,
        able(client, client.after_tool, Wish::Rewrite),
        sandbox.has("killed") && !says(&requests, stand_in::KILLED),
    );
    shown(client, &run, &requests, results);
    Ok(())
}

/// Shows that hooks in the user's settings, with the rules of `hooks init`, govern a folder that is not
/// trusted.
fn of_user(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::None)?;
    furnish(client, &sandbox)?;
    // The settings of the user are the default.
    init(client, &sandbox, hooks, &[])?;
    let allowed = Call::Shell("echo text > allowed-by-command".to_owned());
    let script = Script { calls: vec![Call::Shell(RESET.to_owned()), allowed], ..Script::default() };
    let (run, requests) = session(client, program, &sandbox, script, Trust::None)?;
    results.claim(Claim::Untrusted, !sandbox.has("after-reset"));
    results.claim(Claim::FirstRules, sandbox.has("allowed-by-command"));
    shown(client, &run, &requests, results);
    Ok(())
}

/// Shows that a session that used up its budget may call no more tools, and that each answer counts once.
fn spent(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), BUDGET)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let calls = (1..=8).map(|call| Call::Shell(format!("echo text > call-{call}")));
    let script = Script { calls: calls.collect(), thinking: THINKING, ..Script::default() };
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let (arguments, variables) = (client.arguments(&url, Trust::Given), client.variables(&url, Trust::Given));
    let run = sandbox.run(program, &arguments, &variables, PATIENCE)?;
    let ran = |call: &u64| sandbox.has(&format!("call-{call}"));
    // The answer that asks for a call may be written to the transcript only after it; Codex CLI writes it before.
    let denied_from = if client.client == Client::Codex { 3 } else { 4 };
    let is_stopped = (1..=2).all(|call| ran(&call)) && !(denied_from..=8).any(|call| ran(&call));
    results.claim(Claim::BudgetStop, is_stopped);
    let counted = counted(&sandbox, hooks)?;
    results.claim(Claim::AnswersCount, counted == Some(server.tokens()));
    if results.failures().next().is_some() {
        let log = std::fs::read_to_string(sandbox.home().join(".state/hooks/run.log")).unwrap_or_default();
        let ran: Vec<u64> = (1..=8).filter(ran).collect();
        eprintln!("counted {counted:?} of {}; these calls ran: {ran:?}\n{log}", server.tokens());
    }
    shown(client, &run, &server.recorded(), results);
    Ok(())
}

/// Shows that a call which our rules allow is still denied by the client's own list.
fn listed(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let allow = "version: 1\nrules: [{ name: r, action: allow, commands: [touch], reason: ours allow it }]\n";
    for rules in [None, Some(allow)] {
        let sandbox = Sandbox::new(client, Trust::Listed)?;
        furnish(client, &sandbox)?;
        if let Some(rules) = rules {
            sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
            init(client, &sandbox, hooks, PROJECT)?;
        }
        let calls = ["touch listed", "echo text > unlisted"].map(|command| Call::Shell(command.to_owned()));
        let script = Script { calls: calls.to_vec(), ..Script::default() };
        let server = Server::start(client.speech, script, &sandbox.work())?;
        let url = server.url();
        let (arguments, variables) =
            (client.arguments(&url, Trust::Listed), client.variables(&url, Trust::Listed));
        let run = sandbox.run(program, &arguments, &variables, PATIENCE)?;
        let is_denied = !sandbox.has("listed") && sandbox.has("unlisted");
        if rules.is_none() && !is_denied {
            return Err(failed(
                client,
                "its own list denies nothing, without hooks",
                &run,
                &server.recorded(),
            ));
        }
        if rules.is_some() {
            results.claim(Claim::OwnDenyList, is_denied);
            shown(client, &run, &server.recorded(), results);
        }
    }
    Ok(())
}

/// The tokens that the budget of the only session counted.
pub(super) fn counted(sandbox: &Sandbox, hooks: &Path) -> Result<Option<u64>> {
    let words = ["state", "--config", "hooks.yaml", "--json", "show"].map(str::to_owned);
    let run = sandbox.run(hooks, &words, &[], PATIENCE)?;
    let state: Value = serde_json::from_str(&run.stdout).map_err(|cause| {
        Error::doing(format!("`hooks state` printed {}{}", run.stdout, run.stderr), cause)
    })?;
    let counters = state.get("counters").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of_session = counters.iter().find(|counter| {
        counter.get("counter").and_then(Value::as_str).is_some_and(|key| key.starts_with("spend/of/session/"))
    });
    Ok(of_session.and_then(|counter| counter.get("used")?.as_u64()))
}

/// Creates the folders that calls write into.
pub(super) fn furnish(client: &Runnable, sandbox: &Sandbox) -> Result {
    let settings = sandbox.work().join(client.settings);
    for folder in [
        &*sandbox.work().join("locked"),
        &*sandbox.work().join("open"),
        settings.parent().unwrap_or(&settings),
    ] {
        std::fs::create_dir_all(folder)?;
    }
    Ok(())
}

/// Runs `hooks init`, with our rules.
fn wire(client: &Runnable, sandbox: &Sandbox, hooks: &Path) -> Result {
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, sandbox, hooks, PROJECT)
}

/// Options of `hooks init` for the settings of the project.
pub(super) const PROJECT: &[&str] = &["--scope", "project"];

pub(super) fn init(client: &Runnable, sandbox: &Sandbox, hooks: &Path, options: &[&str]) -> Result {
    init_in(&sandbox.work(), client.client.name(), sandbox, hooks, options)
}

/// Runs `hooks init` in a folder.
pub(super) fn init_in(
    folder: &Path,
    client: &str,
    sandbox: &Sandbox,
    hooks: &Path,
    options: &[&str],
) -> Result {
    let arguments: Vec<String> =
        ["init", client].iter().chain(options).map(|word| (*word).to_owned()).collect();
    let run = sandbox.run_in(folder, hooks, &arguments, &[], PATIENCE)?;
    if !run.succeeded {
        return Err(Error::new(format!("`hooks init {client}` failed:\n{}{}", run.stdout, run.stderr)));
    }
    Ok(())
}

/// Runs `hooks init`, and has the client call the stand-in in place of `hooks`.
fn substituted(client: &Runnable, sandbox: &Sandbox, hooks: &Path) -> Result {
    let stand_in = stand_in(sandbox, hooks)?;
    wire(client, sandbox, hooks)?;
    let text = sandbox.text(client.settings).replace(&*hooks.to_string_lossy(), &stand_in);
    sandbox.put(&sandbox.work().join(client.settings), &text)
}

/// Creates a program that is called in place of `hooks`.
fn stand_in(sandbox: &Sandbox, hooks: &Path) -> Result<String> {
    let place = sandbox.beside().join("bin/hooks");
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"));
    let this = std::env::current_exe()?;
    let words = [&*this, hooks, sandbox.beside()].map(quoted);
    let [this, hooks, beside] = words;
    sandbox.put(&place, &format!("#!/bin/sh\nexec {this} stand-in {hooks} {beside} \"$@\"\n"))?;
    sandbox.put(&sandbox.beside().join("broken.yaml"), "version: 1\nwrite_guard: [\n")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755))?;
        let pipe = sandbox.beside().join("hang.yaml");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).map_err(std::io::Error::from)?;
    }
    Ok(place.to_string_lossy().into_owned())
}

/// Runs a session of the client; returns it with the requests to its model.
pub(super) fn session(
    client: &Runnable,
    program: &Path,
    sandbox: &Sandbox,
    script: Script,
    trust: Trust,
) -> Result<(Run, Vec<Value>)> {
    let planned: usize = script.plans.iter().map(|plan| plan.calls.len()).sum();
    let count = script.calls.len().saturating_add(planned);
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let run =
        sandbox.run(program, &client.arguments(&url, trust), &client.variables(&url, trust), PATIENCE)?;
    let requests = server.recorded();
    if requests.len() <= count {
        // Otherwise, a call that did not happen may never have been tried.
        return Err(failed(
            client,
            &format!("only {} of {} questions came", requests.len(), count.saturating_add(1)),
            &run,
            &requests,
        ));
    }
    Ok((run, requests))
}

pub(super) fn able(client: &Runnable, event: &str, wish: Wish) -> bool {
    capabilities(client.client, event).is_some_and(|row| row.can(wish) != Ability::No)
}

/// Whether the settings are the same. Qwen Code adds the version of their form by itself.
fn same_settings(client: &Runnable, now: &str, before: &str) -> bool {
    let hooks = |text: &str| {
        serde_json::from_str::<Value>(text).ok().and_then(|settings| settings.get("hooks").cloned())
    };
    match client.client {
        Client::Qwen => hooks(before).is_some_and(|before| before.is_object() && hooks(now) == Some(before)),
        _ => now == before,
    }
}

/// Whether a text occurs anywhere in the requests to the model.
pub(super) fn says(requests: &[Value], text: &str) -> bool {
    let text = Value::from(text).to_string();
    let text = text.trim_matches('"');
    requests.iter().any(|body| body.to_string().contains(text))
}

/// Whether the client printed a text.
pub(super) fn prints(run: &Run, text: &str) -> bool {
    run.stdout.contains(text) || run.stderr.contains(text)
}

/// Prints details of a run if a claim failed.
pub(super) fn shown(client: &Runnable, run: &Run, requests: &[Value], results: &Results) {
    if results.failures().next().is_some() {
        eprintln!("{}", failed(client, "something did not hold", run, requests));
    }
}

pub(super) fn failed(client: &Runnable, what: &str, run: &Run, requests: &[Value]) -> Error {
    let last = requests.last().map(Value::to_string).unwrap_or_default();
    let end = last.char_indices().rev().nth(3_000).map_or(0, |(at, _)| at);
    let last = last.get(end..).unwrap_or_default();
    let Run { stdout, stderr, .. } = run;
    Error::new(format!("{}: {what}\noutput:\n{stdout}\n{stderr}\nit asked last: …{last}", client.client))
}
