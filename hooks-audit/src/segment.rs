//! The files of a chain, by name: `<chain>.<number>.jsonl`, and `.gz` behind it once another one is written and this
//! one was compressed. A file that several were joined into has the number of the first and of the last of them:
//! `<chain>.<first>-<last>.jsonl`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use hooks_core::fs::{EntryKind, LogDisk};

/// The most bytes that a file may have, compressed or not. A writer begins another one long before.
pub const MOST_BYTES: u64 = 1 << 30;

/// A file of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The chain.
    pub chain: String,
    /// Its number in the chain, from 1; of a joined file, the number of the first one in it.
    pub number: u64,
    /// The number of the last file in it: `number`, unless several were joined.
    pub last: u64,
    /// What state it is in.
    pub state: State,
}

/// What state a file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Lines, as they were written. The last of its chain is added to.
    Plain,
    /// It was found damaged and moved aside, as it was.
    Damaged,
    /// Compressed.
    Compressed,
}

/// Whether `name` can be that of a chain: lower-case letters, digits and `-`, 64 at most.
pub fn is_chain(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

impl Segment {
    /// The file that is written under this number.
    pub fn new(chain: impl Into<String>, number: u64) -> Self {
        Self { chain: chain.into(), number, last: number, state: State::Plain }
    }

    /// The file with this name; `None` if it is none of a log.
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

    /// Its name.
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

    /// Whether several files were joined into it.
    pub fn is_joined(&self) -> bool {
        self.number < self.last
    }

    /// Whether it was made whole from files that were full, so that no writer can have been interrupted in it.
    pub fn is_remade(&self) -> bool {
        self.is_joined() || self.state == State::Compressed
    }

    /// Whether the file of this number stands in it.
    pub fn has(&self, number: u64) -> bool {
        (self.number..=self.last).contains(&number)
    }

    /// Where it is in `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// The same file in another state.
    #[must_use]
    pub fn when(&self, state: State) -> Self {
        Self { state, ..self.clone() }
    }
}

/// The files of a log, by chain and number.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Those that count.
    pub files: Vec<Segment>,
    /// Those all of whose numbers another file has, which counts: a writer was interrupted between making that one and
    /// removing these.
    pub beside: Vec<Segment>,
}

/// The files in `folder` that count, by chain and number; none where there is no such folder.
///
/// # Errors
/// Whatever the disk answers.
pub fn list(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<Segment>> {
    Ok(list_all(disk, folder)?.files)
}

/// All files in `folder`, by chain and number. Of two with the same numbers, the one that was there first counts; of a
/// joined file and those that it was made of, the joined one.
///
/// # Errors
/// Whatever the disk answers.
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

/// What stands in the place of a file of the log and is no ordinary file, such as a link; `None` where it is one, or gone.
///
/// # Errors
/// Whatever the disk answers.
pub fn stand_in(disk: &dyn LogDisk, folder: &Path, segment: &Segment) -> io::Result<Option<&'static str>> {
    Ok(match disk.entry(&segment.path(folder))?.map(|entry| entry.kind) {
        None | Some(EntryKind::File) => None,
        Some(EntryKind::Directory) => Some("a directory"),
        Some(EntryKind::Symlink) => Some("a symbolic link"),
        Some(_) => Some("a special file"),
    })
}

/// The bytes of a file as they were written, from `offset` on, `limit` at most; `None` where it is gone. Whatever stands
/// before `offset` in a compressed one is decompressed too.
///
/// # Errors
/// Whatever the disk answers; `InvalidData` where it cannot be decompressed, or has something behind its compressed end.
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
    // Damage shows itself in several ways.
    read.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    // A decoder stops at the end of what is compressed, whatever stands behind it.
    if bytes.len() < limit && !plain.into_inner().is_empty() {
        return Err(io::Error::new(ErrorKind::InvalidData, BEHIND));
    }
    Ok(Some(bytes))
}

/// Has `file` be of these `lines`, compressed where its state says so: at one moment, and through to the device.
///
/// # Errors
/// Whatever the disk answers.
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

/// What is wrong with a file that has more than its writer left in it.
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
