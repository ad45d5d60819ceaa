//! Retention, legal holds and erasure of the log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use hooks::audit::append::{AppendSettings, Appender};
use hooks::audit::keep::{Age, Hold, HoldError, Holds, Keeper, Keeping, Report, Selection};
use hooks::audit::{Kept, OpenError, Positions, Record};
use hooks::fs::LogDisk;
use hooks::time::Clock;
use hooks::{PrivateFileSystem, StdFileSystem, SystemClock};

use super::cli::{Erase, HoldAction, Maintain};
use super::plain::plain;
use super::read::{absent as missing, parse, tell_none};
use super::reading::Reading;
use crate::failure::{Failure, Status};
use crate::output;

/// Maintenance writes no payloads, so it needs no salt.
fn settings() -> AppendSettings {
    AppendSettings::new([0; 32])
}

fn disk() -> Arc<dyn LogDisk> {
    Arc::new(PrivateFileSystem)
}

/// Compresses and deletes files by the rules of `keeping`, in every chain without an open writer.
pub(super) fn maintain(folder: &Path, mut keeping: Keeping, options: &Maintain) -> Result<Status, Failure> {
    keeping.keep = options.keep.map(Age::duration).or(keeping.keep);
    let keeper = Keeper::new(disk(), folder, Arc::new(SystemClock), keeping);
    let report = if options.dry_run {
        keeper.plan()?
    } else {
        keeper.all(&settings(), &|| true).map_err(|error| Failure::message(error.to_string()))?
    };
    let Report { deleted, compressed, held, busy, is_unfinished, .. } = &report;
    let mut out = output::out();
    let would = if options.dry_run { "would be " } else { "" };
    let changes = [("deleted", deleted), ("compressed", compressed)];
    for (done, file) in changes.iter().flat_map(|(done, files)| files.iter().map(move |file| (done, file))) {
        writeln!(out, "{would}{done}: {file}")?;
    }
    for file in held {
        writeln!(out, "kept: {file} (a legal hold)")?;
    }
    for chain in busy {
        writeln!(out, "left alone: {chain} (a process that has it open keeps it itself)")?;
    }
    if *is_unfinished {
        writeln!(out, "not finished: there is more to do; run it again")?;
    }
    Ok(Status::Well)
}

/// Shows and changes legal holds.
pub(super) fn hold(folder: &Path, action: &HoldAction) -> Result<Status, Failure> {
    let failure = |error: HoldError| Failure::message(plain(&error.to_string()));
    let at = SystemClock.now();
    match action {
        HoldAction::List => {
            let mut out = output::out();
            for hold in Holds::read(&StdFileSystem, folder)? {
                let Hold { name, reason, by, of, .. } = &hold;
                writeln!(out, "{}", plain(&format!("{name}: {of}: {reason} ({by})")))?;
            }
            return tell_forgotten(folder);
        }
        HoldAction::Add { name, reason, by, of } => {
            let of = of.selection();
            let hold = Hold::new(name, reason, by.clone().unwrap_or_else(crate::state::user), of.clone());
            Holds::take(disk(), folder)?.add(hold, |record| note(folder, record), at).map_err(failure)?;
            // A hold covers future records too, but usually the operator means existing ones.
            tell_unless_matched(folder, &of)?;
        }
        HoldAction::Release { name, by } => {
            let by = by.clone().unwrap_or_else(crate::state::user);
            Holds::take(disk(), folder)?
                .release(name, &by, |record| note(folder, record), at)
                .map_err(failure)?;
        }
    }
    Ok(Status::Well)
}

/// Prints the holds that are in force according to the records, but missing in the file of holds.
fn tell_forgotten(folder: &Path) -> Result<Status, Failure> {
    let forgotten = Holds::forgotten(&StdFileSystem, folder)?;
    let mut err = output::err();
    for words in &forgotten {
        let what = format!("in force by the record, and not in `holds.json` as it was: {words}");
        writeln!(err, "{}", plain(&what))?;
    }
    if forgotten.is_empty() {
        return Ok(Status::Well);
    }
    let out = "nothing is deleted or erased until each of them is added again as it was, or released";
    writeln!(err, "{out}")?;
    Ok(Status::Found)
}

