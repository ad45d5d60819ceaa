//! Memory of `hooks run` for long payloads: at most that for a short payload, plus twice the length of the
//! payload, plus 16 MB. The installed program needs 14 MB for a short payload, so the limit is twice the
//! payload plus 30 MB.
//!
//! The kernel reports the maximum of all children so far, so a limit is never below the one before. Payloads are written in
//! parts, as memory that this process uses when it starts a child would count for the child.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

/// Memory in bytes beyond twice the payload that is allowed, with 2 MB for the pages of code that a build for tests has more.
const BESIDE: i64 = 18_000_000;

/// A long payload: its beginning, a repeated part, and its end.
struct Long {
    name: &'static str,
    client: &'static str,
    event: &'static str,
    begins: &'static str,
    repeated: &'static str,
    times: usize,
    ends: &'static str,
    is_denied: bool,
}

const fn claude(
    name: &'static str,
    begins: &'static str,
    repeated: &'static str,
    times: usize,
    ends: &'static str,
) -> Long {
    Long { name, client: "claude", event: "PreToolUse", begins, repeated, times, ends, is_denied: false }
}

const MCP: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":{"x":["#;
const WRITE: &str = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a.txt","content":""#;
const CODE: &str = r#"let x = foo(bar);\n    if y { return \"z\"; }\n"#;
const TIMES: usize = 500_000;

const LONG: &[Long] = &[
    claude("a short one", MCP, "1,", 1, "0]}}"),
    claude("many numbers", MCP, "1,", 130_000, "0]}}"),
    claude("many objects", MCP, r#"{"a":1},"#, 15_000, "0]}}"),
    // Each of the strings could be a path, and so many are not judged.
    Long { is_denied: true, ..claude("many short texts", MCP, r#""a b","#, 90_000, "0]}}") },
    claude(
        "deep",
        MCP,
        "[",
        90,
        "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}",
    ),
    Long { is_denied: true, ..claude("more numbers than are read", MCP, "1,", 12_000_000, "0]}}") },
    claude("a file", WRITE, CODE, TIMES, "\"}}"),
    claude("a file without escapes", WRITE, "let x = foo(bar); if y { return z; } // 0123456", TIMES, "\"}}"),
    Long {
        event: "PostToolUse",
        ..claude(
            "a result",
            r#"{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":""#,
            CODE,
            TIMES,
            r#""}}"#,
        )
    },
    Long {
        event: "UserPromptSubmit",
        ..claude(
            "a prompt",
            r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":""#,
            CODE,
            TIMES,
            r#""}"#,
        )
    },
    Long {
        client: "gemini",
        event: "BeforeModel",
        ..claude(
            "a model call",
            r#"{"session_id":"s","hook_event_name":"BeforeModel","llm_request":{"model":"m","messages":[{"role":"user","content":""#,
            CODE,
            TIMES,
            r#""}]}}"#,
        )
    },
    Long {
        client: "gemini",
        event: "AfterModel",
        ..claude(
            "a reply",
            r#"{"session_id":"s","hook_event_name":"AfterModel","llm_request":{"model":"m","messages":[]},"llm_response":{"text":""#,
            CODE,
            TIMES,
            r#""}}"#,
        )
    },
];

#[test]
fn a_long_payload_takes_twice_its_length_at_most() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hooks.yaml"), "version: 1\ncommand_guard: { block: [sudo] }\n").unwrap();
    let mut base = None;
    let mut limit = 0;
    for long in LONG {
        let length = write(long, &folder.path().join("payload"));
        let is_denied = run(long, folder.path());
        assert_eq!(is_denied, long.is_denied, "{}", long.name);
        // The kernel reports kilobytes.
        let taken = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() * 1024;
        limit = limit.max(*base.get_or_insert(taken) + 2 * length + BESIDE);
        println!("{}: {length} bytes take {taken} at most, {limit} allowed", long.name);
        assert!(taken <= limit, "{}: {length} bytes take {taken}, {limit} allowed", long.name);
    }
}

/// Writes the payload; returns its length.
fn write(long: &Long, path: &Path) -> i64 {
    let mut file = BufWriter::new(File::create(path).unwrap());
    file.write_all(long.begins.as_bytes()).unwrap();
    for _ in 0..long.times {
        file.write_all(long.repeated.as_bytes()).unwrap();
    }
    file.write_all(long.ends.as_bytes()).unwrap();
    let file = file.into_inner().unwrap();
    i64::try_from(file.metadata().unwrap().len()).unwrap()
}

/// Answers the payload; returns whether it was denied.
fn run(long: &Long, folder: &Path) -> bool {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    let output = command
        .args(["run", "--client", long.client, "--event", long.event, "--config", "hooks.yaml"])
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(File::open(folder.join("payload")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {output:?}", long.name);
    !output.stdout.is_empty()
}
