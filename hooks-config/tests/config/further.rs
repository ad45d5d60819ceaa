//! Guards from other places: the policies of a team, and the guards of one tenant.

use std::fs;
use std::path::Path;

use hooks_config::{Config, ConfigErrors};
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::{HookContext, HookRequest, HooksProvider, Judged, Strength};
use serde_json::json;

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self) -> Result<Config, ConfigErrors> {
        Config::read(self.root().join("hooks.yaml"))
    }

    fn strength(&self, config: &Config, tenant: Option<&str>, call: PreToolUse) -> Strength {
        let mut context =
            HookContext::new("s", "a").in_dir(self.root()).with_environment(hooks_system::system());
        context.tenant = tenant.map(str::to_owned);
        config.clone().hooks().judge_pre_tool_use(&HookRequest::new(context, call)).strength()
    }
}

fn write(path: &str) -> PreToolUse {
    PreToolUse::new("write", json!({"file_path": path, "content": ""}))
}

fn run(command: &str) -> PreToolUse {
    PreToolUse::new("bash", json!({ "command": command }))
}

#[test]
fn guards_of_a_tenant_hold_for_its_events_only() {
    let project = Project::new(&[
        (
            "hooks.yaml",
            "
version: 1
tenant: acme
tenants:
  globex: {}
  initech:
    extends: tenants/strict.yaml
    rules: [{ name: no-docs, paths: [docs/**] }]
  acme: { rules: [{ name: no-tests, paths: [tests/**] }] }
write_guard: { allow: [src/**, docs/**, tests/**, lib/**] }
",
        ),
        ("tenants/strict.yaml", "version: 1\nwrite_guard: { allow: [src/**, docs/**] }\ncommand_guard: {}\n"),
    ]);
    let config = project.read().unwrap();
    let strength = |tenant, call| project.strength(&config, tenant, call);
    for (path, own, globex, initech) in [
        ("src/a", Strength::Allow, Strength::Allow, Strength::Allow),
        ("docs/a", Strength::Allow, Strength::Allow, Strength::Deny),
        ("tests/a", Strength::Deny, Strength::Allow, Strength::Deny),
        ("lib/a", Strength::Allow, Strength::Allow, Strength::Deny),
        // The guards of a tenant never allow more than those of all.
        ("etc/a", Strength::Deny, Strength::Deny, Strength::Deny),
        // A file that rules come from is protected like the configuration itself.
        ("tenants/strict.yaml", Strength::Deny, Strength::Deny, Strength::Deny),
    ] {
        assert_eq!(strength(None, write(path)), own, "{path}");
        assert_eq!(strength(Some("acme"), write(path)), own, "{path}");
        assert_eq!(strength(Some("globex"), write(path)), globex, "{path}");
        assert_eq!(strength(Some("initech"), write(path)), initech, "{path}");
    }
    assert_eq!(strength(Some("initech"), run("git push --force")), Strength::Deny);
    assert_ne!(strength(Some("globex"), run("git push --force")), Strength::Deny);
    assert_eq!(strength(Some("umbrella"), write("src/a")), Strength::Deny);
}

#[test]
fn mistakes_in_the_guards_of_a_tenant_are_at_their_place() {
    let of = |entry: &str, file: &str| {
        let text = format!("version: 1\ntenant: a\ntenants:\n  b: {entry}\n");
        let project = Project::new(&[("hooks.yaml", &text), ("b.yaml", file)]);
        project.read().unwrap_err().to_string()
    };
    for (entry, file, wanted) in [
        ("{ write_guard: { allow: ['src/{a'] } }", "", "tenants.b.write_guard.allow[0]"),
        ("{ budget: {} }", "", "tenants.b.budget"),
        ("{ extends: none.yaml }", "", "none.yaml` is invalid: it cannot be read"),
        ("{ extends: b.yaml }", "write_guard: {}", "b.yaml` is invalid"),
        ("{ extends: b.yaml }", "version: 1\nrulez: []", "rulez"),
        ("{ extends: b.yaml }", "version: 1\nextends: b.yaml", "extends"),
        ("{ extends: b.yaml }", "version: 1\nwrite_guard: { allow: ['a/{b'] }", "write_guard.allow[0]"),
        ("{ extends: b.yaml }", "version: [", "b.yaml` is invalid"),
    ] {
        let errors = of(entry, file);
        assert!(errors.contains(wanted), "{entry} {file}: {errors}");
    }
    let errors = Config::parse("version: 1\ntenant: a\ntenants: { b: { extends: c.yaml } }", "hooks.yaml");
    assert!(errors.unwrap_err().to_string().contains("the configuration is no file"));
}

const POLICY: &str =
    "allowedWritePaths: [src/**]\nblockedCommands: [npm publish]\nmaxAskUser: 2\nscrubPii: true\n";

#[test]
fn policies_of_the_team_are_merged_by_strength() {
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\nwrite_guard: { allow: [src/**, docs/**], deny: [src/secret/**] }\n"),
        (".squad/policies/10-base.yaml", POLICY),
        (".squad/policies/20-more.json", r#"{"allowedWritePaths": ["src/**", "docs/**"], "maxAskUser": 5}"#),
        (".squad/policies/notes.md", "not a policy"),
    ]);
    let config = project.read().unwrap();
    let strength = |call| project.strength(&config, None, call);
    assert_eq!(strength(write("src/a.rs")), Strength::Allow);
    assert_eq!(strength(write("docs/a.md")), Strength::Deny, "a policy of the team does not allow it");
    assert_eq!(strength(write("src/secret/a")), Strength::Deny, "the file denies what the policies allow");
    assert_eq!(strength(run("npm publish")), Strength::Deny);
    assert_eq!(strength(write(".squad/policies/10-base.yaml")), Strength::Deny);
    assert_eq!(strength(write(".squad/policies/30-mine.yaml")), Strength::Deny);
    assert_eq!(
        config.policy().ask_user.as_ref().map(|asks| asks.max_per_session),
        Some(2),
        "the least counts"
    );

    let without = Project::new(&[
        ("hooks.yaml", "version: 1\nwrite_guard: { allow: [src/**, docs/**] }\npolicies: []\n"),
        (".squad/policies/10-base.yaml", POLICY),
    ]);
    let config = without.read().unwrap();
    assert_eq!(without.strength(&config, None, write("docs/a.md")), Strength::Allow);
}

#[tokio::test]
async fn results_are_scrubbed_if_any_policy_wants_it() {
    let project = Project::new(&[("hooks.yaml", "version: 1\n"), (".squad/policies/a.yaml", POLICY)]);
    let hooks = project.read().unwrap().hooks();
    let call = PreToolUse::new("read", json!({"path": "src/a"}));
    let result = PostToolUse::after(&call, json!("write to jane.doe@example.com"), None, 1);
    let context = HookContext::new("s", "a").in_dir(project.root()).with_environment(hooks_system::system());
    let after = hooks.on(context).post_tool_use(result).await;
    assert!(!after.request.event().tool_result.to_string().contains("jane.doe"));
}

#[test]
fn policies_that_cannot_be_enforced_are_mistakes() {
    for (settings, file, wanted) in [
        ("", "allowedWritePaths: src", "a.yaml` is invalid"),
        ("", "allowedWritePath: [src]", "allowedWritePath"),
        ("", "allowedWritePaths: ['a/{b']", "a.yaml` is invalid"),
        ("policies: [{ squad: nowhere }]", POLICY, "policies[0].squad"),
        ("policies: [{ squad: x, cedra: y }]", POLICY, "policies[0].cedra"),
    ] {
        let project = Project::new(&[
            ("hooks.yaml", &format!("version: 1\n{settings}\n")),
            (".squad/policies/a.yaml", file),
        ]);
        let errors = project.read().unwrap_err().to_string();
        assert!(errors.contains(wanted), "{settings} {file}: {errors}");
    }
}

#[test]
fn the_text_of_the_rules_changes_with_every_file_that_they_come_from() {
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\ntenant: a\ntenants: { b: { extends: b.yaml } }\n"),
        ("b.yaml", "version: 1\nprotected: [x]\n"),
        (".squad/policies/a.yaml", POLICY),
    ]);
    let mut texts = vec![project.read().unwrap().rules_text().to_owned()];
    project.write("b.yaml", "version: 1\nprotected: [y]\n");
    texts.push(project.read().unwrap().rules_text().to_owned());
    project.write(".squad/policies/a.yaml", "maxAskUser: 3\n");
    texts.push(project.read().unwrap().rules_text().to_owned());
    project.write(".squad/policies/b.yaml", "maxAskUser: 3\n");
    texts.push(project.read().unwrap().rules_text().to_owned());
    let different: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(different.len(), texts.len());
    let alone = Config::parse("version: 1", "hooks.yaml").unwrap();
    assert_eq!(alone.rules_text(), alone.text());
}
