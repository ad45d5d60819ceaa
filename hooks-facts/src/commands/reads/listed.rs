//! Files whose names a program reads in a list: `tar -cT LIST`, `rsync --files-from=LIST`, `zip -@ < LIST`.

use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::file_programs::{has, inside, operands, tar_mode, value};
use crate::commands::walk::{Stream, Walk};
use crate::shell::Span;

/// Most names of a known list that are noted.
const MAX_NAMES: usize = 1_024;

/// Notes the files in the list of a program, if its words or its input have one.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    let Some((program, list, folders)) = list_of(name, words) else { return };
    let content = match list {
        Some(list) if !matches!(list.literal(), Some("-" | "/dev/stdin")) => walk.file(&list),
        _ => input.clone(),
    };
    let names: Vec<Argument> = match walk.names_in(&content) {
        Stream::Names(names) => names.to_vec(),
        Stream::Known(text) => {
            text.split(['\n', '\0']).filter(|line| !line.is_empty()).map(Argument::from).collect()
        }
        Stream::Empty => Vec::new(),
        _ => vec![Argument::unknown()],
    };
    let more = names.get(MAX_NAMES..).filter(|more| !more.is_empty()).map(|_| Argument::unknown());
    for name in names.iter().take(MAX_NAMES).chain(&more) {
        for folder in &folders {
            walk.reads(program, &inside(folder, name), AccessKind::ReadBelow, span);
        }
        if folders.is_empty() {
            walk.reads(program, name, AccessKind::ReadBelow, span);
        }
    }
}

/// Program that reads a list, the list unless it is the input, and the folders in which the names are.
type List = (&'static str, Option<Argument>, Vec<Argument>);

fn list_of(name: &str, words: &[Argument]) -> Option<List> {
    match name {
        "tar" | "gtar" | "bsdtar" => {
            let packs = tar_mode(words, 'c', "--create")
                || tar_mode(words, 'r', "--append")
                || tar_mode(words, 'u', "--update");
            let list = value(words, 'T', "--files-from").filter(|_| packs)?;
            Some(("tar", Some(list), value(words, 'C', "--directory").into_iter().collect()))
        }
        "rsync" => {
            let list = value(words, '\0', "--files-from")?;
            let mut sources: Vec<Argument> =
                operands(words, "e", &["files-from", "rsh", "exclude"]).into_iter().cloned().collect();
            sources.pop();
            sources.retain(|folder| !matches!(folder.literal(), Some("." | "./")));
            Some(("rsync", Some(list), sources))
        }
        "rclone" | "restic" => Some(("rclone", Some(value(words, '\0', "--files-from")?), Vec::new())),
        "zip" => has(words, '@', "--names-stdin").then(|| ("zip", None, Vec::new())),
        "cpio" | "pax" => Some(("cpio", None, Vec::new())),
        "7z" | "7za" | "7zr" | "7zz" => {
            let list = words.iter().find_map(|word| word.strip_prefix("@"))?;
            Some(("7z", Some(list), Vec::new()))
        }
        "sort" | "gsort" => Some(("sort", Some(value(words, '\0', "--files0-from")?), Vec::new())),
        _ => None,
    }
}
