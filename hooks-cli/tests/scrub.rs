//! `hooks scrub` as a user runs it: text, JSON, a configuration, the report and the exit status.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// Status, standard output and standard error of `hooks scrub` with `args`.
fn scrub(args: &[&str], input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.arg("scrub").args(args).env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_text_is_scrubbed_and_other_bytes_stay() {
    let (status, out, err) =
        scrub(&["--report"], b"mail a@b.org\n\xff\xfe\nkey ghp_0123456789abcdefghijklmnopqrstuvwxyz");
    assert_eq!(out, b"mail [EMAIL_REDACTED]\n\xff\xfe\nkey [GITHUB_TOKEN_REDACTED]");
    assert_eq!((status, err.as_str()), (Some(0), "{\"EMAIL\":1,\"GITHUB_TOKEN\":1}\n"));
}

#[test]
fn personal_data_stays_if_only_secrets_are_asked_for() {
    let (status, out, _) = scrub(&["--secrets", "--check"], b"a@b.org password=hunter2-hunter2\n");
    assert_eq!((status, out.as_slice()), (Some(1), &b"a@b.org password=[PASSWORD_REDACTED]\n"[..]));
    let (status, out, _) = scrub(&["--secrets", "--check"], b"a@b.org\n");
    assert_eq!((status, out.as_slice()), (Some(0), &b"a@b.org\n"[..]));
}

#[test]
fn keys_and_values_of_json_are_scrubbed() {
    let input = br#"{"a@b.org": {"n": 4111111111111111, "order_id": 4111111111111111}}
        ["x", 1.5]"#;
    let (status, out, _) = scrub(&["--json"], input);
    let wanted = "{\"[EMAIL_REDACTED]\":{\"n\":\"[CREDIT_CARD_REDACTED]\",\"order_id\":4111111111111111}}\n[\"x\",1.5]\n";
    assert_eq!((status, String::from_utf8(out).unwrap().as_str()), (Some(0), wanted));
    let (status, out, err) =
        scrub(&["--json"], b"{\"password\": \"hunter2-hunter2\"} secret hunter2-hunter2");
    assert_eq!((status, out.as_slice()), (Some(2), &b"{\"password\":\"[PASSWORD_REDACTED]\"}\n"[..]));
    assert!(err.contains("not JSON at line 1") && !err.contains("hunter2"), "{err}");
}

/// Regression test: the first of two equal keys was lost, and a number beyond a float was refused.
#[test]
fn a_value_that_json_readers_would_change_is_scrubbed_as_text() {
    let input = b"{\"a\": \"x@b.org\", \"a\": \"\\u0078@c.org\", \"n\": 1e999999}\n[1e400, \"p@q.org\"]\n";
    let (status, out, err) = scrub(&["--json", "--report"], input);
    let wanted = "{\"a\": \"[EMAIL_REDACTED]\", \"a\": \"[EMAIL_REDACTED]\", \"n\": 1e999999}\n[1e400, \"[EMAIL_REDACTED]\"]\n";
    assert_eq!((status, String::from_utf8(out).unwrap().as_str()), (Some(0), wanted), "{err}");
    assert!(err.contains("\"EMAIL\":3"), "{err}");
    let (status, out, err) = scrub(&["--json"], b"[1]\n\n{\"a\": 1, \"a\": x@b.org}");
    assert_eq!((status, out.as_slice()), (Some(2), &b"[1]\n"[..]));
    assert!(err.contains("not JSON at line 3") && !err.contains("x@b.org"), "{err}");
}

#[test]
fn a_value_that_is_nested_too_deep_is_refused_with_its_reason() {
    let deep = |levels: usize| format!("{}\"a@b.org\"{}", "[".repeat(levels), "]".repeat(levels));
    let wanted = deep(127).replace("a@b.org", "[EMAIL_REDACTED]");
    let (status, out, _) = scrub(&["--json"], deep(127).as_bytes());
    assert_eq!((status, out), (Some(0), format!("{wanted}\n").into_bytes()));
    let (status, out, err) = scrub(&["--json"], deep(128).as_bytes());
    assert_eq!((status, out.as_slice()), (Some(2), &b""[..]));
    assert!(err.contains("nested deeper than 127 levels") && !err.contains("a@b.org"), "{err}");
}

#[test]
fn text_in_utf_16_is_scrubbed() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (status, out, _) = scrub(&[], &wide("\u{feff}mail a@b.org\r\n"));
    assert_eq!((status, out), (Some(0), wide("\u{feff}mail [EMAIL_REDACTED]\r\n")));
}

#[test]
fn a_configuration_decides_what_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    let config = "version: 1
redaction:
  labels: [CREDIT_CARD]
  detectors:
    BADGE: { pattern: '[0-9]{8}', context: [badge], match: [badge 12345678], no_match: [build 12345678] }
  treatment: { CREDIT_CARD: mask }
";
    fs::write(&path, config).unwrap();
    let path = path.to_str().unwrap();
    let (status, out, err) = scrub(&["--config", path], b"badge 12345678, a@b.org, 4111 1111 1111 1111\n");
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "badge [BADGE_REDACTED], a@b.org, [CREDIT_CARD:1111_REDACTED]\n",
        "{err}"
    );
    assert_eq!(status, Some(0));
    fs::write(path, config.replace("match: [badge 12345678]", "match: [badge 1]")).unwrap();
    let (status, out, err) = scrub(&["--config", path], b"badge 12345678\n");
    assert_eq!((status, out.as_slice()), (Some(2), &b""[..]));
    assert!(err.contains("does not find its example 1"), "{err}");
}
