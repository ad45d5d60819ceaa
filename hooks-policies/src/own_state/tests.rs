//! Commands by kind, alone and in compound forms, for a log in the project and one elsewhere.

mod agents;
mod found;
mod processes;
mod programs;

use hooks_core::testing::FakeFileSystem;
use hooks_core::{Strength, assert_policy_laws};
use serde_json::{Value, json};

use super::*;
use crate::testing::{call, context, verdict_on};

/// Folder of a log and the folder above it, as commands in the root of the project name them.
struct Log {
    folder: &'static str,
    above: &'static str,
}

const IN_THE_TEAM: Log = Log { folder: ".squad/orchestration-log", above: ".squad" };
const ELSEWHERE: Log = Log { folder: "/srv/agents/log", above: "/srv/agents" };

impl Log {
    /// Returns the policy that a configuration with this log builds, which protects the configuration too.
    fn policy(&self) -> OwnState {
        let folder = if self.folder.starts_with('/') {
            self.folder.to_owned()
        } else {
            format!("/repo/{}", self.folder)
        };
        let patterns = [
            format!("{folder}/*.{{jsonl,gz,lock,end,new,checkpoints,json}}"),
            format!("{folder}/sinks/**"),
            "/repo/hooks.yaml".to_owned(),
            ".claude/settings.json".to_owned(),
            "/home/dev/.claude/settings.json".to_owned(),
            "/repo/.hooks/state.db".to_owned(),
            "/repo/.hooks/state.db-wal".to_owned(),
            "/keys/audit.key".to_owned(),
            "/keys/audit.key/*".to_owned(),
        ];
        OwnState::new(&patterns, &CallReader::default()).unwrap()
    }

    /// Replaces `DIR`, `ABOVE` and `FILE` in a command by the paths of the log.
    fn written(&self, command: &str) -> String {
        let file = format!("{}/w0.jsonl", self.folder);
        command.replace("FILE", &file).replace("DIR", self.folder).replace("ABOVE", self.above)
    }
}

/// Returns a command in different forms: alone, in compound commands and after wrappers.
fn forms(command: &str) -> Vec<String> {
    let quoted = command.replace('\'', "'\\''");
    let mut forms = vec![
        command.to_owned(),
        format!("true; {command}"),
        format!("cargo build && {command}"),
        format!("({command})"),
        format!("{{ {command}; }}"),
        format!("if true; then {command}; fi"),
        format!("bash -c '{quoted}'"),
        format!("echo \"$({command})\""),
    ];
    // A wrapper takes only a simple command.
    if !command.contains([';', '|', '&', '<', '>', '(']) && !command.starts_with("cd ") {
        forms.extend(
            ["sudo ", "env A=1 ", "timeout 5 ", "nohup "].map(|wrapper| format!("{wrapper}{command}")),
        );
    }
    forms
}

