//! Files of a chain, by name: `<chain>.<number>.jsonl`, with `.gz` behind it once the next file is written
//! and this one was compressed. A joined file has the number of the first and the last of its parts:
//! `<chain>.<first>-<last>.jsonl`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use hooks_core::fs::{EntryKind, LogDisk};

/// Limit on the length of a file in bytes, compressed or not. A writer begins another one long before.
pub const MOST_BYTES: u64 = 1 << 30;

/// A file of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Name of the chain.
    pub chain: String,
    /// Number in the chain, from 1; for a joined file, the number of its first part.
    pub number: u64,
    /// Number of the last part of a joined file; otherwise `number`.
    pub last: u64,
    /// State of the file.
    pub state: State,
}

/// State of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Lines, as they were written. Records are appended to the last file of a chain.
    Plain,
    /// The file was found damaged and moved aside, unchanged.
    Damaged,
    /// The lines, compressed.
    Compressed,
}

/// Whether `name` is valid for a chain: lower-case letters, digits and `-`, 64 at most.
///
/// ```
/// use hooks_audit::segment::is_chain;
///
/// assert!(is_chain("build7-w0"));
/// assert!(!is_chain("W0") && !is_chain("a.b") && !is_chain(""));
/// ```
pub fn is_chain(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

impl Segment {
    /// A file with this number, as it is written.
    pub fn new(chain: impl Into<String>, number: u64) -> Self {
        Self { chain: chain.into(), number, last: number, state: State::Plain }
    }

    /// Parses a file name; `None` if it is not that of a log file.
    ///
    /// ```
    /// use hooks_audit::segment::{Segment, State};
    ///
    /// let file = Segment::parse("w0.00000017.jsonl.gz").ok_or("no log file")?;
    /// assert_eq!((&*file.chain, file.number, file.state), ("w0", 17, State::Compressed));
    /// let joined = Segment::parse("w0.00000003-00000009.jsonl").ok_or("no log file")?;
    /// assert!(joined.is_joined() && joined.has(5) && !joined.has(10));
    /// // A number has eight digits at least.
    /// assert_eq!(Segment::parse("w0.17.jsonl"), None);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        let (chain, rest) = name.split_once('.')?;
        let (digits, ending) = rest.split_once('.')?;
        let (first, last) = digits.split_once('-').unwrap_or((digits, digits));
        let state = match ending {
            "jsonl" => State::Plain,
            "damaged.jsonl" => State::Damaged,
            "jsonl.gz" => State::Compressed,
            _ => return None,
        };
        let (number, last) = (first.parse().ok()?, last.parse().ok()?);
        let segment = Self { chain: chain.to_owned(), number, last, state };
        (is_chain(chain) && (1..=last).contains(&number) && segment.name() == name).then_some(segment)
    }

    /// Name of the file.
    pub fn name(&self) -> String {
        let Self { chain, number, last, state } = self;
        let ending = match state {
            State::Plain => "jsonl",
            State::Damaged => "damaged.jsonl",
            State::Compressed => "jsonl.gz",
        };
        match self.is_joined() {
            true => format!("{chain}.{number:08}-{last:08}.{ending}"),
            false => format!("{chain}.{number:08}.{ending}"),
        }
    }

    /// Whether the file was joined from several.
    pub fn is_joined(&self) -> bool {
        self.number < self.last
    }

    /// Whether the file was created as a whole from full files, so that it has no interrupted write.
    pub fn is_remade(&self) -> bool {
        self.is_joined() || self.state == State::Compressed
    }

    /// Whether the file contains the one with this number.
    pub fn has(&self, number: u64) -> bool {
        (self.number..=self.last).contains(&number)
    }

    /// Path in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// The same file in another state.
    #[must_use]
    pub fn when(&self, state: State) -> Self {
        Self { state, ..self.clone() }
    }
}

/// Files of a log, by chain and number.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Files that count.
    pub files: Vec<Segment>,
    /// Files whose numbers are all in a file that counts: a writer was interrupted after it created that file
    /// and before it removed these.
    pub beside: Vec<Segment>,
}

/// Returns the files in `folder` that count, by chain and number; empty if there is no such folder.
///
/// # Errors
/// Returns an error if the disk fails.
pub fn list(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<Segment>> {
    Ok(list_all(disk, folder)?.files)
}

/// Returns all files in `folder`, by chain and number. Of two files with the same numbers, the one that was
/// there first counts. A joined file counts instead of its parts.
///
/// # Errors
/// Returns an error if the disk fails.
///
/// ```
/// use std::path::Path;
/// use hooks_audit::segment::list_all;
/// use hooks_core::testing::FakeDisk;
///
/// // A writer joined the first two files, and was killed before it removed them.
/// let disk = FakeDisk::default()
///     .with_file("/log/w0.00000001.jsonl", "")
///     .with_file("/log/w0.00000002.jsonl", "")
///     .with_file("/log/w0.00000001-00000002.jsonl", "")
///     .with_file("/log/w0.00000003.jsonl", "")
///     .with_file("/log/notes.txt", "");
/// let listed = list_all(&disk, Path::new("/log"))?;
/// let numbers = |files: &[hooks_audit::segment::Segment]| {
///     files.iter().map(|file| (file.number, file.last)).collect::<Vec<_>>()
/// };
/// assert_eq!(numbers(&listed.files), [(1, 2), (3, 3)]);
/// assert_eq!(numbers(&listed.beside), [(1, 1), (2, 2)]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn list_all(disk: &dyn LogDisk, folder: &Path) -> io::Result<Listed> {
    let names = disk.list(folder)?.unwrap_or_default();
    let mut segments: Vec<_> = names.iter().filter_map(|name| Segment::parse(name.to_str()?)).collect();
    segments.sort_unstable_by(|a, b| {
        (&a.chain, a.number, b.last, a.state).cmp(&(&b.chain, b.number, a.last, b.state))
    });
    let mut listed = Listed::default();
    for segment in segments {
        let counts: Option<&Segment> = listed.files.last();
        let is_beside = counts.is_some_and(|file| file.chain == segment.chain && segment.last <= file.last);
        if is_beside { listed.beside.push(segment) } else { listed.files.push(segment) }
    }
    Ok(listed)
}

