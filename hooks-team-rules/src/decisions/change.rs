//! Changes that a call makes: texts of files, files, and commands.

use std::borrow::Cow;

use hooks_core::fs::EntryKind;
use hooks_facts::calls::{Call, NamedPath};
use hooks_facts::commands::{Analysis, Argument, Invocation, Options};
use hooks_facts::tools::{PathRole, ToolKind};
use serde_json::{Map, Value};

use super::lex::Lexed;
use super::tables;

/// New text of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Edit {
    /// Path as given; empty if the call names none.
    pub(super) path: String,
    pub(super) new: String,
    /// Text that the new one replaces.
    pub(super) old: String,
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

/// Program that a call starts.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) program: String,
    /// Words behind the program; the known beginning of those that are not known.
    pub(super) words: Vec<String>,
    /// Whether a word is not wholly known.
    pub(super) has_gaps: bool,
    /// Folders that it may run in, relative to the root; empty for the root.
    pub(super) folders: Vec<String>,
    /// File whose text starts it; empty for the command of the call itself.
    pub(super) file: String,
    /// Analysis with this program only.
    pub(super) analysis: Analysis,
}

/// Everything that a call changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<Edit>,
    pub(super) touches: Vec<Touch>,
    pub(super) runs: Vec<Run>,
    /// Whether the call writes more texts to more files than are read.
    pub(super) is_excessive: bool,
}

/// Most pairs of a text and a file that a command writes.
const MOST_WRITTEN: usize = 4_096;

/// Keys of the text of a whole file, folded.
const WHOLE: &[&str] = &["content", "contents", "filetext"];
/// Keys of new text, folded.
const NEW: &[&str] = &[
    "newstr",
    "newstring",
    "newtext",
    "newsource",
    "text",
    "body",
    "data",
    "code",
    "insertedtext",
    "inserttext",
    "replacement",
    "replace",
    "newcontent",
    "codeedit",
    "newcode",
    "replacestring",
];
/// Keys of replaced text, folded.
const OLD: &[&str] = &[
    "oldstr",
    "oldstring",
    "oldtext",
    "oldsource",
    "search",
    "oldcontent",
    "oldcode",
    "find",
    "original",
    "target",
];
/// Keys of paths, folded.
const PATHS: &[&str] = &[
    "path",
    "filepath",
    "file",
    "filename",
    "targetfile",
    "notebookpath",
    "uri",
    "absolutepath",
    "relativepath",
    "destination",
    "newpath",
    "to",
];
/// Keys of patches, folded.
const PATCHES: &[&str] = &["patch", "input", "diff", "patchtext"];
/// Most values in values that are searched.
const DEPTH: usize = 6;

impl Changes {
    /// Reads what `call` changes.
    pub(super) fn new(call: Call<'_>) -> Self {
        let mut changes = Self::default();
        if call.writes_files() {
            changes.of_file_tool(call);
        } else if call.kind().runs_commands() || call.kind() == ToolKind::Unknown {
            changes.of_commands(call);
        }
        let edits = std::mem::take(&mut changes.edits);
        for edit in &edits {
            changes.embedded(edit);
        }
        changes.edits = edits;
        changes
    }

