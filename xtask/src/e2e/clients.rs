//! The clients: which version, and how to start one headless against a server of ours.

use hooks_protocols::Client;

use super::server::Speech;

/// A client that can be run without an account.
#[derive(Debug)]
pub(super) struct Runnable {
    /// Which.
    pub(super) client: Client,
    /// Its package.
    pub(super) package: &'static str,
    /// Its version: what is proven is proven of this one.
    pub(super) version: &'static str,
    /// The program in the package.
    pub(super) program: &'static str,
    /// What it speaks with its model.
    pub(super) speech: Speech,
    /// The event before a tool, in its words.
    pub(super) before_tool: &'static str,
    /// The event after a tool.
    pub(super) after_tool: &'static str,
    /// The event of a prompt.
    pub(super) prompt: &'static str,
    /// Its settings in a project.
    pub(super) settings: &'static str,
    /// Its arguments, where `{url}` is the server's.
    arguments: &'static [&'static str],
    /// Its environment, where `{url}` is the server's.
    variables: &'static [(&'static str, &'static str)],
    /// Files in its home, where `{work}` is the project.
    home: &'static [(&'static str, &'static str)],
}

/// All of them. The oldest that is known to work is not looked for: people update.
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
        arguments: &["-p", PROMPT, "--dangerously-skip-permissions"],
        variables: &[
            ("ANTHROPIC_BASE_URL", "{url}"),
            ("ANTHROPIC_API_KEY", NO_KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // Lets root skip permissions; this is one.
            ("IS_SANDBOX", "1"),
        ],
        home: &[],
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
        arguments: &[
            "exec",
            "--model",
            // Newer ones write programs that call tools.
            "gpt-5.5",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            // Nobody is there to trust them.
            "--dangerously-bypass-hook-trust",
            "-c",
            "model_provider=scripted",
            "-c",
            "model_providers.scripted={name=\"scripted\",base_url=\"{url}/v1\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}",
            PROMPT,
        ],
        variables: &[("OPENAI_API_KEY", NO_KEY)],
        // Else the settings of the project are not read.
        home: &[(".codex/config.toml", "[projects.\"{work}\"]\ntrust_level = \"trusted\"\n")],
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
        // With a model named, none is asked which to use.
        arguments: &["--model", "gemini-2.5-pro", "--prompt", PROMPT, "--yolo"],
        variables: &[
            ("GEMINI_API_KEY", NO_KEY),
            ("GOOGLE_GEMINI_BASE_URL", "{url}"),
            // `--skip-trust` lets the tools of a project run, and not its hooks.
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
        home: &[(
            ".gemini/settings.json",
            "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"privacy\": {\"usageStatisticsEnabled\": false}}",
        )],
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
        arguments: &["-p", PROMPT, "--allow-all-tools", "--allow-all-paths", "--trust-folder"],
        variables: &[
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", NO_KEY),
            ("COPILOT_MODEL", "gpt-5"),
            ("COPILOT_OFFLINE", "true"),
        ],
        home: &[],
    },
];

/// What the user says. The model does not listen.
const PROMPT: &str = "go on";

/// A key that opens nothing.
const NO_KEY: &str = "none";

impl Runnable {
    /// Its arguments against a server.
    pub(super) fn arguments(&self, url: &str) -> Vec<String> {
        self.arguments.iter().map(|argument| argument.replace("{url}", url)).collect()
    }

    /// Its environment against a server.
    pub(super) fn variables(&self, url: &str) -> Vec<(&'static str, String)> {
        self.variables.iter().map(|(name, value)| (*name, value.replace("{url}", url))).collect()
    }

    /// The files that its home begins with.
    pub(super) const fn home(&self) -> &'static [(&'static str, &'static str)] {
        self.home
    }
}
