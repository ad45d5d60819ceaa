//! Questions of one line about a call, for policies that a host writes.

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, PolicyErrors};

use super::call::Call;
use super::command_patterns::{CommandMatch, command_patterns};
use super::path_patterns::PathPatterns;
use super::reader::CallReader;

/// Questions about the call of a request. The answer does not depend on the tool, on the name of its argument, or on the way in
/// which a path or a command is written.
///
/// A part that cannot be known before the call runs counts as a yes, and so does a pattern that cannot be used: a rule that denies
/// does not let it through. So use them to deny or to ask, and never to allow. What a script or another program reads by itself
/// is not known, and counts as no. Each question compiles its pattern. A policy that many calls pass may keep compiled
/// [`PathPatterns`], and one with custom tools or another root its own [`CallReader`].
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
/// use hooks_facts::calls::CallQuestions;
/// use serde_json::json;
///
/// let (environment, ..) = world(FakeFileSystem::default());
/// let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
/// let call = |tool: &str, args| HookRequest::new(context.clone(), PreToolUse::new(tool, args));
/// let shell = |command: &str| call("bash", json!({ "command": command }));
///
/// assert!(call("Write", json!({"file_path": "src/../migrations/1.sql", "content": ""})).writes("migrations/**"));
/// assert!(shell("cd migrations && cp ../a.sql 1.sql").writes("migrations/**"));
/// assert!(shell("cat a.sql > $TARGET").writes("migrations/**")); // not known before it runs
/// assert!(!shell("cat migrations/1.sql").writes("migrations/**"));
///
/// assert!(shell("base64 < ./.env").reads(".env"));
/// assert!(shell("cd .. && git -C repo push origin").runs("git push"));
/// assert!(!shell("echo git push").runs("git push"));
/// ```
pub trait CallQuestions {
    /// Returns whether the call may write, move or remove a file that matches `glob`, by a tool or by a command. The glob is
    /// relative to the root, as in `hooks.yaml`.
    fn writes(&self, glob: &str) -> bool;

    /// Returns whether the call may read or execute a file that matches `glob`, by a tool or by a command.
    fn reads(&self, glob: &str) -> bool;

    /// Returns whether the call may run a command that matches `pattern`, such as `git push` or `rm -rf`: a program, its
    /// operands and its options, as in `command_guard`.
    fn runs(&self, pattern: &str) -> bool;
}

impl CallQuestions for HookRequest<PreToolUse> {
    fn writes(&self, glob: &str) -> bool {
        about_paths(self, glob, may_write)
    }

    fn reads(&self, glob: &str) -> bool {
        about_paths(self, glob, |patterns, call| {
            let reads = call.reads();
            call.commands().is_missing || reads.is_cut() || reads.may_match(patterns, call)
        })
    }

    fn runs(&self, pattern: &str) -> bool {
        let mut errors = PolicyErrors::default();
        let patterns = command_patterns(&[pattern.to_owned()], "runs", &mut errors);
        let reader = CallReader::default();
        let commands = reader.read(self).commands();
        !errors.is_empty()
            || commands.is_missing
            || CommandMatch::any(&patterns, commands) != CommandMatch::Other
    }
}

