//! Signs checkpoints and adds them to their files.

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

/// Bytes read from the end of a checkpoint file: more than two checkpoints of a chain.
const TAIL: u64 = 8 << 10;
/// Bytes read from the end of the file of notes over many chains, to find one chain: a note over a thousand
/// chains.
const FLEET_TAIL: u64 = 128 << 10;
/// Limit on the length of the file of notes over many chains, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Folder and signer of checkpoints.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// Folder of the checkpoints; it has to exist. Best on a system where writers of the log can add files
    /// and data, but change nothing.
    pub folder: PathBuf,
    /// Signer of the checkpoints.
    pub signer: Signer,
}

/// Signer of checkpoints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Signer {
    /// Unsigned: the checkpoints are only as trustworthy as their folder.
    Nobody,
    /// An Ed25519 key.
    Ed25519(Arc<SigningKey>),
    /// The evolving key in this folder.
    Evolving(PathBuf),
}

/// Writes checkpoints. Use one for each process and folder; several processes may write at a time.
pub struct CheckpointWriter {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    signer: Signer,
    name: String,
    /// Files that end with a complete note, and whose last note was compared with the present state of the
    /// chain.
    known: BTreeSet<String>,
    /// By file: the checkpoint with which the chain was compared last, and whether they matched.
    compared: BTreeMap<String, ((u64, Digest), bool)>,
    /// For an evolving key: the number of the last checkpoint that this process made and that is in its file.
    delivered: Option<u64>,
}

impl CheckpointWriter {
    /// Checks that the key can be used. The folder of the checkpoints is not accessed.
    ///
    /// # Errors
    /// Returns an error if the key cannot be used.
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

