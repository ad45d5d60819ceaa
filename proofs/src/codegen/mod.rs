//! `cargo xtask codegen`: writes files that are derived from the code, so that they always agree with it.
//!
//! Generated files are checked in, for readers who do not build the project. `--check` fails if a file is not
//! up to date, or is no longer generated.

mod events_page;
mod resilience_page;
mod schemas;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::workspace;

/// A generated file; its path is relative to the root.
#[derive(Debug)]
struct Generated {
    path: PathBuf,
    text: String,
}

/// Folders that contain only generated files.
const WHOLLY_GENERATED: &[&str] = &[schemas::FOLDER];

/// Writes all generated files, and removes those that are no longer generated.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn write() -> Result {
    let all = generate()?;
    for Generated { path, text } in &all {
        if workspace::read(path).ok().as_deref() != Some(text) {
            workspace::write(path, text)?;
            println!("wrote {}", path.display());
        }
    }
    for path in left_over(&all)? {
        std::fs::remove_file(workspace::root().join(&path))?;
        println!("removed {}", path.display());
    }
    Ok(())
}

/// Checks that all generated files are up to date.
///
/// # Errors
/// Returns an error if a file is out of date, missing, or no longer generated.
pub(crate) fn check() -> Result {
    let all = generate()?;
    let drifted = all.iter().filter(|file| workspace::read(&file.path).ok().as_ref() != Some(&file.text));
    let mut wrong: Vec<PathBuf> = drifted.map(|file| file.path.clone()).collect();
    wrong.extend(left_over(&all)?);
    if wrong.is_empty() {
        println!("{} generated files are up to date", all.len());
        return Ok(());
    }
    let wrong: Vec<_> = wrong.iter().map(|path| format!("`{}`", path.display())).collect();
    Err(Error::new(format!("{} drifted from the code; run `cargo xtask codegen`", wrong.join(", "))))
}

fn generate() -> Result<Vec<Generated>> {
    let mut all = vec![Generated { path: "docs/events.md".into(), text: events_page::text() }];
    all.push(Generated { path: resilience_page::PATH.into(), text: resilience_page::text()? });
    all.extend(schemas::all()?);
    Ok(all)
}

/// Files in wholly generated folders that are no longer generated.
fn left_over(generated: &[Generated]) -> Result<Vec<PathBuf>> {
    let is_left_over = |path: &Path| {
        WHOLLY_GENERATED.iter().any(|folder| path.starts_with(folder))
            && !generated.iter().any(|file| file.path == path)
    };
    Ok(workspace::files()?.into_iter().filter(|path| is_left_over(path)).collect())
}
