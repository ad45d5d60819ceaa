//! Installs a client from npm into `target/e2e`, once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clients::Runnable;
use super::sandbox;
use crate::error::{Error, Result};

/// Time limit of npm for one client.
const PATIENCE: Duration = Duration::from_secs(180);

/// The folder for all files of these runs.
pub(super) fn folder() -> Result<PathBuf> {
    // This program is `target/debug/proofs`, wherever `target` is.
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(2).ok_or_else(|| Error::new("this program is in no target folder"))?;
    Ok(target.join("e2e"))
}

/// Installs a client if necessary, and returns its program.
pub(super) fn install(client: &Runnable) -> Result<PathBuf> {
    let folder = folder()?.join("clients").join(format!("{}-{}", client.client.name(), client.version));
    let program = folder.join("node_modules/.bin").join(client.program);
    // Written last, so that an interrupted installation is repeated.
    let whole = folder.join("installed");
    if whole.exists() {
        return Ok(program);
    }
    std::fs::create_dir_all(&folder)?;
    let package = format!("{}@{}", client.package, client.version);
    let prefix = text(&folder)?;
    let arguments = ["install", "--no-audit", "--no-fund", "--prefix", prefix, &package];
    let run = sandbox::with_our_environment("npm", &arguments, PATIENCE)?;
    if !run.succeeded || !program.exists() {
        return Err(Error::new(format!("`npm install {package}` failed:\n{}{}", run.stdout, run.stderr)));
    }
    std::fs::write(whole, client.version)?;
    Ok(program)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(format!("`{}` is not a string", path.display())))
}
