//! The profile of the sandbox agrees with the guards: what they deny is closed, and what they let through is open.

use hooks_config::Config;
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, Judged};
use hooks_sandbox::{Access, Answer, EgressConfig, Places, Unavailable};
use proptest::prelude::*;
use serde_json::json;

const RULES: [&str; 6] = [
    "version: 1\n",
    "version: 1\nread_guard: { deny: ['**/.env', secret/**], except: ['docs/.env'] }\n",
    "version: 1\nwrite_guard: { allow: [src/**, 'docs/*.md', target/**], deny: ['**/x'] }\nread_guard: {}\n",
    "version: 1\nprotected: [docs, 'src/a', '.git/**']\nread_guard: {}\n",
    "version: 1\nread_guard: {}\nrules:\n  - { name: r, reads: [src/x], reason: why }\n  - { name: w, writes: ['docs/**'], reason: why }\n  - { name: p, paths: [secret], reason: why }\n",
    "version: 1\nwrite_guard: { allow: ['**'] }\nprotected: [target/a]\nread_guard: { deny: [secret/**] }\n",
];

fn places() -> Places {
    Places { workspace: "/repo".into(), home: Some("/home/ada".into()), ..Places::default() }
}

/// Whether the guards deny a call.
fn is_denied(config: &Config, tool: &str, path: &str) -> bool {
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(hooks_system::system());
    let call = PreToolUse::new(tool, json!({"file_path": path, "content": ""}));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let hooks = config.as_hooks().on(context);
    runtime.block_on(async { hooks.pre_tool_use(call).await.outcome.is_denied() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_profile_agrees_with_the_guards(
        rules in prop::sample::select(RULES.to_vec()),
        path in "/repo(/(src|docs|target|secret|a|x|\\.env|a\\.md|\\.git)){1,3}",
    ) {
        let config = Config::parse(rules, "hooks.yaml").unwrap();
        let profile = config.sandbox_profile(&places());
        let access = Access::new(&profile).unwrap();
        let (reads, writes) = (access.read(&path), access.write(&path));
        let has_guard = rules.contains("read_guard");
        if is_denied(&config, "Read", &path) {
            prop_assert!(!reads.is_open(), "{path}: {rules}");
        } else if has_guard {
            prop_assert!(reads.is_open(), "{path}: {rules}");
        }
        match (is_denied(&config, "Write", &path), writes) {
            (true, Answer::Open(by)) => {
                // Only a folder that tools fill by themselves.
                prop_assert!(by.is_some_and(|by| profile.regenerable.contains(by)), "{path}: {rules}");
            }
            (false, Answer::Closed(by)) => {
                let is_settings = by.is_some_and(|by| profile.fixed.contains(by));
                prop_assert!(is_settings || !reads.is_open(), "{path}: {rules}");
            }
            _ => {}
        }
    }
}

#[test]
fn what_no_profile_can_express_is_listed() {
    let text = "
version: 1
write_guard: { allow: [src/**], agents: { ada: { allow: [docs/**] } } }
read_guard: { allow: [src/**] }
rules:
  - { name: as-ada, agents: [ada], writes: [src/**], reason: why }
  - { name: asked, action: ask, writes: [src/**], reason: why }
";
    let profile = Config::parse(text, "hooks.yaml").unwrap().sandbox_profile(&places());
    // Only a list of the files that may be read is a promise of the sandbox; the others are about single agents.
    let listed: Vec<_> =
        profile.unexpressed.iter().map(|one| (one.pattern.as_str(), one.breaks_reads)).collect();
    assert_eq!(listed, [("write_guard.agents", false), ("read_guard.allow", true), ("rule `as-ada`", false)]);
    assert!(Access::new(&profile).unwrap().write("/repo/src/a").is_open());
}

/// The file's own list and that of a pack or a team: a file has to be in both, as for the guards.
#[test]
fn each_list_of_a_write_guard_counts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join(".squad/policies")).unwrap();
    std::fs::write(root.join(".squad/policies/a.yaml"), "allowedWritePaths: [docs/**, src/gen/**]\n")
        .unwrap();
    std::fs::write(root.join("hooks.yaml"), "version: 1\nwrite_guard: { allow: [src/**] }\n").unwrap();
    let config =
        hooks_config::ConfigReader::default().of_project(&root).read(root.join("hooks.yaml")).unwrap();
    let profile = config.sandbox_profile(&Places { workspace: root.clone(), ..Places::default() });
    let access = Access::new(&profile).unwrap();
    let is_open = |name: &str| access.write(root.join(name).to_str().unwrap()).is_open();
    assert!(is_open("src/gen/a") && !is_open("src/a") && !is_open("docs/a"));
}

#[test]
fn the_section_is_checked() {
    let config = Config::parse("version: 1\nsandbox: { unavailable: ask }", "hooks.yaml").unwrap();
    assert_eq!(
        (&config.sandbox().egress, config.sandbox().unavailable),
        (&EgressConfig::None, Unavailable::Ask)
    );
    for (text, problem) in [
        ("sandbox: { egress: [example.com, 'https://a.example'] }", "`https://a.example` is not a host"),
        ("sandbox: { egress: some }", "is not known here"),
        ("sandbox: { write: ['a/*'] }", "is not one file or folder"),
        ("sandbox: { write: ['../a'] }", "is not one file or folder"),
        ("sandbox: { reads: [a] }", "unknown option `reads`"),
    ] {
        let errors = Config::parse(&format!("version: 1\n{text}"), "hooks.yaml").unwrap_err();
        assert!(errors.errors().iter().any(|error| error.to_string().contains(problem)), "{text}: {errors}");
    }
}

/// The hosts of the section are a policy for tools that fetch, and for commands.
#[test]
fn calls_are_judged_by_the_hosts() {
    let text = |calls: &str| format!("version: 1\nsandbox: {{ egress: ['*.a.example'], calls: {calls} }}");
    let judged = Config::parse(&text("judged"), "hooks.yaml").unwrap();
    let wrapped = Config::parse(&text("wrapped"), "hooks.yaml").unwrap();
    let none = Config::parse("version: 1", "hooks.yaml").unwrap();
    let is_denied = |config: &Config, tool: &str, arguments: serde_json::Value| {
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(hooks_system::system());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let hooks = config.as_hooks().on(context);
        runtime.block_on(async {
            !hooks.pre_tool_use(PreToolUse::new(tool, arguments)).await.outcome.goes_ahead()
        })
    };
    let metadata = json!({"url": "http://169.254.169.254/latest", "prompt": "read it"});
    assert!(
        is_denied(&judged, "WebFetch", metadata.clone()) && is_denied(&wrapped, "WebFetch", metadata.clone())
    );
    assert!(!is_denied(&none, "WebFetch", metadata));
    assert!(!is_denied(&judged, "WebFetch", json!({"url": "https://b.a.example/", "prompt": "read it"})));
    let local = json!({"command": "curl http://localhost:3000/"});
    assert!(is_denied(&judged, "Bash", local.clone()) && !is_denied(&wrapped, "Bash", local));
}

#[test]
fn policies_of_a_team_count_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join(".squad/policies")).unwrap();
    std::fs::write(root.join(".squad/policies/a.yaml"), "allowedWritePaths: [src/**]\n").unwrap();
    std::fs::write(root.join("hooks.yaml"), "version: 1\n").unwrap();
    let config =
        hooks_config::ConfigReader::default().of_project(&root).read(root.join("hooks.yaml")).unwrap();
    let profile = config.sandbox_profile(&Places { workspace: root.clone(), ..Places::default() });
    let access = Access::new(&profile).unwrap();
    let is_open = |name: &str| access.write(root.join(name).to_str().unwrap()).is_open();
    assert!(is_open("src/a") && !is_open("docs/a") && !is_open("hooks.yaml"));
}
