//! The files of a chain, by name: `<chain>.<number>.jsonl`, and `.gz` behind it once another one is written and this
//! one was compressed.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use hooks_core::fs::LogDisk;

/// The most bytes that a file may have, compressed or not. A writer begins another one long before.
pub const MOST_BYTES: u64 = 1 << 30;

/// A file of a chain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// The chain.
    pub chain: String,
    /// Its number in the chain, from 1.
    pub number: u64,
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
    /// The file with this name; `None` if it is none of a log.
    pub fn parse(name: &str) -> Option<Self> {
        let (chain, rest) = name.split_once('.')?;
        let (digits, ending) = rest.split_once('.')?;
        let state = match ending {
            "jsonl" => State::Plain,
            "damaged.jsonl" => State::Damaged,
            "jsonl.gz" => State::Compressed,
            _ => return None,
        };
        let segment = Self { chain: chain.to_owned(), number: digits.parse().ok()?, state };
        (is_chain(chain) && segment.number > 0 && segment.name() == name).then_some(segment)
    }

    /// Its name.
    pub fn name(&self) -> String {
        let Self { chain, number, state } = self;
        let ending = match state {
            State::Plain => "jsonl",
            State::Damaged => "damaged.jsonl",
            State::Compressed => "jsonl.gz",
        };
        format!("{chain}.{number:08}.{ending}")
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

/// The files in `folder`, by chain and number; none where there is no such folder. Of a file that is there in two
/// states, because somebody was interrupted between writing the second and deleting the first, the first.
///
/// # Errors
/// Whatever the disk answers.
pub fn list(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<Segment>> {
    let names = disk.list(folder)?.unwrap_or_default();
    let mut segments: Vec<_> = names.iter().filter_map(|name| Segment::parse(name.to_str()?)).collect();
    segments.sort_unstable();
    segments.dedup_by(|later, earlier| (&later.chain, later.number) == (&earlier.chain, earlier.number));
    Ok(segments)
}

/// The bytes of a file as they were written, from `offset` on, `limit` at most; `None` where it is gone. Whatever stands
/// before `offset` in a compressed one is decompressed too.
///
/// # Errors
/// Whatever the disk answers; `InvalidData` where it cannot be decompressed.
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
        .and_then(|_| plain.take(limit as u64).read_to_end(&mut bytes));
    // Damage shows itself in several ways.
    read.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for state in [State::Plain, State::Damaged, State::Compressed] {
            let segment = Segment { chain: "w-0".to_owned(), number: 17, state };
            assert_eq!(Segment::parse(&segment.name()), Some(segment));
        }
        for name in [
            "w0.jsonl",
            "w0.0.jsonl",
            "w0.1.jsonl",
            "W0.00000001.jsonl",
            "w0.00000001.jsonl.damaged",
            "w0.lock",
        ] {
            assert_eq!(Segment::parse(name), None, "{name}");
        }
    }
}
