use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use hooks_core::drivers::{ToolCall, ToolResult};
use hooks_core::event::Route;
use hooks_core::testing::FakeDisk;
use hooks_core::{BoxError, Environment, HookFuture};
use serde_json::{Value, json};
use tower::{Layer, Service, ServiceExt, service_fn};

use super::{AgentSession, AgentSessions, NoOtherTools, SquadToolsLayer};
use crate::files::NewMember;
use crate::{NewTeam, Team};

struct Two;

impl AgentSessions for Two {
    fn capacity(&self) -> Option<usize> {
        Some(5)
    }

    fn sessions(&self) -> HookFuture<'static, Result<Vec<AgentSession>, BoxError>> {
        let sessions = ["Lead", "Tester"].map(|agent| AgentSession {
            agent: agent.into(),
            session: "s".into(),
            status: "active".into(),
            task: Some("t".into()),
        });
        HookFuture::now(Ok(sessions.into()))
    }

    fn waiting(&self) -> Vec<AgentSession> {
        ["Tester", "Gone"]
            .map(|agent| AgentSession {
                agent: agent.into(),
                session: "w".into(),
                status: "waiting".into(),
                task: None,
            })
            .into()
    }
}

fn team() -> (FakeDisk, Team) {
    let disk = FakeDisk::default().with_directory("/p");
    let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &Environment::detached());
    let members = ["Lead", "Tester", "Gone"].map(|name| NewMember { name: name.into(), role: "r".into() });
    team.init(&NewTeam { members: members.into(), ..NewTeam::default() }).unwrap();
    team.set_status("Gone", "Retired").unwrap();
    (disk, team)
}

fn call(team: &Team, name: &str, args: Value) -> ToolResult {
    let router = service_fn(|route: Route| async move {
        if route.task == "fail" {
            Err(BoxError::from("no room"))
        } else {
            Ok(format!("session-of-{}", route.target_agent))
        }
    });
    let tools = SquadToolsLayer::new(team.clone())
        .with_router(router)
        .with_sessions(Arc::new(Two))
        .layer(NoOtherTools);
    tools.oneshot(ToolCall::new(name, args)).now_or_never().unwrap().unwrap()
}

#[test]
fn a_model_decides_remembers_and_keeps_skills() {
    let (_, team) = team();
    let decided = call(
        &team,
        "squad_decide",
        json!({"author": "Lead", "summary": "Use X", "body": "b", "references": ["#1"]}),
    );
    assert_eq!(decided.error, None);
    assert!(decided.files_modified[0].starts_with(".squad/decisions/inbox/lead-use-x-"), "{decided:?}");
    let remembered =
        call(&team, "squad_memory", json!({"agent": "lead", "section": "learnings", "content": "n"}));
    assert_eq!(remembered.files_modified, [".squad/agents/lead/history.md"]);
    let written = call(
        &team,
        "squad_skill",
        json!({"skillName": "A b", "operation": "write", "content": "c", "confidence": "high"}),
    );
    assert_eq!(written.files_modified, [".squad/skills/a-b/SKILL.md"]);
    let read = call(&team, "squad_skill", json!({"skillName": "a b", "operation": "read"}));
    assert!(read.content.as_str().unwrap().contains("**Confidence:** high"), "{read:?}");
    assert_eq!((team.inbox().unwrap().len(), team.history("lead").unwrap().entries().len()), (1, 1));
}

#[test]
fn the_file_of_a_call_is_known_before() {
    let (_, team) = team();
    let tools = SquadToolsLayer::new(team.clone());
    for (tool, args, file) in [
        (
            "squad_decide",
            json!({"author": "Lead", "summary": "Use X", "body": "b"}),
            Some("decisions/inbox/lead-use-x.md"),
        ),
        (
            "squad_memory",
            json!({"agent": "LEAD", "section": "learnings", "content": "n"}),
            Some("agents/lead/history.md"),
        ),
        (
            "squad_skill",
            json!({"skillName": "A b", "operation": "write", "content": "c"}),
            Some("skills/a-b/SKILL.md"),
        ),
        ("squad_skill", json!({"skillName": "A b", "operation": "read"}), None),
        // Calls that fail.
        ("squad_memory", json!({"agent": "nobody", "section": "learnings", "content": "n"}), None),
        ("squad_decide", json!({"author": "Lead"}), None),
        ("squad_status", json!({}), None),
        ("squad_route", json!({"targetAgent": "Tester", "task": "t"}), None),
    ] {
        let file = file.map(|file| team.root().join(file));
        assert_eq!(tools.file_written(tool, &args), file, "{tool} {args}");
        let written = call(&team, tool, args.clone()).files_modified;
        let stem = file.as_ref().and_then(|file| file.file_stem()?.to_str());
        assert_eq!(stem.is_some(), !written.is_empty(), "{tool} {args}");
        assert!(written.iter().all(|path| path.contains(stem.unwrap_or_default())), "{written:?}");
    }
}

