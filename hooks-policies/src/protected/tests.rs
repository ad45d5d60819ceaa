use hooks_core::testing::FakeFileSystem;
use hooks_core::{HookContext, Strength, assert_policy_laws};
use serde_json::json;

use super::*;
use crate::testing::{call, context, verdict_on};

fn policy() -> ProtectedFiles {
    let patterns = ["hooks.yaml", ".claude/", "/home/dev/.codex", "*.lock"];
    ProtectedFiles::new(&patterns, &CallReader::default()).unwrap()
}

#[test]
fn nobody_writes_a_protected_file() {
    for (tool, path, wanted) in [
        ("edit", "hooks.yaml", Strength::Deny),
        ("edit", "/repo/./HOOKS.yaml", Strength::Deny),
        ("edit", ".claude/settings.json", Strength::Deny),
        ("edit", "/home/dev/.codex/config.toml", Strength::Deny),
        ("edit", "../home/dev/.codex/config.toml", Strength::Deny),
        ("edit", "Cargo.lock", Strength::Deny),
        ("edit", "sub/hooks.yaml", Strength::NoOpinion),
        ("edit", "/home/dev/notes", Strength::NoOpinion),
        ("edit", "~/x", Strength::Deny),
        ("delete_file", "/home/dev", Strength::Deny),
        ("delete_file", "/repo", Strength::Deny),
        ("view", "hooks.yaml", Strength::NoOpinion),
    ] {
        assert_eq!(verdict_on(&policy(), &call(tool, json!({ "path": path }))).0, wanted, "{tool} {path}");
    }
    assert_eq!(
        verdict_on(&policy(), &call("bash", json!({"command": "echo x >> hooks.yaml"}))).0,
        Strength::Deny
    );
}

/// Regression test: the reason named the first pattern of the list, whatever was there.
#[test]
fn the_reason_names_a_file_that_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    let own = format!("{}/hooks.yaml", folder.display());
    let policy = ProtectedFiles::new(&["**/.claude.json", &own], &CallReader::default()).unwrap();
    let context = HookContext::new("s", "a").in_dir(&folder).with_environment(hooks_system::system());
    let reason = |command: &str| {
        let event = PreToolUse::new("bash", json!({ "command": command }));
        let verdict = policy.judge(&HookRequest::new(context.clone(), event));
        assert_eq!(verdict.strength(), Strength::Deny, "{command}");
        verdict.reasons()[0].message.clone()
    };
    for command in ["git clean -fd", "git checkout -- .", "git restore ."] {
        let may_be = "may be above protected files, such as those of `**/.claude.json`";
        assert!(reason(command).ends_with(may_be), "{}", reason(command));
    }
    std::fs::create_dir(folder.join("src")).unwrap();
    std::fs::write(folder.join(".claude.json"), "").unwrap();
    assert!(
        reason("git stash save -u wip").contains("`**/.claude.json`, which is protected, is stashed too")
    );
    std::fs::remove_file(folder.join(".claude.json")).unwrap();
    std::fs::write(&own, "").unwrap();
    assert!(reason("cd src && git stash -u").contains("is stashed too"));
    assert!(reason("git stash -u").contains(&format!("`{own}`, which is protected, is stashed too")));
    for command in ["git clean -fd", "git checkout -- .", "rm -rf ."] {
        assert!(
            reason(command).contains(&format!("is above `{own}`, which is protected")),
            "{}",
            reason(command)
        );
    }
}

