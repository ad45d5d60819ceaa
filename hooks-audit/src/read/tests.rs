use std::path::Path;

use hooks_core::testing::FakeDisk;
use hooks_core::time::Timestamp;
use serde_json::json;

use super::*;
use crate::chain::{After, Chain, Lines, SALT};
use crate::segment::Segment;

const FOLDER: &str = "/log";

/// A chain that a test writes to a disk.
struct Writer {
    disk: FakeDisk,
    chain: Chain,
}

impl Writer {
    fn new(disk: &FakeDisk, name: &str) -> Self {
        let mut writer = Self { disk: disk.clone(), chain: Chain::new(name) };
        writer.next_file(After::Start);
        writer
    }

    fn path(&self) -> PathBuf {
        let Chain { name, segment, .. } = &self.chain;
        Segment::new(name, *segment).path(Path::new(FOLDER))
    }

    fn next_file(&mut self, after: After) {
        let mut out = Vec::new();
        self.chain.header(after, Timestamp(0), &mut out);
        self.disk.put(self.path(), out);
    }

    /// Commits records of these times; the last commit before is synced.
    fn commit(&mut self, moments: &[u64]) {
        self.commit_synced(moments, self.chain.commit);
    }

    /// Commits records of these times; the commit with this number is synced.
    fn commit_synced(&mut self, moments: &[u64], synced: u64) {
        let mut out = Vec::new();
        let mut lines = Lines::behind(self.chain.seq);
        for at in moments {
            let payload = Payload::new(json!({"n": 1}));
            lines.push(&mut Record::new("stop", Timestamp(*at)), Some(&payload), &[0; SALT]).unwrap();
        }
        self.chain.commit(&lines, synced, Timestamp(0), &mut out);
        self.append(&out);
    }

    fn append(&self, bytes: &[u8]) {
        use hooks_core::fs::Disk as _;
        self.disk.append(&self.path(), bytes).unwrap();
    }
}

fn reader(disk: &FakeDisk, positions: Positions) -> LogReader {
    LogReader::new(Arc::new(disk.clone()), FOLDER, positions)
}

fn moments(records: &[Committed]) -> Vec<u64> {
    records.iter().map(|committed| committed.record.at.0).collect()
}

fn disk() -> FakeDisk {
    FakeDisk::default().with_directory(FOLDER)
}

#[test]
fn only_what_is_there_to_stay_is_given() {
    let disk = disk();
    assert!(reader(&FakeDisk::default(), Positions::default()).read(9).unwrap().is_empty(), "no folder yet");
    let mut writer = Writer::new(&disk, "w0");
    let mut reader = reader(&disk, Positions::default());
    assert!(reader.read(9).unwrap().is_empty());
    writer.commit(&[1, 2]);
    assert!(reader.read(9).unwrap().is_empty(), "nobody said yet that it was written through");
    writer.append(b"{\"seq\":3,\"a");
    assert!(reader.read(9).unwrap().is_empty());
}

#[test]
fn each_comes_once_from_file_to_file_and_again_from_a_former_position() {
    let disk = disk();
    let mut writer = Writer::new(&disk, "w0");
    let mut all = reader(&disk, Positions::default());
    let mut seen = Vec::new();
    for at in 0..50 {
        writer.commit(&[at * 2, at * 2 + 1]);
        if at % 7 == 6 {
            writer.next_file(After::Sealed);
        }
        seen.extend(all.read(3).unwrap());
    }
    writer.commit(&[]);
    while let records @ [_, ..] = &all.read(3).unwrap()[..] {
        seen.extend(records.to_vec());
    }
    assert_eq!(moments(&seen), (0..100).collect::<Vec<_>>());
    assert_eq!(seen[41].position().to_string(), "w0:42");
    assert_eq!(seen[41].payload().unwrap().event, json!({"n": 1}));
    for start in 0..100 {
        let mut positions = Positions::default();
        positions.advance("w0", start);
        assert_eq!(moments(&reader(&disk, positions).read(1).unwrap()), [start]);
    }
}

