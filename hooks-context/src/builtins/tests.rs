use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hooks_core::machine::{Machine, UnknownMachine, User};
use hooks_core::programs::{Finished, Program, Programs};
use hooks_core::testing::{FakeClock, FakeDisk};
use hooks_core::time::Timestamp;
use hooks_team::Digest;
use serde_json::{Value, json};

use super::*;

/// A machine with fixed answers.
struct Desk;

impl Machine for Desk {
    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some("/home/ada".into()),
            "SHELL" => Some("/bin/zsh".into()),
            _ => None,
        }
    }

    fn user(&self) -> Option<User> {
        Some(User { name: "ada".into(), full_name: " Ada L. ".into() })
    }

    fn host_name(&self) -> Option<String> {
        Some("engine".into())
    }

    fn operating_system(&self) -> &'static str {
        "macos"
    }

    fn architecture(&self) -> &'static str {
        "x86_64"
    }

    fn minutes_ahead_of_utc(&self) -> i32 {
        120
    }
}

/// A git with a fixed output that records the programs it was asked to run.
#[derive(Default)]
struct Scripted {
    code: Option<i32>,
    output: &'static str,
    is_cut: bool,
    programs: Mutex<Vec<Program>>,
}

impl Programs for Scripted {
    fn run(&self, program: &Program) -> io::Result<Finished> {
        self.programs.lock().unwrap().push(program.clone());
        if program.arguments.iter().any(|argument| argument == "config") {
            let output = b"filter.lfs.clean\0filter.lfs.process\0".to_vec();
            return Ok(Finished { code: Some(0), output, is_cut: false });
        }
        let output = self.output.as_bytes().to_vec();
        Ok(Finished { code: self.code, output, is_cut: self.is_cut })
    }
}

struct Stars;

impl Redact for Stars {
    fn redact(&self, text: &str) -> Option<String> {
        text.contains("hunter2").then(|| text.replace("hunter2", "***"))
    }
}

struct Upper;

impl Templates for Upper {
    fn render(&self, template: &str, input: &Value) -> Result<String, String> {
        match template {
            "bad" => Err("no such field".into()),
            _ => Ok(template.replace("{{ .SessionID }}", input["session_id"].as_str().unwrap())),
        }
    }
}

/// 2026-11-22T23:30:00Z.
const NOW: Timestamp = Timestamp(1_795_390_200_000);

fn world_with(disk: FakeDisk, programs: Scripted) -> World {
    let clock = Arc::new(FakeClock::at(NOW));
    World::new(clock, Arc::new(disk), Arc::new(programs), "/store")
        .on(Arc::new(Desk))
        .filling(Arc::new(Upper))
        .redacting(Arc::new(Stars))
}

fn world() -> World {
    world_with(FakeDisk::default(), Scripted::default())
}

fn ask(world: &World, name: &str, args: &[&str], input: impl Into<Value>) -> Value {
    let input = input.into();
    let args: Vec<_> = args.iter().map(ToString::to_string).collect();
    let call = Call { name, args: &args, cwd: Some(Path::new("/w/proj")), input: &input };
    serde_json::to_value(run(&call, world).unwrap()).unwrap()
}

#[test]
fn the_day_is_that_of_the_machine() {
    let expected = json!({"hook_specific_output": {"hook_event_name": "turn_start", "instruction_context": [{
        "key": "core/date",
        "label": "date",
        "content": "Today's date: 2026-11-23",
        "changed_content": "Today's date is now: 2026-11-23",
    }]}});
    assert_eq!(ask(&world(), "add_date", &[], json!({})), expected);
}

#[test]
fn the_environment_in_one_block() {
    let disk = FakeDisk::default().with_directory("/w/.git").with_directory("/w/proj");
    let text = "Here is useful information about the environment you are running in:\n\t<env>\n\tWorking directory: /w/proj\n\tIs directory a git repo: Yes\n\tOperating System: MacOS\n\tCPU Architecture: x64\n\tShell: zsh (/bin/zsh)\n\t</env>";
    let expected =
        json!({"hook_specific_output": {"hook_event_name": "session_start", "additional_context": text}});
    let world = world_with(disk, Scripted::default());
    assert_eq!(ask(&world, "add_environment_info", &[], json!({})), expected);
    let call = Call { name: "add_environment_info", args: &[], cwd: None, input: &Value::Null };
    assert_eq!(run(&call, &world).unwrap(), Output::default());
}

