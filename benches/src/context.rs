//! Cost of giving a session its context, on a team folder with 20 agents, 2,000 decisions and 5 MB of
//! histories, on a real disk.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_context::auto::{AutoContext, AutoSettings, Gathered};
use hooks_context::source::{Ask, Moment, Threads, team};
use hooks_core::HookContext;
use hooks_core::event::StartSource;
use hooks_core::state::Memory;
use hooks_system::{StdFileSystem, SystemClock, TokioTimer, system};
use hooks_team::files::NewMember;
use hooks_team::{NewTeam, Team};
use tokio::runtime::Runtime;

use crate::{Bar, Case, SetupError};

const MILLISECOND: f64 = 1e6;

/// The cases. They read a real disk, so their time is measured, but their instructions are not counted.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let folder = Arc::new(tempfile::tempdir()?);
    lay_out(folder.path())?;
    let first = |model: &'static str| {
        let (runtime, folder) = (runtime()?, Arc::clone(&folder));
        Ok::<_, SetupError>(move || {
            // Nothing is cached: every file is read and parsed.
            let context = context(folder.path());
            gathered(&runtime, &context, folder.path(), StartSource::Startup, model).tokens
        })
    };
    let (claude, gpt) = (first("claude-sonnet-4.6")?, first("gpt-5")?);
    let (runtime, known) = (runtime()?, context(folder.path()));
    let given = gathered(&runtime, &known, folder.path(), StartSource::Startup, "gpt-5");
    assert!(
        given.failures.is_empty() && given.tokens > 3_000,
        "{} tokens, {:?}",
        given.tokens,
        given.failures
    );
    let resumed = move || {
        let again = gathered(&runtime, &known, folder.path(), StartSource::Resume, "gpt-5");
        assert!(again.notes.is_empty(), "nothing has changed");
    };
    Ok(vec![
        Case::new("context/first start, estimated tokens", claude)
            .at_most(Bar::Nanoseconds(50.0 * MILLISECOND)),
        Case::new("context/first start, counted tokens", gpt).at_most(Bar::Nanoseconds(50.0 * MILLISECOND)),
        Case::new("context/resumed", resumed).at_most(Bar::Nanoseconds(5.0 * MILLISECOND)),
    ])
}

fn runtime() -> Result<Runtime, SetupError> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_time().build()?)
}

fn context(folder: &Path) -> AutoContext {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &system());
    let mut settings = AutoSettings::default();
    settings.deadline = Duration::from_secs(10);
    AutoContext::new(Arc::new(TokioTimer))
        .within(settings)
        .remembering_in(Arc::new(Memory::new(Arc::new(SystemClock))))
        .with_team(team, Threads, team::Limits::default())
}

fn gathered(
    runtime: &Runtime,
    context: &AutoContext,
    folder: &Path,
    source: StartSource,
    model: &'static str,
) -> Gathered {
    let session = HookContext::new("session", "Agent 7").in_dir(folder).with_environment(system());
    let ask = Ask::new(Arc::new(session), "Agent 7", Moment::Session(source));
    runtime.block_on(context.gather(ask.about("Measure the loop in lib-42 again").for_model(Some(model))))
}

/// Creates the folder of a team after a year.
fn lay_out(folder: &Path) -> Result<(), SetupError> {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &system());
    let members =
        (0..20).map(|number| NewMember { name: format!("Agent {number}"), role: "Developer".into() });
    team.init(&NewTeam { members: members.collect(), ..NewTeam::default() })?;
    let mut decisions = String::from("# Decisions\n");
    for number in 0..2_000 {
        let (month, day, by) = (number / 200 + 1, number % 28 + 1, number % 20);
        decisions.push_str(&format!(
            "\n### 2026-{month:02}-{day:02}: Decision {number}\n**By:** Agent {by}\n**What:** Use `lib-{number}` and not another.\n**Why:** It was measured, see #{number}.\n"
        ));
    }
    fs::write(team.root().join("decisions.md"), decisions)?;
    for agent in 0..20 {
        let mut history = format!("# Agent {agent}\n\n## Learnings\n");
        for number in 0.. {
            if history.len() > 250_000 {
                break;
            }
            let (month, day) = (number / 100 % 12 + 1, number % 28 + 1);
            history.push_str(&format!(
                "\n### 2026-{month:02}-{day:02}: A fix in the loop (#{number})\n\n**Context:** {number} comments, all about one thing.\n\n```sh\n# not a heading\ncargo test\n```\n\n- one\n- two\n\n**Pattern:** look first.\n"
            ));
        }
        fs::write(team.root().join(format!("agents/agent-{agent}/history.md")), history)?;
    }
    Ok(())
}
