//! The clients: their versions, and how to start each one headless against a scripted server.

use hooks_protocols::Client;

use super::server::Speech;

/// A client that can run without an account.
#[derive(Debug)]
pub(super) struct Runnable {
    /// Identity of the client.
    pub(super) client: Client,
    /// Name of the npm package.
    pub(super) package: &'static str,
    /// Version of the package, to which the proofs apply.
    pub(super) version: &'static str,
    /// Name of the program in the package.
    pub(super) program: &'static str,
    /// Protocol between the client and its model.
    pub(super) speech: Speech,
    /// The client's name of the event before a tool.
    pub(super) before_tool: &'static str,
    /// The client's name of the event after a tool.
    pub(super) after_tool: &'static str,
    /// The client's name of the event of a prompt.
    pub(super) prompt: &'static str,
    /// Path of its settings in a project.
    pub(super) settings: &'static str,
    /// Arguments, variables and files for every run.
    with: With,
    /// Arguments with which no call needs an approval.
    free: &'static [&'static str],
    /// Further ones for a trusted folder: only then does the client read the settings of a project.
    trusted: With,
    /// Further ones to run in a folder that is not trusted.
    untrusted: With,
    /// Further ones with which the client itself denies `touch`, in the way its user would write it.
    listed: With,
    /// Further ones for a client that allows `touch` and `sh wrap`, denies `mkdir`, asks about `cp` if it can, and
    /// knows no other command.
    lists: With,
}

/// Arguments, variables and files of a run. `{url}` stands for the server, `{work}` for the project.
#[derive(Debug)]
struct With {
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// Files in the home of the client.
    home: &'static [(&'static str, &'static str)],
}

/// Whether the user trusts the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The user trusts the folder.
    Given,
    /// The user does not trust the folder.
    None,
    /// The user trusts the folder, and has the client deny `touch`.
    Listed,
    /// The user trusts the folder, and has lists of what the client allows, asks about and denies.
    Lists,
}

const NOTHING: With = With { arguments: &[], variables: &[], home: &[] };

