//! `hooks demo --squad DIR`: the rules of a team's own folder, at work on real tool calls.
//!
//! The folder is copied into a temporary repository. Each act switches on one section, makes calls that follow from what was
//! found in the folder, and shows the answers with their reasons. What the folder does not have is named, and not made up.

mod boundaries;
mod ceremony;
mod decisions;
mod example;
mod folder;
mod phases;
mod sequences;
mod stage;

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value};

use self::folder::CopiedTeam;
use self::stage::Stage;
use super::report::Report;
use crate::failure::{Failure, Status};
use crate::paint::{LOUD, OPEN, QUIET};

/// Plays the acts for the team in `dir`.
pub(super) async fn play(dir: &Path) -> Result<Status, Failure> {
    let found = CopiedTeam::copy(dir).await?;
    let out = &mut anstream::stdout();
    writeln!(out, "{LOUD}The team of {}{LOUD:#}", dir.display())?;
    writeln!(out, "{QUIET}in a copy: {}; the file tools really run{QUIET:#}\n", found.root().display())?;
    for line in found.described() {
        writeln!(out, "  {line}")?;
    }
    let mut report = Report::default();
    decisions::play(out, &found, &mut report).await?;
    boundaries::play(out, &found, &mut report).await?;
    ceremony::play(out, &found, &mut report).await?;
    phases::play(out, &found, &mut report).await?;
    sequences::play(out, &found, &mut report).await?;
    writeln!(out, "\n{LOUD}What came of it{LOUD:#}\n")?;
    report.summary(out)?;
    let outside = found.strangers()?;
    let outside = if outside.is_empty() { "nothing".to_owned() } else { outside.join(", ") };
    writeln!(out, "\n{LOUD}Outside of the copy{LOUD:#} was written: {outside}")?;
    writeln!(
        out,
        "\n{QUIET}Yours next: `hooks init squad`, `hooks decisions --team DIR`, `hooks check`.{QUIET:#}"
    )?;
    Ok(Status::Well)
}

/// Prints the title of an act.
fn title(out: &mut impl Write, name: &str, what: &str) -> std::io::Result<()> {
    writeln!(out, "\n{LOUD}{name}{LOUD:#} {QUIET}{what}{QUIET:#}\n")
}

/// Prints that something was not found, so that an act or a part of it is left out.
fn missing(out: &mut impl Write, what: &str) -> std::io::Result<()> {
    writeln!(out, "  {OPEN}not found{OPEN:#} {what}")
}

/// Opens a session under one section of the configuration.
async fn under(found: &CopiedTeam, key: &str, section: &impl serde::Serialize) -> Result<Stage, Failure> {
    let section = serde_json::to_value(section).map_err(|error| Failure::message(error.to_string()))?;
    let section = without_nulls(section);
    let sections = Map::from_iter([("version".to_owned(), Value::from(1)), (key.to_owned(), section)]);
    Stage::open(found, &Value::Object(sections)).await
}

/// Leaves out keys without a value, which a configuration does not have.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            given.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
