//! Writes the state of all chains of one or more logs into one note.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hooks::PrivateFileSystem;
use hooks::audit::checkpoint::{CheckpointWriter, Checkpoints, Fleet, Head, PutBack, Signer, heads};
use hooks::audit::verify::{self, Condition, Finding};
use hooks::config::signer;

use super::against::logs;
use super::cli::LogChoice;
use super::verify::{status, tell};
use crate::failure::{Failure, Status};
use crate::output;

/// The logs of a checkpoint, and its destination.
#[derive(Args, Debug)]
pub(crate) struct Checkpoint {
    /// The folder in which checkpoints are kept
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// The key file of keygen; without it, the note is not signed
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// The logs: folders, each with its name in the checkpoint, unless that is the folder's own name
    #[arg(value_name = "[NAME=]FOLDER")]
    logs: Vec<String>,
}

/// Adds a note about all chains to the folder, and prints it. Refuses a log that is damaged, or that does not
/// match the last note.
pub(super) fn checkpoint(place: &LogChoice, options: &Checkpoint) -> Result<Status, Failure> {
    let logs = logs(place, &options.logs)?;
    if !options.to.is_dir() {
        let to = options.to.display();
        return Err(Failure::message(format!(
            "`{to}` is not a folder; make it, or name another one with `--to`"
        )));
    }
    let disk = PrivateFileSystem;
    let mut all = Vec::new();
    for log in &logs {
        let failure = |error: io::Error| Failure::message(format!("`{}`: {error}", log.folder.display()));
        if !log.folder.is_dir() {
            return Err(Failure::message(format!(
                "`{}` is not a folder; name that of a log",
                log.folder.display()
            )));
        }
        let report = verify::verify(&disk, &log.folder, &[]).map_err(failure)?;
        if report.condition() >= Condition::Damaged {
            tell(report.chains.iter().flat_map(|chain| &chain.findings))?;
            return Err(Failure::Shown(status(report.condition())));
        }
        all.extend(heads(&disk, &log.called(), &log.folder).map_err(failure)?);
    }
    let fleet = Fleet::new(all).ok_or_else(|| {
        Failure::message(
            "the name of a log has no spaces and no `+`; name it, as `example.com/build7=FOLDER`",
        )
    })?;
    if fleet.heads().is_empty() {
        return Err(Failure::message("there is no chain to write down"));
    }
    let signer = options.key.as_deref().map_or(Ok(Signer::Nobody), signer)?;
    let checkpoints = Checkpoints { folder: options.to.clone(), signer };
    let mut writer = CheckpointWriter::open(Arc::new(disk), checkpoints)
        .map_err(|error| Failure::message(error.to_string()))?;
    let was = |old: &Head| match logs.iter().find(|log| log.called() == old.log) {
        Some(log) => verify::root_of(&disk, &log.folder, &old.chain, old.size),
        None => Ok(None),
    };
    let note = match writer.write_fleet(&fleet, was) {
        Err(error) if PutBack::downcast(&error).is_some() => {
            let (condition, file) = (Condition::Mismatched, options.to.display().to_string());
            tell([Finding { condition, file, offset: 0, what: error.to_string() }].iter())?;
            return Err(Failure::Shown(status(condition)));
        }
        written => written?,
    };
    write!(output::out(), "{note}")?;
    Ok(Status::Well)
}
