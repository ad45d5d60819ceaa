use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::event::{PostToolUse, PreToolUse, Route, SubagentStart};
use hooks_core::testing::{FakeClock, FakeDisk, FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Hooks, Policy, Strength, assert_policy_laws};
use hooks_facts::calls::CallReader;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::{team, verdict_on};

const DENY: Strength = Strength::Deny;
const PASS: Strength = Strength::NoOpinion;
const CEREMONIES: &str = "# C\n\n## Design Review\n\n| Field | Value |\n|--|--|\n| Facilitator | Lead |\n| Participants | Backend, Fact Checker |\n| Time budget | focused |\n";

struct Room {
    gates: Arc<CeremonyGates>,
    held: HeldCeremonies,
    context: HookContext,
    clock: Arc<FakeClock>,
}

impl Room {
    fn new(config: Value, disk: Option<&FakeDisk>) -> Self {
        let held = HeldCeremonies::new(serde_json::from_value(config).unwrap());
        let held = match disk {
            Some(disk) => held.with_team(team(disk)),
            None => held,
        };
        let gates = Arc::new(CeremonyGates::new(held.clone(), &CallReader::default()).unwrap());
        let (environment, clock, _) = world(FakeFileSystem::default());
        let context = HookContext::new("s", "backend").in_dir("/repo").with_environment(environment);
        Self { gates, held, context, clock }
    }

    fn by(&self, agent: &str) -> HookContext {
        let mut context = self.context.clone();
        agent.clone_into(&mut context.agent_name);
        context
    }

    fn judge(&self, agent: &str, tool: &str, args: Value) -> (Strength, String) {
        verdict_on(&self.gates, &HookRequest::new(self.by(agent), PreToolUse::new(tool, args)))
    }

    fn edit(&self, agent: &str) -> Strength {
        self.judge(agent, "edit", json!({"path": "src/a"})).0
    }
}

fn disk() -> FakeDisk {
    FakeDisk::default().with_file("/repo/.squad/ceremonies.md", CEREMONIES)
}

#[test]
fn tools_are_closed_while_a_ceremony_is_held() {
    let room = Room::new(json!({}), None);
    assert_eq!(room.edit("backend"), PASS);
    room.held.start(&room.context, "Review", "host").unwrap();
    for (tool, args, wanted) in [
        ("edit", json!({"path": "src/a"}), DENY),
        ("write_new_thing", json!({"path": "a", "content": "b"}), DENY),
        ("bash", json!({"command": "echo x > y"}), DENY),
        ("bash", json!({"command": "make"}), DENY),
        ("bash", json!({"command": "cat y"}), PASS),
        ("read_file", json!({"path": "src/a"}), PASS),
        ("Task", json!({"prompt": "x", "subagent_type": "y"}), PASS),
        ("ask_user", json!({}), PASS),
    ] {
        assert_eq!(room.judge("backend", tool, args.clone()).0, wanted, "{tool} {args}");
    }
    assert_eq!(room.judge("backend", "edit", json!({"path": "a"})).1, "Review");
    assert!(room.held.end(&room.context, "review").unwrap());
    assert!(!room.held.end(&room.context, "review").unwrap());
    assert_eq!(room.edit("backend"), PASS);
}

#[test]
fn a_ceremony_ends_by_itself_when_its_time_is_over() {
    let disk = disk();
    for (name, disk, minutes) in
        [("Design Review", Some(&disk), 15), ("Other", Some(&disk), 45), ("Design Review", None, 45)]
    {
        let room = Room::new(json!({}), disk);
        let held = room.held.start(&room.context, name, "host").unwrap();
        assert_eq!(held.until.since(held.since), Duration::from_secs(minutes * 60), "{name}");
        room.clock.advance(Duration::from_secs(minutes * 60 - 1));
        assert_eq!(room.edit("backend"), DENY, "{name}");
        room.clock.advance(Duration::from_secs(1));
        assert_eq!(room.edit("backend"), PASS, "{name}");
    }
}

#[test]
fn only_those_who_take_part_are_bound() {
    let disk = disk();
    let room = Room::new(json!({}), Some(&disk));
    room.held.start(&room.context, "design review", "host").unwrap();
    for (agent, wanted) in
        [("Backend", DENY), ("fact-checker", DENY), ("lead", DENY), ("", DENY), ("scribe", PASS)]
    {
        assert_eq!(room.edit(agent), wanted, "{agent:?}");
    }
    // Another process sees it too.
    let other = Room::new(json!({}), Some(&disk));
    assert_eq!(other.edit("backend"), DENY);
    assert!(other.held.end(&other.context, "Design Review").unwrap());
    assert_eq!(room.edit("backend"), PASS);
}

