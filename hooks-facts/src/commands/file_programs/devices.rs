//! What makes or mounts a file system writes: a file is formatted like a device, and a mount hides what was there.

use super::{Changes, operands};
use crate::commands::analysis::WriteKind;
use crate::commands::argument::Argument;

/// Whether a program makes a file system of what it is given.
pub(super) fn formats(name: &str) -> bool {
    matches!(
        name,
        "mke2fs" | "mkfs" | "mkswap" | "mkdosfs" | "mkntfs" | "mksquashfs" | "wipefs" | "cryptsetup"
    ) || name.starts_with("mkfs.")
}

impl Changes<'_> {
    /// `mkfs.ext4 FILE`: one operand is the file, another its size.
    pub(super) fn formatted(&mut self, words: &[Argument]) {
        self.all(&operands(words, "CEGILMNOTUbdegijlmort", &["type"]), WriteKind::Changed);
    }

    /// `mount --bind A B`: another tree stands where `B` was.
    pub(super) fn mounted(&mut self, words: &[Argument]) {
        let long = ["options", "types", "source", "target", "label", "uuid"];
        if let [.., _, target] = operands(words, "LNOUot", &long).as_slice() {
            self.fills(target);
        }
        self.output(words, '\0', "--target");
    }
}
