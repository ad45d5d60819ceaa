//! `hooks report`: what an audit log has, as one page for a browser.
//!
//! The log is read once. What is kept of it has a fixed size, and so has the page.

mod collect;
mod counts;
mod page;
mod sections;
mod seen;
mod story;

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use hooks::audit::Positions;
use hooks::audit::keep::Selection;

use self::collect::Collected;
use self::seen::Seen;
use crate::audit::LogChoice;
use crate::audit::reading::Reading;
use crate::audit::status::since;
use crate::failure::{Failure, Status};
use crate::output;
use crate::paint::{GOOD, one_line};
use crate::replay::interruption;

/// Records of a batch.
const BATCH: usize = 4_096;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks report -o report.html                                # the log of this folder
  hooks report --log audit-log -c hooks.yaml -o report.html  # with the rules that never decided
  hooks report --since '7 days' -o week.html
  hooks report --format json | jq .sums

The page loads nothing from elsewhere. It has sums over all records, and the last denials and questions, at most 10,000, and
a list of the rest that is left out. Agents may not call this.
Exit status: 0 written, 2 the log cannot be read, the file is there or the report was interrupted, 3 some of the log is damaged,
and the rest was counted.")]
pub(crate) struct ReportOptions {
    #[command(flatten)]
    place: LogChoice,
    /// Write this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file, if there is one
    #[arg(long)]
    force: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value = "html")]
    format: ReportedAs,
    /// Not before this time, such as `7 days` or 2026-01-31T09:30 (UTC)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME", value_parser = since)]
    until: Option<String>,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportedAs {
    /// One page for a browser
    Html,
    /// One object, the one that the page shows
    Json,
}

/// Reads the log, and writes the report.
pub(crate) fn run(options: &ReportOptions) -> Result<Status, Failure> {
    let config = crate::audit::config(&options.place)?;
    let folder = crate::audit::folder(&options.place)?;
    if let Some(file) = options.output.as_deref().filter(|_| !options.force) {
        is_new(file)?;
    }
    let mut selection = Selection::default();
    (selection.since, selection.before) = (options.since.clone(), options.until.clone());
    let mut reading = Reading::new(&folder, Positions::default());
    let Some(collected) = collect(&mut reading, &selection)? else {
        return Err(Failure::message("the report was interrupted; nothing was written"));
    };
    reading.warn_of_ends()?;
    let data = collected.report(&folder, &selection, config.as_ref(), reading.problems());
    let text = match options.format {
        ReportedAs::Html => page::html(&data),
        ReportedAs::Json => format!("{data}\n"),
    };
    match &options.output {
        Some(file) => {
            write_file(file, &text, options.force)?;
            let name = one_line(&file.display().to_string(), 200);
            writeln!(output::out(), "{GOOD}written{GOOD:#} `{name}`: {} bytes", text.len())?;
        }
        None => output::out().write_all(text.as_bytes())?,
    }
    Ok(reading.status(Status::Well))
}

/// Reads all records; `None` if the user interrupts it.
fn collect(reading: &mut Reading, selection: &Selection) -> Result<Option<Collected>, Failure> {
    let is_interrupted = interruption();
    let shows_progress = io::stderr().is_terminal();
    let mut collected = Collected::default();
    loop {
        let slow_ms = collected.slow_ms();
        let records = reading.next_with(BATCH, &|record, json| Seen::parse(record, json, slow_ms))?;
        if records.is_empty() || is_interrupted.load(Ordering::Relaxed) {
            break;
        }
        for committed in records.iter().filter(|one| selection.fits(&one.record)) {
            collected.take(committed);
        }
        if shows_progress {
            write!(io::stderr(), "\r\x1b[K{} records", reading.looked_at())?;
            io::stderr().flush()?;
        }
    }
    if shows_progress {
        write!(io::stderr(), "\r\x1b[K")?;
    }
    Ok((!is_interrupted.load(Ordering::Relaxed)).then_some(collected))
}

fn is_new(file: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(file) {
        Ok(_) => Err(already_there(file)),
        Err(_) => Ok(()),
    }
}

fn already_there(file: &Path) -> Failure {
    Failure::message(format!("`{}` is there already; `--force` replaces it", file.display()))
}

/// Writes the file whole or not at all. Others may not read it, as they may not read the log.
fn write_file(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::message(format!("`{}` cannot be written: {error}", file.display()));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    let kept = if force { new.persist(file) } else { new.persist_noclobber(file) };
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(already_there(file)),
        Err(error) => Err(failed(error.error)),
    }
}
