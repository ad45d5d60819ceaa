use std::thread;

use hooks_core::fs::Disk as _;
use hooks_core::testing::FakeDisk;
use hooks_core::time::{StoppedClock, Timestamp};

use super::*;
use crate::append::Entry;
use crate::log::{Log, LogSettings, Unwritten};
use crate::read::{LogReader, Positions};
use crate::record::{Record, notes};

const LOG: &str = "/home/log";

fn disk() -> FakeDisk {
    FakeDisk::default().with_directory("/home").with_directory("/state")
}

fn gaps(disk: &FakeDisk) -> Gaps {
    Gaps::new(Arc::new(disk.clone()), Path::new(LOG), &["/state/hooks".into()])
}

fn settings(disk: &FakeDisk) -> LogSettings {
    LogSettings { gaps: Some(gaps(disk)), ..LogSettings::new([1; 32]) }
}

fn open(disk: &FakeDisk, settings: LogSettings) -> Log {
    Log::open(Arc::new(disk.clone()), LOG, settings, Arc::new(StoppedClock(Timestamp(7)))).unwrap()
}

fn put(log: &Log, session: &str) -> Result<(), Unwritten> {
    let record = Record { session: session.to_owned(), ..Record::new("stop", Timestamp(7)) };
    log.put_through(move || Entry::from(record))?.wait()
}

fn read(disk: &FakeDisk, folder: &str) -> Vec<Record> {
    let mut reader = LogReader::new(Arc::new(disk.clone()), folder, Positions::default());
    reader.read(1_000).unwrap().into_iter().map(|committed| committed.record).collect()
}

/// Records of the log about missing or spilled records.
fn told(disk: &FakeDisk, event: &str) -> Vec<(u64, String)> {
    let of_event = read(disk, LOG).into_iter().filter(|record| record.event == event);
    of_event.map(|record| (record.covers[0].1, record.note.unwrap())).collect()
}

fn lost(count: u64) -> Missing {
    Missing::lost(count, Timestamp(1_000 * count), "no room")
}

#[test]
fn what_is_lost_is_said_once() {
    let disk = disk();
    let log = open(&disk, settings(&disk));
    put(&log, "1").unwrap();
    disk.fail_at(0, ErrorKind::StorageFull);
    put(&log, "2").unwrap_err();
    drop(log);
    put(&open(&disk, settings(&disk)), "3").unwrap();
    let told = told(&disk, notes::GAP);
    assert!(matches!(&told[..], [(1, why)] if why.contains("cannot be written")), "{told:?}");
    put(&open(&disk, settings(&disk)), "4").unwrap();
    assert_eq!(self::told(&disk, notes::GAP), told, "it is said once");
}

#[test]
fn what_cannot_be_kept_beside_the_log_is_kept_elsewhere() {
    // The folder cannot be created, because a file has its name.
    let disk = disk().with_file(LOG, "");
    gaps(&disk).add(lost(1));
    for count in [2, 5] {
        let gaps = gaps(&disk);
        gaps.add(lost(count));
        gaps.keep().unwrap();
        assert_eq!(gaps.unkept(), None);
    }
    disk.remove(LOG.as_ref()).unwrap();
    put(&open(&disk, settings(&disk)), "1").unwrap();
    let wanted = "7 records before this one are missing: they were refused, or could not be written, between \
                  1970-01-01T00:00:02.000Z and 1970-01-01T00:00:05.000Z: no room";
    assert_eq!(told(&disk, notes::GAP), [(7, wanted.to_owned())]);
}

#[test]
fn where_nothing_can_be_written_it_is_known_to_who_asks() {
    let disk = FakeDisk::default().with_file(LOG, "").with_file("/state", "");
    let gaps = gaps(&disk);
    gaps.add(lost(1));
    gaps.keep().unwrap_err();
    gaps.add(lost(2));
    let unkept = gaps.unkept().unwrap().to_string();
    assert!(unkept.starts_with("3 records are missing from the audit log"), "{unkept}");
}