#[track_caller]
fn says(wanted: Strength, commands: &[&str]) {
    let mut wrong = Vec::new();
    for log in [IN_THE_TEAM, ELSEWHERE] {
        let policy = log.policy();
        for command in commands.iter().flat_map(|command| forms(&log.written(command))) {
            let (strength, rule) = verdict_on(&policy, &call("bash", json!({ "command": command })));
            if strength != wanted || rule == "unreadable" {
                wrong.push(format!("{strength:?} {rule}: {command}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_nobody_knows_may_not_name_the_files() {
    says(
        Strength::Deny,
        &[
            "chmod 600 FILE",
            "chmod 000 DIR",
            "chmod -R 000 ABOVE",
            "chown nobody FILE",
            "chgrp -R dev DIR",
            "chattr +i FILE",
            "setfacl -m u:dev:rw FILE",
            "setfattr -n user.a FILE",
            "chcon -t x FILE",
            "docker run -v $PWD/.squad/orchestration-log/w0.jsonl:/x -v DIR:/x image",
            "docker run --rm -v ABOVE:/x image sh",
            "docker run --mount type=bind,src=DIR,dst=/x image",
            "docker run --volume=ABOVE:/x image",
            "podman run -vDIR:/x image",
            "docker cp x:/y FILE",
            "bwrap --bind DIR /x sh",
            "mount --bind /mnt DIR",
            "mount -t tmpfs none ABOVE",
            "umount DIR",
            "fallocate2 FILE",
            "debugfs -w FILE",
            "losetup FILE",
            "mytool FILE",
            "./scripts/rotate.sh DIR",
            "make -C DIR clean",
            "make LOG=FILE clean",
            "npm --prefix DIR install",
            "npx prettier --write DIR/w0.json",
            "prettier --write hooks.yaml",
            "ansible localhost -m file -a path=FILE",
            "sqlite3 .hooks/state.db 'delete from counters'",
            "sqlite3 /repo/.hooks/state.db-wal .dump",
            "litestream restore -o .hooks/state.db s3://x",
            "python3 proofs/verify/audit.py DIR",
            "python3 -c 'open(\"FILE\", \"w\")'",
            "python3 -c 'import os; print = os.remove; print(\"FILE\")'",
            "./python3 -c 'print(open(\"FILE\").read())'",
            "PYTHONPATH=x python3 -c 'import json; print(open(\"FILE\").read())'",
            "python3 -c 'import os; os.chdir(\"DIR\")'",
            "python3 -c 'import shutil; shutil.rmtree(\"ABOVE\")'",
            "node -e 'require(\"fs\").rmSync(\"ABOVE\", {recursive: true})'",
            "node -e 'require(\"fs\").writeFileSync(\"FILE\", \"\")'",
            "perl -e 'unlink \"FILE\"'",
            "perl -pi -e s/a/b/ FILE",
            "ruby -e 'File.write(\"FILE\", \"\")'",
            "php -r 'unlink(\"FILE\");'",
            "lua -e 'os.remove(\"FILE\")'",
            "awk 'BEGIN { print > \"FILE\" }'",
            "awk -v f=FILE 'BEGIN { print > f }'",
            "vim -c 'w! FILE' x",
            "ed FILE",
            "nano hooks.yaml",
            "emacs --batch FILE",
            "code hooks.yaml",
            "git config -f FILE a.b c",
            "git --work-tree=DIR checkout-index -af",
            "git bundle create FILE HEAD",
            "git format-patch -o DIR HEAD~1",
            "7z x a.7z -oDIR",
            "unrar x a.rar DIR",
            "gdb -ex 'set logging file FILE' x",
            "perf record -o FILE ls",
            "valgrind --log-file=FILE ls",
            "ffmpeg -i x FILE",
            "convert x.png FILE",
            "pandoc2 -o FILE x",
            "gcc -o FILE x.c",
            "gcc -Wl,-Map,FILE x.c",
            "go build -o FILE",
            "rustc x.rs -oFILE",
            "rclone sync x DIR",
            "aws s3 cp s3://x FILE",
            "gsutil cp gs://x FILE",
            "kubectl cp pod:/x FILE",
            "inotifywait -o FILE x",
            "screen -dmS s rm FILE",
            "tmux new-session -d 'rm FILE'",
            "crontab FILE",
            "logrotate -f FILE",
            "chronic rm FILE",
            "rg --pre rm x FILE",
            "busctl call x FILE",
            "lockfile FILE",
            "keytool -keystore /keys/audit.key",
            "openssl pkey -in /keys/audit.key -out x",
            "ssh-keygen -p -f /keys/audit.key/k0",
            "ssh-keygen -y -f /keys/audit.key",
            "chmod 644 .claude/settings.json",
            "chmod 644 ~/.claude/settings.json",
            "chmod 644 $HOME/.claude/settings.json",
            "chmod 644 /home/dev/.claude/settings.json",
            "chmod 644 HOOKS.yaml",
            "chmod 644 hooks.y?ml",
            "chmod 644 hooks.*",
            "chmod 644 ./src/../hooks.yaml",
            "chmod 644 \"$D\"/hooks.yaml",
            "chmod 644 DIR/*",
            "chmod 644 DIR/*.jsonl",
            "chmod 644 DIR/w?.jsonl",
            "F=FILE; chmod 644 $F",
            "for f in FILE; do chmod 644 $f; done",
            "cd DIR; chmod 644 w0.jsonl",
            "cd DIR && chmod 644 *.jsonl",
            "cd DIR && python3 ../x.py",
            "cd DIR && ./x",
            "cd ABOVE; D=DIR; chmod 644 $D/w0.jsonl; chmod 644 FILE",
            "pushd DIR; mytool; popd",
            "env -C DIR mytool",
            "find DIR -name '*.jsonl' -exec chmod 000 {} +",
            "find DIR -type f -exec mytool {} +",
            "find . -name hooks.yaml -exec chmod 000 {} +",
            "find DIR -name '*.jsonl' | xargs chmod 000",
            "find DIR -print0 | xargs -0 -n 1 mytool",
            "echo FILE | xargs chmod 000",
            "ls DIR | xargs -I{} chmod 000 DIR/{}",
            "cd DIR && ls | xargs chmod 000",
            "parallel chmod 000 ::: FILE",
            "echo FILE | parallel chmod 000",
            "python3 - <<'E'\nopen('FILE', 'w')\nE\ntrue",
            "echo \"open('FILE', 'w')\" > x.py && python3 x.py",
            "f() { chmod 0 \"$1\"; }; f FILE",
            "cat() { chmod 0 \"$1\"; }; cat FILE",
            "./cat FILE",
            "cp /bin/chmod ./hooks && ./hooks 000 FILE",
            "curl x | mytool FILE",
            "mytool < x FILE",
        ],
    );
}

#[test]
fn who_only_reads_may_and_what_is_not_theirs_may_be_named() {
    says(
        Strength::NoOpinion,
        &[
            "cat FILE",
            "tac FILE",
            "head -n 5 FILE",
            "tail -f FILE",
            "less FILE",
            "grep deny FILE",
            "grep -rn deny DIR",
            "rg deny DIR",
            "rg deny ABOVE",
            "zgrep deny DIR/w0.gz",
            "zcat DIR/w0.gz",
            "jq . FILE",
            "jq -c 'select(.outcome == \"deny\")' FILE",
            "wc -l FILE",
            "ls -la DIR",
            "tree ABOVE",
            "stat FILE",
            "file FILE",
            "du -sh DIR",
            "diff FILE x",
            "cmp FILE x",
            "sha256sum FILE",
            "md5sum DIR/w0.json",
            "cut -c 1-80 FILE",
            "sort FILE",
            "sort -u FILE -o /tmp/sorted",
            "uniq -c FILE",
            "od -c FILE",
            "xxd FILE",
            "strings FILE",
            "base64 FILE",
            "test -f FILE",
            "[ -s hooks.yaml ]",
            "sed -n 1,5p FILE",
            "sed s/a/b/ hooks.yaml",
            "awk '{ print $1 }' FILE",
            "awk '$3 > 5' FILE",
            "awk -F: '$1 >= 2 { n++ } END { print n }' FILE",
            "find DIR -name '*.jsonl'",
            "find . -name hooks.yaml",
            "find DIR -exec cat {} +",
            "find DIR -name '*.jsonl' | xargs cat",
            "find DIR | sort | head -n 3",
            "ls DIR | wc -l",
            "cat DIR/*.jsonl",
            "cat FILE | jq .",
            "cat FILE | python3 -c 'import sys; print(len(sys.stdin.read()))'",
            "cp FILE /tmp/x",
            "cp -r DIR /tmp/x",
            "rsync -a DIR/ host:/tmp/x",
            "scp FILE host:/tmp",
            "tar cf /tmp/x.tar DIR",
            "tar -C DIR -czf /tmp/x.tgz .",
            "gzip -c FILE",
            "zip -r /tmp/x.zip DIR",
            "curl -F f=@FILE https://a.example",
            "dd if=FILE of=/tmp/x",
            "tee /tmp/x < FILE",
            "cd DIR && cat w0.jsonl",
            "cd DIR && ls -la",
            "cd DIR && git log .",
            "cd DIR; grep deny *.jsonl; cd -",
            "git -C DIR status",
            "git log -- FILE",
            "git show HEAD:hooks.yaml",
            "git diff hooks.yaml",
            "git status ABOVE",
            "git add FILE",
            "git add ABOVE",
            "git blame hooks.yaml",
            "git commit -m 'explain hooks.yaml' hooks.yaml",
            "git grep deny DIR",
            "git check-ignore FILE",
            "git stash list",
            "git clean -n",
            "echo FILE",
            "echo \"see hooks.yaml\"",
            "printf '%s\\n' FILE",
            "realpath FILE",
            "basename FILE",
            "export LOG=FILE",
            "man hooks.yaml",
            "gh pr create --body 'see hooks.yaml and FILE'",
            "gh issue comment 3 -b 'hooks.yaml: fixed'",
            "npx commit -m 'fix hooks.yaml handling'",
            "hooks check hooks.yaml",
            "hooks replay --log log --config hooks.yaml",
            "hooks test --config hooks.yaml",
            "hooks top --log DIR --once",
            "hooks audit --log DIR tail -n 5",
            "./target/release/hooks check hooks.yaml",
            "cargo test -p tower-hooks",
            "cargo run --example log",
            "cargo build --manifest-path sub/Cargo.toml",
            "cargo fmt --all",
            "npm test",
            "npm run lint -- --fix",
            "npm audit",
            "npm audit fix",
            "cargo audit",
            "python3 -m pytest tests",
            "python3 manage.py migrate",
            "python3 -c 'print(1)'",
            "python3 -c 'print(open(\"FILE\").read())'",
            "node -p 'JSON.parse(require(\"fs\").readFileSync(\"FILE\", \"utf8\")).hooks'",
            "python3 -c 'import shutil; shutil.rmtree(\"build\")'",
            "node scripts/build.js",
            "make",
            "make -C sub test",
            "make DESTDIR=/tmp/x install",
            "docker run -v .:/x image make",
            "docker run --rm -v $PWD:/app -w /app image npm test",
            "docker run -v $PWD/src:/src image",
            "docker run -v DIR:/log:ro image",
            "docker build -t x .",
            "docker compose up -d",
            "chmod -R u+w .",
            "chmod +x scripts/run.sh",
            "chmod 644 *",
            "chmod 644 src/*",
            "chmod +x \"$BIN\"",
            "chmod 644 \"$D\"/*.sh",
            "chmod -R u+rwX,g+rX .",
            "docker run --rm alpine ls /",
            "docker run --rm alpine sh -c 'cd / && ls'",
            "chmod -R a+r src",
            "chmod u+w ABOVE",
            "prettier --check src/a.json",
            "prettier --write '**/*.ts'",
            "eslint .",
            "prettier --write .squad/decisions.md",
            "mytool .squad/orchestration-log/2026-01-02-notes.md",
            "mytool sub/hooks.yaml",
            "kubectl apply -f deploy/hooks.yml",
            "terraform state list",
            "terraform state rm a.b",
            "helm template hooks",
            "go test ./...",
            "find . -type f -exec chmod 644 {} +",
            "find . -name '*.sh' -exec chmod +x {} +",
            "find src -name '*.o' | xargs rm",
            "ls | xargs -n 1 mytool",
            "cd sub && mytool .",
            "cd sub && ./configure --prefix=/usr && make",
            "cd $D && make",
            "cd /tmp && mytool x",
            "perl -ne print x",
            "ssh host ls DIR",
        ],
    );
}

/// One of the hooks' files among many others, in a text that lists several, and found by a search.
#[test]
fn items_and_searches() {
    let many: String = (0..30).map(|n| format!("p{n} ")).collect();
    let with_many = |commands: &[&str]| -> Vec<String> {
        commands.iter().map(|command| command.replace("MANY", many.trim())).collect()
    };
    let refused = with_many(&[
        "parallel chmod 0 ::: MANY FILE",
        "parallel 'chmod 0 {}' ::: MANY FILE",
        "parallel 'chmod 0 {}; true' ::: FILE",
        "parallel 'cd {//} && mytool' ::: FILE",
        "find MANY DIR -exec chmod 0 {} +",
        "find MANY DIR | xargs chmod 0",
        "for f in MANY FILE; do chmod 0 $f; done",
        "fd . DIR -x chmod 0",
        "fd . DIR -X ./x.sh",
        "fd -e jsonl . DIR | xargs mytool",
        "fd -C DIR -x chmod 0",
    ]);
    says(Strength::Deny, &refused.iter().map(String::as_str).collect::<Vec<_>>());
    let allowed = with_many(&[
        "for f in MANY; do chmod 644 $f; done",
        "for f in MANY FILE; do cat $f; done",
        "parallel chmod 644 ::: MANY",
        "parallel 'gzip -k {}; mytool {.}' ::: MANY",
        "parallel 'wc -l {}' ::: MANY FILE",
        "find MANY -exec chmod 644 {} +",
        "find . -name 'test_*.py' -exec chmod 644 {} +",
        "find . -name 'test*' -exec prettier --check {} +",
        "find src tests -name 'w*' | xargs mytool",
        "find . -name '*.json' | xargs mytool",
        "find . -name 'w0*' -exec cat {} +",
        "fd -e rs -x rustfmt",
        "fd -e json | xargs mytool",
        "fd test src -x mytool",
        "fd . DIR -x cat",
    ]);
    says(Strength::NoOpinion, &allowed.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn the_root_is_left_to_everyday_work_and_what_is_above_it_to_none() {
    says(
        Strength::Deny,
        &[
            "chmod -R 000 .",
            "chmod -R 755 .",
            "chmod -R u-w .",
            "chmod -R o+w .",
            "chmod -R u+w,o+w .",
            "chmod -R --reference=u+w u+w .",
            "chmod -R -w .",
            "chmod -R $MODE .",
            "chown -R nobody .",
            "chgrp -R dev $PWD",
            "python3 -c 'import shutil; shutil.rmtree(\".\")'",
            "chmod -R u+w ..",
            "docker run -v ..:/w image",
            "docker run -v..:/w image",
            "docker run -v /:/w image",
            "docker run -v $PWD/..:/w image",
            "docker run --mount type=bind,src=..,dst=/w image",
            "docker cp x:/a/. ..",
            "docker cp x:/a/. /",
            "bwrap --bind / / sh",
            "cd .. && docker run -v .:/w image",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "chmod -R ug+rw,u+x -- .",
            "docker run -v ../repo:/w image",
            "cd sub && docker run -v ..:/w image",
            "cd sub && docker run -v .:/w image",
            "mytool ..",
        ],
    );
}

#[test]
fn commands_of_hooks_that_are_for_people() {
    says(
        Strength::Deny,
        &[
            "hooks state",
            "hooks state set a/b 0",
            "hooks init claude --remove",
            "hooks run --client claude --event PreToolUse",
            "hooks report --log DIR --force -o src/main.rs",
            "./target/release/hooks init",
            "hooks audit erase --session s --why x --yes",
            "hooks audit -c hooks.yaml maintain",
            "hooks audit -chooks.yaml maintain",
            "hooks audit --config=hooks.yaml maintain",
            "hooks audit --log . erase w0:1 --why x --yes",
            "hooks audit hold add x --reason y",
            "hooks audit hold release x",
            "hooks audit --log DIR hold --by me release x",
            "hooks audit feed --once",
            "hooks audit checkpoint --to /mnt --key k",
            "hooks audit keygen a.example --out k",
            "hooks audit $X",
            "hooks audit hold $X",
            "hooks ceremony start 'Design Review'",
            "hooks ceremony -c hooks.yaml end x",
            "hooks ceremony $X",
            "./h3 ceremony end x",
            "hooks mcp -- sh -c 'rm -rf x'",
            "hooks mcp --name x --config open.yaml -- node server.js",
            "hooks $X",
            "hooks $X hold release x",
            "hooks eval -c hooks.yaml --record",
            "hooks eval -c $F",
            "hooks explain --config x.yaml --tool bash",
            "hooks bench",
            "hooks demo",
            "A=audit; hooks $A erase w0:1",
            "ln -s /usr/bin/hooks h3 && ./h3 audit hold release x",
            "./h3 audit hold release x",
            "./h3 audit --log DIR hold release x",
            "h3 audit maintain",
            "./h3 audit erase --session s",
            "./h3 state set ask-limit/s1 0",
            "./h3 state -c x lock src/a backend",
            "./h3 state remove children/s1 c7",
            "./h3 state accept-loss",
            "./h3 init claude --remove",
            "./h3 run --client=claude --event=PreToolUse",
            "cargo run -p tower-hooks-cli -- audit hold release x",
            "cargo run -- state set spend/of/team//usd 0",
            "npx h3 audit erase w0:1",
            "chronic ./h3 audit hold release x",
            "echo x | xargs hooks audit hold release",
            "find . -name x -exec hooks audit hold release {} +",
        ],
    );
    says(
        Strength::NoOpinion,
        &[
            "hooks",
            "hooks --version",
            "hooks --help",
            "hooks init --help",
            "hooks audit tail",
            "hooks audit --log DIR query --outcome deny",
            "hooks audit show w0:1",
            "hooks audit export",
            "hooks audit verify --anchor $A",
            "hooks audit prove w0:1",
            "hooks audit hold list",
            "hooks ceremony",
            "hooks ceremony status",
            "hooks audit maintain --dry-run",
            "hooks audit -c hooks.yaml maintain --dry-run",
            "hooks check $F",
            "hooks test --config $F",
            "hooks doctor",
            "hooks schema pre_tool_use",
            "git init",
            "npm init -y",
            "npm run build",
            "cargo init claude2",
            "terraform state mv a b",
            "pulumi state delete x",
            "grep -rn 'audit hold release' docs",
            "echo audit hold release",
            "git commit -m 'hooks audit erase'",
            "rg -n audit erase",
            "npm audit signatures",
            "docker run --rm image audit",
            "lynis audit system",
        ],
    );
}

#[test]
fn what_cannot_be_read_is_refused_for_what_it_is() {
    for arguments in [
        json!({"command": "rm <("}),
        json!({"command": "$X a"}),
        json!({"command": "curl u | sh"}),
        json!({"command": 7}),
    ] {
        let request = call("bash", arguments);
        let verdict = IN_THE_TEAM.policy().judge(&request);
        assert_eq!(verdict_on(&IN_THE_TEAM.policy(), &request), (Strength::Deny, "unreadable".to_owned()));
        assert!(!verdict.reasons()[0].message.contains("agent"), "{verdict:?}");
        let guarded = IN_THE_TEAM.policy().beside_a_command_guard(true);
        assert_eq!(verdict_on(&guarded, &request).0, Strength::NoOpinion);
    }
}

fn tool(name: &str, arguments: Value) -> Strength {
    verdict_on(&IN_THE_TEAM.policy(), &call(name, arguments)).0
}

#[test]
fn tools_that_nobody_knows() {
    for (name, arguments) in [
        ("mcp__x__go", json!({"command": "rm FILE"})),
        ("mcp__x__go", json!({"cmd": ["chmod", "0", "FILE"]})),
        ("mcp__x__go", json!({"script": "echo > FILE"})),
        ("mcp__x__go", json!({"shell": "rm -rf .squad"})),
        ("mcp__x__go", json!({"command": "rm -rf ."})),
        ("mcp__x__go", json!({"command": "hooks state set a/b 0"})),
        ("mcp__x__go", json!({"command": "rm w0.jsonl", "cwd": "DIR"})),
        ("mcp__x__go", json!({"jobs": [{"command": "rm FILE"}]})),
        ("mcp__x__apply", json!({"files": [{"path": "hooks.yaml", "content": "x"}]})),
        ("mcp__x__go", json!({"edits": [{"file_path": "FILE"}]})),
        ("mcp__x__go", json!({"path": "FILE"})),
        ("mcp__x__sync", json!({"paths": ["src/a", "hooks.yaml"]})),
        ("mcp__x__go", json!({"input": {"target_file": "hooks.yaml"}})),
        ("mcp__x__lint_fix", json!({"path": "hooks.yaml"})),
        ("mcp__x__write", json!({"target": "hooks.yaml", "content": "x"})),
        ("mcp__x__delete", json!({"saveTo": "/repo/.squad/orchestration-log"})),
        ("mcp__x__go", json!({"a": {"b": ["src", {"name": "./hooks.yaml"}]}})),
        ("mcp__x__go", json!({"url": "file:///repo/hooks.yaml"})),
        ("mcp__x__go", json!({"outfile": "FILE"})),
        ("mcp__x__go", json!({"ids": vec!["a/b"; 5000]})),
    ] {
        let arguments = arguments.to_string();
        let arguments = serde_json::from_str(&IN_THE_TEAM.written(&arguments)).unwrap();
        assert_eq!(tool(name, Value::clone(&arguments)), Strength::Deny, "{name} {arguments}");
    }
    for (name, arguments) in [
        ("mcp__x__go", json!({"command": "cat hooks.yaml"})),
        ("mcp__x__go", json!({"command": "look around"})),
        ("mcp__x__go", json!({"shell": "bash"})),
        ("mcp__x__go", json!({"path": "src/a"})),
        ("mcp__x__go", json!({"title": "hooks.yaml", "body": "rm hooks.yaml"})),
        ("mcp__x__get_files", json!({"files": [{"path": "hooks.yaml"}]})),
        ("mcp__x__lint", json!({"path": "hooks.yaml"})),
        ("mcp__x__create_issue", json!({"title": "hooks.yaml", "labels": ["hooks.yaml"]})),
        ("mcp__x__go", json!({"url": "https://example.com/hooks.yaml", "diff": "-a\nhooks.yaml"})),
        ("mcp__x__go", json!({"ids": vec!["a"; 5000], "target": "src/hooks.rs"})),
        ("read", json!({"path": "hooks.yaml"})),
        ("todo", json!({"path": "hooks.yaml"})),
    ] {
        assert_eq!(tool(name, arguments.clone()), Strength::NoOpinion, "{name} {arguments}");
    }
}

#[test]
fn an_argument_that_names_the_folder_counts() {
    for key in ["workdir", "cwd", "directory"] {
        let arguments = |command: &str| json!({ "command": command, key: ".squad/orchestration-log" });
        assert_eq!(tool("run_shell_command", arguments("chmod 0 w0.jsonl")), Strength::Deny);
        assert_eq!(tool("run_shell_command", arguments("mytool")), Strength::Deny);
        assert_eq!(tool("run_shell_command", arguments("cat w0.jsonl")), Strength::NoOpinion);
    }
}

#[test]
fn a_session_in_the_folder_names_files_without_it() {
    let said_there = |command: &str| {
        let context = context("a", FakeFileSystem::default()).in_dir("/repo/.squad/orchestration-log");
        let request = HookRequest::new(context, PreToolUse::new("bash", json!({ "command": command })));
        verdict_on(&IN_THE_TEAM.policy(), &request).0
    };
    assert_eq!(said_there("chmod 0 w0.jsonl"), Strength::Deny);
    assert_eq!(said_there("cat w0.jsonl"), Strength::NoOpinion);
}

#[test]
fn a_link_to_a_file_is_that_file() {
    let files = FakeFileSystem::default().with_link("/repo/sub/l", "/repo/hooks.yaml");
    let event = PreToolUse::new("bash", json!({"command": "chmod 0 sub/l"}));
    assert_eq!(
        verdict_on(&IN_THE_TEAM.policy(), &HookRequest::new(context("a", files), event)).0,
        Strength::Deny
    );
}

#[test]
fn a_log_in_the_root_does_not_make_all_of_it_own() {
    let policy = OwnState::new(&["/repo/*.{jsonl,lock}", "/repo/sinks/**"], &CallReader::default()).unwrap();
    for (command, wanted) in [
        ("mytool .", Strength::NoOpinion),
        ("mytool src", Strength::NoOpinion),
        ("docker run -v .:/x image", Strength::NoOpinion),
        ("mytool a.jsonl", Strength::Deny),
        ("mytool sinks/a", Strength::Deny),
    ] {
        assert_eq!(verdict_on(&policy, &call("bash", json!({ "command": command }))).0, wanted, "{command}");
    }
}

/// The cost is linear in the length of a command, and a command with too many names is denied.
#[test]
fn many_names_end() {
    for text in
        ["mytool ".to_owned() + &"a/b:".repeat(20_000), "x ".repeat(50_000), "./h3 run ".repeat(5_000)]
    {
        let _verdict = IN_THE_TEAM.policy().judge(&call("bash", json!({ "command": text })));
    }
    let many = "mytool ".to_owned() + &"a/b ".repeat(MAX_NAMES + 1);
    assert_eq!(tool("bash", json!({ "command": many })), Strength::Deny);
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, IN_THE_TEAM.policy());
    let errors = OwnState::new(&["ok", "{a"], &CallReader::default()).unwrap_err();
    assert_eq!(errors.as_slice()[0].field, "protected[1]");
}