/// All clients. The oldest working version is not searched for, because users update their clients.
pub(super) const CLIENTS: &[Runnable] = &[
    Runnable {
        client: Client::Claude,
        package: "@anthropic-ai/claude-code",
        version: "2.1.330",
        program: "claude",
        speech: Speech::AnthropicMessages,
        before_tool: "PreToolUse",
        after_tool: "PostToolUse",
        prompt: "UserPromptSubmit",
        settings: ".claude/settings.json",
        with: With {
            arguments: &["-p", PROMPT],
            variables: &[
                ("ANTHROPIC_BASE_URL", "{url}"),
                ("ANTHROPIC_API_KEY", NO_KEY),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                // Allows root to skip permissions; this is a sandbox.
                ("IS_SANDBOX", "1"),
            ],
            home: &[],
        },
        free: &["--dangerously-skip-permissions"],
        trusted: NOTHING,
        untrusted: NOTHING,
        listed: With { arguments: &["--disallowedTools", "Bash(touch:*)"], ..NOTHING },
        lists: With {
            home: &[(
                ".claude/settings.json",
                r#"{"permissions": {"allow": ["Bash(touch:*)", "Bash(sh wrap:*)"], "ask": ["Bash(cp:*)"], "deny": ["Bash(mkdir:*)"]}}"#,
            )],
            ..NOTHING
        },
    },
    Runnable {
        client: Client::Codex,
        package: "@openai/codex",
        version: "0.169.0",
        program: "codex",
        speech: Speech::OpenAiResponses,
        before_tool: "PreToolUse",
        after_tool: "PostToolUse",
        prompt: "UserPromptSubmit",
        settings: ".codex/hooks.json",
        with: With {
            arguments: &[
                "exec",
                "--model",
                // Newer models write programs that call tools.
                "gpt-5.5",
                "--skip-git-repo-check",
                // There is no user who could trust the hooks.
                BYPASS,
                "-c",
                "model_provider=scripted",
                "-c",
                "model_providers.scripted={name=\"scripted\",base_url=\"{url}/v1\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}",
                PROMPT,
            ],
            variables: &[("OPENAI_API_KEY", NO_KEY)],
            home: &[],
        },
        free: &["--dangerously-bypass-approvals-and-sandbox"],
        trusted: With {
            home: &[(".codex/config.toml", "[projects.\"{work}\"]\ntrust_level = \"trusted\"\n")],
            ..NOTHING
        },
        untrusted: NOTHING,
        listed: With {
            home: &[(
                ".codex/rules/default.rules",
                "prefix_rule(pattern=[\"touch\"], decision=\"forbidden\")\n",
            )],
            ..NOTHING
        },
        lists: With {
            // Outside of this sandbox run only the calls that it allows.
            arguments: &["--sandbox", "read-only"],
            home: &[(
                ".codex/rules/default.rules",
                "prefix_rule(pattern=[\"touch\"], decision=\"allow\")
prefix_rule(pattern=[\"sh\", \"wrap\"], decision=\"allow\")
prefix_rule(pattern=[\"cp\"], decision=\"prompt\")
prefix_rule(pattern=[\"mkdir\"], decision=\"forbidden\")
",
            )],
            ..NOTHING
        },
    },
    Runnable {
        client: Client::Gemini,
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        speech: Speech::GeminiGenerate,
        before_tool: "BeforeTool",
        after_tool: "AfterTool",
        prompt: "BeforeAgent",
        settings: ".gemini/settings.json",
        with: With {
            // With a named model, the client does not ask which one to use.
            arguments: &["--model", "gemini-2.5-pro", "--prompt", PROMPT],
            variables: &[("GEMINI_API_KEY", NO_KEY), ("GOOGLE_GEMINI_BASE_URL", "{url}")],
            home: &[(
                ".gemini/settings.json",
                "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"privacy\": {\"usageStatisticsEnabled\": false}}",
            )],
        },
        free: &["--yolo"],
        trusted: With { variables: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")], ..NOTHING },
        // Allows tools to run, and reads no settings of the project.
        untrusted: With { arguments: &["--skip-trust"], ..NOTHING },
        listed: With {
            home: &[(
                ".gemini/policies/user.toml",
                "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\ndecision = \"deny\"\npriority = 999\n",
            )],
            ..NOTHING
        },
        lists: With {
            home: &[(
                ".gemini/policies/user.toml",
                r#"rule = [
    { toolName = "run_shell_command", commandPrefix = ["touch", "sh wrap"], decision = "allow", priority = 900 },
    { toolName = "run_shell_command", commandPrefix = "cp", decision = "ask_user", priority = 900 },
    { toolName = "run_shell_command", commandPrefix = "mkdir", decision = "deny", priority = 900 },
]
"#,
            )],
            ..NOTHING
        },
    },
    Runnable {
        client: Client::Copilot,
        package: "@github/copilot",
        version: "1.0.102",
        program: "copilot",
        speech: Speech::OpenAiChat,
        before_tool: "preToolUse",
        after_tool: "postToolUse",
        prompt: "userPromptSubmitted",
        settings: ".github/hooks/hooks.json",
        with: With {
            arguments: &["-p", PROMPT, "--allow-all-paths"],
            variables: &[
                ("COPILOT_PROVIDER_TYPE", "openai"),
                ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
                ("COPILOT_PROVIDER_API_KEY", NO_KEY),
                ("COPILOT_MODEL", "gpt-5"),
                ("COPILOT_OFFLINE", "true"),
            ],
            home: &[],
        },
        free: &["--allow-all-tools"],
        trusted: With { arguments: &["--trust-folder"], ..NOTHING },
        untrusted: NOTHING,
        listed: With { arguments: &["--deny-tool", "shell(touch)"], ..NOTHING },
        // It has no list of commands to ask about.
        lists: With {
            arguments: &[
                "--allow-tool",
                "shell(touch)",
                "--allow-tool",
                "shell(sh)",
                "--deny-tool",
                "shell(mkdir)",
            ],
            ..NOTHING
        },
    },
    Runnable {
        client: Client::OpenCode,
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode",
        speech: Speech::OpenCodeChat,
        before_tool: "tool.execute.before",
        after_tool: "tool.execute.after",
        prompt: "chat.message",
        settings: ".opencode/plugin/hooks.js",
        with: With {
            // With a title, the model is not asked for one.
            arguments: &["run", PROMPT, "--title", "session"],
            variables: &[
                (
                    "OPENCODE_CONFIG_CONTENT",
                    r#"{"model": "scripted/m", "small_model": "scripted/m", "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible",
"name": "scripted", "options": {"baseURL": "{url}/v1", "apiKey": "none"}, "models": {"m": {"name": "m", "tool_call": true,
"limit": {"context": 200000, "output": 8000}}}}}}"#,
                ),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ],
            // Where it finds plugins, it waits until npm has tried to install its types.
            home: &[(".npmrc", "offline=true\n")],
        },
        free: &["--auto"],
        trusted: NOTHING,
        untrusted: NOTHING,
        listed: With {
            home: &[(
                ".config/opencode/opencode.json",
                r#"{"permission": {"bash": {"*": "allow", "touch *": "deny"}}}"#,
            )],
            ..NOTHING
        },
        // It ends a headless run at a question.
        lists: With {
            home: &[(
                ".config/opencode/opencode.json",
                r#"{"permission": {"bash": {"*": "deny", "touch *": "allow", "sh wrap *": "allow"}}}"#,
            )],
            ..NOTHING
        },
    },
    Runnable {
        client: Client::Qwen,
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: "qwen",
        speech: Speech::QwenChat,
        before_tool: "PreToolUse",
        after_tool: "PostToolUse",
        prompt: "UserPromptSubmit",
        settings: ".qwen/settings.json",
        with: With {
            arguments: &["--prompt", PROMPT],
            variables: &[
                ("OPENAI_API_KEY", NO_KEY),
                ("OPENAI_BASE_URL", "{url}/v1"),
                ("OPENAI_MODEL", "scripted"),
            ],
            home: &[(".qwen/settings.json", "{\"privacy\": {\"usageStatisticsEnabled\": false}}")],
        },
        free: &["--yolo"],
        trusted: NOTHING,
        // It asks for trust only with `security.folderTrust`, and then runs no commands without it.
        untrusted: NOTHING,
        listed: With {
            home: &[(".qwen/settings.json", r#"{"permissions": {"deny": ["Bash(touch *)"]}}"#)],
            ..NOTHING
        },
        // Headless it has only tools that a list allows by their own names; `touch` needs the tools for files too.
        lists: With {
            home: &[(
                ".qwen/settings.json",
                r#"{"permissions": {"allow": ["run_shell_command(touch *)", "Bash(touch *)", "edit", "write_file"], "ask": ["Bash(cp *)"], "deny": ["Bash(mkdir *)"]}}"#,
            )],
            ..NOTHING
        },
    },
];

/// The prompt of the user, which the scripted model ignores.
pub(super) const PROMPT: &str = "go on";

/// Option with which Codex CLI runs untrusted hooks.
const BYPASS: &str = "--dangerously-bypass-hook-trust";

/// An invalid API key.
const NO_KEY: &str = "none";

impl Runnable {
    /// The arguments of the client for a server.
    pub(super) fn arguments(&self, url: &str, trust: Trust) -> Vec<String> {
        let free = if trust == Trust::Lists { &[] } else { self.free };
        let arguments = self.with(trust).into_iter().flat_map(|with| with.arguments).chain(free);
        arguments.map(|argument| argument.replace("{url}", url)).collect()
    }

    /// Further arguments with which it accepts edits of files without an approval, if that is a mode of its own.
    pub(super) const fn accepting_edits(&self) -> &'static [&'static str] {
        match self.client {
            Client::Claude => &["--permission-mode", "acceptEdits"],
            Client::Gemini => &["--approval-mode", "auto_edit"],
            _ => &[],
        }
    }

    /// The same arguments, without the option to run untrusted hooks.
    pub(super) fn arguments_without_bypass(&self, url: &str, trust: Trust) -> Vec<String> {
        self.arguments(url, trust).into_iter().filter(|argument| argument != BYPASS).collect()
    }

    /// The environment of the client for a server.
    pub(super) fn variables(&self, url: &str, trust: Trust) -> Vec<(&'static str, String)> {
        let variables = self.with(trust).into_iter().flat_map(|with| with.variables);
        variables.map(|(name, value)| (*name, value.replace("{url}", url))).collect()
    }

    /// The files in the client's home at the start.
    pub(super) fn home(&self, trust: Trust) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        self.with(trust).into_iter().flat_map(|with| with.home)
    }

    const fn with(&self, trust: Trust) -> [&With; 3] {
        match trust {
            Trust::Given => [&self.with, &self.trusted, &NOTHING],
            Trust::None => [&self.with, &self.untrusted, &NOTHING],
            Trust::Listed => [&self.with, &self.trusted, &self.listed],
            Trust::Lists => [&self.with, &self.trusted, &self.lists],
        }
    }
}
