//! `cargo xtask conformance`: holds the recorded vectors and corpora against floors that only rise.
//!
//! They, and the scripts that score them, live in a folder `shared` beside the checkout. Where that is not
//! there this says so and passes: the floors are CI's, which has it.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::{Program, is_installed};
use crate::workspace;

/// What `compare.py` has to give: suite, profile, per cent.
const VECTORS: &[(&str, &str, &str)] = &[
    ("squad", "compat", "100"),
    ("squad", "strict", "100"),
    ("docker-agent", "2026-09", "100"),
    ("docker-agent", "2026-07", "100"),
];

/// What `score.py` has to give: kinds, and the options that make its exit status a gate.
const CORPORA: &[(&str, &[&str])] = &[
    ("shell", &["--min-block", "0.97", "--max-fp", "0"]),
    ("write", &["--min-block", "1", "--max-fp", "0"]),
    ("shell_write", &["--min-block", "0.88", "--max-fp", "0"]),
    ("scrub", &["--min-recall", "1", "--max-fp", "0"]),
    ("directive", &["--min-recall", "1", "--max-fp", "0"]),
];

/// Scores every suite.
///
/// # Errors
/// One is below its floor.
pub(crate) fn run() -> Result {
    let Some(shared) = shared() else {
        println!("SKIPPED: there is no folder `shared` beside the checkout, so there is nothing to score");
        return Ok(());
    };
    if !is_installed("python3") {
        return Err(Error::new("the scripts that score need `python3`; install it"));
    }
    let answer = this_program()?;
    for (suite, profile, floor) in VECTORS {
        println!("\n{suite}, {profile}: at least {floor} %");
        let script = place(&shared, "conformance/compare.py")?;
        let vectors = place(&shared, &format!("conformance/{suite}/vectors.jsonl"))?;
        let judged = [&*script, suite, &vectors, "--profile", profile, "--min", floor];
        let command = ["--", &answer, "answer", suite, "--profile", profile];
        Program::new("python3", judged.into_iter().chain(command)).run()?;
    }
    for (kinds, gates) in CORPORA {
        println!("\ncorpora, {kinds}: {}", gates.join(" "));
        let script = place(&shared, "corpora/score.py")?;
        let folder = place(&shared, "corpora")?;
        let command = format!("'{answer}' answer corpora");
        let judged = [&*script, "--corpus", &folder, "--kinds", kinds, "--cmd", &command];
        Program::new("python3", judged.into_iter().chain(gates.iter().copied())).run()?;
    }
    Ok(())
}

/// The folder, where it is.
fn shared() -> Option<PathBuf> {
    let folder = workspace::root().parent()?.join("shared");
    folder.is_dir().then_some(folder)
}

/// The path of what answers: this very program, built once.
fn this_program() -> Result<String> {
    let path = std::env::current_exe()?;
    path.into_os_string().into_string().map_err(|_| Error::new("the path of this program is not text"))
}

fn place(shared: &Path, name: &str) -> Result<String> {
    let path = shared.join(name).into_os_string().into_string();
    path.map_err(|_| Error::new("the path of the folder `shared` is not text"))
}
