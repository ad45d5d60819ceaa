use std::time::Duration;

use hooks_core::fs::Disk as _;
use hooks_core::time::Timestamp;

use super::*;
use crate::read::{LogReader, Positions};
use crate::record::{Record, notes};
use crate::sim::{Faults, SimDisk};

/// The clock of the machine, because a log waits on its own thread.
#[derive(Debug)]
struct Machine(std::time::Instant);

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.elapsed().as_millis() as u64)
    }
}

fn clock() -> Arc<dyn Clock> {
    #[expect(clippy::disallowed_methods, reason = "there is no other clock that goes on by itself")]
    Arc::new(Machine(std::time::Instant::now()))
}

fn open(disk: &SimDisk, change: impl FnOnce(&mut LogSettings)) -> Log {
    let mut settings = LogSettings::new([1; 32]);
    change(&mut settings);
    Log::open(Arc::new(disk.clone()), "/log", settings, clock()).unwrap()
}

fn read(disk: &SimDisk, folder: &str) -> Vec<Record> {
    let mut reader = LogReader::new(Arc::new(disk.clone()), folder, Positions::default());
    reader.read(100_000).unwrap().into_iter().map(|committed| committed.record).collect()
}

fn entry(number: u64) -> impl FnOnce() -> Entry + Send + 'static {
    move || Record { session: number.to_string(), ..Record::new("stop", Timestamp(number)) }.into()
}

#[test]
fn what_many_threads_hand_over_is_written_by_the_time_the_log_is_dropped() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let log = log.clone();
            scope.spawn(move || {
                for number in 0..200 {
                    let entry = entry(thread * 1_000 + number);
                    if number % 10 == 0 {
                        log.put_through(entry).unwrap().wait().unwrap();
                    } else {
                        log.put(entry).unwrap();
                    }
                }
            });
        }
    });
    drop(log);
    let mut all: Vec<u64> =
        read(&disk, "/log").iter().map(|record| record.session.parse().unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..8).flat_map(|thread| (0..200).map(move |n| thread * 1_000 + n)).collect::<Vec<_>>());
}

#[test]
fn a_log_is_closed_once_for_all_who_ask() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    for number in 0..100 {
        log.put(entry(number)).unwrap();
    }
    let other = log.clone();
    let closed = [log.close(), other.close()];
    closed.into_iter().for_each(|closed| closed.wait().unwrap());
    assert_eq!((log.put(entry(1)), other.check()), (Err(Unwritten::Closed), Err(Unwritten::Closed)));
    assert_eq!(read(&disk, "/log").len(), 100);
    // The chain is released, although the log is not dropped yet.
    assert_eq!(*open(&disk, |_| {}).recovered(), Recovered::Nothing);
    log.close().wait().unwrap();
}

#[test]
fn a_log_that_loses_records_says_so_when_it_is_closed() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    disk.leave_room(Some(0));
    log.put(entry(1)).unwrap();
    assert!(matches!(log.close().wait(), Err(Unwritten::Disk(_))));
}

#[test]
fn a_log_that_is_dropped_is_waited_for_no_longer_than_it_says() {
    let log = open(&SimDisk::new(1), |settings| settings.drop_wait = Duration::from_millis(1));
    let (go, wait) = mpsc::channel::<()>();
    log.put(move || {
        // Returns when the test ends.
        let _ended = wait.recv();
        Entry::default()
    })
    .unwrap();
    drop(log);
    drop(go);
}

#[test]
fn a_log_that_is_dropped_by_its_own_thread_ends() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    let ((go, wait), (end, ended)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
    let last = log.clone();
    log.put(move || {
        let _ended = wait.recv();
        drop(last);
        drop(end);
        Entry::default()
    })
    .unwrap();
    drop(log);
    drop(go);
    assert!(ended.recv().is_err());
}

#[test]
fn a_record_is_of_the_time_of_the_machine_whatever_its_event_says() {
    const HOUR: u64 = 3_600_000;
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    for since in [0, HOUR / 2, 2 * HOUR, 31_536_000_000, i64::MAX as u64, u64::MAX] {
        log.put(entry(since)).unwrap();
    }
    drop(log);
    let moments: Vec<_> = read(&disk, "/log").iter().map(|record| record.at.0).collect();
    assert_eq!((moments.len(), &moments[..2]), (6, &[0, HOUR / 2][..]));
    assert!(moments[2..].iter().all(|at| *at < HOUR), "{moments:?}");
}

#[test]
fn what_was_written_through_survives_a_loss_of_power() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    for number in 0..20 {
        log.put_through(entry(number)).unwrap().wait().unwrap();
        let image = disk.after_power_cut(number);
        drop(open(&image, |_| {}));
        let all = read(&image, "/log");
        assert!(all.iter().filter(|record| !record.is_note()).count() as u64 > number);
    }
}

#[test]
fn a_full_queue_is_an_error_and_a_record() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |settings| settings.queue = 4);
    let (go, wait) = mpsc::channel::<()>();
    // The thread is blocked in the first record until the test releases it.
    let first = log.put_through(move || {
        wait.recv().unwrap();
        Entry::default()
    });
    let first = first.unwrap();
    std::thread::yield_now();
    let mut refused = 0;
    while refused < 3 {
        refused += u64::from(log.put(entry(1)) == Err(Unwritten::Full(4)));
    }
    assert_eq!(log.check(), Err(Unwritten::Full(4)));
    go.send(()).unwrap();
    first.wait().unwrap();
    drop(log);
    let gaps: Vec<_> = read(&disk, "/log").into_iter().filter(|record| record.event == notes::GAP).collect();
    assert_eq!(gaps.iter().map(|gap| gap.covers[0].1).sum::<u64>(), refused);
}

