//! Effects of archives on files: unpacking writes names that only the archive knows, packing may remove the
//! packed files.

use super::copies::inside;
use super::{Changes, has, operands, value};
use crate::commands::access::{AccessKind, Source};
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
            let archive = if old.contains('f') { words.get(1).cloned() } else { value(words, 'f', "--file") };
            let archive = archive.filter(|archive| archive.literal() != Some("-")).map(Source::Archive);
            if !prints {
                self.fills_from(&folder, archive);
            }
        } else if mode('c', "--create") || mode('r', "--append") || mode('u', "--update") {
            let archive = if old.contains('f') { words.get(1).cloned() } else { value(words, 'f', "--file") };
            if let Some(archive) = archive.filter(|archive| archive.literal() != Some("-")) {
                self.one(&archive, AccessKind::Changed);
            }
            if words.iter().any(|word| word.prefix().starts_with("--remove")) {
                self.packed(words, old);
            }
        }
    }

    /// `tar cf ARCHIVE --remove-files FILES` removes the files.
    fn packed(&mut self, words: &[Argument], old: &str) {
        let long = [
            "directory",
            "exclude",
            "exclude-from",
            "file",
            "files-from",
            "group",
            "mode",
            "owner",
            "transform",
        ];
        let files = operands(words, "CFHIKLNTVXbfg", &long);
        // The values of a bundle without a dash follow it.
        let values = if old.is_empty() { 0 } else { 1 + old.matches(['C', 'T', 'X', 'b', 'f', 'g']).count() };
        let folder = value(words, 'C', "--directory");
        for file in files.into_iter().skip(values) {
            // The name of the folder is part of each name, so many of them would be too long.
            if self.walk.is_spent() {
                return;
            }
            self.one(file, AccessKind::Removed);
            if let Some(folder) = &folder {
                self.one(&inside(folder, file), AccessKind::Removed);
            }
        }
    }

    /// `zip ARCHIVE FILES`; `-m` removes the files.
    pub(super) fn zip(&mut self, words: &[Argument]) {
        let files = operands(words, "bnxit", &[]);
        let Some((archive, files)) = files.split_first() else { return };
        self.one(archive, AccessKind::Changed);
        if has(words, 'm', "--move") {
            self.all(files, AccessKind::Removed);
        }
    }

    /// `7z x ARCHIVE -oFOLDER`, `7z a ARCHIVE FILES`; `-sdel` removes the files.
    pub(super) fn seven_zip(&mut self, words: &[Argument]) {
        let files = operands(words, "", &[]);
        let Some((command, files)) = files.split_first() else { return };
        match command.prefix() {
            "x" | "e" => {
                let folder = words.iter().find_map(|word| word.strip_prefix("-o"));
                let folder = folder.filter(|folder| folder.len() > 0).unwrap_or_else(|| Argument::from("."));
                self.fills_from(&folder, files.first().map(|archive| Source::Archive((*archive).clone())));
            }
            "a" | "u" | "d" | "rn" => {
                let Some((archive, files)) = files.split_first() else { return };
                self.one(archive, AccessKind::Changed);
                if words.iter().any(|word| word.literal() == Some("-sdel")) {
                    self.all(files, AccessKind::Removed);
                }
            }
            _ => {}
        }
    }

    /// `unzip ARCHIVE -d FOLDER`; with some options it only reads.
    pub(super) fn unzip(&mut self, words: &[Argument]) {
        let looks = ['l', 'p', 't', 'v', 'z', 'Z', 'c'];
        if !looks.into_iter().any(|letter| has(words, letter, "--help")) {
            let archive =
                operands(words, "dxP", &[]).first().map(|archive| Source::Archive((*archive).clone()));
            self.fills_from(&value(words, 'd', "").unwrap_or_else(|| Argument::from(".")), archive);
        }
    }
}
