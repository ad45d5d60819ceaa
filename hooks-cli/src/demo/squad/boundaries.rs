//! The act of boundaries: an agent writes its own files, and those of another.

use std::io::Write;

use super::example::{Example, path_in};
use super::folder::CopiedTeam;
use super::stage::Runs;
use super::{missing, title, under};
use crate::demo::report::Report;
use crate::failure::Failure;

/// Agents that are shown.
const MOST: usize = 2;

pub(super) async fn play(
    out: &mut impl Write,
    found: &CopiedTeam,
    report: &mut Report,
) -> Result<(), Failure> {
    title(out, "Boundaries", "`boundaries`: the blocks in the charters")?;
    let mut limited: Vec<(String, Vec<String>)> = Vec::new();
    for agent in &found.snapshot.agents {
        for written in agent.charter.written_boundaries() {
            match written {
                Ok(boundary) => {
                    limited.extend(
                        boundary
                            .writes
                            .filter(|list| !list.is_empty())
                            .map(|list| (agent.folder.clone(), list)),
                    );
                }
                Err(problem) => writeln!(out, "  the charter of {}: {problem}", agent.folder)?,
            }
        }
    }
    if limited.is_empty() {
        return Ok(missing(out, "a charter with a `boundaries` block; `hooks init squad` proposes them")?);
    }
    let mut stage =
        under(found, "boundaries", &found.sections.boundaries.clone().unwrap_or_default()).await?;
    for (agent, writes) in limited.iter().take(MOST) {
        let own = writes.iter().map(|glob| Example::write(&path_in(glob, "demo.txt"), "by its owner\n"));
        for own in own {
            if stage.objection(agent, &own).await.is_none() {
                stage.call(out, report, (agent, &own), Runs::Really, "a file of its own").await?;
                break;
            }
        }
        let others = limited.iter().filter(|(other, _)| other != agent);
        let foreign = others
            .flat_map(|(other, writes)| writes.iter().map(move |glob| (other, path_in(glob, "demo.txt"))));
        for (other, path) in foreign {
            let write = Example::write(&path, "by another\n");
            if stage.objection(agent, &write).await.is_none() {
                continue;
            }
            stage.call(out, report, (agent, &write), Runs::Really, &format!("a file of {other}")).await?;
            let command = Example::shell(&format!("echo text > '{path}'"));
            stage.call(out, report, (agent, &command), Runs::Really, "the same, by a command").await?;
            break;
        }
    }
    Ok(())
}