#[test]
fn file_programs_do_not_get_around_it() {
    for command in [
        "rm hooks.yaml",
        "rm -r .claude",
        "echo x | tee hooks.yaml",
        "mv hooks.yaml x",
        "cp x ./hooks.yaml",
        "ln -sf x hooks.yaml",
        "sed -i s/a/b/ hooks.yaml",
        "curl -sD hooks.yaml https://a.example",
        "wget -o hooks.yaml https://a.example",
        "openssl rand -out hooks.yaml 8",
        "gpg --yes -o hooks.yaml -d x",
        "strace -o hooks.yaml ls",
        "script -c ls hooks.yaml",
        "split x hooks.ya",
        "rsync --remove-source-files -r .claude /tmp/c",
        "tar cf x.tar --remove-files .claude",
        "zip -m x.zip hooks.yaml",
        "dd of=hooks.yaml",
        "cd sub && rm ../hooks.yaml",
    ] {
        assert_eq!(
            verdict_on(&policy(), &call("bash", json!({ "command": command }))).0,
            Strength::Deny,
            "{command}"
        );
    }
    for command in ["rm x", "cat hooks.yaml", "cp hooks.yaml x", "grep a hooks.yaml"] {
        let (strength, _) = verdict_on(&policy(), &call("bash", json!({ "command": command })));
        assert_eq!(strength, Strength::NoOpinion, "{command}");
    }
}

#[test]
fn an_argument_that_names_the_folder_does_not_get_around_it() {
    for key in ["dir_path", "directory", "workdir"] {
        for folder in [".claude", "/repo/.claude/", "./sub/../.claude"] {
            let arguments = json!({"command": "echo x > settings.json", key: folder});
            assert_eq!(
                verdict_on(&policy(), &call("run_shell_command", arguments)).0,
                Strength::Deny,
                "{key} {folder}"
            );
        }
    }
}

/// As a configuration protects its own files, before any of them exists.
fn itself() -> ProtectedFiles {
    let patterns = ["hooks.yaml", ".hooks/hooks.yaml", ".claude/settings.json", ".github/hooks"];
    ProtectedFiles::new(&patterns, &CallReader::default()).unwrap()
}

#[track_caller]
fn says(wanted: Strength, commands: &[&str]) {
    for command in commands {
        let (strength, _) = verdict_on(&itself(), &call("bash", json!({ "command": command })));
        assert_eq!(strength, wanted, "{command}");
    }
}

#[test]
fn a_folder_is_not_filled_above_a_protected_file() {
    says(
        Strength::Deny,
        &[
            "mv src/h .hooks",
            "cp -r src/h .hooks",
            "cp -r src/h .hooks/",
            "ln -s src/h .hooks",
            "ln -s ../.claude src/c",
            "ln -s .. src/up",
            "ln hooks.yaml /tmp/hard",
            "ln hooks.yaml src/hard",
            "ln -f -t src hooks.yaml",
            "ln -Ss hooks.yaml src/hard",
            "ln -sr hooks.yaml src/soft",
            "cd src && ln ../hooks.yaml a/hard",
            "cp -l hooks.yaml src/hard",
            "cp --link hooks.yaml src/hard",
            "cp -al .claude src/c",
            "cp -s /repo/hooks.yaml src/soft",
            "cp -r src/h/. .hooks",
            "git mv src/h .hooks",
            "git clone src/h .hooks",
            "cp src/h/hooks.yaml .hooks",
            "mkdir .hooks && cp src/h/hooks.yaml .hooks",
            "rsync -a src/c/ .claude/",
            "cp -r src/h/. .",
            "cp -rT src/h .hooks",
            "mv src/h/* .",
            "tar xf src/a.tar",
            "unzip src/a.zip",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "mv src/h src/i",
            "cp -r src/h docs",
            "cp -r src/h .",
            "cp src/a .github/",
            "ln -s ../a src/b",
            "ln -s hooks.yaml src/b",
            "ln src/a src/b",
            "cp -l src/a src/b",
            "cp -al src/a src/b",
            "rsync -a src/ docs/",
            "tar xf src/a.tar -C src",
            "unzip a.zip -d out",
            "git mv a b",
            "git clone https://host/a.git",
        ],
    );
}