#[test]
fn no_agent_changes_the_state() {
    let disk = disk();
    let room = Room::new(json!({"closes": ["spawns"]}), Some(&disk));
    for (tool, args, wanted) in [
        ("edit", json!({"path": ".squad/.hooks/ceremonies.json"}), DENY),
        ("bash", json!({"command": "rm .squad/.hooks/ceremonies.json"}), DENY),
        ("bash", json!({"command": "rm -rf .squad"}), DENY),
        ("bash", json!({"command": "mv .squad/.hooks x"}), DENY),
        ("edit", json!({"path": "file:///repo/.squad/.hooks/ceremonies.json"}), DENY),
        ("edit", json!({"path": "~/repo/.Squad/.hooks/ceremonies.json"}), DENY),
        ("bash", json!({"command": "rm -r ~/repo"}), DENY),
        ("edit", json!({"path": "~/notes"}), PASS),
        ("edit", json!({"path": ".squad/ceremonies.md"}), PASS),
        ("bash", json!({"command": "cat .squad/.hooks/ceremonies.json"}), PASS),
    ] {
        for agent in ["scribe", "backend"] {
            assert_eq!(room.judge(agent, tool, args.clone()).0, wanted, "{agent} {tool} {args}");
        }
    }
}

#[test]
fn a_state_that_cannot_be_read_closes_the_gates() {
    let disk = disk();
    let room = Room::new(json!({}), Some(&disk));
    disk.put("/repo/.squad/.hooks/ceremonies.json", "{broken");
    assert_eq!(room.judge("scribe", "edit", json!({"path": "a"})), (DENY, "state".to_owned()));
    assert_eq!(room.judge("scribe", "read_file", json!({"path": "a"})).0, PASS);
    assert!(room.held.start(&room.context, "x", "host").is_err());
    // Any ceremony may be held: what only one of them closes is closed too.
    let config = json!({"gates": {
        "Standup": {"closes": ["spawns", "routes"]},
        "Demo": {"closes": [], "tools": ["deploy*"]},
    }});
    let room = Room::new(config, Some(&disk));
    for (tool, args, wanted) in [
        ("edit", json!({"path": "a"}), DENY),
        ("Task", json!({"prompt": "x"}), DENY),
        ("Deploy_App", json!({}), DENY),
        ("read_file", json!({"path": "a"}), PASS),
    ] {
        assert_eq!(room.judge("lead", tool, args).0, wanted, "{tool}");
    }
    let spawn = HookRequest::new(room.by("lead"), SubagentStart::new("a", "t"));
    assert_eq!(room.gates.judge(&spawn).strength(), DENY);
}

#[test]
fn each_gate_closes_what_it_lists() {
    let config = json!({"gates": {
        "Standup": {"closes": ["commands", "spawns", "routes"]},
        "Demo": {"closes": [], "tools": ["deploy*"], "time": "1h"},
    }});
    let room = Room::new(config, None);
    let events = |room: &Room| {
        let context = room.by("lead");
        let spawn =
            room.gates.judge(&HookRequest::new(context.clone(), SubagentStart::new("a", "t"))).strength();
        let route = room.gates.judge(&HookRequest::new(context, Route::new("a", "t"))).strength();
        (spawn, route)
    };
    assert_eq!(events(&room), (PASS, PASS));
    room.held.start(&room.context, "standup", "host").unwrap();
    assert_eq!(events(&room), (DENY, DENY));
    for (tool, args, wanted) in [
        ("bash", json!({"command": "ls"}), DENY),
        ("edit", json!({"path": "a"}), PASS),
        ("Task", json!({"prompt": "x"}), DENY),
        ("squad_route", json!({"targetAgent": "a", "task": "t"}), DENY),
        ("deploy_app", json!({}), PASS),
    ] {
        assert_eq!(room.judge("lead", tool, args.clone()).0, wanted, "{tool} {args}");
    }
    room.held.start(&room.context, "Demo", "host").unwrap();
    assert_eq!(room.judge("lead", "Deploy_App", json!({})), (DENY, "Demo".to_owned()));
}

