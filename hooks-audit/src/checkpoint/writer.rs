//! Writes checkpoints down: signs them, and adds them to their file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use super::body::Checkpoint;
use super::evolve::EvolvingKey;
use super::file::{ENDING, FLEET, GAP, Pieces};
use super::fleet::{Fleet, Head};
use super::key::{SigningKey, is_sum, sum};
use super::note::Note;
use super::put_back::{PutBack, contradicted};
use super::state::{self, StateError};
use super::{UNNAMED, Verifier};
use crate::chain::Digest;
use crate::mutant::{self, Mutant};
use crate::segment::is_chain;

/// How much of the end of a file is looked at: more than two checkpoints of a chain.
const TAIL: u64 = 8 << 10;
/// How much of the end of a file of notes over many chains is looked at for one chain: a note over a thousand.
const FLEET_TAIL: u64 = 128 << 10;
/// The most bytes of a file of notes over many chains.
const MOST_BYTES: u64 = 1 << 30;

/// Where checkpoints are kept, and who vouches for them.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// The folder, best where who can write the log can add, but change nothing. It has to be there.
    pub folder: PathBuf,
    /// Who vouches for them.
    pub signer: Signer,
}

/// Who vouches for checkpoints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Signer {
    /// Nobody: they are worth as much as the place where they are kept.
    Nobody,
    /// Who has this key.
    Ed25519(Arc<SigningKey>),
    /// Who has the evolving key in this folder.
    Evolving(PathBuf),
}

/// Writes checkpoints down. One for each process and folder; several processes may write at a time.
pub struct CheckpointWriter {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    signer: Signer,
    name: String,
    /// The files that end with a whole note, and whose end was compared with what is written now.
    known: BTreeSet<String>,
    /// Of a file, the checkpoint with which its chain was compared last, and whether it was what that says.
    compared: BTreeMap<String, ((u64, Digest), bool)>,
    /// Of an evolving key: the number of the last checkpoint that this process made and knows to be in its file.
    delivered: Option<u64>,
}

impl CheckpointWriter {
    /// Makes sure that the key can be used; the folder of the checkpoints is not looked at.
    ///
    /// # Errors
    /// Where the key cannot be used.
    pub fn open(disk: Arc<dyn LogDisk>, checkpoints: Checkpoints) -> Result<Self, StateError> {
        let Checkpoints { folder, signer } = checkpoints;
        let name = match &signer {
            Signer::Nobody => UNNAMED.to_owned(),
            Signer::Ed25519(key) => key.verifier().name().to_owned(),
            Signer::Evolving(key) => state::read(&*disk, key)?.key.name().to_owned(),
        };
        Ok(Self {
            disk,
            folder,
            signer,
            name,
            known: BTreeSet::new(),
            compared: BTreeMap::new(),
            delivered: None,
        })
    }

    /// The name of the log: that of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of the checkpoints.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many records the last checkpoint here is over, by the same key, of `chain` alone or of all chains; `None` where
    /// there is none.
    ///
    /// # Errors
    /// Whatever the disk answers.
    pub fn last_of(&self, chain: &str) -> io::Result<Option<u64>> {
        let origin = Checkpoint::of_chain(&self.name, chain, 0, Digest::default()).origin;
        let alone = self.last(&format!("{chain}.{ENDING}"), &origin)?.map(|last| last.size);
        Ok(alone.max(self.last_in_fleet(chain)?.map(|(size, _)| size)))
    }

