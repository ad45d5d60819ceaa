//! The evolving key of a log on disk, shared by all processes that make checkpoints with it.
//!
//! A folder that no other user may read holds `state`: the present key, and the last note that was made with
//! the previous key. A note is stored there before it is stored anywhere else, and the state is replaced as a
//! whole. If a process is killed, the next one adds the note to its file: no checkpoint is lost, and none is
//! made twice.
//!
//! Any defect is an error: a state that is missing, damaged, or older than checkpoints that were made with
//! it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hooks_core::fs::{DiskLock, LogDisk};
use zeroize::Zeroizing;

use super::body::{parse_number, parse_root, write_root};
use super::evolve::{EvolvingKey, FirstKey, index_of};
use super::key::is_name;
use super::note::{Note, Signature};
use crate::chain::Digest;

/// First line of a state.
const VERSION: &str = "hooks-audit evolving key 1";
/// Longer than any state, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// Time to wait for other processes that make a checkpoint.
const LOCK: Duration = Duration::from_secs(2);

/// Reason why an evolving key cannot be used. Each needs an action of the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The folder has no key.
    #[error(
        "there is no evolving key in `{0}`: make one with `hooks audit keygen --mac`; what was made with one that is lost \
         can still be checked with its first key"
    )]
    Missing(PathBuf),
    /// The state cannot be parsed, or its sum is wrong.
    #[error(
        "the evolving key in `{0}` is damaged; move the folder away and make another key with `hooks audit keygen --mac`"
    )]
    Damaged(PathBuf),
    /// Checkpoints were made with later keys.
    #[error(
        "the evolving key in `{folder}` was put back: it would make checkpoint {index}, and checkpoint {made} was made; \
         make another key with `hooks audit keygen --mac`"
    )]
    PutBack {
        /// Folder of the key.
        folder: PathBuf,
        /// Number of the next checkpoint that the key would make.
        index: u64,
        /// Number of a checkpoint that was already made.
        made: u64,
    },
    /// The folder cannot be read or written.
    #[error("the evolving key in `{folder}` cannot be used: {source}")]
    Disk {
        /// Folder of the key.
        folder: PathBuf,
        /// Error of the disk.
        #[source]
        source: io::Error,
    },
}

impl From<StateError> for io::Error {
    fn from(error: StateError) -> Self {
        Self::other(error)
    }
}

/// Content of the file.
#[derive(Debug)]
pub(super) struct State {
    pub(super) key: EvolvingKey,
    /// Note made with the previous key, and the name of the file for it.
    pub(super) last: Option<(String, Note)>,
}

/// Writes the first state to `folder`, which has to exist and must not be readable by other users.
///
/// # Errors
/// Returns `AlreadyExists` if the folder has a key; any other error if the disk fails.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::checkpoint::{CheckpointWriter, Checkpoints, FirstKey, Signer, Zeroizing, begin};
/// use hooks_core::testing::FakeDisk;
///
/// let disk = Arc::new(FakeDisk::default().with_directory("/key").with_directory("/elsewhere"));
/// let open = || {
///     let signer = Signer::Evolving("/key".into());
///     CheckpointWriter::open(disk.clone(), Checkpoints { folder: "/elsewhere".into(), signer })
/// };
/// let error = open().err().map(|error| error.to_string()).unwrap_or_default();
/// assert!(error.starts_with("there is no evolving key in `/key`"));
/// begin(&*disk, Path::new("/key"), &FirstKey::new("example.com/build7", &Zeroizing::new([5; 32]))?)?;
/// assert_eq!(open()?.name(), "example.com/build7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn begin(disk: &dyn LogDisk, folder: &Path, first: &FirstKey) -> io::Result<()> {
    let state = State { key: first.evolving(), last: None };
    disk.create(&file(folder), state.to_text().as_bytes())?;
    disk.sync_directory(folder)
}

/// Reads the state in `folder`.
pub(super) fn read(disk: &dyn LogDisk, folder: &Path) -> Result<State, StateError> {
    let bytes = disk.read(&file(folder), MOST_BYTES).map_err(|source| in_folder(folder, source))?;
    let bytes = Zeroizing::new(bytes.ok_or_else(|| StateError::Missing(folder.to_owned()))?);
    let state = std::str::from_utf8(&bytes).ok().and_then(State::parse);
    state.ok_or_else(|| StateError::Damaged(folder.to_owned()))
}