fn about_paths(
    request: &HookRequest<PreToolUse>,
    glob: &str,
    matches: impl FnOnce(&PathPatterns, Call<'_>) -> bool,
) -> bool {
    let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    let patterns = PathPatterns::compile(&[glob.to_owned()], "glob", &reader, &mut errors);
    !errors.is_empty() || matches(&patterns, reader.read(request))
}

fn may_write(patterns: &PathPatterns, call: Call<'_>) -> bool {
    let (commands, places) = (call.commands(), call.places());
    if commands.is_missing || commands.has_unknown() {
        return true;
    }
    if !call.writes_files() && !call.kind().may_have_commands() {
        return false;
    }
    let is_unknown = !places.unusable.is_empty() || !places.unknown.is_empty();
    is_unknown
        || call.writes_files() && places.is_missing
        || places.found.iter().chain(&places.partial).filter(|place| place.is_written()).any(|place| {
            match place.reaches_below() {
                true => patterns.may_match_below(call, place),
                false => patterns.may_match_path(call, place),
            }
        })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::testing::{check_path_laws, paths_context};
    use hooks_core::{Reason, Verdict, policy_fn};
    use serde_json::{Value, json};

    use super::*;

    fn call(tool: &str, args: Value) -> HookRequest<PreToolUse> {
        HookRequest::new(paths_context(), PreToolUse::new(tool, args))
    }

    fn shell(command: &str) -> HookRequest<PreToolUse> {
        call("bash", json!({ "command": command }))
    }

    #[test]
    fn a_policy_of_one_line_keeps_the_laws_of_paths() {
        let policy =
            policy_fn("dba", |request: &HookRequest<PreToolUse>| match request.writes("migrations/**") {
                true => Verdict::deny(Reason::new("dba", "migrations", "they belong to Dallas")),
                false => Verdict::NO_OPINION,
            });
        let context = Arc::new(paths_context());
        for path in ["migrations/001.sql", "migrations/2026/a-b_c.sql"] {
            check_path_laws(&policy, &context, path).unwrap();
        }
        let other = check_path_laws(&policy, &context, "src/main.rs").unwrap_err();
        assert!(other.starts_with("law: it guards the file."), "{other}");
    }

    #[test]
    fn writes_are_found_in_tools_and_commands() {
        let writes = |request: HookRequest<PreToolUse>| request.writes("migrations/**");
        for command in [
            "rm -rf migrations",
            "rm -rf .",
            "rm migrations/*",
            "mv migrations old",
            "git mv a.sql migrations/a.sql",
            "install a.sql migrations/a.sql",
            "for f in a b; do echo > migrations/$f.sql; done",
            "echo > \"$DIR/a.sql\"",
            "$TOOL a",
            "echo 'unclosed",
        ] {
            assert!(writes(shell(command)), "{command}");
        }
        for command in
            ["cat migrations/a.sql", "ls migrations", "echo > src/a.sql", "git status", "cargo test"]
        {
            assert!(!writes(shell(command)), "{command}");
        }
        assert!(writes(call("edit", json!({}))), "a write of an unknown file");
        assert!(writes(call("bash", json!({}))), "an unknown command");
        assert!(writes(call("edit", json!({ "path": 7 }))));
        assert!(writes(call("new_tool", json!({ "path": "migrations/a", "content": "x" }))));
        assert!(!writes(call("view", json!({ "path": "migrations/a" }))));
        assert!(!writes(call("web_search", json!({ "query": "migrations/a" }))));
        assert!(call("edit", json!({ "path": "a" })).writes("migrations/{"), "a pattern that cannot be used");
    }

    #[test]
    fn commands_and_reads_are_found_however_they_are_written() {
        for command in [
            "git push",
            "git -C sub push --force",
            "true && /usr/bin/git push",
            "bash -c 'git push'",
            "g=git; $g push",
            "$G push",
        ] {
            assert!(shell(command).runs("git push"), "{command}");
        }
        for command in ["git pull", "echo git push", "git log push"] {
            assert!(!shell(command).runs("git push"), "{command}");
        }
        assert!(!call("view", json!({ "path": "git push" })).runs("git push"));
        assert!(shell("ls").runs("| sh"), "a pattern that cannot be used");
        assert!(shell("cp secrets/key /tmp/k").reads("secrets/**"));
        assert!(call("Read", json!({ "file_path": "./secrets/key" })).reads("secrets/**"));
        assert!(!call("Read", json!({ "file_path": "src/key" })).reads("secrets/**"));
        assert!(call("bash", json!({})).reads("secrets/**"), "an unknown command");
    }
}
