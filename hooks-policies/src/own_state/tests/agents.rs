//! Agents that an agent starts.

use super::*;

#[test]
fn an_agent_starts_no_agent_that_is_not_governed() {
    for command in [
        "claude --dangerously-skip-permissions -p 'go on'",
        "claude -p go --permission-mode=bypassPermissions",
        "claude -p go --permission-mode bypassPermissions",
        "claude --settings /tmp/none.json -p go",
        "/usr/local/bin/claude --bare -p go",
        "codex exec --dangerously-bypass-approvals-and-sandbox go",
        "codex exec -c features.hooks=false go",
        "codex exec -s danger-full-access go",
        "gemini --yolo -p go",
        "gemini -y go",
        "gemini --approval-mode yolo",
        "copilot -p go --allow-all-tools",
        "npx -y @openai/codex@latest exec --yolo go",
        "npx @anthropic-ai/claude-code --dangerously-skip-permissions",
        "HOME=/tmp/other claude -p go",
        "export CODEX_HOME=/tmp/other; codex exec go",
        "env CLAUDE_CONFIG_DIR=/tmp/other claude -p go",
        "HOOKS_CONFIG=/tmp/x.yaml claude -p go",
        "XDG_STATE_HOME=/tmp/x codex exec go",
        "codex exec -c 'features.hooks = false' go",
        "codex exec -c features={hooks=false} go",
        "codex -c 'sandbox_mode=\"danger-full-access\"' go",
        "gemini -dy -p go",
        "gemini --skipTrust -p go",
        "gemini --approvalMode yolo",
        "npx --package=@anthropic-ai/claude-code -- claude --dangerously-skip-permissions",
        "node /opt/lib/node_modules/@anthropic-ai/claude-code/cli.js --bare",
        "cursor-agent -f 'go on'",
        "kimi --config-file /tmp/none.toml -p go",
        "kimi --yolo -p go",
        "kimi-cli --print -p go",
        "KIMI_SHARE_DIR=/tmp/x kimi -p go",
        "goose run --recipe x.yaml",
        "goose run -t go --with-extension 'node x.js'",
        "goose configure",
        "GOOSE_PATH_ROOT=/tmp/z goose run -t go",
        "GOOSE_MODE=auto goose run -t go",
        "HOME=/tmp/z goose run -t go",
        "PLUGINS='{}' goose run -t go",
        "droid --settings /tmp/none.json",
        "droid exec --settings=/tmp/none.json go",
        "droid exec --skip-permissions-unsafe go",
        "droid exec --auto high go",
        "FACTORY_HOME_OVERRIDE=/tmp/z droid exec go",
        "HOME=/tmp/z droid exec go",
        "npx claude --bare",
        "claude --permission-mode \"$MODE\" -p go",
        "claude -p go --no-session-persistence",
        "codex exec --ephemeral go",
        "F=--dangerously-skip-permissions; claude $F -p go",
    ] {
        // A wrapper takes an assignment for a program.
        let is_set = command.starts_with(|c: char| c.is_ascii_uppercase()) || command.starts_with("export");
        let forms = if is_set { vec![command.to_owned()] } else { forms(command) };
        for form in forms {
            let decided = IN_THE_TEAM.policy().judge(&call("bash", json!({"command": form})));
            assert_eq!(decided.strength(), Strength::Deny, "{form}");
        }
    }
}

#[test]
fn an_agent_starts_no_agent_for_another_user_or_with_other_settings() {
    for command in [
        "tmux new-session -d claude --bare",
        "tmux new -d 'claude --bare -p go'",
        "screen -dm claude --bare",
        "echo --bare | xargs claude -p go",
        "xargs claude -p go < flags",
        "sudo -u other claude -p go",
        "su other -c 'claude -p go'",
        "runuser -u other -- claude -p x",
        "env -i claude -p go",
        "env -i PATH=$PATH claude -p go",
        "env -u HOME claude -p go",
        "env -i goose run -t go",
        "env -i droid exec go",
        "unset HOME; claude -p go",
        "for HOME in /tmp/x; do claude -p go; done",
        "printf -v HOME /tmp/x; claude -p go",
        "read HOME <<< /tmp/x; claude -p x",
        "declare HOME=/tmp/x; claude -p go",
        "HOME=/tmp/x :; claude -p go",
        "(HOME=/tmp/x; claude -p go)",
        "~/.local/share/claude/versions/2.1.330 --bare",
        "ln -s $(which claude) c; ./c --dangerously-skip-permissions -p go",
        "codex exec --profile free go",
        "codex exec --ignore-user-config go",
        "codex features disable hooks",
        "COPILOT_ALLOW_ALL=1 copilot -p go",
        "GEMINI_CLI_TRUST_WORKSPACE=true gemini -p x",
        "docker-agent run --yolo a.yaml",
        "docker agent run a.yaml",
        "copilot --config-dir /tmp/x -p go",
        "claude --safe-mode -p go",
        "claude --agents '{}' -p go",
        "claude --b",
        "gemini -e none -p go",
        "claude -p go $(cat flags)",
        "claude -p go --permission-mode=\"$X\"",
        "claude plugin disable x",
        "npm exec -- claude --bare",
        "git -c alias.x='!claude --bare' x",
    ] {
        let decided = IN_THE_TEAM.policy().judge(&call("bash", json!({"command": command})));
        assert_eq!(decided.strength(), Strength::Deny, "{command}");
    }
}

#[test]
fn an_agent_may_start_one_that_is() {
    for command in [
        "HOME=/tmp/x npm ci; claude -p go",
        "(HOME=/tmp/x; npm ci); claude -p x",
        "env HOME=/tmp npm ci && claude -p x",
        "CODEX_HOME=/tmp/x codex login",
        "CODEX_HOME=/tmp/x codex --version",
        "sudo npm i -g @openai/codex",
        "claude -p \"$(cat prompt.md)\" --model opus",
        "codex exec \"$PROMPT\"",
        "kimi -p go --plan --model k2",
        "goose run -t go --max-turns 5",
        "goose session -n work",
        "droid exec --auto low go",
        "droid exec \"$PROMPT\"",
        "goose -dir migrations up",
        "GOOSE_DRIVER=postgres GOOSE_MIGRATION_DIR=db goose up",
        "claude mcp list",
        "tmux ls",
        "claude -p 'explain --dangerously-skip-permissions'",
        "claude --version",
        "codex exec --sandbox read-only go",
        "gemini -p go",
        "copilot -p go",
        "npx -y @openai/codex exec go",
        "npm install -g @google/gemini-cli",
        "npm install -g @google/gemini-cli -y",
        "codex -c model=o4 exec go",
        "HOME=/tmp/other npm test",
        "gemini --approval-mode auto_edit",
        "grep -rn yolo docs",
        "make claude",
    ] {
        let decided = IN_THE_TEAM.policy().judge(&call("bash", json!({"command": command})));
        assert_eq!(decided.strength(), Strength::NoOpinion, "{command}: {decided:?}");
    }
}