/// Seals `text` with the key in `folder`; `name` is the file for the note. Before that, `deliver` adds the
/// previous note to its file if it is not there. `made` returns the highest number of an existing checkpoint.
///
/// Returns the note, the number of its key, and the lock. Hold the lock until the note is in its file, so
/// that no other note is made before.
///
/// # Errors
/// Returns an error if the state is not valid, or if `made`, `deliver` or the disk fails; the state on disk
/// is complete all the same.
pub(super) fn seal(
    disk: &dyn LogDisk,
    folder: &Path,
    (name, text): (&str, &str),
    made: impl FnOnce(&EvolvingKey) -> io::Result<Option<u64>>,
    deliver: impl FnOnce(&EvolvingKey, &str, &Note) -> io::Result<()>,
) -> io::Result<(Note, u64, DiskLock)> {
    let lock = disk.lock(&folder.join("lock"), LOCK).map_err(|source| in_folder(folder, source))?;
    let mut state = read(disk, folder)?;
    let index = state.key.index();
    if let Some(made) = made(&state.key)?.filter(|made| *made >= index) {
        return Err(StateError::PutBack { folder: folder.to_owned(), index, made }.into());
    }
    if let Some((name, note)) = &state.last {
        deliver(&state.key, name, note)?;
    }
    let signatures = vec![state.key.seal(text)];
    let note = Note { text: text.to_owned(), signatures };
    state.last = Some((name.to_owned(), note.clone()));
    replace(disk, folder, &state).map_err(|source| in_folder(folder, source))?;
    Ok((note, index, lock))
}

/// Replaces the state by a synced new one. The file system may keep the blocks of the old state.
fn replace(disk: &dyn LogDisk, folder: &Path, state: &State) -> io::Result<()> {
    let new = folder.join("state.new");
    match disk.remove(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    disk.create(&new, state.to_text().as_bytes())?;
    disk.rename(&new, &file(folder))?;
    disk.sync_directory(folder)
}

impl State {
    fn to_text(&self) -> Zeroizing<String> {
        let EvolvingKey { name, id, index, key } = &self.key;
        let key = Zeroizing::new(STANDARD.encode(**key));
        let (to, note) = match &self.last {
            Some((to, note)) => (&**to, STANDARD.encode(note.to_string())),
            None => ("", String::new()),
        };
        let id = u32::from_be_bytes(*id);
        let text = Zeroizing::new(format!("{VERSION}\n{name}\n{id:08x}\n{index}\n{}\n{to}\n{note}\n", *key));
        let sum = write_root(&Digest::hash(&[text.as_bytes()]));
        Zeroizing::new(format!("{}{sum}\n", *text))
    }

    fn parse(text: &str) -> Option<Self> {
        let (above, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let covered = text.get(..above.len() + 1)?;
        if parse_root(sum)? != Digest::hash(&[covered.as_bytes()]) {
            return None;
        }
        let mut lines = above.split('\n');
        let (version, name, id_hex) = (lines.next()?, lines.next()?, lines.next()?);
        let (index, key, to, note) = (lines.next()?, lines.next()?, lines.next()?, lines.next()?);
        let mut id = [0; 4];
        crate::chain::parse_hex(id_hex.as_bytes(), &mut id)?;
        let key = Zeroizing::new(parse_root(key)?.0);
        let last = if to.is_empty() {
            None
        } else {
            let note = String::from_utf8(STANDARD.decode(note).ok()?).ok()?;
            Some((to.to_owned(), Note::parse(&note)?))
        };
        let fits = version == VERSION && is_name(name) && lines.next().is_none();
        let key = EvolvingKey { name: name.to_owned(), id, index: parse_number(index)?, key };
        fits.then_some(Self { key, last })
    }
}

/// The highest number among the signature lines in `bytes` that belong to this key.
pub(super) fn highest(key: &EvolvingKey, bytes: &[u8]) -> Option<u64> {
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let ours = lines.filter_map(Signature::parse).filter(|line| key.is_of(line));
    ours.filter_map(|line| index_of(&line)).max()
}

fn file(folder: &Path) -> PathBuf {
    folder.join("state")
}

fn in_folder(folder: &Path, source: io::Error) -> StateError {
    StateError::Disk { folder: folder.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_is_written_and_no_part_of_it() {
        let first = FirstKey::new("example.com/a", &Zeroizing::new([7; 32])).unwrap();
        let mut key = first.evolving();
        let note = Note { text: "text\n".to_owned(), signatures: vec![key.seal("text\n")] };
        for last in [None, Some(("w0.checkpoints".to_owned(), note))] {
            let state = State { key: key.clone(), last };
            let text = state.to_text();
            let again = State::parse(&text).unwrap();
            assert_eq!((&again.key, &again.last), (&state.key, &state.last));
            for end in 0..text.len() {
                assert!(State::parse(text.get(..end).unwrap()).is_none(), "{end}");
            }
            for at in 0..text.len() {
                let mut changed = text.as_bytes().to_vec();
                changed[at] ^= 1;
                assert!(String::from_utf8(changed).is_ok_and(|text| State::parse(&text).is_none()));
            }
        }
    }
}
