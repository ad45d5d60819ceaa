//! `cargo xtask dist`: builds the program as it is installed.
//!
//! A client starts the program for every tool call of every agent. It is linked statically and for a fixed
//! address, so that no library is looked up and no code is relocated at its start.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace;

/// Largest size of the program, in bytes.
const LARGEST: u64 = 15 << 20;

/// Builds the program and prints its path.
///
/// # Errors
/// Returns an error if the program cannot be built, or is too large.
pub(crate) fn run() -> Result {
    let built = build()?;
    let size = fs::metadata(&built).map_err(|cause| Error::doing(built.display(), cause))?.len();
    #[expect(clippy::cast_precision_loss, reason = "a size for a report")]
    let megabytes = size as f64 / f64::from(1 << 20);
    println!("{} ({megabytes:.1} MiB)", built.display());
    if size > LARGEST {
        return Err(Error::new(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(())
}

/// Builds the program and returns its path.
///
/// # Errors
/// Returns an error if the program cannot be built.
pub(crate) fn build() -> Result<PathBuf> {
    let mut arguments = vec!["rustc", "--release", "--package", "tower-hooks-cli", "--bin", "hooks", "--"];
    if cfg!(target_os = "linux") {
        arguments.extend(["-C", "target-feature=+crt-static", "-C", "relocation-model=static"]);
    }
    Program::cargo(arguments).run()?;
    let target = workspace::target();
    let name = format!("hooks{}", env::consts::EXE_SUFFIX);
    install(&target.join("release").join(&name), &target.join("dist").join(name))
}

/// Copies the program to its final place, as an installation does.
///
/// The copy matters for measurements. Linux keeps a file that was written in one go in larger pieces than one
/// that a linker wrote, and programs start a quarter faster from those.
fn install(linked: &Path, installed: &Path) -> Result<PathBuf> {
    let copy = || -> io::Result<()> {
        if let Some(folder) = installed.parent() {
            fs::create_dir_all(folder)?;
        }
        // Under another name first, because a running program cannot be overwritten.
        let written = installed.with_extension("new");
        fs::copy(linked, &written)?;
        fs::rename(&written, installed)
    };
    copy().map_err(|cause| Error::doing(installed.display(), cause))?;
    Ok(installed.to_path_buf())
}
