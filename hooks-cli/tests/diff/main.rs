//! `hooks diff`: a witness for each change that matters, and none for changes that do not.
//!
//! The oracle is independent of the search: a fixed set of calls that `hooks eval` answers under both files.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

mod changes;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

/// Configurations in which one pattern is changed; `HOOKS_CONFIGURATIONS` sets another number.
const CONFIGURATIONS: usize = 20;

const GLOBS: [&str; 10] = [
    "src/**",
    "docs/**",
    "**/*.md",
    "tests/*.rs",
    "src/generated/**",
    "*.toml",
    "lib/a?.py",
    "secrets/**",
    "src/{a,b}/**",
    ".env",
];
const COMMANDS: [&str; 8] = [
    "git push",
    "rm -rf",
    "npm publish",
    "cargo *",
    "git push !--dry-run",
    "curl",
    "kubectl delete pod",
    "docker",
];
const AGENTS: [&str; 3] = ["ada", "bob", "cyd"];
const TOOLS: [&str; 5] = ["Write", "Read", "Bash", "WebFetch", "deploy"];

/// Pseudo-random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn some(&mut self, of: &[&str], least: usize, most: usize) -> Vec<String> {
        let count = least + self.below(most - least + 1);
        let mut found: Vec<String> = (0..count).map(|_| of[self.below(of.len())].to_owned()).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// A rule, as lists by their keys.
#[derive(Clone)]
struct Rule {
    name: String,
    action: &'static str,
    lists: Vec<(&'static str, Vec<String>)>,
}

#[derive(Clone)]
struct Rules {
    allow: Vec<String>,
    deny: Vec<String>,
    block: Vec<String>,
    questions: usize,
    rules: Vec<Rule>,
}

impl Rules {
    fn random(random: &mut Random) -> Self {
        let rules = (0..random.below(4)).map(|number| {
            let subject = match random.below(3) {
                0 => ("paths", random.some(&GLOBS, 1, 2)),
                1 => ("commands", random.some(&COMMANDS, 1, 2)),
                _ => ("tools", random.some(&TOOLS, 1, 2)),
            };
            let mut lists = vec![subject];
            if random.below(2) == 0 {
                lists.push(("agents", random.some(&AGENTS, 1, 2)));
            }
            Rule { name: format!("rule-{number}"), action: ["deny", "ask"][random.below(2)], lists }
        });
        let rules = rules.collect();
        Self {
            allow: random.some(&GLOBS, 1, 4),
            deny: random.some(&GLOBS, 1, 3),
            block: random.some(&COMMANDS, 1, 3),
            questions: 1 + random.below(4),
            rules,
        }
    }

    /// Changes one pattern, name or count.
    fn changed(&self, random: &mut Random) -> Self {
        let mut changed = self.clone();
        let replace = |list: &mut Vec<String>, pool: &[&str], random: &mut Random| {
            let at = random.below(list.len());
            list[at] = pool[random.below(pool.len())].to_owned();
        };
        match random.below(4 + changed.rules.len()) {
            0 => replace(&mut changed.allow, &GLOBS, random),
            1 => replace(&mut changed.deny, &GLOBS, random),
            2 => replace(&mut changed.block, &COMMANDS, random),
            3 => changed.questions = 1 + random.below(4),
            rule => {
                let lists = &mut changed.rules[rule - 4].lists;
                let at = random.below(lists.len());
                let (key, list) = &mut lists[at];
                let pool: &[&str] = match *key {
                    "paths" => &GLOBS,
                    "commands" => &COMMANDS,
                    "tools" => &TOOLS,
                    _ => &AGENTS,
                };
                replace(list, pool, random);
            }
        }
        changed
    }