#[test]
fn who_uses_the_machine() {
    let text = "Current user:\n\nUser: ada\nFull name: Ada L.\nHostname: engine";
    let expected =
        json!({"hook_specific_output": {"hook_event_name": "session_start", "additional_context": text}});
    assert_eq!(ask(&world(), "add_user_info", &[], json!({})), expected);
    let nobody = world().on(Arc::new(UnknownMachine));
    assert_eq!(ask(&nobody, "add_user_info", &[], json!({})), json!({}));
}

#[test]
fn the_names_in_a_folder() {
    let disk = ["README.md", "main.rs", ".hidden", "b\nb"]
        .iter()
        .fold(FakeDisk::default().with_directory("/w/proj/alpha"), |disk, name| {
            disk.with_file(format!("/w/proj/{name}"), "")
        });
    let world = world_with(disk, Scripted::default());
    let listing = "Top-level entries in /w/proj:\n\n- README.md\n- alpha/\n- b\u{fffd}b\n- main.rs";
    let expected = json!({"hook_specific_output": {"hook_event_name": "session_start", "instruction_context": [{
        "key": "core/directory-listing",
        "label": "top-level directory entries",
        "content": listing,
        "changed_content": format!("The working-directory listing is now:\n\n{listing}"),
        "removed_content": "The working directory no longer has visible top-level entries.",
    }]}});
    assert_eq!(ask(&world, "add_directory_listing", &[], json!({})), expected);

    let many = (0..103).fold(FakeDisk::default(), |disk, n| disk.with_file(format!("/w/proj/{n:03}"), ""));
    let answer = ask(&world_with(many, Scripted::default()), "add_directory_listing", &[], json!({}));
    let content = answer["hook_specific_output"]["instruction_context"][0]["content"].as_str().unwrap();
    assert!(content.ends_with("\n- 099\n... and 3 more"), "{content}");
    assert_eq!(ask(&self::world(), "add_directory_listing", &[], json!({})), json!({}));
}

#[test]
fn files_of_instructions() {
    let disk = FakeDisk::default()
        .with_file("/w/AGENTS.md", "above")
        .with_file("/w/rules.md", "Be kind.\n")
        .with_link("/w/proj/AGENTS.md", "/w/rules.md")
        .with_file("/w/proj/a/AGENTS.md", "deeper")
        .with_file("/w/proj/a/b/AGENTS.md", "too deep")
        .with_file("/w/proj/.x/AGENTS.md", "hidden")
        .with_file("/home/ada/AGENTS.md", "mine");
    let world = world_with(disk, Scripted::default());
    let answer = ask(&world, "add_prompt_files", &["--depth=1", "AGENTS.md", "NONE.md"], json!({}));
    let texts = answer["hook_specific_output"]["instruction_context"].as_array().unwrap();
    assert_eq!(texts.len(), 3, "{answer}");
    let digest = Digest::hash(b"/w/proj/AGENTS.md");
    assert_eq!(
        texts[0],
        json!({
            "key": format!("core/prompt-file-{digest}"),
            "group": "core/prompt-files",
            "label": "instructions from /w/proj/AGENTS.md",
            "content": "Instructions from: /w/proj/AGENTS.md\nBe kind.\n",
            "changed_content": "The instructions from /w/proj/AGENTS.md have changed and replace the previous instructions from that file.\n\nInstructions from: /w/proj/AGENTS.md\nBe kind.\n",
            "removed_content": "The previously loaded instructions from /w/proj/AGENTS.md no longer apply.",
            "complete_group": true,
        })
    );
    assert_eq!(texts[1]["content"], "Instructions from: /home/ada/AGENTS.md\nmine");
    assert_eq!(texts[2]["key"], "core/prompt-file-index");
    let listed = texts[2]["content"].as_str().unwrap();
    assert!(
        listed.contains("/w/proj. Their contents are NOT loaded:\n\n- a/AGENTS.md\n\nRead the ones"),
        "{listed}"
    );

    let none = json!({"hook_specific_output": {"hook_event_name": "turn_start", "instruction_context": [
        {"key": "", "group": "core/prompt-files", "complete_group": true, "set_marker": true}]}});
    assert_eq!(ask(&world, "add_prompt_files", &["NONE.md", "--depth=x"], json!({})), none);
    assert_eq!(ask(&world, "add_prompt_files", &[], json!({})), json!({}));
}