#[test]
fn a_mark_far_ahead_is_looked_for_once() {
    const RECORDS: u64 = 400;
    let disk = disk();
    let mut writer = Writer::new(&disk, "w0");
    for at in 1..=RECORDS {
        writer.commit_synced(&[at], 0);
    }
    let synced = writer.chain.commit;
    writer.commit_synced(&[RECORDS + 1], synced);
    let length = disk.files()[&writer.path()].len();
    let before = disk.parts_read();
    let mut reader = reader(&disk, Positions::default());
    let mut read = Vec::new();
    for _ in 0..=RECORDS {
        read.extend(moments(&reader.read(1).unwrap()));
    }
    assert_eq!(read, (1..=RECORDS).collect::<Vec<_>>());
    let average = (disk.parts_read() - before) / RECORDS;
    assert!(average < length as u64 / 3, "{average} bytes a record of a file of {length}");
}

#[test]
fn chains_are_read_in_the_order_of_time() {
    let disk = disk();
    let (mut one, mut two) = (Writer::new(&disk, "w0"), Writer::new(&disk, "w1"));
    one.commit(&[10, 30, 20, 50]);
    two.commit(&[11, 29, 31, 60]);
    one.commit(&[]);
    two.commit(&[]);
    let mut all = reader(&disk, Positions::default());
    let mut seen = Vec::new();
    while let records @ [_, ..] = &all.read(3).unwrap()[..] {
        seen.extend(moments(records));
    }
    // The clock of the first writer was set back: 20 comes after 30.
    assert_eq!(seen, [10, 11, 29, 30, 20, 31, 50, 60]);
    assert_eq!(serde_json::to_value(all.positions()).unwrap(), json!({"w0": 4, "w1": 4}));
}

#[test]
fn what_a_failed_file_has_in_excess_is_void() {
    let disk = disk();
    let mut writer = Writer::new(&disk, "w0");
    writer.commit(&[1]);
    let durable = writer.chain.clone();
    writer.commit(&[2]);
    writer.append(b"rubbish");
    writer.chain = durable;
    writer.next_file(After::Failed);
    writer.commit(&[3]);
    writer.commit(&[]);
    assert_eq!(moments(&reader(&disk, Positions::default()).read(9).unwrap()), [1, 3]);
}

#[test]
fn damage_is_an_error_and_does_not_hide_other_chains() {
    let disk = disk();
    let mut writer = Writer::new(&disk, "w0");
    let mut other = Writer::new(&disk, "w1");
    writer.commit(&[1]);
    writer.commit(&[2]);
    writer.commit(&[]);
    other.commit(&[3]);
    other.commit(&[]);
    let path = writer.path();
    let mut bytes = disk.files()[&path].clone();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    disk.put(path, bytes);
    let mut reader = reader(&disk, Positions::default());
    // The first record is not returned either, because the mark that states its sync is damaged.
    assert_eq!(moments(&reader.read(9).unwrap()), [3]);
    let error = reader.read(9).unwrap_err().to_string();
    assert!(error.starts_with("`w0.00000001.jsonl` is damaged: "), "{error}");
}

#[test]
fn what_is_behind_a_file_that_was_moved_aside_is_read_and_what_is_missing_is_told_once() {
    // Content left of the second file, which held the records 2 and 3, and the expected result.
    type Damage = dyn Fn(Vec<u8>) -> Vec<u8>;
    let cases: [(&Damage, &[u64], &str); 3] = [
        (&|_| Vec::new(), &[1, 4, 5], "from 2 on"),
        (&|_| b"rubbish\n{}".to_vec(), &[1, 4, 5], "from 2 on"),
        // The header is valid, and nothing else.
        (
            &|bytes| bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec(),
            &[1, 4, 5],
            "from 2 on",
        ),
    ];
    // The header may be lost when the file is moved aside, or later.
    for ((left, expected, what), is_later) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let disk = disk();
        let mut writer = Writer::new(&disk, "w0");
        writer.commit(&[1]);
        writer.next_file(After::Sealed);
        let before = writer.chain.clone();
        let aside = writer.path();
        writer.commit(&[2]);
        writer.commit(&[3]);
        let left = left(disk.files()[&aside].clone());
        // The chain continues behind the first file, or behind the header of this one.
        let keeps_header = left.starts_with(b"{\"v\"");
        writer.chain = before;
        if !keeps_header && !is_later {
            writer.chain.commit -= 1;
        }
        hooks_core::fs::Disk::remove(&disk, &aside).unwrap();
        disk.put(aside.with_extension("damaged.jsonl"), left);
        writer.next_file(After::Damaged);
        writer.commit(&[4]);
        writer.next_file(After::Sealed);
        writer.commit(&[5]);
        writer.commit(&[]);
        for most in [1, 9] {
            let mut reader = reader(&disk, Positions::default());
            let mut seen = Vec::new();
            let mut skipped = Vec::new();
            while let records @ [_, ..] = &reader.read(most).unwrap()[..] {
                seen.extend(moments(records));
                skipped.extend(reader.take_skipped());
            }
            assert_eq!(seen, *expected);
            let [skipped] = &skipped[..] else { panic!("{skipped:?}") };
            assert!(skipped.to_string().contains(what), "{skipped}");
            assert_eq!(skipped.file, "w0.00000002.damaged.jsonl");
        }
    }
}

