//! Files written by creating or mounting a file system: a file is formatted like a device, and a mount hides
//! the files below it.

use super::{Changes, has, operands};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Returns whether a program creates a file system in its operand.
pub(super) fn formats(name: &str) -> bool {
    matches!(
        name,
        "mke2fs" | "mkfs" | "mkswap" | "mkdosfs" | "mkntfs" | "mksquashfs" | "wipefs" | "cryptsetup"
    ) || name.starts_with("mkfs.")
}

/// Returns whether a program that creates file systems only shows or tries: `wipefs -n`, `cryptsetup luksDump`.
pub(super) fn only_tries(name: &str, words: &[Argument]) -> bool {
    match name {
        "wipefs" => has(words, 'n', "--no-act") || !(has(words, 'a', "--all") || has(words, 'o', "--offset")),
        "mke2fs" | "mkfs.ext2" | "mkfs.ext3" | "mkfs.ext4" => has(words, 'n', "--dry-run"),
        "cryptsetup" => words.iter().any(|word| {
            matches!(
                word.prefix(),
                "luksDump"
                    | "isLuks"
                    | "status"
                    | "open"
                    | "close"
                    | "luksOpen"
                    | "luksClose"
                    | "benchmark"
                    | "luksHeaderBackup"
            )
        }),
        _ => false,
    }
}

impl Changes<'_> {
    /// `mkfs.ext4 FILE`: one operand is the file, another its size.
    pub(super) fn formatted(&mut self, words: &[Argument]) {
        self.all(&operands(words, "CEGILMNOTUbdegijlmort", &["type"]), AccessKind::Changed);
    }

    /// `mount --bind A B`: another tree takes the place of `B`.
    pub(super) fn mounted(&mut self, words: &[Argument]) {
        let long = ["options", "types", "source", "target", "label", "uuid"];
        if let [.., _, target] = operands(words, "LNOUot", &long).as_slice() {
            self.fills(target);
        }
        self.output(words, '\0', "--target");
    }
}
