//! The act of ceremonies: one is held, and closes tools for those who take part.

use std::io::Write;

use hooks::team::Participants;
use hooks::team_rules::HeldCeremonies;

use super::example::Example;
use super::folder::CopiedTeam;
use super::stage::Runs;
use super::{missing, title, under};
use crate::demo::report::Report;
use crate::failure::Failure;

pub(super) async fn play(
    out: &mut impl Write,
    found: &CopiedTeam,
    report: &mut Report,
) -> Result<(), Failure> {
    title(out, "Ceremonies", "`ceremonies`: those of ceremonies.md")?;
    let Some(ceremony) = found.snapshot.ceremonies.enabled().next() else {
        return Ok(missing(out, "an enabled ceremony in ceremonies.md")?);
    };
    let mut stage =
        under(found, "ceremonies", &found.sections.ceremonies.clone().unwrap_or_default()).await?;
    let Some(held) = stage.hooks.extension::<HeldCeremonies>().cloned() else {
        return Ok(missing(out, "a gate: the section closes nothing")?);
    };
    let context = stage.context("");
    let failed = |error: hooks::team::TeamError| Failure::message(error.to_string());
    let started = held.start(&context, &ceremony.name, "the demo").map_err(failed)?;
    let named = match &started.participants {
        Participants::Named(names) => names.first().map(String::as_str),
        _ => None,
    };
    let agent = named.or_else(|| found.agents().next()).unwrap_or(CopiedTeam::coordinator()).to_owned();
    Report::aside(out, "the host", &format!("starts {} until {}", started.name, started.until), "")?;
    let write = Example::write("notes/meeting.md", "in the meeting\n");
    let read = Example::read(".squad/ceremonies.md");
    let command = Example::shell("git commit --allow-empty --message=demo");
    stage.call(out, report, (&agent, &write), Runs::Really, "while it is held").await?;
    stage.call(out, report, (&agent, &command), Runs::Really, "the same, by a command").await?;
    stage.call(out, report, (&agent, &read), Runs::Really, "reading stays open").await?;
    held.end(&context, &ceremony.name).map_err(failed)?;
    Report::aside(out, "the host", &format!("ends {}", started.name), "")?;
    stage.call(out, report, (&agent, &write), Runs::Really, "after it").await
}
