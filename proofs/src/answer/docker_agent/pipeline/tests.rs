//! One tool call through rules, hooks and the user, in both profiles.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hooks_command::config::{Known, read};
use hooks_command::{Engine, Profile, Rules};
use serde_json::{Value, json};

use super::{Call, Outcome, Pipeline, Reply, Rule, Session, Tool};
use crate::answer::docker_agent::scripted::Script;
use crate::answer::docker_agent::world::World;

const BOTH: [Profile; 2] = [Profile::July, Profile::September];

/// A call with its rules, hooks and session.
#[derive(Default)]
struct Case {
    hooks: Value,
    script: Vec<(&'static str, Value)>,
    session: Session,
    team: Rule,
    tool: Tool,
    reply: Option<Reply>,
}

impl Case {
    fn new(hooks: Value, script: impl Into<Vec<(&'static str, Value)>>) -> Self {
        let tool = Tool { name: "shell".to_owned(), output: "listed".to_owned(), ..Tool::default() };
        Self { hooks, script: script.into(), tool, ..Self::default() }
    }

    fn run(&self, profile: Profile) -> Outcome {
        let question = json!({"script": self.script.iter().cloned().collect::<BTreeMap<_, _>>()});
        let script = Arc::new(Script::from_question(&question));
        let found = read(&self.hooks, Known { profile, builtins: None, our_events: false, exactly: true });
        assert!(found.is_usable(), "{:?}", found.faults);
        let engine = Engine::new(
            found.block,
            Rules::exactly(profile),
            World::from_question(&question, &script).handlers(),
        );
        let pipeline = Pipeline {
            engine: &engine,
            folder: Path::new("/"),
            team: &self.team,
            tool: &self.tool,
            reply: self.reply.as_ref(),
        };
        let arguments = json!({"cmd": "ls -l", "cwd": "."}).as_object().cloned().unwrap();
        let mut session = self.session.clone();
        let ran = pipeline.run(&mut session, Call { id: "c".to_owned(), arguments });
        script.time().block_on(ran).expect("every wait ends")
    }
}

fn on(event: &str, command: &str) -> Value {
    json!({event: [{"hooks": [{"type": "command", "command": command}]}]})
}

fn verdict(word: &str) -> Value {
    let reply = json!({"hook_specific_output": {"permission_decision": word, "permission_decision_reason": "because"}});
    json!({"stdout": reply.to_string()})
}

fn source(outcome: &Outcome) -> (&str, &str) {
    outcome.approval.as_ref().map_or(("", ""), |approval| (&*approval.decision, &*approval.source))
}

#[test]
fn a_rule_that_denies_wins_over_auto_approval_and_hooks() {
    let mut case = Case::new(on("pre_tool_use", "h"), [("h", verdict("allow"))]);
    case.session.yolo = true;
    case.team.deny = vec!["shell:cmd=ls*".to_owned()];
    for profile in BOTH {
        let outcome = case.run(profile);
        assert_eq!(source(&outcome), ("deny", "team_permissions_deny"));
        assert_eq!(outcome.tool_result, "Tool 'shell' is denied by permissions configuration.");
        assert!(!outcome.tool_ran && outcome.events.is_empty());
    }
}

#[test]
fn a_rule_that_asks_skips_the_hook_and_auto_approval_skips_the_rule() {
    let mut case = Case::new(on("pre_tool_use", "h"), [("h", verdict("deny"))]);
    case.session.rules.ask = vec!["shell".to_owned()];
    case.reply = Some(Reply::Reject(None));
    for profile in BOTH {
        let outcome = case.run(profile);
        assert!(outcome.prompted && outcome.events.is_empty());
        assert_eq!(outcome.tool_result, "The user rejected the tool call.");
    }
    case.session.yolo = true;
    for profile in BOTH {
        assert_eq!(source(&case.run(profile)), ("allow", "yolo"));
    }
}

#[test]
fn nobody_to_ask_is_a_denial() {
    let mut case = Case::new(on("permission_request", "p"), [("p", json!({}))]);
    case.session.non_interactive = true;
    for profile in BOTH {
        let outcome = case.run(profile);
        assert_eq!(source(&outcome), ("deny", "non_interactive_deny"));
        assert_eq!(outcome.events, ["permission_request"]);
        assert!(!outcome.prompted && outcome.tool_result_is_error);
    }
}

#[test]
fn a_guard_that_asks_is_settled_by_nothing_but_a_person() {
    let hooks = json!({
        "tool_guard": [{"hooks": [{"type": "command", "command": "g"}]}],
        "permission_request": [{"hooks": [{"type": "command", "command": "p"}]}]
    });
    let mut case = Case::new(hooks, [("g", verdict("ask")), ("p", verdict("allow"))]);
    case.session.yolo = true;
    case.session.rules.allow = vec!["shell".to_owned()];
    case.reply = Some(Reply::Approve);
    let outcome = case.run(Profile::September);
    assert!(outcome.prompted && outcome.tool_ran);
    assert_eq!(
        (source(&outcome), &*outcome.events),
        (("allow", "user_approved"), &["tool_guard".to_owned()][..])
    );
    case.session.rules.deny = vec!["sh*".to_owned()];
    assert_eq!(source(&case.run(Profile::September)), ("deny", "session_permissions_deny"));
}

#[test]
fn a_lane_that_preempts_is_settled_by_a_grant_of_the_person() {
    let hooks = json!({"pre_tool_use": [
        {"preempt_yolo": true, "hooks": [{"type": "command", "command": "g"}]}
    ]});
    let mut case = Case::new(hooks, [("g", verdict("ask"))]);
    case.session.rules.allow = vec!["shell:cmd=ls*".to_owned()];
    for profile in BOTH {
        assert_eq!(source(&case.run(profile)), ("allow", "session_permissions_allow"));
    }
    // A grant of the team is not a grant of the user.
    case.team = std::mem::take(&mut case.session.rules);
    case.reply = Some(Reply::ApproveTool(None));
    for profile in BOTH {
        let outcome = case.run(profile);
        assert_eq!(source(&outcome), ("allow", "user_approved_tool"));
        assert_eq!(outcome.session_allow_after, ["shell"]);
    }
}

#[test]
fn what_fails_in_front_of_auto_approval() {
    let hooks =
        json!({"pre_tool_use": [{"preempt_yolo": true, "hooks": [{"type": "command", "command": "g"}]}]});
    let mut case = Case::new(hooks, [("g", json!({"spawn_error": "no"}))]);
    case.session.yolo = true;
    assert!(case.run(Profile::July).tool_ran, "as it was");
    let outcome = case.run(Profile::September);
    assert!(!outcome.tool_ran && outcome.hook_blocked.is_some());
}

#[test]
fn refusals_are_transformed_too_and_verdicts_are_told() {
    let hooks = json!({
        "permission_request": [{"hooks": [{"type": "command", "command": "p"}]}],
        "on_tool_approval_decision": [{"type": "command", "command": "log"}],
        "tool_response_transform": [{"hooks": [{"type": "command", "command": "t"}]}]
    });
    let masked = json!({"hook_specific_output": {"updated_tool_response": "[masked]"}}).to_string();
    let script = [("p", verdict("deny")), ("log", json!({})), ("t", json!({"stdout": masked}))];
    let case = Case::new(hooks, script);
    for profile in BOTH {
        let outcome = case.run(profile);
        assert_eq!((outcome.tool_result.as_str(), outcome.tool_result_is_error), ("[masked]", true));
        let events = ["permission_request", "on_tool_approval_decision", "tool_response_transform"];
        assert_eq!(outcome.events, events);
        assert_eq!(source(&outcome), ("deny", "permission_request_hook_deny"));
    }
}

#[test]
fn a_transform_comes_first_and_guards_see_what_it_left() {
    let hooks = json!({
        "tool_input_transform": [{"hooks": [{"type": "command", "command": "t"}]}],
        "tool_guard": [{"hooks": [{"type": "command", "command": "g"}]}]
    });
    let patch = json!({"hook_specific_output": {"updated_input": {"cmd": "ls -h"}}}).to_string();
    let mut case = Case::new(hooks, [("t", json!({"stdout": patch})), ("g", json!({}))]);
    case.session.yolo = true;
    let outcome = case.run(Profile::September);
    assert_eq!(Value::Object(outcome.tool_ran_with.unwrap()), json!({"cmd": "ls -h", "cwd": "."}));
    assert_eq!(outcome.events, ["tool_input_transform", "tool_guard"]);
}
