use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::time::{Random, SeededRandom, StoppedClock, Timestamp};
use serde_json::json;

use super::*;
use crate::append::{AppendSettings, Appender, Entry};
use crate::record::{Payload, Record};
use crate::segment::Segment;
use crate::sim::SimDisk;

const FOLDER: &str = "/log";

/// A log of several files, all but the last of them sealed; its disk, and an anchor of its end.
fn log(files: u64) -> (SimDisk, Anchor) {
    let disk = SimDisk::new(1);
    let (mut appender, _) = open(&disk);
    for number in 0..files {
        for record in 0..4 {
            let record =
                Record { session: format!("{number}.{record}"), ..Record::new("stop", Timestamp(1)) };
            let payload = Some(Payload::new(json!({"n": number})));
            appender
                .append(&mut [Entry { record, payload }, Record::new("stop", Timestamp(2)).into()])
                .unwrap();
        }
        appender.rotate().unwrap();
    }
    let chain = appender.chain();
    let anchor = Anchor { chain: "w0".to_owned(), size: chain.seq, root: chain.tree.root() };
    (disk, anchor)
}

fn open(disk: &SimDisk) -> (Appender, crate::append::Recovered) {
    let clock = Arc::new(StoppedClock(Timestamp(1)));
    Appender::open(Arc::new(disk.clone()), FOLDER, AppendSettings::new([0; 32]), clock).unwrap()
}

fn file(number: u64) -> PathBuf {
    PathBuf::from(FOLDER).join(format!("w0.{number:08}.jsonl"))
}

fn check(disk: &SimDisk, anchors: &[Anchor]) -> Report {
    verify(disk, Path::new(FOLDER), anchors).unwrap()
}

#[test]
fn a_log_is_clean_and_so_is_its_anchor() {
    let (disk, anchor) = log(3);
    let report = check(&disk, std::slice::from_ref(&anchor));
    assert_eq!(report.condition(), Condition::Clean, "{report:?}");
    let [chain] = &report.chains[..] else { panic!("{report:?}") };
    assert_eq!((chain.files, chain.records, chain.seq, chain.root), (4, 24, 24, anchor.root));
    assert_eq!(Anchor::parse(&anchor.to_string()), Some(anchor));
}

#[test]
fn every_truncation_and_every_flipped_bit_of_sealed_files_is_found_where_it_is() {
    let (disk, _) = log(2);
    for number in 1..3 {
        let content = disk.content(&file(number)).unwrap();
        let damaged = |content: Vec<u8>| {
            let disk = disk.after_kill();
            disk.tamper(&file(number), content);
            let report = check(&disk, &[]);
            assert_eq!(report.condition(), Condition::Damaged);
            let first = &report.chains[0].findings[0];
            assert_eq!(first.file, Segment::parse(&format!("w0.{number:08}.jsonl")).unwrap().name());
            first.offset as usize
        };
        for end in (0..content.len()).step_by(3) {
            damaged(content[..end].to_vec());
        }
        for bit in (0..content.len() * 8).step_by(5) {
            let mut flipped = content.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let seen = damaged(flipped);
            // At the line, or at a mark soon behind it: a damaged line end joins two lines.
            let marks =
                content.windows(6).enumerate().filter(|(at, window)| *at > bit / 8 && window == b"\n{\"c\":");
            let behind = marks.map(|(at, _)| at).nth(1).unwrap_or(content.len());
            assert!(seen <= behind + 1, "bit {bit}: {seen}");
        }
    }
}

/// Attacks the files in a random way.
fn tamper(disk: &SimDisk, dice: &SeededRandom, other: &SimDisk) -> &'static str {
    let roll = |sides: usize| dice.next_u64() as usize % sides;
    let number = 1 + roll(3) as u64;
    let content = disk.content(&file(number)).unwrap();
    let mut lines: Vec<_> = content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let line = roll(lines.len());
    let (what, content) = match roll(7) {
        0 => {
            lines.remove(line);
            ("a line was taken out", lines.concat())
        }
        1 => {
            let copy = lines[line].clone();
            lines.insert(roll(lines.len()), copy);
            ("a line stands twice", lines.concat())
        }
        2 => {
            let with = roll(lines.len());
            lines.swap(line, with);
            ("two lines were swapped", lines.concat())
        }
        3 => {
            let from = other.content(&file(1 + roll(3) as u64)).unwrap();
            let from: Vec<_> = from.split_inclusive(|byte| *byte == b'\n').collect();
            lines[line] = from[roll(from.len())].to_vec();
            ("a line is from another log", lines.concat())
        }
        4 => ("a file is from another log", other.content(&file(number)).unwrap()),
        5 => {
            let mut changed = content.clone();
            let at = roll(changed.len());
            changed[at] = changed[at].wrapping_add(1 + roll(255) as u8);
            ("a byte was changed", changed)
        }
        _ => ("a file stands in for another", disk.content(&file(1 + number % 3)).unwrap()),
    };
    let same = disk.content(&file(number)).unwrap() == content;
    disk.tamper(&file(number), content);
    if same { "" } else { what }
}

