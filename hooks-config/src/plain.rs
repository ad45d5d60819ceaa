//! Recognises a document without mistakes quickly, without the schema, which takes longer to build than the
//! rest.
//!
//! Each call of a hook command reads its configuration, which nearly always has no mistake. If the types can
//! read the document and write it again unchanged, it has no unknown option and no value of a wrong type, so
//! the schema would find nothing. Every other document goes to the schema, even if it is only written in
//! another way.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use hooks_classic::PolicyConfig;
use hooks_resilience::ResilienceConfig;
use hooks_sandbox::SandboxConfig;
use hooks_snapshots::EffectsConfig;
use hooks_store::StoreConfig;

use super::further::{self, PolicyFiles, TenantGuards};
use super::reload::{self, ReloadConfig};
use super::sandbox;
use super::tree::{Kind, Node};
use super::{audit, context, feeds, models, store, team_rules, tenant};

/// Whether the schema would certainly find no mistake in `root`.
pub(super) fn is_right(root: &Node) -> bool {
    if matches!(root.kind, Kind::Map(_))
        && let Value::Object(mut sections) = root.to_json()
    {
        is_about_the_file(&mut sections)
            && is_right_in::<StoreConfig>(&mut sections, store::KEY)
            && audit::is_right(&mut sections)
            && is_right_in::<ResilienceConfig>(&mut sections, models::KEY)
            && is_right_in::<ReloadConfig>(&mut sections, reload::KEY)
            && is_right_in::<SandboxConfig>(&mut sections, sandbox::KEY)
            && is_right_in::<EffectsConfig>(&mut sections, sandbox::EFFECTS)
            && context::are_right(&mut sections)
            && feeds::are_right(&mut sections)
            && team_rules::are_right(&mut sections)
            && is_written_again::<PolicyConfig>(&Value::Object(sections))
    } else {
        false
    }
}

/// Removes the keys about the file itself and checks them. A document with a `profile` goes to the schema.
fn is_about_the_file(sections: &mut Map<String, Value>) -> bool {
    sections.shift_remove("version").is_some_and(|version| version == 1)
        && sections.shift_remove("self_protection").is_none_or(|is_on| is_on.is_boolean())
        && sections.shift_remove(tenant::KEY).is_none_or(|tenant| tenant.is_string())
        && sections.shift_remove(tenant::OTHERS).is_none_or(|others| {
            is_written_again::<Vec<String>>(&others)
                || is_written_again::<BTreeMap<String, TenantGuards>>(&others)
        })
        && is_right_in::<Vec<PolicyFiles>>(sections, further::KEY)
}

/// Removes a section from `sections` and returns whether it certainly has no mistake.
pub(super) fn is_right_in<T: DeserializeOwned + Serialize>(
    sections: &mut Map<String, Value>,
    key: &str,
) -> bool {
    sections.shift_remove(key).is_none_or(|section| is_written_again::<T>(&section))
}

/// Whether a value can be read as `T` and is written again unchanged.
fn is_written_again<T: DeserializeOwned + Serialize>(value: &Value) -> bool {
    // Deserialized from a copy: from a reference, serde reads the same values but words its errors
    // differently.
    let read = serde_json::from_value::<T>(value.clone());
    read.ok().and_then(|read| serde_json::to_value(read).ok()).is_some_and(|again| says_all_of(&again, value))
}