#[test]
fn numbers_that_were_passed_over_are_told_as_missing() {
    let disk = disk();
    let mut writer = Writer::new(&disk, "w0");
    writer.commit(&[1]);
    let aside = writer.path();
    let before = writer.chain.clone();
    writer.commit(&[2]);
    let mut content = disk.files()[&aside].clone();
    let end = content.len() - 9;
    content[end] ^= 1;
    hooks_core::fs::Disk::remove(&disk, &aside).unwrap();
    disk.put(aside.with_extension("damaged.jsonl"), content);
    writer.chain = before;
    writer.chain.skip(100).unwrap();
    writer.next_file(After::Damaged);
    writer.commit(&[3]);
    writer.commit(&[]);
    let mut reader = reader(&disk, Positions::default());
    let records = reader.read(9).unwrap();
    assert_eq!(records.iter().map(|committed| committed.record.seq).collect::<Vec<_>>(), [1, 102]);
    let skipped: Vec<_> = reader.take_skipped().iter().map(ToString::to_string).collect();
    let what = "records 2 to 101 at most, which stood in `w0.00000001.damaged.jsonl`, are missing: the file is \
                damaged; run `hooks audit verify`";
    assert_eq!(skipped, [what]);
}

#[test]
fn a_last_file_that_was_emptied_is_told_once_and_hides_nothing() {
    for cut in [0, 40] {
        let disk = disk();
        let mut writer = Writer::new(&disk, "w0");
        writer.commit(&[1]);
        writer.next_file(After::Sealed);
        writer.commit(&[2]);
        writer.commit(&[]);
        let mut follows = reader(&disk, Positions::default());
        assert_eq!(moments(&follows.read(9).unwrap()), [1, 2]);
        let content = disk.files()[&writer.path()].clone();
        disk.put(writer.path(), content[..cut].to_vec());
        for (mut reader, expected) in [(follows, &[][..]), (reader(&disk, Positions::default()), &[1][..])] {
            assert_eq!(moments(&reader.read(9).unwrap()), expected, "what is sealed is whole");
            assert_eq!(moments(&reader.read(9).unwrap()), [0; 0]);
            let [skipped] = &reader.take_skipped()[..] else { panic!("not told once") };
            assert_eq!((&*skipped.file, skipped.to), ("w0.00000002.jsonl", None));
            // The next writer takes the chain over, and its records are read.
            let disk = &disk;
            let content = disk.files()[&writer.path()].clone();
            let mut next = Writer { disk: disk.clone(), chain: writer.chain.clone() };
            next.chain.commit = 2;
            next.chain.skip(50).unwrap();
            hooks_core::fs::Disk::remove(disk, &writer.path()).unwrap();
            disk.put(writer.path().with_extension("damaged.jsonl"), content.clone());
            next.next_file(After::Damaged);
            next.commit(&[3]);
            next.commit(&[]);
            assert_eq!(moments(&reader.read(9).unwrap()), [3]);
            assert_eq!(reader.take_skipped(), []);
            hooks_core::fs::Disk::remove(disk, &next.path()).unwrap();
            hooks_core::fs::Disk::remove(disk, &writer.path().with_extension("damaged.jsonl")).unwrap();
            disk.put(writer.path(), content);
        }
    }
}
