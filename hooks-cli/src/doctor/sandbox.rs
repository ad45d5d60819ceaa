//! Tries the sandbox: writes outside, reads a secret, connects, touches the rules, and reports what held.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::Path;

use hooks::sandbox::kernel::{NotRun, Sandbox};
use hooks::sandbox::{
    EgressConfig, Enforced, Held, Pattern, Places, Plan, Profile, Rules, SandboxConfig, Unavailable,
};

use super::Finding;

/// Attempts, each of which prints a word if it succeeds.
const ATTEMPTS: &str = r#"
cat ../.ssh/id_ed25519 >/dev/null 2>&1 && echo READ
(echo x > ../outside) 2>/dev/null && echo WRITE
(echo x >> hooks.yaml) 2>/dev/null && echo RULES
mv hooks.yaml moved 2>/dev/null && echo RULES
(echo x > inside) 2>/dev/null && echo INSIDE
"#;

/// Words of the report, and the meaning of each.
const WORDS: [(&str, &str); 3] = [
    ("READ", "a secret was read"),
    ("WRITE", "a file outside was written"),
    ("RULES", "the rules were changed"),
];

/// The findings about the sandbox on this machine.
pub(super) fn check() -> Vec<Finding> {
    match attempt() {
        Ok(findings) => findings,
        Err(why) => vec![Finding::doubtful(format!("the sandbox could not be tried: {why}"), REMEDY)],
    }
}

const REMEDY: &str = "`hooks exec` refuses to run a command here unless `sandbox.unavailable` allows it";

fn attempt() -> Result<Vec<Finding>, String> {
    let failed = |error: io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(failed)?;
    let home = folder.path().canonicalize().map_err(failed)?;
    let workspace = home.join("project");
    fs::create_dir_all(home.join(".ssh")).and_then(|()| fs::create_dir(&workspace)).map_err(failed)?;
    let (secret, rules) = (home.join(".ssh/id_ed25519"), workspace.join("hooks.yaml"));
    fs::write(secret, "no real key\n").and_then(|()| fs::write(&rules, "version: 1\n")).map_err(failed)?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let (script, shell) = match Path::new("/bin/bash").exists() {
        true => (format!("{ATTEMPTS}\n(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null\ntrue"), "/bin/bash"),
        false => (format!("{ATTEMPTS}\ntrue"), "/bin/sh"),
    };
    let own = vec!["hooks.yaml".to_owned()];
    let places = Places { workspace: workspace.clone(), home: Some(home.clone()), ..Places::default() };
    let config = SandboxConfig {
        unavailable: Unavailable::GuardsOnly,
        egress: EgressConfig::None,
        ..SandboxConfig::default()
    };
    let read_deny = vec![Pattern::new("~/.ssh/**", "a secret")];
    let profile = Profile::new(&places, Rules { own, read_deny, ..Rules::default() }, &config);
    let plan = Plan::new(&profile, &workspace).map_err(|error| error.to_string())?;
    let command = [shell, "-c", &script].map(Into::into);
    let done = Sandbox::new(command).capturing().run(&plan).map_err(|error: NotRun| error.to_string())?;
    let output = String::from_utf8_lossy(&done.output).into_owned();
    let mut findings = mechanisms(&done.enforced);
    let mut held = true;
    for (word, what) in WORDS {
        if output.lines().any(|line| line == word) {
            held = false;
            findings.push(Finding::doubtful(what, REMEDY));
        }
    }
    if listener.accept().is_ok() {
        held = false;
        findings.push(Finding::doubtful("a connection was made", REMEDY));
    }
    if !output.lines().any(|line| line == "INSIDE") {
        findings.push(Finding::doubtful("a file in the workspace could not be written", REMEDY));
    } else if held {
        let connects = if shell == "/bin/bash" { ", connecting" } else { "" };
        findings.push(Finding::good(format!(
            "tried and refused: writing outside, reading a secret, changing the rules{connects}"
        )));
    }
    Ok(findings)
}

fn mechanisms(enforced: &Enforced) -> Vec<Finding> {
    let (full, others): (Vec<_>, Vec<_>) = enforced.mechanisms.iter().partition(|one| one.held.is_full());
    let names: Vec<_> = full.iter().map(|one| one.name.as_str()).collect();
    let mut findings = Vec::new();
    if !names.is_empty() {
        findings.push(Finding::good(format!("held: {}", names.join(", "))));
    }
    findings.extend(others.iter().filter_map(|one| match &one.held {
        Held::Partly(why) => Some(Finding::doubtful(format!("{} holds in part: {why}", one.name), REMEDY)),
        Held::Refused(why) => Some(Finding::doubtful(format!("{} was refused: {why}", one.name), REMEDY)),
        Held::Fully => None,
    }));
    findings
}
