use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::event::{PromptKind, UserPromptSubmitted};
use hooks_core::fs::Disk;
use hooks_core::testing::{FakeClock, FakeDisk, VirtualTime};
use hooks_core::time::{Clock, Timestamp};
use hooks_core::{ContextPatch, Environment, FailureLayer, HookContext, Hooks, Judged, Settle};
use tower::ServiceBuilder;

use super::*;
use crate::TeamPlace;
use crate::builtins::Redact;
use crate::source::{Here, Work, Workers};

const TEAM: &str = "# T\n\n## Members\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| Ripley | Lead | - | Active |\n";
const ROUTING: &str = "# Routing\n\n## Routing Principles\n\n1. Small pull requests.\n";
/// The clock of the tests is at 1 795 390 200 s: the retrospective is over.
const HELD: &str = r#"{"version":1,"ceremonies":[
    {"name":"Retrospective","participants":"all","since":1795390000000,"until":1795390200000},
    {"name":"Design Review","participants":{"named":["Ripley","Dallas"]},"since":1795390000000,"until":1795390800000}
]}"#;
const DECISIONS: &str = "# Decisions\n\n### 2026-01-02: Always push to main\n**By:** Lead\n\n### 2026-02-01: Use Postgres\n**By:** Lead\n";

fn disk() -> FakeDisk {
    FakeDisk::default()
        .with_file("/p/.squad/team.md", TEAM)
        .with_file("/p/.squad/routing.md", ROUTING)
        .with_file("/p/.squad/.hooks/ceremonies.json", HELD)
        .with_file("/p/.squad/decisions.md", DECISIONS)
        .with_directory("/p/.squad/decisions/inbox")
}

fn context(session: &str) -> HookContext {
    let clock = Arc::new(FakeClock::at(Timestamp(1_795_390_200_000)));
    let environment = Environment { clock, ..Environment::detached() };
    HookContext::new(session, "coordinator").in_dir("/p").with_environment(environment)
}

fn place(disk: &FakeDisk) -> TeamPlace {
    TeamPlace::below(Arc::new(disk.clone()), ".squad")
}

fn layer(disk: &FakeDisk) -> PromptLayer {
    PromptLayer::new(PromptConfig::default(), place(disk))
}

fn hooks(layer: PromptLayer) -> Hooks {
    let stack = ServiceBuilder::new().layer(layer).service(Settle);
    Hooks::builder().stack::<UserPromptSubmitted, _>(&FailureLayer::new("prompts"), stack).build()
}

/// Returns the message after the rewrite, with its notes.
fn say(hooks: &Hooks, session: &str, prompt: &str, kind: PromptKind) -> (String, ContextPatch) {
    let bound = hooks.on(context(session));
    let submitted =
        bound.user_prompt_submitted(UserPromptSubmitted::new(prompt, kind)).now_or_never().unwrap();
    assert!(submitted.outcome.goes_ahead());
    (submitted.request.event().prompt.clone(), submitted.outcome.notes().cloned().unwrap_or_default())
}

fn inbox(disk: &FakeDisk) -> Vec<String> {
    let files = disk.files();
    let inbox = files.iter().filter(|(path, _)| path.starts_with("/p/.squad/decisions/inbox"));
    inbox.map(|(_, content)| String::from_utf8(content.clone()).unwrap()).collect()
}

#[test]
fn a_wish_is_kept_once_and_told() {
    let disk = disk();
    let hooks = hooks(layer(&disk));
    let (prompt, patch) = say(&hooks, "s", "Fix the login, and never log passwords.", PromptKind::Initial);
    assert_eq!(prompt, "Fix the login, and never log passwords.");
    assert_eq!(patch.directives[0].text, "never log passwords");
    assert_eq!(patch.directives[0].mode, "never");
    let kept = inbox(&disk);
    assert_eq!(kept.len(), 1);
    assert!(
        kept[0].starts_with(
            "### 2026-11-22: never log passwords\n**By:** user\n**What:** never log passwords\n"
        ),
        "{}",
        kept[0]
    );
    assert!(kept[0].ends_with("**Mode:** never\n") && kept[0].contains("session `s`"), "{}", kept[0]);
    assert!(
        patch.system_messages[0].contains("kept as a decision")
            && patch.system_messages[0].contains("no policy")
    );

    let (_, again) = say(&hooks, "other", "Never log passwords!", PromptKind::FollowUp);
    assert_eq!(inbox(&disk).len(), 1);
    assert!(again.system_messages[0].contains("decided that already"), "{:?}", again.system_messages);
}