#[test]
fn tools_of_the_host_start_and_end_a_ceremony() {
    let config = json!({"gates": {"Retro": {
        "participants": ["backend"], "started_by": ["open_retro"], "ended_by": ["close_retro"],
    }}});
    let room = Room::new(config, None);
    let hooks = Hooks::builder().observer::<PostToolUse>(Arc::clone(&room.gates)).build();
    let ran = |agent: &str, tool: &str, error: Option<&str>| {
        let call = PreToolUse::new(tool, json!({}));
        let event = PostToolUse::after(&call, json!("done"), error.map(str::to_owned), 1);
        hooks.on(room.by(agent)).post_tool_use(event).now_or_never().unwrap();
    };
    ran("lead", "open_retro", Some("failed"));
    assert_eq!(room.edit("backend"), PASS, "a failed call starts nothing");
    ran("lead", "open_retro", None);
    assert_eq!((room.edit("backend"), room.edit("lead")), (DENY, PASS));
    for agent in ["Backend", ""] {
        ran(agent, "close_retro", None);
        assert_eq!(room.edit("backend"), DENY, "{agent:?} takes part, and does not end it");
    }
    ran("lead", "close_retro", None);
    assert_eq!(room.edit("backend"), PASS);
}

#[test]
fn sessions_of_other_folders_and_tenants_are_not_bound() {
    let room = Room::new(json!({}), None);
    room.held.start(&room.context, "Review", "host").unwrap();
    let edit = |context| {
        verdict_on(&room.gates, &HookRequest::new(context, PreToolUse::new("edit", json!({"path": "a"})))).0
    };
    assert_eq!(edit(room.context.clone()), DENY);
    assert_eq!(edit(room.context.clone().in_dir("/other")), PASS);
    assert_eq!(edit(room.context.clone().for_tenant("acme")), PASS);
}

#[test]
fn mistakes_are_reported() {
    let config: CeremoniesConfig = serde_json::from_value(json!({
        "focused": "0s",
        "gates": {
            "A": {"closes": [], "tools": [" "]},
            "B": {"closes": []},
            "C d": {"time": "0s"},
            "c D": {},
            " ": {},
        },
    }))
    .unwrap();
    let errors = CeremonyGates::new(HeldCeremonies::new(config), &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    let wanted = [
        "ceremonies.focused",
        "ceremonies.gates. ",
        "ceremonies.gates.A.tools[0]",
        "ceremonies.gates.B",
        "ceremonies.gates.C d.time",
        "ceremonies.gates.c D",
    ];
    assert_eq!(fields, wanted);
}

#[test]
fn the_laws_hold() {
    let room = Room::new(json!({"closes": ["writes", "commands", "spawns", "routes"]}), None);
    room.held.start(&room.context, "Review", "host").unwrap();
    assert_policy_laws!(PreToolUse, Arc::clone(&room.gates), room.context.clone());
    assert_policy_laws!(SubagentStart, Arc::clone(&room.gates), room.context.clone());
    assert_policy_laws!(Route, Arc::clone(&room.gates), room.context.clone());
}

proptest! {
    /// Another ceremony never allows more, and a held one denies only what it closes.
    #[test]
    fn another_ceremony_never_allows_more(
        first in prop::collection::btree_set(0..5usize, 0..4),
        second in prop::collection::btree_set(0..5usize, 0..4),
        call in 0..5usize,
    ) {
        let words = ["writes", "writing_commands", "commands", "spawns", "routes"];
        let list = |all: &std::collections::BTreeSet<usize>| all.iter().map(|at| words[*at]).collect::<Vec<_>>();
        let gate = |all| json!({"closes": list(all), "tools": ["none"]});
        let room = Room::new(json!({"gates": {"One": gate(&first), "Two": gate(&second)}}), None);
        let calls = [
            ("edit", json!({"path": "a"})),
            ("bash", json!({"command": "make"})),
            ("bash", json!({"command": "ls"})),
            ("Task", json!({"prompt": "x"})),
            ("squad_route", json!({"targetAgent": "a", "task": "t"})),
        ];
        let (tool, args) = calls[call].clone();
        let judge = || room.judge("a", tool, args.clone()).0;
        prop_assert_eq!(judge(), PASS);
        room.held.start(&room.context, "One", "host").unwrap();
        let one = judge();
        room.held.start(&room.context, "Two", "host").unwrap();
        prop_assert!(judge() >= one);
    }
}
