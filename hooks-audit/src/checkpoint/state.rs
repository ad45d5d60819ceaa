//! The evolving key of a log on the disk, shared by all processes that write checkpoints with it.
//!
//! A folder that nobody else may read holds `state`: the key as it is now, and the last note that was made with the key
//! before. A note is in there before it is anywhere else, and the state is replaced as a whole. So whoever comes next after
//! a process was killed puts the note where it belongs: no checkpoint is lost, and none is made twice.
//!
//! Whatever is wrong is an error: a state that is gone, damaged, or older than checkpoints that were made with it.

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

/// The first line of a state.
const VERSION: &str = "hooks-audit evolving key 1";
/// More than any state has.
const MOST_BYTES: u64 = 8 << 20;
/// How long is waited for others that make a checkpoint.
const LOCK: Duration = Duration::from_secs(2);

/// Why an evolving key cannot be used. None of these goes away by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// There is none.
    #[error(
        "there is no evolving key in `{0}`: make one with `hooks audit keygen --mac`; what was made with one that is lost \
         can still be checked with its first key"
    )]
    Missing(PathBuf),
    /// It is not as it was written.
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
        /// The folder of the key.
        folder: PathBuf,
        /// The number of the checkpoint that it would make.
        index: u64,
        /// That of one that was made.
        made: u64,
    },
    /// The folder cannot be read or written.
    #[error("the evolving key in `{folder}` cannot be used: {source}")]
    Disk {
        /// The folder of the key.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl From<StateError> for io::Error {
    fn from(error: StateError) -> Self {
        Self::other(error)
    }
}

/// What is in the file.
#[derive(Debug)]
pub(super) struct State {
    pub(super) key: EvolvingKey,
    /// The note made with the key before, and the name of the file it belongs into.
    pub(super) last: Option<(String, Note)>,
}

/// Puts the first state into `folder`, which is there and which nobody else may read.
///
/// # Errors
/// `AlreadyExists` where it holds a key, and whatever the disk answers.
pub fn begin(disk: &dyn LogDisk, folder: &Path, first: &FirstKey) -> io::Result<()> {
    let state = State { key: first.evolving(), last: None };
    disk.create(&file(folder), state.to_text().as_bytes())?;
    disk.sync_directory(folder)
}

/// The state in `folder`.
pub(super) fn read(disk: &dyn LogDisk, folder: &Path) -> Result<State, StateError> {
    let bytes = disk.read(&file(folder), MOST_BYTES).map_err(|source| in_folder(folder, source))?;
    let bytes = Zeroizing::new(bytes.ok_or_else(|| StateError::Missing(folder.to_owned()))?);
    let state = std::str::from_utf8(&bytes).ok().and_then(State::parse);
    state.ok_or_else(|| StateError::Damaged(folder.to_owned()))
}

/// Vouches for `text`, whose note belongs into the file of this name, in the state of `folder`. `deliver` puts the note
/// before where it belongs, in case that was not done; `made` says the highest number of a checkpoint that was made.
///
/// # Errors
/// Where the state is not what it has to be, `deliver` fails, or the disk does; the state is whole all the same. The answer
/// is the note, the number of its key, and the lock, so that the note is in its place before another one is made.
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

/// Writes the state through in place of the one before, which is gone then as far as the file system forgets.
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
        let sum = write_root(&Digest::of(&[text.as_bytes()]));
        Zeroizing::new(format!("{}{sum}\n", *text))
    }

    fn parse(text: &str) -> Option<Self> {
        let (above, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let covered = text.get(..above.len() + 1)?;
        if parse_root(sum)? != Digest::of(&[covered.as_bytes()]) {
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

/// The highest number of a checkpoint that a key of this line made, of those whose signatures stand in `bytes`.
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
