//! Limits and budgets with meaningless values: each is refused when it is loaded, at its line, with a hint.
//! No such value is ever read as "no limit".

use hooks_config::{Config, ConfigErrors};

/// Reports about `line`, the second line of the file.
fn messages(line: &str) -> Vec<String> {
    let errors = Config::parse(&format!("version: 1\n{line}\n"), "hooks.yaml").err();
    errors.iter().flat_map(ConfigErrors::errors).map(ToString::to_string).collect()
}

#[test]
fn nonsense_is_refused_with_its_line_and_the_way_out() {
    let mut wrong = Vec::new();
    for (template, path, values) in [
        ("ask_user: { max_per_session: $ }", "ask_user.max_per_session", NUMBERS),
        ("limits: { calls: [{ most: $, of: team, per: day }] }", "limits.calls[0].most", NUMBERS),
        ("limits: { loops: { rounds: $ } }", "limits.loops", COUNTS),
        ("limits: { loops: { longest: $ } }", "limits.loops", COUNTS),
        ("limits: { loops: { rounds: 100, longest: $ } }", "limits.loops", &["100"]),
        ("limits: { iterations: { most: $ } }", "limits.iterations.most", NUMBERS),
        ("limits: { iterations: { most: 1, resumes: $ } }", "limits.iterations.resumes", NUMBERS),
        ("budget: { limits: [{ of: team, per: day, usd: $ }] }", "budget.limits[0].usd", MONEY),
        ("budget: { limits: [{ of: team, per: day, tokens: $ }] }", "budget.limits[0].tokens", NUMBERS),
        ("budget: { prices: [{ model: m, input: $, output: 1 }] }", "budget.prices[0].input", MONEY),
        ("budget: { prices: [{ model: m, input: 1, output: $ }] }", "budget.prices[0].output", MONEY),
        (
            "budget: { prices: [{ model: m, input: 1, output: 1, cached: $ }] }",
            "budget.prices[0].cached",
            MONEY,
        ),
        (
            "budget: { prices: [{ model: m, input: 1, output: 1, reasoning: $ }] }",
            "budget.prices[0].reasoning",
            MONEY,
        ),
        (
            "budget: { prices: [{ model: m, input: 1, output: 1, most_output_tokens: $ }] }",
            "budget.prices[0].most_output_tokens",
            COUNTS,
        ),
        ("budget: { price_ceiling: { input: $, output: 1 } }", "budget.price_ceiling.input", MONEY),
        ("budget: { thresholds: { warn: $ } }", "budget.thresholds.warn", PERCENT),
        ("budget: { thresholds: { cheaper: $ } }", "budget.thresholds.cheaper", PERCENT),
        ("budget: { thresholds: { ask: $ } }", "budget.thresholds.ask", PERCENT),
        ("budget: { thresholds: { pause_spawns: $ } }", "budget.thresholds.pause_spawns", PERCENT),
        ("budget: { hold: { output_tokens: $ } }", "budget.hold.output_tokens", COUNTS),
        ("budget: { hold: { most_output_tokens: $ } }", "budget.hold.most_output_tokens", COUNTS),
        ("budget: { hold: { expires_seconds: $ } }", "budget.hold.expires_seconds", COUNTS),
        ("spawn: { concurrent: $ }", "spawn.concurrent", NUMBERS),
        ("spawn: { total: $ }", "spawn.total", NUMBERS),
        ("spawn: { depth: $ }", "spawn.depth", NUMBERS),
        ("spawn: { rate: { children: $, per: 1m } }", "spawn.rate.children", NUMBERS),
        ("spawn: { rate: { children: 1, per: $ } }", "spawn.rate.per", TIMES),
        ("spawn: { per_parent: { concurrent: $ } }", "spawn.per_parent.concurrent", NUMBERS),
        ("spawn: { per_parent: { total: $ } }", "spawn.per_parent.total", NUMBERS),
        ("spawn: { roles: [{ name: r, concurrent: $ }] }", "spawn.roles[0].concurrent", NUMBERS),
        ("spawn: { roles: [{ name: r, total: $ }] }", "spawn.roles[0].total", NUMBERS),
        ("spawn: { lease: $ }", "spawn.lease", TIMES),
        ("spawn: { waiting: $ }", "spawn.waiting", TIMES),
        ("store: { stale_after: $ }", "store.stale_after", TIMES),
    ] {
        wrong.extend(values.iter().filter_map(|value| taken(&template.replace('$', value), path)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Values that are not numbers, or larger than can be counted. Zero is valid: it means "none at all".
const NUMBERS: &[&str] =
    &["-1", "1.5", ".nan", ".inf", "-.inf", "9007199254740992", "1e300", "ten", "\"3\"", ""];
/// The same for options that need at least one.
const COUNTS: &[&str] =
    &["0", "-1", "1.5", ".nan", ".inf", "9007199254740992", "18446744073709551616", "all", ""];
const MONEY: &[&str] =
    &["-1", "-0.01", ".nan", ".inf", "-.inf", "1e300", "0.0000001", "$5", "5 USD", "\"5\"", ""];
const PERCENT: &[&str] = &["101", "-1", "0.5", "50%", ".nan", "9007199254740992", ""];
const TIMES: &[&str] =
    &["0s", "-1s", "1", "5 parsecs", "999999999999999999999h", "9999999h", ".nan", "\"\"", ""];

#[test]
fn empty_names_are_refused() {
    let mut wrong = Vec::new();
    for (line, path) in [
        ("limits: { calls: [{ tools: [\"\"], most: 1, of: team, per: day }] }", "limits.calls[0].tools[0]"),
        (
            "limits: { calls: [{ agents: [\" \"], most: 1, of: team, per: day }] }",
            "limits.calls[0].agents[0]",
        ),
        (
            "budget: { limits: [{ of: agent, named: [\" \"], per: day, tokens: 1 }] }",
            "budget.limits[0].named[0]",
        ),
        ("budget: { prices: [{ model: \" \", input: 1, output: 1 }] }", "budget.prices[0].model"),
        ("budget: { roles: { r: [\"\"] } }", "budget.roles.r[0]"),
        ("budget: { roles: { \" \": [a] } }", "budget.roles"),
        ("budget: { cheaper: { a: \" \" } }", "budget.cheaper.a"),
        ("budget: { cheaper: { \" \": a } }", "budget.cheaper"),
        ("spawn: { agents: [\" \"] }", "spawn.agents[0]"),
        ("spawn: { known_models: [\"\"] }", "spawn.known_models[0]"),
        ("spawn: { tiers: { premium: [\"\"] } }", "spawn.tiers.premium[0]"),
        ("spawn: { roles: [{ name: \" \", total: 1 }] }", "spawn.roles[0].name"),
        ("spawn: { roles: [{ name: r, agents: [\"\"], total: 1 }] }", "spawn.roles[0].agents[0]"),
        ("spawn: { models: [{ name: \" \", allow: [m] }] }", "spawn.models[0].name"),
        ("spawn: { models: [{ name: n, allow: [\"\"] }] }", "spawn.models[0].allow[0]"),
        ("spawn: { variants: [{ name: \"\", split: [{ name: a, share: 100 }] }] }", "spawn.variants[0].name"),
        (
            "spawn: { variants: [{ name: v, split: [{ name: \" \", share: 100 }] }] }",
            "spawn.variants[0].split[0].name",
        ),
        ("reviewer_lockout: { locked: { src: [\" \"] } }", "reviewer_lockout.locked.src[0]"),
        ("reviewer_lockout: { locked: { \"../up\": [a] } }", "reviewer_lockout.locked"),
        ("reviewer_lockout: { locked: { \"~/x\": [a] } }", "reviewer_lockout.locked"),
        ("reviewer_lockout: { locked: { \".\": [a] } }", "reviewer_lockout.locked"),
        ("reviewer_lockout: { team: [\"\"] }", "reviewer_lockout.team[0]"),
        ("store: { path: \"\" }", "store.path"),
    ] {
        wrong.extend(taken(line, path));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Values that are valid by their type: rules about everything by accident, and exceptions of everything.
#[test]
fn what_cannot_be_meant_is_refused() {
    let mut wrong = Vec::new();
    let empty = ["tools", "agents", "paths", "reads", "writes", "commands", "content", "imports"];
    for key in empty {
        let line = format!("rules: [{{ name: a, {key}: [], reason: r }}]");
        wrong.extend(taken(&line, &format!("rules[0].{key}")));
        let beside = format!(
            "rules: [{{ name: b, tools: [bash], commands: [ls] }}, {{ name: a, tools: [bash], {key}: [] }}]"
        );
        let beside = if key == "tools" {
            beside.replace("tools: [bash], tools", "agents: [ada], tools")
        } else {
            beside
        };
        wrong.extend(taken(&beside, &format!("rules[1].{key}")));
    }
    for (line, path) in [
        ("rules: [{ name: a }]", "rules[0]"),
        ("rules: [{ name: a, action: allow }]", "rules[0]"),
        ("rules: [{ name: a, reason: r, args: {} }]", "rules[0].args"),
        ("tenant: own\ntenants: { acme: { rules: [{ name: a }] } }", "tenants.acme.rules[0]"),
        (
            "tenant: own\ntenants: { acme: { rules: [{ name: a, content: [] }] } }",
            "tenants.acme.rules[0].content",
        ),
        ("read_guard: { deny: ['**/.env'], except: ['**'] }", "read_guard.except[0]"),
        ("read_guard: { deny: ['**/.env'], except: [a, '**/*'] }", "read_guard.except[1]"),
        (
            "tenant: own\ntenants: { acme: { read_guard: { deny: ['**/.env'], except: ['**'] } } }",
            "tenants.acme.read_guard.except[0]",
        ),
        ("reload: { every: 0s }", "reload.every"),
        ("reload: { every: 1ms }", "reload.every"),
    ] {
        wrong.extend(taken(line, path));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for line in [
        "rules: [{ name: a, tools: ['*'] }]",
        "rules: [{ name: a, agents: [ada] }]",
        "rules: [{ name: a, results: failed }]",
        "read_guard: { deny: ['**/.env'], except: ['**/.env.example'] }",
        "reload: { every: 10ms }",
    ] {
        assert_eq!(messages(line), [""; 0], "{line}");
    }
}

#[test]
fn zero_is_as_written() {
    for line in [
        "ask_user: { max_per_session: 0 }",
        "limits: { calls: [{ most: 0, of: tree, per: always }] }",
        "limits: { iterations: { most: 0, resumes: 0 } }",
        "budget: { limits: [{ of: team, per: day, usd: 0, tokens: 0 }] }",
        "spawn: { concurrent: 0, total: 0, depth: 0 }",
    ] {
        assert_eq!(messages(line), [""; 0], "{line}");
    }
}

/// Reason why the report about `line` is wrong; `None` if the line is refused as it should be.
fn taken(line: &str, path: &str) -> Option<String> {
    let messages = messages(line);
    let Some(first) = messages.first() else { return Some(format!("`{line}` was taken")) };
    let text = first.split_once(path).map(|(_, text)| text).unwrap_or_default();
    // A hint follows a semicolon, or the message itself names the expected value.
    let has_way_out = ["; ", "has to be", "expected ", "integer"].iter().any(|word| text.contains(word));
    let is_placed = first.starts_with("line 2, column ") || first.starts_with("line 3, column ");
    (!has_way_out || !is_placed).then(|| format!("`{line}`: {messages:#?}"))
}
