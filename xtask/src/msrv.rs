//! `cargo xtask msrv`: checks that the oldest Rust in the manifest still builds the workspace.

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::process::{Program, is_installed};

/// Checks all crates with that toolchain, in a target folder of its own.
///
/// # Errors
/// Returns an error if the workspace does not build, or if the crates name different versions.
pub(crate) fn run() -> Result {
    let version = promised()?;
    if !is_installed("rustup") {
        println!(
            "SKIPPED: rustup is not here, so Rust {version} cannot be had; clippy still checks `incompatible_msrv`"
        );
        return Ok(());
    }
    let toolchain = format!("+{version}");
    Program::new("rustup", ["toolchain", "install", &version, "--profile", "minimal", "--no-self-update"])
        .run()?;
    Program::new(
        "cargo",
        [&*toolchain, "check", "--workspace", "--all-features", "--target-dir", "target/msrv"],
    )
    // Cargo sets these variables for its commands; they would select the current toolchain again.
    .without_variable("RUSTUP_TOOLCHAIN")
    .without_variable("CARGO")
    .without_variable("RUSTC")
    .run()
}

fn promised() -> Result<String> {
    let packages = Metadata::of_workspace()?.packages;
    let mut versions: Vec<_> = packages.into_iter().map(|package| package.rust_version).collect();
    versions.sort();
    versions.dedup();
    match versions.as_slice() {
        [Some(version)] => Ok(version.clone()),
        _ => Err(Error::new(
            "crates promise different versions of Rust; write `rust-version.workspace = true`",
        )),
    }
}
