//! `hooks audit`, and the records of the other commands.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

mod closed;
mod damage;
mod keys;
mod names;
mod pages;
mod words;
mod world;

use self::world::{World, printed, records};

#[test]
fn a_team_has_a_log_unless_it_is_switched_off() {
    let world = World::new("version: 1\ncommand_guard: { block: [sudo] }\n");
    for command in ["ls", "sudo ls", "cat a"] {
        assert_eq!(world.call("s1", command).status.code(), Some(0));
    }
    let records = records(&world.audit(&["tail"]));
    let outcomes: Vec<_> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["no_opinion", "deny", "no_opinion"]);
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
    let files = fs::read_dir(world.log()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "jsonl")
    });
    assert_eq!(files.count(), 1, "each process goes on in the file of the one before");

    let off = World::new("version: 1\naudit: false\n");
    assert_eq!(off.call("s1", "ls").status.code(), Some(0));
    assert!(!off.log().exists());
}

#[test]
fn what_is_asked_about_is_not_on_the_record() {
    let world = World::new("version: 1\naudit: {}\ncommand_guard: {}\n");
    let event = r#"{"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "ls"}}"#;
    for options in [
        &["check", "hooks.yaml"][..],
        &["eval", "-c", "hooks.yaml"],
        &["explain", "-c", "hooks.yaml", "--tool", "bash", "--args", r#"{"command": "ls"}"#],
        &["bench", "-c", "hooks.yaml", "--time", "1"],
    ] {
        let output = world.ask(options, event);
        assert_eq!(output.status.code(), Some(0), "{options:?}: {output:?}");
        assert!(!world.log().exists(), "{options:?}");
    }
    assert_eq!(world.ask(&["eval", "-c", "hooks.yaml", "--record"], event).status.code(), Some(0));
    assert_eq!(records(&world.audit(&["tail"])).len(), 1);
}

#[test]
fn metrics_are_counted_from_the_record() {
    let world =
        World::new("version: 1\naudit: {}\nmetrics: { most_names: 2 }\ncommand_guard: { block: [sudo] }\n");
    for command in ["ls", "sudo ls"] {
        assert_eq!(world.call("s1", command).status.code(), Some(0));
    }
    let events = [
        json!({"event": "post_tool_use", "at": {"agent_name": "backend"}, "tool_name": "bash", "tool_args": {}, "duration_ms": 40}),
        json!({"event": "post_tool_use", "at": {"agent_name": "backend"}, "tool_name": "bash", "tool_args": {}, "error": "exit 1"}),
        json!({"event": "after_model_call", "at": {"agent_name": "backend"}, "model": "opus",
            "response": {"role": "assistant", "content": "done"}, "usage": {"input_tokens": 900, "output_tokens": 100},
            "cost": 900_000}),
        json!({"event": "session_end", "at": {"agent_name": "backend"}, "reason": "complete", "duration_ms": 2_000}),
    ];
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let told = world.ask(&["eval", "-c", "hooks.yaml", "--record"], &lines);
    assert!(!printed(&told).contains("\"error\":"), "{told:?}");

    let output = world.audit(&["-c", "hooks.yaml", "metrics"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = printed(&output);
    for line in [
        r#"hooks_denials_total{team="app",event="pre_tool_use",policy="command-guard",rule="block",kind="policy"} 1"#,
        r#"{team="app",event="pre_tool_use",verdict="no_opinion"} 1"#,
        r#"hooks_tool_calls_total{team="app",agent="backend",tool="bash",outcome="ok"} 1"#,
        r#"hooks_tool_calls_total{team="app",agent="backend",tool="bash",outcome="error"} 1"#,
        r#"hooks_tool_duration_seconds_count{team="app",agent="backend",tool="bash"} 2"#,
        r#"hooks_tokens_total{team="app",agent="backend",model="opus",type="input"} 900"#,
        r#"hooks_cost_usd_total{team="app",agent="backend",model="opus"} 0.9"#,
        r#"hooks_sessions_total{team="app",agent="backend",reason="complete"} 1"#,
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    // The limits of the configuration count.
    assert!(text.contains("hooks_metrics_folded_total"), "{text}");
}

#[test]
fn removed_findings_are_counted_by_label_and_their_values_recorded_nowhere() {
    let world = World::new("version: 1\naudit: {}\nredaction: { labels: [EMAIL, PASSWORD] }\n");
    let result = json!({"event": "post_tool_use", "tool_name": "bash", "tool_args": {},
        "tool_result": "DB_PASSWORD=hunter2-hunter2, by a@b.org and c@d.org", "error": "no mailbox e@f.org"});
    let answer = world.ask(&["eval", "-c", "hooks.yaml", "--record"], &format!("{result}\n"));
    assert!(printed(&answer).contains("[PASSWORD_REDACTED]"), "{answer:?}");
    let record = records(&world.audit(&["tail"])).remove(0);
    assert_eq!(record["redacted"], json!({"EMAIL": 3, "PASSWORD": 1}));
    let text = printed(&world.audit(&["-c", "hooks.yaml", "metrics"]));
    for line in [
        r#"hooks_redactions_total{team="app",tool="bash",type="EMAIL"} 3"#,
        r#"hooks_redactions_total{team="app",tool="bash",type="PASSWORD"} 1"#,
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    for entry in fs::read_dir(world.log()).unwrap() {
        let file = fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
        assert!(!file.contains("hunter2") && !file.contains("b.org"), "{file}");
    }
}

#[test]
fn payloads_are_erased_once_that_is_confirmed_but_not_what_is_held() {
    let world = World::new("version: 1\n");
    for session in ["s1", "s1", "s2", "s3"] {
        world.call(session, "ls");
    }
    let add = ["hold", "add", "case", "--reason", "asked for by counsel", "--session", "s2", "--by", "ada"];
    assert_eq!(world.audit(&add).status.code(), Some(0));
    assert_eq!(world.audit(&add).status.code(), Some(2), "there is one of that name");
    assert!(
        printed(&world.audit(&["hold", "list"]))
            .contains("case: records of session `s2`: asked for by counsel (ada)")
    );

    let why = ["--why", "asked for by the person"];
    let erase = |options: &[&str]| world.audit(&[&["erase"], options, &why].concat());
    assert_eq!(erase(&[]).status.code(), Some(2), "nobody said of whom");
    assert_eq!(erase(&["--before", "yesterday", "--yes"]).status.code(), Some(2));
    let preview = erase(&["--agent", "main"]);
    assert_eq!(preview.status.code(), Some(1), "{preview:?}");
    let preview = erase(&["--session", "s1"]);
    assert!(
        preview.status.code() == Some(1) && printed(&preview).contains("2 payloads would be erased"),
        "{preview:?}"
    );
    let shown = |position: &str| printed(&world.audit(&["show", position]));
    assert!(shown("w0:1").contains("\"command\": \"ls\""));
    let done = erase(&["--session", "s1", "--yes"]);
    assert!(done.status.code() == Some(0) && printed(&done).contains("2 payloads erased"), "{done:?}");
    assert!(shown("w0:1").contains("\"erased\"") && !shown("w0:1").contains("\"command\""));
    let held = erase(&["--since", "2020", "w0:3", "w0:4", "--yes"]);
    assert!(
        printed(&held).contains("held by `case`") && printed(&held).contains("1 payloads erased"),
        "{held:?}"
    );
    assert!(shown("w0:3").contains("\"command\": \"ls\""));

    let record = records(&world.audit(&["query", "--event", "log.erased"])).remove(0);
    assert!(record["note"].as_str().unwrap().contains("asked for by the person ("), "{record}");
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
    assert_eq!(world.audit(&["hold", "release", "case"]).status.code(), Some(0));
    assert_eq!(records(&world.audit(&["query", "--event", "log.released"])).len(), 1);
}

#[test]
fn the_end_of_a_session_and_maintenance_compress_and_delete() {
    let world = World::new("version: 1\naudit: { file_bytes: 500, keep: 7 years }\n");
    for _ in 0..4 {
        world.call("s1", "ls");
    }
    let count = |end: &str| {
        let files = fs::read_dir(world.log()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.to_str().unwrap().ends_with(end)).count()
    };
    let plan = printed(&world.audit(&["-c", "hooks.yaml", "maintain", "--dry-run"]));
    assert!(plan.contains("would be compressed: w0.00000001.jsonl") && count(".gz") == 0, "{plan}");
    let end = json!({"session_id": "s1", "cwd": world.app(), "hook_event_name": "SessionEnd", "reason": "exit",
        "transcript_path": ""});
    let ended = world.ask(&["run", "--client", "claude", "--event", "SessionEnd"], &end.to_string());
    assert_eq!(ended.status.code(), Some(0));
    assert!(count(".gz") >= 3 && count(".jsonl") <= 2, "{}", count(".gz"));
    let before = records(&world.audit(&["tail"])).len();
    assert_eq!((before, world.audit(&["verify"]).status.code()), (5, Some(0)));
    let done = world.audit(&["-c", "hooks.yaml", "maintain"]);
    assert!(done.status.code() == Some(0) && !printed(&done).contains("deleted"), "{done:?}");
    assert_eq!(records(&world.audit(&["tail"])).len(), 5);
    let wrong = World::new("version: 1\naudit: { keep: 7 yaers }\n").ask(&["check", "hooks.yaml"], "");
    assert!(printed(&wrong).contains("`7 yaers` is not an age"), "{wrong:?}");
}

#[test]
fn a_log_is_followed_until_nobody_reads_any_more() {
    let world = World::new("version: 1\naudit: { file_bytes: 500 }\n");
    world.call("s0", "ls");
    let mut follows = world.command(&["audit", "tail", "-n", "1", "--follow", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(follows.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["record"]["session"], "s0");
    // Each of these calls begins another file.
    for session in ["s1", "s2", "s3"] {
        world.call(session, "ls");
        assert_eq!(next()["record"]["session"], session);
    }
    drop(lines);
    assert_eq!(follows.wait().unwrap().code(), Some(0));
}

#[test]
fn sinks_are_fed_and_what_they_have_is_remembered() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let config = format!("version: 1\nsinks:\n  - {{ name: ops, webhook: {{ url: \"{url}\" }} }}\n");
    let world = World::new(&config);
    world.call("s1", "ls");
    world.call("s2", "ls");
    // The server takes one batch only.
    let takes = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut taken = Vec::new();
        let mut part = [0; 4096];
        while !String::from_utf8_lossy(&taken).contains("\"s2\"") {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0);
            taken.extend_from_slice(&part[..read]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").unwrap();
        taken
    });
    let feed = || world.audit(&["feed", "--once", "-c", "hooks.yaml"]);
    let fed = feed();
    assert!(
        fed.status.code() == Some(0) && printed(&fed).contains("ops: has everything; 2 delivered\n"),
        "{fed:?}"
    );
    assert!(String::from_utf8_lossy(&takes.join().unwrap()).contains("w0:1"));
    // No record is left to send, so the stopped server does not matter.
    assert_eq!(feed().status.code(), Some(0));
    world.call("s3", "ls");
    let behind = feed();
    assert!(
        behind.status.code() == Some(1) && printed(&behind).contains("ops: behind; 0 delivered; "),
        "{behind:?}"
    );
    assert!(printed(&behind).contains("refused"), "{behind:?}");
    // The log was started anew, so the stored position is not in it.
    for entry in fs::read_dir(world.log()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::remove_file(path).unwrap();
        }
    }
    world.call("s4", "ls");
    let other = feed();
    assert!(other.status.code() == Some(1) && printed(&other).contains("another log"), "{other:?}");
    assert_eq!(world.audit(&["feed"]).status.code(), Some(2));
}

#[test]
fn a_sink_with_only_gets_denials_and_questions() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let rules =
        "command_guard: { block: [rm] }\nrules: [{ name: a, action: ask, commands: [make], reason: sure }]\n";
    let sinks = format!("sinks: [{{ name: ops, only: [deny, ask], webhook: {{ url: \"{url}\" }} }}]\n");
    let world = World::new(&format!("version: 1\n{rules}{sinks}"));
    for (session, command) in [("s1", "ls"), ("s2", "rm x"), ("s3", "pwd"), ("s4", "make")] {
        world.call(session, command);
    }
    let takes = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let (mut taken, mut part) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&taken).contains("\"s4\"") {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0);
            taken.extend_from_slice(&part[..read]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").unwrap();
        String::from_utf8(taken).unwrap()
    });
    let fed = world.audit(&["feed", "--once", "-c", "hooks.yaml"]);
    let got = takes.join().unwrap();
    assert!(printed(&fed).contains("ops: has everything; 2 delivered\n"), "{fed:?}");
    assert!(got.contains("\"s2\"") && !got.contains("\"s1\"") && !got.contains("\"s3\""), "{got}");
    // An unknown decision is a mistake.
    let unknown = world.app().join("unknown.yaml");
    fs::write(&unknown, format!("version: 1\naudit: {{}}\n{}", sinks.replace("deny, ask", "denied")))
        .unwrap();
    let checked = world.ask(&["check", "unknown.yaml"], "");
    assert!(checked.status.code() == Some(1) && printed(&checked).contains("denied"), "{checked:?}");
}

#[test]
fn what_a_sink_refuses_for_good_is_said_and_no_success() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let world =
        World::new(&format!("version: 1\nsinks:\n  - {{ name: ops, webhook: {{ url: \"{url}\" }} }}\n"));
    world.call("s1", "ls");
    let refuses = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut taken = Vec::new();
        let mut part = [0; 4096];
        while !String::from_utf8_lossy(&taken).contains("\"s1\"") {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0);
            taken.extend_from_slice(&part[..read]);
        }
        stream
            .write_all(b"HTTP/1.1 422 No\r\ncontent-length: 5\r\nconnection: close\r\n\r\na\x1b[2J")
            .unwrap();
    });
    let fed = world.audit(&["feed", "--once", "-c", "hooks.yaml"]);
    refuses.join().unwrap();
    let text = printed(&fed);
    let expected = "ops: has everything but what it refused; 0 delivered, 1 refused for good (in `";
    assert!(fed.status.code() == Some(1) && text.contains(expected), "{fed:?}");
    assert!(text.contains("ops.refused`): the server answered `422") && !text.contains('\u{1b}'), "{fed:?}");
}

