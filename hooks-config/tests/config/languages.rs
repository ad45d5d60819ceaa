//! Entries of `policies` in other languages.

use std::fs;
use std::path::Path;

use hooks_config::{Config, ConfigErrors, ConfigReader, LiveReader};
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, Strength};
use serde_json::json;

const CEDAR: &str = r#"permit (principal, action, resource);
@id("no-push") @reason("people push")
forbid (principal, action in Kind::Action::"runs_commands", resource) when { context.runs.contains("git") };
"#;

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn config(&self) -> std::path::PathBuf {
        self.0.path().join("hooks.yaml")
    }

    fn read(&self) -> Result<Config, ConfigErrors> {
        Config::read(self.config())
    }

    fn errors(&self) -> Vec<String> {
        self.read().unwrap_err().errors().iter().map(ToString::to_string).collect()
    }

    /// The strength for a command, and the rule that gave it.
    fn judge(&self, command: &str) -> (Strength, String) {
        judged(self.0.path(), &self.read().unwrap().hooks(), command)
    }
}

fn judged(folder: &Path, hooks: &Hooks, command: &str) -> (Strength, String) {
    let context = HookContext::new("s", "a").in_dir(folder).with_environment(hooks_system::system());
    let call = PreToolUse::new("bash", json!({ "command": command }));
    let decision = hooks.judge_pre_tool_use(&HookRequest::new(context, call));
    let rule = decision.shown_reason().map(|reason| reason.rule.to_string());
    (decision.strength(), rule.unwrap_or_default())
}

#[test]
fn a_file_in_cedar_is_enforced_and_protected() {
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\npolicies: [{ cedar: policies/tools.cedar }]\n"),
        ("policies/tools.cedar", CEDAR),
        (".squad/policies/a.yaml", "blockedCommands: [make]\n"),
    ]);
    assert_eq!(project.judge("git push"), (Strength::Deny, "no-push".to_owned()));
    assert_eq!(project.judge("ls").0, Strength::NoOpinion);
    // The team's policies stay, because the entry names none.
    assert_eq!(project.judge("make").0, Strength::Deny);
    assert_eq!(project.judge("echo > policies/tools.cedar").0, Strength::Deny);
    let version = project.read().unwrap().rules_version().to_owned();
    project.write("policies/tools.cedar", &CEDAR.replace("git", "hg"));
    assert_eq!(project.judge("git push").0, Strength::NoOpinion);
    assert_ne!(project.read().unwrap().rules_version(), version);
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_protected() {
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\npolicies: [{ cedar: link.cedar }, { rego: folder/a.rego }]\n"),
        ("real/tools.cedar", CEDAR),
        ("shared/a.rego", "package hooks\ndeny if false\n"),
    ]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, project.0.path().join(name)).unwrap();
    link("real/tools.cedar", "link.cedar");
    link("shared", "folder");
    for command in
        ["echo > link.cedar", "echo > real/tools.cedar", "rm shared/a.rego", "echo > folder/a.rego"]
    {
        assert_eq!(project.judge(command).0, Strength::Deny, "{command}");
    }
    assert_eq!(project.judge("echo > real/other.txt").0, Strength::NoOpinion);
}

#[test]
fn the_default_and_tools_of_the_file_count() {
    let forbid = "forbid (principal, action == Action::\"publish\", resource);";
    let project =
        Project::new(&[("hooks.yaml", "version: 1\npolicies: [{ cedar: a.cedar }]\n"), ("a.cedar", forbid)]);
    assert!(
        project.errors()[0].contains("unrecognized action `Action::\"publish\"`"),
        "{:?}",
        project.errors()
    );
    project.write("hooks.yaml", "version: 1\ntools: { publish: write }\npolicies: [{ cedar: a.cedar }]\n");
    assert_eq!(project.judge("ls"), (Strength::Deny, "default".to_owned()));
    project.write(
        "hooks.yaml",
        "version: 1\ntools: { publish: write }\npolicies: [{ cedar: a.cedar, default: none }]\n",
    );
    assert_eq!(project.judge("ls").0, Strength::NoOpinion);
    // In the shadow, it is noted only.
    project.write(
        "hooks.yaml",
        "version: 1\nmode: observe\ntools: { publish: write }\npolicies: [{ cedar: a.cedar }]\n",
    );
    assert_eq!(project.judge("ls").0, Strength::NoOpinion);
}

#[test]
fn mistakes_have_their_places_in_both_files() {
    let project = Project::new(&[
        (
            "hooks.yaml",
            "version: 1\npolicies:\n  - cedar: a.cedar\n  - cedar: none.cedar\n  - { squad: x, cedar: y }\n  - {}\n",
        ),
        ("a.cedar", "permit (principal, action, resource);\nforbid (principal, action);\n"),
    ]);
    let errors = project.errors();
    assert!(errors[0].starts_with("line 3, column 12: policies[0].cedar: `"), "{errors:?}");
    assert!(
        errors[0].contains(
            "a.cedar` is invalid: line 2, column 26: this policy is missing the `resource` variable"
        ),
        "{errors:?}"
    );
    assert!(
        errors[1].starts_with("line 4, column 12: policies[1].cedar: ")
            && errors[1].contains("cannot be read"),
        "{errors:?}"
    );
    assert!(errors[2].contains("policies[2]: the entry has several languages"), "{errors:?}");
    assert!(errors[3].contains("policies[3]: the entry names no policies"), "{errors:?}");
    project.write(
        "hooks.yaml",
        "version: 1\npolicies: [{ squad: x, default: none }, { cedar: a, default: dney }]\n",
    );
    let errors = project.errors();
    assert!(errors[0].contains("policies[0]: `schema` and `default` are options of `cedar`"), "{errors:?}");
    assert!(errors[1].contains("did you mean `deny`?"), "{errors:?}");
    let errors = Config::parse("version: 1\npolicies: [{ cedar: a.cedar }]", "hooks.yaml").unwrap_err();
    assert!(errors.to_string().contains("the configuration is no file"), "{errors}");
}