#[test]
fn a_sum_that_somebody_spoilt_still_says_that_something_is_missing() {
    for text in ["", "{}", "{\"lost\":0}", "[1", &" ".repeat(100_000)] {
        let disk = disk().with_file(format!("{LOG}/missing.json"), text);
        put(&open(&disk, settings(&disk)), "1").unwrap();
        let told = told(&disk, notes::GAP);
        assert!(matches!(&told[..], [(1, why)] if why.contains("cannot be read")), "{text:?}: {told:?}");
    }
    let disk = disk().with_file(format!("{LOG}/missing.json"), format!("{{\"lost\":{}}}", u64::MAX));
    gaps(&disk).add(lost(1));
    let again = gaps(&disk);
    again.add(lost(1));
    again.keep().unwrap();
    put(&open(&disk, settings(&disk)), "1").unwrap();
    assert_eq!(told(&disk, notes::GAP)[0].0, u64::MAX);
}

#[test]
fn a_sum_that_anybody_wrote_is_cut_and_has_a_moment() {
    let long = "x".repeat(10_000);
    let text = format!("{{\"lost\":1,\"spilled\":1,\"why\":\"{long}\",\"spill\":\"{long}\"}}");
    let disk = disk().with_file(format!("{LOG}/missing.json"), text);
    put(&open(&disk, settings(&disk)), "1").unwrap();
    let (gap, spilled) = (told(&disk, notes::GAP), told(&disk, notes::SPILLED));
    let moment = Timestamp(7).to_string();
    assert!(gap[0].1.contains(&format!("between {moment} and {moment}: x")), "{}", gap[0].1);
    assert!(gap[0].1.len() < 1_000 && spilled[0].1.len() < 5_000, "{}", spilled[0].1.len());

    // For a file that cannot be parsed, the time of a later entry is the time when the damage was found.
    let disk = self::disk().with_file(format!("{LOG}/missing.json"), "{");
    let gaps = gaps(&disk);
    gaps.add(lost(2));
    gaps.keep().unwrap();
    let found = gaps.find(Timestamp(7)).missing();
    assert_eq!((found.lost, found.since, found.until), (3, Timestamp(2_000), Timestamp(2_000)));
    let turned = Missing { since: Timestamp(9), until: Timestamp(3), ..lost(1) }.bounded(Timestamp(7));
    assert_eq!((turned.since, turned.until), (Timestamp(3), Timestamp(9)));
}

#[test]
fn who_has_no_time_leaves_it_in_memory_while_others_add_to_all_places() {
    let disk = disk();
    let gaps = gaps(&disk);
    disk.create_directory(LOG.as_ref()).unwrap();
    disk.create_directory("/state/hooks".as_ref()).unwrap();
    let elsewhere = Path::new("/state/hooks").join(Gaps::name(LOG.as_ref())).with_extension("lock");
    let lock = |path: &Path| disk.lock(path, Duration::ZERO).unwrap();
    let (first, second) = (lock("/home/log/missing.lock".as_ref()), lock(&elsewhere));
    gaps.add(lost(1));
    assert_eq!(gaps.keep_within(Duration::ZERO).unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(gaps.unkept(), Some(lost(1)));
    drop((first, second));
    gaps.keep_within(Duration::ZERO).unwrap();
    assert_eq!(gaps.unkept(), None);
}

#[test]
fn what_is_taken_while_a_place_is_waited_for_is_not_kept_as_nothing() {
    let disk = disk();
    let gaps = gaps(&disk);
    disk.create_directory(LOG.as_ref()).unwrap();
    let lock = disk.lock("/home/log/missing.lock".as_ref(), Duration::ZERO).unwrap();
    gaps.add(lost(1));
    let waits = gaps.clone();
    thread::scope(|scope| {
        scope.spawn(move || waits.keep().unwrap());
        let found = gaps.find(Timestamp(7));
        assert_eq!(found.missing(), lost(1));
        gaps.forget(found);
        drop(lock);
    });
    assert_eq!(gaps.find(Timestamp(7)).missing(), Missing::default());
}

#[test]
fn nothing_is_lost_among_many_who_add_and_take() {
    let disk = disk();
    let count = |gaps: &Gaps| {
        let found = gaps.find(Timestamp(7));
        let count = found.missing().lost;
        gaps.forget(found);
        count
    };
    let taken: u64 = thread::scope(|scope| {
        let adding: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let gaps = gaps(&disk);
                    for _ in 0..20 {
                        gaps.add(lost(1));
                        gaps.keep().unwrap();
                    }
                })
            })
            .collect();
        let mut taken = 0;
        while adding.iter().any(|thread| !thread.is_finished()) {
            taken += count(&gaps(&disk));
            thread::yield_now();
        }
        taken
    });
    assert_eq!(taken + count(&gaps(&disk)), 160);
}

