//! Plain English, as far as a program can check it: openings, words, sentence length, the form of `# Errors`.
//!
//! The rules are in `CONTRIBUTING.md`. Findings are counted for each folder in [`BASELINE`], and the counts may only fall.

mod baseline;
mod rules;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::baseline::Counts;
use self::rules::Rule;
use self::text::Passage;
use crate::error::{Error, Result};
use crate::workspace;

/// The checked-in counts.
const BASELINE: &str = "xtask/prose.tsv";

/// Data that is read by programs, or was written by others.
const DATA: &[&str] = &["proofs/conformance", "proofs/corpora", "benches/peers"];

/// A passage that breaks a rule.
struct Finding {
    rule: Rule,
    path: PathBuf,
    line: usize,
    excerpt: String,
}

/// Folders with more findings than their baseline.
///
/// # Errors
/// Returns an error if a file or the baseline cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    let known = baseline::read(&workspace::read(BASELINE)?)?;
    let now = count(&find(files)?);
    let more = now.iter().filter(|(key, count)| **count > known.get(*key).copied().unwrap_or(0));
    Ok(more
        .map(|((folder, rule), count)| {
            let known = known.get(&(folder.clone(), *rule)).copied().unwrap_or(0);
            format!("{folder}: {count} findings of `{rule}`, {known} before; see `cargo xtask tidy prose {folder}`")
        })
        .collect())
}

/// Writes the baseline.
///
/// # Errors
/// Returns an error if a file cannot be read, or the baseline cannot be written.
pub(super) fn bless(files: &[PathBuf]) -> Result {
    workspace::write(BASELINE, &baseline::write(&count(&find(files)?)))
}

/// Prints every finding below `folder`, then their number.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(super) fn print(files: &[PathBuf], folder: &str) -> Result {
    let below: Vec<PathBuf> = files.iter().filter(|path| path.starts_with(folder)).cloned().collect();
    if below.is_empty() {
        return Err(Error::new(format!("no file of the repository is below `{folder}`")));
    }
    let found = find(&below)?;
    for Finding { rule, path, line, excerpt } in &found {
        println!("{}:{line}: {rule}: {excerpt}", path.display());
    }
    println!("{} findings", found.len());
    Ok(())
}

fn find(files: &[PathBuf]) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for path in files.iter().filter(|path| DATA.iter().all(|data| !path.starts_with(data))) {
        let passages: fn(&str) -> Vec<Passage> =
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => text::of_rust,
                Some("md") => text::of_markdown,
                _ => continue,
            };
        for passage in passages(&workspace::read(path)?) {
            found.extend(rules::check(&passage).into_iter().map(|(rule, excerpt)| Finding {
                rule,
                path: path.clone(),
                line: passage.line,
                excerpt,
            }));
        }
    }
    Ok(found)
}

fn count(found: &[Finding]) -> Counts {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts.entry((folder_of(&finding.path), finding.rule)).or_insert(0) += 1;
    }
    counts
}

/// The first folder of a path, or `.` for a file of the root.
fn folder_of(path: &Path) -> String {
    let mut parts = path.components();
    match (parts.next(), parts.next()) {
        (Some(folder), Some(_)) => folder.as_os_str().to_string_lossy().into_owned(),
        _ => ".".to_owned(),
    }
}
