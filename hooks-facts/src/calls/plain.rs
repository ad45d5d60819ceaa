//! Facts about a call as lists of names, for policies in languages that know no globs and no shells.

use super::call::Call;
use super::places::NamedPath;

/// Files that a call writes and reads, and programs that it runs.
///
/// A list is missing if it would not be complete: a part of the call is not known before it runs, a name is known in part, or
/// a folder is changed or read with everything below it. An empty list is different: the call writes no file. Paths are
/// relative to the root if they are below it, else absolute, in every plausible reading. What a script or another program does
/// by itself is not known, and not counted.
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
/// use hooks_facts::calls::{CallReader, PlainFacts};
/// use serde_json::json;
///
/// let (environment, ..) = world(FakeFileSystem::default());
/// let facts = |command: &str| {
///     let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment.clone());
///     let call = PreToolUse::new("bash", json!({ "command": command }));
///     PlainFacts::of_call(CallReader::default().read(&HookRequest::new(context, call)))
/// };
/// let known = facts("cd docs && cat ../a.md > b.md");
/// assert_eq!(known.writes, Some(vec!["docs/b.md".to_owned()]));
/// assert_eq!(known.reads, Some(vec!["a.md".to_owned()]));
/// assert_eq!(known.runs, Some(vec!["cat".to_owned(), "cd".to_owned()]));
/// assert_eq!(facts("rm -r docs").writes, None); // and everything below it
/// assert_eq!(facts("$TOOL a"), PlainFacts::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlainFacts {
    /// Files that the call creates, changes, moves or removes; sorted.
    pub writes: Option<Vec<String>>,
    /// Files that it reads or executes; sorted.
    pub reads: Option<Vec<String>>,
    /// Names of the programs that it starts, in lower case; sorted.
    pub runs: Option<Vec<String>>,
}

impl PlainFacts {
    /// Returns the facts about a call.
    pub fn of_call(call: Call<'_>) -> Self {
        let commands = call.commands();
        if commands.is_missing || commands.has_unknown() {
            return Self::default();
        }
        Self {
            writes: writes(call),
            reads: reads(call),
            runs: Some(sorted(commands.program_names().collect())),
        }
    }
}

fn writes(call: Call<'_>) -> Option<Vec<String>> {
    if !call.writes_files() && !call.kind().may_have_commands() {
        return Some(Vec::new());
    }
    let places = call.places();
    let is_incomplete = !places.unusable.is_empty()
        || !places.unknown.is_empty()
        || !places.partial.is_empty()
        || call.writes_files() && places.is_missing;
    if is_incomplete {
        return None;
    }
    let of_commands = (!call.kind().runs_commands()).then(|| call.places_of_commands());
    if of_commands.as_ref().is_some_and(|more| !more.unknown.is_empty() || !more.partial.is_empty()) {
        return None;
    }
    let written = places.found.iter().chain(of_commands.iter().flat_map(|more| &more.found));
    let mut names = Vec::new();
    for place in written.filter(|place| place.is_written()) {
        names.extend(readings(call, place, place.reaches_below() && !place.is_file(call))?);
    }
    Some(sorted(names))
}

fn reads(call: Call<'_>) -> Option<Vec<String>> {
    let reads = call.reads();
    if reads.is_incomplete() {
        return None;
    }
    let mut names = Vec::new();
    for read in reads.each(call) {
        names.extend(readings(call, read.place, read.is_tree(call))?);
    }
    Some(sorted(names))
}

/// Names of one file; `None` if they are not all.
fn readings(call: Call<'_>, place: &NamedPath, is_tree: bool) -> Option<Vec<String>> {
    if is_tree || place.is_partial() {
        return None;
    }
    let known = place.known(call)?;
    let mut names: Vec<_> = known.below_root().map(str::to_owned).collect();
    names.extend(known.elsewhere.iter().map(|path| format!("/{}", path.trim_start_matches('/'))));
    (!names.is_empty()).then_some(names)
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use hooks_core::HookRequest;
    use hooks_core::event::PreToolUse;
    use hooks_core::testing::paths_context;
    use serde_json::{Value, json};

    use super::*;
    use crate::calls::CallReader;

    fn facts(tool: &str, args: Value) -> PlainFacts {
        let request = HookRequest::new(paths_context(), PreToolUse::new(tool, args));
        PlainFacts::of_call(CallReader::default().read(&request))
    }

    fn names(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn one_name_whatever_the_tool_and_the_spelling() {
        for (tool, args) in [
            ("edit", json!({"path": "./src/../docs//a.md", "content": ""})),
            ("Write", json!({"file_path": "docs/a.md", "content": ""})),
            ("bash", json!({"command": "echo > docs/a.md"})),
            ("bash", json!({"command": "cd docs && tee a.md"})),
        ] {
            assert_eq!(facts(tool, args.clone()).writes, names(&["docs/a.md"]), "{tool} {args}");
        }
        assert_eq!(facts("bash", json!({"command": "cp a /etc/b"})).writes, names(&["/etc/b", "/etc/b/a"]));
        assert_eq!(facts("view", json!({"path": "./a"})).reads, names(&["a"]));
        assert_eq!(facts("view", json!({"path": "./a"})).writes, names(&[]));
        assert_eq!(facts("bash", json!({"command": "/usr/bin/GIT status; ls"})).runs, names(&["git", "ls"]));
    }

    #[test]
    fn a_list_that_is_not_complete_is_missing() {
        for command in ["rm -rf docs", "rm *.log", "echo > $FILE", "mv docs old", "$TOOL", "echo 'a"] {
            assert_eq!(facts("bash", json!({ "command": command })).writes, None, "{command}");
        }
        for command in ["cat $FILE", "grep -r x .", "$TOOL"] {
            assert_eq!(facts("bash", json!({ "command": command })).reads, None, "{command}");
        }
        assert_eq!(facts("bash", json!({})), PlainFacts::default());
        assert_eq!(facts("edit", json!({"path": 7})).writes, None);
        assert_eq!(facts("edit", json!({})).writes, None);
    }
}
