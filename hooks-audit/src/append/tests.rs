use std::collections::BTreeMap;
use std::path::Path;

use hooks_core::time::{Random, SeededRandom};

use super::*;
use crate::mutant;
use crate::read::{LogReader, Positions};
use crate::sim::{Faults, SimDisk};
use crate::verify::{Anchor, Condition, prove, root_of, verify};

const FOLDER: &str = "/team/log";

/// A clock that advances with each reading, so that pauses end.
#[derive(Debug, Default)]
struct Running(std::sync::atomic::AtomicU64);

impl Clock for Running {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(7, std::sync::atomic::Ordering::Relaxed))
    }
}

fn open(disk: &SimDisk) -> Result<(Appender, Recovered), OpenError> {
    let settings = AppendSettings { file_bytes: 4_000, ..AppendSettings::new([7; 32]) };
    Appender::open(Arc::new(disk.clone()), FOLDER, settings, Arc::new(Running::default()))
}

/// The records in the log by number in their chain, without the records of the log itself; `None` if the log
/// is damaged.
fn read(disk: &SimDisk) -> Option<BTreeMap<u64, String>> {
    let mut reader = LogReader::new(Arc::new(disk.clone()), FOLDER, Positions::default());
    let mut all = BTreeMap::new();
    loop {
        let records = reader.read(1_000).ok()?;
        if records.is_empty() {
            return Some(all);
        }
        for committed in records {
            if !committed.record.is_note() {
                let before = all.insert(committed.record.seq, committed.record.session);
                assert_eq!(before, None, "a number is given once");
            }
        }
    }
}

/// Results that a writer got.
#[derive(Clone, Debug, Default)]
struct Told {
    /// Records that were written to the file.
    written: Vec<String>,
    /// Number of those records that were synced.
    through: usize,
}

/// A fault found after a crash.
#[derive(Debug, PartialEq, Eq)]
enum Wrong {
    Lost,
    CalledTampering,
    Unreadable,
}

/// Writes for a while on a disk with `faults`; adds the results to `told`.
fn write(disk: &SimDisk, dice: &SeededRandom, faults: Faults, told: &mut Told) {
    let roll = |sides| dice.next_u64() % sides;
    let Ok((mut appender, _)) = open(disk) else { return };
    disk.with_faults(faults);
    for _ in 0..roll(25) {
        if disk.is_dead() {
            return;
        }
        let mut entries: Vec<_> =
            (0..=roll(3)).map(|_| entry(format!("{:x}", dice.next_u64()), roll(400))).collect();
        if appender.append(&mut entries).is_ok() {
            told.written.extend(entries.into_iter().map(|entry| entry.record.session));
        }
        let synced = match roll(6) {
            0 | 1 => appender.sync().is_ok(),
            2 => appender.settle().is_ok(),
            3 if roll(4) == 0 => appender.rotate().is_ok(),
            _ => false,
        };
        if synced {
            told.through = told.written.len();
        }
    }
    if roll(3) == 0 && !disk.is_dead() && appender.close().is_ok() {
        told.through = told.written.len();
    }
}

fn entry(id: String, length: u64) -> Entry {
    let text = "x".repeat(length as usize);
    let mut entry = Entry::from(Record { session: id, ..Record::new("stop", Timestamp(1)) });
    match length % 2 {
        0 => entry.payload = Some(Payload::new(text.into())),
        _ => entry.record.agent = text,
    }
    entry
}