#[test]
fn moments_that_are_none_are_refused() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    for moment in ["01/31/2026", "9", "2026-13-45"] {
        for options in
            [["query", "--since"], ["query", "--until"], ["erase", "--before"], ["erase", "--since"]]
        {
            let why: &[&str] = if options[0] == "erase" { &["--yes", "--why", "x"] } else { &[] };
            let output = world.audit(&[&options[..], &[moment], why].concat());
            let expected = format!("`{moment}` is not a moment; write one such as `2026-01-31`");
            assert!(output.status.code() == Some(2) && printed(&output).contains(&expected), "{output:?}");
        }
    }
    let all = world.audit(&["query", "--since", "2026-01-31T09:30:00Z"]);
    assert_eq!((all.status.code(), records(&all).len()), (Some(0), 1));
}

#[test]
fn what_others_wrote_does_not_steer_a_terminal() {
    const STEERS: &str = "a\u{1b}[2J\u{7}\u{7f}\u{9b}31m\u{202e}\u{2066}\u{2028}\u{200f}b";
    let world = World::new("version: 1\n");
    world.call(STEERS, &format!("echo {STEERS}"));
    let hold = ["hold", "add", STEERS, "--reason", STEERS, "--session", STEERS];
    let added = world.audit(&hold);
    for options in [
        &["tail"][..],
        &["tail", "--json"],
        &["show", "w0:1"],
        &["query", "--event", "pre_tool_use"],
        &["export"],
        &["hold", "list"],
        &["erase", "--session", STEERS, "--why", "x"],
    ] {
        let output = world.audit(options);
        let text = printed(&output);
        let steers = |c: char| {
            (c.is_control() && c != '\n') || matches!(c, '\u{200f}' | '\u{2028}' | '\u{202e}' | '\u{2066}')
        };
        assert!(!text.contains(steers) && !text.is_empty(), "{options:?}: {text:?} {added:?}");
        assert!(options[0] == "erase" || text.contains("\\u202e"), "{options:?}: {text}");
    }
}

