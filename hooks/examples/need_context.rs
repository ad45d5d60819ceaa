//! Context: the next agent knows a user's standing wish, and no agent has to read or repeat it.
//! `cargo run -p tower-hooks --example need_context`

use std::sync::Arc;

use hooks::config::Config;
use hooks::event::{EndReason, PromptKind, SessionStart};
use hooks::team::files::NewMember;
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, HookContext, Session, StdFileSystem, system};

const FILE: &str = "
version: 1
prompts: {}
context: { deadline: 5s }
scribe: { settle: 0s }
session_end: {}
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let members = ["Lead", "Backend"].map(|name| NewMember { name: name.into(), role: "Developer".into() });
    team.init(&NewTeam { members: members.to_vec(), ..NewTeam::default() })?;
    let hooks = Config::parse(FILE, "hooks.yaml")?.hooks();
    let context =
        |session, agent| HookContext::new(session, agent).in_dir(folder.path()).with_environment(system());

    let (session, _) =
        Session::start(hooks.clone(), context("session-1", "Lead"), SessionStart::default()).await;
    session
        .prompt("From now on, always use Postgres for new services. Start with orders.", PromptKind::Initial)
        .await;
    session.end(EndReason::Complete, None).await;
    println!(
        "--- decisions.md, kept by the Scribe\n{}",
        std::fs::read_to_string(team.root().join("decisions.md"))?
    );

    let (session, patch) =
        Session::start(hooks.clone(), context("session-2", "Backend"), SessionStart::default()).await;
    println!("--- what Backend's session begins with");
    patch.additional_context.iter().for_each(|note| println!("{}", note.text));
    session.end(EndReason::Complete, None).await;
    hooks.close().await?;
    Ok(())
}
