//! `add_prompt_files`: files of instructions, such as `AGENTS.md`.

use std::path::{Path, PathBuf};

use hooks_core::fs::EntryKind;
use hooks_team::Digest;

use super::files::{FileLookup, file};
use super::{BuiltinError, Call, InstructionContext, Output, World};

const GROUP: &str = "core/prompt-files";
/// The most bytes that are read of a file; instructions are shorter.
const LONGEST: u64 = 1 << 20;
/// The most nested files in a listing, and the most names that are visited to find them.
const MOST_LISTED: usize = 100;
const MOST_SEEN: usize = 20_000;

/// Reads each named file from the closest folder that has it, going upwards, and from the user's home. With
/// `--depth=N`, the files up to N folders below are listed by path, not read.
pub(super) fn add_prompt_files(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd.filter(|_| !call.args.is_empty()) else { return Ok(Output::default()) };
    let (names, depth) = parse(call.args);
    let home = world.machine.variable("HOME").or_else(|| world.machine.variable("USERPROFILE"));
    let home = home.filter(|home| !home.is_empty()).map(PathBuf::from);
    let mut texts = Vec::new();
    let mut loaded = Vec::new();
    for name in &names {
        for path in paths(world, cwd, home.as_deref(), name) {
            let Some((behind, content)) = read(world, &path) else {
                // An unreadable file is not a removed file: the model keeps the version that it has.
                let unknown = InstructionContext {
                    group: GROUP,
                    unavailable: true,
                    set_marker: true,
                    ..InstructionContext::default()
                };
                return Ok(Output::instructions("turn_start", vec![unknown]));
            };
            texts.push(instructions(&path, &content));
            loaded.extend([path, behind]);
        }
    }
    texts.extend(listing(world, cwd, &names, depth, &loaded));
    match texts.first_mut() {
        Some(first) => first.complete_group = true,
        None => texts.push(InstructionContext {
            group: GROUP,
            complete_group: true,
            set_marker: true,
            ..InstructionContext::default()
        }),
    }
    Ok(Output::instructions("turn_start", texts))
}

/// Splits the arguments into file names and the depth. A depth that is not a number is ignored.
fn parse(args: &[String]) -> (Vec<&str>, usize) {
    let mut names = Vec::new();
    let mut depth = 0;
    for arg in args {
        match arg.strip_prefix("--depth=") {
            Some(number) => depth = number.parse().unwrap_or(depth),
            None => names.push(&**arg),
        }
    }
    (names, depth)
}

/// Returns the paths of the files called `name`: the closest one from `cwd` upwards, and the one in the
/// user's home.
fn paths(world: &World, cwd: &Path, home: Option<&Path>, name: &str) -> Vec<PathBuf> {
    let is_there = |path: &PathBuf| !matches!(file(&*world.disk, path), FileLookup::Nothing);
    let mut paths: Vec<_> =
        cwd.ancestors().map(|folder| folder.join(name)).find(is_there).into_iter().collect();
    let own = home.map(|home| home.join(name)).filter(is_there);
    paths.extend(own.filter(|own| !paths.contains(own)));
    paths
}

/// Returns the path of the file after links are followed, and its content.
fn read(world: &World, path: &Path) -> Option<(PathBuf, String)> {
    let FileLookup::File(behind) = file(&*world.disk, path) else { return None };
    let content = world.disk.read(&behind, LONGEST).ok()??;
    Some((behind, String::from_utf8_lossy(&content).into_owned()))
}

fn instructions(path: &Path, content: &str) -> InstructionContext {
    let digest = Digest::hash(path.as_os_str().as_encoded_bytes());
    let path = path.display();
    let content = format!("Instructions from: {path}\n{content}");
    InstructionContext {
        key: format!("core/prompt-file-{digest}"),
        group: GROUP,
        label: format!("instructions from {path}"),
        changed_content: format!(
            "The instructions from {path} have changed and replace the previous instructions from that file.\n\n{content}"
        ),
        removed_content: format!("The previously loaded instructions from {path} no longer apply."),
        content,
        ..InstructionContext::default()
    }
}

/// Lists the files with these names below `cwd` by path only. In a project of many parts, the agent reads the
/// files that it needs.
fn listing(
    world: &World,
    cwd: &Path,
    names: &[&str],
    depth: usize,
    loaded: &[PathBuf],
) -> Option<InstructionContext> {
    let (found, is_cut) = nested(world, cwd, names, depth, loaded);
    if found.is_empty() {
        return None;
    }
    let root = cwd.display();
    let lines: String = found.iter().map(|path| format!("- {path}\n")).collect();
    let cut =
        if is_cut { "\n(listing truncated; more prompt files exist below this directory)\n" } else { "" };
    let content = format!(
        "Prompt files found in subdirectories of {root}. Their contents are NOT loaded:\n\n{lines}{cut}\nRead the ones covering the files you are about to work on. For anything under its own directory, a nested file's instructions take precedence over the instructions loaded above."
    );
    Some(InstructionContext {
        key: "core/prompt-file-index".to_owned(),
        group: GROUP,
        label: format!("prompt files below {root}"),
        changed_content: format!(
            "The list of prompt files below {root} has changed and replaces the previous list.\n\n{content}"
        ),
        removed_content: format!(
            "No prompt files remain below {root}; the previously listed ones no longer apply."
        ),
        content,
        ..InstructionContext::default()
    })
}

/// Returns the paths below `cwd` of the files with one of `names`, sorted, and whether the list was cut.
/// Folders that begin with a dot, links, and names with control characters are skipped.
fn nested(
    world: &World,
    cwd: &Path,
    names: &[&str],
    depth: usize,
    loaded: &[PathBuf],
) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let mut seen = 0;
    let mut open = vec![(cwd.to_path_buf(), String::new(), 0)];
    while let Some((path, shown, level)) = open.pop() {
        if level > 0 {
            match world.disk.entry(&path).ok().flatten().map(|entry| entry.kind) {
                Some(EntryKind::Directory) => {}
                Some(EntryKind::File) => {
                    let is_named =
                        path.file_name().is_some_and(|name| names.iter().any(|wanted| name == *wanted));
                    if level > 1 && is_named && !loaded.contains(&path) {
                        if found.len() == MOST_LISTED {
                            return (found, true);
                        }
                        found.push(shown);
                    }
                    continue;
                }
                _ => continue,
            }
        }
        if level > depth || (level == depth && depth == 0) {
            continue;
        }
        let inside = world.disk.list(&path).ok().flatten().unwrap_or_default();
        seen += inside.len();
        if seen > MOST_SEEN {
            return (found, true);
        }
        for name in inside.iter().rev() {
            let text = name.to_string_lossy();
            if !text.starts_with('.') && !text.contains(char::is_control) {
                let shown = if shown.is_empty() { text.into_owned() } else { format!("{shown}/{text}") };
                open.push((path.join(name), shown, level + 1));
            }
        }
    }
    (found, false)
}
