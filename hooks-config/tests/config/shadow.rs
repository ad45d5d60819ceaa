//! `mode: observe`: rules that are tried before they are enforced.

use hooks_config::{Config, ConfigReader};
use hooks_core::event::PreToolUse;
use hooks_core::time::Timestamp;
use hooks_core::{Decision, Ending, HookContext, HookRequest, Judged, Reason, Strength, conclude};
use proptest::prelude::*;
use serde_json::{Value, json};

fn hooks(text: &str) -> hooks_core::Hooks {
    Config::parse(text, "hooks.yaml").unwrap_or_else(|errors| panic!("{text}\n{errors}")).hooks()
}

fn errors(text: &str) -> Vec<String> {
    let errors = Config::parse(text, "hooks.yaml").map(drop).expect_err(text);
    errors
        .errors()
        .iter()
        .map(|error| {
            let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            format!("{}:{} {}{hint}", error.line, error.path, error.message)
        })
        .collect()
}

fn context() -> HookContext {
    HookContext::new("s", "backend").in_dir("/no-such-repo").with_environment(hooks_system::system())
}

/// Decides a call, with the limits.
fn decide_in(
    context: HookContext,
    hooks: &hooks_core::Hooks,
    tool: &str,
    args: Value,
) -> Decision<PreToolUse> {
    let request = HookRequest::new(context, PreToolUse::new(tool, args));
    let mut decision =
        futures_util::FutureExt::now_or_never(conclude(hooks, request, Ending::Open)).expect("no wait");
    decision.commit();
    decision.outcome
}

fn decide(hooks: &hooks_core::Hooks, tool: &str, args: Value) -> Decision<PreToolUse> {
    decide_in(context(), hooks, tool, args)
}

fn bash(hooks: &hooks_core::Hooks, command: &str) -> Decision<PreToolUse> {
    decide(hooks, "bash", json!({ "command": command }))
}

/// Strongest answer of the rules in the shadow.
fn would(outcome: &Decision<PreToolUse>) -> Strength {
    outcome.reasons().iter().filter_map(|reason| reason.would).max().unwrap_or_default()
}

#[test]
fn a_rule_a_section_and_a_file_are_observed() {
    for text in [
        "version: 1\nrules: [{ name: no-push, commands: [git push], mode: observe }]",
        "version: 1\ncommand_guard: { block: [git push], mode: observe }",
        "version: 1\nmode: observe\ncommand_guard: { block: [git push] }",
        "version: 1\nmode: observe\nrules: [{ name: no-push, commands: [git push] }]",
        "version: 1\npacks: [{ name: git, action: deny, mode: observe }]",
        "version: 1\nmode: observe\npacks: [{ name: git, action: deny }]",
    ] {
        let outcome = bash(&hooks(text), "git push --force origin main");
        assert_eq!((outcome.strength(), would(&outcome)), (Strength::NoOpinion, Strength::Deny), "{text}");
        assert_eq!(outcome.text_for_agent(), None, "{text}");
    }
}

#[test]
fn a_part_of_an_observed_file_may_be_enforced() {
    let hooks = hooks(
        "version: 1\nmode: observe\ncommand_guard: { block: [git push] }\n\
         rules: [{ name: no-npm, commands: [npm publish], mode: enforce }, { name: ask, action: ask, commands: [npm] }]\n\
         protected: [deploy/**]\n",
    );
    assert_eq!(bash(&hooks, "npm publish").strength(), Strength::Deny);
    assert_eq!(bash(&hooks, "git push").strength(), Strength::NoOpinion);
    let asked = bash(&hooks, "npm test");
    assert_eq!((asked.strength(), would(&asked)), (Strength::NoOpinion, Strength::Ask));
    // The list of protected files is not a rule that is tried.
    let written = decide(&hooks, "write_file", json!({"path": "deploy/a", "content": ""}));
    assert_eq!(written.strength(), Strength::Deny);
}

#[test]
fn rules_of_each_action_say_what_they_would_have_done() {
    let hooks = hooks(
        "version: 1\nrules:\n  - { name: deny-it, commands: [git push], mode: observe }\n  \
         - { name: ask-it, action: ask, commands: [git push], mode: observe }\n  \
         - { name: allow-it, action: allow, commands: [git push], mode: observe }\n",
    );
    let outcome = bash(&hooks, "git push");
    let noted: Vec<_> = outcome.reasons().iter().map(|reason| (&*reason.rule, reason.would)).collect();
    let would = [("deny-it", Strength::Deny), ("ask-it", Strength::Ask), ("allow-it", Strength::Allow)];
    assert_eq!(noted, would.map(|(rule, would)| (rule, Some(would))));
    assert_eq!(outcome.strength(), Strength::NoOpinion);
}

