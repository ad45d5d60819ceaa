//! Checks logs against checkpoints from another folder.

use std::fs;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hooks::StdFileSystem;
use hooks::audit::checkpoint::{self, CheckpointReport, FirstKey, Keys, LogPlace, SigningKey, Zeroizing};
use serde_json::{Value, json};

use super::cli::LogChoice;
use super::verify::{all, status, tell, to_json};
use crate::failure::{Failure, Status};
use crate::output::{err, out};

/// Maximum length in bytes of a key file.
const MOST_BYTES: u64 = 4 << 10;

/// Beginning of a private key, complete or not.
const PRIVATE: &str = "PRIVATE+KEY+";

/// Checkpoints and keys to check logs against.
#[derive(Args, Debug)]
pub(crate) struct Against {
    /// The folder of the checkpoints
    #[arg(long, value_name = "FOLDER")]
    pub(super) checkpoints: Option<PathBuf>,
    /// Verifier whose checkpoints count: the output of keygen, or a file with that or with a first key
    #[arg(long = "key", value_name = "VERIFIER", requires = "checkpoints")]
    pub(super) keys: Vec<String>,
    /// The logs: folders, each with the name that its checkpoints use, unless that is the folder's own name
    #[arg(value_name = "[NAME=]FOLDER", requires = "checkpoints")]
    pub(super) logs: Vec<String>,
}

/// Checks the named logs, or the log of `place`.
pub(super) fn verify(place: &LogChoice, against: &Against, as_json: bool) -> Result<Status, Failure> {
    let Some(folder) = &against.checkpoints else { return Ok(Status::Usage) };
    let mut keys = Keys::default();
    for key in &against.keys {
        believe(&mut keys, key)?;
    }
    let logs = logs(place, &against.logs)?;
    if !folder.is_dir() {
        let folder = folder.display();
        let what = format!("`{folder}` is not a folder; name the one that checkpoints are kept in");
        return Err(Failure::message(what));
    }
    let outcome = checkpoint::verify(&StdFileSystem, &logs, folder, &keys)
        .map_err(|error| Failure::message(format!("`{}`, or a log: {error}", folder.display())))?;
    if as_json {
        writeln!(out(), "{}", as_value(&outcome))?;
    } else {
        print(&outcome)?;
    }
    if keys.is_empty() {
        let what = "no signature was checked; name the trusted keys with `--key`";
        writeln!(err(), "{what}")?;
    }
    Ok(status(outcome.condition()))
}

/// The logs that are named as `[NAME=]FOLDER`, or the log of `place`.
pub(super) fn logs(place: &LogChoice, named: &[String]) -> Result<Vec<LogPlace>, Failure> {
    if named.is_empty() {
        let folder = super::folder(place)?;
        return Ok(vec![LogPlace { name: None, folder: whole(&folder) }]);
    }
    let logs: Vec<_> = named
        .iter()
        .map(|log| match log.split_once('=') {
            Some((name, folder)) => LogPlace { name: Some(name.to_owned()), folder: folder.into() },
            None => LogPlace { name: None, folder: whole(Path::new(log)) },
        })
        .collect();
    let mut names: Vec<_> = logs.iter().map(LogPlace::called).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair.first() == pair.last()).and_then(|pair| pair.first()) {
        Some(twice) => {
            Err(Failure::message(format!("two logs are called `{twice}`; name them, as `NAME=FOLDER`")))
        }
        None => Ok(logs),
    }
}

/// The absolute path of a folder, so that `.` has a name.
fn whole(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// Adds a trusted key: a verifier, or the content of a file. Errors never show a key that could be secret.
fn believe(keys: &mut Keys, key: &str) -> Result<(), Failure> {
    if FirstKey::is_like(key) {
        return Err(Failure::message(
            "a first key is a secret, and others see command lines; write it into a file, and name that",
        ));
    }
    if key.trim_start().starts_with(PRIVATE) {
        return Err(Failure::message(
            "a private key is a secret, and others see command lines; name its verifier, which keygen printed, and make another key if others may have seen this one",
        ));
    }
    if keys.add(key).is_ok() {
        return Ok(());
    }
    let failure = |error: &dyn std::fmt::Display| {
        Failure::message(format!(
            "`{key}` is neither a verifier nor the file of one or of a first key: {error}"
        ))
    };
    let mut text = Zeroizing::new(String::new());
    let file = fs::File::open(key).map_err(|error| failure(&error))?;
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| failure(&error))?;
    if let Ok(private) = SigningKey::parse(&text) {
        let verifier = private.verifier();
        return Err(Failure::message(format!(
            "`{key}` is a private key, which signs, and does not belong where checkpoints are checked; name its verifier, \
             `{verifier}`"
        )));
    }
    keys.add(&text).map_err(|error| failure(&error))
}

/// Prints the result: the length of each chain, and the number of its records that checkpoints confirm.
fn print(outcome: &CheckpointReport) -> Result<(), Failure> {
    let mut out = out();
    for (name, report) in &outcome.reports {
        let log = if outcome.reports.len() > 1 { format!("{name} ") } else { String::new() };
        if report.chains.is_empty() {
            writeln!(out, "{log}no records")?;
        }
        for chain in &report.chains {
            let (agreed, seq) = (chain.agreed, chain.seq);
            writeln!(out, "{log}{} {seq} {} ({agreed} of {seq} as in checkpoints)", chain.chain, chain.root)?;
        }
    }
    let chains = outcome.reports.iter().flat_map(|(_, report)| &report.chains);
    tell(outcome.findings.iter().chain(chains.flat_map(|chain| &chain.findings)))
}

fn as_value(outcome: &CheckpointReport) -> Value {
    let logs = outcome.reports.iter().map(|(name, report)| {
        let mut value = to_json(report);
        if let Value::Object(value) = &mut value {
            value.insert("log".to_owned(), json!(name));
        }
        value
    });
    json!({
        "condition": format!("{:?}", outcome.condition()).to_lowercase(),
        "logs": logs.collect::<Vec<_>>(),
        "checkpoints": { "believed": outcome.believed, "findings": all(&outcome.findings) },
    })
}
