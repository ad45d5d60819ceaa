//! Attacks by a holder of a log's files, while its checkpoints are stored elsewhere: all are detected and
//! located.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::fs::Disk as _;
use hooks_core::time::{Random, SeededRandom, StoppedClock, Timestamp};

use super::{Condition, Finding};
use crate::append::{AppendSettings, Appender};
use crate::checkpoint::{
    self, CheckpointReport, CheckpointWriter, Checkpoints, FirstKey, Fleet, Keys, LogPlace, Signer,
    SigningKey, Zeroizing, heads,
};
use crate::log::{Log, LogSettings};
use crate::mutant::{self, Mutant};
use crate::read::{Committed, LogReader, Positions};
use crate::record::{Record, notes};
use crate::sim::SimDisk;

const LOG: &str = "/log";
const ELSEWHERE: &str = "/elsewhere";

/// A log of two chains, with checkpoints made after each of three files.
struct Kept {
    disk: SimDisk,
    /// Copies of the disk after each of them.
    before: Vec<SimDisk>,
    keys: Keys,
    evolves: bool,
}

/// Number of records in each chain at these times.
const SIZES: [u64; 3] = [5, 10, 15];

fn open(disk: &SimDisk) -> Appender {
    let clock = Arc::new(StoppedClock(Timestamp(1)));
    Appender::open(Arc::new(disk.clone()), LOG, AppendSettings::new([0; 32]), clock).unwrap().0
}

fn add(appender: &mut Appender, session: &str, records: u64) {
    for number in 0..records {
        let record =
            Record { session: format!("{session}.{number}"), ..Record::new("stop", Timestamp(number)) };
        appender.append(&mut [record.into()]).unwrap();
    }
}

fn kept(evolves: bool) -> Kept {
    let disk = SimDisk::new(1);
    let mut keys = Keys::default();
    for folder in [ELSEWHERE, "/key"] {
        disk.create_directory(folder.as_ref()).unwrap();
    }
    let signer = if evolves {
        let first = FirstKey::new("example.com/a", &Zeroizing::new([5; 32])).unwrap();
        checkpoint::begin(&disk, "/key".as_ref(), &first).unwrap();
        keys.add(&first.to_secret()).unwrap();
        Signer::Evolving("/key".into())
    } else {
        let key = SigningKey::new("example.com/a", &Zeroizing::new([5; 32])).unwrap();
        keys.add(&key.verifier().to_string()).unwrap();
        Signer::Ed25519(Arc::new(key))
    };
    let checkpoints = Checkpoints { folder: ELSEWHERE.into(), signer };
    let mut checkpoints = CheckpointWriter::open(Arc::new(disk.clone()), checkpoints).unwrap();
    // Both chains are written at the same time.
    let mut writers = [open(&disk), open(&disk)];
    let mut before = Vec::new();
    for size in SIZES {
        for writer in &mut writers {
            add(writer, &size.to_string(), 5);
            writer.rotate().unwrap();
            let chain = writer.durable();
            checkpoints
                .write_chain(&chain.name, size, chain.tree.root(), |size| writer.root_of(size))
                .unwrap();
        }
        before.push(disk.after_kill());
    }
    let fleet = Fleet::new(heads(&disk, "log", LOG.as_ref()).unwrap()).unwrap();
    assert_eq!(fleet.heads().iter().map(|head| head.size).collect::<Vec<_>>(), [15, 15]);
    checkpoints.write_fleet(&fleet, |_| Ok(None)).unwrap();
    drop(writers);
    Kept { disk: disk.after_kill(), before, keys, evolves }
}

fn check(disk: &SimDisk, keys: &Keys) -> CheckpointReport {
    let log = LogPlace { name: None, folder: LOG.into() };
    checkpoint::verify(disk, &[log], ELSEWHERE.as_ref(), keys).unwrap()
}

fn findings(outcome: &CheckpointReport) -> Vec<&Finding> {
    let chains = outcome.reports.iter().flat_map(|(_, report)| &report.chains);
    outcome.findings.iter().chain(chains.flat_map(|chain| &chain.findings)).collect()
}

/// Files of a chain, and other files that belong to it.
fn files(disk: &SimDisk, chain: &str) -> Vec<PathBuf> {
    let names = disk.list(LOG.as_ref()).unwrap().unwrap();
    let names = names.iter().filter(|name| name.to_str().is_some_and(|name| name.starts_with(chain)));
    names.map(|name| Path::new(LOG).join(name)).collect()
}

