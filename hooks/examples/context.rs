//! A session begins with the context its agent needs, keeps it over a compaction, and ends with its files
//! written.
//!
//! `cargo run --example context`

use std::error::Error;
use std::sync::Arc;

use hooks::context::auto::AutoContext;
use hooks::context::compaction::{Compacting, CompactionSettings};
use hooks::context::session_end::SessionEnding;
use hooks::context::source::{Threads, team};
use hooks::drivers::{Compaction, SpawnRequest, Spawned};
use hooks::event::{
    ChildStatus, EndReason, PostCompact, PreCompact, PromptKind, SessionStart, SubagentStart, TurnEndReason,
};
use hooks::team::files::{MemorySection, NewDecision, NewMember};
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, ContextNote, HookContext, Hooks, Session, StdFileSystem, TokioTimer, system};
use tower::{ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // A team, as `hooks init squad` creates it, with decisions to know.
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let members = ["Lead", "Backend"].map(|name| NewMember { name: name.into(), role: "Developer".into() });
    team.init(&NewTeam { members: members.to_vec(), ..NewTeam::default() })?;
    let summary = "Use Postgres for all data".to_owned();
    team.decide(&NewDecision { author: "Lead".into(), summary, ..NewDecision::default() })?;
    team.remember("Backend", MemorySection::Learnings, "Pools of connections leak in tests.")?;

    // The layers, as a set of hooks.
    let auto =
        AutoContext::new(Arc::new(TokioTimer)).with_team(team.clone(), Threads, team::Limits::default());
    let compacting =
        Compacting::new(CompactionSettings::default(), Arc::new(TokioTimer)).with_context(auto.clone());
    let ending = SessionEnding::new(team.clone(), Threads);
    let hooks = compacting.add_to(auto.add_to(ending.add_to(Hooks::builder()))).build();

    let context = HookContext::new("session-1", "Backend").in_dir(folder.path()).with_environment(system());
    let (session, patch) = Session::start(hooks.clone(), context, SessionStart::default()).await;
    show("The session begins with", &patch.additional_context);

    // A child gets the same context, selected for its own task.
    let spawner = session.spawner(service_fn(async |_: SubagentStart| Ok::<_, BoxError>(())));
    let start = SubagentStart::new("Lead", "Review the schema of the data");
    let request = SpawnRequest { context: Arc::clone(session.context()), start };
    if let Spawned::Running(child, decision) = spawner.oneshot(request).await? {
        let notes = decision.notes().map(|notes| notes.additional_context.as_slice());
        show("Its child begins with", notes.unwrap_or_default());
        drop(child.end(ChildStatus::Completed, None).await);
    }

    // After a compaction the notes that must not be lost are given again.
    session.prompt("Move the orders to Postgres", PromptKind::Initial).await;
    let compaction = PreCompact::default();
    if let Compaction::Proceed(_) = session.compact(compaction.clone()).await {
        session.compacted(PostCompact::after(&compaction, "the orders are half way", 100)).await;
    }
    let (turn, patch) = session.turn().await;
    show("After the compaction it is given", &patch.additional_context);
    turn.end(TurnEndReason::Normal).await;

    session.end(EndReason::Complete, None).await;
    hooks.close().await?;
    println!("Put away: {}", team.session_logs()?.join(", "));
    Ok(())
}

fn show(title: &str, notes: &[ContextNote]) {
    println!("--- {title}\n");
    notes.iter().for_each(|note| println!("{}\n", note.text));
}