#[test]
fn what_git_says() {
    let git = |output, code, is_cut| {
        world_with(FakeDisk::default(), Scripted { code: Some(code), output, is_cut, ..Scripted::default() })
    };
    let first = |answer: Value| answer["hook_specific_output"]["instruction_context"][0].clone();
    let status = first(ask(&git("## main\n M a\n", 0, false), "add_git_status", &[], json!({})));
    assert_eq!(
        status,
        json!({
            "key": "core/git-status",
            "label": "git status",
            "content": "Current git status:\n\n## main\n M a",
            "changed_content": "The current git status is now:\n\n## main\n M a",
            "removed_content": "The previously reported git status no longer applies.",
        })
    );
    let diff = first(ask(&git(" a | 1 +\n", 0, false), "add_git_diff", &[], json!({})));
    assert_eq!(diff["content"], "Current working-tree diff (stat):\n\n a | 1 +");
    let full = first(ask(&git("+line", -1, true), "add_git_diff", &["full"], json!({})));
    assert_eq!(full["content"], "Current working-tree diff:\n\n+line\n... (truncated)");
    let none = first(ask(&git("", 0, false), "add_git_diff", &[], json!({})));
    let expected = json!({"key": "core/git-diff", "removed": true, "removed_content": "The working tree no longer has a diff."});
    assert_eq!(none, expected);
    let outside = first(ask(&git("", 128, false), "add_git_diff", &[], json!({})));
    assert_eq!(outside["removed_content"], "The previously reported working-tree diff no longer applies.");

    let commits = ask(&git("abc one\n", 0, false), "add_recent_commits", &["no"], json!({}));
    assert_eq!(commits["hook_specific_output"]["additional_context"], "Recent commits:\n\nabc one");
    assert_eq!(ask(&git("", 128, false), "add_recent_commits", &[], json!({})), json!({}));
}

#[test]
fn git_starts_nothing_else() {
    let scripted = Arc::new(Scripted { code: Some(0), output: "x", ..Scripted::default() });
    let clock = Arc::new(FakeClock::at(NOW));
    let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::clone(&scripted) as _, "/store");
    ask(&world, "add_recent_commits", &["3"], json!({}));
    let programs = scripted.programs.lock().unwrap();
    let program = programs.last().unwrap();
    assert_eq!(program.arguments, ["--no-pager", "log", "--oneline", "-n", "3"]);
    assert_eq!(program.limit, 4_096);
    let value =
        |name: &str| program.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let setting = |name: &str| {
        let (key, _) = program.variables.iter().find(|(_, value)| value.to_str() == Some(name)).unwrap();
        value(&key.replace("KEY", "VALUE")).unwrap()
    };
    assert_eq!(setting("core.fsmonitor"), "false");
    assert_eq!(setting("filter.lfs.process"), "");
    assert_eq!(value("GIT_CONFIG_GLOBAL").unwrap(), "/dev/null");
}

#[test]
fn calls_behind_the_limit_are_blocked() {
    let ask =
        |args: &[&str], iteration| ask(&world(), "max_iterations", args, json!({"iteration": iteration}));
    let reason = "Agent terminated: max_iterations builtin reached its limit of 3 model call(s).";
    assert_eq!(ask(&["3"], 4), json!({"decision": "block", "reason": reason}));
    for (args, iteration) in [(&["3"][..], 3), (&["three"], 400), (&[], 400), (&["0"], 1), (&["-1"], 1)] {
        assert_eq!(ask(args, iteration), json!({}));
    }
}