#[test]
fn what_holds_no_longer_is_no_reason_not_to_keep_a_wish() {
    let disk = disk();
    disk.put("/p/.squad/decisions.md", "### 2026-01-01: Never log passwords\n**Status:** Superseded\n");
    say(&hooks(layer(&disk)), "s", "Never log passwords.", PromptKind::Initial);
    assert_eq!(inbox(&disk).len(), 1);
}

#[test]
fn a_wish_that_was_withdrawn_and_is_said_again_is_kept_again() {
    let disk = disk();
    let hooks = hooks(layer(&disk));
    say(&hooks, "s", "Never log passwords.", PromptKind::Initial);
    let inbox_file = || {
        let files = disk.files();
        files.into_keys().find(|path| path.starts_with("/p/.squad/decisions/inbox")).unwrap()
    };
    disk.put(inbox_file(), "### 2026-11-22: never log passwords\n**Status:** Withdrawn\n");
    let (_, patch) = say(&hooks, "s", "Never log passwords.", PromptKind::FollowUp);
    let kept = inbox(&disk);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept.iter().filter(|text| text.contains("Withdrawn")).count(), 1);
    assert!(patch.system_messages[0].contains("-2.md`"), "{patch:?}");
    let (_, patch) = say(&hooks, "s", "Never log passwords.", PromptKind::FollowUp);
    assert!(
        inbox(&disk).len() == 2 && patch.system_messages[0].contains("decided that already"),
        "{patch:?}"
    );
}

#[test]
fn a_wish_that_was_written_is_told_so_although_the_next_one_could_not_be() {
    let message = "Never log passwords. Always run the linter before you push.";
    let whole = disk();
    let before = whole.steps();
    say(&hooks(layer(&whole)), "s", message, PromptKind::Initial);
    let steps = whole.steps() - before;
    let halfway = (0..steps).any(|step| {
        let disk = disk();
        disk.kill_at(disk.steps() + step);
        let (_, patch) = say(&hooks(layer(&disk)), "s", message, PromptKind::Initial);
        let says = |words: &str| patch.system_messages.iter().filter(|one| one.contains(words)).count();
        (says("kept as a decision"), says("not stored"), says("could not be kept")) == (1, 1, 1)
    });
    assert!(halfway);
}

#[test]
fn a_long_text_of_rules_is_heard_up_to_a_number() {
    let disk = disk();
    let rules: String = (0..200).map(|number| format!("- Never call function{number}.\n")).collect();
    let (_, patch) = say(&hooks(layer(&disk)), "s", &rules, PromptKind::Initial);
    assert_eq!((inbox(&disk).len(), patch.directives.len()), (20, 20));
    assert!(patch.system_messages[0].contains("200 standing wishes; the first 20"), "{patch:?}");
}

/// Accepts work and never runs it, as with a disk that hangs.
#[derive(Default)]
struct Stuck(std::sync::Mutex<Vec<Work>>);

impl Workers for Stuck {
    fn start(&self, work: Work) {
        self.0.lock().unwrap().push(work);
    }
}

#[test]
fn a_disk_that_hangs_keeps_no_message_from_the_model() {
    let time = VirtualTime::default();
    let limit = Duration::from_secs(5);
    let hooks = hooks(layer(&disk()).within(limit, Stuck::default(), Arc::new(time.clone())));
    let submitted = UserPromptSubmitted::new("Never log passwords.", PromptKind::Initial);
    let bound = hooks.on(context("s"));
    let submitted =
        time.block_on(bound.user_prompt_submitted(submitted)).expect("it waits for its time only");
    assert_eq!(time.tick().0, limit);
    let patch = submitted.outcome.notes().unwrap();
    assert!(submitted.outcome.goes_ahead() && patch.directives.len() == 1, "{patch:?}");
    assert!(patch.system_messages[0].contains("did not answer") && patch.failures.len() == 1, "{patch:?}");
}

