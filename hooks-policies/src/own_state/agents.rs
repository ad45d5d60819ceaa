//! Commands that start an agent client which nothing governs: without its hooks, with other settings, or without a
//! person who approves what it does.
//!
//! Only options that are known to leave the client governed pass; others are denied, also those of later versions.
//! The options are those of Claude Code 2.1.330, Codex CLI 0.169.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102, Qwen
//! Code 0.15.10 and Kimi CLI 1.49.0; those of goose and Factory Droid are from their documentation.

use hooks_facts::commands::{Argument, Invocation};

/// Commands that change the settings of a client, one a line.
const SETTING: &str = include_str!("../../data/client_commands.txt");

/// A client and its options.
struct Client {
    /// Names of its program.
    programs: &'static [&'static str],
    /// Names of its npm packages.
    packages: &'static [&'static str],
    /// Options that leave it governed, whatever their value.
    options: &'static [&'static str],
    /// Options that leave it governed with some values, or beginnings of values that end with `=`.
    values: &'static [(&'static str, &'static [&'static str])],
    /// Commands that change its settings, or start it in another way.
    commands: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client {
        programs: &["claude"],
        packages: &["@anthropic-ai/claude-code"],
        options: &[
            "--add-dir",
            "--agent",
            "--allowed-tools",
            "--allowedTools",
            "--append-system-prompt",
            "--continue",
            "--debug",
            "--disallowed-tools",
            "--disallowedTools",
            "--effort",
            "--fallback-model",
            "--fork-session",
            "--help",
            "--ide",
            "--include-hook-events",
            "--include-partial-messages",
            "--input-format",
            "--json-schema",
            "--max-budget-usd",
            "--max-turns",
            "--model",
            "--name",
            "--no-chrome",
            "--output-format",
            "--permission-prompts",
            "--print",
            "--replay-user-messages",
            "--resume",
            "--session-id",
            "--strict-mcp-config",
            "--system-prompt",
            "--tools",
            "--verbose",
            "--version",
            "--worktree",
            "-c",
            "-d",
            "-h",
            "-n",
            "-p",
            "-r",
            "-v",
            "-w",
        ],
        values: &[("--permission-mode", &["acceptEdits", "default", "dontAsk", "plan"])],
        commands: &["plugin", "plugins"],
    },
    Client {
        programs: &["codex"],
        packages: &["@openai/codex"],
        options: &[
            "--add-dir",
            "--all",
            "--cd",
            "--color",
            "--help",
            "--image",
            "--json",
            "--last",
            "--local-provider",
            "--model",
            "--no-alt-screen",
            "--oss",
            "--output-last-message",
            "--output-schema",
            "--search",
            "--skip-git-repo-check",
            "--strict-config",
            "--version",
            "--worktree",
            "-C",
            "-V",
            "-h",
            "-i",
            "-m",
            "-o",
        ],
        values: &[
            ("--ask-for-approval", &["on-failure", "on-request", "untrusted"]),
            ("--config", &["model=", "model_reasoning_effort=", "model_verbosity="]),
            ("--sandbox", &["read-only", "workspace-write"]),
            ("-a", &["on-failure", "on-request", "untrusted"]),
            ("-c", &["model=", "model_reasoning_effort=", "model_verbosity="]),
            ("-s", &["read-only", "workspace-write"]),
        ],
        commands: &["app-server", "cloud", "exec-server", "features", "plugin", "remote-control", "sandbox"],
    },
    Client {
        programs: &["gemini", "qwen"],
        packages: &["@google/gemini-cli", "@qwen-code/qwen-code"],
        options: &[
            "--allowed-mcp-server-names",
            "--allowed-tools",
            "--debug",
            "--help",
            "--include-directories",
            "--list-extensions",
            "--list-sessions",
            "--model",
            "--output-format",
            "--prompt",
            "--prompt-interactive",
            "--resume",
            "--sandbox",
            "--screen-reader",
            "--session-id",
            "--version",
            "--worktree",
            "-d",
            "-h",
            "-i",
            "-l",
            "-m",
            "-o",
            "-p",
            "-r",
            "-s",
            "-v",
            "-w",
        ],
        values: &[("--approval-mode", &["auto_edit", "default", "plan"])],
        commands: &["extension", "extensions", "hook", "hooks"],
    },
    Client {
        programs: &["copilot"],
        packages: &["@github/copilot"],
        options: &[
            "--add-dir",
            "--agent",
            "--allow-tool",
            "--allow-url",
            "--attachment",
            "--available-tools",
            "--banner",
            "--context",
            "--continue",
            "--deny-tool",
            "--deny-url",
            "--disable-builtin-mcps",
            "--disable-mcp-server",
            "--disallow-temp-dir",
            "--excluded-tools",
            "--help",
            "--interactive",
            "--log-level",
            "--max-ai-credits",
            "--max-autopilot-continues",
            "--model",
            "--name",
            "--no-ask-user",
            "--no-auto-update",
            "--no-color",
            "--no-custom-instructions",
            "--no-remote",
            "--output-format",
            "--plain-diff",
            "--plan",
            "--prompt",
            "--reasoning-effort",
            "--resume",
            "--screen-reader",
            "--session-id",
            "--silent",
            "--stream",
            "--trust-folder",
            "--version",
            "-C",
            "-h",
            "-i",
            "-n",
            "-p",
            "-r",
            "-s",
            "-v",
        ],
        values: &[],
        commands: &["plugin"],
    },
    Client {
        programs: &["cursor-agent"],
        packages: &[],
        options: &[
            "--help",
            "--model",
            "--output-format",
            "--print",
            "--resume",
            "--version",
            "-h",
            "-m",
            "-p",
            "-v",
        ],
        values: &[],
        commands: &[],
    },
    // `--config` and `--config-file` take the place of its settings, and `--print` approves each call.
    Client {
        programs: &["kimi", "kimi-cli"],
        packages: &[],
        options: &[
            "--add-dir",
            "--continue",
            "--debug",
            "--final-message-only",
            "--help",
            "--input-format",
            "--max-steps-per-turn",
            "--model",
            "--no-thinking",
            "--output-format",
            "--plan",
            "--prompt",
            "--resume",
            "--session",
            "--thinking",
            "--verbose",
            "--version",
            "--work-dir",
            "-C",
            "-S",
            "-V",
            "-c",
            "-h",
            "-m",
            "-p",
            "-r",
            "-w",
        ],
        values: &[],
        commands: &[],
    },
    // A recipe and an extension may start any program, and its mode is a variable. The options with one hyphen are those of
    // the program for migrations that has its name.
    Client {
        programs: &["goose"],
        packages: &[],
        options: &[
            "--debug",
            "--help",
            "--instructions",
            "--interactive",
            "--max-tool-repetitions",
            "--max-turns",
            "--model",
            "--name",
            "--output-format",
            "--provider",
            "--quiet",
            "--resume",
            "--session-id",
            "--system",
            "--text",
            "--version",
            "-V",
            "-allow-missing",
            "-dir",
            "-h",
            "-i",
            "-n",
            "-no-versioning",
            "-q",
            "-r",
            "-s",
            "-t",
            "-table",
        ],
        values: &[],
        commands: &["acp", "configure", "gateway", "mcp", "plugin", "recipe", "schedule", "serve", "web"],
    },
    // `--settings` takes the place of its settings, and `--skip-permissions-unsafe` approves each call.
    Client {
        programs: &["droid"],
        packages: &[],
        options: &[
            "--cwd",
            "--disabled-tools",
            "--enabled-tools",
            "--file",
            "--fork",
            "--help",
            "--input-format",
            "--list-tools",
            "--model",
            "--output-format",
            "--reasoning-effort",
            "--resume",
            "--session-id",
            "--use-spec",
            "--version",
            "-f",
            "-h",
            "-m",
            "-o",
            "-r",
            "-s",
            "-v",
        ],
        values: &[("--auto", &["low"])],
        commands: &["daemon", "mcp", "plugin"],
    },
    // Its hooks are in the file of the agents that it is started with.
    Client {
        programs: &["docker-agent", "cagent"],
        packages: &[],
        options: &["--help", "--version", "-h"],
        values: &[],
        commands: &["a2a", "acp", "api", "exec", "mcp", "run", "serve"],
    },
];

