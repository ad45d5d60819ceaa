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
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of several texts, none of which can pass for a part of another.
pub(crate) fn digest_of(parts: &[&str]) -> String {
    digest(&parts.iter().map(|part| format!("{}:{part}", part.len())).collect::<String>())
}
