//! Proofs about the place of a start and of the settings: a subfolder, another worktree, a clone, settings in several
//! files, and the time from nothing to a denial.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_protocols::Client;
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, RESET, Results, failed, furnish, init_in, prints, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use crate::error::Result;
use crate::stopwatch::Stopwatch;

/// Rules that deny `touch`, and nothing else.
pub(super) const NO_TOUCH: &str =
    "version: 1\nrules: [{ name: r, action: deny, commands: [touch], reason: files are made elsewhere }]\n";

/// Rules with room for two calls.
const TWO_CALLS: &str =
    "version: 1\nlimits: { calls: [{ tools: [bash], most: 2, of: session, per: session }] }\n";

/// Texts that clients print where everything is denied: the reason, in Codex CLI that the prompt was, in OpenCode an error.
/// Qwen Code prints none.
const DENIED_PROMPT: [&str; 3] = ["so this is denied", "UserPromptSubmit Blocked", "Unexpected server error"];

/// Longest time from an empty home to a denial.
const FIRST_DENIAL: Duration = Duration::from_secs(10);

/// Most tries to stay below that time on a busy machine.
const MOST_MEASURED: u32 = 3;

/// Runs the proofs for a client.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    first_denial(client, program, hooks, results)?;
    subfolder(client, program, hooks, results)?;
    worktree(client, program, hooks, results)?;
    clone(client, program, hooks, results)?;
    several_files(client, program, hooks, results)
}

/// Measures two commands: `hooks init CLIENT`, and the client with a call that the first rules deny. Only the time of
/// Claude Code is claimed, which CI runs alone.
fn first_denial(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let (mut is_denied, mut is_in_time) = (true, client.client != Client::Claude);
    for _ in 0..MOST_MEASURED {
        let sandbox = Sandbox::new(client, Trust::None)?;
        let watch = Stopwatch::start();
        init_in(&sandbox.work(), client.client.name(), &sandbox, hooks, &[])?;
        let (_, requests) =
            session(client, program, &sandbox, &[RESET], &Start::new(sandbox.work(), Trust::None))?;
        let time = watch.elapsed();
        let title = &results.title;
        println!(
            "{title}: {time:.1?} from `hooks init` in an empty home to the end of a session with a denial"
        );
        is_denied &= !sandbox.has("after-reset") && requests.len() > 1;
        is_in_time |= time < FIRST_DENIAL;
        if is_in_time {
            break;
        }
    }
    results.claim(Claim::FirstDenial, is_denied && is_in_time);
    Ok(())
}

/// Starts the client in a folder below the rules.
fn subfolder(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), NO_TOUCH)?;
    init_in(&sandbox.work(), client.client.name(), &sandbox, hooks, &[])?;
    let below = sandbox.work().join("open");
    let calls = ["touch denied", "echo text > allowed"];
    let (run, requests) =
        session(client, program, &sandbox, &calls, &Start::new(below.clone(), Trust::Given))?;
    let is_so = !below.join("denied").exists() && below.join("allowed").exists();
    results.claim(Claim::Subfolder, is_so);
    shown(client, &run, &requests, results);
    Ok(())
}

/// Starts the client in a second worktree, which has none of the uncommitted settings and rules of the first.
fn worktree(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::None)?;
    sandbox.git(&sandbox.work(), &["commit", "--quiet", "--allow-empty", "--message", "first"])?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), "version: 1\n")?;
    init_in(&sandbox.work(), client.client.name(), &sandbox, hooks, PROJECT)?;
    init_in(sandbox.beside(), client.client.name(), &sandbox, hooks, &[])?;
    sandbox.git(&sandbox.work(), &["worktree", "add", "--quiet", "../second"])?;
    let second = sandbox.beside().join("second");
    let calls = [RESET, "echo text > allowed"];
    let (run, requests) =
        session(client, program, &sandbox, &calls, &Start::new(second.clone(), Trust::None))?;
    let is_so = !second.join("after-reset").exists() && second.join("allowed").exists();
    results.claim(Claim::Worktree, is_so);
    shown(client, &run, &requests, results);
    Ok(())
}

