//! The act of phases: calls under the pipelines of the state files.

use std::io::Write;
use std::sync::Arc;

use hooks::team_rules::phases::{Phases, Pipeline};

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
    title(out, "Phases", "`phases`: the state files of pipelines")?;
    let section = found.sections.phases.clone().unwrap_or_default();
    let mut stage = under(found, "phases", &section).await?;
    let context = stage.context("");
    let phases = Phases::of_files(&section, Arc::new(hooks::StdFileSystem));
    let phases = phases.map_err(|errors| Failure::message(errors.to_string()))?;
    phases.refresh(&context);
    let pipelines = phases.pipelines(&context).unwrap_or_default();
    for pipeline in pipelines.iter() {
        let problem = pipeline.problem.as_ref().map(|problem| format!(", which cannot be read: {problem}"));
        let Pipeline { phase, status, .. } = pipeline;
        let name = name(found, pipeline);
        writeln!(out, "  {name}: phase {phase}, {}{}", status.name(), problem.unwrap_or_default())?;
    }
    writeln!(out)?;
    let Some(active) = pipelines.iter().find(|pipeline| pipeline.is_active() && pipeline.governs(&context))
    else {
        return Ok(missing(out, &format!("an active pipeline in `{}`", section.state))?);
    };
    let agent = found.agents().next().unwrap_or(CopiedTeam::coordinator()).to_owned();
    let workspace = name(found, active);
    let state = format!("{workspace}/{}", section.state.rsplit('/').next().unwrap_or("state.json"));
    for (example, note) in [
        (Example::write("src/demo.txt", "text\n"), "a file of the project"),
        (
            Example::write(&format!("{workspace}/demo-notes.md"), "text\n"),
            "a file of the pipeline's workspace",
        ),
        (Example::shell("git switch main"), "a protected branch"),
        (Example::shell("git fetch . work:main"), "the same branch, without a checkout"),
        (Example::shell("git commit --allow-empty --message=demo"), "a commit"),
        (Example::write(&state, "{}\n"), "the state that governs it"),
    ] {
        stage.call(out, report, (&agent, &example), Runs::Really, note).await?;
    }
    Ok(())
}

/// Returns the workspace of a pipeline, relative to the root.
fn name(found: &CopiedTeam, pipeline: &Pipeline) -> String {
    pipeline.workspace.strip_prefix(found.root()).unwrap_or(&pipeline.workspace).display().to_string()
}