#[test]
fn templates_and_blank_ones() {
    let input = json!({"session_id": "s-42", "hook_event_name": "user_prompt_submit"});
    let answer = ask(&world(), "add_context", &["Session {{ .SessionID }}", "  ", "b"], input.clone());
    let expected = json!({"hook_event_name": "user_prompt_submit", "additional_context": "Session s-42\nb"});
    assert_eq!(answer, json!({"hook_specific_output": expected}));
    let args = ["a".to_owned(), "bad".to_owned()];
    let call = Call { name: "add_context", args: &args, cwd: None, input: &input };
    let error = run(&call, &world()).unwrap_err().to_string();
    assert_eq!(error, "argument 2 of `add_context` cannot be rendered: no such field");
}

#[test]
fn secrets_are_taken_out_of_what_changes() {
    let arguments = json!({"hook_event_name": "pre_tool_use", "tool_name": "bash", "tool_input": {"a": "x", "b": [{"c": "hunter2"}], "d": 1}});
    let expected = json!({
        "system_message": "redact_secrets: redacted secret material from arguments of tool \"bash\"",
        "hook_specific_output": {"hook_event_name": "pre_tool_use", "updated_input": {"b": [{"c": "***"}]}},
    });
    assert_eq!(ask(&world(), "redact_secrets", &[], arguments), expected);
    let messages =
        json!({"hook_event_name": "before_llm_call", "messages": [{"content": "a"}, {"content": "hunter2"}]});
    let expected = json!({"hook_event_name": "before_llm_call", "updated_messages": [{"content": "a"}, {"content": "***"}]});
    assert_eq!(ask(&world(), "redact_secrets", &[], messages), json!({"hook_specific_output": expected}));
    let result = json!({"hook_event_name": "tool_response_transform", "tool_response": "hunter2"});
    let expected = json!({"hook_event_name": "tool_response_transform", "updated_tool_response": "***"});
    assert_eq!(ask(&world(), "redact_secrets", &[], result), json!({"hook_specific_output": expected}));
    let clean = json!({"hook_event_name": "tool_response_transform", "tool_response": "fine"});
    assert_eq!(ask(&world(), "redact_secrets", &[], clean), json!({}));
}

#[test]
fn long_results_go_to_a_file() {
    let disk = FakeDisk::default().with_directory("/store");
    let world = world_with(disk.clone(), Scripted::default());
    let long: String = (0..3_000).map(|n| format!("line {n} 世\n")).collect();
    let input = |category: &str, tool: &str, event: &str| json!({"hook_event_name": event, "session_id": "../s", "tool_category": category, "tool_name": tool, "tool_response": long, "tool_input": {"line": 101}});
    let event = "tool_response_transform";
    let text = |category, tool| {
        let answer = ask(&world, "limit_large_tool_results", &[], input(category, tool, event));
        answer["hook_specific_output"]["updated_tool_response"].as_str().map(str::to_owned)
    };
    let tail = text("shell", "shell").unwrap();
    assert!(tail.starts_with("Tool call result was too large (40890 bytes; limit 51200 bytes). The full result is available in a file: /store/tool-results/"), "{tail:.300}");
    assert!(tail.contains("Showing the last 2000 lines (up to 51200 bytes):\n\nline 1000 世\n"));
    assert!(tail.ends_with("line 2999 世\n"));
    let head = text("filesystem", "read_file").unwrap();
    assert!(head.contains("plus \"line\": 2101 (1-based") && head.ends_with("line 1999 世\n"), "{head}");
    assert_eq!(text("memory", "note"), None);
    assert!(disk.files().values().any(|content| content == long.as_bytes()));
    ask(&world, "limit_large_tool_results", &[], input("shell", "shell", "session_end"));
    assert!(disk.files().is_empty());

    let one_line = json!({"hook_event_name": event, "tool_category": "filesystem", "tool_name": "read_file", "tool_response": "世".repeat(20_000)});
    let answer = ask(&world, "limit_large_tool_results", &[], one_line);
    let text = answer["hook_specific_output"]["updated_tool_response"].as_str().unwrap();
    assert!(
        text.contains("Showing the first 51198 bytes.") && text.contains("cannot advance"),
        "{text:.400}"
    );
}

#[test]
fn nobody_of_that_name() {
    let call = Call { name: "add_weather", args: &[], cwd: None, input: &Value::Null };
    let error = run(&call, &world()).unwrap_err().to_string();
    assert!(error.contains("`add_weather`") && error.contains("add_date"), "{error}");
}