    /// Writes down that `chain` has `size` records with this `root`. Nothing is written where that is the last thing that
    /// was. `was` says the root over the first records of the chain, so many of them, as it is now, and `None` where those
    /// are gone: [`Appender::root_of`](crate::Appender::root_of). It is asked once for each chain, where there is an older
    /// checkpoint, and after that only where writing failed. The last note over many chains counts as well, where it is by
    /// the same key, says more than the last checkpoint of the chain, and it can be told which of its logs this is: the only
    /// one, or the one of this name.
    ///
    /// # Errors
    /// [`PutBack`] where the last checkpoint says that the chain had more records, or others; where the key cannot be
    /// used; those of `was`, and whatever the disk answers.
    pub fn write_chain(
        &mut self,
        chain: &str,
        size: u64,
        root: Digest,
        was: impl FnOnce(u64) -> io::Result<Option<Digest>>,
    ) -> io::Result<()> {
        let checkpoint = Checkpoint::of_chain(&self.name, chain, size, root);
        let file = format!("{chain}.{ENDING}");
        if !self.known.contains(&file) {
            let of_chain = self.last(&file, &checkpoint.origin)?.map(|last| (last.size, last.root));
            if of_chain == Some((size, root)) {
                return self.sync(&file);
            }
            // The newer of both stands for the other one, with which it was compared.
            let of_fleet =
                self.last_in_fleet(chain)?.filter(|said| of_chain.is_none_or(|last| said.0 > last.0));
            let fleet = format!("{FLEET}.{ENDING}");
            let said_in = if of_fleet.is_some() { &fleet } else { &file };
            if let Some(says) = of_fleet.or(of_chain)
                && says != (size, root)
                && (says.0 >= size || !self.is_still(&file, says, was)?)
            {
                return Err(self.put_back(chain, size, says.0, said_in));
            }
        }
        self.write(&file, &checkpoint.to_string())?;
        self.compared.insert(file, ((size, root), true));
        Ok(())
    }

    /// Writes down what all chains were, in one note, which is the answer. `was` says the root over as many records of a
    /// chain as a head of an older note says, as it is now, and `None` where they are gone:
    /// [`verify::root_of`](crate::verify::root_of). Reads all notes over many chains that are there.
    ///
    /// # Errors
    /// [`PutBack`] where a chain is missing that was in the last note with its log, or had more records then, or others, and
    /// where the last checkpoint of a single chain, by the same key and of the only log or the one of that name, says so;
    /// where the key cannot be used; those of `was`, and whatever the disk answers.
    pub fn write_fleet(
        &mut self,
        fleet: &Fleet,
        mut was: impl FnMut(&Head) -> io::Result<Option<Digest>>,
    ) -> io::Result<Note> {
        let checkpoint = fleet.checkpoint(&self.name);
        let file = format!("{FLEET}.{ENDING}");
        let before = self.last_heads(&file, &checkpoint.origin, fleet)?;
        if let Some((old, size)) = contradicted(&before, fleet, &mut was)? {
            return Err(self.put_back(&old.chain, size, old.size, &file));
        }
        for (file, old) in self.last_of_chains(fleet)? {
            let now = fleet.of(&old.log, &old.chain);
            let size = now.map_or(0, |now| now.size);
            let is_now = now.is_some_and(|now| (now.size, now.root) == (old.size, old.root));
            // A chain that others write may have become longer since, and have got its checkpoint.
            let is_right = is_now
                || match was(&old) {
                    Ok(root) => root.map_or(old.size < size, |root| root == old.root),
                    Err(error) if error.kind() == ErrorKind::InvalidData => false,
                    Err(error) => return Err(error),
                };
            if !is_right {
                return Err(self.put_back(&old.chain, size, old.size, &file));
            }
        }
        self.write(&file, &checkpoint.to_string())
    }

    /// Whether a chain that has grown beyond what its last checkpoint `says`, and has its own in `file`, still begins with that.
    /// The answer is kept: a chain that was put back is not read again with each pause.
    fn is_still(
        &mut self,
        file: &str,
        says: (u64, Digest),
        was: impl FnOnce(u64) -> io::Result<Option<Digest>>,
    ) -> io::Result<bool> {
        if let Some((_, is_still)) = self.compared.get(file).filter(|(compared, _)| *compared == says) {
            return Ok(*is_still);
        }
        let is_still = match was(says.0) {
            Ok(root) => root.is_none_or(|root| root == says.1) || mutant::is(Mutant::ComparesNoRoot),
            // Records that are damaged are others.
            Err(error) if error.kind() == ErrorKind::InvalidData => false,
            Err(error) => return Err(error),
        };
        self.compared.insert(file.to_owned(), (says, is_still));
        Ok(is_still)
    }

    fn put_back(&self, chain: &str, size: u64, says: u64, file: &str) -> io::Error {
        let file = self.folder.join(file).display().to_string();
        PutBack { chain: chain.to_owned(), size, says, file }.into()
    }