#[test]
fn a_limit_in_the_shadow_counts_and_never_denies() {
    let text = "version: 1\nask_user: { max_per_session: 1, mode: observe }";
    let hooks = hooks(text);
    let ask = |id: &str| {
        let mut context = context();
        context.call_id = Some(id.to_owned());
        decide_in(context, &hooks, "ask_user", json!({"question": "which?"}))
    };
    assert_eq!(would(&ask("1")), Strength::NoOpinion);
    for id in ["2", "3"] {
        let outcome = ask(id);
        assert_eq!((outcome.strength(), would(&outcome)), (Strength::NoOpinion, Strength::Deny));
    }
}

#[test]
fn a_day_ends_the_shadow() {
    let text = "version: 1\nrules: [{ name: a, commands: [git push], mode: observe, until: 2027-01-31 }]";
    let hooks = hooks(text);
    let at = |time: &str| {
        let mut context = context();
        context.timestamp = time.parse::<Timestamp>().unwrap();
        decide_in(context, &hooks, "bash", json!({"command": "git push"})).strength()
    };
    assert_eq!(at("2027-01-30T23:59:59.999Z"), Strength::NoOpinion);
    assert_eq!(at("2027-01-31T00:00:00Z"), Strength::Deny);
}

#[test]
fn own_files_and_enforced_commands_are_never_in_the_shadow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "version: 1\nmode: observe\ncommand_guard: {}\nwrite_guard: { allow: ['**'] }\n")
        .unwrap();
    let hooks = ConfigReader::default().read(&path).unwrap().hooks();
    let context = HookContext::new("s", "a").in_dir(folder.path()).with_environment(hooks_system::system());
    let write = |path: &str| {
        decide_in(context.clone(), &hooks, "write_file", json!({"path": path, "content": ""})).strength()
    };
    assert_eq!((write("hooks.yaml"), write("other")), (Strength::Deny, Strength::NoOpinion));
    let run =
        |command: &str| decide_in(context.clone(), &hooks, "bash", json!({"command": command})).strength();
    assert_eq!((run("chmod 0 hooks.yaml"), run("rm -rf build")), (Strength::Deny, Strength::NoOpinion));
}

#[test]
fn what_cannot_be_read_is_an_error_at_its_place() {
    for (text, wanted) in [
        (
            "version: 1\nmode: obsrve",
            "2:mode unknown mode `obsrve`; expected `enforce` or `observe`; did you mean `observe`?",
        ),
        (
            "version: 1\nrules:\n  - { name: a, tools: [b], mode: observe, until: soon }",
            "3:rules[0].until `soon` is not a day; write a day such as `2027-01-31`, or a time such as `2027-01-31T08:00:00Z`",
        ),
        (
            "version: 1\nwrite_guard: { allow: [a], until: 2027-01-31 }",
            "2:write_guard.until a day ends the mode `observe`, and this has another mode; write `mode: observe`, or leave `until` out",
        ),
        (
            "version: 1\nself_protection: observe",
            "2:self_protection the protection of the hooks' own files is never in the shadow; write `true` or `false`; rules that are tried have `mode: observe`",
        ),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|one| one == wanted), "{text}\n{found:#?}");
    }
    for text in [
        "version: 1\nrules: [{ name: a, tools: [b], mode: observe, until: 2027-02-30 }]",
        "version: 1\nmode: [observe]",
        "version: 1\naudit: { mode: observe }",
        "version: 1\nredaction: { mode: observe }",
    ] {
        assert!(!errors(text).is_empty(), "{text}");
    }
    // A mistake in a rule with a mode has its number in the file.
    let numbered =
        "version: 1\nrules:\n  - { name: a, tools: [b] }\n  - { name: c, paths: ['{x'], mode: observe }\n";
    assert!(
        errors(numbered).iter().any(|error| error.starts_with("4:rules[1].paths[0]")),
        "{:?}",
        errors(numbered)
    );
}

/// Rules and sections, each of which can be left out, observed or enforced.
const PARTS: [&str; 9] = [
    "write_guard: { allow: [src/**], deny: [src/gen/**]MODE }",
    "read_guard: { deny: ['**/.env']MODE }",
    "command_guard: { block: [rm -rf, git push]MODE }",
    "packs: [{ name: git, action: askMODE }]",
    "ask_user: { max_per_session: 1MODE }",
    "rule { name: r0, commands: [git push]MODE }",
    "rule { name: r1, action: ask, paths: [docs/**]MODE }",
    "rule { name: r2, action: allow, tools: [view, bash]MODE }",
    "rule { name: r3, tools: [bash], writes: ['src/*.rs']MODE }",
];

fn file(modes: &[Option<&str>]) -> String {
    let (mut sections, mut rules) = (String::from("version: 1\n"), String::new());
    for (part, mode) in PARTS.iter().zip(modes) {
        let Some(mode) = mode else { continue };
        let mode = if mode.is_empty() { String::new() } else { format!(", mode: {mode}") };
        match part.strip_prefix("rule ") {
            Some(rule) => rules.push_str(&format!("  - {}\n", rule.replace("MODE", &mode))),
            None => sections.push_str(&format!("{}\n", part.replace("MODE", &mode))),
        }
    }
    if rules.is_empty() { sections } else { format!("{sections}rules:\n{rules}") }
}

