//! `hooks undo`: restores the workspace as it was before a command of `hooks exec`.

use crate::cli::Undo;
use crate::exec::governed;
use crate::failure::{Failure, Status};

/// Lists the commands, or takes one back.
#[cfg(target_os = "linux")]
pub(crate) fn run(options: &Undo) -> Result<Status, Failure> {
    use hooks::SystemClock;
    use hooks::time::Clock;

    if !options.list {
        let require = if options.yes { crate::person::require_no_client } else { crate::person::require };
        require("hooks undo")?;
    }
    let governed = governed(options.config.as_deref())?;
    let store = crate::snapshots::open(&governed)?;
    let failed = |error: hooks::snapshots::SnapshotError| Failure::message(error.to_string());
    let records = store.records().map_err(failed)?;
    let mut out = anstream::stdout().lock();
    if options.list {
        list(&mut out, &records)?;
        return Ok(Status::Well);
    }
    let last = || {
        let last = records.iter().rev().find(|record| !record.is_undone && record.undoes.is_none());
        last.map(|record| record.id.clone()).ok_or_else(|| {
            Failure::message("no command has changed this workspace; `hooks undo --list` prints all")
        })
    };
    let id = options.id.clone().map_or_else(last, Ok)?;
    let undoing = store.undoing(&id, SystemClock.now().0).map_err(failed)?;
    show(&mut out, &undoing)?;
    if !options.yes && !crate::person::agrees("Restore these files?")? {
        return Ok(Status::Found);
    }
    let undone = store.undo(&id, options.force, SystemClock.now().0).map_err(failed)?;
    print(&mut out, &undone)
}

/// There are no snapshots here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(options: &Undo) -> Result<Status, Failure> {
    governed(options.config.as_deref())?;
    Err(Failure::message("there are no snapshots on this system, because there is no `hooks exec`"))
}

#[cfg(target_os = "linux")]
fn list(out: &mut impl std::io::Write, records: &[hooks::snapshots::Record]) -> std::io::Result<()> {
    use anstyle::Style;
    use hooks::time::Timestamp;

    let mut table = crate::table::Table::new(["id", "time", "state", "command"]);
    for record in records {
        let state = match () {
            () if record.is_undone => "undone",
            () if record.undoes.is_some() => "an undo",
            () if record.has_ended() => "",
            () => "did not end",
        };
        let cells =
            [record.id.clone(), Timestamp(record.at).to_string(), state.to_owned(), record.label.clone()];
        table.row(cells.map(|cell| (cell, Style::new())));
    }
    table.write(out)
}

#[cfg(target_os = "linux")]
fn show(out: &mut impl std::io::Write, undoing: &hooks::snapshots::Undoing) -> std::io::Result<()> {
    use hooks::snapshots::ChangeKind;

    writeln!(out, "undo of {}: {}", undoing.record.id, undoing.record.label)?;
    let (own, in_git): (Vec<_>, Vec<_>) = undoing.changes.iter().partition(|change| !change.is_in_git());
    for change in own {
        let what = match change.kind {
            ChangeKind::Created => "is removed",
            ChangeKind::Removed => "comes back",
            ChangeKind::Changed => "gets its former content or mode",
        };
        let is_later = undoing.later.contains(&change.path);
        let later = if is_later { ", and was changed later" } else { "" };
        writeln!(out, "  {}  {what}{later}", change.path.display())?;
    }
    if !in_git.is_empty() {
        writeln!(
            out,
            "  {} files in `.git`: references, index and settings; new objects stay",
            in_git.len()
        )?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn print(out: &mut impl std::io::Write, undone: &hooks::snapshots::Undone) -> Result<Status, Failure> {
    writeln!(
        out,
        "restored {} files and folders; `hooks undo {}` takes it back",
        undone.restored.len(),
        undone.record.id
    )?;
    for (path, why) in &undone.left {
        writeln!(out, "  not restored: {}: {why}", path.display())?;
    }
    Ok(if undone.left.is_empty() { Status::Well } else { Status::Found })
}
