//! Contents under their digests.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::error::SnapshotError;
use crate::tree::Id;

/// Bytes that are read at once. A file up to this size is not written at all if its content is stored already.
const PIECE: usize = 1 << 20;

/// A folder of contents. A file appears there whole.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    folder: PathBuf,
    temporary: PathBuf,
    /// Bytes that were written since it was opened.
    written: Arc<AtomicU64>,
}

pub(crate) fn hex(id: &Id) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn digest(bytes: &[u8]) -> Id {
    Sha256::digest(bytes).into()
}

impl Blobs {
    pub(crate) fn new(folder: PathBuf, temporary: PathBuf) -> Self {
        Self { folder, temporary, written: Arc::default() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that were written since the last call.
    pub(crate) fn take_written(&self) -> u64 {
        self.written.swap(0, Ordering::Relaxed)
    }

    /// Place of a content.
    pub(crate) fn place(&self, id: &Id) -> PathBuf {
        let name = hex(id);
        let (folder, rest) = name.split_at_checked(2).unwrap_or(("", &name));
        self.folder.join(folder).join(rest)
    }

    /// Whether a content of this length is stored. One that was cut off by a loss of power is stored anew.
    fn has(&self, id: &Id, length: usize) -> bool {
        self.place(id).symlink_metadata().is_ok_and(|about| about.len() == length as u64)
    }

    /// Stores bytes.
    pub(crate) fn keep(&self, bytes: &[u8]) -> Result<Id, SnapshotError> {
        let id = digest(bytes);
        if !self.has(&id, bytes.len()) {
            let (file, place) = self.begin()?;
            self.finish(file, &place, bytes, &id)?;
        }
        Ok(id)
    }

    /// Stores the content of a file; returns its digest and its length.
    /// The outer error is about the store, the inner one about the file.
    pub(crate) fn keep_file(&self, from: &mut File) -> Result<io::Result<(Id, u64)>, SnapshotError> {
        let mut piece = Vec::new();
        if let Err(error) = read_piece(from, &mut piece) {
            return Ok(Err(error));
        }
        if piece.len() < PIECE {
            return Ok(Ok((self.keep(&piece)?, piece.len() as u64)));
        }
        let (mut file, place) = self.begin()?;
        let (mut hasher, mut length) = (Sha256::new(), 0_u64);
        while !piece.is_empty() {
            hasher.update(&piece);
            length = length.saturating_add(piece.len() as u64);
            file.write_all(&piece).map_err(SnapshotError::io(&place))?;
            if let Err(error) = read_piece(from, &mut piece) {
                drop(fs::remove_file(&place));
                return Ok(Err(error));
            }
        }
        let id = hasher.finalize().into();
        self.finish(file, &place, &[], &id)?;
        Ok(Ok((id, length)))
    }

    /// Reads a content, and checks it.
    pub(crate) fn read(&self, id: &Id) -> Result<Vec<u8>, SnapshotError> {
        let place = self.place(id);
        let bytes = fs::read(&place).map_err(|_| SnapshotError::Damaged(place.clone()))?;
        if digest(&bytes) == *id { Ok(bytes) } else { Err(SnapshotError::Damaged(place)) }
    }

    /// Checks a content without keeping it in memory.
    pub(crate) fn check(&self, id: &Id) -> Result<(), SnapshotError> {
        let place = self.place(id);
        let found = File::open(&place).and_then(digest_file);
        if found.is_ok_and(|found| found == *id) { Ok(()) } else { Err(SnapshotError::Damaged(place)) }
    }

    fn begin(&self) -> Result<(File, PathBuf), SnapshotError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = self.temporary.join(format!("{}-{number}", std::process::id()));
        Ok((File::create(&place).map_err(SnapshotError::io(&place))?, place))
    }

    fn finish(&self, mut file: File, from: &Path, bytes: &[u8], id: &Id) -> Result<(), SnapshotError> {
        file.write_all(bytes).map_err(SnapshotError::io(from))?;
        let length = file.metadata().map_or(0, |about| about.len());
        self.written.fetch_add(length, Ordering::Relaxed);
        drop(file);
        let to = self.place(id);
        let folder = to.parent().unwrap_or(&self.folder);
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(SnapshotError::io(folder)(error));
            }
            _ => {}
        }
        fs::rename(from, &to).map_err(SnapshotError::io(&to))
    }
}

/// The digest of a file's content.
pub(crate) fn digest_file(mut file: File) -> io::Result<Id> {
    let (mut hasher, mut piece) = (Sha256::new(), Vec::new());
    read_piece(&mut file, &mut piece)?;
    while !piece.is_empty() {
        hasher.update(&piece);
        read_piece(&mut file, &mut piece)?;
    }
    Ok(hasher.finalize().into())
}

/// Reads the next piece of a file; an empty one at its end.
fn read_piece(from: &mut File, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    from.take(PIECE as u64).read_to_end(piece).map(drop)
}