    /// Signs a text and adds it to a file.
    fn write(&mut self, file: &str, text: &str) -> io::Result<Note> {
        let line = match &self.signer {
            Signer::Nobody => sum(&self.name, text),
            Signer::Ed25519(key) => key.sign(text),
            Signer::Evolving(key) => {
                let key = key.clone();
                return self.write_evolving(&key, file, text);
            }
        };
        let note = Note { text: text.to_owned(), signatures: vec![line] };
        self.add(file, &note)?;
        Ok(note)
    }

    fn write_evolving(&mut self, state: &Path, file: &str, text: &str) -> io::Result<Note> {
        let disk = Arc::clone(&self.disk);
        // What this process made is not asked for on the disk.
        let own = self.delivered;
        let folder = self.folder.clone();
        let made = |key: &EvolvingKey| match own {
            Some(own) => Ok(Some(own)),
            None => highest(&*disk, &folder, key),
        };
        let deliver = |key: &EvolvingKey, name: &str, note: &Note| {
            if own.is_some_and(|own| own + 1 == key.index()) {
                return Ok(());
            }
            // Who made it may have been killed before its state was sure to stay, or the note in its file.
            disk.sync_directory(state)?;
            if self.ends_with(name, note)? { self.sync(name) } else { self.add(name, note) }
        };
        let (note, index, lock) = state::seal(&*disk, state, (file, text), made, deliver)?;
        self.add(file, &note)?;
        drop(lock);
        self.delivered = Some(index);
        Ok(note)
    }

    /// Adds a note to a file, through to the device.
    fn add(&mut self, file: &str, note: &Note) -> io::Result<()> {
        let path = self.folder.join(file);
        // Behind what an interrupted writer may have left, and what failed here a moment ago.
        let is_known = self.known.remove(file);
        let is_new = !is_known && self.disk.entry(&path)?.is_none();
        let gap = if is_known || is_new { "" } else { GAP };
        self.disk.append(&path, format!("{gap}{note}").as_bytes()).map_err(|error| at(&path, &error))?;
        if is_new {
            self.disk.sync_directory(&self.folder)?;
        }
        self.known.insert(file.to_owned());
        Ok(())
    }

    /// Writes through what somebody else may have been killed over.
    fn sync(&self, file: &str) -> io::Result<()> {
        self.disk.open_log(&self.folder.join(file))?.sync()?;
        self.disk.sync_directory(&self.folder)
    }

    /// The last checkpoint of `origin` in a file, as far as it can be told that it is one of ours.
    fn last(&self, file: &str, origin: &str) -> io::Result<Option<Checkpoint>> {
        let bytes = tail(&*self.disk, &self.folder.join(file), TAIL)?;
        let notes = Pieces::new(&bytes).filter_map(|piece| piece.note);
        let ours = notes.filter(|(note, says)| says.origin == origin && self.is_ours(note));
        Ok(ours.map(|(_, says)| says).last())
    }

    /// What the chains in the logs of `fleet` were: of each log, by the last note of ours in which it is.
    fn last_heads(&self, file: &str, origin: &str, fleet: &Fleet) -> io::Result<Vec<Head>> {
        let bytes = self.disk.read(&self.folder.join(file), MOST_BYTES)?.unwrap_or_default();
        let notes: Vec<_> = Pieces::new(&bytes).filter_map(|piece| piece.note).collect();
        let mut logs: BTreeSet<&str> = fleet.heads().iter().map(|head| &*head.log).collect();
        let mut found = Vec::new();
        for (note, says) in notes.iter().rev() {
            if logs.is_empty() {
                break;
            }
            let Some(before) = Fleet::parse(says).filter(|_| says.origin == origin) else { continue };
            let ours: Vec<_> =
                before.heads().iter().filter(|head| logs.contains(&*head.log)).cloned().collect();
            if !ours.is_empty() && self.is_ours(note) {
                logs.retain(|log| ours.iter().all(|head| head.log != *log));
                found.extend(ours);
            }
        }
        Ok(found)
    }

