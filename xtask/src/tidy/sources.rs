//! Rust files: each begins with its purpose, and none names a folder of one machine or leaves work open.

use std::path::Path;

/// Files described by the `mod.rs` of their layer; every layer has files with these names.
const SPOKEN_FOR: &[&str] = &["layer.rs", "service.rs", "tests.rs"];

/// Marks of unfinished work. Split, so that this file does not find itself.
const OPEN_WORK: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Folders of single machines.
const MACHINES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/."), concat!("/Us", "ers/")];

/// Mistakes in a file.
pub(super) fn check(path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_spoken_for = SPOKEN_FOR.iter().any(|name| path.ends_with(name)) || is_ui_test(path);
    if !is_spoken_for && !text.starts_with("//!") {
        found.push(format!("{}:1: begin with `//!` and what the file does", path.display()));
    }
    for (line, number) in text.lines().zip(1..) {
        let place = format!("{}:{number}", path.display());
        if let Some((_, comment)) = line.split_once("//")
            && OPEN_WORK
                .iter()
                .any(|mark| comment.split(|c: char| !c.is_alphanumeric()).any(|word| word == *mark))
        {
            found.push(format!("{place}: do it, or write an issue"));
        }
        if MACHINES.iter().any(|folder| line.contains(folder)) {
            found.push(format!("{place}: names a folder of one machine"));
        }
    }
    found
}

/// A file of `tests/ui`, which must fail to compile. Its name gives the reason.
fn is_ui_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "ui")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_wrong() {
        assert!(check(Path::new("a.rs"), "//! Does it.\n").is_empty());
        assert!(check(Path::new("policy/layer.rs"), "use a;\n").is_empty());
        assert_eq!(check(Path::new("a.rs"), "use a;\n").len(), 1);
        let open = format!("//! Does it.\nlet a = 1; // {}: b\n", OPEN_WORK[0]);
        assert_eq!(check(Path::new("a.rs"), &open).len(), 1);
        let machine = format!("//! Does it.\nlet a = \"{}a\";\n", MACHINES[0]);
        assert_eq!(check(Path::new("a.rs"), &machine).len(), 1);
    }
}