    /// Name of the log, which is the name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Folder of the checkpoints.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of records in the last checkpoint of `chain` by the same key, alone or in a note over all
    /// chains; `None` if there is no such checkpoint.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn last_of(&self, chain: &str) -> io::Result<Option<u64>> {
        let origin = Checkpoint::of_chain(&self.name, chain, 0, Digest::default()).origin;
        let alone = self.last(&format!("{chain}.{ENDING}"), &origin)?.map(|last| last.size);
        Ok(alone.max(self.last_in_fleet(chain)?.map(|(size, _)| size)))
    }

    /// Writes a checkpoint: `chain` has `size` records with this `root`. Nothing is written if the last
    /// checkpoint is the same.
    ///
    /// `was` returns the present root over the first records of the chain, as many as it is given; `None` if
    /// they were deleted: use [`Appender::root_of`](crate::Appender::root_of). It is called once for each
    /// chain with an older checkpoint, and again only after a failed write.
    ///
    /// The last note over many chains counts as well, if it is by the same key and is newer than the last
    /// checkpoint of the chain. The log of the chain has to be identifiable in the note: it is the only log
    /// there, or has the name of this writer.
    ///
    /// # Errors
    /// Returns [`PutBack`] if the last checkpoint has more records of the chain, or other records. Returns an
    /// error if the key cannot be used, `was` fails, or the disk fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::chain::Digest;
    /// use hooks_audit::checkpoint::{CheckpointWriter, Checkpoints, Signer};
    /// use hooks_core::testing::FakeDisk;
    ///
    /// let disk = Arc::new(FakeDisk::default().with_directory("/elsewhere"));
    /// let open = || {
    ///     let checkpoints = Checkpoints { folder: "/elsewhere".into(), signer: Signer::Nobody };
    ///     CheckpointWriter::open(disk.clone(), checkpoints)
    /// };
    /// open()?.write_chain("w0", 5, Digest([1; 32]), |_size| Ok(None))?;
    /// assert_eq!(open()?.last_of("w0")?, Some(5));
    ///
    /// // Afterwards the files of the chain were replaced by an older copy with four records.
    /// let error = open()?.write_chain("w0", 4, Digest([2; 32]), |_size| Ok(None)).err();
    /// let error = error.map(|error| error.to_string()).unwrap_or_default();
    /// assert!(error.starts_with("chain `w0` was put back or changed: it has 4 records"));
    /// assert!(error.contains("its last checkpoint in `/elsewhere/w0.checkpoints` has 5"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
            // The newer of the two stands for the older one, which was compared with it.
            let of_fleet = self
                .last_in_fleet(chain)?
                .filter(|fleet_state| of_chain.is_none_or(|last| fleet_state.0 > last.0));
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

    /// Writes the state of all chains as one note, and returns it. Reads all existing notes over many chains.
    ///
    /// `was` returns the present root over the first records of a chain, as many as the head of an older note
    /// has; `None` if they were deleted: use [`verify::root_of`](crate::verify::root_of).
    ///
    /// # Errors
    /// Returns [`PutBack`] if the last note with the log of a chain contradicts `fleet`: the chain is missing
    /// now, or had more records, or other records. The last checkpoint of a single chain by the same key
    /// counts in the same way; its log has to be the only one, or have the name of this writer. Returns an
    /// error if the key cannot be used, `was` fails, or the disk fails.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_audit::checkpoint::{CheckpointWriter, Checkpoints, Fleet, Head, Signer, heads};
    /// use hooks_audit::verify::root_of;
    /// use hooks_audit::{Appender, Record, AppendSettings};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let disk = Arc::new(FakeDisk::default().with_directory("/elsewhere"));
    /// let clock = Arc::new(StoppedClock(Timestamp(1)));
    /// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
    /// appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
    /// appender.close()?;
    ///
    /// let checkpoints = Checkpoints { folder: "/elsewhere".into(), signer: Signer::Nobody };
    /// let mut writer = CheckpointWriter::open(disk.clone(), checkpoints)?;
    /// let heads = heads(&*disk, "build7", Path::new("/log"))?;
    /// let fleet = Fleet::new(heads).ok_or("each chain is there once")?;
    /// let was = |head: &Head| root_of(&*disk, Path::new("/log"), &head.chain, head.size);
    /// let note = writer.write_fleet(&fleet, was)?;
    /// assert!(note.text.starts_with("audit/fleet\n1\n"), "one chain");
    /// assert_eq!(writer.last_of("w0")?, Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
            let now = fleet.head_of(&old.log, &old.chain);
            let size = now.map_or(0, |now| now.size);
            let is_now = now.is_some_and(|now| (now.size, now.root) == (old.size, old.root));
            // A chain that other processes write may have grown since, and may have a newer checkpoint.
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

    /// Whether a chain that is longer than its last checkpoint `says` still begins with the records of that
    /// checkpoint; `file` holds the chain's own checkpoints. The answer is stored, so that a chain that was
    /// rolled back is not read again at each pause.
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
            // Damaged records count as other records.
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

    /// Signs a text and adds the note to a file.
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
        // This process knows the number of its own last checkpoint, and need not search for it on disk.
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
            // The process that made the note may have been killed before its state or the note was synced.
            disk.sync_directory(state)?;
            if self.ends_with(name, note)? { self.sync(name) } else { self.add(name, note) }
        };
        let (note, index, lock) = state::seal(&*disk, state, (file, text), made, deliver)?;
        self.add(file, &note)?;
        drop(lock);
        self.delivered = Some(index);
        Ok(note)
    }

    /// Appends a note to a file and syncs it.
    fn add(&mut self, file: &str, note: &Note) -> io::Result<()> {
        let path = self.folder.join(file);
        // The file may end with a part of a note, left by an interrupted writer or by a failed write of this
        // process.
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

    /// Syncs a file whose writer may have been killed before its sync.
    fn sync(&self, file: &str) -> io::Result<()> {
        self.disk.open_log(&self.folder.join(file))?.sync()?;
        self.disk.sync_directory(&self.folder)
    }

    /// Returns the last checkpoint of `origin` in a file that is recognized as made by this signer.
    fn last(&self, file: &str, origin: &str) -> io::Result<Option<Checkpoint>> {
        let bytes = tail(&*self.disk, &self.folder.join(file), TAIL)?;
        let notes = Pieces::new(&bytes).filter_map(|piece| piece.note);
        let ours = notes.filter(|(note, says)| says.origin == origin && self.is_ours(note));
        Ok(ours.map(|(_, says)| says).last())
    }

    /// Returns the earlier heads of the chains in the logs of `fleet`: for each log, from the last note by
    /// this signer that contains it.
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

    /// Returns the number of records and the root of `chain` in the last note by this signer over many
    /// chains.
    fn last_in_fleet(&self, chain: &str) -> io::Result<Option<(u64, Digest)>> {
        let bytes = tail(&*self.disk, &self.folder.join(format!("{FLEET}.{ENDING}")), FLEET_TAIL)?;
        let origin = format!("{}/{FLEET}", self.name);
        let notes = Pieces::new(&bytes).filter_map(|piece| piece.note);
        let ours = notes.filter(|(note, says)| says.origin == origin && self.is_ours(note));
        let fleets: Vec<_> = ours.filter_map(|(_, says)| Fleet::parse(&says)).collect();
        let Some(log) = self.log_of(fleets.iter().flat_map(Fleet::heads)) else { return Ok(None) };
        Ok(fleets.last().and_then(|fleet| fleet.head_of(log, chain)).map(|head| (head.size, head.root)))
    }

    /// Returns the last checkpoints of single chains in the log of `fleet` that they are about, each with its
    /// file.
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

    /// Determines the log that checkpoints of single chains are about: the only one of `heads`, or the one
    /// with the name of this writer.
    fn log_of<'a>(&self, heads: impl IntoIterator<Item = &'a Head>) -> Option<&'a str> {
        let logs: BTreeSet<&str> = heads.into_iter().map(|head| &*head.log).collect();
        logs.get(&*self.name).or_else(|| logs.first().filter(|_| logs.len() == 1)).copied()
    }

    fn is_ours(&self, note: &Note) -> bool {
        let verifier: Option<&Verifier> = match &self.signer {
            Signer::Nobody => None,
            Signer::Ed25519(key) => Some(key.verifier()),
            // The earlier key was erased, so its notes cannot be checked.
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

/// An error at a checkpoint file: path, reason and remedy.
fn at(path: &Path, error: &io::Error) -> io::Error {
    let path = path.display();
    let text = format!("`{path}` cannot be written: {error}; its folder has to be there, and to take files");
    io::Error::new(error.kind(), text)
}

/// The highest number of a checkpoint made by this key, among the last ones in each file.
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

/// The last bytes of a file; empty if the file does not exist.
fn tail(disk: &dyn LogDisk, path: &Path, length: u64) -> io::Result<Vec<u8>> {
    if disk.entry(path)?.is_none() {
        return Ok(Vec::new());
    }
    let whole = disk.open_log(path)?.length()?;
    let limit = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(disk.read_part(path, whole.saturating_sub(length), limit)?.unwrap_or_default())
}
