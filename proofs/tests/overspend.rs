//! Budgets are never overspent: tests with real processes, killed at random, on each engine. The full size is
//! a command (`cargo xtask overspend`).
// Marks the helpers as tests, which the lints exempt.
#![cfg(test)]

use std::process::Command;

#[expect(clippy::disallowed_methods, reason = "the test is of real processes")]
fn overspend(engine: &str, operations: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofs"));
    let output = command.args(["overspend", engine, "--operations", operations]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("reserve, then settle overspent 0"), "{printed}");
}

#[test]
fn memory_is_never_overspent() {
    overspend("memory", "200000");
}

#[test]
fn a_file_that_processes_share_is_never_overspent() {
    overspend("embedded", "20000");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "whether there is a server is asked by starting one")]
fn a_server_that_is_killed_and_cut_off_is_never_overspent() {
    let server = Command::new("redis-server").arg("--version").output();
    if server.is_err() {
        println!("SKIPPED: no redis-server here; install Debian's package");
        return;
    }
    overspend("redis", "20000");
}
