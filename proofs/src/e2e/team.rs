//! The proof of a team's own rules in Claude Code: a decision, a boundary, a ceremony, a phase and a sequence rule each deny
//! a call of one session, and the model reads which.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::team::TeamPlace;
use hooks::team_rules::HeldCeremonies;
use hooks::team_rules::ceremonies::CeremoniesConfig;
use hooks::{HookContext, StdFileSystem};
use hooks_protocols::Client;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{Outcome, PATIENCE, PROJECT, Results, failed, furnish, init, says, shown};
use super::sandbox::Sandbox;
use super::script::{Between, Call, Script};
use super::server::Server;
use crate::error::{Error, Result};

const CLAIMS: [Claim; 5] = [Claim::Decision, Claim::Boundary, Claim::Ceremony, Claim::Phase, Claim::Sequence];

/// Name of the agent that the session is started with, which has a charter.
const AGENT: &str = "general-purpose";

/// Name of the ceremony.
const REVIEW: &str = "Design Review";

const RULES: &str = "version: 1
decisions: {}
boundaries: {}
ceremonies: {}
phases: {}
sequences:
  - name: keys-stay
    taint: { from: { reads: [secrets/**] }, to: { commands: [touch] } }
    reason: no file is touched after a key was read, see rule 5150
";

/// Files of the team and of the project.
const FILES: &[(&str, &str)] = &[
    ("hooks.yaml", RULES),
    (
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-05-04: No jQuery\n**By:** Ada\n**What:** Never use jQuery.\n",
    ),
    (
        ".squad/agents/general-purpose/charter.md",
        "# General Purpose\n\n```boundaries\nwrites: [src/**]\n```\n",
    ),
    ("secrets/key", "key = 2b1e9c7d40\n"),
    ("src/readme.txt", "text\n"),
    (STATE, ENDED),
];

const STATE: &str = ".specs/demo/state.json";
const RUNNING: &str = "{\"phase\": \"phase-1\", \"status\": \"running\"}\n";
const ENDED: &str = "{\"phase\": \"phase-1\", \"status\": \"abandoned\"}\n";

/// Files that the calls make, each with what denies it.
const DENIED: [(&str, Claim, &str); 5] = [
    ("src/decided.js", Claim::Decision, "the decision \"No jQuery\" (2026-05-04, Ada) forbids"),
    ("other/by-other.txt", Claim::Boundary, "is outside of what `general-purpose` may write by the charter"),
    ("src/in-ceremony", Claim::Ceremony, "the ceremony `Design Review` is held until"),
    ("src/in-phase.txt", Claim::Phase, "phase `phase-1` of `.specs/demo` is read-only"),
    ("src/after-key", Claim::Sequence, "see rule 5150"),
];

/// Files that calls make which nothing denies.
const ALLOWED: [&str; 2] = ["src/plain.js", "src/at-the-end"];

fn calls() -> Vec<Call> {
    let shell = |command: &str| Call::Shell(command.to_owned());
    vec![
        Call::Write("src/decided.js", "import $ from \"jquery\";\n"),
        Call::Write("src/plain.js", "export const a = 1;\n"),
        Call::Write("other/by-other.txt", "text\n"),
        shell("echo text > src/in-ceremony"),
        Call::Write("src/in-phase.txt", "text\n"),
        shell("cat secrets/key"),
        shell("touch src/after-key"),
        shell("echo text > src/at-the-end"),
    ]
}

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    if client.client != Client::Claude {
        results.claims.extend(CLAIMS.map(|claim| (claim, Outcome::Untried)));
        return Ok(());
    }
    for is_governed in [false, true] {
        let sandbox = Sandbox::new(client, Trust::Given)?;
        furnish(client, &sandbox)?;
        for (path, text) in FILES {
            sandbox.put(&sandbox.work().join(path), text)?;
        }
        fs::create_dir_all(sandbox.work().join("other"))?;
        if is_governed {
            init(client, &sandbox, hooks, PROJECT)?;
        }
        let work = sandbox.work();
        let between = Between::new(move |call| meanwhile(&work, call));
        let script = Script { calls: calls(), between: Some(between), ..Script::default() };
        let server = Server::start(client.speech, script, &sandbox.work())?;
        let url = server.url();
        let mut arguments = client.arguments(&url, Trust::Given);
        drop(arguments.splice(0..0, ["--agent", AGENT].map(str::to_owned)));
        let run = sandbox.run(program, &arguments, &client.variables(&url, Trust::Given), PATIENCE)?;
        let requests = server.recorded();
        let happened = |path: &str| sandbox.has(path);
        let all = DENIED.iter().map(|(path, ..)| *path).chain(ALLOWED);
        if !is_governed {
            let missing: Vec<&str> = all.filter(|path| !happened(path)).collect();
            if !missing.is_empty() {
                return Err(failed(
                    client,
                    &format!("without hooks these are not made: {missing:?}"),
                    &run,
                    &requests,
                ));
            }
            continue;
        }
        let allowed = ALLOWED.iter().all(|path| happened(path));
        for (path, claim, reason) in DENIED {
            let (is_made, is_read) = (happened(path), says(&requests, reason));
            println!("{}: {claim}: made {is_made}, the model read why {is_read}", results.title);
            results.claim(claim, allowed && !is_made && is_read);
        }
        shown(client, &run, &requests, results);
    }
    Ok(())
}

/// Changes of the team's state by a host, before a call.
fn meanwhile(work: &Path, call: usize) {
    let done = match call {
        3 => ceremony(work, true),
        4 => ceremony(work, false).and_then(|()| state(work, RUNNING)),
        5 => state(work, ENDED),
        _ => Ok(()),
    };
    if let Err(error) = done {
        eprintln!("the state of the team could not be changed: {error}");
    }
}

fn state(work: &Path, text: &str) -> Result {
    Ok(fs::write(work.join(STATE), text)?)
}

fn ceremony(work: &Path, starts: bool) -> Result {
    let place = TeamPlace::below(Arc::new(StdFileSystem), PathBuf::from(".squad"));
    let held = HeldCeremonies::new(CeremoniesConfig::default()).with_team(place);
    let context = HookContext::new("e2e", "").in_dir(work).with_environment(hooks::system());
    let changed = match starts {
        true => held.start(&context, REVIEW, "Ada").map(|_| ()),
        false => held.end(&context, REVIEW).map(|_| ()),
    };
    changed.map_err(|error| Error::new(error.to_string()))
}