/// Single words with which a client starts no agent.
const HARMLESS: &[&str] = &["--help", "--version", "-V", "-h", "-v", "help", "login", "logout"];

/// Commands of the program for migrations of databases that is called `goose` too. The agent has none of these.
const MIGRATIONS: &[&str] = &[
    "create",
    "down",
    "down-to",
    "fix",
    "redo",
    "reset",
    "status",
    "up",
    "up-by-one",
    "up-to",
    "validate",
    "version",
];

/// Options by which a client is recognised under any name.
const UNMISTAKABLE: &[&str] = &[
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-bypass-hook-trust",
    "--dangerously-skip-permissions",
];

/// Most words that are looked at.
const MAX_WORDS: usize = 1024;

/// Returns how a command starts a client ungoverned; `None` if it does not. `is_told` states whether the program is
/// known to be another.
pub(super) fn is_ungoverned(
    program: Option<&str>,
    invocation: &Invocation,
    is_told: impl FnOnce() -> bool,
) -> Option<String> {
    let (first, words) = invocation.argv.split_first()?;
    let words = words.get(..MAX_WORDS).unwrap_or(words);
    let Some((name, client, words)) = started(program, first, words) else {
        let option = words.iter().filter_map(Argument::literal).find(|word| UNMISTAKABLE.contains(word))?;
        return (!is_told()).then(|| format!("`{option}` is an option of an agent client"));
    };
    if let [word] = words
        && word.literal().is_some_and(|word| HARMLESS.contains(&word))
    {
        return None;
    }
    let begins = words.first().and_then(Argument::literal);
    if name == "goose" && begins.is_some_and(|word| MIGRATIONS.contains(&word)) {
        return None;
    }
    if invocation.has_other_settings {
        return Some(format!("`{name}` would find other settings or another user"));
    }
    client.ungoverned(words).map(|how| format!("`{name}` {how}"))
}

