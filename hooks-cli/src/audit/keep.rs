//! For how long the log is kept: retention, legal holds, erasure.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use hooks::audit::append::{Appender, Settings};
use hooks::audit::keep::{Age, Hold, HoldError, Holds, Keeper, Keeping, Report, Selection};
use hooks::audit::{Kept, OpenError, Positions, Record};
use hooks::fs::LogDisk;
use hooks::time::Clock;
use hooks::{PrivateFileSystem, StdFileSystem, SystemClock};

use super::cli::{Erase, HoldAction, Maintain, Selected};
use super::filter::check_moment;
use super::plain::plain;
use super::read::{each, parse};
use crate::failure::{Failure, Status};

/// Who maintains writes no payloads, so that there is nothing to salt.
fn settings() -> Settings {
    Settings::new([0; 32])
}

fn disk() -> Arc<dyn LogDisk> {
    Arc::new(PrivateFileSystem)
}

/// Compresses and deletes what `keeping` says, in every chain that nobody writes.
pub(super) fn maintain(folder: &Path, mut keeping: Keeping, asked: &Maintain) -> Result<Status, Failure> {
    keeping.keep = asked.keep.map(Age::duration).or(keeping.keep);
    let keeper = Keeper::new(disk(), folder, Arc::new(SystemClock), keeping);
    let report = if asked.dry_run {
        keeper.plan()?
    } else {
        keeper.all(&settings(), &|| true).map_err(|error| Failure::said(error.to_string()))?
    };
    let Report { deleted, compressed, held, busy, .. } = &report;
    let mut out = io::stdout().lock();
    let would = if asked.dry_run { "would be " } else { "" };
    let said = [("deleted", deleted), ("compressed", compressed)];
    for (done, file) in said.iter().flat_map(|(done, files)| files.iter().map(move |file| (done, file))) {
        writeln!(out, "{would}{done}: {file}")?;
    }
    for file in held {
        writeln!(out, "kept: {file} (a legal hold)")?;
    }
    for chain in busy {
        writeln!(out, "left alone: {chain} (a process that has it open keeps it itself)")?;
    }
    Ok(Status::Well)
}

/// Shows and changes what must not go.
pub(super) fn hold(folder: &Path, action: &HoldAction) -> Result<Status, Failure> {
    let said = |error: HoldError| Failure::said(plain(&error.to_string()));
    let at = SystemClock.now();
    match action {
        HoldAction::List => {
            let mut out = io::stdout().lock();
            for hold in Holds::read(&StdFileSystem, folder)? {
                let Hold { name, reason, by, of, .. } = &hold;
                writeln!(out, "{}", plain(&format!("{name}: {of}: {reason} ({by})")))?;
            }
        }
        HoldAction::Add { name, reason, by, of } => {
            let hold = Hold::new(name, reason, by.clone().unwrap_or_else(crate::state::user), selection(of));
            Holds::take(disk(), folder)?.add(hold, |record| note(folder, record), at).map_err(said)?;
        }
        HoldAction::Release { name, by } => {
            let by = by.clone().unwrap_or_else(crate::state::user);
            Holds::take(disk(), folder)?
                .release(name, &by, |record| note(folder, record), at)
                .map_err(said)?;
        }
    }
    Ok(Status::Well)
}

/// Puts `record` down in a chain that nobody writes, through to the device.
fn note(folder: &Path, record: Record) -> io::Result<()> {
    let opened = Appender::open(disk(), folder, settings(), Arc::new(SystemClock));
    let (mut appender, _) = opened.map_err(io::Error::other)?;
    appender.note(record)?;
    appender.close()
}

/// Erases payloads, once that is confirmed.
pub(super) fn erase(folder: &Path, asked: &Erase) -> Result<Status, Failure> {
    let of = selection(&asked.of);
    check_moment("--since", of.since.as_deref())?;
    check_moment("--before", of.before.as_deref())?;
    if of.is_everything() && asked.positions.is_empty() {
        let what = "say whose payloads are erased: positions such as `w0:17`, or --session, --agent, --tenant, --since, --before";
        return Err(Failure::said(what));
    }
    let positions = asked.positions.iter().map(|position| parse(position));
    let positions = positions.collect::<Result<BTreeSet<_>, _>>()?;
    let is_meant = |chain: &str, record: &Record| {
        of.fits(record) && (positions.is_empty() || positions.contains(&(chain, record.seq)))
    };
    // Nobody begins to hold something while it is erased.
    let holds = Holds::take(disk(), folder)?;
    let (mut meant, mut held) = (BTreeMap::<String, u64>::new(), BTreeSet::new());
    each(folder, Positions::default(), |committed| {
        if matches!(committed.payload, Kept::Payload(_)) && is_meant(&committed.chain, &committed.record) {
            match holds.of(&committed.record) {
                Some(hold) => drop(held.insert(hold.name.clone())),
                None => *meant.entry(committed.chain.to_string()).or_default() += 1,
            }
        }
        Ok(true)
    })?;
    let mut out = io::stdout().lock();
    if !held.is_empty() {
        let names: Vec<_> = held.iter().map(|name| format!("`{name}`")).collect();
        writeln!(out, "{}", plain(&format!("not erased: what is held by {}", names.join(", "))))?;
    }
    if !asked.yes {
        writeln!(out, "{} payloads would be erased, for good; say --yes", meant.values().sum::<u64>())?;
        return Ok(Status::Found);
    }
    let why = format!("{} ({})", asked.why, asked.by.clone().unwrap_or_else(crate::state::user));
    let (mut erased, mut busy) = (0, Vec::new());
    for chain in meant.into_keys() {
        let said = |error: OpenError| Failure::said(error.to_string());
        let opened = Appender::open_chain(disk(), folder, settings(), Arc::new(SystemClock), &chain);
        let Some((mut appender, _)) = opened.map_err(said)? else {
            busy.push(chain);
            continue;
        };
        let which = |record: &Record| is_meant(&chain, record) && holds.of(record).is_none();
        let count = appender.erase(&why, &which);
        appender.close()?;
        erased += count?;
    }
    writeln!(out, "{erased} payloads erased")?;
    if !busy.is_empty() {
        let what = format!(
            "not in {}, which another process writes: end it and say it again, or have it call `Log::erase`",
            busy.join(", ")
        );
        return Err(Failure::said(what));
    }
    Ok(if erased == 0 { Status::Found } else { Status::Well })
}

fn selection(asked: &Selected) -> Selection {
    let Selected { tenant, session, agent, since, before } = asked.clone();
    let mut of = Selection::default();
    (of.tenant, of.session, of.agent, of.since, of.before) = (tenant, session, agent, since, before);
    of
}