/// Replaces a chain by its copy on another disk.
fn put_back(disk: &SimDisk, chain: &str, from: &SimDisk) {
    files(disk, chain).iter().for_each(|file| disk.remove(file).unwrap());
    for file in files(from, chain) {
        disk.create(&file, &from.content(&file).unwrap()).unwrap();
    }
}

/// An attack, with the file and the text of the finding that has to detect it.
struct Done {
    what: &'static str,
    file: String,
    says: String,
    /// The least severe condition that is accepted.
    condition: Condition,
}

fn done(what: &'static str, file: &str, says: &str) -> Done {
    Done { what, file: file.to_owned(), says: says.to_owned(), condition: Condition::Mismatched }
}

fn tamper(kept: &Kept, disk: &SimDisk, dice: &SeededRandom) -> Option<Done> {
    let roll = |sides: usize| dice.next_u64() as usize % sides;
    let chain = ["w0", "w1"][roll(2)];
    let round = roll(2);
    let size = SIZES[round];
    let notes = Path::new(ELSEWHERE).join(format!("{chain}.checkpoints"));
    match roll(9) {
        0 => {
            files(disk, chain).iter().for_each(|file| disk.remove(file).unwrap());
            Some(done("a chain was taken away", chain, "the chain is missing"))
        }
        1 => {
            put_back(disk, chain, &kept.before[round]);
            Some(done("old files were put back", chain, &format!("the records behind {size} are missing")))
        }
        2 => {
            let fork = kept.before[round].after_kill();
            let mut writers = [open(&fork), open(&fork)];
            let more = roll(20) as u64;
            for writer in &mut writers {
                add(writer, "fork", more);
                writer.rotate().unwrap();
            }
            let end = writers[0].durable().seq;
            drop(writers);
            put_back(disk, chain, &fork);
            // The writer that took the chain over wrote one record before.
            let says = match SIZES.iter().find(|next| **next > size && **next <= end) {
                Some(next) => format!("of the records behind {size} up to {next} some are other ones"),
                None => format!("the records behind {end} are missing"),
            };
            Some(done("the chain was forked", chain, &says))
        }
        3 => {
            let at = disk.content(&notes).unwrap();
            let text = String::from_utf8(at).unwrap();
            let changed =
                text.replacen(&format!("/{chain}\n{size}\n"), &format!("/{chain}\n{}\n", size - 1), 1);
            disk.tamper(&notes, changed.into_bytes());
            Some(done("a checkpoint was changed", &format!("{chain}.checkpoints"), "signature is wrong"))
        }
        4 if kept.evolves => {
            // Not the last checkpoint of the key, because removing that one would leave no gap.
            let content = disk.content(&notes).unwrap();
            let pieces: Vec<_> = checkpoint::Pieces::new(&content).collect();
            let gone = &pieces[round];
            let rest = [&content[..gone.offset], &content[gone.end..]].concat();
            disk.tamper(&notes, rest);
            Some(done("a checkpoint was taken away", ".checkpoints", "are missing"))
        }
        5 => {
            let forger = SigningKey::new("example.com/a", &Zeroizing::new([6; 32])).unwrap();
            let mut writer = open(disk);
            add(&mut writer, "forged", 3);
            writer.settle().unwrap();
            let (chain, tree) = (writer.durable().name.clone(), writer.durable().tree.clone());
            let text = checkpoint::Checkpoint::of_chain("example.com/a", &chain, tree.size(), tree.root());
            let text = text.to_string();
            let signatures = vec![forger.sign(&text)];
            let note = checkpoint::Note { text, signatures }.to_string();
            disk.append(&Path::new(ELSEWHERE).join(format!("{chain}.checkpoints")), note.as_bytes()).unwrap();
            Some(done("a checkpoint was forged", ".checkpoints", "a key that is not known"))
        }
        6 => {
            let mut content = disk.content(&notes).unwrap();
            let at = roll(content.len());
            content[at] = content[at].wrapping_add(1 + roll(255) as u8);
            disk.tamper(&notes, content);
            let file = format!("{chain}.checkpoints");
            Some(Done { condition: Condition::Torn, ..done("a byte of a checkpoint was changed", &file, "") })
        }
        which => {
            let number = 1 + roll(3);
            let name = format!("{chain}.{number:08}.jsonl");
            let file = Path::new(LOG).join(&name);
            let content = disk.content(&file).unwrap();
            let mut lines: Vec<_> =
                content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let line = roll(lines.len());
            let what = match (which, roll(3)) {
                (7, 0) => {
                    lines.remove(line);
                    "a line was dropped"
                }
                (7, 1) => {
                    let with = roll(lines.len());
                    lines.swap(line, with);
                    "two lines were swapped"
                }
                (7, _) => {
                    let other = if chain == "w0" { "w1" } else { "w0" };
                    let from = Path::new(LOG).join(format!("{other}.{:08}.jsonl", 1 + roll(3)));
                    let from = disk.content(&from).unwrap();
                    let from: Vec<_> = from.split_inclusive(|byte| *byte == b'\n').collect();
                    lines[line] = from[roll(from.len())].to_vec();
                    "a line was spliced in"
                }
                (_, 0) => {
                    lines.truncate(line);
                    "the rest was cut off"
                }
                (_, _) => {
                    let at = roll(lines[line].len());
                    lines[line][at] = lines[line][at].wrapping_add(1 + roll(255) as u8);
                    "a byte was changed"
                }
            };
            let changed = lines.concat();
            if changed == content {
                return None;
            }
            disk.tamper(&file, changed);
            Some(Done { condition: Condition::Damaged, ..done(what, &name, "") })
        }
    }
}