/// Whether everything in `given` is also in `again`; a `null` never is. The depth is bounded by the parser.
fn says_all_of(again: &Value, given: &Value) -> bool {
    match (again, given) {
        (_, Value::Null) => false,
        (Value::Object(again), Value::Object(given)) => {
            given.iter().all(|(key, given)| again.get(key).is_some_and(|again| says_all_of(again, given)))
        }
        (Value::Array(again), Value::Array(given)) => {
            again.len() == given.len()
                && again.iter().zip(given).all(|(again, given)| says_all_of(again, given))
        }
        // A price of 15 is written again as 15.0.
        (Value::Number(again), Value::Number(given)) => again == given || again.as_f64() == given.as_f64(),
        (again, given) => again == given,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::check::check;
    use super::super::document::checked_schema;
    use super::super::error::Mistakes;
    use super::super::yaml;
    use super::*;

    const ALL: &str = "
version: 1
self_protection: true
tenant: acme
tenants: [other]
tools: { save_document: write }
paths: { root: /srv, case_insensitive: false }
write_guard: { allow: [src/**], deny: [src/x], missing_path: ask, agents: { ada: { allow: [docs/**] } } }
read_guard: { sets: [secrets], deny: ['**/.env'], except: [a], unknown: ask }
command_guard: { block: [rm -rf], fragments: ['| sh'], unresolvable: deny }
ask_user: { max_per_session: 3, counts: attempted }
redaction: { patterns: { TICKET: 'T-[0-9]+' } }
reload: { every: 5s, on_error: deny }
sandbox: { read: [a], write: [/srv/out], egress: all, unavailable: guards-only, calls: wrapped }
effects: { loss: ask, quota_mb: 100, days: 3 }
reviewer_lockout: { locked: { src/auth.rs: [backend] }, when_all_locked: deny }
limits: { calls: [{ tools: [bash], most: 30, of: team, per: session }] }
spawn: { depth: 2, lease: 5m }
budget: { limits: [{ of: session, per: session, usd: 2.5 }], prices: [{ model: m, input: 3, output: 15.5 }] }
protected: [Makefile]
store: { path: state.db }
context: { team: .squad, session: 3000, child: 0, turn: 500, deadline: 2s, history: 5, decisions: 5, skills: 3, files: [A.md], model: { default: small, agents: { lead: large }, charters: true } }
compaction: { keep: 1000, summary: 500, outputs: [bash], not_below_percent: 50 }
session_end: { team: .squad, history_above: 2000, keep: 5, metrics: true, recap: false, abandoned_after: 1h, open_work: { name: todo, file: TODO.md, most: 5 } }
boundaries: { team: .squad, others: deny, agents: { Ada: { writes: [src/**], reads: [docs/**] } } }
decisions: { team: .squad, archive: false, editors: [Ada] }
sequences: [{ name: tested-pushes, never: [{ commands: [git push] }], unless: [{ commands: [cargo test] }], within: 10m, reason: why }]
ceremonies: { team: .squad, closes: [writes], focused: 10m, extended: 1h, gates: { Review: { closes: [commands], tools: [x], participants: [Ada], time: 5m, started_by: [y], ended_by: [z] } } }
routes: { team: .squad, most: 3, urgent: high, others: allow, agents: { Ada: { capabilities: [sql], most: 2, instead: [Bob] } }, rules: [{ name: r, action: deny, from: [a], to: [b], words: [c], at_least: low, at_most: high, requires: [sql], instead: [Ada], reason: why }] }
prompts: { team: .squad, author: ada, recent_decisions: 3, ceremonies: true, conventions: [commits], required: [Be kind.], scrub: true }
phases: { state: run/state.json, read_only: [a], output: { on_fault: deny, verdicts: { x: [y] } }, unresolvable: ask }
models:
  catalog: [{ name: large, provider: one, tier: premium, context_tokens: 200000, price: { input: 15, output: 75 } }]
  routing: { tiers: { premium: [large] }, agents: { Ripley: premium } }
rules:
  - { name: publishing, action: ask, commands: [git push], reason: leaves, match: [{ tool: bash, args: { command: git push } }] }
  - { name: hosts, tools: [/web_.*/], args: { url: { host: [a.com], not: true }, n: { min: 0.5, max: 2 }, x: { is: [y], matches: z } }, results: failed }
";

    fn node(text: &str) -> Node {
        yaml::parse(text, &mut Mistakes::default()).unwrap()
    }

    fn node_of_value(value: &Value) -> Node {
        node(&value.to_string())
    }

    fn mistakes(node: &Node) -> Mistakes {
        let mut mistakes = Mistakes::default();
        check(&checked_schema(), node, &mut mistakes);
        mistakes
    }

    #[test]
    fn what_is_right_is_seen_at_once() {
        assert!(is_right(&node(ALL)));
        assert!(is_right(&node("version: 1")));
        for text in ["[1]", "version: '1'", "version: 1\nwrite_guard:", "version: 1\nprofile: strict", "{}"] {
            assert!(!is_right(&node(text)), "{text}");
        }
    }

    /// Checks the one case that must not happen: a document that the schema would refuse is accepted.
    #[test]
    fn nothing_that_the_schema_refuses_is_right() {
        let whole = node(ALL).to_json();
        let others = [
            json!(null),
            json!([]),
            json!({}),
            json!("x"),
            json!(7),
            json!(-1),
            json!(1.5),
            json!(true),
            json!([[]]),
        ];
        let mut taken = 0;
        for at in places(&whole, "", 8) {
            for other in &others {
                for changed in [replaced(&whole, &at, other), with_another_key(&whole, &at)] {
                    let node = node_of_value(&changed);
                    if is_right(&node) {
                        taken += 1;
                        let mistakes = mistakes(&node);
                        assert!(mistakes.is_empty(), "{at} {changed} {mistakes:?}");
                    }
                }
            }
        }
        assert!(taken > 20, "{taken}");
    }

    fn places(value: &Value, at: &str, depth: usize) -> Vec<String> {
        let mut all = vec![at.to_owned()];
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(key, value)| (key.replace('/', "~1"), value)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(key, value)| (key.to_string(), value)).collect()
            }
            _ => Vec::new(),
        };
        if depth > 0 {
            all.extend(
                inner.into_iter().flat_map(|(key, value)| places(value, &format!("{at}/{key}"), depth - 1)),
            );
        }
        all
    }

    fn replaced(whole: &Value, at: &str, other: &Value) -> Value {
        let mut changed = whole.clone();
        *changed.pointer_mut(at).unwrap() = other.clone();
        changed
    }

    fn with_another_key(whole: &Value, at: &str) -> Value {
        let mut changed = whole.clone();
        if let Some(Value::Object(map)) = changed.pointer_mut(at) {
            map.insert("another".to_owned(), json!({"tool": "x"}));
        }
        changed
    }
}
