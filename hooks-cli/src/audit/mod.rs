//! `hooks audit`: prints the records, and checks that they are unchanged.

mod against;
mod checkpoint;
mod cli;
pub(crate) mod feed;
mod filter;
mod follow;
mod keep;
mod keygen;
mod latest;
pub(crate) mod metrics;
pub(crate) mod plain;
mod read;
pub(crate) mod reading;
pub(crate) mod status;
pub(crate) mod sums;
pub(crate) mod top;
mod verify;
mod words;
pub(crate) mod would;

use std::path::PathBuf;

use hooks::audit::config::AuditConfig;
use hooks::config::Config;

pub(crate) use self::cli::Audit;
use self::cli::AuditAction;
pub(crate) use self::cli::LogChoice;
use crate::failure::{Failure, Status};
use crate::load;

/// Runs a command on a log.
pub(crate) fn run(options: &Audit) -> Result<Status, Failure> {
    let place = &options.place;
    match &options.action {
        AuditAction::Tail(tail) => read::tail(&folder(place)?, tail),
        AuditAction::Show { position } => read::show(&folder(place)?, position),
        AuditAction::Query(filter) => read::query(&folder(place)?, filter),
        AuditAction::Export { after } => read::export(&folder(place)?, after.as_deref()),
        AuditAction::Verify { against, json, .. } if against.checkpoints.is_some() => {
            against::verify(place, against, *json)
        }
        AuditAction::Verify { anchors, json, .. } => verify::verify(&folder(place)?, anchors, *json),
        AuditAction::Prove { position } => verify::prove(&folder(place)?, position),
        AuditAction::Keygen(keygen) => keygen::keygen(keygen),
        AuditAction::Checkpoint(checkpoint) => checkpoint::checkpoint(place, checkpoint),
        AuditAction::Feed { once } => {
            let config = config(place)?;
            feed::feed(
                config.as_ref().ok_or_else(|| {
                    Failure::message("the sinks are missing; name their configuration with `--config`")
                })?,
                *once,
            )
        }
        AuditAction::Metrics => metrics::print(&folder(place)?, config(place)?.as_ref()),
        AuditAction::Maintain(maintain) => {
            let config = config(place)?;
            let keeping = config.as_ref().and_then(Config::audit).map(AuditConfig::keeping);
            keep::maintain(&folder(place)?, keeping.unwrap_or_default(), maintain)
        }
        AuditAction::Hold { action } => keep::hold(&folder(place)?, action),
        AuditAction::Erase(erase) => keep::erase(&folder(place)?, erase),
    }
}

/// The named configuration, if any.
pub(crate) fn config(place: &LogChoice) -> Result<Option<Config>, Failure> {
    place.config.as_ref().map(|config| load::governing(config, None)).transpose()
}

/// The folder of the log: the named one, that of a configuration, or the first default folder that exists.
pub(crate) fn folder(place: &LogChoice) -> Result<PathBuf, Failure> {
    let folder = match (&place.folder, config(place)?) {
        (Some(folder), _) => folder.clone(),
        (None, Some(config)) => config.audit_folder().ok_or_else(|| {
            Failure::message(format!("`{}` keeps no audit log; write `audit: {{}}`", config.name()))
        })?,
        (None, None) => {
            let places = [hooks::audit::config::IN_A_TEAM, "audit-log"].map(PathBuf::from);
            places.into_iter().find(|place| place.is_dir()).ok_or_else(|| {
                Failure::message(
                    "there is no log here; name its folder with `--log`, or a configuration with `--config`",
                )
            })?
        }
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        let what = "is not a folder; name the one that the files of the log are in with `--log`";
        Err(Failure::message(format!("`{}` {what}", folder.display())))
    }
}