#[test]
fn a_folder_without_records_is_told_from_one_that_is_well() {
    let world = World::new("version: 1\n");
    let folder = world.folder.path().join("empty");
    fs::create_dir(&folder).unwrap();
    let empty = world.audit(&["verify", "--log", folder.to_str().unwrap()]);
    assert!(empty.status.code() == Some(0) && printed(&empty) == "no records\n", "{empty:?}");
    // A checkpoint names a missing chain.
    world.call("s1", "ls");
    let checkpoints = world.folder.path().join("checkpoints");
    fs::create_dir(&checkpoints).unwrap();
    let checkpoints = checkpoints.to_str().unwrap();
    let log = format!("build7={}", world.log().display());
    let written = world.audit(&["checkpoint", "--to", checkpoints, &log]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let empty = format!("build7={}", folder.display());
    let missing = world.audit(&["verify", "--checkpoints", checkpoints, &empty]);
    assert!(missing.status.code() == Some(4) && printed(&missing).contains("w0"), "{missing:?}");
}

#[test]
fn what_is_behind_a_file_that_was_moved_aside_is_read_and_what_is_missing_is_said() {
    // No server listens at this address.
    let sinks = "sinks: [{ name: ops, webhook: { url: \"http://127.0.0.1:9/\" } }]\n";
    let world = World::new(&format!("version: 1\naudit: {{ file_bytes: 500 }}\n{sinks}"));
    for session in ["s1", "s2", "s3"] {
        world.call(session, "ls");
    }
    let mut files: Vec<_> = fs::read_dir(world.log()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    fs::write(files.last().unwrap(), "").unwrap();
    for session in ["s4", "s5", "s6"] {
        world.call(session, "ls");
    }
    for options in [&["tail"][..], &["query", "--event", "pre_tool_use"], &["export"]] {
        let output = world.audit(options);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_there = |session: &str| text.contains(&format!("\"session\":\"{session}\""));
        assert!(["s1", "s4", "s5", "s6"].into_iter().all(is_there), "{options:?}: {output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.matches("w0.00000003.damaged.jsonl").count() == 1 && told.contains("missing"), "{told}");
    }
    let fed = world.audit(&["feed", "--once", "-c", "hooks.yaml"]);
    let told = String::from_utf8_lossy(&fed.stderr).into_owned();
    assert!(told.contains("warning: ops: records ") && fed.status.code() == Some(1), "{fed:?}");
    assert_eq!(world.audit(&["verify"]).status.code(), Some(3));
    // The last file is emptied as well, and no writer opens it again: its damage is reported, in addition to
    // the earlier report.
    let last = fs::read_dir(world.log()).unwrap().map(|entry| entry.unwrap().path());
    let last =
        last.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).max().unwrap();
    fs::write(&last, "").unwrap();
    let output = world.audit(&["tail"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains(last.file_name().unwrap().to_str().unwrap()) && told.lines().count() == 2,
        "{told}"
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\"session\":\"s5\""), "{text}");
}

#[test]
fn what_is_held_by_the_record_alone_is_neither_erased_nor_forgotten() {
    let world = World::new("version: 1\n");
    world.call("s1", "ls");
    let add = ["hold", "add", "case", "--reason", "asked for by counsel", "--session", "s1", "--by", "ada"];
    assert_eq!(world.audit(&add).status.code(), Some(0));
    fs::remove_file(world.log().join("holds.json")).unwrap();
    let erase = || world.audit(&["erase", "--session", "s1", "--why", "asked for", "--yes"]);
    let refused = erase();
    assert!(
        printed(&refused).contains("hold `case` is in force") && refused.status.code() != Some(0),
        "{refused:?}"
    );
    let listed = world.audit(&["hold", "list"]);
    let told = String::from_utf8_lossy(&listed.stderr);
    assert_eq!((listed.status.code(), listed.stdout.is_empty()), (Some(1), true), "{listed:?}");
    assert!(told.contains("`case` holds records of session `s1`: asked for by counsel (ada)"), "{told}");
    // A hold of the same name about other records does not end it either.
    let other = world.audit(&["hold", "add", "case", "--reason", "why", "--session", "nobody"]);
    assert!(other.status.code() == Some(2) && printed(&other).contains("session `s1`"), "{other:?}");
    assert!(printed(&erase()).contains("hold `case` is in force"));
    assert_eq!(world.audit(&add).status.code(), Some(0), "it may be said again");
    assert_eq!(world.audit(&["hold", "list"]).status.code(), Some(0));
    assert!(printed(&erase()).contains("held by `case`"));
    fs::remove_file(world.log().join("holds.json")).unwrap();
    assert_eq!(world.audit(&["hold", "release", "case"]).status.code(), Some(0));
    assert!(printed(&erase()).contains("1 payloads erased"));
}
