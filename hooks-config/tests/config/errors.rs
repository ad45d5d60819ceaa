//! Invalid files and their reports: place, path, message, hint.

use hooks_config::{Config, ConfigErrors};

/// Reports about `text`, one mistake a line.
fn messages(text: &str) -> Vec<String> {
    said_of("hooks.yaml", text)
}

fn said_of(name: &str, text: &str) -> Vec<String> {
    let errors = Config::parse(text, name).err();
    errors.iter().flat_map(ConfigErrors::errors).map(ToString::to_string).collect()
}

#[track_caller]
fn assert_said(text: &str, wanted: &[&str]) {
    let messages = messages(text);
    assert_eq!(messages, wanted, "\n{text}");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_said(
        "version: 1
write_gaurd:
  allow: [src/**]
command_guard:
  block: rm -rf
  unresolvable: dney
ask_user: {}
redaction:
reviewer_lockout: true
rules:
  - name: 5
    action: ask
    comands: [git push]
",
        &[
            "line 2, column 1: write_gaurd: unknown option `write_gaurd`; did you mean `write_guard`?",
            "line 5, column 10: command_guard.block: expected a list, found a string; write it as a list: [\"rm -rf\"]",
            "line 6, column 17: command_guard.unresolvable: `dney` is not known here; there is `deny`, `ask` or `allow`; did you mean `deny`?",
            "line 7, column 11: ask_user.max_per_session: `max_per_session` is missing",
            "line 8, column 10: redaction: there is no value; write `{}` to have its defaults, or leave the key out",
            "line 9, column 19: reviewer_lockout: expected a map, found a boolean; write `{}` to have its defaults",
            "line 11, column 11: rules[0].name: expected a string, found a number; put it in quotes",
            "line 13, column 5: rules[0].comands: unknown option `comands`; did you mean `commands`?",
        ],
    );
}

#[test]
fn a_common_slip_has_its_advice() {
    for (text, advice) in [
        (
            "version: 1\nwrite_guard: { allow: [*.md] }",
            "put a text that begins with `*` in quotes, such as `'*.md'`",
        ),
        (
            "version: 1\nwrite_guard: { allow: [src/** }",
            "a `[` is not closed: write `]` at the end of the list",
        ),
        (
            "version: 1\nwrite_guard:\n  allow: [src/**\nrules: []",
            "a `[` is not closed: write `]` at the end of the list",
        ),
        (
            "version: 1\nspawn: { lease: 15 }",
            "write it with its unit: `15s` are seconds; the default is `15m`",
        ),
        ("version: 1\nredaction: { labels: [emial] }", "did you mean `EMAIL`? use one of EMAIL, PHONE"),
        ("version: 1\nrules: [{ name: a, action: dney }]", "did you mean `deny`?"),
    ] {
        let messages = messages(text);
        assert!(messages.iter().any(|message| message.contains(advice)), "{text}\n{messages:#?}");
    }
}

#[test]
fn what_is_no_configuration_is_refused() {
    for (text, wanted) in [
        ("", "line 1, column 1: the file is empty; begin with `version: 1`"),
        ("# only a comment\n", "line 1, column 1: the file is empty; begin with `version: 1`"),
        ("---\n", "line 1, column 1: the file is empty; begin with `version: 1`"),
        ("5", "line 1, column 1: expected a map, found a number"),
        ("[1, 2]", "line 1, column 1: expected a map, found a list"),
        ("rules: []", "line 1, column 1: version: `version` is missing; write `version: 1`"),
        ("version: 2", "line 1, column 10: version: this has to be `1`"),
        ("version: '1'", "line 1, column 10: version: this has to be `1`; leave the quotes out"),
        (
            "version: 1\nask_user: true\n",
            "line 2, column 11: ask_user: expected a map, found a boolean; write it as a map with `max_per_session`",
        ),
        (
            "version: 1\nredaction: on\n",
            "line 2, column 12: redaction: expected a map, found a string; write `{}` to have its defaults",
        ),
        (
            "version: 1\nreviewer_lockout: off\n",
            "line 2, column 19: reviewer_lockout: expected a map, found a string; leave the key out to switch it off",
        ),
        (
            "version: 1\nwrite_guard: [src/**]\n",
            "line 2, column 14: write_guard: expected a map, found a list; write it as a map with `allow`, `deny`, `agents` or `missing_path`",
        ),
        (
            "version: 1\n---\nversion: 1\n",
            "line 2, column 1: a second document begins here; one file holds one configuration: remove the line `---`",
        ),
        (
            "version: 1\nversion: 1\n",
            "line 2, column 1: version: `version` is given twice; it stands on line 1 already: keep one of them",
        ),
        (
            "version: 1\n\trules: []\n",
            "line 1, column 10: version: this is not YAML: while scanning a plain scalar, found a tab; a line is indented by a tab: use spaces",
        ),
        (
            "version: 1\nrules: [\n",
            "line 2, column 8: rules[0]: this is not YAML: unclosed bracket '['; a `[` is not closed: write `]` at the end of the list",
        ),
        (
            "version: 1\nrules: !!seq []\n",
            "line 2, column 14: rules: tags such as `!name` are not read; leave it out; put quotes around a string",
        ),
        (
            "version: 1\nrules: &a [*a]\n",
            "line 2, column 12: rules[0]: this alias stands within what it repeats",
        ),
        ("version: 1\n? [a]\n: b\n", "line 2, column 3: expected a string as key; put quotes around it"),
        (
            "version: 1\nself_protection: no\n",
            "line 2, column 18: self_protection: expected `true` or `false`, found a string; write `false`",
        ),
        (
            "version: 1\nask_user: { max_per_session: -1 }\n",
            "line 2, column 30: ask_user.max_per_session: -1 is not an integer from 0",
        ),
        (
            "version: 1\nask_user: { max_per_session: 1.5 }\n",
            "line 2, column 30: ask_user.max_per_session: 1.5 is not an integer from 0",
        ),
        (
            "version: 1\nask_user: { max_per_session: '3' }\n",
            "line 2, column 30: ask_user.max_per_session: expected an integer, found a string; leave the quotes out",
        ),
        (
            "version: 1\nallowedWritePaths: []\n",
            "line 2, column 1: allowedWritePaths: `allowedWritePaths` is Squad's name; write `write_guard: { allow: [...] }`, or `profile: squad-compat`",
        ),
        (
            "profile: squad-compact\nversion: 1\n",
            "line 1, column 10: profile: `squad-compact` is not known here; there is `strict` or `squad-compat`; did you mean `squad-compat`?",
        ),
        (
            "{\"maxAskUser\": 1, \"maxAskUserPerSession\": 1}",
            "line 1, column 43: maxAskUserPerSession: `maxAskUser` and `maxAskUserPerSession` are one limit under two names; keep one of them",
        ),
        (
            "{\"scrubPii\": \"yes\"}",
            "line 1, column 14: scrubPii: expected `true` or `false`, found a string; write `true`",
        ),
        (
            "{\"scrubPii\": true, \"scrubSecrets\": true}",
            "line 1, column 20: scrubSecrets: unknown option `scrubSecrets`; there is `version`, `profile`, `allowedWritePaths`, `blockedCommands`, `maxAskUser`, `maxAskUserPerSession`, `scrubPii` or `reviewerLockout`",
        ),
    ] {
        assert_said(text, &[wanted]);
    }
}

#[test]
fn a_section_that_cannot_be_read_hides_no_mistake_of_another() {
    assert_said(
        "version: 1
ask_user: { max_per_session: -1 }
tools: { '': write }
command_guard: { block: ['|'] }
",
        &[
            "line 2, column 30: ask_user.max_per_session: -1 is not an integer from 0",
            "line 3, column 8: tools: a tool has no name; write the name that the client calls it by",
            "line 4, column 26: command_guard.block[0]: `|` is a piece of a command, not a program with operands and options; write it into `command_guard.fragments`, or name the program",
        ],
    );
}

#[test]
fn a_program_is_refused_with_advice() {
    for (name, text) in [
        ("squad.config.ts", ""),
        ("squad.config.ts", "import { defineSquad } from '@bradygaster/squad-sdk';\n"),
        ("policy", "// generated\nexport default {}\n"),
    ] {
        let messages = said_of(name, text);
        assert_eq!(messages.len(), 1);
        assert!(
            messages[0].contains("programs are not run") && messages[0].contains("export what it defines"),
            "{messages:?}"
        );
    }
}

#[test]
fn what_an_attacker_would_write_is_refused() {
    let deep = |open: &str, close: &str, levels: usize| {
        format!("version: 1\nrules: {}{}", open.repeat(levels), close.repeat(levels))
    };
    let bomb: String = (1..30)
        .map(|level| {
            let below = format!("*a{}, ", level - 1).repeat(9);
            format!("k{level}: &a{level} [{below}]\n")
        })
        .collect();
    for (text, wanted) in [
        (deep("[", "]", 100_000), "nests deeper than 64 levels"),
        (deep("{a: ", "}", 100), "nests deeper than 64 levels"),
        (deep("{a: ", "}", 100_000), "nests deeper than 64 levels"),
        (format!("version: 1\nk0: &a0 [x]\n{bomb}"), "more than 500000 values"),
        ("- ".repeat(50_000), "nests deeper than 64 levels"),
        (format!("version: 1\n#{}", "x".repeat(9 << 20)), "larger than 8 MiB"),
    ] {
        let messages = messages(&text);
        assert!(messages[0].contains(wanted), "{messages:?}");
    }
}

#[test]
fn not_more_than_a_hundred_mistakes_are_reported() {
    let text: String = (0..5000).map(|n| format!("k{n}: 1\n")).collect();
    assert_eq!(messages(&format!("version: 1\n{text}")).len(), 100);
    let text = "x: 1\n".repeat(100_000);
    assert_eq!(messages(&text).len(), 100);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hooks.yaml");
    std::fs::write(&path, b"version: 1\nrules: \xff\n").unwrap();
    let errors = Config::read(&path).unwrap_err();
    assert_eq!(
        errors.errors()[0].to_string(),
        "line 2, column 8: the text is not UTF-8; save the file as UTF-8"
    );

    let errors = Config::read(dir.path().join("none.yaml")).unwrap_err();
    assert!(errors.to_string().contains("cannot be read"), "{errors}");
}
