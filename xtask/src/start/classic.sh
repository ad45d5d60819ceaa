#!/usr/bin/env bash
# The hook that people write: which tool, which command, one pattern.
set -euo pipefail
input=$(cat)
if [ "$(jq -r .tool_name <<<"$input")" = Bash ]; then
  command=$(jq -r '.tool_input.command // empty' <<<"$input")
  if grep -Eq '(^|[;&| ])(rm -rf|sudo|git push --force|git reset --hard|git rebase)' <<<"$command"; then
    jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "blocked"}}'
  fi
fi
