//! Written, then run, with `hooks run`: one process for each event, some of which are killed.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hooks::time::{Random as _, SeededRandom};
use serde_json::{Value, json};

use super::sequences::{before, hear, is_denied};
use super::server::on_each_store;

const RULES: &str = "command_guard: { block: [rm -rf] }\n";

fn write(dir: &Path, session: &str, id: &str, name: &str, content: &str) -> Value {
    before(dir, session, id, "Write", &json!({"file_path": dir.join(name), "content": content}))
}

fn bash(dir: &Path, session: &str, id: &str, command: &str) -> Value {
    before(dir, session, id, "Bash", &json!({ "command": command }))
}

#[test]
fn a_script_of_the_session_is_judged_when_another_process_runs_it() {
    on_each_store(RULES, |dir| {
        fs::write(dir.join("old.sh"), "rm -rf out").unwrap();
        assert!(!is_denied(dir, &bash(dir, "s", "t1", "sh old.sh")));
        assert!(!is_denied(dir, &write(dir, "s", "t2", "tidy.sh", "rm -rf out")));
        fs::write(dir.join("tidy.sh"), "rm -rf out").unwrap();
        for (number, command) in
            ["sh tidy.sh", "chmod +x tidy.sh && ./tidy.sh", "cat tidy.sh | sh"].iter().enumerate()
        {
            assert!(is_denied(dir, &bash(dir, "s", &format!("d{number}"), command)), "{command}");
        }
        assert!(!is_denied(dir, &bash(dir, "s", "t3", "cat tidy.sh; sh old.sh")));
        assert!(!is_denied(dir, &bash(dir, "other", "t4", "sh tidy.sh")));

        // By a command, and through a link.
        assert!(!is_denied(
            dir,
            &bash(dir, "s", "t5", "printf '#!/bin/sh\\nrm -rf out\\n' > made; ln -s made link")
        ));
        fs::write(dir.join("made"), "#!/bin/sh\nrm -rf out\n").unwrap();
        std::os::unix::fs::symlink("made", dir.join("link")).unwrap();
        assert!(is_denied(dir, &bash(dir, "s", "t6", "./link")));

        // The manifest as it is when the script runs.
        let manifest = |command: &str| json!({"scripts": {"clean": command, "test": "ls"}}).to_string();
        assert!(!is_denied(dir, &write(dir, "s", "t7", "package.json", "{}")));
        fs::write(dir.join("package.json"), manifest("rm -rf out")).unwrap();
        assert!(is_denied(dir, &bash(dir, "s", "t8", "npm run clean")));
        assert!(!is_denied(dir, &bash(dir, "s", "t9", "npm test")));
        fs::write(dir.join("package.json"), manifest("ls out")).unwrap();
        assert!(!is_denied(dir, &bash(dir, "s", "t10", "npm run clean")));
    });
}

/// Regression test: a script was compared with the guards only, and could change the files that govern the agent.
#[test]
fn a_script_is_judged_by_every_rule_and_keeps_off_the_own_files() {
    const ALL: &str = "command_guard: {}
protected: [Makefile]
rules: [{ name: publishing, commands: [git push], reason: this leaves the machine }]
";
    on_each_store(ALL, |dir| {
        for (number, (content, wanted)) in [
            ("echo {} > hooks.yaml\n", true),
            ("rm -r .hooks\n", true),
            ("sed -i s/a/b/ Makefile\n", true),
            ("git push\n", true),
            ("git status; echo x > out.txt\n", false),
        ]
        .into_iter()
        .enumerate()
        {
            let (name, session) = (format!("x{number}.sh"), format!("s{number}"));
            assert!(!is_denied(dir, &write(dir, &session, "t1", &name, content)), "{content}");
            fs::write(dir.join(&name), content).unwrap();
            let run = bash(dir, &session, "t2", &format!("sh {name}"));
            assert_eq!(is_denied(dir, &run), wanted, "{content}");
        }
    });
}

/// Regression test: an explanation added the files of the call to the set of the session.
#[test]
fn an_explanation_changes_nothing_that_a_run_knows() {
    on_each_store(RULES, |dir| {
        fs::write(dir.join("a.sh"), "rm -rf out").unwrap();
        let explain = |tool: &str, args: &Value| {
            let at = json!({"session_id": "s", "agent_name": "a", "cwd": dir});
            let event = json!({"event": "pre_tool_use", "at": at, "tool_name": tool, "tool_args": args});
            let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
            command.args(["explain", "--config", "hooks.yaml"]).current_dir(dir).env_clear().env("HOME", dir);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
            String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
        };
        let content = json!({"path": dir.join("a.sh"), "content": "rm -rf out"});
        assert!(!explain("write_file", &content).is_empty());
        assert!(!is_denied(dir, &bash(dir, "s", "t1", "sh a.sh")));
        // What a run knows, an explanation judges.
        assert!(!is_denied(dir, &write(dir, "s", "t2", "a.sh", "rm -rf out")));
        assert!(explain("bash", &json!({"command": "sh a.sh"})).contains("`rm -rf out` is blocked"));
    });
}

#[test]
fn no_acknowledged_write_is_lost_to_a_killed_process() {
    on_each_store(RULES, |dir| {
        let random = SeededRandom::new(7);
        fs::write(dir.join("a.sh"), "rm -rf out").unwrap();
        let begun = Instant::now();
        assert!(!is_denied(dir, &write(dir, "warm", "w", "a.sh", "rm -rf out")));
        let usual = begun.elapsed();
        let (mut killed, mut answered) = (0, 0);
        for round in 0..24_u64 {
            let session = format!("s{round}");
            let share = u32::try_from(random.next_u128() % 160).unwrap_or(0);
            let kill: Duration = usual * share / 100;
            match hear(dir, &write(dir, &session, "t1", "a.sh", "rm -rf out"), Some(kill)) {
                Some(answer) if !answer.contains("deny") => {
                    answered += 1;
                    assert!(is_denied(dir, &bash(dir, &session, "t2", "sh a.sh")), "round {round}");
                }
                _ => killed += 1,
            }
        }
        assert!(killed > 0 && answered > 0, "{killed} killed, {answered} answered");
    });
}
