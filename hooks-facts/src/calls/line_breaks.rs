//! File names with line breaks, which Squad's patterns may match.
//!
//! The resolver rejects invisible characters in a path. In a dialect where a line break is an ordinary
//! character, the path is resolved with a private character in place of the line break. The file system is
//! asked for the real name.

use std::io;
use std::path::{Path, PathBuf};

use hooks_core::fs::{Entry, FileSystem};

/// Line breaks, each with its replacement.
const STAND_INS: [(char, char); 4] =
    [('\n', '\u{e00a}'), ('\r', '\u{e00d}'), ('\u{2028}', '\u{e028}'), ('\u{2029}', '\u{e029}')];

/// Replaces the line breaks of the path; `None` if it has none, or already contains a replacement.
pub(super) fn hidden(path: &str) -> Option<String> {
    let breaks = path.contains(STAND_INS.map(|(real, _)| real));
    let taken = path.contains(STAND_INS.map(|(_, stand_in)| stand_in));
    (breaks && !taken).then(|| replaced(path, |(real, stand_in)| (real, stand_in)))
}

/// Restores the line breaks of the text.
pub(super) fn shown(text: &str) -> String {
    replaced(text, |(real, stand_in)| (stand_in, real))
}

/// File system that restores the line breaks of a path before it looks the path up.
pub(super) struct RealNames<'a>(pub(super) &'a dyn FileSystem);

impl FileSystem for RealNames<'_> {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        self.0.entry(&real(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.read_link(&real(path))
    }
}

fn real(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), |path| shown(path).into())
}

fn replaced(text: &str, direction: impl Fn((char, char)) -> (char, char)) -> String {
    text.chars()
        .map(|c| {
            let pair = STAND_INS.into_iter().map(&direction).find(|(from, _)| *from == c);
            pair.map_or(c, |(_, to)| to)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_come_back() {
        let path = "a\nb\r\u{2028}c";
        let hidden = hidden(path).unwrap();
        assert!(!hidden.contains(['\n', '\r', '\u{2028}']));
        assert_eq!(shown(&hidden), path);
        assert_eq!(super::hidden("plain"), None);
        assert_eq!(super::hidden("a\n\u{e00a}"), None);
    }
}
