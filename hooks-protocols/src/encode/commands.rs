//! Rewrites of shell commands, and the lists of the client: see `docs/decisions/0020-a-rewrite-keeps-the-lists.md`.

use hooks_facts::commands::{Analysis, Invocation, Options};
use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use crate::answer::Rewrite;
use crate::client::Client;
use crate::decode::Decoded;

/// End of the line that runs in place of the commands below it.
const INSTEAD: &str = "&& exit || exit";

/// The changed command of a rewrite after which the client's lists would not judge the original command;
/// `None` if they judge it as well, or the client has no lists of its own.
pub(super) fn hidden<'a>(decoded: Option<&Decoded>, rewrite: Option<&'a Rewrite>) -> Option<&'a str> {
    let (decoded, Rewrite::Arguments(after)) = (decoded?, rewrite?) else { return None };
    if !judges_changed_text(decoded.client) {
        return None;
    }
    let (tool, before) = decoded.call()?;
    let options = match ToolTable::default().kind(tool) {
        ToolKind::Shell => Options::default(),
        ToolKind::WindowsShell => Options { ignores_case: true, windows: true },
        _ => return None,
    };
    let key = command_key(decoded, tool, before);
    let (before, changed) = (text(before, &key), text(after, &key));
    // A command that is no text is not a command that lists could judge.
    let changed = changed?;
    match before {
        Some(before) if shows(before, changed, options) => None,
        _ => Some(changed),
    }
}

/// Whether the client applies its own allow, deny and ask lists, and only to the changed command.
pub(super) const fn judges_changed_text(client: Client) -> bool {
    match client {
        Client::Claude
        | Client::Codex
        | Client::Gemini
        | Client::Copilot
        | Client::VsCode
        | Client::Cursor => true,
        Client::CopilotSdk | Client::DockerAgent | Client::DockerAgentJuly | Client::Squad => false,
    }
}

/// Key of the command in the client's arguments.
fn command_key(decoded: &Decoded, tool: &str, arguments: &Value) -> String {
    let canonical = decoded.client.dialect(&decoded.event_name).to_canonical(tool, arguments.clone());
    let command = canonical.arguments.get("command").and_then(Value::as_str);
    let fields = arguments.as_object().into_iter().flatten();
    let found =
        fields.filter(|(_, value)| command.is_some() && value.as_str() == command).map(|(key, _)| key);
    found.min_by_key(|key| *key != "command").cloned().unwrap_or_else(|| "command".to_owned())
}

fn text<'v>(arguments: &'v Value, key: &str) -> Option<&'v str> {
    arguments.get(key)?.as_str()
}

/// Whether lists that judge `after` judge `before` as well: it is there unchanged, or each of its programs is,
/// with its words in their places.
fn shows(before: &str, after: &str, options: Options) -> bool {
    if before == after || carries(before, after) {
        return true;
    }
    let (before, after) = (Analysis::of_text(before, &options), Analysis::of_text(after, &options));
    let is_known = before.unresolved.is_empty() && after.unresolved.is_empty();
    is_known
        && !before.invocations.is_empty()
        && before.invocations.len() == after.invocations.len()
        && before.invocations.iter().zip(&after.invocations).all(|(before, after)| in_place(before, after))
}

/// Whether the text is one line that never goes on, and the original below it.
fn carries(before: &str, after: &str) -> bool {
    let line = after.strip_suffix(before).and_then(|above| above.strip_suffix('\n'));
    line.is_some_and(|line| line.ends_with(INSTEAD) && !line.contains('\n'))
}

/// Whether a program has the same name, and each of its words its place. Words may follow them, or else be
/// replaced by words that the program did not have.
fn in_place(before: &Invocation, after: &Invocation) -> bool {
    let (Some((program, before)), Some((same, after))) =
        (before.argv.split_first(), after.argv.split_first())
    else {
        return false;
    };
    let is_same_program = program.literal().is_some() && program == same;
    is_same_program
        && if before.len() == after.len() {
            before.iter().zip(after).all(|(word, other)| word == other || !before.contains(other))
        } else {
            after.starts_with(before)
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_lists_still_judge() {
        for (before, after) in [
            ("mk no 1", "mk no 1"),
            ("curl -H 'token: abc' example.org", "curl -H 'token: [REDACTED]' example.org"),
            ("make test", "make test --silent"),
            ("cd a && make x | tail -5", "cd a && make y | tail -9"),
            ("mk no 1", "/opt/hooks exec --call 7 && exit || exit\nmk no 1"),
            ("cat <<E\n$x\nE", "w && exit || exit\ncat <<E\n$x\nE"),
        ] {
            assert!(shows(before, after, Options::default()), "{before} -> {after}");
        }
    }

    #[test]
    fn what_they_would_not_see() {
        for (before, after) in [
            ("mk no 1", "hooks exec --call 7 -- 'mk no 1'"),
            ("mk no 1", "sh -c 'mk no 1'"),
            ("mk no 1", "timeout 5 mk no 1"),
            ("mk no 1", "/usr/bin/mk no 1"),
            ("git push --force", "git -C . push --force"),
            ("git push --force", "git --force push"),
            ("mk no 1", "true; mk no 1"),
            ("mk no 1", "$(echo mk) no 1"),
            ("mk no 1", "w && exit || exit\nmk no 1 2"),
            ("mk no 1", "a\nb && exit || exit\nmk no 1"),
            ("mk no 1", "if false; then mk no 1; fi; w"),
            ("mk no 1", "mk"),
            ("", "mk no 1"),
            ("mk no 1", "("),
        ] {
            assert!(!shows(before, after, Options::default()), "{before} -> {after}");
        }
    }
}
