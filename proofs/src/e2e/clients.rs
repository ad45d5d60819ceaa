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
    /// What it is started with in any case.
    with: With,
    /// And where a person trusted the folder: only then the settings of a project are read.
    trusted: With,
    /// And where nobody did, and it is to run all the same.
    untrusted: With,
}

/// What a client is started with. `{url}` is the server's, `{work}` is the project.
#[derive(Debug)]
struct With {
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// Files in its home.
    home: &'static [(&'static str, &'static str)],
}

/// Whether somebody trusted the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// A person did.
    Given,
    /// Nobody did.
    None,
}

const NOTHING: With = With { arguments: &[], variables: &[], home: &[] };

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
        with: With {
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
        trusted: NOTHING,
        untrusted: NOTHING,
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
                // Newer ones write programs that call tools.
                "gpt-5.5",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                // Nobody is there to trust its hooks.
                "--dangerously-bypass-hook-trust",
                "-c",
                "model_provider=scripted",
                "-c",
                "model_providers.scripted={name=\"scripted\",base_url=\"{url}/v1\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}",
                PROMPT,
            ],
            variables: &[("OPENAI_API_KEY", NO_KEY)],
            home: &[],
        },
        trusted: With {
            home: &[(".codex/config.toml", "[projects.\"{work}\"]\ntrust_level = \"trusted\"\n")],
            ..NOTHING
        },
        untrusted: NOTHING,
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
            // With a model named, none is asked which to use.
            arguments: &["--model", "gemini-2.5-pro", "--prompt", PROMPT, "--yolo"],
            variables: &[("GEMINI_API_KEY", NO_KEY), ("GOOGLE_GEMINI_BASE_URL", "{url}")],
            home: &[(
                ".gemini/settings.json",
                "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"privacy\": {\"usageStatisticsEnabled\": false}}",
            )],
        },
        trusted: With { variables: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")], ..NOTHING },
        // Lets tools run, and reads no settings of the project.
        untrusted: With { arguments: &["--skip-trust"], ..NOTHING },
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
            arguments: &["-p", PROMPT, "--allow-all-tools", "--allow-all-paths"],
            variables: &[
                ("COPILOT_PROVIDER_TYPE", "openai"),
                ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
                ("COPILOT_PROVIDER_API_KEY", NO_KEY),
                ("COPILOT_MODEL", "gpt-5"),
                ("COPILOT_OFFLINE", "true"),
            ],
            home: &[],
        },
        trusted: With { arguments: &["--trust-folder"], ..NOTHING },
        untrusted: NOTHING,
    },
];

/// What the user says. The model does not listen.
const PROMPT: &str = "go on";

/// A key that opens nothing.
const NO_KEY: &str = "none";

impl Runnable {
    /// Its arguments against a server.
    pub(super) fn arguments(&self, url: &str, trust: Trust) -> Vec<String> {
        let arguments = self.with(trust).into_iter().flat_map(|with| with.arguments);
        arguments.map(|argument| argument.replace("{url}", url)).collect()
    }

    /// Its environment against a server.
    pub(super) fn variables(&self, url: &str, trust: Trust) -> Vec<(&'static str, String)> {
        let variables = self.with(trust).into_iter().flat_map(|with| with.variables);
        variables.map(|(name, value)| (*name, value.replace("{url}", url))).collect()
    }

    /// The files that its home begins with.
    pub(super) fn home(&self, trust: Trust) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        self.with(trust).into_iter().flat_map(|with| with.home)
    }

    const fn with(&self, trust: Trust) -> [&With; 2] {
        match trust {
            Trust::Given => [&self.with, &self.trusted],
            Trust::None => [&self.with, &self.untrusted],
        }
    }
}