#[test]
fn a_name_known_in_part_may_be_protected() {
    says(
        Strength::Deny,
        &[
            "cp src/a hooks.y?ml",
            "cp src/a hooks.[y]aml",
            "sed -i s/a/b/ hooks.y*",
            "rm h*",
            "rm *",
            "rm -r .cl*",
            "rm .claude/*",
            "cp src/a .claude/settings.js*",
            "touch $PWD/hooks.yaml",
            "R=$PWD; cd src && touch $R/hooks.yaml",
            "cp src/a $D/hooks.yaml",
            "cd $D && rm hooks.yaml",
            "find . -name hooks.yaml -exec rm {} \\;",
            "find . -name hooks.yaml -execdir rm {} \\;",
            "find .. -exec sed -i s/a/b/ {} +",
            "find . -name 'hooks.*' -delete",
            "find .github/hooks -name '*.json' -delete",
            "find hooks.yaml -delete",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "rm *.log",
            "rm -rf build/*",
            "rm \"$TMP\"",
            "rm -rf \"$TMP/build\"",
            "cp a \"$D/b\"",
            "touch $PWD/src/a",
            "for f in src/*.js; do mv \"$f\" \"${f%.js}.ts\"; done",
            "find . -name '*.pyc' -delete",
            "find . -name node_modules -exec rm -rf {} +",
            "find . -exec grep x {} +",
            "cd $D && cargo build",
            "cat hooks.*",
        ],
    );
}

#[test]
fn programs_of_every_kind_are_known() {
    says(
        Strength::Deny,
        &[
            "git rm -f hooks.yaml",
            "git mv hooks.yaml old",
            "git mv .claude x",
            "git -C . rm hooks.yaml",
            "git rm ':/hooks.yaml'",
            "git checkout HEAD~1 -- hooks.yaml",
            "git checkout hooks.yaml",
            "git restore --source=HEAD~1 hooks.yaml",
            "git restore 'hooks.*'",
            "rsync src/a hooks.yaml",
            "link a hooks.yaml",
            "awk -i inplace 1 hooks.yaml",
            "gzip hooks.yaml",
            "gunzip hooks.yaml.gz",
            "patch hooks.yaml p",
            "sed -n 'w hooks.yaml' src/a",
            "sed 's/a/b/w hooks.yaml' src/a",
            "curl -O http://x/hooks.yaml",
            "wget http://x/hooks.yaml",
            "vim -c wq hooks.yaml",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "git rm old.rs",
            "git checkout -b feature",
            "git checkout main",
            "git restore --staged hooks.yaml",
            "git restore src/a.rs",
            "git log -- hooks.yaml",
            "git diff hooks.yaml",
            "gzip -c hooks.yaml | wc -c",
            "gzip src/a",
            "sed -n '/w hooks.yaml/p' src/a",
            "curl -XPOST http://x/hooks.yaml",
            "awk 1 hooks.yaml",
            "rsync hooks.yaml host:/tmp/",
            "tar czf src/a.tgz hooks.yaml",
        ],
    );
}

