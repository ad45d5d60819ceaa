//! `cargo xtask tidy`: rules that no compiler checks. All findings are reported at once.

mod architecture;
mod dependencies;
mod examples;
mod manifests;
mod map;
mod prose;
mod resolved;
mod sources;
mod tables;
mod words;

use crate::error::{Error, Result};
use crate::workspace;

/// Runs a command: all checks, or the findings of prose below a folder.
///
/// # Errors
/// Returns an error if a check finds something, or if an option is unknown.
pub(crate) fn command(arguments: &[&str]) -> Result {
    match arguments {
        [] => run(),
        ["prose"] => prose::print(&workspace::files()?, ""),
        ["prose", folder] => prose::print(&workspace::files()?, folder),
        other => Err(Error::new(format!("unknown option `{}`; expected `prose [FOLDER]`", other.join(" ")))),
    }
}

/// Runs all checks.
///
/// # Errors
/// Returns an error if a check has findings, each of which is a line of the report.
pub(crate) fn run() -> Result {
    let mut found = Vec::new();
    let files = workspace::files()?;
    for path in &files {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => found.extend(sources::check(path, &workspace::read(path)?)),
            Some("toml") if path.ends_with("Cargo.toml") => {
                found.extend(manifests::check(path, &workspace::read(path)?));
            }
            _ => {}
        }
    }
    found.extend(prose::check(&files)?);
    found.extend(words::check(&files)?);
    found.extend(map::check(&files)?);
    found.extend(tables::check(&files)?);
    found.extend(examples::check(&files)?);
    found.extend(architecture::check()?);
    found.extend(dependencies::check()?);
    found.extend(resolved::check()?);
    if found.is_empty() {
        println!("{} files are tidy", files.len());
        return Ok(());
    }
    for line in &found {
        println!("{line}");
    }
    Err(Error::new(format!("{} findings", found.len())))
}
