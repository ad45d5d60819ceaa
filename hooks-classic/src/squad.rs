//! Converts a Squad policy to the strict configuration.
//!
//! ```
//! use hooks_classic::squad_policy_to_strict;
//! use hooks_core::Hooks;
//! use hooks_policies::profile::SquadHook;
//! use hooks_policies::squad::{JsError, PreResult, SquadCall, SquadPolicy};
//! use serde_json::json;
//!
//! let policy: SquadPolicy = serde_json::from_value(json!({"allowedWritePaths": ["docs/**"], "maxAskUser": 3}))?;
//! let config = squad_policy_to_strict(&policy)?;
//! let hook = |call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
//!     Ok(if call.agent_name == "intern" { PreResult::block("not yet") } else { PreResult::allow() })
//! };
//! let hooks = SquadHook::new("no-intern", hook).add_to(Hooks::builder()).config(config)?.build();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use hooks_budgets::{AskCounting, AskUserConfig};
use hooks_core::PolicyErrors;
use hooks_facts::calls::PathsConfig;
use hooks_facts::globs::PatternDialect;
use hooks_policies::command_guard::is_fragment;
use hooks_policies::config::{CommandGuardConfig, LockoutConfig, OnUnknown, WriteGuardConfig};
use hooks_policies::squad::SquadPolicy;
use hooks_redaction::{Label, RedactionConfig, TextDialect};
use serde_json::Value;

use crate::config::PolicyConfig;

const FIELDS: &[&str] = &[
    "allowedWritePaths",
    "blockedCommands",
    "maxAskUserPerSession",
    "maxAskUser",
    "scrubPii",
    "reviewerLockout",
];

/// Path argument that Squad's lockout ignores.
const UNLOCKED_ARGUMENT: &str = "filePath";

/// Converts a Squad policy to the strict configuration that has the same meaning.
///
/// Patterns keep Squad's dialect, parsed safely. Both spellings of the limit are accepted (`maxAskUser`,
/// `maxAskUserPerSession`).
///
/// As in Squad:
///
/// - an empty list switches its guard off, and missing commands mean the default ones;
/// - a call that names no path or command is allowed;
/// - a limit below zero means no limit, and a limit of zero allows no question;
/// - questions that another hook denies are counted;
/// - connection strings and network addresses do not count as personal data.
///
/// Texts that are not valid command patterns (`rm.*`, `| sh`) are blocked as fragments. The argument
/// `filePath` is guarded but not locked, as users of Squad expect; to lock it, remove it from
/// `reviewer_lockout.ignored_arguments`.
///
/// # Errors
/// Returns an error for each field that has another type or that Squad does not know.
pub fn squad_policy_to_strict(policy: &SquadPolicy) -> Result<PolicyConfig, PolicyErrors> {
    let mut errors = PolicyErrors::default();
    let write_paths = texts(policy.allowed_write_paths.as_ref(), "allowedWritePaths", &mut errors);
    let commands = texts(policy.blocked_commands.as_ref(), "blockedCommands", &mut errors);
    let first = policy.max_ask_user_per_session.as_ref();
    let limit = limit(first, "maxAskUserPerSession", &mut errors);
    let other_limit = self::limit(policy.other.get("maxAskUser"), "maxAskUser", &mut errors);
    if let (Some(one), Some(other)) = (limit, other_limit)
        && one != other
    {
        errors.push("maxAskUser", "it differs from `maxAskUserPerSession`", "leave one of them out");
    }
    let scrubs = switch(policy.scrub_pii.as_ref(), "scrubPii", &mut errors);
    let locks = switch(policy.reviewer_lockout.as_ref(), "reviewerLockout", &mut errors);
    for field in policy.other.keys().filter(|field| *field != "maxAskUser") {
        errors.push(field.clone(), "no such field", hint(field));
    }
    errors.or(PolicyConfig {
        paths: PathsConfig { dialect: PatternDialect::Squad, ..PathsConfig::default() },
        write_guard: write_paths.filter(|paths| !paths.is_empty()).map(|allow| WriteGuardConfig {
            allow,
            missing_path: OnUnknown::Allow,
            ..WriteGuardConfig::default()
        }),
        command_guard: command_guard(commands),
        ask_user: limit.or(other_limit).flatten().map(|max_per_session| AskUserConfig {
            max_per_session,
            counts: AskCounting::Attempted,
            ..AskUserConfig::default()
        }),
        redaction: scrubs.then(redaction),
        reviewer_lockout: locks.then(|| LockoutConfig {
            ignored_arguments: vec![UNLOCKED_ARGUMENT.to_owned()],
            ..LockoutConfig::default()
        }),
        ..PolicyConfig::default()
    })
}

/// All default labels except network addresses and passwords in URLs: Squad lets connection strings pass,
/// except for parts that look like an e-mail address.
fn redaction() -> RedactionConfig {
    let passes = [Label::Ipv4, Label::Ipv6, Label::UrlPassword];
    let labels = Label::built_in().filter(|label| !passes.contains(label));
    RedactionConfig {
        labels: Some(labels.map(|label| label.to_string()).collect()),
        dialect: TextDialect::Squad,
        ..RedactionConfig::default()
    }
}

fn command_guard(commands: Option<Vec<String>>) -> Option<CommandGuardConfig> {
    let defaults = CommandGuardConfig { missing_command: OnUnknown::Allow, ..CommandGuardConfig::default() };
    match commands {
        None => Some(defaults),
        Some(commands) if commands.is_empty() => None,
        Some(commands) => {
            let (fragments, block) = commands
                .into_iter()
                .partition(|text| is_fragment(text) || text.trim_start().starts_with('-'));
            Some(CommandGuardConfig { block, fragments, ..defaults })
        }
    }
}

fn texts(field: Option<&Value>, name: &str, errors: &mut PolicyErrors) -> Option<Vec<String>> {
    let Value::Array(items) = field? else {
        errors.push(name, "it is not a list", "write a list of texts");
        return None;
    };
    let text = |(index, item): (usize, &Value)| match item {
        Value::String(text) => Some(text.clone()),
        _ => {
            errors.push(format!("{name}[{index}]"), "it is not a string", "write it in quotes");
            None
        }
    };
    Some(items.iter().enumerate().filter_map(text).collect())
}

/// Parses a limit; below zero there is no limit. A fraction of a question counts as a question, as in Squad.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and above zero, and a larger one than fits is as good as the largest"
)]
fn limit(field: Option<&Value>, name: &str, errors: &mut PolicyErrors) -> Option<Option<u64>> {
    match field?.as_f64() {
        Some(number) if number < 0.0 => Some(None),
        Some(number) => Some(Some(number.ceil() as u64)),
        None => {
            errors.push(name, "it is not a number", "write a number, such as 3");
            None
        }
    }
}

fn switch(field: Option<&Value>, name: &str, errors: &mut PolicyErrors) -> bool {
    match field {
        None => false,
        Some(Value::Bool(on)) => *on,
        Some(_) => {
            errors.push(name, "it is neither true nor false", "write `true` or `false`");
            false
        }
    }
}

/// Returns the known field with the same letters, or all known fields.
fn hint(field: &str) -> String {
    let letters = |name: &str| {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    match FIELDS.iter().find(|known| letters(known) == letters(field)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("Squad's policies have {}", FIELDS.join(", ")),
    }
}

#[cfg(test)]
mod tests;
