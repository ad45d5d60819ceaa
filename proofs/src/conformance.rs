//! `cargo xtask conformance`: checks the recorded vectors and corpora of `proofs/` against minimum scores,
//! which may only rise.

use crate::error::{Error, Result};
use crate::process::{Program, is_installed};
use crate::workspace;

/// Required results of `compare.py`: folder of the vectors, suite, profile, per cent.
const VECTORS: &[(&str, &str, &str, &str)] = &[
    ("squad", "squad", "compat", "100"),
    ("squad", "squad", "strict", "100"),
    ("docker-agent", "docker-agent", "2026-09", "100"),
    ("docker-agent", "docker-agent", "2026-07", "100"),
    ("docker-agent-own", "docker-agent", "2026-09", "100"),
    ("docker-agent-own", "docker-agent", "2026-07", "100"),
    ("claude-forge", "claude-forge", "compat", "100"),
    ("claude-forge", "claude-forge", "strict", "100"),
    ("claude-forge-own", "claude-forge", "compat", "100"),
    ("claude-forge-own", "claude-forge", "strict", "100"),
];

/// Required results of `score.py`: kinds, and the options that make its exit status a gate.
const CORPORA: &[(&str, &[&str])] = &[
    ("shell", &["--min-block", "1", "--max-fp", "0"]),
    ("write", &["--min-block", "1", "--max-fp", "0"]),
    ("shell_write", &["--min-block", "0.88", "--max-fp", "0"]),
    ("scrub", &["--min-recall", "1", "--max-fp", "0"]),
    ("directive", &["--min-recall", "1", "--max-fp", "0"]),
    ("decision", &["--min-block", "1", "--max-fp", "0"]),
];

/// Required results for the corpora in `fresh`, which were written by an author who had not seen the rules.
const FRESH: &[(&str, &[&str])] = &[
    ("decision", &["--min-block", "0.99", "--max-fp", "0.002"]),
    ("directive", &["--min-recall", "0.92", "--max-fp", "0.02"]),
];

/// Required results of decisions by the rule blocks that are proposed for their prose.
const BLOCKS: &[(&str, &[&str])] = &[
    ("corpora", &["--min-block", "1", "--max-fp", "0"]),
    ("corpora/fresh", &["--min-block", "0.98", "--max-fp", "0.008"]),
];

/// Required results for folders of `fresh` with one question each. `ordinary` has commands of a day under the first rules that
/// `hooks init` writes.
const FRESH_FOLDERS: &[(&str, &str, &[&str])] = &[
    ("corpora/fresh/secrets", "shell", &["--min-block", "0.98", "--max-fp", "0.029"]),
    ("corpora/fresh/ordinary", "shell", &["--max-fp", "0.002"]),
    ("corpora/fresh/effects", "shell", &["--min-block", "0.98", "--max-fp", "0.003", "--min-class", "0.88"]),
    ("corpora/fresh/sequences", "sequence", &["--min-block", "0.97", "--max-fp", "0"]),
    ("corpora/fresh/shapes", "shell", &["--min-block", "0.98", "--max-fp", "0"]),
    ("corpora/fresh/shapes", "write", &["--min-block", "0.97", "--max-fp", "0"]),
    ("corpora/fresh/mechanisms", "shell", &["--min-block", "0.985", "--max-fp", "0.004"]),
    ("corpora/fresh/near_secrets", "shell", &["--min-block", "0.985", "--max-fp", "0.013"]),
    ("corpora/fresh/grammar", "shell", &["--min-block", "0.98", "--max-fp", "0.018"]),
    ("corpora/fresh/code", "shell", &["--min-block", "0.975", "--max-fp", "0.049"]),
    ("corpora/fresh/daily", "shell", &["--min-block", "1", "--max-fp", "0.009"]),
    ("corpora/fresh/writes_by_commands", "shell_write", &["--min-block", "0.99", "--max-fp", "0.022"]),
    ("corpora/fresh/writes_by_tools", "shell_write", &["--min-block", "0.985", "--max-fp", "0.024"]),
    ("corpora/fresh/writes_at_work", "shell_write", &["--min-block", "0.97", "--max-fp", "0.024"]),
    ("corpora/fresh/packs", "pack", &["--min-block", "1", "--max-fp", "0"]),
    ("corpora/fresh/scrub", "scrub", &["--min-recall", "0.986", "--max-fp", "0.004"]),
    ("corpora/fresh/scrub_forms", "scrub", &["--min-recall", "0.989", "--max-fp", "0"]),
    ("corpora/fresh/scrub_hidden", "scrub", &["--min-recall", "0.95"]),
    ("corpora/fresh/scrub_places", "scrub", &["--min-recall", "0.79"]),
    ("corpora/fresh/scrub_outputs", "scrub", &["--min-recall", "0.95", "--max-fp", "0.01"]),
    ("corpora/fresh/scrub_evasions", "scrub", &["--min-recall", "0.82"]),
    ("corpora/fresh/scrub_passwords", "scrub", &["--min-recall", "0.985"]),
    ("corpora/fresh/scrub_clean", "scrub", &["--max-fp", "0.002"]),
    ("corpora/fresh/scrub_disguised", "scrub", &["--min-recall", "0.985"]),
    ("corpora/fresh/scrub_files", "scrub", &["--min-recall", "0.98"]),
    ("corpora/fresh/scrub_plain", "scrub", &["--max-fp", "0.005"]),
    ("corpora/fresh/scrub_wrapped", "scrub", &["--min-recall", "0.925"]),
    ("corpora/fresh/prose", "decision", &["--min-block", "0.94", "--max-fp", "0.003"]),
    ("corpora/fresh/prose", "directive", &["--min-recall", "0.94", "--max-fp", "0.035"]),
    ("corpora/fresh/records", "directive", &["--min-recall", "0.98", "--max-fp", "0.01"]),
    ("corpora/fresh/minutes", "directive", &["--min-recall", "0.975", "--max-fp", "0.04"]),
    ("corpora/fresh/prompts", "directive", &["--min-recall", "0.99", "--max-fp", "0.01"]),
    ("corpora/fresh/prompts_plain", "directive", &["--min-recall", "0.98", "--max-fp", "0.01"]),
    ("corpora/fresh/prompts_long", "directive", &["--min-recall", "0.97", "--max-fp", "0.025"]),
];

