//! Comparison of a call with the tools that a ceremony closes.

use hooks_facts::calls::{Call, NamedPath};
use hooks_facts::commands::{Analysis, Argument, Invocation};
use hooks_facts::tools::ToolKind;

use super::config::Closed;
use crate::routing::is_route_tool;

/// Git commands that only read.
const GIT_READS: &str = include_str!("../../data/git_reads.txt");

/// Options of git itself that take the next word.
const GIT_VALUES: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// Returns whether a call is one of the closed tools.
pub(super) fn is_one_of(call: Call<'_>, closed: Closed) -> bool {
    let runs = || {
        call.kind().runs_commands() || (call.kind() == ToolKind::Unknown && !call.commands().found.is_empty())
    };
    match closed {
        Closed::Writes => call.writes_files(),
        Closed::WritingCommands => runs() && may_write(call),
        Closed::Commands => runs(),
        Closed::Spawns => call.kind() == ToolKind::SpawnAgent,
        Closed::Routes => is_route_tool(&call.request().event().tool_name),
    }
}

/// Returns whether a command of the call writes a file, or may: its effect is not known.
fn may_write(call: Call<'_>) -> bool {
    let commands = call.commands();
    let of_commands;
    let places = match call.kind().runs_commands() {
        true => call.places(),
        false => {
            of_commands = call.places_of_commands();
            &of_commands
        }
    };
    let mut written = places.found.iter().chain(&places.partial);
    if !commands.unusable.is_empty() || !places.unknown.is_empty() || written.any(NamedPath::is_written) {
        return true;
    }
    commands.found.iter().any(|command| {
        let analysis = &command.analysis;
        let only_read = || analysis.invocations.iter().all(|invocation| only_reads(analysis, invocation));
        !analysis.unresolved.is_empty() || !only_read()
    })
}

/// Returns whether a program is known to change no file beside those that the facts report.
fn only_reads(analysis: &Analysis, invocation: &Invocation) -> bool {
    if !analysis.is_told(invocation) {
        return false;
    }
    let is_git = analysis.program_name(invocation).as_deref() == Some("git");
    !is_git || git_reads(invocation.argv.get(1..).unwrap_or_default())
}

/// Returns whether the words after `git` are a command that only reads.
fn git_reads(words: &[Argument]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { return false };
        if GIT_VALUES.contains(&text) {
            words.next();
        } else if !text.starts_with('-') {
            return GIT_READS.lines().any(|line| line == text);
        }
    }
    // `git` and `git --version` print a text.
    true
}

#[cfg(test)]
mod tests {
    use hooks_facts::calls::CallReader;
    use serde_json::json;

    use super::*;
    use crate::testing::call;

    #[test]
    fn the_list_of_git_commands_is_in_order() {
        let lines: Vec<_> = GIT_READS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.is_sorted_by(|one, other| one < other), "{lines:?}");
        for changes in [
            "add", "branch", "checkout", "commit", "config", "fetch", "push", "reflog", "remote", "stash",
            "tag",
        ] {
            assert!(!lines.contains(&changes), "{changes} may change something");
        }
    }

    #[test]
    fn commands_that_write_are_told_from_those_that_read() {
        let reader = CallReader::default();
        for (command, wanted) in [
            ("cat README.md | grep x", false),
            ("ls -la && git log --oneline", false),
            ("git -C sub status", false),
            ("git diff > /dev/null", false),
            ("cd src; rg word", false),
            ("echo x > notes", true),
            ("sed -i s/a/b/ x", true),
            ("rm x", true),
            ("git commit -am x", true),
            ("git checkout main", true),
            ("git $COMMAND", true),
            ("make", true),
            ("./run.sh", true),
            ("python3 -c 'print(1)'", true),
            ("$X", true),
            ("echo 'open", true),
        ] {
            let request = call("a", "bash", json!({ "command": command }));
            assert_eq!(is_one_of(reader.read(&request), Closed::WritingCommands), wanted, "{command}");
        }
    }
}
