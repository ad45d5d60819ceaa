//! Names of the files in archives: tar, also compressed with gzip, and zip. Nothing is unpacked.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;

/// Size of a block of tar.
const BLOCK: usize = 512;

/// Most bytes that are decompressed.
const MOST_BYTES: u64 = 256 << 20;

/// Longest name in a header of its own.
const MOST_NAME: u64 = 64 << 10;

/// Returns the names in an archive, at most `most`.
///
/// # Errors
/// Returns `FileTooLarge` if there are more names or bytes, `Unsupported` for another form.
pub(crate) fn names(file: &File, most: usize) -> io::Result<Vec<String>> {
    let mut start = [0; 4];
    let mut reader = BufReader::new(file);
    let length = reader.read(&mut start)?;
    reader.seek(SeekFrom::Start(0))?;
    match start.get(..length) {
        Some([0x1f, 0x8b, ..]) => in_tar(MultiGzDecoder::new(reader).take(MOST_BYTES), most),
        Some([b'P', b'K', 3 | 5, 4 | 6]) => in_zip(reader, most),
        _ => in_tar(reader.take(MOST_BYTES), most),
    }
}

fn in_tar(mut reader: impl Read, most: usize) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut long: Option<String> = None;
    loop {
        let mut header = [0; BLOCK];
        match reader.read_exact(&mut header) {
            Ok(()) => {}
            // An archive may end without its two empty blocks.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof && !names.is_empty() => return Ok(names),
            Err(error) => return Err(error),
        }
        if header.iter().all(|byte| *byte == 0) {
            return Ok(names);
        }
        if !is_header(&header) {
            return Err(ErrorKind::Unsupported.into());
        }
        let size = number(field(&header, 124, 12)?)?;
        let kind = field(&header, 156, 1)?.first().copied().unwrap_or_default();
        let padded = size.div_ceil(512).saturating_mul(512);
        if matches!(kind, b'L' | b'x') {
            let mut text = Vec::new();
            (&mut reader).take(size.min(MOST_NAME)).read_to_end(&mut text)?;
            skip(&mut reader, padded.saturating_sub(size.min(MOST_NAME)))?;
            let path = if kind == b'L' { Some(text_of(&text)) } else { path_of(&text) };
            long = path.or(long);
            continue;
        }
        if kind != b'g' {
            names.push(long.take().map_or_else(|| own_name(&header), Ok)?);
        }
        if names.len() > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        skip(&mut reader, padded)?;
    }
}

/// The checksum of a header counts its own field as blanks.
fn is_header(header: &[u8; BLOCK]) -> bool {
    let sum = |sum: u64, (at, byte): (usize, &u8)| {
        sum + u64::from(if (148..156).contains(&at) { b' ' } else { *byte })
    };
    let wanted = field(header, 148, 8).and_then(number).ok();
    wanted == Some(header.iter().enumerate().fold(0, sum))
}

fn own_name(header: &[u8; BLOCK]) -> io::Result<String> {
    let name = text_of(field(header, 0, 100)?);
    let is_ustar = field(header, 257, 5)? == b"ustar";
    let prefix = if is_ustar { text_of(field(header, 345, 155)?) } else { String::new() };
    Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
}

/// Returns the path in the records of an extended header: `LENGTH path=NAME`.
fn path_of(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().find_map(|line| line.split_once(" path=").map(|(_, path)| path.to_owned()))
}

fn field(header: &[u8; BLOCK], start: usize, length: usize) -> io::Result<&[u8]> {
    header.get(start..start + length).ok_or_else(|| ErrorKind::InvalidData.into())
}

fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

fn number(bytes: &[u8]) -> io::Result<u64> {
    let text = text_of(bytes);
    u64::from_str_radix(text.trim(), 8).map_err(|_| ErrorKind::Unsupported.into())
}

fn skip(reader: &mut impl Read, bytes: u64) -> io::Result<()> {
    io::copy(&mut reader.take(bytes), &mut io::sink()).map(drop)
}

/// Reads the list at the end of a zip.
fn in_zip(mut reader: BufReader<&File>, most: usize) -> io::Result<Vec<String>> {
    let end = reader.seek(SeekFrom::End(0))?;
    let start = end.saturating_sub(66 << 10);
    reader.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    reader.read_to_end(&mut tail)?;
    let at = tail.windows(4).rposition(|four| four == b"PK\x05\x06").ok_or(ErrorKind::InvalidData)?;
    let (count, offset) = (short(&tail, at + 10)?, long(&tail, at + 16)?);
    if usize::from(count) > most || count == u16::MAX || offset == u32::MAX {
        return Err(ErrorKind::FileTooLarge.into());
    }
    reader.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut names = Vec::new();
    for _ in 0..count {
        let mut header = [0; 46];
        reader.read_exact(&mut header)?;
        if header.get(..4) != Some(b"PK\x01\x02") {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut name = vec![0; usize::from(short(&header, 28)?)];
        reader.read_exact(&mut name)?;
        names.push(String::from_utf8_lossy(&name).into_owned());
        let rest = i64::from(short(&header, 30)?) + i64::from(short(&header, 32)?);
        reader.seek_relative(rest)?;
    }
    Ok(names)
}

fn short(bytes: &[u8], at: usize) -> io::Result<u16> {
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    two.map(u16::from_le_bytes).ok_or_else(|| ErrorKind::InvalidData.into())
}

fn long(bytes: &[u8], at: usize) -> io::Result<u32> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(u32::from_le_bytes).ok_or_else(|| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A tar with one empty file of each name.
    fn tar(names: &[&str]) -> Vec<u8> {
        let mut archive = Vec::new();
        for name in names {
            let mut header = [0_u8; BLOCK];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..135].copy_from_slice(b"00000000000");
            header[148..156].copy_from_slice(b"        ");
            header[156] = b'0';
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
            archive.extend_from_slice(&header);
        }
        archive.extend_from_slice(&[0; 2 * BLOCK]);
        archive
    }

    fn names_of(bytes: &[u8], most: usize) -> io::Result<Vec<String>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        names(&file, most)
    }

    #[test]
    fn names_are_read_without_unpacking() {
        let plain = tar(&["a/b.txt", ".git/hooks/x"]);
        assert_eq!(names_of(&plain, 9).unwrap(), ["a/b.txt", ".git/hooks/x"]);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&plain).unwrap();
        assert_eq!(names_of(&packed.finish().unwrap(), 9).unwrap(), ["a/b.txt", ".git/hooks/x"]);
        assert_eq!(names_of(&plain, 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(names_of(b"no archive", 9).is_err());
        let mut zip = b"PK\x01\x02".to_vec();
        zip.extend([0; 24]);
        zip.extend([3, 0]);
        zip.extend([0; 16]);
        zip.extend(b"x/y");
        let mut whole = b"PK\x03\x04".to_vec();
        whole.extend(&zip);
        whole.extend(b"PK\x05\x06");
        whole.extend([0, 0, 0, 0, 1, 0, 1, 0, 49, 0, 0, 0, 4, 0, 0, 0, 0, 0]);
        assert_eq!(names_of(&whole, 9).unwrap(), ["x/y"]);
    }
}
