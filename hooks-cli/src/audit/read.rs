//! Prints records.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::{Committed, Kept, Positions, Reader};
use serde_json::{Value, json};

use super::cli::{Filter, Tail};
use super::follow::follow;
use super::plain::{plain, plain_lines};
use crate::failure::{Failure, Status};
use crate::paint::OPEN;

/// How many records are read at a time.
const MOST: usize = 4_096;

/// Goes through the records of the log behind `after`, until `each` has seen enough.
pub(super) fn each(
    folder: &Path,
    after: Positions,
    mut each: impl FnMut(Committed) -> Result<bool, Failure>,
) -> Result<Positions, Failure> {
    let mut reader = Reader::new(Arc::new(StdFileSystem), folder, after);
    loop {
        let records = read(&mut reader)?;
        if records.is_empty() {
            return Ok(reader.positions().clone());
        }
        for committed in records {
            if !each(committed)? {
                return Ok(reader.positions().clone());
            }
        }
    }
}

/// The next records; what is missing between them is said to the person.
pub(super) fn read(reader: &mut Reader) -> Result<Vec<Committed>, Failure> {
    let records = reader.read(MOST);
    for skipped in reader.take_skipped() {
        writeln!(anstream::stderr(), "{OPEN}warning{OPEN:#}: {skipped}")?;
    }
    records.map_err(|error| Failure::said(error.to_string()))
}

/// A record as one line, with where it stands.
fn line(committed: &Committed) -> Result<String, Failure> {
    Ok(plain(&format!("{} {}", committed.position(), serde_json::to_string(&committed.record)?)))
}

/// The same as JSON.
fn json_line(committed: &Committed) -> Result<String, Failure> {
    let record = serde_json::to_value(&committed.record)?;
    Ok(plain(&json!({ "position": committed.position().to_string(), "record": record }).to_string()))
}

/// A record with all there is about it.
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

pub(super) fn tail(folder: &Path, asked: &Tail) -> Result<Status, Failure> {
    let line = if asked.json { json_line } else { line };
    let mut last = VecDeque::new();
    let end = each(folder, Positions::default(), |committed| {
        last.push_back(committed);
        if last.len() > asked.lines {
            last.pop_front();
        }
        Ok(true)
    })?;
    let mut out = BufWriter::new(io::stdout().lock());
    for committed in &last {
        writeln!(out, "{}", line(committed)?)?;
    }
    out.flush()?;
    drop(out);
    if asked.follow { follow(folder, end, line) } else { Ok(Status::Well) }
}

pub(super) fn query(folder: &Path, filter: &Filter) -> Result<Status, Failure> {
    filter.check()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut is_found = false;
    each(folder, Positions::default(), |committed| {
        if filter.fits(&committed.record) {
            is_found = true;
            writeln!(out, "{}", line(&committed)?)?;
        }
        Ok(true)
    })?;
    out.flush()?;
    Ok(if is_found { Status::Well } else { Status::Found })
}

pub(super) fn show(folder: &Path, position: &str) -> Result<Status, Failure> {
    let (chain, seq) = parse(position)?;
    let mut before = Positions::default();
    before.advance(chain, seq.saturating_sub(1));
    let mut found = None;
    each(folder, before, |committed| {
        if *committed.chain == *chain && committed.record.seq >= seq {
            found = Some(committed);
        }
        Ok(found.is_none())
    })?;
    let Some(committed) = found.filter(|committed| committed.record.seq == seq) else {
        return Err(Failure::said(format!("`{position}` is not in the log")));
    };
    writeln!(io::stdout().lock(), "{}", plain_lines(&serde_json::to_string_pretty(&whole(&committed)?)?))?;
    Ok(Status::Well)
}

pub(super) fn export(folder: &Path, after: Option<&str>) -> Result<Status, Failure> {
    let after = match after {
        Some(text) => serde_json::from_str(text).map_err(|error| {
            Failure::said(format!("`{text}` is no position such as `{{\"w0\": 17}}`: {error}"))
        })?,
        None => Positions::default(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let end = each(folder, after, |committed| {
        writeln!(out, "{}", plain(&whole(&committed)?.to_string()))?;
        Ok(true)
    })?;
    writeln!(out, "{}", json!({ "after": end }))?;
    out.flush()?;
    Ok(Status::Well)
}

/// The chain and the number in `<chain>:<number>`.
pub(super) fn parse(position: &str) -> Result<(&str, u64), Failure> {
    let parts = position.split_once(':').and_then(|(chain, seq)| Some((chain, seq.parse().ok()?)));
    parts.ok_or_else(|| Failure::said(format!("`{position}` is no record such as `w0:17`")))
}