    /// The same rules with other names, in another order, and with split patterns.
    fn same(&self) -> Self {
        let mut same = self.clone();
        let split = |list: &mut Vec<String>| {
            list.reverse();
            if let Some(at) = list.iter().position(|glob| glob == "src/{a,b}/**") {
                list[at] = "src/a/**".to_owned();
                list.push("src/b/**".to_owned());
            }
        };
        split(&mut same.allow);
        split(&mut same.deny);
        same.block.reverse();
        same.rules.reverse();
        for rule in &mut same.rules {
            rule.name = format!("other-{}", rule.name);
            rule.lists.reverse();
            rule.lists.iter_mut().for_each(|(_, list)| split(list));
        }
        same
    }

    fn text(&self) -> String {
        let mut text = "version: 1\nstore: { engine: memory }\n".to_owned();
        writeln!(text, "write_guard: {{ allow: {} }}", json!(self.allow)).unwrap();
        writeln!(text, "read_guard: {{ deny: {} }}", json!(self.deny)).unwrap();
        writeln!(text, "command_guard: {{ block: {} }}", json!(self.block)).unwrap();
        writeln!(text, "ask_user: {{ max_per_session: {} }}", self.questions).unwrap();
        if !self.rules.is_empty() {
            text.push_str("rules:\n");
        }
        for Rule { name, action, lists } in &self.rules {
            let lists: Vec<String> =
                lists.iter().map(|(key, list)| format!("{key}: {}", json!(list))).collect();
            writeln!(text, "  - {{ name: {name}, action: {action}, reason: no, {} }}", lists.join(", "))
                .unwrap();
        }
        text
    }
}

/// The calls of the oracle, in the folder `cwd`.
fn universe(cwd: &Path) -> Vec<Value> {
    let paths = [
        "src/main.rs",
        "src/generated/x.rs",
        "src/a/x.rs",
        "src/b/x.rs",
        "src/c/x.rs",
        "docs/a.md",
        "README.md",
        "a/b/c.md",
        "tests/a.rs",
        "tests/a/b.rs",
        "Cargo.toml",
        "a/Cargo.toml",
        "lib/ab.py",
        "lib/abc.py",
        "secrets/key",
        ".env",
        "a/.env",
        "other.txt",
    ];
    let lines = [
        "git push",
        "git push origin",
        "git push --dry-run",
        "git status",
        "rm -rf out",
        "rm out",
        "npm publish",
        "npm test",
        "cargo test",
        "cargo",
        "curl https://example.com",
        "kubectl delete pod x",
        "kubectl get pod",
        "docker run x",
        "cd src && git push",
    ];
    let mut calls = Vec::new();
    for agent in ["", "ada", "bob", "cyd"] {
        let mut add = |tool: &str, args: Value| {
            let at = json!({"session_id": format!("s{agent}"), "agent_name": agent, "cwd": cwd});
            calls.push(json!({"event": "pre_tool_use", "at": at, "tool_name": tool, "tool_args": args}));
        };
        for path in paths {
            add("Write", json!({"file_path": path, "content": "x"}));
            add("Read", json!({"file_path": path}));
            add("Bash", json!({"command": format!("cat {path}")}));
        }
        for line in lines {
            add("Bash", json!({"command": line}));
        }
        add("WebFetch", json!({"url": "https://example.com"}));
        add("deploy", json!({"to": "x"}));
        for question in 1..6 {
            add("AskUserQuestion", json!({"question": question.to_string()}));
        }
    }
    calls
}

fn hooks(dir: &Path, args: &[&str], input: String) -> (i32, String) {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env("XDG_STATE_HOME", dir.join("state"));
    command.env("HOME", dir.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("HOOKS_CONFIG");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A full pipe cannot block the test.
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    drop(writer.join());
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

/// The decisions of `hooks eval` about calls.
fn decisions(dir: &Path, config: &str, calls: &[Value]) -> Vec<String> {
    let lines: String = calls.iter().map(|call| call.to_string() + "\n").collect();
    let (_, out) = hooks(dir, &["eval", "--config", config, "--no-reload"], lines);
    out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].to_string()).collect()
}

fn diff(dir: &Path) -> (i32, Value) {
    let (status, out) = hooks(dir, &["diff", "old.yaml", "new.yaml", "--format", "json"], String::new());
    (status, serde_json::from_str(&out).unwrap())
}

#[test]
fn each_change_that_matters_has_a_witness_and_no_other_has_one() {
    compare_random_configurations(0);
}

#[test]
fn each_change_that_matters_has_a_witness_in_the_other_half() {
    compare_random_configurations(1);
}

/// Compares every second random configuration with one that differs in one place, and with an equal one.
fn compare_random_configurations(half: usize) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let calls = universe(&dir);
    let (mut mattered, mut random) = (0, Random(21));
    let configurations = std::env::var("HOOKS_CONFIGURATIONS").ok().and_then(|number| number.parse().ok());
    let configurations = configurations.unwrap_or(CONFIGURATIONS);
    for number in 0..configurations {
        let old = Rules::random(&mut random);
        let new = old.changed(&mut random);
        if number % 2 != half {
            continue;
        }
        fs::write(dir.join("old.yaml"), old.text()).unwrap();

        fs::write(dir.join("new.yaml"), new.text()).unwrap();
        let matters = decisions(&dir, "old.yaml", &calls) != decisions(&dir, "new.yaml", &calls);
        let (status, report) = diff(&dir);
        let differences = report["differences"].as_array().unwrap();
        assert!(!matters || !differences.is_empty(), "{number}: no witness\n{}\n{}", old.text(), new.text());
        assert_eq!(status, i32::from(!differences.is_empty()));
        shown_by_both(&dir, differences);
        mattered += usize::from(matters);

        fs::write(dir.join("new.yaml"), old.same().text()).unwrap();
        let (status, report) = diff(&dir);
        assert_eq!(
            (status, &report["differences"]),
            (0, &json!([])),
            "{number}\n{}\n{}",
            old.text(),
            old.same().text()
        );
    }
    assert!(6 * mattered >= configurations, "{mattered} of {configurations} changes mattered");
}