/// Describes what is in the place of a log file, such as a link. `None` if it is an ordinary file, or does
/// not exist.
///
/// # Errors
/// Returns an error if the disk fails.
///
/// ```
/// use std::path::Path;
/// use hooks_audit::segment::{Segment, stand_in};
/// use hooks_core::testing::FakeDisk;
///
/// let disk = FakeDisk::default()
///     .with_link("/log/w0.00000001.jsonl", "/elsewhere")
///     .with_file("/log/w0.00000002.jsonl", "");
/// let found = |number| stand_in(&disk, Path::new("/log"), &Segment::new("w0", number));
/// assert_eq!((found(1)?, found(2)?), (Some("a symbolic link"), None));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stand_in(disk: &dyn LogDisk, folder: &Path, segment: &Segment) -> io::Result<Option<&'static str>> {
    Ok(match disk.entry(&segment.path(folder))?.map(|entry| entry.kind) {
        None | Some(EntryKind::File) => None,
        Some(EntryKind::Directory) => Some("a directory"),
        Some(EntryKind::Symlink) => Some("a symbolic link"),
        Some(_) => Some("a special file"),
    })
}

/// Returns the bytes of a file as they were written, from `offset` on, at most `limit`; `None` if the file
/// does not exist. In a compressed file, the bytes before `offset` are decompressed too.
///
/// # Errors
/// Returns `InvalidData` if the file cannot be decompressed or has bytes behind its compressed end; any other
/// error if the disk fails.
pub fn read(
    disk: &dyn LogDisk,
    folder: &Path,
    segment: &Segment,
    offset: u64,
    limit: usize,
) -> io::Result<Option<Vec<u8>>> {
    let path = segment.path(folder);
    if segment.state != State::Compressed {
        return disk.read_part(&path, offset, limit);
    }
    let Some(compressed) = disk.read(&path, MOST_BYTES)? else { return Ok(None) };
    let mut plain = GzDecoder::new(&*compressed);
    let mut bytes = Vec::new();
    let read = io::copy(&mut plain.by_ref().take(offset), &mut io::sink())
        .and_then(|_| plain.by_ref().take(limit as u64).read_to_end(&mut bytes));
    // Damage causes several kinds of errors.
    read.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    // The decoder stops at the end of the compressed data and ignores bytes behind it.
    if bytes.len() < limit && !plain.into_inner().is_empty() {
        return Err(io::Error::new(ErrorKind::InvalidData, BEHIND));
    }
    Ok(Some(bytes))
}

/// Creates or replaces `file` with these `lines`, compressed if its state is `Compressed`. The change is
/// atomic and synced.
///
/// # Errors
/// Returns an error if the disk fails.
pub(crate) fn put(disk: &dyn LogDisk, folder: &Path, file: &Segment, lines: &[u8]) -> io::Result<()> {
    let aside = folder.join(format!("{}.{:08}.new", file.chain, file.number));
    match disk.remove(&aside) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if file.state == State::Compressed {
        let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
        compressed.write_all(lines)?;
        disk.create(&aside, &compressed.finish()?)?;
    } else {
        disk.create(&aside, lines)?;
    }
    disk.rename(&aside, &file.path(folder))?;
    disk.sync_directory(folder)
}

/// Description of a file with bytes behind the end that its writer left.
pub const BEHIND: &str = "something was added behind its end";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for state in [State::Plain, State::Damaged, State::Compressed] {
            let segment = Segment::new("w-0", 17).when(state);
            assert_eq!(Segment::parse(&segment.name()), Some(segment.clone()));
            let joined = Segment { last: 40, ..segment };
            assert_eq!(Segment::parse(&joined.name()), Some(joined));
        }
        for name in [
            "w0.jsonl",
            "w0.0.jsonl",
            "w0.1.jsonl",
            "W0.00000001.jsonl",
            "w0.00000001.jsonl.damaged",
            "w0.000000001.jsonl",
            "w0.00000002-00000002.jsonl",
            "w0.00000003-00000002.jsonl",
            "w0.00000000-00000002.jsonl",
            "w0.lock",
        ] {
            assert_eq!(Segment::parse(name), None, "{name}");
        }
    }
}
