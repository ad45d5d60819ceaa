//! Names in a tar.

use std::io::{self, ErrorKind, Read, Take};

use super::Names;

/// Size of a block of tar.
const BLOCK: usize = 512;

/// Longest name in a header of its own, and longest extended header.
const MOST_NAME: u64 = 64 << 10;

/// Values of extended headers, which are for the next file.
#[derive(Default)]
struct Extended {
    path: Option<String>,
    link: Option<String>,
    size: Option<u64>,
}

/// Returns the names in a tar.
pub(super) fn names<R: Read>(mut reader: Take<R>, most: usize) -> io::Result<Vec<String>> {
    let mut names = Names::default();
    let mut extended = Extended::default();
    let mut empty = 0;
    while let Some(header) = block(&mut reader, names.all.is_empty())? {
        if header.iter().all(|byte| *byte == 0) {
            empty += 1;
            // Programs read on behind a single empty block.
            if empty == 2 {
                return names.finish();
            }
            continue;
        }
        empty = 0;
        if !is_header(&header) {
            return Err(ErrorKind::Unsupported.into());
        }
        let kind = field(&header, 156, 1)?.first().copied().unwrap_or_default();
        let own_size = number(field(&header, 124, 12)?)?;
        match kind {
            b'L' | b'K' => {
                let text = text_of(&content(&mut reader, own_size)?);
                let value = if kind == b'L' { &mut extended.path } else { &mut extended.link };
                if value.replace(text).is_some() {
                    return Err(ErrorKind::Unsupported.into());
                }
            }
            b'x' => read_records(&content(&mut reader, own_size)?, &mut extended)?,
            b'g' => {
                // Its values are for all files; those that are known here would have to be looked at for each.
                let mut all = Extended::default();
                read_records(&content(&mut reader, own_size)?, &mut all)?;
                if all.path.is_some() || all.link.is_some() || all.size.is_some() {
                    return Err(ErrorKind::Unsupported.into());
                }
            }
            0 | b'0'..=b'7' => {
                let Extended { path, link, size } = std::mem::take(&mut extended);
                let name = path.map_or_else(|| own_name(&header), Ok)?;
                let size = size.unwrap_or(own_size);
                // Programs differ in whether the content of a link or a folder follows.
                if matches!(kind, b'1'..=b'6') && (size > 0 || own_size > 0) {
                    return Err(ErrorKind::Unsupported.into());
                }
                if kind == b'1' {
                    let target =
                        link.map_or_else(|| Ok(text_of(field(&header, 157, 100)?)), Ok::<_, io::Error>)?;
                    if !names.all.contains(&target) {
                        return Err(ErrorKind::Unsupported.into());
                    }
                }
                names.push(name, matches!(kind, b'1' | b'2'), most)?;
                skip(&mut reader, padded(size))?;
            }
            // Sparse files, volumes, and lists of folders have forms of their own.
            _ => return Err(ErrorKind::Unsupported.into()),
        }
    }
    names.finish()
}

/// Reads the next block; `None` at the end of the archive, which may lack its two empty blocks.
fn block<R: Read>(reader: &mut Take<R>, is_first: bool) -> io::Result<Option<[u8; BLOCK]>> {
    let mut block = [0; BLOCK];
    let mut length = 0;
    while let Some(rest) = block.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 if reader.limit() == 0 => return Err(ErrorKind::FileTooLarge.into()),
            0 if length == 0 && !is_first => return Ok(None),
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => length += read,
        }
    }
    Ok(Some(block))
}

fn padded(size: u64) -> u64 {
    size.div_ceil(512).saturating_mul(512)
}

/// Reads the content of a header that is about the next file.
fn content<R: Read>(reader: &mut Take<R>, size: u64) -> io::Result<Vec<u8>> {
    if size > MOST_NAME {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut text = Vec::new();
    reader.by_ref().take(size).read_to_end(&mut text)?;
    if u64::try_from(text.len()) != Ok(size) {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    skip(reader, padded(size) - size)?;
    Ok(text)
}

/// Skips bytes, all of which have to be there.
fn skip<R: Read>(reader: &mut Take<R>, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.by_ref().take(bytes), &mut io::sink())?;
    match skipped == bytes {
        true => Ok(()),
        false if reader.limit() == 0 => Err(ErrorKind::FileTooLarge.into()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads the records `LENGTH KEY=VALUE` of an extended header. Of several values for a key, the last one counts.
fn read_records(text: &[u8], extended: &mut Extended) -> io::Result<()> {
    let damaged = || io::Error::from(ErrorKind::InvalidData);
    let mut rest = text;
    while !rest.is_empty() && rest.iter().any(|byte| *byte != 0) {
        let blank = rest.iter().position(|byte| *byte == b' ').ok_or_else(damaged)?;
        let digits = rest.get(..blank).and_then(|digits| std::str::from_utf8(digits).ok());
        let length: usize = digits.and_then(|digits| digits.parse().ok()).ok_or_else(damaged)?;
        let record = rest.get(blank + 1..length).and_then(|record| record.strip_suffix(b"\n"));
        let record = String::from_utf8_lossy(record.ok_or_else(damaged)?).into_owned();
        rest = rest.get(length..).unwrap_or_default();
        let (key, value) = record.split_once('=').ok_or_else(damaged)?;
        match key {
            "path" => extended.path = Some(value.to_owned()),
            "linkpath" => extended.link = Some(value.to_owned()),
            "size" => extended.size = Some(value.parse().map_err(|_| damaged())?),
            // Only some programs know these names.
            key if key.starts_with("GNU.sparse") || key.contains("hdrcharset") => {
                return Err(ErrorKind::Unsupported.into());
            }
            _ => {}
        }
    }
    Ok(())
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
    // The older form of GNU has other values in the place of the prefix.
    let has_prefix = field(header, 257, 6)? == b"ustar\0";
    let prefix = if has_prefix { text_of(field(header, 345, 155)?) } else { String::new() };
    Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
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
    let text = text.trim();
    if text.is_empty() {
        return Ok(0);
    }
    u64::from_str_radix(text, 8).map_err(|_| ErrorKind::Unsupported.into())
}