/// Clones a project with portable lines, and starts the client there with `hooks` in `PATH`, and without.
fn clone(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    for has_hooks in [true, false] {
        let sandbox = Sandbox::new(client, Trust::Given)?;
        let origin = sandbox.beside().join("origin");
        std::fs::create_dir_all(&origin)?;
        sandbox.git(&origin, &["init", "--quiet"])?;
        sandbox.put(&origin.join("hooks.yaml"), NO_TOUCH)?;
        let options = [PROJECT, &["--portable"]].concat();
        init_in(&origin, client.client.name(), &sandbox, hooks, &options)?;
        sandbox.git(&origin, &["add", "--all", "--force"])?;
        sandbox.git(&origin, &["commit", "--quiet", "--message", "rules"])?;
        std::fs::remove_dir_all(sandbox.work())?;
        sandbox.git(sandbox.beside(), &["clone", "--quiet", "origin", "work"])?;
        let path = path_with(&sandbox, has_hooks.then_some(hooks))?;
        let calls = ["touch denied", "echo text > allowed"];
        let start = Start { variables: &path, ..Start::new(sandbox.work(), Trust::Given) };
        let (run, requests) = session(client, program, &sandbox, &calls, &start)?;
        let (denied, allowed) = (!sandbox.has("denied"), sandbox.has("allowed"));
        match has_hooks {
            true => results.claim(Claim::Clone, denied && allowed),
            false => results.claim(Claim::CloneWithout, denied && !allowed),
        }
        shown(client, &run, &requests, results);
    }
    Ok(())
}

/// Wires the client in both scopes, and other clients whose settings it reads.
fn several_files(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), TWO_CALLS)?;
    let own = client.client.name();
    let others: &[&str] = if client.client == Client::Copilot { &["claude", "vscode"] } else { &[] };
    init_in(&sandbox.work(), own, &sandbox, hooks, &[])?;
    for client in [own].iter().chain(others) {
        init_in(&sandbox.work(), client, &sandbox, hooks, PROJECT)?;
    }
    // The same command is another call.
    let calls = ["echo x >> ran", "echo x >> ran", "echo x >> ran"];
    let (run, requests) =
        session(client, program, &sandbox, &calls, &Start::new(sandbox.work(), Trust::Given))?;
    results.claim(Claim::SeveralFiles, sandbox.text("ran").lines().count() == 2);
    shown(client, &run, &requests, results);
    Ok(())
}

/// The start of a client.
pub(super) struct Start<'a> {
    pub(super) folder: PathBuf,
    pub(super) trust: Trust,
    /// Arguments after those of every run.
    pub(super) arguments: &'a [&'a str],
    /// Variables after those of every run.
    pub(super) variables: &'a [(&'static str, String)],
}

impl Start<'_> {
    /// A start in a folder, as in every run.
    pub(super) const fn new(folder: PathBuf, trust: Trust) -> Self {
        Self { folder, trust, arguments: &[], variables: &[] }
    }
}

/// `PATH` of this machine, with `hooks` before it, or without one.
pub(super) fn path_with(sandbox: &Sandbox, hooks: Option<&Path>) -> Result<[(&'static str, String); 1]> {
    let bin = sandbox.beside().join("path");
    std::fs::create_dir_all(&bin)?;
    if let Some(hooks) = hooks {
        std::fs::copy(hooks, bin.join("hooks"))?;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A `hooks` that is installed on this machine would be found.
    let others = std::env::split_paths(&path).filter(|folder| !folder.join("hooks").exists());
    let path = std::env::join_paths(std::iter::once(bin).chain(others)).unwrap_or_default();
    Ok([("PATH", path.to_string_lossy().into_owned())])
}

/// Runs a session with shell commands; returns it with the requests to its model.
pub(super) fn session(
    client: &Runnable,
    program: &Path,
    sandbox: &Sandbox,
    calls: &[&str],
    start: &Start<'_>,
) -> Result<(Run, Vec<Value>)> {
    let count = calls.len();
    let calls = calls.iter().map(|command| Call::Shell((*command).to_owned())).collect();
    let server = Server::start(client.speech, Script { calls, ..Script::default() }, &start.folder)?;
    let url = server.url();
    let mut variables = client.variables(&url, start.trust);
    variables.extend(start.variables.iter().cloned());
    let mut arguments = client.arguments(&url, start.trust);
    arguments.extend(start.arguments.iter().map(|argument| (*argument).to_owned()));
    let run = sandbox.run_in(&start.folder, program, &arguments, &variables, PATIENCE)?;
    let requests = server.recorded();
    // Where everything is denied, the prompt is too, and the client prints that.
    let is_silent = client.client == Client::Qwen && requests.is_empty();
    let is_denied = is_silent || DENIED_PROMPT.iter().any(|text| prints(&run, text));
    if requests.len() <= count && !is_denied {
        return Err(failed(client, "not every command was tried", &run, &requests));
    }
    Ok((run, requests))
}
