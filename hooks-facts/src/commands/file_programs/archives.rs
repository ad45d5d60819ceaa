//! Effects of archives on files: unpacking writes names that only the archive knows, packing may remove the
//! packed files.

use super::copies::inside;
use super::{Changes, has, operands, value};
use crate::commands::access::{AccessKind, Source};
use crate::commands::argument::Argument;

/// Letters of `tar` that take a value.
const TAR_VALUES: &str = "CFHIKLNTVXbfg";

/// Long options of `tar` that take a value.
const TAR_LONG: &[&str] = &[
    "directory",
    "exclude",
    "exclude-from",
    "file",
    "files-from",
    "group",
    "mode",
    "owner",
    "strip-components",
    "transform",
];

/// Options of `tar` with which files get other names.
const RENAMES: &[&str] = &["--strip", "--transform", "--xform", "--one-top-level", "--absolute", "--backup"];

/// Returns whether `tar` does something: the first word may be a bundle without a dash.
pub(in crate::commands) fn tar_mode(words: &[Argument], letter: char, long: &str) -> bool {
    let old = words.first().and_then(Argument::literal).filter(|text| !text.starts_with('-'));
    old.is_some_and(|old| old.contains(letter)) || has(words, letter, long)
}

/// Returns the files that `tar` packs.
pub(in crate::commands) fn packed_by_tar(words: &[Argument]) -> Vec<&Argument> {
    let old = words.first().and_then(Argument::literal).filter(|text| !text.starts_with('-'));
    // The values of a bundle without a dash follow it.
    let values = old.map_or(0, |old| 1 + old.matches(|c| "CTXbfg".contains(c)).count());
    operands(words, TAR_VALUES, TAR_LONG).into_iter().skip(values).collect()
}

/// Returns the files that `tar` packs, each seen from the folder of the last `-C` in front of it.
pub(in crate::commands) fn packed_in_folders(words: &[Argument]) -> Vec<Argument> {
    let files = packed_by_tar(words);
    let mut files = files.into_iter().peekable();
    let is_old =
        words.first().is_some_and(|word| !word.prefix().starts_with('-') && word.prefix().contains('C'));
    let mut folder = folders_of_tar(words).into_iter().next().filter(|_| is_old);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_folder = word.prefix().starts_with("--directory") || is_bundle_of(word.prefix(), 'C');
        let given = is_folder.then(|| value(words.get(at..)?, 'C', "--directory")).flatten();
        folder = match (folder, given) {
            (Some(before), Some(given))
                if !given.prefix().starts_with(['/', '~']) && before.len() < LONGEST =>
            {
                Some(inside(&before, &given))
            }
            (Some(_) | None, Some(given)) => Some(given),
            (folder, None) => folder,
        };
        if files.next_if(|file| std::ptr::eq(*file, word)).is_some() {
            found.push(folder.as_ref().map_or_else(|| word.clone(), |folder| inside(folder, word)));
        }
    }
    found
}

/// Longest folder to which another one is appended.
const LONGEST: usize = 4_096;

/// Returns the folders in which `tar` unpacks. Each `-C` is seen from the one before.
fn folders_of_tar(words: &[Argument]) -> Vec<Argument> {
    let old = words.first().and_then(Argument::literal).filter(|text| !text.starts_with('-'));
    if old.is_some_and(|old| old.contains('C')) {
        // Its value stands among those of other letters.
        let at = old
            .map_or(0, |old| old.chars().filter(|c| "CTXbfg".contains(*c)).take_while(|c| *c != 'C').count());
        return words.get(at + 1).cloned().into_iter().collect();
    }
    let mut folders: Vec<Argument> = Vec::new();
    for at in 0..words.len() {
        let Some(word) = words.get(at) else { break };
        let is_folder = word.prefix().starts_with("--directory") || is_bundle_of(word.prefix(), 'C');
        let Some(folder) = is_folder.then(|| value(words.get(at..)?, 'C', "--directory")).flatten() else {
            continue;
        };
        let folder = match folders.last() {
            Some(before) if !folder.prefix().starts_with(['/', '~']) => inside(before, &folder),
            _ => folder,
        };
        folders.push(folder);
    }
    if folders.is_empty() { vec![Argument::from(".")] } else { folders }
}

/// Returns whether a word is a bundle of letters with this one.
fn is_bundle_of(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|bundle| !bundle.starts_with('-') && bundle.contains(letter))
}

impl Changes<'_> {
    /// `tar xf ARCHIVE -C FOLDER`, `tar cf ARCHIVE FILES`.
    pub(super) fn tar(&mut self, words: &[Argument]) {
        let archive = || {
            let old = words.first().and_then(Argument::literal).filter(|text| !text.starts_with('-'));
            let is_old = old.is_some_and(|old| old.contains('f'));
            let archive = if is_old { words.get(1).cloned() } else { value(words, 'f', "--file") };
            archive.filter(|archive| archive.literal() != Some("-"))
        };
        if tar_mode(words, 'x', "--extract") || tar_mode(words, 'x', "--get") {
            if !tar_mode(words, 'O', "--to-stdout") {
                // With these options, the files have other names than in the archive.
                let is_renamed =
                    words.iter().any(|word| RENAMES.iter().any(|it| word.prefix().starts_with(it)))
                        || has(words, 's', "--ignore-zeros")
                        || has(words, 'i', "--ignore-zeros");
                let source = archive().filter(|_| !is_renamed).map(Source::Archive);
                for folder in folders_of_tar(words) {
                    self.fills_from(&folder, source.clone());
                }
            }
        } else if ["--create", "--append", "--update"]
            .into_iter()
            .zip(['c', 'r', 'u'])
            .any(|(long, letter)| tar_mode(words, letter, long))
        {
            if let Some(archive) = archive() {
                self.one(&archive, AccessKind::Changed);
            }
            if words.iter().any(|word| word.prefix().starts_with("--remove")) {
                self.packed(words);
            }
        }
    }

    /// `tar cf ARCHIVE --remove-files FILES` removes the files.
    fn packed(&mut self, words: &[Argument]) {
        let folder = value(words, 'C', "--directory");
        for file in packed_by_tar(words) {
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
        // A dash is the output.
        if archive.literal() != Some("-") {
            self.one(archive, AccessKind::Changed);
        }
        if has(words, 'm', "--move") {
            self.all(files, AccessKind::Removed);
        }
    }

    /// `7z x ARCHIVE -oFOLDER`, `7z a ARCHIVE FILES`; `-sdel` removes the files.
    pub(super) fn seven_zip(&mut self, words: &[Argument]) {
        let files = operands(words, "", &[]);
        let Some((command, files)) = files.split_first() else { return };
        match command.prefix() {
            // `e` leaves out the folders of the files.
            command @ ("x" | "e") => {
                let archive = files.first().filter(|_| command == "x");
                let folder = words.iter().find_map(|word| word.strip_prefix("-o"));
                let folder = folder.filter(|folder| folder.len() > 0).unwrap_or_else(|| Argument::from("."));
                self.fills_from(&folder, archive.map(|archive| Source::Archive((*archive).clone())));
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
            // `-j` leaves out the folders of the files.
            let archive = operands(words, "dxP", &[]).first().copied().filter(|_| !has(words, 'j', "--junk"));
            let archive = archive.map(|archive| Source::Archive(archive.clone()));
            self.fills_from(&value(words, 'd', "").unwrap_or_else(|| Argument::from(".")), archive);
        }
    }
}
