//! Prints records.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use hooks::audit::{Committed, Kept, Positions};
use serde_json::{Value, json};

use super::cli::{Filter, Tail};
use super::follow::follow;
use super::latest::Latest;
use super::plain::{plain, plain_lines};
use super::reading::Reading;
use crate::failure::{Failure, Status};
use crate::output::{err, is_read_on};

/// Prints the records that `line` formats, until the output is closed.
fn print(
    reading: &mut Reading,
    mut line: impl FnMut(&Committed) -> Result<Option<String>, Failure>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            return Ok(out.flush()?);
        }
        for committed in &records {
            if let Some(line) = line(committed)? {
                writeln!(out, "{line}")?;
            }
        }
        out.flush()?;
        go_on()?;
    }
}

/// Fails with a broken pipe if the output is closed, so that the command stops searching.
fn go_on() -> Result<(), Failure> {
    if is_read_on(Duration::ZERO) { Ok(()) } else { Err(io::Error::from(io::ErrorKind::BrokenPipe).into()) }
}

/// Prints that no record matches, and how many were searched.
pub(super) fn tell_none(reading: &Reading) -> Result<(), Failure> {
    Ok(writeln!(err(), "no record matches; {} were looked at", reading.looked_at())?)
}

/// A record as one line, with its position.
fn line(committed: &Committed) -> Result<String, Failure> {
    Ok(plain(&format!("{} {}", committed.position(), serde_json::to_string(&committed.record)?)))
}

/// A record with its position as JSON.
fn json_line(committed: &Committed) -> Result<String, Failure> {
    let record = serde_json::to_value(&committed.record)?;
    Ok(plain(&json!({ "position": committed.position().to_string(), "record": record }).to_string()))
}

/// A record with its position and payload.
fn whole(committed: &Committed) -> Result<Value, Failure> {
    let payload = match &committed.payload {
        Kept::Nothing => Value::Null,
        Kept::Payload(payload) => serde_json::to_value(payload)?,
        Kept::Erased(by) => json!({ "erased": by }),
    };
    Ok(json!({
        "position": committed.position().to_string(),
        "record": serde_json::to_value(&committed.record)?,
        "payload": payload,
    }))
}

pub(super) fn tail(folder: &Path, options: &Tail) -> Result<Status, Failure> {
    let line = if options.json { json_line } else { line };
    let mut reading = Reading::new(folder, Positions::default());
    let mut latest = Latest::new(options.lines);
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        records.into_iter().for_each(|committed| latest.push(committed));
        go_on()?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for committed in latest.in_order() {
        writeln!(out, "{}", line(&committed)?)?;
    }
    out.flush()?;
    drop(out);
    if options.follow { follow(reading, line) } else { Ok(reading.status(Status::Well)) }
}

pub(super) fn query(folder: &Path, filter: &Filter) -> Result<Status, Failure> {
    let mut reading = Reading::new(folder, Positions::default());
    let mut is_found = false;
    let filter = filter.fits();
    print(&mut reading, |committed| {
        let fits = filter(&committed.record);
        is_found |= fits;
        fits.then(|| line(committed)).transpose()
    })?;
    if !is_found {
        tell_none(&reading)?;
    }
    Ok(reading.status(if is_found { Status::Well } else { Status::Found }))
}

pub(super) fn show(folder: &Path, position: &str) -> Result<Status, Failure> {
    let (chain, seq) = parse(position)?;
    let mut before = Positions::default();
    before.advance(chain, seq.saturating_sub(1));
    let mut reading = Reading::new(folder, before);
    let found = loop {
        let records = reading.next()?;
        let is_over = records.is_empty();
        let found = records.into_iter().find(|it| *it.chain == *chain && it.record.seq >= seq);
        if is_over || found.is_some() {
            break found;
        }
    };
    let Some(committed) = found.filter(|committed| committed.record.seq == seq) else {
        return match reading.status(Status::Well) {
            Status::Well => Err(absent(position)),
            status => Ok(status),
        };
    };
    writeln!(io::stdout().lock(), "{}", plain_lines(&serde_json::to_string_pretty(&whole(&committed)?)?))?;
    Ok(Status::Well)
}

pub(super) fn export(folder: &Path, after: Option<&str>) -> Result<Status, Failure> {
    let after = match after {
        Some(text) => serde_json::from_str(text).map_err(|error| {
            Failure::message(format!("`{text}` is not a position such as `{{\"w0\": 17}}`: {error}"))
        })?,
        None => Positions::default(),
    };
    let mut reading = Reading::new(folder, after);
    print(&mut reading, |committed| Ok(Some(plain(&whole(committed)?.to_string()))))?;
    writeln!(io::stdout().lock(), "{}", json!({ "after": reading.positions() }))?;
    Ok(reading.status(Status::Well))
}

/// The error about a missing record.
pub(super) fn absent(position: &str) -> Failure {
    Failure::message(format!("`{position}` is not in the log; `hooks audit tail` shows how far it goes"))
}

/// Parses the chain and the number of `<chain>:<number>`.
pub(super) fn parse(position: &str) -> Result<(&str, u64), Failure> {
    let parts = position.split_once(':').and_then(|(chain, seq)| Some((chain, seq.parse().ok()?)));
    parts.ok_or_else(|| {
        Failure::message(if position.contains("..") {
            format!("`{position}` are several records, and one is asked for, such as `w0:17`")
        } else {
            format!("`{position}` is not a record such as `w0:17`")
        })
    })
}
