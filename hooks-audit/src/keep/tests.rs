use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{Disk, LogDisk};
use hooks_core::time::{Clock, StoppedClock, Timestamp};
use serde_json::json;

use super::*;
use crate::append::{AppendSettings, Appender, Entry};
use crate::log::{Log, LogSettings};
use crate::read::{Committed, LogReader, Positions};
use crate::record::{Payload, Record, notes};
use crate::sim::{Faults, SimDisk};
use crate::verify::{Condition, verify};

const FOLDER: &str = "/log";
const DAY: u64 = 86_400_000;

fn clock(day: u64) -> Arc<dyn Clock> {
    Arc::new(StoppedClock(Timestamp(day * DAY)))
}

/// Files do not end because of their age.
fn settings() -> AppendSettings {
    AppendSettings { file_age: Duration::MAX, ..AppendSettings::new([0; 32]) }
}

fn disk(disk: &SimDisk) -> Arc<dyn LogDisk> {
    Arc::new(disk.clone())
}

/// A full file for each day from 1 to 4, with a record of the session of that number.
fn log() -> SimDisk {
    let sim = SimDisk::new(1);
    let (mut appender, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(4)).unwrap();
    for day in 1..5_u64 {
        let record = Record { session: day.to_string(), ..Record::new("stop", Timestamp(day * DAY)) };
        appender.append(&mut [Entry { record, payload: Some(Payload::new(json!({"day": day}))) }]).unwrap();
        appender.rotate().unwrap();
    }
    appender.close().unwrap();
    sim
}

fn keeper(sim: &SimDisk, day: u64, keeping: Keeping) -> Keeper {
    Keeper::new(disk(sim), FOLDER, clock(day), keeping)
}

fn for_two_days() -> Keeping {
    Keeping { keep: Some(Duration::from_secs(2 * 86_400)), compress: true }
}

fn read(sim: &SimDisk) -> Vec<Committed> {
    LogReader::new(disk(sim), FOLDER, Positions::default()).read(1_000).unwrap()
}

fn events(sim: &SimDisk) -> Vec<String> {
    read(sim).into_iter().map(|committed| committed.record.event).collect()
}

fn is_clean(sim: &SimDisk) -> bool {
    verify(sim, FOLDER.as_ref(), &[]).unwrap().condition() == Condition::Clean
}

fn hold(name: &str, session: &str) -> Hold {
    let of = Selection { session: Some(session.to_owned()), ..Selection::default() };
    Hold::new(name, "a case", "ada", of)
}

fn put(sim: &SimDisk) -> impl FnOnce(Record) -> io::Result<()> + use<> {
    let disk = disk(sim);
    move |record| {
        let (mut appender, _) =
            Appender::open(disk, FOLDER, settings(), clock(5)).map_err(io::Error::other)?;
        appender.note(record)?;
        appender.close()
    }
}

#[test]
fn what_is_old_is_deleted_and_the_rest_compressed_as_it_was_said_before() {
    let sim = log();
    let keeper = keeper(&sim, 5, for_two_days());
    let plan = keeper.plan().unwrap();
    assert_eq!(plan.deleted, ["w0.00000001.jsonl", "w0.00000002.jsonl"]);
    assert_eq!(plan.compressed, ["w0.00000003.jsonl", "w0.00000004.jsonl"]);
    assert_eq!(read(&sim).len(), 4, "a plan does nothing");
    assert_eq!(keeper.all(&settings(), &|| true).unwrap(), plan);
    assert_eq!(events(&sim), ["stop", "stop", notes::DELETED]);
    assert!(is_clean(&sim));
    assert_eq!(keeper.all(&settings(), &|| true).unwrap(), Report::default());
}

#[test]
fn an_interrupted_deletion_is_completed_by_the_next_run() {
    let keep = |sim: &SimDisk| keeper(sim, 5, for_two_days()).all(&settings(), &|| true);
    let mut interrupted = 0;
    for seed in 0..200 {
        let sim = log().after_power_cut(seed);
        sim.reseed(seed);
        sim.with_faults(Faults { kill: 60, ..Faults::default() });
        interrupted += usize::from(keep(&sim).is_err());
        let left = if seed % 2 == 0 { sim.after_kill() } else { sim.after_power_cut(seed) };
        let condition = verify(&left, FOLDER.as_ref(), &[]).unwrap().condition();
        assert!(condition <= Condition::Torn, "seed {seed}");
        keep(&left).unwrap();
        let kept: Vec<_> = read(&left).into_iter().map(|committed| committed.record.session).collect();
        assert_eq!(kept.iter().filter(|session| !session.is_empty()).collect::<Vec<_>>(), ["3", "4"]);
        let condition = verify(&left, FOLDER.as_ref(), &[]).unwrap().condition();
        assert!(condition <= Condition::Torn, "seed {seed}");
    }
    assert!(interrupted > 50, "{interrupted}");
}

