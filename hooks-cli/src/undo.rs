//! `hooks undo`: restores the workspace as it was before a command of `hooks exec`, or a call that wrote files; `hooks snapshots` lists them.

use crate::cli::{Snapshots, Undo};
use crate::exec::governed;
use crate::failure::{Failure, Status};

#[cfg(target_os = "linux")]
pub(crate) use here::{list, run};

/// There are no snapshots here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(options: &Undo) -> Result<Status, Failure> {
    governed(options.config.as_deref())?;
    Err(Failure::message("there are no snapshots on this system, because there is no `hooks exec`"))
}

/// There are no snapshots here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn list(options: &Snapshots) -> Result<Status, Failure> {
    run(&Undo {
        call: None,
        session: None,
        last: None,
        yes: true,
        force: false,
        config: options.config.clone(),
    })
}

#[cfg(target_os = "linux")]
mod here {
    use std::io::{self, Write};

    use anstyle::Style;
    use hooks::SystemClock;
    use hooks::event::{Level, Notification};
    use hooks::snapshots::{Change, ChangeKind, Record, Store, Undoing, Undone};
    use hooks::time::{Clock, Timestamp};

    use super::{Failure, Snapshots, Status, Undo, governed};
    use crate::init::diff;
    use crate::snapshots::{failed, open, record};

    /// Most files whose content is shown before the question.
    const MOST_SHOWN: usize = 20;

    /// Largest content that is shown.
    const LARGEST_SHOWN: usize = 64 << 10;

    /// Lists the commands and calls.
    pub(crate) fn list(options: &Snapshots) -> Result<Status, Failure> {
        let governed = governed(options.config.as_deref())?;
        let records = open(&governed)?.records().map_err(failed)?;
        let mut table = crate::table::Table::new(["id", "time", "state", "session", "command or call"]);
        for record in records.iter().filter(|record| is_of(record, options.session.as_deref())) {
            let state = match () {
                () if record.is_undone => "undone",
                () if record.undoes.is_some() => "an undo",
                () if record.has_ended() => "",
                () => "did not end",
            };
            let time = Timestamp(record.at).to_string();
            let origin = &record.origin;
            let cells = [&record.id, &time, state, &origin.session, &origin.label];
            table.row(cells.map(|cell| (cell.to_owned(), Style::new())));
        }
        table.write(&mut anstream::stdout().lock())?;
        Ok(Status::Well)
    }

    /// Takes commands or calls back.
    pub(crate) fn run(options: &Undo) -> Result<Status, Failure> {
        let require = if options.yes { crate::person::require_no_client } else { crate::person::require };
        require("hooks undo")?;
        let governed = governed(options.config.as_deref())?;
        let store = open(&governed)?;
        let mut out = anstream::stdout().lock();
        let mut status = Status::Well;
        for id in chosen(options, &store.records().map_err(failed)?)? {
            let undoing = store.undoing(&id, SystemClock.now().0).map_err(failed)?;
            show(&mut out, &store, &undoing)?;
            if !options.yes && !crate::person::agrees("Restore these files?")? {
                return Ok(Status::Found);
            }
            let undone = store.undo(&id, options.force, SystemClock.now().0).map_err(failed)?;
            print(&mut out, &undone)?;
            if !undone.left.is_empty() {
                status = Status::Found;
            }
            let text = format!(
                "undo of {id} by a person: {} paths were restored, {} were not",
                undone.restored.len(),
                undone.left.len()
            );
            let origin = &undoing.record.origin;
            record(&governed, &origin.session, &origin.call, Notification::new(Level::Info, text))?;
        }
        Ok(status)
    }

    fn is_of(record: &Record, session: Option<&str>) -> bool {
        session.is_none_or(|session| record.origin.session == session)
    }

    /// The ids to take back, the newest first.
    fn chosen(options: &Undo, records: &[Record]) -> Result<Vec<String>, Failure> {
        let newest = records.iter().rev();
        let ids = |found: &mut dyn Iterator<Item = &Record>| found.map(|record| record.id.clone()).collect();
        if let Some(call) = &options.call {
            // One with this id; or those of the client's call, which can have several steps.
            let is_one = |record: &&Record| record.id == *call;
            let of_call: Vec<String> =
                ids(&mut newest.clone().filter(|record| record.origin.call == *call && !record.is_undone));
            let is_id = of_call.is_empty() || newest.clone().any(|record| is_one(&record));
            return Ok(if is_id { vec![call.clone()] } else { of_call });
        }
        // A call whose end was not reported may not have happened.
        let is_open = |record: &&Record| {
            let has_happened = record.has_ended() || record.files.is_empty();
            !record.is_undone && record.undoes.is_none() && has_happened
        };
        let found = newest.filter(is_open).filter(|record| is_of(record, options.session.as_deref()));
        let usual = if options.session.is_some() { usize::MAX } else { 1 };
        let found: Vec<String> = ids(&mut found.take(options.last.unwrap_or(usual)));
        if found.is_empty() {
            let why = "nothing that can be undone has changed this workspace; `hooks snapshots` lists all";
            return Err(Failure::message(why));
        }
        Ok(found)
    }

    fn show(out: &mut impl Write, store: &Store, undoing: &Undoing) -> io::Result<()> {
        writeln!(out, "undo of {}: {}", undoing.record.id, undoing.record.origin.label)?;
        let (own, in_git): (Vec<_>, Vec<_>) = undoing.changes.iter().partition(|change| !change.is_in_git());
        for (at, change) in own.into_iter().enumerate() {
            let what = match change.kind {
                ChangeKind::Created => "is removed",
                ChangeKind::Removed => "comes back",
                ChangeKind::Changed => "gets its former content or mode",
            };
            let is_later = undoing.later.contains(&change.path);
            let later = if is_later { ", and was changed later" } else { "" };
            writeln!(out, "  {}  {what}{later}", change.path.display())?;
            if at < MOST_SHOWN {
                show_content(out, store, undoing, change)?;
            }
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

    /// Shows the difference between the present content and that after the undo, if both are text.
    fn show_content(
        out: &mut impl Write,
        store: &Store,
        undoing: &Undoing,
        change: &Change,
    ) -> io::Result<()> {
        let text = |bytes: Vec<u8>| {
            let is_shown = bytes.len() <= LARGEST_SHOWN && !bytes.contains(&0);
            is_shown.then(|| String::from_utf8(bytes).ok()).flatten()
        };
        let [now, then] = store.contents(undoing, &change.path).map(|bytes| text(bytes.unwrap_or_default()));
        let (Some(now), Some(then)) = (now, then) else { return Ok(()) };
        diff::lines(out, &now, &then)
    }

    fn print(out: &mut impl Write, undone: &Undone) -> io::Result<()> {
        writeln!(
            out,
            "restored {} files and folders; `hooks undo {}` takes it back",
            undone.restored.len(),
            undone.record.id
        )?;
        for (path, why) in &undone.left {
            writeln!(out, "  not restored: {}: {why}", path.display())?;
        }
        Ok(())
    }
}