/// Scores every suite.
///
/// # Errors
/// Returns an error if a suite is below its floor, or if a file or `python3` is missing.
pub(crate) fn run() -> Result {
    if !is_installed("python3") {
        return Err(Error::new("the scripts that score need `python3`; install it"));
    }
    let answer = this_program()?;
    for (folder, suite, profile, floor) in VECTORS {
        println!("\n{folder}, {profile}: at least {floor} %");
        let script = place("conformance/compare.py")?;
        let vectors = place(&format!("conformance/{folder}/vectors.jsonl"))?;
        let judged = [&*script, suite, &vectors, "--profile", profile, "--min", floor];
        let command = ["--", &answer, "answer", suite, "--profile", profile];
        Program::new("python3", judged.into_iter().chain(command)).run()?;
    }
    let corpora =
        CORPORA.iter().map(|row| ("corpora", row)).chain(FRESH.iter().map(|row| ("corpora/fresh", row)));
    let folders = FRESH_FOLDERS.iter().map(|(folder, kind, gates)| (*folder, (*kind, *gates)));
    let corpora = corpora.map(|(folder, row)| (folder, *row)).chain(folders);
    for (folder, (kinds, gates)) in corpora {
        println!("\n{folder}, {kinds}: {}", gates.join(" "));
        let script = place("corpora/score.py")?;
        let folder = place(folder)?;
        let command = format!("'{answer}' answer corpora");
        let judged = [&*script, "--corpus", &folder, "--kinds", kinds, "--cmd", &command];
        Program::new("python3", judged.into_iter().chain(gates.iter().copied())).run()?;
    }
    for (folder, gates) in BLOCKS {
        println!("\n{folder}, decision, by rule blocks: {}", gates.join(" "));
        let (script, folder) = (place("corpora/score.py")?, place(folder)?);
        let command = format!("'{answer}' answer corpora --profile blocks");
        let judged = [&*script, "--corpus", &folder, "--kinds", "decision", "--cmd", &command];
        Program::new("python3", judged.into_iter().chain(gates.iter().copied())).run()?;
    }
    Ok(())
}

/// The path of this program, which also answers the questions, so that it is built only once.
fn this_program() -> Result<String> {
    let path = std::env::current_exe()?;
    path.into_os_string().into_string().map_err(|_| Error::new("the path of this program is not text"))
}

/// The path of a file or folder in `proofs/`.
fn place(name: &str) -> Result<String> {
    let path = workspace::root().join("proofs").join(name);
    if !path.exists() {
        return Err(Error::new(format!("`proofs/{name}` is missing; restore it (`git checkout -- proofs`)")));
    }
    path.into_os_string().into_string().map_err(|_| Error::new("the path of the folder `proofs` is not text"))
}
