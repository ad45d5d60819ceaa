//! `hooks audit`: what is on the record, and whether it is as it was written.

mod cli;
mod feed;
mod filter;
mod follow;
mod keep;
mod read;
mod verify;

use std::path::PathBuf;

use hooks::audit::config::AuditConfig;
use hooks::config::Config;

pub(crate) use self::cli::Audit;
use self::cli::{AuditAction, Place};
use crate::failure::{Failure, Status};
use crate::load;

/// Does what is asked of a log.
pub(crate) fn run(asked: &Audit) -> Result<Status, Failure> {
    let config = asked.place.config.as_ref().map(|config| load::governing(config, None)).transpose()?;
    if let AuditAction::Feed { once } = &asked.action {
        let config = config.as_ref();
        return feed::feed(config.ok_or_else(|| Failure::said("say which with `--config`"))?, *once);
    }
    let folder = folder(&asked.place, config.as_ref())?;
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
        AuditAction::Maintain(maintain) => {
            let keeping = config.as_ref().and_then(Config::audit).map(AuditConfig::keeping);
            keep::maintain(&folder, keeping.unwrap_or_default(), maintain)
        }
        // It has no use for the folder alone.
        AuditAction::Feed { .. } => Ok(Status::Well),
        AuditAction::Hold { action } => keep::hold(&folder, action),
        AuditAction::Erase(erase) => keep::erase(&folder, erase),
        AuditAction::Prove { position } => verify::prove(&folder, position),
    }
}

/// The folder of the log: the one that is named, or that of a configuration.
fn folder(place: &Place, config: Option<&Config>) -> Result<PathBuf, Failure> {
    let folder = match (&place.folder, config) {
        (Some(folder), _) => folder.clone(),
        (None, Some(config)) => config.audit_folder().ok_or_else(|| {
            Failure::said(format!("`{}` keeps no audit log; write `audit: {{}}`", config.name()))
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