#[test]
fn a_kill_at_any_step_forgets_nothing() {
    let mut step = 0;
    loop {
        let disk = disk();
        put(&open(&disk, settings(&disk)), "1").unwrap();
        let before = gaps(&disk);
        before.add(lost(1));
        before.keep().unwrap();
        // The next process adds to the counts, and the one after it records them.
        let start = disk.steps();
        disk.kill_at(step);
        let next = gaps(&disk);
        next.add(lost(1));
        let is_kept = next.keep().is_ok();
        let log =
            Log::open(Arc::new(disk.clone()), LOG, settings(&disk), Arc::new(StoppedClock(Timestamp(7))));
        let is_put = log.is_ok_and(|log| put(&log, "2").is_ok());
        let is_over = disk.steps() - start < step;
        if is_over {
            disk.restart();
        } else {
            disk.lose_power();
        }
        put(&open(&disk, settings(&disk)), "3").unwrap();
        let told: u64 = told(&disk, notes::GAP).iter().map(|(count, _)| count).sum();
        assert!(told > u64::from(is_kept), "step {step}: {told}");
        assert!(!is_over || told == 2, "step {step}: {told}");
        if is_put && is_over {
            break;
        }
        step += 1;
        assert!(step < 500);
    }
}

#[test]
fn a_log_that_cannot_be_opened_goes_to_the_spill_log_at_once_and_says_so_later() {
    let disk = disk().with_file(LOG, "");
    let spilling = || LogSettings { spill: Some("/other".into()), ..settings(&disk) };
    for session in ["1", "2"] {
        let log = open(&disk, spilling());
        assert_eq!(log.check(), Ok(()));
        put(&log, session).unwrap();
        assert_eq!(log.settled().unwrap().wait(), Ok(()), "all of it is on the record");
        log.erase("for a test", |_| true).unwrap_err();
    }
    let sessions: Vec<_> = read(&disk, "/other").into_iter().map(|record| record.session).collect();
    assert_eq!(sessions, ["1", "2"]);

    disk.remove(LOG.as_ref()).unwrap();
    put(&open(&disk, spilling()), "3").unwrap();
    let told = told(&disk, notes::SPILLED);
    assert!(matches!(&told[..], [(2, what)] if what.contains("in the spill log `/other`")), "{told:?}");
    assert!(self::told(&disk, notes::GAP).is_empty());
}

#[test]
fn neither_of_two_places_is_an_error_that_names_both() {
    let disk = disk().with_file(LOG, "").with_file("/other", "");
    let settings = LogSettings { spill: Some("/other".into()), ..settings(&disk) };
    let clock = Arc::new(StoppedClock(Timestamp(7)));
    let error = Log::open(Arc::new(disk), LOG, settings, clock).unwrap_err().to_string();
    assert!(error.starts_with("the log in `/home/log` cannot be opened: "), "{error}");
    assert!(error.contains("; and for its spill log, the log in `/other` cannot be opened: "), "{error}");
}