/// Opens the log after a crash and checks that every required record is there.
fn check(disk: &SimDisk, must: &[String], given: &BTreeMap<u64, String>) -> Result<(), Wrong> {
    let (mut appender, recovered) = open(disk).map_err(|_| Wrong::Unreadable)?;
    if matches!(recovered, Recovered::Damaged { .. }) {
        return Err(Wrong::CalledTampering);
    }
    appender.append(&mut [entry("last".to_owned(), 3)]).map_err(|_| Wrong::Unreadable)?;
    appender.settle().map_err(|_| Wrong::Unreadable)?;
    let all = read(disk).ok_or(Wrong::Unreadable)?;
    let all_ids: std::collections::HashSet<_> = all.values().collect();
    let kept = must.iter().all(|id| all_ids.contains(id)) && all.values().any(|id| id == "last");
    let stays = given.iter().all(|(seq, id)| all.get(seq) == Some(id));
    if kept && stays { Ok(()) } else { Err(Wrong::Lost) }
}

/// Checks this many crash images, until one shows a fault; returns the number checked.
fn crash(images: usize, faults: Faults) -> (usize, Option<Wrong>) {
    const CUTS: u64 = 8;
    let mut seen = 0;
    for seed in 0.. {
        let dice = SeededRandom::new(seed);
        let mut disk = SimDisk::new(seed);
        let mut told = Told::default();
        for _ in 0..1 + seed % 3 {
            write(&disk, &dice, faults, &mut told);
            let Some(given) = read(&disk.after_kill()) else { return (seen, Some(Wrong::Unreadable)) };
            for cut in 0..CUTS {
                seen += 1;
                let image = disk.after_power_cut(seed * CUTS + cut);
                if let Err(wrong) = check(&image, &told.written[..told.through], &given) {
                    return (seen, Some(wrong));
                }
            }
            // A killed process leaves all that was written, and a writer that continues from there must be
            // correct as well.
            let image = disk.after_kill();
            seen += 1;
            if let Err(wrong) = check(&image.after_kill(), &told.written, &given) {
                return (seen, Some(wrong));
            }
            disk = image;
        }
        if seen >= images {
            break;
        }
    }
    (seen, None)
}

