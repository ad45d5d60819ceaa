//! Tells the program which commit it was built from, and has it linked for a fixed address.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=HOOKS_COMMIT");
    // Whoever builds from an archive says it; else the checkout does, where there is one.
    let commit = env::var("HOOKS_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo::rustc-env=HOOKS_VERSION={version}{commit}");
    link_for_a_fixed_address();
}

/// A client starts the program for every tool call. One for any address has its table of pointers, a megabyte, written anew with each
/// start: two page faults in five. (`cargo xtask dist` links statically as well.)
fn link_for_a_fixed_address() {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|set| set == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

#[expect(clippy::disallowed_methods, reason = "a build script has nobody else to ask")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
