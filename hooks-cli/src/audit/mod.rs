//! `hooks audit`: what is on the record, and whether it is as it was written.

mod cli;
mod filter;
mod read;
mod verify;

use std::path::PathBuf;

pub(crate) use self::cli::Audit;
use self::cli::{AuditAction, Place};
use crate::failure::{Failure, Status};
use crate::load;

/// Does what is asked of a log.
pub(crate) fn run(asked: &Audit) -> Result<Status, Failure> {
    let folder = folder(&asked.place)?;
    match &asked.action {
        AuditAction::Tail(tail) => read::tail(&folder, tail),
        AuditAction::Show { position } => read::show(&folder, position),
        AuditAction::Query(filter) => read::query(&folder, filter),
        AuditAction::Export { after } => read::export(&folder, after.as_deref()),
        AuditAction::Verify { anchors, written, json } => {
            let mut anchors = anchors.clone();
            anchors.extend(written.as_deref().map(verify::written).transpose()?.into_iter().flatten());
            verify::verify(&folder, &anchors, *json)
        }
        AuditAction::Prove { position } => verify::prove(&folder, position),
    }
}

/// The folder of the log: the one that is named, or that of a configuration.
fn folder(place: &Place) -> Result<PathBuf, Failure> {
    let folder = match (&place.folder, &place.config) {
        (Some(folder), _) => folder.clone(),
        (None, Some(config)) => load::governing(config, None)?.audit_folder().ok_or_else(|| {
            Failure::said(format!("`{}` keeps no audit log; write `audit: {{}}`", config.display()))
        })?,
        (None, None) => {
            let places = [hooks::audit::config::IN_A_TEAM, "audit-log"].map(PathBuf::from);
            places.into_iter().find(|place| place.is_dir()).ok_or_else(|| {
                Failure::said(
                    "there is no log here; name its folder with `--log`, or a configuration with `--config`",
                )
            })?
        }
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(Failure::said(format!("`{}` is no folder", folder.display())))
    }
}
