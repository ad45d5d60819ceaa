//! `cargo xtask codegen`: writes what follows from the code, so that it cannot say something else.
//!
//! Generated files are checked in, for those who read them without building anything. `--check` fails where
//! one is not what would be written, or is left over.

mod events_page;
mod resilience_page;
mod schemas;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::workspace;

/// A file as it has to be, named relative to the root.
#[derive(Debug)]
struct Generated {
    path: PathBuf,
    text: String,
}

/// Folders in which every file is a generated one.
const WHOLLY_GENERATED: &[&str] = &[schemas::FOLDER];

/// Writes all generated files, and removes those that are left over.
///
/// # Errors
/// A file cannot be written.
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

/// Fails where a generated file is not as it would be written.
///
/// # Errors
/// One has drifted, is missing or is left over.
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

/// Files in wholly generated folders that nothing generates any more.
fn left_over(generated: &[Generated]) -> Result<Vec<PathBuf>> {
    let is_left_over = |path: &Path| {
        WHOLLY_GENERATED.iter().any(|folder| path.starts_with(folder))
            && !generated.iter().any(|file| file.path == path)
    };
    Ok(workspace::files()?.into_iter().filter(|path| is_left_over(path)).collect())
}
