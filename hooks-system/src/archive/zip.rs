//! Names in a zip, from the list at its end.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use super::Names;

/// Mark of the record at the end.
const END: &[u8; 4] = b"PK\x05\x06";

/// Longest record at the end, with its comment.
const MOST_END: u64 = 66 << 10;

/// Longest list of names that is read.
const MOST_LIST: u64 = 16 << 20;

/// Extra field with another name for the file.
const OTHER_NAME: u16 = 0x7075;

/// Returns whether a file ends as a zip does.
pub(super) fn has_an_end(reader: &mut BufReader<&File>) -> io::Result<bool> {
    Ok(tail(reader)?.1.windows(END.len()).any(|four| four == END))
}

/// Returns the names in a zip.
pub(super) fn names(mut reader: BufReader<&File>, most: usize) -> io::Result<Vec<String>> {
    let unsupported = || io::Error::from(ErrorKind::Unsupported);
    let (start, tail) = tail(&mut reader)?;
    let mut ends = tail.windows(END.len()).enumerate().filter(|(_, four)| four == END).map(|(at, _)| at);
    let (Some(at), None) = (ends.next(), ends.next()) else { return Err(unsupported()) };
    let (disk, count) = (short(&tail, at + 8)?, short(&tail, at + 10)?);
    let (size, offset) = (long(&tail, at + 12)?, long(&tail, at + 16)?);
    let comment = usize::from(short(&tail, at + 20)?);
    // Nothing is before the first file or behind the end, and the list is directly before the end.
    let is_whole = at + 22 + comment == tail.len()
        && disk == count
        && count != u16::MAX
        && u64::from(offset) + u64::from(size) == start + u64::try_from(at).unwrap_or(u64::MAX);
    if !is_whole {
        return Err(unsupported());
    }
    if usize::from(count) > most || u64::from(size) > MOST_LIST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    reader.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut list = Vec::new();
    reader.by_ref().take(u64::from(size)).read_to_end(&mut list)?;
    let mut names = Names::default();
    let mut rest = list.as_slice();
    while !rest.is_empty() {
        let header =
            rest.get(..46).filter(|header| header.starts_with(b"PK\x01\x02")).ok_or_else(unsupported)?;
        let (length, extra) = (usize::from(short(header, 28)?), usize::from(short(header, 30)?));
        let comment = usize::from(short(header, 32)?);
        let name = rest.get(46..46 + length).ok_or_else(unsupported)?;
        let fields = rest.get(46 + length..46 + length + extra).ok_or_else(unsupported)?;
        if has_other_name(fields)? || name.contains(&b'\\') || name.contains(&0) {
            return Err(unsupported());
        }
        if local_name(&mut reader, long(header, 42)?)? != name {
            return Err(unsupported());
        }
        let is_link = long(header, 38)? >> 28 == 0o12;
        names.push(String::from_utf8_lossy(name).into_owned(), is_link, most)?;
        rest = rest.get(46 + length + extra + comment..).ok_or_else(unsupported)?;
    }
    if names.all.len() != usize::from(count) {
        return Err(unsupported());
    }
    names.finish()
}

/// Returns the last bytes of a file, and where they start.
fn tail(reader: &mut BufReader<&File>) -> io::Result<(u64, Vec<u8>)> {
    let end = reader.seek(SeekFrom::End(0))?;
    let start = end.saturating_sub(MOST_END);
    reader.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    reader.by_ref().take(MOST_END).read_to_end(&mut tail)?;
    Ok((start, tail))
}

/// Returns the name in the header that stands before a file.
fn local_name(reader: &mut BufReader<&File>, offset: u32) -> io::Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut header = [0; 30];
    reader.read_exact(&mut header)?;
    if !header.starts_with(b"PK\x03\x04") {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut name = vec![0; usize::from(short(&header, 26)?)];
    reader.read_exact(&mut name)?;
    Ok(name)
}

fn has_other_name(mut fields: &[u8]) -> io::Result<bool> {
    while fields.len() >= 4 {
        let (kind, length) = (short(fields, 0)?, usize::from(short(fields, 2)?));
        if kind == OTHER_NAME {
            return Ok(true);
        }
        fields = fields.get(4 + length..).ok_or(ErrorKind::InvalidData)?;
    }
    Ok(false)
}

fn short(bytes: &[u8], at: usize) -> io::Result<u16> {
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    two.map(u16::from_le_bytes).ok_or_else(|| ErrorKind::InvalidData.into())
}

fn long(bytes: &[u8], at: usize) -> io::Result<u32> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(u32::from_le_bytes).ok_or_else(|| ErrorKind::InvalidData.into())
}