/// Asserts that `hooks eval` decides each witness under both files as the report states.
fn shown_by_both(dir: &Path, differences: &[Value]) {
    for difference in differences {
        let mut events = Vec::new();
        for before in difference["before"].as_array().unwrap() {
            events.extend((0..before["times"].as_u64().unwrap()).map(|_| before["event"].clone()));
        }
        events.push(difference["event"].clone());
        // A witness with times of its own needs a clock of its own.
        if events.iter().any(|event| !event["at"]["timestamp"].is_null()) {
            continue;
        }
        for (config, side) in [("old.yaml", "old"), ("new.yaml", "new")] {
            let decided = decisions(dir, config, &events);
            assert_eq!(
                decided[events.len() - 1],
                difference[side]["decision"].to_string(),
                "{side}: {difference}"
            );
        }
    }
}

/// Compares every `of` of the changes, from the one with the number `from` on.
fn changes_have_witnesses(from: usize, of: usize) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    for (text, before, after) in changes::CHANGES.iter().skip(from).step_by(of) {
        let text = format!("version: 1\nstore: {{ engine: memory }}\n{text}\n");
        let changed = text.replace(before, after);
        assert_ne!(text, changed);
        fs::write(dir.join("old.yaml"), &text).unwrap();
        fs::write(dir.join("new.yaml"), &changed).unwrap();
        let (status, report) = diff(&dir);
        let differences = report["differences"].as_array().unwrap();
        assert!(status == 1 && !differences.is_empty(), "no witness: {text}{changed}{report}");
        shown_by_both(&dir, &differences[..1]);
    }
}

#[test]
fn a_change_of_each_section_has_a_witness() {
    changes_have_witnesses(0, 2);
}

#[test]
fn a_change_of_each_section_has_a_witness_in_the_other_half() {
    changes_have_witnesses(1, 2);
}