#[test]
fn what_is_found_listed_or_not_tracked_may_be_protected() {
    says(
        Strength::Deny,
        &[
            "git clean -fdx",
            // These are named, and the compiler may copy files.
            "tsc --outDir .claude",
            "black .claude/",
            "pytest --basetemp=.claude",
            "vite build --outDir . --emptyOutDir",
            "git clean -fdx .claude",
            "git clean -qfd -- .hooks",
            "git -C .claude clean -fdx",
            "parallel rm ::: hooks.yaml",
            "parallel rm ::: 1 2 3 4 5 6 7 8 9 a b c d e f g h hooks.yaml",
            "parallel 'rm {}; true' ::: hooks.yaml",
            "for f in 1 2 3 4 5 6 7 8 9 hooks.yaml; do rm $f; done",
            "find 1 2 3 4 5 6 7 8 9 a b c d e f g h .claude -type f -exec rm {} +",
            "find 1 2 3 4 5 6 7 8 9 a b c d e f g h .claude -type f | xargs rm",
            "fd . .claude -x rm",
            "fd -e json . .claude | xargs rm",
            "echo hooks.yaml | parallel rm",
            "find . -name hooks.yaml | xargs rm",
            "find .claude -type f | sort | xargs -n 1 rm -f",
            "cd .claude && ls | xargs rm",
            "cd .claude && rm *.json",
            "trash-put hooks.yaml",
            "npx rimraf x; rimraf .claude",
            "cmake -E rm hooks.yaml",
            "gio trash hooks.yaml",
            "fallocate -l 1 hooks.yaml",
            "mke2fs hooks.yaml",
            "mount --bind src .claude",
            "flock hooks.yaml true",
            "flock x rm hooks.yaml",
            "screen -dm rm hooks.yaml",
            "7z x a.7z -o.claude",
            "perf record -o hooks.yaml ls",
            "valgrind --log-file=hooks.yaml ls",
            "gdb -batch -ex 'set logging file hooks.yaml' x",
            "sudo -e hooks.yaml",
            "cp --targ=.claude settings.json",
            "sed --in s/a/b/ hooks.yaml",
            "tree -o hooks.yaml",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "git clean -n",
            // Nothing that is protected exists here.
            "git stash -u",
            "git stash push --include-untracked -m x",
            // These change files of their own kinds alone.
            "black .",
            "npx prettier --write .",
            "tsc --outDir .",
            "cargo init .",
            "git clean -fdx target",
            "git -C target clean -fdx",
            "git stash",
            "git stash pop",
            "git stash push -u -m x src",
            "parallel gzip ::: src/a",
            "parallel 'gzip {}; rm {.}.log' ::: src/a.txt",
            "for f in 1 2 3 4 5 6 7 8 9 10; do rm src/$f; done",
            "fd -e o . src -x rm",
            "find src -name '*.o' | xargs rm",
            "cd src && ls | xargs rm",
            "cd src && rm *.json",
            "rimraf dist",
            "flock /tmp/lock make",
            "sudo sed -e p hooks.yaml",
            "7z x a.7z -oout",
            "tree -L 2",
        ],
    );
}

#[test]
fn what_goes_into_a_folder_that_is_there_has_a_place_of_its_own() {
    let files = FakeFileSystem::default().with("/repo/.github", hooks_core::fs::EntryKind::Directory);
    for (command, wanted) in [
        ("mv src/a .github", Strength::NoOpinion),
        ("mv -T src/a .github", Strength::Deny),
        ("mv src/hooks .github", Strength::Deny),
    ] {
        let event = PreToolUse::new("bash", json!({ "command": command }));
        let request = HookRequest::new(context("a", files.clone()), event);
        assert_eq!(verdict_on(&itself(), &request).0, wanted, "{command}");
    }
}

#[test]
fn tools_of_unknown_names_may_take_lists() {
    for (tool, args, wanted) in [
        ("mcp__fs__write_files", json!({"files": [{"path": "hooks.yaml"}]}), Strength::Deny),
        ("mcp__fs__remove", json!({"paths": ["src/a", "hooks.yaml"]}), Strength::Deny),
        ("mcp__fs__remove", json!({"paths": ["src/a"]}), Strength::NoOpinion),
        ("mcp__fs__read_many", json!({"paths": ["hooks.yaml"]}), Strength::NoOpinion),
        ("mcp__cart__remove", json!({"item": "hooks.yaml"}), Strength::NoOpinion),
    ] {
        assert_eq!(verdict_on(&itself(), &call(tool, args.clone())).0, wanted, "{tool} {args}");
    }
}

