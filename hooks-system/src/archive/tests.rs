use std::io::Write;

use super::*;

const BLOCK: usize = 512;

/// Entry of a tar: a header with a checksum, and its content in whole blocks.
fn entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; BLOCK];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[156] = kind;
    sealed(header).into_iter().chain(padded(content)).collect()
}

fn sealed(mut header: [u8; BLOCK]) -> [u8; BLOCK] {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header
}

fn padded(content: &[u8]) -> Vec<u8> {
    let mut all = content.to_vec();
    all.resize(content.len().div_ceil(BLOCK) * BLOCK, 0);
    all
}

fn link(name: &str, kind: u8, target: &str) -> Vec<u8> {
    let mut header: [u8; BLOCK] = entry(name, kind, b"")[..BLOCK].try_into().unwrap();
    header[157..157 + target.len()].copy_from_slice(target.as_bytes());
    sealed(header).to_vec()
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 2 * BLOCK]].concat()
}

fn record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let length = (rest.len()..).find(|length| length.to_string().len() + rest.len() == *length).unwrap();
    format!("{length}{rest}")
}

/// A zip of empty files.
fn zip(names: &[&str]) -> Vec<u8> {
    let (mut whole, mut list) = (Vec::new(), Vec::new());
    for name in names {
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        list.extend(b"PK\x01\x02");
        list.extend([0; 24]);
        list.extend(length);
        list.extend([0; 12]);
        list.extend(u32::try_from(whole.len()).unwrap().to_le_bytes());
        list.extend(name.as_bytes());
        whole.extend(b"PK\x03\x04");
        whole.extend([0; 22]);
        whole.extend(length);
        whole.extend([0; 2]);
        whole.extend(name.as_bytes());
    }
    let (offset, size) = (u32::try_from(whole.len()).unwrap(), u32::try_from(list.len()).unwrap());
    let count = u16::try_from(names.len()).unwrap().to_le_bytes();
    whole.extend(list);
    whole.extend(b"PK\x05\x06\0\0\0\0");
    whole.extend(count);
    whole.extend(count);
    whole.extend(size.to_le_bytes());
    whole.extend(offset.to_le_bytes());
    whole.extend([0; 2]);
    whole
}

fn names_of(bytes: &[u8], most: usize) -> io::Result<Vec<String>> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    names(&file, most)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn names_are_read_without_unpacking() {
    let plain = tar(&[entry("a/b.txt", b'0', b"text"), entry(".git/hooks/x", b'0', b"")]);
    let wanted = ["a/b.txt", ".git/hooks/x"];
    assert_eq!(names_of(&plain, 9).unwrap(), wanted);
    assert_eq!(names_of(&packed(&plain), 9).unwrap(), wanted);
    assert_eq!(names_of(&plain[..plain.len() - 2 * BLOCK], 9).unwrap(), wanted);
    assert_eq!(names_of(&plain, 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert!(names_of(b"no archive", 9).is_err());
    assert_eq!(names_of(&zip(&["x/y", "z"]), 9).unwrap(), ["x/y", "z"]);
    assert_eq!(names_of(&zip(&["x/y", "z"]), 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
}

#[test]
fn names_of_extended_headers_count() {
    let twice = record("path", "x") + &record("comment", "1 path=y") + &record("path", "real");
    let extended = entry("h", b'x', twice.as_bytes());
    assert_eq!(names_of(&tar(&[extended, entry("a", b'0', b"")]), 9).unwrap(), ["real"]);
    assert_eq!(names_of(&tar(&[entry("h", b'L', b"long\0"), entry("a", b'0', b"")]), 9).unwrap(), ["long"]);
    let comment = entry("h", b'g', record("comment", "of git").as_bytes());
    assert_eq!(names_of(&tar(&[comment, entry("a", b'0', b"")]), 9).unwrap(), ["a"]);
    // The size of an extended header decides where the next one is.
    let sized = entry("h", b'x', record("size", "0").as_bytes());
    let inner = entry("inner", b'0', b"");
    assert_eq!(names_of(&tar(&[sized, entry("a", b'0', &inner)]), 9).unwrap(), ["a", "inner"]);
    let one_empty = [entry("a", b'0', b""), vec![0; BLOCK], entry("b", b'0', b"")];
    assert_eq!(names_of(&tar(&one_empty), 9).unwrap(), ["a", "b"]);
}

#[test]
fn what_can_be_read_in_several_ways_is_an_error() {
    let a = || entry("a", b'0', b"");
    for (what, bytes) in [
        ("global path", tar(&[entry("h", b'g', record("path", "x").as_bytes()), a()])),
        ("sparse", tar(&[entry("h", b'x', record("GNU.sparse.name", "x").as_bytes()), a()])),
        ("old sparse", tar(&[entry("a", b'S', b"")])),
        ("folder with content", tar(&[entry("a", b'5', &a())])),
        ("through a link", tar(&[link("l", b'2', ".git"), entry("l/hooks/x", b'0', b"")])),
        ("hard link to a file outside", tar(&[link("l", b'1', ".git/config")])),
        ("cut in a header", tar(&[a()])[..BLOCK + 9].to_vec()),
        ("cut in a file", entry("a", b'0', &[1; 3 * BLOCK])[..2 * BLOCK].to_vec()),
        ("a tar and a zip", [tar(&[a()]), zip(&["b"])].concat()),
        ("a zip and another", [zip(&["a"]), zip(&["b"])].concat()),
        ("text behind a zip", [zip(&["a"]), b"x".to_vec()].concat()),
    ] {
        assert!(names_of(&bytes, 9).is_err(), "{what}");
    }
    let mut counted = zip(&["a", "b"]);
    let at = counted.len() - 22;
    counted[at + 8] = 1;
    counted[at + 10] = 1;
    assert!(names_of(&counted, 9).is_err(), "a count that leaves out a file");
    let mut renamed = zip(&["a"]);
    renamed[30] = b'b';
    assert!(names_of(&renamed, 9).is_err(), "two names of one file");
    assert_eq!(names_of(&tar(&[a(), link("l", b'1', "a")]), 9).unwrap(), ["a", "l"]);
}

#[test]
fn a_stream_that_is_too_long_is_no_end() {
    let big = [entry("a", b'0', &vec![0; 1 << 20]), entry("b", b'0', b"")].concat();
    let cut = tar::names(big.as_slice().take((1 << 20) + 512), 9);
    assert_eq!(cut.unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert_eq!(tar::names(big.as_slice().take(MOST_BYTES), 9).unwrap(), ["a", "b"]);
}
