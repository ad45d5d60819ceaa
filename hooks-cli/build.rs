//! Passes the commit of the build to the program.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=HOOKS_COMMIT");
    // A build from an archive sets the variable; otherwise the checkout has the commit, if there is one.
    let commit = env::var("HOOKS_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo::rustc-env=HOOKS_VERSION={version}{commit}");
}

#[expect(clippy::disallowed_methods, reason = "a build script gets its input in the environment")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
