//! What unpacking writes: files whose names only the archive knows.

use super::{Changes, has, value};
use crate::commands::analysis::WriteKind;
use crate::commands::argument::Argument;

impl Changes<'_> {
    /// `tar xf ARCHIVE -C FOLDER`, `tar cf ARCHIVE FILES`.
    pub(super) fn tar(&mut self, words: &[Argument]) {
        let Some(first) = words.first() else { return };
        // The first word may be a bundle without a dash.
        let old = first.literal().filter(|text| !text.starts_with('-')).unwrap_or_default();
        let mode = |letter: char, long: &str| old.contains(letter) || has(words, letter, long);
        if mode('x', "--extract") || mode('x', "--get") {
            let prints = mode('O', "--to-stdout");
            let folder = value(words, 'C', "--directory").unwrap_or_else(|| Argument::from("."));
            if !prints {
                self.fills(&folder);
            }
        } else if mode('c', "--create") || mode('r', "--append") || mode('u', "--update") {
            let archive = if old.contains('f') { words.get(1).cloned() } else { value(words, 'f', "--file") };
            if let Some(archive) = archive.filter(|archive| archive.literal() != Some("-")) {
                self.one(&archive, WriteKind::Changed);
            }
        }
    }

    /// `unzip ARCHIVE -d FOLDER`; with some options it only looks.
    pub(super) fn unzip(&mut self, words: &[Argument]) {
        let looks = ['l', 'p', 't', 'v', 'z', 'Z', 'c'];
        if !looks.into_iter().any(|letter| has(words, letter, "--help")) {
            self.fills(&value(words, 'd', "").unwrap_or_else(|| Argument::from(".")));
        }
    }
}