/// The name of the client that a command starts, the client, and the words after its name.
fn started<'w>(
    program: Option<&str>,
    first: &Argument,
    words: &'w [Argument],
) -> Option<(&'static str, &'static Client, &'w [Argument])> {
    let program = program?;
    let named = |name: &str| {
        CLIENTS.iter().find_map(|client| {
            let name = client.programs.iter().find(|program| **program == name)?;
            Some((*name, client))
        })
    };
    // The installer of Claude Code names the program by its version.
    let by_version = || first.prefix().contains("/claude/versions/").then(|| named("claude"))?;
    if let Some((name, client)) = named(program).or_else(by_version) {
        return Some((name, client, words));
    }
    if let ("docker", [word, rest @ ..]) = (program, words)
        && word.literal() == Some("agent")
    {
        return named("docker-agent").map(|(name, client)| (name, client, rest));
    }
    if !runs_package(program, words) {
        return None;
    }
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.literal()?;
        let of_package = |client: &&Client| {
            client.packages.iter().any(|package| {
                let rest = word.split_once(package).map(|(_, rest)| rest);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '/']))
            })
        };
        let by_package = || {
            let client = CLIENTS.iter().find(of_package)?;
            Some((*client.programs.first()?, client))
        };
        let (name, client) = named(word).or_else(by_package)?;
        Some((name, client, words.get(at + 1..).unwrap_or_default()))
    })
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

impl Client {
    /// The first word that may leave the client ungoverned, as the end of a sentence.
    fn ungoverned(&self, words: &[Argument]) -> Option<String> {
        if let Some(command) = self.setting(words) {
            return Some(format!("with the command `{command}`"));
        }
        let mut before = "";
        for (at, word) in words.iter().enumerate() {
            let Some(text) = word.literal() else {
                // The value of an option, or a prompt, is often not known before. Elsewhere it may be an option.
                let is_value = at == 0 || before.starts_with('-') || COMMANDS.contains(&before);
                let is_option = word.prefix().starts_with('-');
                if is_option || word.prefix().is_empty() && !is_value {
                    return Some(format!("with words that are not known before (`{}…`)", word.prefix()));
                }
                before = "";
                continue;
            };
            if at == 0 && self.commands.contains(&text) {
                return Some(format!("with the command `{text}`"));
            }
            if text.starts_with('-') && text.len() > 1 && !self.is_governed(text, words.get(at + 1)) {
                return Some(format!("with `{text}`"));
            }
            before = text;
        }
        None
    }

    /// The command among the words that changes settings.
    fn setting(&self, words: &[Argument]) -> Option<&'static str> {
        let lines =
            SETTING.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
        let own = lines.filter(|(program, _)| self.programs.contains(program)).map(|(_, command)| command);
        let operands = || words.iter().filter_map(Argument::literal).filter(|word| !word.starts_with('-'));
        own.into_iter().find(|command| {
            let mut given = operands();
            command.split(' ').all(|word| given.next() == Some(word))
        })
    }

    /// Whether the client stays governed with an option.
    fn is_governed(&self, text: &str, next: Option<&Argument>) -> bool {
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if text == "--" || self.options.contains(&name) {
            return true;
        }
        let attached_to = |option: &str| {
            let is_short = option.len() == 2;
            text.strip_prefix(option).filter(|value| is_short && !value.is_empty())
        };
        self.values.iter().any(|(option, values)| {
            let is_one = |value: &str| {
                let plain: String = value.chars().filter(|c| !c.is_whitespace()).collect();
                values.iter().any(|one| plain == *one || one.ends_with('=') && plain.starts_with(one))
            };
            match attached_to(option) {
                Some(value) => is_one(value.strip_prefix('=').unwrap_or(value)),
                None if name == *option => match attached {
                    Some(value) => is_one(value),
                    None => next.and_then(Argument::literal).is_some_and(is_one),
                },
                None => false,
            }
        })
    }
}

/// Commands of clients that take a prompt.
const COMMANDS: &[&str] = &["e", "exec", "resume", "review"];