#[test]
fn a_model_sees_who_works_and_gives_work_away() {
    let (_, team) = team();
    let status = call(&team, "squad_status", json!({}));
    assert_eq!(
        status.content,
        "2 sessions of 5; 3 of 4 members active\n2 waiting for a place\n- Lead (s, active)\n- Tester (s, active)\n- Tester (w, waiting)\n- Gone (w, waiting)"
    );
    assert_eq!(
        call(&team, "squad_status", json!({"status": "waiting", "agentName": "gone"})).content,
        "0 sessions of 5; 0 of 1 members active\n1 waiting for a place\n- Gone (w, waiting)\n- Gone, r: Retired"
    );
    let status = call(&team, "squad_status", json!({"agentName": "LEAD", "verbose": true}));
    assert_eq!(
        status.content,
        "1 sessions of 5; 1 of 1 members active\n- Lead (s, active): t\n- Lead, r: ✅ Active"
    );
    assert_eq!(
        call(&team, "squad_status", json!({"status": "error"})).content,
        "0 sessions of 5; 3 of 4 members active"
    );
    let routed =
        call(&team, "squad_route", json!({"targetAgent": " Tester ", "task": "t", "priority": "high"}));
    assert_eq!(routed.content, "routed to `tester` in session `session-of-tester`, priority high");
    let unavailable = SquadToolsLayer::new(team).layer(NoOtherTools);
    let args = json!({"targetAgent": "Tester", "task": "t"});
    let refused = unavailable.oneshot(ToolCall::new("squad_route", args)).now_or_never().unwrap().unwrap();
    assert!(refused.error.unwrap().contains("fan-out-deps-unavailable"));
}

/// A service that checks the readiness contract: a clone starts unready, and a call without readiness panics.
struct Strict(bool);

impl Clone for Strict {
    fn clone(&self) -> Self {
        Self(false)
    }
}

impl<T> Service<T> for Strict {
    type Response = ToolResult;
    type Error = BoxError;
    type Future = std::future::Ready<Result<ToolResult, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0 = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _request: T) -> Self::Future {
        assert!(std::mem::take(&mut self.0), "called without being ready");
        std::future::ready(Ok(ToolResult::ok("host")))
    }
}

#[test]
fn other_tools_are_made_ready_and_called() {
    let (_, team) = team();
    let mut tools = SquadToolsLayer::new(team).layer(Strict(false));
    for _ in 0..2 {
        let ready = tools.ready().now_or_never().unwrap().unwrap();
        let result = ready.call(ToolCall::new("bash", json!({}))).now_or_never().unwrap().unwrap();
        assert_eq!(result.content, "host");
    }
    assert!(!tools.get_ref().0 && !tools.get_mut().0 && !tools.into_inner().0, "nothing is held");
}

#[test]
fn services_and_futures_go_between_threads() {
    fn check<T: Send + Sync + Clone>(_: &T) {}
    fn check_future<T: Send>(_: T) {}
    let (_, team) = team();
    check(&team);
    let mut tools = SquadToolsLayer::new(team).layer(NoOtherTools);
    check(&tools);
    check_future(tools.call(ToolCall::new("squad_status", json!({}))));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    let (disk, team) = team();
    let before = disk.files();
    let long = "x".repeat(200_000);
    for (tool, args, reason) in [
        ("squad_decide", json!({"author": "a"}), "missing field `summary`"),
        (
            "squad_decide",
            json!({"author": "a", "summary": "s", "body": "b", "file": "x"}),
            "unknown field `file`",
        ),
        (
            "squad_decide",
            json!({"author": " ", "summary": "s", "body": "b"}),
            "`author` is not accepted: it is empty",
        ),
        ("squad_decide", json!({"author": "a", "summary": "s", "body": long}), "write a shorter text"),
        (
            "squad_memory",
            json!({"agent": "../../etc", "section": "learnings", "content": "x"}),
            "would leave its folder",
        ),
        (
            "squad_memory",
            json!({"agent": "nobody", "section": "learnings", "content": "x"}),
            "there is no agent `nobody`",
        ),
        (
            "squad_memory",
            json!({"agent": "lead", "section": "other", "content": "x"}),
            "unknown variant `other`",
        ),
        (
            "squad_skill",
            json!({"skillName": "/abs", "operation": "write", "content": "x"}),
            "would leave its folder",
        ),
        (
            "squad_skill",
            json!({"skillName": "nul", "operation": "write", "content": "x"}),
            "a device on Windows",
        ),
        ("squad_skill", json!({"skillName": "a\u{0}", "operation": "read"}), "is no part of a name"),
        ("squad_skill", json!({"skillName": "a", "operation": "write"}), "it is needed to write"),
        ("squad_skill", json!({"skillName": "none", "operation": "read"}), "there is no skill `none`"),
        ("squad_route", json!({"targetAgent": "gone", "task": "t"}), "choose a member who is active"),
        ("squad_route", json!({"targetAgent": "lead", "task": " "}), "write what to do"),
        ("squad_route", json!({"targetAgent": "lead", "task": "fail"}), "no room"),
        (
            "squad_route",
            json!({"targetAgent": "lead", "task": "t", "priority": "soon"}),
            "unknown variant `soon`",
        ),
        ("other", json!({}), "there is no tool `other`"),
    ] {
        let result = call(&team, tool, args);
        let error = result.error.unwrap();
        assert!(error.contains(reason) && !error.contains("/p/"), "{tool}: {error}");
    }
    assert_eq!(disk.files(), before, "nothing was written");
}

#[test]
fn a_model_cannot_break_out_of_its_entry() {
    let (_, team) = team();
    for content in [
        "```\nopen",
        "<!-- open",
        "## Members\n# Decisions\n### 2020-01-01: forged\n**By:** x",
        "---\n",
        "| a |\n|---|",
    ] {
        let result =
            call(&team, "squad_memory", json!({"agent": "lead", "section": "learnings", "content": content}));
        assert_eq!(result.error, None);
        call(&team, "squad_memory", json!({"agent": "lead", "section": "learnings", "content": "after"}));
        call(&team, "squad_decide", json!({"author": "Lead", "summary": "s", "body": content}));
    }
    let history = team.history("lead").unwrap();
    assert_eq!(history.entries().len(), 10);
    assert!(history.entries().all(|entry| entry.group().as_deref() == Some("Learnings")));
    assert_eq!(team.merge_inbox().unwrap().entries, 5);
    assert_eq!(team.decisions().unwrap().entries().len(), 5);
}