#[test]
fn a_disk_that_fails_is_said_and_counted_and_forgiven() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    disk.with_faults(Faults { append: 1_000, ..Faults::default() });
    let error = log.put_through(entry(1)).unwrap().wait().unwrap_err();
    assert!(matches!(error, Unwritten::Disk(_)), "{error}");
    assert_eq!(log.check(), Err(error));
    disk.with_faults(Faults::default());
    // After a file could not be begun, there is a pause without attempts.
    while log.put_through(entry(2)).unwrap().wait().is_err() {}
    assert_eq!(log.check(), Ok(()));
    drop(log);
    let all = read(&disk, "/log");
    let lost: u64 = all.iter().filter(|record| record.event == notes::GAP).map(|gap| gap.covers[0].1).sum();
    assert!(lost >= 1);
    assert_eq!(all.iter().filter(|record| record.session == "2").count(), 1);
}

#[test]
fn what_cannot_be_written_is_spilt() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |settings| settings.spill = Some("/other".into()));
    let file = Path::new("/log/w0.00000001.jsonl");
    disk.break_file(file);
    log.put_through(entry(1)).unwrap().wait().unwrap();
    assert_eq!(log.check(), Ok(()), "nobody is refused for what is on the record elsewhere");
    assert!(read(&disk, "/other").iter().any(|record| record.session == "1"));
}

#[test]
fn what_the_chain_was_is_written_down_elsewhere() {
    use crate::checkpoint::{Checkpoints, Keys, LogPlace, Signer, verify};
    use crate::verify::Condition;

    let disk = SimDisk::new(1);
    disk.create_directory("/elsewhere".as_ref()).unwrap();
    let keeps = |settings: &mut LogSettings| {
        settings.checkpoints = Some(Checkpoints { folder: "/elsewhere".into(), signer: Signer::Nobody });
    };
    let condition = |disk: &SimDisk| {
        let log = LogPlace { name: None, folder: "/log".into() };
        let outcome = verify(disk, &[log], "/elsewhere".as_ref(), &Keys::default()).unwrap();
        (outcome.condition(), outcome.reports[0].1.chains.first().map(|chain| chain.agreed))
    };
    let log = open(&disk, keeps);
    log.put_through(entry(1)).unwrap().wait().unwrap();
    assert_eq!(log.unanchored(), None);
    drop(log);
    let old = disk.after_kill();
    drop(open(&disk, keeps));
    assert_eq!(condition(&disk), (Condition::Clean, Some(1)));
    let log = open(&disk, keeps);
    log.put_through(entry(2)).unwrap().wait().unwrap();
    drop(log);
    assert_eq!(condition(&disk), (Condition::Clean, Some(2)));
    // The log is rolled back, and its writer notices.
    let file = Path::new("/log/w0.00000001.jsonl");
    disk.tamper(file, old.content(file).unwrap());
    assert_eq!(condition(&disk).0, Condition::Mismatched);
    let end = Path::new("/log/w0.end");
    disk.tamper(end, old.content(end).unwrap());
    let log = open(&disk, keeps);
    log.put_through(entry(3)).unwrap().wait().unwrap();
    drop(log);
    let alarms = read(&disk, "/log").into_iter().filter(|record| record.event == notes::ALARM);
    let alarms: Vec<_> = alarms.filter_map(|record| record.note).collect();
    assert!(alarms.len() == 1 && alarms[0].contains("was put back"), "{alarms:?}");
}

#[test]
fn a_key_that_cannot_be_used_keeps_the_log_shut() {
    use crate::checkpoint::{Checkpoints, Signer};

    let disk = SimDisk::new(1);
    let mut settings = LogSettings::new([1; 32]);
    let signer = Signer::Evolving("/no/key".into());
    settings.checkpoints = Some(Checkpoints { folder: "/elsewhere".into(), signer });
    let error = Log::open(Arc::new(disk.clone()), "/log", settings, clock()).unwrap_err();
    assert!(error.to_string().contains("hooks audit keygen --mac"), "{error}");
    assert!(disk.content(Path::new("/log/w0.00000001.jsonl")).is_none());
}

#[test]
fn a_panic_of_what_is_handed_over_is_a_gap() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    log.put_through(|| panic!("no record")).unwrap().wait().unwrap();
    log.put_through(entry(2)).unwrap().wait().unwrap();
    drop(log);
    let all = read(&disk, "/log");
    assert!(all.iter().any(|record| record.event == notes::GAP), "{all:?}");
}

#[test]
fn what_nobody_waits_for_is_given_to_readers_soon() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |settings| settings.sync_within = Duration::from_millis(5));
    log.put(entry(1)).unwrap();
    while read(&disk, "/log").is_empty() {
        std::thread::yield_now();
    }
    drop(log);
}

#[test]
fn whoever_waits_for_what_came_before_is_told_that_it_was_lost() {
    let disk = SimDisk::new(1);
    let log = open(&disk, |_| {});
    log.put(entry(1)).unwrap();
    assert_eq!(log.settled().unwrap().wait(), Ok(()));
    let image = disk.after_power_cut(1);
    drop(open(&image, |_| {}));
    assert_eq!(read(&image, "/log")[0].session, "1");
    disk.with_faults(Faults { append: 1_000, ..Faults::default() });
    log.put(entry(2)).unwrap();
    assert!(log.settled().unwrap().wait().is_err());
    assert!(log.put_through(entry(2)).unwrap().wait().is_err());
    disk.with_faults(Faults::default());
    assert!(log.settled().unwrap().wait().is_err(), "there is room again, and the second one is lost");
    // During the pause after the failure, no file can be begun.
    while log.settled().unwrap().wait().is_err() {
        std::thread::yield_now();
    }
    log.put(entry(3)).unwrap();
    assert_eq!(log.settled().unwrap().wait(), Ok(()));
}
