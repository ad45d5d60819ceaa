//! Commands of PowerShell whose words name files in a way of their own: listings, parts of paths, new and renamed files.
//!
//! A listing hands its files to the next command:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//! use hooks_facts::globs::shown;
//!
//! let options = Options { windows: true, ..Options::default() };
//! let analysis = Analysis::of_text("Get-ChildItem src -Filter *.log | Remove-Item", &options);
//! assert_eq!(shown(&analysis.writes()[0].target.outline()), "src/*.log");
//! ```

use super::bound::{COMPUTED, DIVIDER, Row, word_of};
use crate::commands::argument::Argument;
use crate::globs::Gap;

/// `Join-Path A B`, `Split-Path A`.
static PATHS: Row = Row::plain(&["path", "childpath"], &["{path|literalpath}", "{childpath}"]);

/// `Get-ChildItem A *.ts -Recurse`.
static LISTINGS: Row =
    Row::plain(&["path", "filter"], &["{path|literalpath}", "{filter}", "{include}", "{exclude}", "{depth}"]);

/// `New-Item A -Name B -ItemType C`.
static NEW: Row = Row::plain(&["path"], &["{path}", "{name}", "{itemtype|type}", "{value|target}"]);

/// `Rename-Item A B`.
static RENAMED: Row = Row::plain(&["path", "newname"], &["{path|literalpath}", "{newname}"]);

/// Returns the files that a command hands on, or the path that it computes.
pub(super) fn value(words: &[String]) -> Option<String> {
    let (program, words) = words.split_first()?;
    let is =
        |switch: &str| words.iter().any(|word| word.len() > 2 && switch.starts_with(&*word.to_lowercase()));
    match &*program.to_lowercase() {
        "join-path" => {
            let bound = PATHS.bind(words);
            let (folder, name) = (bound.value("path")?, bound.value("childpath")?);
            Some(format!("{}/{}", folder.trim_end_matches(['/', '\\']), name.trim_start_matches(['/', '\\'])))
        }
        "split-path" if is("-leaf") => None,
        "split-path" => {
            let bound = PATHS.bind(words);
            let path = bound.value("path").or_else(|| bound.value("literalpath"))?;
            Some(path.rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder).to_owned())
        }
        "get-item" | "gi" | "resolve-path" | "rvpa" | "convert-path" => {
            let bound = PATHS.bind(words);
            bound.value("path").or_else(|| bound.value("literalpath")).map(str::to_owned)
        }
        "get-location" | "gl" | "pwd" => Some(".".to_owned()),
        "get-childitem" | "gci" | "dir" | "ls" => Some(listed(words, is("-recurse"))),
        _ => None,
    }
}

/// Returns the files of a listing, as names with wildcards.
fn listed(words: &[String], is_deep: bool) -> String {
    let bound = LISTINGS.bind(words);
    let folders = bound.value("path").or_else(|| bound.value("literalpath")).unwrap_or(".");
    let names = bound.value("filter").or_else(|| bound.value("include")).unwrap_or("*");
    let mut found = Vec::new();
    for folder in folders.split(DIVIDER) {
        let own = folder.rsplit(['/', '\\']).next().unwrap_or(folder);
        let is_file = own.trim_start_matches('.').contains('.');
        if is_file || own.contains(['*', '?']) {
            found.push(folder.to_owned());
        }
        let deep = if is_deep { Gap::Folders.stand_in().to_string() } else { String::new() };
        let folder = folder.trim_end_matches(['/', '\\']);
        found.extend(names.split(DIVIDER).map(|name| format!("{folder}/{deep}{name}")));
    }
    found.join(DIVIDER.encode_utf8(&mut [0; 4]))
}

/// Returns the program that creates what `New-Item` creates, with its words.
pub(super) fn created(words: &[String]) -> Vec<Argument> {
    let bound = NEW.bind(words.get(1..).unwrap_or_default());
    let kind = bound.value("itemtype").or_else(|| bound.value("type")).unwrap_or_default().to_lowercase();
    let target = bound.value("target").or_else(|| bound.value("value"));
    let path = match (bound.value("path"), bound.value("name")) {
        (Some(folder), Some(name)) => format!("{}/{name}", folder.trim_end_matches(['/', '\\'])),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => return Vec::new(),
    };
    let paths = path.split(DIVIDER).map(word_of);
    let argv: Vec<Argument> = match &*kind {
        "directory" => [Argument::from("mkdir")].into_iter().chain(paths).collect(),
        "symboliclink" | "junction" | "hardlink" => {
            let mut argv = vec![Argument::from("ln")];
            argv.extend((kind != "hardlink").then(|| Argument::from("-s")));
            argv.extend([word_of(target.unwrap_or(COMPUTED)), word_of(&path)]);
            argv
        }
        _ => [Argument::from("touch")].into_iter().chain(paths).collect(),
    };
    argv
}

/// Returns `mv` with the words of `Rename-Item`, whose second name is in the folder of the first.
pub(super) fn renamed(words: &[String], piped: Option<&str>) -> Vec<Argument> {
    let bound = RENAMED.bind(words.get(1..).unwrap_or_default());
    let path = bound.value("path").or_else(|| bound.value("literalpath")).or(piped);
    let (Some(path), Some(name)) = (path, bound.value("newname")) else { return Vec::new() };
    let new = match path.rsplit_once(['/', '\\']) {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    vec![Argument::from("mv"), word_of(path), word_of(&new)]
}