#[test]
fn equal_meanings_have_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    for (old, new) in [
        (
            "write_guard: { allow: ['src/{a,b}/**', docs/**] }",
            "# the same\nwrite_guard:\n  allow:\n    - docs/**\n    - src/b/**\n    - src/a/**\n",
        ),
        (
            "rules: [{ name: a, paths: [src/**], action: ask }, { name: b, commands: [git push, npm publish] }]",
            "rules: [{ name: c, commands: [npm publish] }, { name: d, commands: [git push] }, { name: e, paths: [src/**], action: ask }]",
        ),
        (
            "read_guard: { deny: [.env, '**/*.key'], agents: { ada: { deny: [src/**] } } }",
            "read_guard: { agents: { Ada: { deny: [&all src/**, *all] } }, deny: ['**/*.key', .env] }",
        ),
        (
            "sequences: [{ name: a, calls: { commands: [kubectl apply] }, at_most: 2, within: 10m }]",
            "sequences: [{ name: b, calls: [{ commands: [kubectl apply] }], at_most: 2, within: 600s }]",
        ),
        ("spawn: { concurrent: 2, lease: 15m }", "spawn: { lease: 900s, concurrent: 2 }"),
        (
            "limits: { calls: [{ tools: [deploy], most: 3, of: team, per: day }, { tools: [pay], most: 2, of: agent, per: hour }] }",
            "limits: { calls: [{ tools: [PAY], most: 2, of: agent, per: hour }, { tools: [Deploy], most: 3, of: team, per: day }] }",
        ),
        (
            "boundaries: { agents: { ada: { writes: [src/api/**, docs/**] } } }",
            "boundaries: { agents: { ada: { writes: [docs/**, src/api/**] } } }",
        ),
        (
            "budget: { limits: [{ of: team, per: day, usd: 5 }], prices: [{ model: 'm*', input: 5, output: 25 }], hold: { most_output_tokens: 1000 } }",
            "budget: { hold: { most_output_tokens: 1000 }, prices: [{ model: 'm*', output: 25.0, input: 5.0 }], limits: [{ of: team, per: day, usd: 5.00 }] }",
        ),
    ] {
        let head = "version: 1\nstore: { engine: memory }\n";
        fs::write(dir.path().join("old.yaml"), format!("{head}{old}\n")).unwrap();
        fs::write(dir.path().join("new.yaml"), format!("{head}{new}\n")).unwrap();
        let (status, report) = diff(dir.path());
        assert_eq!((status, &report["differences"]), (0, &json!([])), "{old}\n{new}");
        assert_eq!(report["limits"]["sections_not_compared"], json!([]), "{report}");
    }
}

#[test]
fn what_is_not_compared_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("old.yaml"),
        "version: 1\nsandbox: { write: [a] }\nask_user: { max_per_session: 20000 }\n",
    )
    .unwrap();
    fs::write(
        dir.path().join("new.yaml"),
        "version: 1\nsandbox: { write: [b] }\nask_user: { max_per_session: 20001 }\n",
    )
    .unwrap();
    let (status, out) = hooks(dir.path(), &["diff", "old.yaml", "new.yaml"], String::new());
    assert_eq!(status, 0, "{out}");
    for wanted in ["Not compared: sandbox.", "Not compared: counts of `ask_user` above 10000."] {
        assert!(out.contains(wanted), "{out}");
    }
}

#[test]
fn the_text_names_the_witness_and_what_it_does_not_prove() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old.yaml"), "version: 1\nwrite_guard: { allow: [src/**] }\nsequences: []\n")
        .unwrap();
    fs::write(dir.path().join("new.yaml"), "version: 1\nwrite_guard: { allow: [src/**, docs/**] }\nlimits: { calls: [{ tools: [deploy], most: 2, of: session, per: session }] }\n").unwrap();
    let (status, out) = hooks(dir.path(), &["diff", "old.yaml", "new.yaml"], String::new());
    assert_eq!(status, 1, "{out}");
    for wanted in ["deny (write-guard/allow) -> allow", "call 3 of a session", "It is a search"] {
        assert!(out.contains(wanted), "{out}");
    }
    let (status, out) = hooks(dir.path(), &["diff", "old.yaml", "none.yaml"], String::new());
    assert!(status == 2 && out.contains("none.yaml"), "{out}");
}