/// `HOOKS_TAMPERINGS` sets another number of rounds.
#[test]
fn tamperings_are_found_and_located_where_checkpoints_are_kept_elsewhere() {
    let rounds: u64 =
        std::env::var("HOOKS_TAMPERINGS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_000);
    let logs = [kept(false), kept(true)];
    for kept in &logs {
        let outcome = check(&kept.disk, &kept.keys);
        assert_eq!((outcome.condition(), outcome.believed), (Condition::Clean, 7), "{outcome:?}");
        assert!(outcome.reports[0].1.chains.iter().all(|chain| chain.agreed == 15));
    }
    let mut found = 0;
    for seed in 0..rounds {
        let dice = SeededRandom::new(seed);
        let kept = &logs[seed as usize % 2];
        let disk = kept.disk.after_kill();
        let Some(done) = tamper(kept, &disk, &dice) else { continue };
        let outcome = check(&disk, &kept.keys);
        let all = findings(&outcome);
        assert!(outcome.condition() >= done.condition, "seed {seed}: {}: {all:?}", done.what);
        let is_located =
            all.iter().any(|found| found.file.contains(&done.file) && found.what.contains(&done.says));
        assert!(is_located, "seed {seed}: {} in {}, {}: {all:?}", done.what, done.file, done.says);
        found += 1;
    }
    assert!(found > rounds * 3 / 4);
    println!("{found} tamperings, all found and located");
}

#[test]
fn a_verifier_that_does_not_compare_sizes_is_caught() {
    let kept = kept(false);
    put_back(&kept.disk, "w0", &kept.before[1]);
    let condition = |mutant| mutant::with(mutant, || check(&kept.disk, &kept.keys).condition());
    assert_eq!(condition(None), Condition::Mismatched);
    assert_eq!(condition(Some(Mutant::ComparesNoSize)), Condition::Clean);
}

/// Extends `w0` to `size` records, and makes a checkpoint of it in a new process; returns the error.
fn vouched(kept: &Kept, disk: &SimDisk, size: u64) -> Option<String> {
    let signer = if kept.evolves {
        Signer::Evolving("/key".into())
    } else {
        Signer::Ed25519(Arc::new(SigningKey::new("example.com/a", &Zeroizing::new([5; 32])).unwrap()))
    };
    let checkpoints = Checkpoints { folder: ELSEWHERE.into(), signer };
    let mut checkpoints = CheckpointWriter::open(Arc::new(disk.clone()), checkpoints).unwrap();
    let mut writer = open(disk);
    while writer.chain().seq < size {
        add(&mut writer, "more", 1);
    }
    writer.settle().unwrap();
    let chain = writer.durable();
    let done = checkpoints.write_chain("w0", chain.seq, chain.tree.root(), |size| writer.root_of(size));
    done.err().map(|error| error.to_string())
}

#[test]
fn nobody_vouches_for_a_log_that_was_put_back_and_grew_again() {
    for kept in [kept(false), kept(true)] {
        let notes = Path::new(ELSEWHERE).join("w0.checkpoints");
        for (round, before) in kept.before.iter().enumerate() {
            for size in 6..20 {
                let disk = kept.disk.after_kill();
                put_back(&disk, "w0", before);
                let error = vouched(&kept, &disk, size);
                let is_same = round + 1 == kept.before.len();
                assert_eq!(error.is_none(), is_same, "{round} {size}: {error:?}");
                let notes = disk.content(&notes) == kept.disk.content(&notes);
                assert_eq!(notes, !is_same, "nothing is added");
                assert!(error.is_none_or(|error| error.contains("chain `w0` was put back or changed")));
            }
        }
        // A writer without the comparison would sign another chain.
        let grown = |mutant| {
            let disk = kept.disk.after_kill();
            put_back(&disk, "w0", &kept.before[1]);
            mutant::with(mutant, || vouched(&kept, &disk, 19)).is_some()
        };
        assert!(grown(None) && !grown(Some(Mutant::ComparesNoRoot)));
    }
}

#[test]
fn a_chain_is_vouched_for_again_wherever_its_last_checkpoint_is() {
    let kept = kept(false);
    let notes = Path::new(ELSEWHERE).join("w0.checkpoints");
    let content = kept.disk.content(&notes).unwrap();
    let ends: Vec<_> = checkpoint::Pieces::new(&content).map(|piece| piece.end).collect();
    for (end, size) in ends.into_iter().zip(SIZES) {
        for (compressed, gone) in [(false, 0), (true, 0), (true, 2)] {
            let disk = kept.disk.after_kill();
            disk.tamper(&notes, content[..end].to_vec());
            if compressed {
                let writer = open(&disk);
                writer.compress().unwrap();
                writer.close().unwrap();
            }
            for file in files(&disk, "w0").into_iter().filter(|file| file.to_string_lossy().contains(".00")) {
                let name = file.file_name().unwrap().to_string_lossy().into_owned();
                let is_gone = (1..=gone).any(|number| name == format!("w0.{number:08}.jsonl.gz"));
                if is_gone {
                    disk.remove(&file).unwrap();
                }
            }
            // Deleted records cannot be compared.
            assert_eq!(vouched(&kept, &disk, 17), None, "{size} {compressed} {gone}");
        }
    }
}

#[test]
fn a_log_that_was_put_back_and_grew_again_has_an_alarm() {
    let kept = kept(true);
    put_back(&kept.disk, "w0", &kept.before[0]);
    let key = Signer::Evolving("/key".into());
    let mut settings = LogSettings::new([0; 32]);
    settings.checkpoints = Some(Checkpoints { folder: ELSEWHERE.into(), signer: key });
    let clock = Arc::new(StoppedClock(Timestamp(1)));
    let log = Log::open(Arc::new(kept.disk.clone()), LOG, settings, clock).unwrap();
    for _ in 0..20 {
        log.put_through(|| Record::new("stop", Timestamp(1)).into()).unwrap().wait().unwrap();
    }
    drop(log);
    let all = LogReader::new(Arc::new(kept.disk.clone()), LOG, Positions::default()).read(1_000).unwrap();
    let alarms: Vec<_> = all.iter().filter(|committed| committed.record.event == notes::ALARM).collect();
    let says = |alarm: &Committed| alarm.record.note.as_ref().unwrap().contains("was put back or changed");
    assert!(alarms.len() == 1 && says(alarms[0]), "{alarms:?}");
}

#[test]
fn a_log_that_is_not_named_and_keys_that_vouch_for_nothing_are_findings() {
    let kept = kept(false);
    let other = LogPlace { name: Some("other".to_owned()), folder: "/nowhere".into() };
    let outcome = checkpoint::verify(&kept.disk, &[other], ELSEWHERE.as_ref(), &kept.keys).unwrap();
    let mentions = |what: &str| outcome.findings.iter().any(|finding| finding.what.contains(what));
    assert!(mentions("`log=FOLDER`") && mentions("`example.com/a=FOLDER`"), "{outcome:?}");
    for folder in [ELSEWHERE, "/key"] {
        let mut keys = Keys::default();
        keys.add(&SigningKey::new("b", &Zeroizing::new([9; 32])).unwrap().verifier().to_string()).unwrap();
        let log = LogPlace { name: None, folder: LOG.into() };
        let outcome = checkpoint::verify(&kept.disk, &[log], folder.as_ref(), &keys).unwrap();
        assert!(
            outcome.findings.iter().any(|finding| finding.what == "no checkpoint here is by one of the keys")
        );
        assert_eq!(outcome.condition(), Condition::Mismatched);
    }
}
