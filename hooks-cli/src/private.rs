//! Files of the user's state, which only this user can read.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

/// Creates a folder, and those above it.
#[cfg(unix)]
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a folder, and those above it.
#[cfg(not(unix))]
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Writes a file in one step: other processes see the old text or the new one.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    draft(path, text)?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file that does not exist. Returns whether it did not.
pub(crate) fn create(path: &Path, text: &[u8]) -> io::Result<bool> {
    match draft(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

fn draft(path: &Path, text: &[u8]) -> io::Result<NamedTempFile> {
    let beside = path.parent().unwrap_or(Path::new("."));
    folder(beside)?;
    let mut file = NamedTempFile::new_in(beside)?;
    file.write_all(text)?;
    Ok(file)
}

/// SHA-256 of a text, in hexadecimal digits: the name of a file for a text that can have any characters.
pub(crate) fn digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// SHA-256 of several texts, none of which can pass for a part of another.
#[derive(Default)]
pub(crate) struct Digested(Sha256);

impl Digested {
    /// Adds a text.
    pub(crate) fn add(&mut self, text: &str) {
        self.0.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(text);
    }

    /// The digest, in hexadecimal digits.
    pub(crate) fn end(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