#[test]
fn without_time_it_stops_between_two_files() {
    let sim = log();
    let looks = Cell::new(0);
    let goes_on = || looks.replace(looks.get() + 1) < 2;
    let report = keeper(&sim, 5, Keeping::default()).all(&settings(), &goes_on).unwrap();
    assert_eq!((report.compressed.len(), report.is_unfinished), (1, true));
    assert_eq!(read(&sim).len(), 4);
    // No file is deleted before all holds are known.
    let keeper = keeper(&sim, 9, for_two_days());
    looks.set(0);
    let report = keeper.all(&settings(), &|| looks.replace(looks.get() + 1) < 3).unwrap();
    assert_eq!((report.deleted.len(), report.is_unfinished), (0, true));
    assert_eq!(keeper.all(&settings(), &|| true).unwrap().deleted.len(), 4);
}

#[test]
fn a_chain_that_is_written_is_left_to_who_writes_it() {
    let sim = log();
    let (writes, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(5)).unwrap();
    let report = keeper(&sim, 5, for_two_days()).all(&settings(), &|| true).unwrap();
    assert_eq!((report.busy, report.deleted), (vec!["w0".to_owned()], Vec::new()));
    drop(writes);
}

#[test]
fn what_is_held_stays_until_it_is_released() {
    let sim = log();
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    holds.add(hold("case", "2"), put(&sim), Timestamp(5 * DAY)).unwrap();
    assert!(matches!(holds.add(hold("case", "3"), put(&sim), Timestamp(0)), Err(HoldError::Exists(_))));
    assert!(matches!(holds.add(Hold::default(), put(&sim), Timestamp(0)), Err(HoldError::Unnamed)));
    let fails = |_| Err(io::Error::other("no room"));
    assert!(holds.add(hold("other", "3"), fails, Timestamp(0)).is_err());
    assert_eq!(holds.all().len(), 1, "what is not on the record does not hold");
    drop(holds);
    let keeper = keeper(&sim, 9, for_two_days());
    let report = keeper.all(&settings(), &|| true).unwrap();
    assert_eq!(
        (report.deleted, report.held),
        (vec!["w0.00000001.jsonl".to_owned()], vec!["w0.00000002.jsonl".to_owned()])
    );
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    assert!(matches!(holds.release("none", "ada", put(&sim), Timestamp(0)), Err(HoldError::Unknown(_))));
    holds.release("case", "ada", put(&sim), Timestamp(9 * DAY)).unwrap();
    drop(holds);
    assert_eq!(keeper.all(&settings(), &|| true).unwrap().deleted.len(), 3);
    let events = events(&sim);
    assert!(
        events.iter().any(|event| event == notes::HELD)
            && events.iter().any(|event| event == notes::RELEASED)
    );
    assert!(is_clean(&sim));
}

#[test]
fn where_nobody_knows_what_is_held_nothing_is_deleted() {
    let sim = log();
    sim.create(&std::path::Path::new(FOLDER).join("holds.json"), b"{").unwrap();
    assert!(keeper(&sim, 9, for_two_days()).all(&settings(), &|| true).is_err());
    assert_eq!(read(&sim).len(), 4);
}

/// A log with holds on the sessions 2 and 3, and the file of holds before the second was added.
fn held() -> (SimDisk, Vec<u8>) {
    let sim = log();
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    holds.add(hold("first", "2"), put(&sim), Timestamp(5 * DAY)).unwrap();
    let before = sim.content(HOLDS.as_ref()).unwrap();
    holds.add(hold("second", "3"), put(&sim), Timestamp(5 * DAY + 1)).unwrap();
    (sim, before)
}

const HOLDS: &str = "/log/holds.json";

