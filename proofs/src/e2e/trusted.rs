//! The proof of `hooks init codex --trust`: Codex CLI skips untrusted hooks, and runs those that a person
//! let it trust.

use std::path::Path;

use hooks_protocols::Client;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{Outcome, PATIENCE, RESET, Results, failed, init, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use super::terminal::Person;
use crate::error::Result;

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    if client.client != Client::Codex {
        results.claims.push((Claim::Trusted, Outcome::Untried));
        return Ok(());
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    init(client, &sandbox, hooks, &[])?;
    let (run, server) = session(client, program, &sandbox)?;
    if !sandbox.has("after-reset") {
        return Err(failed(client, "it runs untrusted hooks", &run, &server.recorded()));
    }
    std::fs::remove_file(sandbox.work().join("after-reset"))?;
    let person = Person::new(&sandbox, hooks).finding(program.parent().unwrap_or(program));
    let answer = person.calls(&["init", "codex", "--trust"])?;
    let (run, server) = session(client, program, &sandbox)?;
    let is_so = answer.contains("Codex CLI trusts these hooks") && !sandbox.has("after-reset");
    results.claim(Claim::Trusted, is_so && sandbox.has("allowed"));
    if !is_so {
        eprintln!("the person saw: {answer}");
    }
    shown(client, &run, &server.recorded(), results);
    Ok(())
}

fn session(client: &Runnable, program: &Path, sandbox: &Sandbox) -> Result<(Run, Server)> {
    let calls = [RESET, "echo text > allowed"].map(|command| Call::Shell(command.to_owned())).to_vec();
    let server = Server::start(client.speech, Script { calls, ..Script::default() }, &sandbox.work())?;
    let url = server.url();
    let arguments = client.arguments_without_bypass(&url, Trust::Given);
    let run = sandbox.run(program, &arguments, &client.variables(&url, Trust::Given), PATIENCE)?;
    Ok((run, server))
}
