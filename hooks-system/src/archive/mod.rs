//! Names of the files in archives: tar, also compressed with gzip, and zip. Nothing is unpacked.
//!
//! The names are those that programs unpack, or an error. An archive that two programs would read in different ways is an
//! error: one that is a tar and a zip at a time, has two values for a name, or writes through a link of its own.

mod tar;
mod zip;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;

/// Most bytes that are decompressed.
const MOST_BYTES: u64 = 256 << 20;

/// Returns the names in an archive, at most `most`.
///
/// # Errors
/// Returns `FileTooLarge` if there are more names or bytes, `InvalidData` for a damaged archive, `Unsupported` for another form
/// and for an archive that can be read in several ways.
pub(crate) fn names(file: &File, most: usize) -> io::Result<Vec<String>> {
    let mut start = [0; 4];
    let mut reader = BufReader::new(file);
    let length = reader.read(&mut start)?;
    if let Some([b'P', b'K', 3 | 5, 4 | 6]) = start.get(..length) {
        return zip::names(reader, most);
    }
    // Programs for zip look for its end, whatever the file begins with.
    if zip::has_an_end(&mut reader)? {
        return Err(ErrorKind::Unsupported.into());
    }
    reader.seek(SeekFrom::Start(0))?;
    match start.get(..length) {
        Some([0x1f, 0x8b, ..]) => tar::names(MultiGzDecoder::new(reader).take(MOST_BYTES), most),
        _ => tar::names(reader.take(MOST_BYTES), most),
    }
}

/// Names of an archive, with its links.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    links: Vec<String>,
}

impl Names {
    fn push(&mut self, name: String, is_link: bool, most: usize) -> io::Result<()> {
        if self.all.len() >= most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        if is_link {
            self.links.push(name.trim_end_matches('/').to_owned());
        }
        self.all.push(name);
        Ok(())
    }

    /// Returns the names, unless one is below a link of the same archive.
    fn finish(self) -> io::Result<Vec<String>> {
        let is_below = |name: &String, link: &String| {
            let rest = name.trim_start_matches("./").strip_prefix(link.trim_start_matches("./"));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let is_written_through =
            self.links.iter().any(|link| self.all.iter().any(|name| is_below(name, link)));
        if is_written_through { Err(ErrorKind::Unsupported.into()) } else { Ok(self.all) }
    }
}