/// `HOOKS_TAMPERINGS` sets another number of rounds.
#[test]
fn random_tamperings_are_found() {
    let rounds =
        std::env::var("HOOKS_TAMPERINGS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2_000);
    let (disk, anchor) = log(3);
    let mut found = 0;
    for seed in 0..rounds {
        let dice = SeededRandom::new(seed);
        let image = disk.after_kill();
        let other = SimDisk::new(seed);
        {
            let (mut appender, _) = open(&other);
            for _ in 0..3 {
                let record = Record { session: format!("{seed}"), ..Record::new("stop", Timestamp(3)) };
                appender.append(&mut [record.into()]).unwrap();
                appender.rotate().unwrap();
            }
        }
        let what = tamper(&image, &dice, &other);
        if what.is_empty() {
            continue;
        }
        found += 1;
        let report = check(&image, std::slice::from_ref(&anchor));
        assert!(report.condition() >= Condition::Damaged, "seed {seed}: {what}");
    }
    assert!(found > rounds * 3 / 4);
    println!("{found} tamperings, all found");
}

#[test]
fn old_files_that_were_put_back_are_found_by_an_anchor_only() {
    let (disk, _) = log(1);
    let old = disk.after_kill();
    let (mut appender, _) = open(&disk);
    appender.append(&mut [Record::new("stop", Timestamp(9)).into()]).unwrap();
    let chain = appender.chain();
    let anchor = Anchor { chain: "w0".to_owned(), size: chain.seq, root: chain.tree.root() };
    assert_eq!(check(&old, &[]).condition(), Condition::Clean);
    assert_eq!(check(&old, std::slice::from_ref(&anchor)).condition(), Condition::Mismatched);
    // A log that forked from it is also found by the anchor.
    let (mut fork, _) = open(&old);
    fork.append(&mut [Record::new("stop", Timestamp(10)).into(), Record::new("stop", Timestamp(10)).into()])
        .unwrap();
    assert_eq!(check(&old, &[]).condition(), Condition::Clean);
    assert_eq!(check(&old, &[anchor]).condition(), Condition::Mismatched);
}

#[test]
fn the_root_over_the_first_records_is_what_it_was() {
    let disk = SimDisk::new(1);
    let (mut appender, _) = open(&disk);
    let mut roots = vec![appender.chain().tree.root()];
    for number in 0..24_u64 {
        let records = 1 + number as usize % 3;
        let mut entries = vec![Entry::from(Record::new("stop", Timestamp(number))); records];
        let before = appender.chain().tree.clone();
        appender.append(&mut entries).unwrap();
        let tree = &appender.chain().tree;
        // Sizes in the middle of a group work as well.
        let lines = String::from_utf8(disk.content(&file(appender.chain().segment)).unwrap()).unwrap();
        let mut grown = before;
        let lines: Vec<_> = lines.lines().filter(|line| line.starts_with("{\"seq\"")).collect();
        for line in &lines[lines.len() - records..] {
            grown.push(crate::chain::leaf(line.as_bytes()));
            roots.push(grown.root());
        }
        assert_eq!(grown, *tree);
        if number % 5 == 4 {
            appender.rotate().unwrap();
        }
    }
    let root = |disk: &SimDisk, size: usize| root_of(disk, Path::new(FOLDER), "w0", size as u64);
    let check = |disk: &SimDisk, from: usize| {
        for (size, expected) in roots.iter().enumerate() {
            let found = root(disk, size).unwrap();
            assert_eq!(found, (size >= from).then_some(*expected), "{size}");
        }
    };
    check(&disk, 0);
    assert_eq!(appender.root_of(7).unwrap(), Some(roots[7]));
    let error = root(&disk, roots.len()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
    appender.compress().unwrap();
    check(&disk, 0);
    // The root over deleted records is unknown, and a changed record is not accepted.
    let second = PathBuf::from(FOLDER).join("w0.00000002.jsonl.gz");
    hooks_core::fs::Disk::remove(&disk, &PathBuf::from(FOLDER).join("w0.00000001.jsonl.gz")).unwrap();
    check(&disk, 9);
    disk.tamper(&second, b"rubbish".to_vec());
    assert_eq!(root(&disk, 10).unwrap(), None, "nothing before it begins behind fewer");
    disk.tamper(&file(5), disk.content(&file(5)).unwrap()[..700].to_vec());
    assert_eq!(root(&disk, roots.len() - 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn a_missing_file_is_found() {
    use hooks_core::fs::Disk as _;
    for number in 1..4 {
        let (disk, _) = log(3);
        disk.remove(&file(number)).unwrap();
        assert_eq!(check(&disk, &[]).condition(), Condition::Damaged, "file {number}");
    }
}

#[test]
fn what_an_interrupted_writer_leaves_is_torn() {
    let disk = SimDisk::new(1);
    let (mut appender, _) = open(&disk);
    appender.append(&mut [Record::new("stop", Timestamp(1)).into()]).unwrap();
    appender.append(&mut [Record::new("stop", Timestamp(1)).into()]).unwrap();
    let content = disk.content(&file(1)).unwrap();
    disk.tamper(&file(1), content[..content.len() - 9].to_vec());
    assert_eq!(check(&disk, &[]).condition(), Condition::Torn);
}