#[test]
fn a_redirection_known_in_part_may_be_protected() {
    says(
        Strength::Deny,
        &[
            "echo x > \"$F\"",
            "echo x > \"/tmp/$F\"",
            "echo x > $D/hooks.yaml",
            "echo x > /tmp/$D/hooks.yaml",
            "echo x > hooks.ya*",
            "echo x > /tmp/$D.yaml",
            "cat > $D/.claude/settings.json",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "T=$(mktemp) && jq .a x.json > \"$T\" && mv \"$T\" x.json",
            "for i in $(seq 1 3); do make test > /tmp/run.$i.log; done",
            "for f in src/*.json; do jq -S . \"$f\" > \"$f.tmp\"; done",
            "build > \"out/$(basename \"$o\").txt\"",
        ],
    );
}

#[test]
fn a_folder_of_protected_files_is_not_removed_however_they_are_written() {
    let policy = ProtectedFiles::new(&["{.claude,conf}/*.json", "a\\b/c"], &CallReader::default()).unwrap();
    for (path, wanted) in [
        (".claude", Strength::Deny),
        ("conf/", Strength::Deny),
        ("ab", Strength::Deny),
        (".", Strength::Deny),
        ("con", Strength::NoOpinion),
        ("docs", Strength::NoOpinion),
    ] {
        assert_eq!(verdict_on(&policy, &call("delete_file", json!({ "path": path }))).0, wanted, "{path}");
    }
}

#[test]
fn a_way_around_through_a_link_is_found() {
    let files =
        FakeFileSystem::default().with_link("/mnt/l", "/repo/.claude").with_link("/repo/m", "hooks.yaml");
    for path in ["/mnt/l/settings.json", "m"] {
        let event = PreToolUse::new("edit", json!({ "path": path }));
        assert_eq!(
            verdict_on(&policy(), &HookRequest::new(context("a", files.clone()), event)).0,
            Strength::Deny,
            "{path}"
        );
    }
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, policy());
    for bad in ["{a", &"a".repeat(4095)] {
        let errors = ProtectedFiles::new(&["ok", bad], &CallReader::default()).unwrap_err();
        assert_eq!(errors.as_slice()[0].field, "protected[1]");
    }
}

/// Regression test: settings that are protected in any folder came with a whole folder.
#[test]
fn a_folder_brings_or_takes_no_settings() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let patterns = ["**/.claude/settings.json", "**/.claude/projects/**/*.jsonl", "**/.github/hooks/**"];
    let policy = ProtectedFiles::new(&patterns, &CallReader::default()).unwrap();
    let context = HookContext::new("s", "a").in_dir(&root).with_environment(hooks_system::system());
    let is_denied = |command: &str| {
        let event = PreToolUse::new("bash", json!({ "command": command }));
        policy.judge(&HookRequest::new(context.clone(), event)).strength() == Strength::Deny
    };
    std::fs::create_dir(root.join("evil")).unwrap();
    for command in [
        "mv evil .claude",
        "mv -T evil sub/.claude",
        "cp -r evil/. .claude",
        "cp -rT evil .claude",
        "ln -s evil .claude",
        "git mv evil .claude",
        "git clone evil .Claude",
        "rsync -a evil/.claude .",
        "cp -r evil/.claude .",
        "cp -r evil .github",
        "mv evil .claude/projects",
    ] {
        assert!(is_denied(command), "{command}");
    }
    for command in [
        "mkdir .claude",
        "mv evil claude",
        "cp -r evil x.claude",
        "rm -rf .claude .github",
        "mv .claude old",
        "cp -r evil .claude/commands",
        "cp -r evil hooks",
        "cp -r evil projects",
    ] {
        assert!(!is_denied(command), "{command}");
    }
    std::fs::create_dir_all(root.join(".claude")).unwrap();
    assert!(!is_denied("rm -rf .claude"));
    std::fs::write(root.join(".claude/settings.json"), "{}").unwrap();
    assert!(is_denied("rm -rf .claude") && is_denied("mv .claude old") && is_denied("cp -rT evil .claude"));
    assert!(!is_denied("cp -r .claude backup"));
    std::fs::create_dir_all(root.join(".github/hooks")).unwrap();
    assert!(is_denied("rm -rf .github/hooks") && !is_denied("rm -rf .github/workflows"));
}
