//! The proof of `hooks init CLIENT --scope machine`: the hooks govern although the user switched all hooks off. The
//! client runs in a mount namespace with an `/etc` of its own.

use std::path::Path;

use hooks_protocols::Client;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{Outcome, PATIENCE, RESET, Results, init, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use crate::error::Result;

/// Puts the files in `$2` over those of `/etc`, in a copy that ends with the command. `$1` is an empty folder.
const WITH_FILES: &str = r#"set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc
cp -R "$2/." /etc
shift 2
exec "$@"
"#;

/// The file in which a user switches all hooks off, and its text.
const fn switch(client: Client) -> Option<(&'static str, &'static str)> {
    match client {
        Client::Claude => Some((".claude/settings.json", "{\"disableAllHooks\": true}\n")),
        Client::Codex => Some((".codex/config.toml", "[features]\nhooks = false\n")),
        Client::Copilot => Some((".copilot/settings.json", "{\"disableAllHooks\": true}\n")),
        // `hooks init` refuses it.
        _ => None,
    }
}

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::None)?;
    let etc = sandbox.beside().join("root/etc");
    let switch = switch(client.client).filter(|_| can_mount(&sandbox, &etc).unwrap_or_default());
    let Some((path, text)) = switch else {
        results.claims.push((Claim::Machine, Outcome::Untried));
        return Ok(());
    };
    sandbox.put(&sandbox.home().join(path), text)?;
    let root = sandbox.beside().join("root").to_string_lossy().into_owned();
    init(client, &sandbox, hooks, &["--scope", "machine", "--root", &root])?;
    let calls = [RESET, "echo text > allowed"].map(|command| Call::Shell(command.to_owned())).to_vec();
    let server = Server::start(client.speech, Script { calls, ..Script::default() }, &sandbox.work())?;
    let url = server.url();
    let variables = client.variables(&url, Trust::None);
    let mut words = vec![program.to_string_lossy().into_owned()];
    // Hooks of the machine need no trust.
    words.extend(client.arguments_without_bypass(&url, Trust::None));
    let run = with_files(&sandbox, &etc, words, &variables)?;
    let is_so = !sandbox.has("after-reset") && sandbox.has("allowed");
    results.claim(Claim::Machine, is_so);
    shown(client, &run, &server.recorded(), results);
    Ok(())
}

/// Whether this machine lets a program have mounts of its own.
fn can_mount(sandbox: &Sandbox, etc: &Path) -> Result<bool> {
    std::fs::create_dir_all(etc)?;
    Ok(with_files(sandbox, etc, vec!["true".to_owned()], &[])?.succeeded)
}

fn with_files(
    sandbox: &Sandbox,
    etc: &Path,
    words: Vec<String>,
    variables: &[(&'static str, String)],
) -> Result<Run> {
    let empty = sandbox.beside().join("mounted");
    std::fs::create_dir_all(&empty)?;
    let before = ["--mount", "--map-root-user", "sh", "-c", WITH_FILES, "sh"].map(str::to_owned);
    let folders = [&*empty, etc].map(|path| path.to_string_lossy().into_owned());
    let arguments: Vec<String> = before.into_iter().chain(folders).chain(words).collect();
    sandbox.run(Path::new("unshare"), &arguments, variables, PATIENCE)
}
