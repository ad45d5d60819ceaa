//! Passes the commit of the build to the program, and links it for a fixed address.

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
    // A client starts the program for each event. Moved to a random address, it would first correct every pointer in its
    // data, which takes longer than the rest of its start (`docs/decisions/0023`).
    if is_dynamic_gnu_linux() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Whether the program is linked for the C library of GNU, and not statically.
fn is_dynamic_gnu_linux() -> bool {
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    target("OS") == "linux" && target("ENV") == "gnu" && !is_static
}

#[expect(clippy::disallowed_methods, reason = "a build script gets its input in the environment")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