    fn of_file_tool(&mut self, call: Call<'_>) {
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
        for (path, new) in here_documents(text) {
            self.edits.push(Edit { path, new, old: String::new() });
        }
        let targets: Vec<&str> =
            analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
        let texts = self.runs.iter().filter(|run| ["echo", "printf"].contains(&run.program.as_str()));
        let texts: Vec<String> =
            texts.map(|run| run.words.join(" ").replace("\\n", "\n").replace("\\t", "\t")).collect();
        if texts.len().saturating_mul(targets.len()) > MOST_WRITTEN {
            self.is_excessive = true;
            return;
        }
        for new in texts {
            for path in &targets {
                self.edits.push(Edit { path: (*path).to_owned(), new: new.clone(), old: String::new() });
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

fn run_of(analysis: &Analysis, invocation: &Invocation, file: &str) -> Option<Run> {
    let program = analysis.program_name(invocation)?;
    let words: Vec<&Argument> = invocation.argv.iter().skip(1).collect();
    let folders = analysis.names(invocation, &Argument::Literal(".".to_owned()));
    let folders =
        folders.iter().filter_map(Argument::literal).map(normal).filter(|folder| !folder.is_empty());
    let mut run = Run {
        program,
        words: words.iter().map(|word| word.literal().unwrap_or_else(|| word.prefix()).to_owned()).collect(),
        has_gaps: words.iter().any(|word| word.literal().is_none()),
        folders: folders.collect(),
        file: file.to_owned(),
        analysis: analysis.only(invocation),
    };
    let plain = run.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain == "python"
        && let Some(at) = run.words.iter().position(|word| word == "-m")
        && let Some(module) = run.words.get(at + 1).cloned()
    {
        run.words.drain(..=(at + 1).min(run.words.len().saturating_sub(1)));
        run.program = module;
    } else if ["pip", "python"].contains(&plain) {
        run.program = plain.to_owned();
    }
    Some(run)
}

/// Returns the program that a runner of packages starts: `npx expo install x`.
fn handed_on(run: &Run) -> Option<Run> {
    let skipped = match (run.program.as_str(), run.words.first().map(String::as_str)) {
        ("npx" | "bunx" | "pnpx" | "uvx", _) => 0,
        ("pnpm" | "yarn", Some("dlx" | "exec"))
        | ("npm", Some("exec" | "x"))
        | ("bun", Some("x"))
        | ("uv" | "poetry" | "pipenv" | "rye" | "pdm" | "hatch", Some("run"))
        | ("bundle", Some("exec")) => 1,
        _ => return None,
    };
    let mut words = run.words.iter().skip(skipped).skip_while(|word| word.starts_with('-'));
    let program = words.next()?.split('@').next()?.to_owned();
    let words: Vec<String> = words.cloned().collect();
    let argv: Vec<&str> = std::iter::once(program.as_str()).chain(words.iter().map(String::as_str)).collect();
    let analysis = Analysis::of_words(&argv, &Options::default());
    (!program.is_empty()).then_some(Run { program, words, analysis, ..run.clone() })
}

/// Adds the edits in `value`; `path` is that of the value around it.
fn collect(value: &Value, path: &str, depth: usize, edits: &mut Vec<Edit>) {
    match value {
        Value::Array(items) if depth < DEPTH => {
            items.iter().for_each(|item| collect(item, path, depth + 1, edits));
        }
        Value::Object(fields) if depth < DEPTH => {
            // A call may name a file or a text under several keys, and only its tool knows which one counts.
            let named = texts_of(fields, PATHS);
            let paths = if named.is_empty() { vec![path.to_owned()] } else { named };
            let old = text_of(fields, OLD).unwrap_or_default();
            for path in &paths {
                let whole = texts_of(fields, WHOLE).into_iter().map(|new| (new, String::new()));
                let parts = texts_of(fields, NEW).into_iter().map(|new| (new, old.clone()));
                edits.extend(whole.chain(parts).map(|(new, old)| Edit { path: path.clone(), new, old }));
            }
            let own = paths.into_iter().next().unwrap_or_default();
            if let Some(patch) = text_of(fields, PATCHES) {
                edits.push(Edit { path: String::new(), new: patch, old: String::new() });
            }
            for value in fields.values().filter(|value| value.is_array() || value.is_object()) {
                collect(value, &own, depth + 1, edits);
            }
        }
        Value::String(text) if depth == 0 => edits.push(Edit { new: text.clone(), ..Edit::default() }),
        _ => {}
    }
}

/// Returns the text of each key that has one.
fn texts_of(fields: &Map<String, Value>, keys: &[&str]) -> Vec<String> {
    keys.iter().filter_map(|key| text_of(fields, &[*key])).collect()
}

fn text_of(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let of_key = |key: &&str| {
        let mut fields = fields.iter().filter(|(name, _)| {
            name.bytes()
                .filter(|byte| !matches!(byte, b'_' | b'-' | b' '))
                .map(|byte| byte.to_ascii_lowercase())
                .eq(key.bytes())
        });
        fields.find_map(|(_, value)| match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(lines) if !lines.is_empty() && lines.iter().all(Value::is_string) => {
                Some(lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        })
    };
    keys.iter().find_map(of_key)
}

fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains("*** Update File:")
        || text.contains("*** Add File:")
        || (text.contains("\n+++ ") && text.contains("--- "))
}

/// Returns the files of a patch, with their added and removed lines.
fn patched(text: &str) -> Vec<(Edit, Effect)> {
    let mut files: Vec<(Edit, Effect)> = Vec::new();
    let mut is_absent = false;
    for line in text.lines() {
        let header = [
            ("*** Add File:", Effect::Created),
            ("*** Update File:", Effect::Changed),
            ("*** Delete File:", Effect::Removed),
        ];
        if let Some((path, effect)) =
            header.iter().find_map(|(word, effect)| Some((line.strip_prefix(word)?.trim(), *effect)))
        {
            files.push((Edit { path: path.to_owned(), ..Edit::default() }, effect));
        } else if let Some(path) = line.strip_prefix("*** Move to:") {
            if let Some((edit, effect)) = files.last_mut() {
                (edit.path, *effect) = (path.trim().to_owned(), Effect::Created);
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            is_absent = path.starts_with("/dev/null");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.split('\t').next().unwrap_or_default().trim();
            let path = path.strip_prefix("b/").unwrap_or(path);
            let effect = if is_absent { Effect::Created } else { Effect::Changed };
            if path != "/dev/null" {
                files.push((Edit { path: path.to_owned(), ..Edit::default() }, effect));
            }
        } else if let Some((edit, _)) = files.last_mut() {
            let (side, rest) = match line.as_bytes().first() {
                Some(b'+') => (&mut edit.new, line.get(1..)),
                Some(b'-') => (&mut edit.old, line.get(1..)),
                _ => continue,
            };
            side.push_str(rest.unwrap_or_default());
            side.push('\n');
        }
    }
    files
}

/// Returns the here-documents of a command with the files that they are written to.
fn here_documents(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((_, behind)) = line.split_once("<<") else { continue };
        let word = behind.trim_start_matches(['-', '~']).trim_start();
        let end: String = word
            .trim_start_matches(['\'', '"', '\\'])
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if end.is_empty() {
            continue;
        }
        let target = line
            .rsplit_once('>')
            .map(|(_, rest)| rest)
            .or_else(|| line.split_once("tee ").map(|(_, rest)| rest));
        let target = target.unwrap_or_default().trim().trim_start_matches("-a ");
        let target = target.split([' ', '<', '|', ';']).next().unwrap_or_default().trim_matches(['\'', '"']);
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != end).collect();
        found.push((target.to_owned(), body.join("\n")));
    }
    found
}

/// Returns the commands in the text of a file.
fn commands_in(path: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let language = tables::language(path);
    let code = language.as_ref().map_or_else(|| text.to_owned(), |language| Lexed::new(text, language).code);
    match language.map(|language| language.name) {
        Some("sh") => vec![code],
        Some("docker") => {
            let joined = code.replace("\\\n", " ");
            let commands = joined.lines().filter_map(|line| {
                let line = line.trim();
                let rest = ["RUN ", "CMD ", "ENTRYPOINT "].iter().find_map(|word| line.strip_prefix(word))?;
                let words = rest.trim_matches(['[', ']', ' ']);
                Some(if rest.trim_start().starts_with('[') {
                    words.replace(['"', ','], " ")
                } else {
                    rest.to_owned()
                })
            });
            commands.collect()
        }
        Some("make") => code
            .lines()
            .filter(|line| line.starts_with(['\t', ' ']))
            .map(|line| line.trim().trim_start_matches(['@', '-']).to_owned())
            .collect(),
        Some("yaml") => {
            let commands = code.lines().filter_map(|line| {
                let line = line.trim().trim_start_matches("- ");
                ["run: ", "script: ", "command: ", "- run: "].iter().find_map(|word| line.strip_prefix(word))
            });
            commands
                .filter(|command| !command.starts_with(['|', '>', '[']))
                .map(|command| command.trim_matches(['\'', '"']).to_owned())
                .collect()
        }
        _ if file == "package.json" => {
            let scripts = text
                .split_once("\"scripts\"")
                .map_or("", |(_, rest)| rest.split('}').next().unwrap_or_default());
            scripts
                .lines()
                .filter_map(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().trim_matches([',', '"', ' ', '{']).to_owned())
                .filter(|command| !command.is_empty())
                .collect()
        }
        _ => Vec::new(),
    }
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
