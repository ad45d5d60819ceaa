//! Plain English, as far as a program can check it: openings, words, sentence length, the form of `# Errors`.
//! Comments, pages and the string literals of messages are read.
//!
//! The rules are in `CONTRIBUTING.md`.

mod literals;
mod rules;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};

use self::rules::Rule;
use self::text::Passage;
use crate::error::{Error, Result};
use crate::workspace;

/// Data that is read by programs, or was written by others.
const DATA: &[&str] = &["proofs/conformance", "proofs/corpora", "benches/peers"];

/// A passage that breaks a rule.
struct Finding {
    rule: Rule,
    path: PathBuf,
    line: usize,
    excerpt: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path.display(), self.line, self.rule, self.excerpt)
    }
}

/// Lines for all findings.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    Ok(find(files)?.iter().map(ToString::to_string).collect())
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
    for finding in &found {
        println!("{finding}");
    }
    println!("{} findings", found.len());
    Ok(())
}

/// The passages of a file, by its type; none if it has no prose.
fn passages(path: &Path) -> Result<Vec<Passage>> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => {
            let text = workspace::read(path)?;
            let mut passages = text::of_rust(&text);
            if !is_test(path) {
                passages.extend(literals::messages(&text));
            }
            Ok(passages)
        }
        Some("md") => Ok(text::of_markdown(&workspace::read(path)?)),
        _ => Ok(Vec::new()),
    }
}

/// Returns whether a file has tests alone, whose texts no user reads.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

fn find(files: &[PathBuf]) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for path in files.iter().filter(|path| DATA.iter().all(|data| !path.starts_with(data))) {
        for passage in passages(path)? {
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
