//! Writes the tables of the folder `data` as Rust, and fails for each row that is wrong.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

#[path = "build/tables.rs"]
mod tables;

use tables::Table;

fn main() -> ExitCode {
    for path in ["build.rs", "build/tables.rs", "data"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let mistakes = write_all().unwrap_or_else(|error| vec![format!("data: {error}")]);
    for mistake in &mistakes {
        println!("cargo::error={mistake}");
    }
    if mistakes.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes all tables; returns the mistakes in them.
fn write_all() -> std::io::Result<Vec<String>> {
    let folder = env::var("OUT_DIR").map_err(std::io::Error::other)?;
    let mut mistakes = Vec::new();
    for entry in fs::read_dir("data")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "tsv") {
            mistakes.extend(write(&path, Path::new(&folder))?);
        }
    }
    mistakes.sort();
    Ok(mistakes)
}

/// Writes one table, with a file for each of its lists; returns the mistakes in it.
fn write(path: &Path, folder: &Path) -> std::io::Result<Vec<String>> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let table = match Table::read(&fs::read_to_string(path)?) {
        Ok(table) => table,
        Err(mistakes) => {
            let place = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join(path);
            let place = place.display();
            return Ok(mistakes.into_iter().map(|mistake| format!("{place}:{mistake}")).collect());
        }
    };
    for (list, rust) in table.rust() {
        let file = if list.is_empty() { format!("{name}.rs") } else { format!("{name}_{list}.rs") };
        fs::write(folder.join(file), rust)?;
    }
    Ok(Vec::new())
}