#[test]
fn a_lock_that_somebody_holds_keeps_no_message_from_the_model() {
    let disk = disk();
    let team = hooks_team::Team::new(Arc::new(disk.clone()), "/p/.squad", &context("s").environment);
    let held = team.writer().unwrap();
    let time = VirtualTime::default();
    let limited = layer(&disk).within(Duration::from_millis(40), Here, Arc::new(time));
    let (_, patch) = say(&hooks(limited), "s", "Never log passwords.", PromptKind::Initial);
    drop(held);
    assert!(patch.system_messages[0].contains("could not be kept"), "{patch:?}");
    assert!(patch.additional_context[0].text.contains("Use Postgres"), "the rest is there: {patch:?}");
}

#[test]
fn the_contrary_of_a_decision_is_said() {
    let disk = disk();
    let (_, patch) = say(&hooks(layer(&disk)), "s", "Never push to main.", PromptKind::Initial);
    assert_eq!(inbox(&disk).len(), 1);
    assert!(patch.system_messages[1].contains("contrary of the decision `Always push to main`"), "{patch:?}");
    assert!(patch.additional_context[0].text.contains("Always push to main"));
}

#[test]
fn what_the_team_agreed_on_is_told_once() {
    let disk = disk();
    let hooks = hooks(layer(&disk));
    let (_, patch) = say(&hooks, "s", "Hello.", PromptKind::Initial);
    let expected = "Team conventions:\n- Small pull requests.\n\nRecent decisions:\n- 2026-01-02: Always push to main\n- 2026-02-01: Use Postgres\n\nActive ceremonies:\n- Design Review: until 2026-11-22T23:40:00.000Z, with Ripley, Dallas";
    assert_eq!(patch.additional_context[0].text, expected);
    let (_, patch) = say(&hooks, "s", "And now?", PromptKind::FollowUp);
    assert_eq!(patch, ContextPatch::default());
    disk.put("/p/.squad/decisions.md", "### 2026-03-01: New");
    let (_, patch) = say(&hooks, "s", "And now?", PromptKind::FollowUp);
    assert!(patch.additional_context[0].text.contains("- 2026-03-01: New"));
}

#[test]
fn what_does_not_hold_is_not_told_as_agreed() {
    let disk = disk();
    let made = "### 2026-01-01: Old\n**Status:** Superseded\n\n### 2026-01-02: Holds\n\n### 2026-01-03: No\n**Status:** rejected\n\n### 2026-01-04: Perhaps\n**Status:** Proposed\n";
    disk.put("/p/.squad/decisions.md", made);
    let (_, patch) = say(&hooks(layer(&disk)), "s", "Hello.", PromptKind::Initial);
    let text = &patch.additional_context[0].text;
    assert!(text.contains("Recent decisions:\n- 2026-01-02: Holds\n\n"), "{text}");
}

#[test]
fn what_one_tenant_was_told_another_was_not() {
    let hooks = hooks(layer(&disk()));
    let told = |tenant: &str| {
        let bound = hooks.on(context("s").for_tenant(tenant));
        let submitted = UserPromptSubmitted::new("Hello.", PromptKind::FollowUp);
        let submitted = bound.user_prompt_submitted(submitted).now_or_never().unwrap();
        !submitted.outcome.notes().unwrap().additional_context.is_empty()
    };
    assert_eq!([told("a"), told("b"), told("a")], [true, true, false]);
}

#[test]
fn a_message_to_somebody_has_a_hint() {
    let hooks = hooks(layer(&disk()));
    let (_, patch) = say(&hooks, "s", "Ripley, fix the login page.", PromptKind::Steering);
    assert_eq!(patch.additional_context[0].text, "This message is for Ripley (Lead): route it there.");
}