/// Prints a message if a hold matches no existing record.
fn tell_unless_matched(folder: &Path, of: &Selection) -> Result<(), Failure> {
    let mut reading = Reading::new(folder, Positions::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            return tell_none(&reading);
        }
        if records.iter().any(|committed| of.fits(&committed.record)) {
            return Ok(());
        }
    }
}

/// Writes `record` to a chain without an open writer, and syncs it to the device.
fn note(folder: &Path, record: Record) -> io::Result<()> {
    let opened = Appender::open(disk(), folder, settings(), Arc::new(SystemClock));
    let (mut appender, _) = opened.map_err(io::Error::other)?;
    appender.note(record)?;
    appender.close()
}

/// Erases payloads, if the operator confirmed it.
pub(super) fn erase(folder: &Path, options: &Erase) -> Result<Status, Failure> {
    let of = options.of.selection();
    if of.is_everything() && options.positions.is_empty() {
        let what = "name the payloads to erase: positions such as `w0:17`, or --session, --agent, --tenant, --since, --before";
        return Err(Failure::message(what));
    }
    let mut positions = BTreeMap::<&str, BTreeSet<u64>>::new();
    for position in &options.positions {
        let (chain, seq) = parse(position)?;
        positions.entry(chain).or_default().insert(seq);
    }
    let is_meant = |chain: &str, record: &Record| {
        let is_named = || positions.get(chain).is_some_and(|named| named.contains(&record.seq));
        of.fits(record) && (positions.is_empty() || is_named())
    };
    // The lock keeps other processes from adding holds during the erasure.
    let holds = Holds::take(disk(), folder)?;
    holds.check()?;
    let (mut meant, mut held) = (BTreeMap::<String, u64>::new(), BTreeSet::new());
    let (mut absent, mut is_found) = (positions.clone(), false);
    let mut reading = Reading::new(folder, Positions::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        for committed in &records {
            if let Some(absent) = absent.get_mut(&*committed.chain) {
                absent.remove(&committed.record.seq);
            }
            if !is_meant(&committed.chain, &committed.record) {
                continue;
            }
            is_found = true;
            if matches!(committed.payload, Kept::Payload(_)) {
                match holds.hold_on(&committed.record) {
                    Some(hold) => drop(held.insert(hold.name.clone())),
                    None => *meant.entry(committed.chain.to_string()).or_default() += 1,
                }
            }
        }
    }
    // Payloads are erased in the whole log, or not at all yet.
    let status = reading.status(Status::Well);
    if status != Status::Well {
        writeln!(output::err(), "nothing is erased until all of the log can be read")?;
        return Ok(status);
    }
    if let Some((chain, seq)) = absent.iter().find_map(|(chain, absent)| Some((chain, absent.first()?))) {
        return Err(missing(&format!("{chain}:{seq}")));
    }
    if !is_found {
        tell_none(&reading)?;
        return Ok(Status::Found);
    }
    let mut out = output::out();
    if !held.is_empty() {
        let names: Vec<_> = held.iter().map(|name| format!("`{name}`")).collect();
        writeln!(out, "{}", plain(&format!("not erased: what is held by {}", names.join(", "))))?;
    }
    if !options.yes {
        writeln!(out, "{} payloads would be erased, for good; add --yes", meant.values().sum::<u64>())?;
        return Ok(Status::Found);
    }
    let why = format!("{} ({})", options.why, options.by.clone().unwrap_or_else(crate::state::user));
    let (mut erased, mut busy) = (0, Vec::new());
    for chain in meant.into_keys() {
        let failure = |error: OpenError| Failure::message(error.to_string());
        let opened = Appender::open_chain(disk(), folder, settings(), Arc::new(SystemClock), &chain);
        let Some((mut appender, _)) = opened.map_err(failure)? else {
            busy.push(chain);
            continue;
        };
        let which = |record: &Record| is_meant(&chain, record) && holds.hold_on(record).is_none();
        let count = appender.erase(&why, &which);
        appender.close()?;
        erased += count?;
    }
    writeln!(out, "{erased} payloads erased")?;
    if !busy.is_empty() {
        let what = format!(
            "not in {}, which another process writes: end it and run this again, or have it call `Log::erase`",
            busy.join(", ")
        );
        return Err(Failure::message(what));
    }
    Ok(if erased == 0 { Status::Found } else { Status::Well })
}
