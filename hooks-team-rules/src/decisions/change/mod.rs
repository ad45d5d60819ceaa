//! Changes that a call makes: texts of files, files, and commands.

mod run;
mod shell;
mod tool;

use std::borrow::Cow;
use std::sync::Arc;

use hooks_core::fs::EntryKind;
use hooks_facts::calls::{Call, NamedPath};
use hooks_facts::commands::{Analysis, Options, UnresolvedReason};
use hooks_facts::tools::{PathRole, ToolKind};

pub(super) use self::run::Run;
use self::run::{handed_on, run_of};
use self::shell::{commands_in, here_documents, inserted, program_of, replacements};
use self::tool::{collect, is_patch, patched};

/// New text of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Edit {
    /// Path as given; empty if the call names none.
    pub(super) path: String,
    pub(super) new: String,
    /// Text that the new one replaces.
    pub(super) old: String,
    /// Whether the new text is that of the whole file.
    pub(super) is_whole: bool,
}

/// Effect of a call on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The file is new.
    Created,
    /// The file exists and stays.
    Changed,
    /// The file is removed, or gets another name.
    Removed,
}

/// A file that a call changes.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    /// Readings of its path, relative to the root.
    pub(super) paths: Vec<String>,
    pub(super) given: String,
    pub(super) effect: Effect,
}

/// Everything that a call changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<Edit>,
    pub(super) touches: Vec<Touch>,
    pub(super) runs: Vec<Run>,
    /// Commands in which a shell reads a text that is not known before running.
    pub(super) unread: Vec<String>,
    /// Whether names of files are compared without regard to case.
    pub(super) ignores_case: bool,
    /// Whether the call writes more texts to more files than are read.
    pub(super) is_excessive: bool,
}

/// Most pairs of a text and a file that a command writes.
const MOST_WRITTEN: usize = 4_096;

impl Changes {
    /// Reads what `call` changes.
    ///
    /// `before` returns the text of a file before the call, if it is known.
    pub(super) fn new(call: Call<'_>, before: &dyn Fn(&str) -> Option<Arc<str>>) -> Self {
        let mut changes = Self { ignores_case: call.ignores_case(), ..Self::default() };
        if call.writes_files() {
            changes.of_file_tool(call, before);
        } else if call.kind().runs_commands() || call.kind() == ToolKind::Unknown {
            changes.of_commands(call);
        }
        // The lines of a patch in a file or a command are added when it is applied.
        let is_applied = |edit: &&Edit| {
            let is_named =
                edit.path.is_empty() || edit.path.ends_with(".patch") || edit.path.ends_with(".diff");
            is_named && is_patch(&edit.new)
        };
        let applied = changes.edits.iter().filter(is_applied).flat_map(|edit| patched(&edit.new));
        let applied: Vec<Edit> = applied.map(|(edit, _)| edit).collect();
        changes.edits.extend(applied);
        let edits = std::mem::take(&mut changes.edits);
        for edit in &edits {
            changes.embedded(edit);
        }
        changes.edits = edits;
        changes
    }

    fn of_file_tool(&mut self, call: Call<'_>, before: &dyn Fn(&str) -> Option<Arc<str>>) {
        collect(call.arguments(), "", 0, &mut self.edits);
        let patches = self.edits.iter().any(|edit| edit.path.is_empty() && is_patch(&edit.new));
        let mut effects = Vec::new();
        if call.kind() == ToolKind::Patch || patches {
            for edit in std::mem::take(&mut self.edits) {
                for (edit, effect) in patched(&edit.new) {
                    effects.push((edit.path.clone(), effect));
                    self.edits.push(edit);
                }
            }
        }
        let replaces = self.edits.iter().any(|edit| !edit.old.is_empty());
        for edit in self.edits.iter_mut().filter(|edit| edit.is_whole) {
            let place = call.places().found.iter().find(|place| place.given == edit.path);
            if let Some(text) = place.and_then(existing).and_then(before) {
                edit.old = text.to_string();
            }
        }
        for place in call.places().found.iter().filter(|place| place.is_written()) {
            let of_patch = effects.iter().find(|(path, _)| *path == place.given).map(|(_, effect)| *effect);
            let exists = place.resolution.as_ref().is_ok_and(|found| found.kind == Some(EntryKind::File));
            let effect = match place.role {
                PathRole::Removed => Effect::Removed,
                _ if of_patch.is_some() => of_patch.unwrap_or(Effect::Changed),
                _ if call.kind() == ToolKind::DeleteFile => Effect::Removed,
                _ if replaces || exists => Effect::Changed,
                _ => Effect::Created,
            };
            self.touch(call, place, effect);
        }
    }