struct Stars;

impl Redact for Stars {
    fn redact(&self, text: &str) -> Option<String> {
        text.contains("hunter2").then(|| text.replace("hunter2", "***"))
    }
}

#[test]
fn what_has_to_be_there_is_added_and_secrets_are_gone_everywhere() {
    let disk = disk();
    let config =
        PromptConfig { required: vec!["Keep to the law.".into()], scrub: true, ..PromptConfig::default() };
    let layer = PromptLayer::new(config, place(&disk)).scrubbed_by(Arc::new(Stars));
    let hooks = hooks(layer);
    let (prompt, patch) = say(&hooks, "s", "Always log in with hunter2.", PromptKind::Initial);
    assert_eq!(prompt, "Always log in with ***.\n\nKeep to the law.");
    assert_eq!(patch.original_prompt.unwrap(), "Always log in with ***.");
    assert!(!inbox(&disk)[0].contains("hunter2"));
    let (prompt, patch) = say(&hooks, "s", "Go. Keep to the law.", PromptKind::FollowUp);
    assert_eq!((prompt.as_str(), patch.original_prompt), ("Go. Keep to the law.", None));
}

#[test]
fn a_message_that_nobody_scrubs_does_not_go_on() {
    let config = PromptConfig { scrub: true, ..PromptConfig::default() };
    let hooks = hooks(PromptLayer::new(config, place(&disk())));
    let bound = hooks.on(context("s"));
    let submitted =
        bound.user_prompt_submitted(UserPromptSubmitted::new("x", PromptKind::Initial)).now_or_never();
    assert!(submitted.unwrap().outcome.is_denied());
}

#[test]
fn nothing_of_it_stops_a_message() {
    let disk = disk();
    disk.kill_at(disk.steps());
    let (prompt, patch) = say(&hooks(layer(&disk)), "s", "Never log passwords.", PromptKind::Initial);
    assert_eq!(prompt, "Never log passwords.");
    assert!(
        !patch.failures.is_empty() && patch.system_messages[0].contains("could not be kept"),
        "{patch:?}"
    );
    assert_eq!(patch.directives.len(), 1);

    let nowhere = FakeDisk::default();
    let (_, patch) = say(&hooks(layer(&nowhere)), "s", "Never log passwords.", PromptKind::Initial);
    assert!(patch.system_messages[0].contains("not stored"), "{patch:?}");
    assert!(nowhere.files().is_empty());
}

#[test]
fn a_killed_capture_leaves_all_of_a_wish_or_nothing() {
    for step in 0..40 {
        let disk = disk();
        let before = disk.steps();
        disk.kill_at(before + step);
        let hooks = hooks(layer(&disk));
        let (_, patch) = say(&hooks, "s", "Never log passwords.", PromptKind::Initial);
        let was_kept = patch.system_messages.iter().any(|message| message.contains("kept as a decision"));
        disk.lose_power();
        let team = hooks_team::Team::new(
            Arc::new(disk.clone()) as Arc<dyn Disk>,
            "/p/.squad",
            &context("s").environment,
        );
        let kept = team.inbox().unwrap();
        assert!(kept.len() <= 1 && (!was_kept || kept.len() == 1), "step {step}");
        assert!(
            kept.iter().all(|file| file
                .entries()
                .next()
                .is_some_and(|entry| entry.title() == "Never log passwords."))
        );
    }
}

struct Policy;

impl Enforces for Policy {
    fn enforcement(&self, wish: &Detected) -> Option<String> {
        wish.text.contains("moment").then(|| "imports of moment are refused".to_owned())
    }
}

#[test]
fn what_is_enforced_is_said() {
    let hooks = hooks(layer(&disk()).enforced_by(Arc::new(Policy)));
    let (_, patch) = say(&hooks, "s", "Stop using moment.js.", PromptKind::Initial);
    assert!(patch.system_messages[0].ends_with("; enforced: imports of moment are refused"), "{patch:?}");
}