#[test]
fn a_hold_that_only_the_record_has_keeps_everything() {
    let (sim, before) = held();
    let narrower = String::from_utf8(sim.content(HOLDS.as_ref()).unwrap()).unwrap().replace("\"3\"", "\"9\"");
    for (left, forgotten) in [
        (None, "first"),
        (Some(b"[]".to_vec()), "first"),
        (Some(before), "second"),
        (Some(narrower.into()), "second"),
    ] {
        let sim = sim.after_kill();
        match &left {
            None => sim.remove(HOLDS.as_ref()).unwrap(),
            Some(left) => sim.tamper(HOLDS.as_ref(), left.clone()),
        }
        let keeper = keeper(&sim, 9, for_two_days());
        let name = format!("hold `{forgotten}` is in force");
        let refused = |error: &dyn std::fmt::Display| assert!(error.to_string().contains(&name), "{error}");
        refused(&keeper.plan().unwrap_err());
        refused(&keeper.all(&settings(), &|| true).unwrap_err());
        let log_settings = LogSettings { files: settings(), ..LogSettings::new([0; 32]) };
        let log = Log::open(disk(&sim), FOLDER, log_settings, clock(5)).unwrap();
        refused(&log.erase("asked for", |_| true).unwrap_err());
        drop(log);
        assert_eq!(read(&sim).iter().filter(|committed| committed.payload().is_some()).count(), 4);
        // A hold that is in the file cannot be released either.
        let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
        if forgotten == "second" {
            refused(&holds.release("first", "ada", put(&sim), Timestamp(6 * DAY)).unwrap_err());
        }
        // The remedies: add the hold again, or release it, even if the file lacks it.
        for name in ["first", "second"] {
            if holds.all().iter().all(|hold| hold.name != name) {
                let session = if name == "first" { "2" } else { "3" };
                holds.add(hold(name, session), put(&sim), Timestamp(6 * DAY)).unwrap();
            }
        }
        if holds.check().is_err() {
            holds.release("second", "ada", put(&sim), Timestamp(6 * DAY + 1)).unwrap();
        }
        holds.check().unwrap();
        sim.remove(HOLDS.as_ref()).unwrap();
        drop(holds);
        let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
        for name in ["first", "second"] {
            drop(holds.release(name, "ada", put(&sim), Timestamp(7 * DAY)));
        }
        let unknown = holds.release("second", "ada", put(&sim), Timestamp(7 * DAY));
        assert!(matches!(unknown, Err(HoldError::Unknown(_))));
        drop(holds);
        assert!(keeper.all(&settings(), &|| true).unwrap().deleted.len() >= 4);
        assert!(is_clean(&sim));
    }
}

#[test]
fn a_release_counts_also_where_the_clock_was_set_back_and_another_chain_has_it() {
    let sim = log();
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    let (writes, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(5)).unwrap();
    // Another process writes the first chain, so this change goes to a second one.
    holds.add(hold("case", "2"), put(&sim), Timestamp(6 * DAY)).unwrap();
    writes.close().unwrap();
    holds.release("case", "ada", put(&sim), Timestamp(5 * DAY)).unwrap();
    holds.check().unwrap();
    let (writes, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(5)).unwrap();
    holds.add(hold("case", "2"), put(&sim), Timestamp(4 * DAY)).unwrap();
    writes.close().unwrap();
    sim.remove(HOLDS.as_ref()).unwrap();
    drop(holds);
    let error = Holds::take(disk(&sim), FOLDER).unwrap().check().unwrap_err().to_string();
    assert!(error.contains("hold `case` is in force"), "{error}");
    let words: Vec<_> = read(&sim).into_iter().filter_map(|committed| committed.record.note).collect();
    assert!(words.iter().any(|words| words.ends_with("(ada); change 3")), "{words:?}");
}

#[test]
fn a_hold_in_force_is_not_narrowed_by_one_of_its_name() {
    let (sim, _) = held();
    let forgotten = || Holds::forgotten(&sim, FOLDER.as_ref()).unwrap();
    assert_eq!(forgotten(), Vec::<String>::new());
    sim.remove(HOLDS.as_ref()).unwrap();
    assert_eq!(forgotten().len(), 2);
    assert!(forgotten()[0].starts_with("`first` holds records of session `2`"));
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    let everything = Hold::new("first", "why", "eve", Selection::default());
    for other in [hold("first", "nobody"), hold("first", "2`: a"), everything] {
        let error = holds.add(other, put(&sim), Timestamp(6 * DAY)).unwrap_err();
        assert!(matches!(&error, HoldError::InForce { name, .. } if name == "first"), "{error}");
        assert!(error.to_string().contains("session `2`: a case (ada)"), "{error}");
    }
    assert_eq!(forgotten().len(), 2, "nothing was put down");
    // A hold on the same records may have another reason; after a release, it may be on any records.
    let again = Hold { reason: "why".to_owned(), by: "eve".to_owned(), ..hold("first", "2") };
    holds.add(again, put(&sim), Timestamp(6 * DAY)).unwrap();
    holds.release("second", "ada", put(&sim), Timestamp(6 * DAY)).unwrap();
    holds.add(hold("second", "nobody"), put(&sim), Timestamp(6 * DAY + 1)).unwrap();
    holds.check().unwrap();
    // A session's name may contain text that looks like its end.
    holds.add(hold("third", "2`: a"), put(&sim), Timestamp(6 * DAY)).unwrap();
    sim.remove(HOLDS.as_ref()).unwrap();
    drop(holds);
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    let part = holds.add(hold("third", "2"), put(&sim), Timestamp(7 * DAY));
    assert!(matches!(part, Err(HoldError::InForce { .. })));
    holds.add(hold("third", "2`: a"), put(&sim), Timestamp(7 * DAY)).unwrap();
}