#[test]
fn a_schema_of_the_project_is_used() {
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\npolicies: [{ cedar: a.cedar, schema: a.cedarschema }]\n"),
        (
            "a.cedar",
            "forbid (principal, action == Action::\"pay\", resource) when { context.input.amount > 3 };",
        ),
        (
            "a.cedarschema",
            "entity Agent; entity Workspace;\naction \"pay\" appliesTo { principal: Agent, resource: Workspace, context: { input: { amount: Long } } };",
        ),
    ]);
    assert_eq!(project.judge("ls"), (Strength::Deny, "default".to_owned()));
    project.write("a.cedarschema", "entity Agent;\nentity;");
    let errors = project.errors();
    assert!(
        errors[0].contains("policies[0].schema: ") && errors[0].contains("line 2, column 7"),
        "{errors:?}"
    );
}

#[test]
fn a_change_of_the_file_is_a_change_of_the_rules() {
    let project =
        Project::new(&[("hooks.yaml", "version: 1\npolicies: [{ cedar: a.cedar }]\n"), ("a.cedar", CEDAR)]);
    let live = LiveReader::new(ConfigReader::default()).read(project.config()).unwrap();
    let judge = |command: &str| judged(project.0.path(), live.current().as_hooks(), command).0;
    assert_eq!(judge("git push"), Strength::Deny);
    project.write("a.cedar", &CEDAR.replace("git", "hg"));
    // Looked at twice: a file that is still being written is left alone.
    live.check();
    live.check();
    assert_eq!((judge("git push"), judge("hg push")), (Strength::NoOpinion, Strength::Deny));
    // A broken file leaves the rules in force.
    project.write("a.cedar", "permit (");
    live.check();
    live.check();
    assert_eq!(judge("hg push"), Strength::Deny);
}

#[test]
fn a_module_in_rego_is_enforced_and_its_package_is_an_option() {
    let text = "package team\n\ndeny contains {\"msg\": \"people push\", \"rule\": \"no-push\"} if \"git\" in input.facts.runs\n";
    let project = Project::new(&[
        ("hooks.yaml", "version: 1\npolicies: [{ rego: a.rego, package: team }]\n"),
        ("a.rego", text),
    ]);
    assert_eq!(project.judge("git push"), (Strength::Deny, "no-push".to_owned()));
    assert_eq!(project.judge("ls").0, Strength::NoOpinion);
    assert_eq!(project.judge("echo > a.rego").0, Strength::Deny);
    project.write("hooks.yaml", "version: 1\npolicies: [{ rego: a.rego }, { cedar: a, package: b }, { rego: a.rego, default: deny }]\n");
    let errors = project.errors();
    let has = |text: &str| errors.iter().any(|error| error.contains(text));
    assert!(has("policies[1]: `package` is an option of `rego`"), "{errors:?}");
    assert!(has("policies[2]: `schema` and `default` are options of `cedar`"), "{errors:?}");
    project.write("hooks.yaml", "version: 1\npolicies: [{ rego: a.rego }]\n");
    let errors = project.errors();
    assert!(
        errors[0].contains("policies[0].rego: ") && errors[0].contains("the package is `data.team`"),
        "{errors:?}"
    );
    project.write("a.rego", "package hooks\n\ndeny if {\n");
    assert!(project.errors()[0].contains("a.rego` is invalid: line 4, column 1: "), "{:?}", project.errors());
}

#[test]
fn the_files_on_the_page_do_what_it_says() {
    let page = include_str!("../../../docs/policy-languages.md");
    let block = |language: &str| {
        let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    let project = Project::new(&[
        ("hooks.yaml", block("yaml")),
        ("policies/tools.cedar", block("cedar")),
        ("policies/tools.rego", block("rego")),
    ]);
    for file in [Some("policies/tools.cedar"), Some("policies/tools.rego"), None] {
        if let Some(file) = file {
            let language = file.rsplit('.').next().unwrap();
            project.write("hooks.yaml", &format!("version: 1\npolicies: [{{ {language}: {file} }}]\n"));
        } else {
            project.write("hooks.yaml", block("yaml"));
        }
        assert_eq!(project.judge("echo > migrations/1.sql"), (Strength::Deny, "migrations".to_owned()));
        for (command, wanted) in [
            ("git push", Strength::Deny),
            ("git status", Strength::NoOpinion),
            ("cat migrations/1.sql", Strength::NoOpinion),
            ("echo > $TARGET", Strength::Deny),
        ] {
            assert_eq!(project.judge(command).0, wanted, "{file:?} {command}");
        }
    }
}
