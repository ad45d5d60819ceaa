//! Proofs about a session that is interrupted (Ctrl-C) while a governed command runs: the command ends with it, no secret of it is
//! read or kept in the project, and the next session is governed.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, Results, failed, furnish, init, says, session, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use super::unwrapped::make_pipe;
use crate::error::{Error, Result};

const RULES: &str = "version: 1
sandbox: { calls: wrapped }
audit: {}
redaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }
rules: [{ name: r, commands: [touch], reason: files are made elsewhere }]
";

/// A command that ends only if it is ended. The words of the secret are put together by it.
const COMMAND: &str = "printf 'TICKET-%s\\n' 123456; cat open/pipe";

const PIPE: &str = "open/pipe";

/// Time between two looks at the pipe.
const STEP: Duration = Duration::from_millis(50);

/// Looks until a command has to have begun, or to have ended after its session.
const LOOKS: u32 = 1_200;

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let open = Sandbox::new(client, Trust::Given)?;
    let (run, requests, ends_without) = interrupted(client, program, &open)?;
    if says(&requests, "TICKET-123456") {
        return Err(failed(client, "without hooks, the command was not interrupted", &run, &requests));
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    let rules = if client.client.can_wrap() {
        RULES.to_owned()
    } else {
        RULES.replace("sandbox: { calls: wrapped }\n", "")
    };
    sandbox.put(&sandbox.work().join("hooks.yaml"), &rules)?;
    furnish(client, &sandbox)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let (run, requests, ends) = interrupted(client, program, &sandbox)?;
    // A client that leaves the command behind does so without hooks too.
    results.ability(Claim::InterruptEnds, ends_without, ends);
    results.claim(Claim::InterruptRecorded, recorded(&sandbox, hooks)?);
    let calls = ["touch denied", "echo text > allowed"].map(|command| Call::Shell(command.to_owned()));
    let script = Script { calls: calls.to_vec(), ..Script::default() };
    let (_, next) = session(client, program, &sandbox, script, Trust::Given)?;
    let is_governed =
        !sandbox.has("denied") && sandbox.has("allowed") && says(&next, "files are made elsewhere");
    results.claim(Claim::InterruptNext, is_governed);
    let is_read = says(&requests, "TICKET-123456") || says(&next, "TICKET-123456");
    results.claim(Claim::InterruptScrubbed, !is_read && !is_kept(&sandbox)?);
    shown(client, &run, &requests, results);
    Ok(())
}

/// Whether a file of the project, where the log is, or of our state has the secret.
fn is_kept(sandbox: &Sandbox) -> Result<bool> {
    let state = sandbox.home().join(".state").to_string_lossy().into_owned();
    let words = ["-r", "-l", "-D", "skip", "TICKET-123456", ".", &state].map(str::to_owned);
    let run = sandbox.run(Path::new("grep"), &words, &[], PATIENCE)?;
    if !run.stderr.is_empty() {
        return Err(Error::new(format!("the files cannot be searched: {}", run.stderr)));
    }
    Ok(!run.stdout.is_empty())
}

/// Whether the record has the call of the command.
fn recorded(sandbox: &Sandbox, hooks: &Path) -> Result<bool> {
    let words = ["audit", "export"].map(str::to_owned);
    let run = sandbox.run(hooks, &words, &[], PATIENCE)?;
    Ok(run.stdout.contains(PIPE))
}

/// A session that is interrupted while its command runs, and whether that ended the command.
fn interrupted(client: &Runnable, program: &Path, sandbox: &Sandbox) -> Result<(Run, Vec<Value>, bool)> {
    furnish(client, sandbox)?;
    let pipe = sandbox.work().join(PIPE);
    make_pipe(&pipe)?;
    let script = Script { calls: vec![Call::Shell(COMMAND.to_owned())], ..Script::default() };
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let (arguments, variables) = (client.arguments(&url, Trust::Given), client.variables(&url, Trust::Given));
    let (run, ends) =
        sandbox.interrupted(program, &arguments, &variables, || reader(&pipe), |reader| is_gone(&reader))?;
    Ok((run, server.recorded(), ends))
}

/// Waits until the command reads the pipe.
fn reader(pipe: &Path) -> Result<File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    for _ in 0..LOOKS {
        // Without a reader, the pipe cannot be opened.
        if let Ok(pipe) = OpenOptions::new().write(true).custom_flags(nonblocking).open(pipe) {
            return Ok(pipe);
        }
        pause();
    }
    Err(Error::new("the command never began".to_owned()))
}

/// Whether nothing reads the pipe any more, at the latest after a while.
fn is_gone(mut pipe: &File) -> bool {
    (0..LOOKS).any(|_| {
        let is_gone = pipe.write(b"x").is_err_and(|error| error.kind() == ErrorKind::BrokenPipe);
        if !is_gone {
            pause();
        }
        is_gone
    })
}

#[expect(clippy::disallowed_methods, reason = "another program is waited for")]
fn pause() {
    std::thread::sleep(STEP);
}
