//! Commands that start an agent client which nothing governs: without its hooks, with the settings of another
//! folder, or without a person who approves what it does.
//!
//! The options are those of Claude Code 2.1.330, Codex CLI 0.169.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102 and Qwen
//! Code 0.15.10.

use hooks_facts::commands::{Argument, Invocation};

/// A client and its options.
struct Client {
    /// Name of its program.
    program: &'static str,
    /// Name of its npm package.
    package: &'static str,
    /// Options that may not be given, whatever their value.
    options: &'static [&'static str],
    /// Options with a value that may not be given.
    values: &'static [(&'static str, &'static str)],
}

const CLIENTS: &[Client] = &[
    Client {
        program: "claude",
        package: "@anthropic-ai/claude-code",
        options: &[
            "--allow-dangerously-skip-permissions",
            "--bare",
            "--dangerously-skip-permissions",
            // Answers are counted in the transcripts of sessions.
            "--no-session-persistence",
            "--setting-sources",
            "--settings",
        ],
        values: &[("--permission-mode", "bypassPermissions")],
    },
    Client {
        program: "codex",
        package: "@openai/codex",
        options: &[
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            // Answers are counted in the transcripts of sessions.
            "--ephemeral",
            "--yolo",
        ],
        values: &[
            ("--ask-for-approval", "never"),
            ("--config", "approval_policy=never"),
            ("--config", "features.codex_hooks=false"),
            ("--config", "features.hooks=false"),
            ("--config", "features={codex_hooks=false}"),
            ("--config", "features={hooks=false}"),
            ("--config", "sandbox_mode=danger-full-access"),
            ("--disable", "codex_hooks"),
            ("--disable", "hooks"),
            ("--sandbox", "danger-full-access"),
            ("-a", "never"),
            ("-c", "approval_policy=never"),
            ("-c", "features.codex_hooks=false"),
            ("-c", "features.hooks=false"),
            ("-c", "features={codex_hooks=false}"),
            ("-c", "features={hooks=false}"),
            ("-c", "sandbox_mode=danger-full-access"),
            ("-s", "danger-full-access"),
        ],
    },
    Client {
        program: "gemini",
        package: "@google/gemini-cli",
        options: &["--skip-trust", "--yolo", "-y"],
        values: &[("--approval-mode", "yolo")],
    },
    Client {
        program: "copilot",
        package: "@github/copilot",
        options: &["--allow-all", "--allow-all-paths", "--allow-all-tools", "--yolo"],
        values: &[],
    },
    Client { program: "cursor-agent", package: "", options: &["--force", "-f"], values: &[] },
    Client {
        program: "qwen",
        package: "@qwen-code/qwen-code",
        options: &["--yolo", "-y"],
        values: &[("--approval-mode", "yolo")],
    },
];

/// Most words that are looked at.
const MAX_WORDS: usize = 1024;

/// Returns how a command starts a client ungoverned; `None` if it does not.
pub(super) fn is_ungoverned(program: Option<&str>, invocation: &Invocation) -> Option<String> {
    let words = invocation.argv.get(1..).unwrap_or_default();
    let words = words.get(..MAX_WORDS).unwrap_or(words);
    let by_name = CLIENTS.iter().find(|client| program == Some(client.program)).map(|client| (client, words));
    let (client, words) = by_name.or_else(|| runs_package(program?, words).then(|| of_package(words))?)?;
    let name = client.program;
    if invocation.has_other_settings {
        return Some(format!("`{name}` has the settings of another folder"));
    }
    let option = client.options.iter().find(|option| words.iter().any(|word| names(word, option)));
    if let Some(option) = option {
        return Some(format!("`{name}` with `{option}`"));
    }
    let value = client.values.iter().find(|(option, value)| has(words, option, value));
    value.map(|(option, value)| format!("`{name}` with `{option} {value}`"))
}

/// Whether a program runs packages, or scripts in the folder of one.
fn runs_package(program: &str, words: &[Argument]) -> bool {
    let has = |name: &str| words.iter().any(|word| word.literal() == Some(name));
    match program {
        "npx" | "bunx" | "pnpx" | "node" | "bun" | "deno" => true,
        "npm" | "pnpm" | "yarn" => ["exec", "x", "dlx"].into_iter().any(has),
        _ => false,
    }
}

/// The client that a package runner starts (`npx PACKAGE`), and the words after its name.
fn of_package(words: &[Argument]) -> Option<(&'static Client, &[Argument])> {
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.literal()?;
        let is_package = |client: &&Client| {
            let named = || word.split_once(client.package).map(|(_, rest)| rest);
            (word == client.program)
                || !client.package.is_empty()
                    && named().is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '/']))
        };
        let client = CLIENTS.iter().find(is_package)?;
        Some((client, words.get(at + 1..).unwrap_or_default()))
    })
}

/// Whether a word is this option, or may be.
fn names(word: &Argument, option: &str) -> bool {
    match word.literal() {
        Some(text) => {
            let name = text.split('=').next().unwrap_or_default();
            name == option || is_in_camel_case(name, option) || is_grouped(name, option)
        }
        None => word.prefix().starts_with('-') && option.starts_with(word.prefix()),
    }
}

/// Whether `name` is `option` in the other spelling that the clients in JavaScript accept: `--skipTrust`.
fn is_in_camel_case(name: &str, option: &str) -> bool {
    let folded = |text: &str| text.replace('-', "").to_ascii_lowercase();
    option.starts_with("--") && name.starts_with("--") && folded(name) == folded(option)
}

/// Whether short options in one word contain this one: `-dy`.
fn is_grouped(name: &str, option: &str) -> bool {
    let (Some(letters), Some(letter)) = (name.strip_prefix('-'), option.strip_prefix('-')) else {
        return false;
    };
    letter.len() == 1 && !letters.starts_with('-') && letters.contains(letter)
}

/// Whether an option has this value: `--option value`, `--option=value`, or `-ovalue`.
fn has(words: &[Argument], option: &str, value: &str) -> bool {
    let is_value = |text: &str| {
        let plain: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
        plain.eq_ignore_ascii_case(value)
    };
    words.iter().enumerate().any(|(at, word)| {
        let Some(text) = word.literal() else { return false };
        if text == option || is_in_camel_case(text, option) {
            // A value that is not known before may be this one.
            return words.get(at + 1).is_some_and(|word| word.literal().is_none_or(is_value));
        }
        let rest = text.strip_prefix(option).unwrap_or_default();
        is_value(rest.strip_prefix('=').unwrap_or(rest))
    })
}
