//! Files written by creating or mounting a file system: a file is formatted like a device, and a mount hides
//! the files below it.

use super::{Changes, operands};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Returns whether a program creates a file system in its operand.
pub(super) fn formats(name: &str) -> bool {
    matches!(
        name,
        "mke2fs" | "mkfs" | "mkswap" | "mkdosfs" | "mkntfs" | "mksquashfs" | "wipefs" | "cryptsetup"
    ) || name.starts_with("mkfs.")
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