#[test]
fn what_the_record_says_of_holds_outlives_its_files() {
    let (sim, _) = held();
    // A hold is released, and one on other records stays. All notes about holds are in full files that are
    // old enough.
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    holds.add(hold("third", "none"), put(&sim), Timestamp(5 * DAY + 2)).unwrap();
    for name in ["first", "second"] {
        holds.release(name, "ada", put(&sim), Timestamp(5 * DAY + 3)).unwrap();
    }
    drop(holds);
    for day in [20, 40] {
        let (mut appender, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(day)).unwrap();
        appender.rotate().unwrap();
        appender.close().unwrap();
        let report = keeper(&sim, day, for_two_days()).all(&settings(), &|| true).unwrap();
        assert!(!report.deleted.is_empty());
        let held = events(&sim).iter().filter(|event| *event == notes::HELD).count();
        assert_eq!(held, 1, "{day}: {:?}", events(&sim));
        assert!(is_clean(&sim));
    }
    sim.remove(HOLDS.as_ref()).unwrap();
    let error = Holds::take(disk(&sim), FOLDER).unwrap().check().unwrap_err().to_string();
    assert!(error.contains("hold `third` is in force"), "{error}");
}

#[test]
fn a_payload_says_nothing_of_holds() {
    let sim = log();
    let (mut appender, _) = Appender::open(disk(&sim), FOLDER, settings(), clock(5)).unwrap();
    let record = Record::new("stop", Timestamp(5 * DAY));
    let payload = Payload::new(json!({"seq": 1, "event": notes::HELD, "note": "`x` holds all"}));
    appender.append(&mut [Entry { record, payload: Some(payload) }]).unwrap();
    appender.close().unwrap();
    Holds::take(disk(&sim), FOLDER).unwrap().check().unwrap();
}

#[test]
fn a_log_that_is_open_keeps_its_own_files() {
    let sim = log();
    let mut log_settings = LogSettings { files: settings(), ..LogSettings::new([0; 32]) };
    log_settings.keeping = Some(for_two_days());
    let log = Log::open(disk(&sim), FOLDER, log_settings, clock(5)).unwrap();
    log.put_through(|| Record::new("stop", Timestamp(5 * DAY)).into()).unwrap().wait().unwrap();
    let name = |number| format!("/log/w0.0000000{number}.jsonl");
    while sim.content(name(1).as_ref()).is_some() || sim.content(name(4).as_ref()).is_some() {
        assert_eq!(log.unkept(), None);
        std::thread::yield_now();
    }
    drop(log);
    assert!(is_clean(&sim));
    assert_eq!(read(&sim).iter().filter(|committed| committed.record.event == "stop").count(), 3);
}

#[test]
fn a_file_that_is_handed_on_ends_when_it_is_old() {
    let sim = SimDisk::new(1);
    for hour in 0..60 {
        let clock = Arc::new(StoppedClock(Timestamp(hour * 3_600_000)));
        let (mut appender, _) =
            Appender::open(disk(&sim), FOLDER, AppendSettings::new([0; 32]), clock).unwrap();
        appender.append(&mut [Record::new("stop", Timestamp(hour)).into()]).unwrap();
        appender.close().unwrap();
    }
    let files = crate::segment::list(&sim, FOLDER.as_ref()).unwrap();
    assert_eq!(files.len(), 3, "one for each day that was begun");
    assert_eq!(read(&sim).len(), 60);
    assert!(is_clean(&sim));
}

#[test]
fn a_log_that_is_open_erases_but_not_what_is_held() {
    let sim = log();
    let mut holds = Holds::take(disk(&sim), FOLDER).unwrap();
    holds.add(hold("case", "2"), put(&sim), Timestamp(5 * DAY)).unwrap();
    drop(holds);
    let log_settings = LogSettings { files: settings(), ..LogSettings::new([0; 32]) };
    let log = Log::open(disk(&sim), FOLDER, log_settings, clock(5)).unwrap();
    assert_eq!(log.erase("asked for", |record| *record.session <= *"3").unwrap(), 2);
    drop(log);
    let left: Vec<_> = read(&sim).into_iter().filter(|committed| committed.payload().is_some()).collect();
    assert_eq!(left.iter().map(|committed| &*committed.record.session).collect::<Vec<_>>(), ["2", "4"]);
    assert!(is_clean(&sim));
}