fn calls() -> impl Strategy<Value = (String, Value)> {
    let path =
        prop::sample::select(vec!["src/a.rs", "src/gen/x", "docs/a.md", ".env", "a/../src/b.rs", "/etc/x"]);
    let command = prop::sample::select(vec![
        "git push",
        "git push --force",
        "rm -rf build",
        "cat .env",
        "echo x > src/a.rs",
        "ls",
        "$X push",
        "tee docs/a.md",
    ]);
    prop_oneof![
        command.prop_map(|command| ("bash".to_owned(), json!({ "command": command }))),
        path.clone().prop_map(|path| ("write_file".to_owned(), json!({"path": path, "content": "x"}))),
        path.prop_map(|path| ("view".to_owned(), json!({ "path": path }))),
        Just(("ask_user".to_owned(), json!({"question": "which?"}))),
    ]
}

fn reasons(outcome: &Decision<PreToolUse>) -> Vec<Reason> {
    outcome.reasons().iter().filter(|reason| reason.would.is_none()).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Observing a part changes no answer compared with leaving it out, and notes what the part alone answers.
    #[test]
    fn observing_is_leaving_out_and_noting(
        modes in prop::collection::vec(0..3_u8, PARTS.len()),
        observed in 0..PARTS.len(),
        calls in prop::collection::vec(calls(), 1..5),
    ) {
        let with = |mode: Option<&'static str>, others: bool| {
            let modes = modes.iter().enumerate().map(|(index, drawn)| match drawn {
                _ if index == observed => mode,
                0 => None,
                _ if !others => None,
                1 => Some(""),
                _ => Some("observe"),
            });
            hooks(&file(&modes.collect::<Vec<_>>()))
        };
        let (tried, without) = (with(Some("observe"), true), with(None, true));
        let (alone_tried, alone) = (with(Some("observe"), false), with(Some(""), false));
        for (number, (tool, args)) in calls.into_iter().enumerate() {
            let mut context = context();
            context.call_id = Some(number.to_string());
            let decide = |hooks| decide_in(context.clone(), hooks, &tool, args.clone());
            let (tried, without) = (decide(&tried), decide(&without));
            prop_assert_eq!(tried.strength(), without.strength());
            prop_assert_eq!(reasons(&tried), reasons(&without));
            let (alone_tried, enforced) = (decide(&alone_tried), decide(&alone));
            prop_assert_eq!(alone_tried.strength(), Strength::NoOpinion);
            prop_assert_eq!(would(&alone_tried), enforced.strength(), "{} {}", tool, args);
            let noted = alone_tried.reasons().iter().cloned().map(enforced_again);
            // An allow without a reason is noted with one.
            let grave = |reason: &Reason| reason.strength >= Strength::Ask;
            let noted: Vec<_> = noted.filter(grave).collect();
            let given: Vec<_> = enforced.reasons().iter().filter(|reason| grave(reason)).cloned().collect();
            prop_assert_eq!(noted, given);
        }
    }

    /// A whole file in the shadow denies nothing, and notes what it would answer.
    #[test]
    fn a_whole_file_is_observed(modes in prop::collection::vec(0..2_u8, PARTS.len()), call in calls()) {
        let modes: Vec<_> = modes.iter().map(|drawn| (*drawn > 0).then_some("")).collect();
        let text = file(&modes);
        let (tool, args) = call;
        let enforced = decide(&hooks(&text), &tool, args.clone());
        let tried = decide(&hooks(&text.replace("version: 1\n", "version: 1\nmode: observe\n")), &tool, args);
        prop_assert_eq!((tried.strength(), would(&tried)), (Strength::NoOpinion, enforced.strength()));
    }
}

/// The reason of the same rule, if it were enforced.
fn enforced_again(mut reason: Reason) -> Reason {
    if let Some(would) = reason.would.take() {
        reason.strength = would;
    }
    reason
}

/// A limit that another file sets would end with the mode of this file's section.
#[test]
fn a_section_that_other_files_share_in_has_no_mode() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".squad/policies")).unwrap();
    std::fs::write(
        folder.path().join(".squad/policies/p.json"),
        r#"{"maxAskUser": 1, "reviewerLockout": true}"#,
    )
    .unwrap();
    let file = folder.path().join("hooks.yaml");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        ConfigReader::default().read(&file).map(drop)
    };
    for section in ["ask_user: { max_per_session: 5, mode: observe }", "reviewer_lockout: { mode: observe }"]
    {
        let errors = read(&format!("version: 1\n{section}\n")).expect_err(section);
        assert!(errors.to_string().contains("other files share in"), "{errors}");
    }
    read("version: 1\nask_user: { max_per_session: 5 }\n").unwrap();
}
