//! Proofs about the packages in `hooks-cli/plugins`: another way to install the hooks, without settings of `hooks init`.

use std::path::Path;

use hooks_protocols::Client;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::places::{NO_TOUCH, Start, path_with, session};
use super::proof::{PATIENCE, Results, failed, shown};
use super::sandbox::Sandbox;
use crate::error::Result;
use crate::workspace;

/// Settings in which Claude Code reads whether a plugin is enabled.
const SETTINGS: &str = ".claude/settings.local.json";

/// Runs the proofs for a client.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let package = workspace::root().join("hooks-cli/plugins").join(client.client.name());
    if !package.is_dir() {
        return Ok(());
    }
    for has_hooks in [true, false] {
        let sandbox = Sandbox::new(client, Trust::Given)?;
        sandbox.put(&sandbox.work().join("hooks.yaml"), NO_TOUCH)?;
        sandbox.put(&sandbox.work().join(SETTINGS), "{}")?;
        let path = path_with(&sandbox, has_hooks.then_some(hooks))?;
        let package = package.to_string_lossy();
        let with = match client.client {
            Client::Claude => vec!["--plugin-dir", &package],
            _ => {
                install(client, program, &sandbox, &package)?;
                vec![]
            }
        };
        let start = Start { arguments: &with, variables: &path, ..Start::new(sandbox.work(), Trust::Given) };
        let disable = format!("echo '{{\"enabledPlugins\": {{\"tower-hooks\": false}}}}' > {SETTINGS}");
        let calls = ["touch denied", "echo text > allowed", &disable];
        let (run, requests) = session(client, program, &sandbox, &calls, &start)?;
        let (denied, allowed) = (!sandbox.has("denied"), sandbox.has("allowed"));
        if has_hooks {
            results.claim(Claim::Package, denied && allowed);
            if client.client == Client::Claude {
                results.claim(Claim::PackageKept, sandbox.text(SETTINGS) == "{}");
            }
        } else {
            results.claim(Claim::PackageWithout, denied && !allowed);
        }
        shown(client, &run, &requests, results);
    }
    Ok(())
}

/// Installs the package in the home of the user.
fn install(client: &Runnable, program: &Path, sandbox: &Sandbox, package: &str) -> Result {
    let arguments = ["extensions", "install", package, "--consent"].map(str::to_owned);
    let variables = client.variables("http://127.0.0.1:9", Trust::Given);
    let run = sandbox.run(program, &arguments, &variables, PATIENCE)?;
    if run.succeeded { Ok(()) } else { Err(failed(client, "the package cannot be installed", &run, &[])) }
}
