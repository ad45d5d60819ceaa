//! `cargo xtask dist`: the program as it is installed.
//!
//! A client starts it for every tool call of every agent, so there is nothing in it to look up or to move when it starts: it is
//! linked statically, for a fixed address.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace;

/// It may not be larger than this.
const LARGEST: u64 = 15 << 20;

/// Builds it and says where it is.
///
/// # Errors
/// It cannot be built, or is too large.
pub(crate) fn run() -> Result {
    let built = build()?;
    let size = fs::metadata(&built).map_err(|cause| Error::doing(built.display(), cause))?.len();
    #[expect(clippy::cast_precision_loss, reason = "a size for people")]
    let megabytes = size as f64 / f64::from(1 << 20);
    println!("{} ({megabytes:.1} MiB)", built.display());
    if size > LARGEST {
        return Err(Error::new(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(())
}

/// Builds it; where it is.
///
/// # Errors
/// It cannot be built.
pub(crate) fn build() -> Result<PathBuf> {
    let mut arguments =
        vec!["rustc", "--profile", "dist", "--package", "tower-hooks-cli", "--bin", "hooks", "--"];
    if cfg!(target_os = "linux") {
        arguments.extend(["-C", "target-feature=+crt-static", "-C", "relocation-model=static"]);
    }
    Program::cargo(arguments).run()?;
    let target = workspace::target();
    let name = format!("hooks{}", env::consts::EXE_SUFFIX);
    install(&target.join("dist").join(&name), &target.join("dist").join("bin").join(name))
}

/// Copies the program to where it is taken from, as installing does.
///
/// This matters to those who measure: Linux keeps a file that was written in one go in larger pieces than one that a linker
/// put together, and starting from those is a quarter faster.
fn install(linked: &Path, installed: &Path) -> Result<PathBuf> {
    let copy = || -> io::Result<()> {
        if let Some(folder) = installed.parent() {
            fs::create_dir_all(folder)?;
        }
        // Under another name first: a program that runs cannot be written.
        let written = installed.with_extension("new");
        fs::copy(linked, &written)?;
        fs::rename(&written, installed)
    };
    copy().map_err(|cause| Error::doing(installed.display(), cause))?;
    Ok(installed.to_path_buf())
}