    /// What the last note of ours over many chains says of `chain`, by its records and root.
    fn last_in_fleet(&self, chain: &str) -> io::Result<Option<(u64, Digest)>> {
        let bytes = tail(&*self.disk, &self.folder.join(format!("{FLEET}.{ENDING}")), FLEET_TAIL)?;
        let origin = format!("{}/{FLEET}", self.name);
        let notes = Pieces::new(&bytes).filter_map(|piece| piece.note);
        let ours = notes.filter(|(note, says)| says.origin == origin && self.is_ours(note));
        let fleets: Vec<_> = ours.filter_map(|(_, says)| Fleet::parse(&says)).collect();
        let Some(log) = self.log_of(fleets.iter().flat_map(Fleet::heads)) else { return Ok(None) };
        Ok(fleets.last().and_then(|fleet| fleet.of(log, chain)).map(|head| (head.size, head.root)))
    }

    /// What the last checkpoints of single chains say, and in which file, of the log of `fleet` that they are about.
    fn last_of_chains(&self, fleet: &Fleet) -> io::Result<Vec<(String, Head)>> {
        let Some(log) = self.log_of(fleet.heads()) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for file in self.disk.list(&self.folder)?.unwrap_or_default() {
            let Ok(file) = file.into_string() else { continue };
            let chain = file.strip_suffix(ENDING).and_then(|name| name.strip_suffix('.'));
            let Some(chain) = chain.filter(|chain| is_chain(chain) && *chain != FLEET) else { continue };
            if let Some(last) = self.last(&file, &format!("{}/{chain}", self.name))? {
                let (log, chain) = (log.to_owned(), chain.to_owned());
                found.push((file, Head { log, chain, size: last.size, root: last.root }));
            }
        }
        Ok(found)
    }

    /// Which log it is that checkpoints of single chains are about: the only one of `heads`, or the one of our name.
    fn log_of<'a>(&self, heads: impl IntoIterator<Item = &'a Head>) -> Option<&'a str> {
        let logs: BTreeSet<&str> = heads.into_iter().map(|head| &*head.log).collect();
        logs.get(&*self.name).or_else(|| logs.first().filter(|_| logs.len() == 1)).copied()
    }

    fn is_ours(&self, note: &Note) -> bool {
        let verifier: Option<&Verifier> = match &self.signer {
            Signer::Nobody => None,
            Signer::Ed25519(key) => Some(key.verifier()),
            // An earlier key is gone.
            Signer::Evolving(_) => return true,
        };
        note.signatures.iter().any(|line| match verifier {
            Some(verifier) => verifier.is_of(line) && verifier.has_signed(&note.text, line),
            None => is_sum(line) && sum(&line.name, &note.text) == *line,
        })
    }

    fn ends_with(&self, file: &str, note: &Note) -> io::Result<bool> {
        let note = note.to_string();
        let bytes = tail(&*self.disk, &self.folder.join(file), note.len() as u64)?;
        Ok(bytes == note.as_bytes())
    }
}

impl fmt::Debug for CheckpointWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointWriter")
            .field("folder", &self.folder)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// An error at a file of checkpoints: the place, the reason, the way out.
fn at(path: &Path, error: &io::Error) -> io::Error {
    let path = path.display();
    let text = format!("`{path}` cannot be written: {error}; its folder has to be there, and to take files");
    io::Error::new(error.kind(), text)
}

/// The highest number of a checkpoint that a key of this line made, of the last ones in each file.
fn highest(disk: &dyn LogDisk, folder: &Path, key: &EvolvingKey) -> io::Result<Option<u64>> {
    let mut highest = None;
    for name in disk.list(folder)?.unwrap_or_default() {
        if Path::new(&name).extension().is_some_and(|ending| ending == ENDING) {
            let bytes = tail(disk, &folder.join(name), TAIL)?;
            highest = highest.max(state::highest(key, &bytes));
        }
    }
    Ok(highest)
}

/// The last bytes of a file; none where there is none.
fn tail(disk: &dyn LogDisk, path: &Path, length: u64) -> io::Result<Vec<u8>> {
    if disk.entry(path)?.is_none() {
        return Ok(Vec::new());
    }
    let whole = disk.open_log(path)?.length()?;
    let limit = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(disk.read_part(path, whole.saturating_sub(length), limit)?.unwrap_or_default())
}