/// Number of images that a test checks; `HOOKS_CRASH_IMAGES` sets another number for all tests together.
fn images() -> usize {
    std::env::var("HOOKS_CRASH_IMAGES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000) / 4
}

fn survives(faults: Faults) {
    let (seen, wrong) = crash(images(), faults);
    assert_eq!(wrong, None, "image {seen}");
}

#[test]
fn a_crash_loses_nothing_that_was_acknowledged_and_is_not_called_tampering() {
    survives(Faults::default());
}

#[test]
fn nor_does_one_behind_failed_syncs() {
    survives(Faults { sync: 80, ..Faults::default() });
}

#[test]
fn nor_does_one_behind_short_writes() {
    survives(Faults { append: 80, ..Faults::default() });
}

#[test]
fn nor_does_one_in_the_middle_of_a_step() {
    survives(Faults { sync: 40, append: 40, kill: 15, ..Faults::default() });
}

#[test]
fn mutants_are_caught() {
    let caught = |mutant, faults| mutant::with(mutant, || crash(20_000, faults).1);
    assert!(
        caught(None, Faults { lies: true, ..Faults::default() }).is_some(),
        "acknowledges before the sync"
    );
    let failing = Faults { sync: 80, ..Faults::default() };
    assert!(caught(Some(Mutant::RetriesSync), failing).is_some());
    let full = Faults { append: 80, ..Faults::default() };
    assert!(caught(Some(Mutant::GoesOnBehindGarbage), full).is_some());
    assert!(caught(Some(Mutant::ChecksNoHash), Faults::default()).is_some());
}

/// A log that was settled, with its file and content.
fn settled() -> (SimDisk, PathBuf, Vec<u8>) {
    let disk = SimDisk::new(1);
    let (mut appender, _) = open(&disk).unwrap();
    for number in 0..4 {
        appender.append(&mut [entry(number.to_string(), 20), entry(format!("{number}b"), 21)]).unwrap();
        appender.settle().unwrap();
    }
    drop(appender);
    let path = PathBuf::from(FOLDER).join("w0.00000001.jsonl");
    let content = disk.content(&path).unwrap();
    (disk, path, content)
}

fn recovered(disk: &SimDisk, path: &Path, content: Vec<u8>) -> Recovered {
    let disk = disk.after_kill();
    disk.tamper(path, content);
    let (mut appender, recovered) = open(&disk).unwrap();
    appender.append(&mut [entry("last".to_owned(), 1)]).unwrap();
    appender.settle().unwrap();
    let all = read(&disk).unwrap();
    assert!(all.values().any(|id| id == "last"), "the log goes on");
    recovered
}

#[test]
fn damage_to_what_was_written_through_is_never_taken_for_a_torn_tail() {
    let (disk, path, content) = settled();
    // The last mark only states that everything before it is synced.
    let end = content[..content.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    let mut cut = 0;
    for byte in 0..end {
        let mut flipped = content.clone();
        flipped[byte] ^= 1 << (byte % 7);
        let is_damaged =
            |content: Vec<u8>| matches!(recovered(&disk, &path, content), Recovered::Damaged { .. });
        assert!(is_damaged(flipped.clone()), "byte {byte}, {:?}", content[byte] as char);
        cut += usize::from(!mutant::with(Some(Mutant::CutsAnything), || is_damaged(flipped)));
    }
    assert!(cut > 0, "the mutant is caught");
    for byte in end + 1..content.len() {
        assert_eq!(
            recovered(&disk, &path, content[..byte].to_vec()),
            Recovered::Taken { records: 2, torn: (byte - end - 1) as u64 }
        );
    }
}

#[test]
fn damage_is_moved_aside_and_said() {
    let (disk, path, mut content) = settled();
    let middle = content.len() / 2;
    content[middle] ^= 1;
    disk.tamper(&path, content.clone());
    let Recovered::Damaged { file, .. } = open(&disk.after_kill()).unwrap().1 else { panic!("not said") };
    assert_eq!(file, "w0.00000001.jsonl");
    let disk = disk.after_kill();
    drop(open(&disk).unwrap());
    assert_eq!(disk.content(&path.with_file_name("w0.00000001.damaged.jsonl")), Some(content));
    let next = String::from_utf8(disk.content(&path.with_file_name("w0.00000002.jsonl")).unwrap()).unwrap();
    assert!(next.contains("\"event\":\"log.alarm\",\"note\":\"`w0.00000001.jsonl` was damaged"), "{next}");
}

/// Opens a damaged log `times` times, with one record each time, and without closing it; returns the numbers
/// of the records.
fn go_on(disk: &SimDisk, times: u64) -> Vec<u64> {
    (0..times)
        .map(|number| {
            let (mut appender, _) = open(disk).unwrap();
            appender.append(&mut [entry(format!("new {number}"), 1)]).unwrap();
            appender.settle().unwrap();
            appender.chain().seq
        })
        .collect()
}

#[test]
fn a_number_is_given_once_whatever_was_damaged() {
    let (disk, path, content) = settled();
    // In the second round, the header of the next file is lost as well.
    let mut two = disk.after_kill();
    go_on(&two, 1);
    let second = path.with_file_name("w0.00000002.jsonl");
    two.tamper(&second, b"rubbish\n".to_vec());
    two = two.after_kill();
    let middle = content.len() / 2;
    let mut flipped = content.clone();
    flipped[middle] ^= 1;
    for (disk, left) in [
        (&disk, Some(flipped)),
        (&disk, Some(Vec::new())),
        (&disk, Some(content[..middle].to_vec())),
        (&two, None),
        (&two, Some(b"rubbish\n".to_vec())),
    ] {
        let disk = disk.after_kill();
        let old = read(&disk).map_or(8, |old| *old.last_key_value().unwrap().0);
        let anchor = {
            let lines = String::from_utf8(content.clone()).unwrap();
            let mut tree = crate::chain::Tree::default();
            let records = lines.lines().filter(|line| line.starts_with("{\"seq\""));
            records.for_each(|line| tree.push(crate::chain::leaf(line.as_bytes())));
            Anchor { chain: "w0".to_owned(), size: tree.size(), root: tree.root() }
        };
        let is_torn = left.as_ref().is_some_and(|left| left.len() == middle);
        let loses_some = left.is_some();
        if let Some(left) = left {
            disk.tamper(&path, left);
        }
        let new = go_on(&disk, 3);
        if is_torn {
            // Nothing records that there was more.
            continue;
        }
        assert!(new[0] > old.max(8) + 80, "{new:?}");
        // A reader that had read up to there gets only the new records.
        let mut positions = Positions::default();
        positions.advance("w0", old);
        let mut reader = LogReader::new(Arc::new(disk.clone()), FOLDER, positions);
        let got: Vec<_> = reader.read(100).unwrap().into_iter().map(|committed| committed.record).collect();
        let got: Vec<_> = got.iter().filter(|record| !record.is_note()).map(|record| record.seq).collect();
        assert_eq!(got, new);
        // The tree is complete: every record can be proven, and the verifier finds nothing else.
        let report = verify(&disk, Path::new(FOLDER), &[]).unwrap();
        assert_eq!(report.condition(), Condition::Damaged);
        let last = new[new.len() - 1];
        let folder = Path::new(FOLDER);
        let proof = prove(&disk, folder, "w0", last).unwrap().unwrap();
        assert!(proof.holds() && proof.root == report.chains[0].root && proof.size == last, "{last}");
        let is_ours = |file: &&str| file.starts_with("w0.00000001.") || file.contains("2.damaged.");
        let rest: Vec<_> = report.chains[0].findings.iter().map(|finding| &*finding.file).collect();
        assert!(rest.iter().all(is_ours), "{:?}", report.chains[0].findings);
        // If records from before the damage are lost, the verifier finds the anchored records missing.
        let report = verify(&disk, folder, std::slice::from_ref(&anchor)).unwrap();
        let is_missing = report.condition() == Condition::Mismatched;
        assert_eq!(is_missing, loses_some, "{:?}", report.chains[0].findings);
        assert_eq!(root(&disk, anchor.size) == Some(anchor.root), !is_missing);
    }
}

/// The root over the first `size` records, as the files are now.
fn root(disk: &SimDisk, size: u64) -> Option<Digest> {
    root_of(disk, Path::new(FOLDER), "w0", size).ok().flatten()
}

#[test]
fn a_full_disk_is_an_error_until_there_is_room_again() {
    for room in (0..3_000).step_by(7) {
        let disk = SimDisk::new(room as u64);
        let (mut appender, _) = open(&disk).unwrap();
        disk.leave_room(Some(room));
        let mut kept = Vec::new();
        for number in 0..40 {
            if number == 30 {
                disk.leave_room(None);
            }
            // A pause ends after some of these, because the clock advances.
            let id = number.to_string();
            if appender.append(&mut [entry(id.clone(), 100)]).is_ok() {
                kept.push(id);
            }
        }
        assert!(kept.len() < 40 && kept.last().is_some_and(|id| id == "39"), "{kept:?}");
        appender.settle().unwrap();
        assert_eq!(read(&disk).unwrap().into_values().collect::<Vec<_>>(), kept);
    }
}

#[test]
fn a_file_that_was_handed_over_is_gone_on_in() {
    let disk = SimDisk::new(1);
    for number in 0..5 {
        let (mut appender, recovered) = open(&disk).unwrap();
        assert_eq!(recovered, Recovered::Nothing);
        appender.append(&mut [entry(number.to_string(), 10)]).unwrap();
        appender.close().unwrap();
    }
    assert_eq!(read(&disk).unwrap().len(), 5);
    assert_eq!(disk.content(Path::new("/team/log/w0.00000002.jsonl")), None);
    // Two writers at a time need a chain each.
    let (one, two) = (open(&disk).unwrap().0, open(&disk).unwrap().0);
    assert_eq!((&*one.chain().name, &*two.chain().name), ("w0", "w1"));
}

/// Opens the log as the next writer does, appends a record, and is killed.
fn killed(disk: &SimDisk, id: u64) -> bool {
    let Ok((mut appender, _)) = open(disk) else { return false };
    appender.append(&mut [entry(format!("{id}"), id % 50)]).is_ok() && appender.settle().is_ok()
}

/// The files of the log that count, and the verifier's condition.
fn files(disk: &SimDisk) -> (Vec<String>, Condition) {
    let listed = crate::segment::list(disk, Path::new(FOLDER)).unwrap();
    let names = listed.iter().map(crate::segment::Segment::name).collect();
    (names, verify(disk, Path::new(FOLDER), &[]).unwrap().condition())
}

#[test]
fn files_are_joined_whenever_a_writer_is_killed_over_it() {
    let mut joined = 0;
    for seed in 0..400 {
        let mut disk = SimDisk::new(seed);
        let mut told = Vec::new();
        for id in 0..24 {
            // A kill or a power loss happens while the writer recovers, joins or appends.
            if id % 3 == 2 {
                disk.reseed(seed * 100 + id);
                disk.with_faults(Faults { kill: 40, ..Faults::default() });
            }
            if killed(&disk, id) {
                told.push(id.to_string());
            }
            disk = if seed % 2 == 0 { disk.after_kill() } else { disk.after_power_cut(seed + id) };
            let (_, condition) = files(&disk);
            assert!(condition <= Condition::Torn, "seed {seed}, {id}: {condition:?}");
        }
        assert!(killed(&disk, 24));
        told.push("24".to_owned());
        open(&disk).unwrap().0.close().unwrap();
        let all: Vec<_> = read(&disk).unwrap().into_values().collect();
        let lost: Vec<_> = told.iter().filter(|id| !all.contains(id)).collect();
        assert!(lost.is_empty(), "seed {seed}: {lost:?}");
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len(), "seed {seed}: a record stands twice");
        let (names, condition) = files(&disk);
        assert_eq!(condition, Condition::Clean, "seed {seed}");
        joined += usize::from(names.iter().any(|name| name.contains('-')));
        // The next writer removed the files that an interrupted join left beside the joined file.
        let listed = crate::segment::list_all(&disk, Path::new(FOLDER)).unwrap();
        assert!(listed.beside.is_empty(), "seed {seed}: {:?}", listed.beside);
    }
    assert!(joined > 300, "{joined}");
}

#[test]
fn a_joined_log_is_proven_compressed_and_erased_as_before() {
    let disk = SimDisk::new(1);
    let mut roots = Vec::new();
    for id in 0..40 {
        let (mut appender, _) = open(&disk).unwrap();
        appender.append(&mut [entry(id.to_string(), 60)]).unwrap();
        appender.settle().unwrap();
        roots.push((appender.chain().seq, appender.chain().tree.root()));
    }
    let (names, condition) = files(&disk);
    assert!(names.len() < 25 && condition == Condition::Clean, "{names:?} {condition:?}");
    let folder = Path::new(FOLDER);
    for (size, root) in &roots {
        assert_eq!(root_of(&disk, folder, "w0", *size).unwrap(), Some(*root));
        assert!(prove(&disk, folder, "w0", *size).unwrap().unwrap().holds());
    }
    let (mut appender, _) = open(&disk).unwrap();
    assert_eq!(appender.erase("asked for", &|record| record.session == "7").unwrap(), 1);
    assert!(appender.compress().unwrap() > 0);
    appender.close().unwrap();
    assert_eq!(files(&disk).1, Condition::Clean);
    assert_eq!(read(&disk).unwrap().len(), 40);
    let (size, root) = roots.last().unwrap();
    assert_eq!(root_of(&disk, folder, "w0", *size).unwrap(), Some(*root));
}
