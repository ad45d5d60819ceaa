//! `hooks report`: the page of a log that the program recorded, with texts of agents that attack it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod sample;
#[cfg(unix)]
mod shown;
#[cfg(unix)]
mod speed;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const RULES: &str = "version: 1
audit: { folder: log }
command_guard: { block: [rm -rf] }
write_guard: { allow: ['**'] }
rules:
  - { name: no-push, commands: [git push], action: deny }
  - { name: quiet, commands: [reboot], action: deny }
";

const MARKUP: &str =
    "rm -rf '</script><img src=x onerror=alert(1)><!--' \u{202e}\u{2028} &amp; {DATA} {SCRIPT}";

fn hooks(dir: &Path, args: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env("XDG_STATE_HOME", dir.join("state"));
    command.env("HOME", dir.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("HOOKS_CONFIG");
    command
}

/// Records calls: agent, session, tool and arguments of each.
fn record(dir: &Path, calls: &[(&str, &str, &str, Value)]) {
    let events = calls.iter().map(|(agent, session, tool, arguments)| {
        let at = json!({"session_id": session, "agent_name": agent, "cwd": dir});
        json!({"event": "pre_tool_use", "at": at, "tool_name": tool, "tool_args": arguments})
    });
    record_events(dir, &events.collect::<Vec<_>>());
}

fn record_events(dir: &Path, events: &[Value]) {
    fs::write(dir.join("hooks.yaml"), RULES).unwrap();
    let mut eval = hooks(dir, &["eval", "--config", "hooks.yaml", "--record"]);
    let mut eval = eval.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = eval.stdin.take().unwrap();
    for event in events {
        writeln!(input, "{event}").unwrap();
    }
    drop(input);
    assert!(eval.wait().unwrap().success());
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The data of a page, which is the content of its element up to the first end of one.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{202e}']), "{data}");
    serde_json::from_str(data).unwrap()
}

fn bash(command: &str) -> Value {
    json!({"command": command})
}

#[test]
fn the_page_has_what_the_log_has_and_nothing_in_it_is_markup() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let huge = format!("git push {}", "x".repeat(100_000));
    record(
        &path,
        &[
            ("bob", "s2", "Bash", bash("rm -rf out")),
            ("ada<b>", "s1", "Bash", bash(MARKUP)),
            ("ada<b>", "s1", "Write", json!({"file_path": "src/a.rs", "content": "x"})),
            ("bob", "s2", "Bash", bash("ls")),
            ("ada<b>", "s1", "Bash", bash("git status")),
            ("bob", "s2", "Bash", bash(&huge)),
        ],
    );
    let args = ["report", "--log", "log", "-c", "hooks.yaml", "-o", "report.html"];
    let output = hooks(&path, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let page = fs::read_to_string(path.join("report.html")).unwrap();
    assert!(
        page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("http-equiv=\"refresh"),
        "{page}"
    );
    assert_eq!(page.matches("</script>").count(), 2, "{page}");
    assert!(!page.contains("<img"), "{page}");

    let data = data(&page);
    let sums = &data["sums"];
    assert_eq!((&sums["calls"], &sums["denied"]), (&json!(6), &json!(3)), "{data:#}");
    let stories = data["stories"].as_array().unwrap();
    let [push, remove, first] = stories.as_slice() else { panic!("{data:#}") };
    assert_eq!((&remove["session"], &remove["agent"]), (&json!("s1"), &json!("ada<b>")));
    assert!(remove["asked"].as_str().unwrap().starts_with("rm -rf '</script><img src=x"), "{remove}");
    assert!(!remove["rules"][0]["reason"].as_str().unwrap().is_empty(), "{remove}");
    let next: Vec<_> =
        remove["next"].as_array().unwrap().iter().map(|call| call["asked"].as_str().unwrap()).collect();
    assert_eq!(next, ["src/a.rs", "git status"]);
    assert_eq!((&push["rules"][0]["name"], &push["next"]), (&json!("rules/no-push"), &json!([])));
    assert!(push["asked"].as_str().unwrap().chars().count() <= 500);
    assert_eq!(first["asked"], "rm -rf out");
    assert_eq!(first["rules"][0]["name"], "command_guard/block");
    // Three rules denied the command with invisible characters.
    let rules = remove["rules"].as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap());
    assert_eq!(
        rules.collect::<Vec<_>>(),
        ["protected-files/path", "command_guard/block", "write_guard/path"]
    );
    assert_eq!(data["never_fired"], json!([{"name": "rules/quiet", "in_shadow": false}]), "{data:#}");
    assert_eq!((&data["files"][0]["name"], &data["files"][0]["count"]), (&json!("src/a.rs"), &json!(1)));
    let parts = data["times"]["parts"].as_array().unwrap();
    assert_eq!(parts.iter().map(|part| part[1].as_u64().unwrap()).sum::<u64>(), 6);
    assert!(page.len() < 100_000, "{}", page.len());
}

#[test]
fn a_file_is_replaced_only_with_force_and_times_select_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    record(&path, &[("ada", "s1", "Bash", bash("rm -rf out"))]);
    fs::write(path.join("kept.html"), "mine").unwrap();
    let args = ["report", "--log", "log", "-o", "kept.html"];
    let refused = hooks(&path, &args).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("`kept.html` is there already; `--force`"), "{}", text(&refused));
    assert_eq!(fs::read_to_string(path.join("kept.html")).unwrap(), "mine");
    assert!(hooks(&path, &args).arg("--force").status().unwrap().success());
    assert!(fs::read_to_string(path.join("kept.html")).unwrap().contains("rm -rf out"));

    let json = |more: &[&str]| -> Value {
        let output =
            hooks(&path, &["report", "--log", "log", "--format", "json"]).args(more).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(json(&[])["sums"]["denied"], 1);
    assert_eq!(json(&[])["never_fired"], Value::Null);
    assert_eq!(json(&["--until", "2000-01-01"])["sums"]["denied"], 0);
    assert_eq!(json(&["--since", "1 day"])["sums"]["denied"], 1);
    let missing = hooks(&path, &["report", "--log", "nowhere"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
}