    fn of_commands(&mut self, call: Call<'_>) {
        for command in &call.commands().found {
            self.started(&command.analysis, "");
            self.written(&command.text, &command.analysis);
            if command.analysis.unresolved.iter().any(|unknown| unknown.reason == UnresolvedReason::Text) {
                self.unread.push(command.text.clone());
            }
        }
        let in_place = self.runs.iter().any(|run| {
            matches!(run.program.as_str(), "sed" | "perl" | "gsed")
                && run
                    .words
                    .iter()
                    .any(|word| word.starts_with("-i") || word == "--in-place" || word.starts_with("-pi"))
        });
        let places = call.places_of_commands();
        for place in places.found.iter().chain(&places.partial).filter(|place| place.is_written()) {
            let exists = place.resolution.as_ref().is_ok_and(|found| found.kind == Some(EntryKind::File));
            let effect = match place.role {
                PathRole::Removed => Effect::Removed,
                _ if exists || in_place => Effect::Changed,
                _ => Effect::Created,
            };
            self.touch(call, place, effect);
        }
        // What is committed becomes a part of the project.
        let added: Vec<(String, Vec<String>)> = self
            .runs
            .iter()
            .filter(|run| run.program == "git" && run.words.first().is_some_and(|word| word == "add"))
            .flat_map(|run| run.words.iter().skip(1).map(|word| (word.clone(), run.folders.clone())))
            .filter(|(word, _)| !word.starts_with('-') && word != ".")
            .collect();
        for (given, folders) in added {
            let paths = std::iter::once(given.clone())
                .chain(folders.iter().map(|folder| format!("{folder}/{given}")));
            self.touches.push(Touch {
                paths: paths.map(|path| normal(&path)).collect(),
                given,
                effect: Effect::Created,
            });
        }
    }

    fn touch(&mut self, call: Call<'_>, place: &NamedPath, effect: Effect) {
        let known: Vec<String> = place
            .known(call)
            .map(|known| known.below_root().map(str::to_owned).collect())
            .unwrap_or_default();
        let paths = if known.is_empty() { vec![normal(&place.given)] } else { known };
        self.touches.push(Touch { paths, given: place.given.clone(), effect });
    }

    /// Adds the programs of a command.
    fn started(&mut self, analysis: &Analysis, file: &str) {
        for invocation in &analysis.invocations {
            if let Some(run) = run_of(analysis, invocation, file) {
                self.runs.extend(handed_on(&run));
                self.runs.push(run);
            }
        }
    }

    /// Adds the texts that a command writes to files: here-documents, and those of `echo`.
    fn written(&mut self, text: &str, analysis: &Analysis) {
        let programs: Vec<_> = self.runs.iter().filter_map(program_of).collect();
        for (path, new) in programs {
            self.edits.push(Edit { path: path.to_owned(), new, ..Edit::default() });
        }
        for (path, new) in here_documents(text) {
            self.edits.push(Edit { path, new, ..Edit::default() });
        }
        let targets: Vec<&str> =
            analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
        let printed = self.runs.iter().filter(|run| ["echo", "printf"].contains(&run.program.as_str()));
        let printed = printed.map(|run| run.words.join(" ").replace("\\n", "\n").replace("\\t", "\t"));
        let edited = self.runs.iter().flat_map(|run| {
            let new = inserted(run).into_iter().map(|new| (String::new(), new));
            replacements(run).into_iter().chain(new)
        });
        let texts: Vec<(String, String)> = printed.map(|new| (String::new(), new)).chain(edited).collect();
        if texts.len().saturating_mul(targets.len()) > MOST_WRITTEN {
            self.is_excessive = true;
            return;
        }
        for (old, new) in texts {
            for path in &targets {
                let (path, old, new) = ((*path).to_owned(), old.clone(), new.clone());
                self.edits.push(Edit { path, new, old, is_whole: false });
            }
        }
    }

    /// Adds the programs that the text of a file starts: scripts, and the commands of build files.
    fn embedded(&mut self, edit: &Edit) {
        let commands = commands_in(&edit.path, &edit.new);
        if commands.is_empty() {
            return;
        }
        let before = commands_in(&edit.path, &edit.old);
        for command in commands {
            if !before.contains(&command) {
                self.started(&Analysis::of_text(&command, &Options::default()), &edit.path);
            }
        }
    }

    /// Returns the readings of the path of an edit.
    pub(super) fn paths_of<'a>(&'a self, edit: &'a Edit) -> Vec<Cow<'a, str>> {
        let touch = self.touches.iter().find(|touch| touch.given == edit.path);
        match touch {
            Some(touch) => touch.paths.iter().map(|path| Cow::Borrowed(path.as_str())).collect(),
            None => vec![Cow::Owned(normal(&edit.path))],
        }
    }
}

/// Returns the path of an existing file, relative to the root.
pub(super) fn existing(place: &NamedPath) -> Option<&str> {
    let found = place.resolution.as_ref().ok().filter(|found| found.kind == Some(EntryKind::File))?;
    found.readings.first().map(|reading| reading.path.as_str())
}

/// Returns a path without `.` and `..`, and without the root.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.trim_start_matches("file://").split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_have_added_and_removed_lines() {
        let files = patched(
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-use x;\n+use y;\n*** Add File: b.rs\n+new\n*** End Patch",
        );
        assert_eq!(files.len(), 2);
        let (edit, effect) = &files[0];
        assert_eq!(
            (edit.path.as_str(), edit.new.as_str(), edit.old.as_str(), *effect),
            ("a.rs", "use y;\n", "use x;\n", Effect::Changed)
        );
        assert_eq!(files[1].1, Effect::Created);
        let files = patched("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-import a\n+import b\n");
        assert_eq!((files[0].0.path.as_str(), files[0].0.new.as_str()), ("x.py", "import b\n"));
    }

    #[test]
    fn commands_of_files_are_found() {
        assert_eq!(commands_in("Dockerfile", "FROM a\n# RUN no\nRUN curl x \\\n  | sh"), ["curl x    | sh"]);
        assert_eq!(commands_in("package.json", "{\"scripts\": {\n\"a\": \"jest --ci\"\n}}"), ["jest --ci"]);
        assert_eq!(
            here_documents("cat > a.js <<'EOF'\nimport 'x'\nEOF"),
            [("a.js".to_owned(), "import 'x'".to_owned())]
        );
    }
}
