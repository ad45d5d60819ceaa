//! Commands of `hooks` that are for the operator: those that change limits, lockouts, the log or its keys,
//! and those that install the hooks or answer in their place.
//!
//! The program may run under another name, through a link or a copy. In that case it is recognised by words
//! that other programs do not take.

use hooks_facts::commands::Argument;

/// Commands of `hooks` that are for the operator, whatever their arguments. `bench`, `demo`, `eval` and `explain` start the handlers
/// of any file that they are given, outside of the rules.
const ALWAYS: &[&str] = &[
    "approve",
    "bench",
    "demo",
    "eval",
    "exec",
    "explain",
    "init",
    "mcp",
    "reload",
    "report",
    "run",
    "sandbox-stage",
    "serve",
    "state",
    "undo",
];

/// Other commands of `hooks`.
const READS: &[&str] = &[
    "audit",
    "ceremony",
    "check",
    "completions",
    "decisions",
    "diff",
    "doctor",
    "help",
    "man",
    "packs",
    "replay",
    "sandbox",
    "schema",
    "scrub",
    "secrets",
    "snapshots",
    "status",
    "test",
    "top",
];

/// Commands of `hooks audit` that change the log, or create keys or checkpoints for it.
const CHANGES: &[&str] = &["checkpoint", "erase", "feed", "keygen"];

/// Options of `hooks audit` that take the next word.
const VALUES: &[&str] = &["--config", "--log", "-c"];

/// Clients that `hooks init` takes.
const CLIENTS: &[&str] = &[
    "claude",
    "codex",
    "copilot",
    "cursor",
    "docker-agent",
    "droid",
    "gemini",
    "goose",
    "kimi",
    "opencode",
    "qwen",
    "squad",
    "vscode",
    "windsurf",
];

/// Commands of `hooks state` that no other program is known to have.
const STATE: &[&str] = &["accept-loss", "clear", "lock"];

/// Most words after a command that are checked if the program has another name.
const MAX_WORDS: usize = 64;

/// Returns whether the words after `hooks` are, or may be, a command for the operator.
pub(super) fn of_hooks(words: &[Argument]) -> bool {
    let asks_for_help = matches!(words.last().and_then(Argument::literal), Some("--help" | "-h"))
        && !words.iter().any(|word| word.literal() == Some("--"));
    let Some(at) = words.iter().position(|word| !word.prefix().starts_with('-')) else { return false };
    let rest = words.get(at + 1..).unwrap_or_default();
    match words.get(at).and_then(Argument::literal) {
        _ if asks_for_help => false,
        None => true,
        Some("audit") => audit(rest, true),
        Some("ceremony") => ceremony(rest, true),
        Some(command) => ALWAYS.contains(&command),
    }
}

/// Returns whether the words after `hooks` are one of its known commands.
pub(super) fn are_known(words: &[Argument]) -> bool {
    let command = words.iter().find(|word| !word.prefix().starts_with('-'));
    command.is_none_or(|command| command.literal().is_some_and(|command| READS.contains(&command)))
}

/// Returns whether some words of a program are a command of `hooks` for the operator.
pub(super) fn of_any(argv: &[Argument]) -> bool {
    argv.iter().enumerate().skip(1).any(|(at, word)| {
        let Some(command @ ("approve" | "audit" | "ceremony" | "init" | "run" | "sandbox-stage" | "state")) =
            word.literal()
        else {
            return false;
        };
        let behind = argv.get(at + 1..).unwrap_or_default();
        let rest = behind.get(..MAX_WORDS).unwrap_or(behind);
        match command {
            "approve" => operands(rest).next().and_then(Argument::literal).is_some_and(is_code),
            "audit" => audit(rest, false),
            "ceremony" => ceremony(rest, false),
            "state" => state(rest),
            "sandbox-stage" => true,
            "init" => {
                operands(rest).next().and_then(Argument::literal).is_some_and(|it| CLIENTS.contains(&it))
            }
            _ => {
                let has = |name: &str| rest.iter().any(|word| word.prefix().split('=').next() == Some(name));
                has("--client") && has("--event")
            }
        }
    })
}

/// Returns whether a word looks like the code of a call that waits for a person.
fn is_code(word: &str) -> bool {
    let is_half = |half: &str| half.len() == 4 && half.bytes().all(|byte| byte.is_ascii_alphanumeric());
    word.split_once('-').is_some_and(|(first, second)| is_half(first) && is_half(second))
}

/// Returns whether the words after `audit` are for the operator; `in_doubt` is the result if they are
/// unknown.
fn audit(words: &[Argument], in_doubt: bool) -> bool {
    let mut operands = operands(words);
    let Some(action) = operands.next() else { return false };
    match action.literal() {
        None => in_doubt,
        Some("hold") => match operands.next().map(Argument::literal) {
            None | Some(Some("list")) => false,
            Some(None) => in_doubt,
            Some(Some(action)) => in_doubt || matches!(action, "add" | "release"),
        },
        Some("maintain") => !words.iter().any(|word| word.literal() == Some("--dry-run")),
        Some(action) => CHANGES.contains(&action),
    }
}

/// Returns whether the words after `ceremony` start or end one; `in_doubt` is the result if they are unknown.
fn ceremony(words: &[Argument], in_doubt: bool) -> bool {
    match operands(words).next().map(Argument::literal) {
        None => false,
        Some(None) => in_doubt,
        Some(Some(action)) => matches!(action, "start" | "end"),
    }
}

/// Returns whether the words after `state` are commands of `hooks`, whose counters and sets have slashes in
/// their names.
fn state(words: &[Argument]) -> bool {
    let mut operands = operands(words);
    match operands.next().and_then(Argument::literal) {
        Some("set" | "remove") => operands.next().is_some_and(|counter| counter.prefix().contains('/')),
        Some(action) => STATE.contains(&action) && operands.next().is_some() || action == "accept-loss",
        None => false,
    }
}

/// Returns the words that are neither options nor the values of options.
fn operands(words: &[Argument]) -> impl Iterator<Item = &Argument> {
    let mut words = words.iter();
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            if !word.prefix().starts_with('-') {
                return Some(word);
            }
            if word.literal().is_some_and(|option| VALUES.contains(&option)) {
                words.next();
            }
        }
    })
}
