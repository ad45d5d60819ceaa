//! Proofs about the client's own lists: what they allow, ask about and deny is the same with our hooks as without. The
//! calls are those that we let through, that our rules allow, that a handler of ours approves, and that one changes.

use std::path::Path;

use hooks_protocols::{Client, Wish};
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{Outcome, PROJECT, Results, able, failed, furnish, init, says, session, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use crate::error::Result;

/// A script that runs its words; each client allows `sh wrap`, and none looks into it.
pub(super) const WRAP: &str = "exec \"$@\"\n";

/// A command of each list, with the name that its file has. Without a user, a question is a denial.
pub(super) const LISTED: [(&str, &str); 4] = [
    ("allowed", "touch original-allowed"),
    ("denied", "mkdir original-denied"),
    ("asked", "cp wrap original-asked"),
    ("unlisted", "ln -s wrap original-unlisted"),
];

/// A denied command behind the wrapper. Without hooks it runs.
const WRAPPED: &str = "sh wrap mkdir original-wrapped";

/// A command that the handler puts behind the wrapper.
const HIDDEN: &str = "mkdir hidden";

const NO_OPINION: &str = "version: 1\nrules: [{ name: r, commands: [rmdir], reason: nothing is removed }]\n";

const ALLOW: &str = "version: 1\nrules: [{ name: r, action: allow, commands: [touch, mkdir, cp, ln], reason: ours allow it }]\n";

const REWRITE: &str = "version: 1
hooks:
  tool_input_transform:
    hooks: { name: changes, type: command, command: sh ../changes.sh }
";

/// A handler that agrees in place of the user.
const AGREE: &str = "version: 1
hooks:
  permission_request:
    hooks: { name: agrees, type: command, command: sh ../agrees.sh }
";

const AGREES: &str = r#"echo '{"hook_specific_output": {"hook_event_name": "permission_request", "permission_decision": "allow"}}'
"#;

/// The handler of [`REWRITE`]: it changes a word of a command, or puts a command behind the wrapper.
const CHANGES: &str = r#"command=$(sed -n 's/.*"cmd": *"\([^"]*\)".*/\1/p')
case $command in
    *original*) changed=$(printf %s "$command" | sed s/original/changed/) ;;
    'mkdir hidden') changed="sh wrap $command" ;;
    *) exit 0 ;;
esac
printf '{"hook_specific_output": {"hook_event_name": "tool_input_transform", "updated_input": {"cmd": "%s"}}}' "$changed"
"#;

/// A session, and the names of the listed commands that ran in it.
struct Session {
    sandbox: Sandbox,
    ran: Vec<&'static str>,
    run: Run,
    requests: Vec<Value>,
}

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let can_change = able(client, client.before_tool, Wish::Rewrite);
    let others: &[&str] = if can_change { &[WRAPPED] } else { &[] };
    let wraps = |session: &Session| !can_change || session.sandbox.has("original-wrapped");
    let without = start(client, program, None, others, "original")?;
    if without.ran != ["allowed"] || !wraps(&without) {
        let what = format!("its lists do not decide without hooks: {:?}", without.ran);
        return Err(failed(client, &what, &without.run, &without.requests));
    }
    let mut claim = |claim, is_so: &dyn Fn(&Session) -> bool, session: &Session| {
        results.claim(claim, is_so(session));
        if !is_so(session) {
            eprintln!("{claim}: {:?} ran", session.ran);
        }
        shown(client, &session.run, &session.requests, results);
    };
    let let_through = start(client, program, Some((hooks, NO_OPINION)), others, "original")?;
    claim(Claim::ListsLetThrough, &|it| it.ran == without.ran && wraps(it), &let_through);
    // What no list of its own names, our rules may allow. The others have no answer that does this and no more.
    let ours = (client.client == Client::Claude).then_some("unlisted");
    let expected: Vec<_> = without.ran.iter().copied().chain(ours).collect();
    let allowed = start(client, program, Some((hooks, ALLOW)), &[], "original")?;
    claim(Claim::ListsAllowed, &|it| it.ran == expected, &allowed);
    let agreed = start(client, program, Some((hooks, AGREE)), &[], "original")?;
    println!("{}: with a handler that agrees ran {:?}", client.client, agreed.ran);
    claim(Claim::ListsAgreed, &|it| it.ran.contains(&"allowed") && !it.ran.contains(&"denied"), &agreed);
    if !can_change {
        // A call that would be changed is denied.
        results
            .claims
            .extend([Claim::ListsChanged, Claim::ListsHidden].map(|claim| (claim, Outcome::Cannot)));
        return Ok(());
    }
    let changed = start(client, program, Some((hooks, REWRITE)), &[HIDDEN], "changed")?;
    claim(
        Claim::ListsChanged,
        &|it| {
            it.ran == without.ran
                && LISTED.iter().all(|(name, _)| !it.sandbox.has(&format!("original-{name}")))
        },
        &changed,
    );
    claim(
        Claim::ListsHidden,
        &|it| {
            !it.sandbox.has("hidden") && says(&it.requests, "run this command instead: sh wrap mkdir hidden")
        },
        &changed,
    );
    Ok(())
}

/// Runs the listed commands and `others`. `prefix` is that of the files which appear.
fn start(
    client: &Runnable,
    program: &Path,
    rules: Option<(&Path, &str)>,
    others: &[&str],
    prefix: &str,
) -> Result<Session> {
    let sandbox = Sandbox::new(client, Trust::Lists)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("wrap"), WRAP)?;
    sandbox.put(&sandbox.beside().join("changes.sh"), CHANGES)?;
    sandbox.put(&sandbox.beside().join("agrees.sh"), AGREES)?;
    if let Some((hooks, rules)) = rules {
        sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
        init(client, &sandbox, hooks, PROJECT)?;
    }
    let commands = LISTED.iter().map(|(_, command)| command).chain(others);
    let calls = commands.map(|command| Call::Shell((*command).to_owned())).collect();
    let (run, requests) =
        session(client, program, &sandbox, Script { calls, ..Script::default() }, Trust::Lists)?;
    let ran = LISTED.iter().map(|(name, _)| *name);
    // A link to nothing would not be found.
    let ran = ran.filter(|name| sandbox.has(&format!("{prefix}-{name}"))).collect();
    Ok(Session { sandbox, ran, run, requests })
}
