//! Faults of the file, and of the processes that share it. Each process is this program, started again.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(all(feature = "sqlite", unix))]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, StoreError, Window};
use hooks_core::testing::HandClock;
use hooks_core::time::Timestamp;
use hooks_store::sqlite::SqliteOptions;
use hooks_store::{Durability, SqliteStore, StoreId, Witness};
use tempfile::TempDir;

/// Environment variable that names the task of a child process.
const TASK: &str = "HOOKS_STORE_TASK";
const LIMIT: u64 = 1_000;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    (folder, path)
}

fn options(path: &Path) -> SqliteOptions {
    SqliteOptions::new(path).blocking().wait(Duration::from_secs(20))
}

fn ask(store: &SqliteStore, op: Op) -> Result<StepResult, StoreError> {
    tokio_test::block_on(store.apply(op))
}

fn key() -> Key {
    Key::new(Some("acme"), &["spend"])
}

fn reserve(id: u128, ttl: Duration) -> Op {
    Op::Reserve { id: OpId(id), scopes: [Scope::spent(key(), LIMIT)].into(), amount: 1, ttl }
}

fn used(store: &SqliteStore) -> (u64, u64) {
    let answer = ask(store, Op::Used { key: key(), window: Window::Always });
    let Ok(StepResult::Used { used, held }) = answer else { panic!("{answer:?}") };
    (used, held)
}

fn now(store: &SqliteStore) -> Timestamp {
    let answer = ask(store, Op::Now);
    let Ok(StepResult::Now(now)) = answer else { panic!("{answer:?}") };
    now
}

/// Another process, killed when the test ends.
struct Process(Child);

impl Process {
    /// Starts `task` on the file at `path`.
    #[expect(clippy::disallowed_methods, reason = "the tests are of real processes")]
    fn start(task: &str, path: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["another_process", "--exact", "--nocapture"])
            .env(TASK, format!("{task} {}", path.display()));
        Self(command.stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Waits until the process prints `word`.
    fn says(&mut self, word: &str) {
        let output = BufReader::new(self.0.stdout.as_mut().unwrap());
        assert!(output.lines().any(|line| line.unwrap().contains(word)), "it ended without `{word}`");
    }

    #[expect(clippy::disallowed_methods, reason = "the tests are of real processes")]
    fn signal(&self, name: &str) {
        let arguments = [format!("-{name}"), self.0.id().to_string()];
        assert!(Command::new("kill").args(arguments).status().unwrap().success());
    }

    fn end(mut self) -> bool {
        self.0.wait().unwrap().success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// The code of a child process; without its variable, this test does nothing.
#[test]
fn another_process() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (task, path) = task.split_once(' ').unwrap();
    let path = Path::new(path);
    match task {
        // Reserves what is left, one by one.
        "drain" => {
            let store = options(path).open().unwrap();
            let base = u128::from(std::process::id()) << 64;
            let taken = (0..).take_while(|id| {
                ask(&store, reserve(base | id, Duration::from_secs(600))).unwrap() == StepResult::Done
            });
            println!("\ntook {}", taken.count());
        }
        // Writes for ever.
        "write" => {
            let store = options(path).open().unwrap();
            println!("\nready");
            let base = u128::from(std::process::id()) << 64;
            for id in 0.. {
                ask(&store, reserve(base | id, Duration::from_millis(1))).unwrap();
                ask(&store, Op::Settle { id: OpId(base | id), actual: 0 }).unwrap();
            }
        }
        // Keeps a transaction open, as a program does that does not use the lock.
        "transaction" => {
            let connection = rusqlite::Connection::open(path).unwrap();
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            println!("\nready");
            pause(Duration::from_secs(60));
        }
        // Takes the lock and keeps it.
        "turn" => {
            let lock = fs::OpenOptions::new().write(true).open(format!("{}.lock", path.display())).unwrap();
            lock.lock().unwrap();
            println!("\nready");
            pause(Duration::from_secs(60));
        }
        other => panic!("{other}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests are of real processes in real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[expect(clippy::disallowed_methods, reason = "how long something takes in real time")]
fn uptime() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[test]
fn processes_take_exactly_what_there_is() {
    let (_folder, path) = place();
    let processes: Vec<_> = (0..4).map(|_| Process::start("drain", &path)).collect();
    assert!(processes.into_iter().all(Process::end));
    assert_eq!(used(&options(&path).open().unwrap()), (LIMIT, LIMIT));
}

#[test]
fn what_was_answered_is_there_after_a_kill_and_nothing_is_held_by_the_dead() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    for round in 0..5 {
        let mut process = Process::start("write", &path);
        process.says("ready");
        assert_eq!(ask(&store, reserve(round, Duration::from_secs(600))), Ok(StepResult::Done));
        process.0.kill().unwrap();
    }
    pause(Duration::from_millis(50));
    let (used, held) = used(&store);
    assert_eq!(held, 5, "what the dead held is charged, not held");
    assert!((5..=10).contains(&used), "{used}: one each at most");
}

#[test]
fn a_stopped_process_is_waited_for_so_long_and_goes_on_later() {
    let (_folder, path) = place();
    let store = SqliteOptions::new(&path).blocking().wait(Duration::from_millis(300)).open().unwrap();
    let mut process = Process::start("turn", &path);
    process.says("ready");
    process.signal("STOP");
    for _ in 0..3 {
        let answer = ask(&store, Op::Now);
        assert!(matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("locked")), "{answer:?}");
    }
    drop(process);
    // For some time after a failed wait, later waits are short.
    pause(Duration::from_millis(300));
    assert!(ask(&store, Op::Now).is_ok(), "its turn ends with it");
    assert!(ask(&store, Op::Now).is_ok());
}

#[test]
fn a_thread_whose_turn_does_not_come_says_so_too() {
    let (_folder, path) = place();
    let store = SqliteOptions::new(&path).wait(Duration::from_millis(200)).open().unwrap();
    let mut process = Process::start("turn", &path);
    process.says("ready");
    assert!(matches!(ask(&store, Op::Now), Err(StoreError::Unavailable(_))));
    drop(process);
    assert!(ask(&store, Op::Now).is_ok());
}

#[test]
fn a_program_that_knows_no_turns_is_waited_for_so_long() {
    let (_folder, path) = place();
    let store = SqliteOptions::new(&path).blocking().wait(Duration::from_millis(300)).open().unwrap();
    let mut process = Process::start("transaction", &path);
    process.says("ready");
    let answer = ask(&store, Op::Now);
    assert!(matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("busy")), "{answer:?}");
    drop(process);
    assert!(ask(&store, Op::Now).is_ok());
}

#[test]
fn nobody_starves_beside_those_who_write_all_the_time() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    let mut processes: Vec<_> = (0..3).map(|_| Process::start("write", &path)).collect();
    processes.iter_mut().for_each(|process| process.says("ready"));
    // Without fairness, each of these would fail after twenty seconds.
    for _ in 0..50 {
        ask(&store, Op::Now).unwrap();
    }
}

#[test]
fn deleted_lock_files_are_made_again_and_nothing_is_taken_twice() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    let processes: Vec<_> = (0..3).map(|_| Process::start("drain", &path)).collect();
    for _ in 0..5 {
        for kind in ["turn", "lock"] {
            let _maybe_not_there = fs::remove_file(format!("{}.{kind}", path.display()));
        }
        ask(&store, Op::Now).unwrap();
        assert!(fs::exists(format!("{}.lock", path.display())).unwrap());
        pause(Duration::from_millis(10));
    }
    assert!(processes.into_iter().all(Process::end));
    assert_eq!(used(&store), (LIMIT, LIMIT));
}

#[test]
fn a_damaged_file_is_moved_aside_and_the_store_is_closed_until_a_person_says_so() {
    let (folder, path) = place();
    let first = options(&path).open().unwrap();
    let second = options(&path).open().unwrap();
    for id in 0..300 {
        ask(&first, reserve(id, Duration::from_secs(600))).unwrap();
    }
    drop((first, second));
    // All pages except the first, so that the file can be opened.
    let mut bytes = fs::read(&path).unwrap();
    bytes[4_096..].fill(0x5A);
    fs::write(&path, &bytes).unwrap();
    let answer = options(&path).open().and_then(|store| ask(&store, reserve(1_000, Duration::from_secs(1))));
    assert!(matches!(&answer, Err(StoreError::Closed(why)) if why.contains("damaged")), "{answer:?}");
    assert!(matches!(options(&path).open(), Err(StoreError::Closed(_))), "also for others, also later");
    assert!(SqliteStore::loss(&path).unwrap().is_some());
    let aside = fs::read(folder.path().join("state.db.damaged-1")).unwrap();
    assert_eq!(aside, bytes, "nothing of it is lost that was there");
    assert!(SqliteStore::accept_loss(&path).unwrap().unwrap().contains("damaged"));
    assert_eq!(SqliteStore::accept_loss(&path), Ok(None));
    assert_eq!(used(&options(&path).open().unwrap()), (0, 0));
}

#[test]
fn a_file_that_is_no_database_is_moved_aside_too() {
    let (_folder, path) = place();
    fs::write(&path, "this was a state store once; ".repeat(400)).unwrap();
    assert!(matches!(options(&path).open(), Err(StoreError::Closed(_))));
    assert!(!path.exists());
}

#[test]
fn whoever_has_a_damaged_file_open_is_closed_as_well() {
    let (_folder, path) = place();
    let (one, other) = (options(&path).open().unwrap(), options(&path).open().unwrap());
    ask(&one, reserve(1, Duration::from_secs(1))).unwrap();
    // Simulates the process that finds the damage.
    fs::write(format!("{}.closed", path.display()), "it was damaged").unwrap();
    fs::rename(&path, path.with_extension("aside")).unwrap();
    assert_eq!(ask(&other, Op::Now), Err(StoreError::Closed("it was damaged".into())));
    assert!(matches!(ask(&one, Op::Now), Err(StoreError::Closed(_))));
}

#[test]
fn whoever_still_has_the_damaged_file_open_does_not_touch_the_new_one() {
    let (_folder, path) = place();
    let old = options(&path).open().unwrap();
    ask(&old, reserve(1, Duration::from_secs(600))).unwrap();
    fs::write(format!("{}.closed", path.display()), "it was damaged").unwrap();
    for kind in ["", "-wal", "-shm"] {
        fs::rename(format!("{}{kind}", path.display()), format!("{}.aside{kind}", path.display())).unwrap();
    }
    SqliteStore::accept_loss(&path).unwrap();
    let new = options(&path).open().unwrap();
    for id in 0..3 {
        ask(&new, reserve(id, Duration::from_secs(600))).unwrap();
    }
    // It finishes with the old file, and continues with the new one.
    assert_eq!(used(&old), (3, 3));
    drop(old);
    assert_eq!(used(&options(&path).open().unwrap()), (3, 3));
    assert_eq!(used(&new), (3, 3));
}

#[test]
fn a_row_that_makes_no_sense_is_damage() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    ask(&store, reserve(1, Duration::from_secs(600))).unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE holds SET scopes = '?'", []).unwrap();
    drop(file);
    assert!(matches!(ask(&store, Op::Settle { id: OpId(1), actual: 0 }), Err(StoreError::Closed(_))));
    assert!(matches!(ask(&store, Op::Now), Err(StoreError::Closed(_))));
    assert!(SqliteStore::accept_loss(&path).unwrap().is_some());
    assert_eq!(used(&store), (0, 0));
}

#[test]
fn a_file_that_is_gone_is_not_made_again_by_anybody() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    ask(&store, reserve(1, Duration::from_secs(600))).unwrap();
    fs::remove_file(&path).unwrap();
    for _ in 0..3 {
        let answer = ask(&store, Op::Now);
        assert!(matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("moved")), "{answer:?}");
    }
    let opened = options(&path).open();
    assert!(matches!(&opened, Err(StoreError::Closed(why)) if why.contains("accept-loss")), "{opened:?}");
    assert!(matches!(ask(&store, Op::Now), Err(StoreError::Closed(_))));
    assert!(!path.exists());
    SqliteStore::accept_loss(&path).unwrap().unwrap();
    assert_eq!(used(&store), (0, 0), "a person said so: who had it open goes on with the next");
    assert_eq!(used(&options(&path).open().unwrap()), (0, 0));
}

#[test]
fn a_file_that_was_emptied_is_damaged() {
    for is_open in [false, true] {
        let (_folder, path) = place();
        let store = options(&path).open().unwrap();
        ask(&store, reserve(1, Duration::from_secs(600))).unwrap();
        let open = is_open.then_some(store);
        fs::write(&path, "").unwrap();
        for kind in ["-wal", "-shm"] {
            let _maybe_not_there = fs::remove_file(format!("{}{kind}", path.display()));
        }
        for _ in 0..2 {
            let opened = options(&path).open();
            assert!(
                matches!(&opened, Err(StoreError::Closed(why)) if why.contains("accept-loss")),
                "{opened:?}"
            );
        }
        assert!(open.is_none_or(|open| matches!(ask(&open, Op::Now), Err(StoreError::Closed(_)))));
        SqliteStore::accept_loss(&path).unwrap().unwrap();
        assert_eq!(used(&options(&path).open().unwrap()), (0, 0));
    }
}

#[test]
fn a_file_that_another_process_made_anew_is_not_gone_on_with() {
    let (folder, path) = place();
    let old = options(&path).open().unwrap();
    ask(&old, reserve(1, Duration::from_secs(600))).unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    let new = options(&path).open().unwrap();
    for _ in 0..3 {
        let answer = ask(&old, reserve(2, Duration::from_secs(600)));
        assert!(
            matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("replaced")),
            "{answer:?}"
        );
    }
    assert_eq!(used(&new), (0, 0));
    drop(old);
    assert_eq!(used(&options(&path).open().unwrap()), (0, 0));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "nothing else makes a pipe")]
fn a_pipe_in_place_of_a_file_is_told_and_not_waited_for() {
    for kind in ["", ".turn", ".lock", ".closed"] {
        let (_folder, path) = place();
        let pipe = format!("{}{kind}", path.display());
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let opened = options(&path).open();
        assert!(
            matches!(&opened, Err(StoreError::Unavailable(why)) if why.contains("not a regular file")),
            "{opened:?}"
        );
    }
}

/// Regression test: a record that is not UTF-8 was an error of reading.
#[test]
fn a_damaged_record_in_the_lock_file_counts_as_a_database() {
    let (_folder, path) = place();
    drop(options(&path).open().unwrap());
    fs::write(format!("{}.lock", path.display()), b"\xff\xfe\x00garbage\x80").unwrap();
    let store = options(&path).open().unwrap();
    ask(&store, reserve(1, Duration::from_secs(60))).unwrap();
    drop(store);
    fs::remove_file(&path).unwrap();
    fs::write(format!("{}.lock", path.display()), b"\xff\xfe\x00garbage\x80").unwrap();
    let answer = options(&path)
        .open()
        .map_err(|error| error.to_string())
        .and_then(|store| ask(&store, Op::Now).map_err(|error| error.to_string()));
    assert!(answer.as_ref().is_err_and(|why| !why.contains("UTF-8")), "{answer:?}");
}

#[test]
fn it_is_waited_so_long_in_all() {
    let (_folder, path) = place();
    let wait = Duration::from_secs(1);
    let store = SqliteOptions::new(&path).blocking().wait(wait).open().unwrap();
    let mut process = Process::start("transaction", &path);
    process.says("ready");
    let lock = fs::OpenOptions::new().write(true).open(format!("{}.lock", path.display())).unwrap();
    lock.lock().unwrap();
    let began = uptime();
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            pause(wait * 7 / 10);
            lock.unlock().unwrap();
        });
        ask(&store, Op::Now)
    });
    let waited = uptime() - began;
    assert!(matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("busy")), "{answer:?}");
    assert!(waited < wait * 15 / 10, "{waited:?}");
    // An event sends several operations.
    for _ in 0..3 {
        ask(&store, Op::Now).unwrap_err();
    }
    assert!(uptime() - began < wait * 20 / 10, "{:?}", uptime() - began);
}

#[test]
fn a_store_that_is_opened_later_says_then_what_is_wrong_and_tries_again() {
    let (_folder, path) = place();
    let store = SqliteOptions::new(path.join("in.db")).open_later().unwrap();
    assert!(matches!(ask(&store, Op::Now), Err(StoreError::Unavailable(_))));
    fs::create_dir(&path).unwrap();
    assert_eq!(used(&store), (0, 0));
}

#[test]
fn another_version_is_refused_whichever_came_first() {
    let (_folder, path) = place();
    let store = options(&path).open().unwrap();
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 7).unwrap();
    for answer in [ask(&store, Op::Now), options(&path).open().map(|_| StepResult::Done)] {
        assert!(
            matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("schema 7")),
            "{answer:?}"
        );
    }
    newer.pragma_update(None, "user_version", 1).unwrap();
    assert!(ask(&store, Op::Now).is_ok(), "it was put right");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let (_folder, path) = place();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE mail (text TEXT)").unwrap();
    drop(other);
    let answer = options(&path).open();
    assert!(
        matches!(&answer, Err(StoreError::Unavailable(why)) if why.contains("another program")),
        "{answer:?}"
    );
    assert!(path.exists());
}

#[test]
fn time_goes_on_and_nobody_sets_it() {
    let (_folder, path) = place();
    let clock = Arc::new(HandClock::default());
    clock.set(Timestamp(1_790_000_000_000));
    let store = options(&path).clock(clock.clone()).open().unwrap();
    assert_eq!(now(&store), Timestamp(1_790_000_000_000));
    clock.set(Timestamp(1_790_000_000_000 - 3_600_000));
    assert_eq!(now(&store), Timestamp(1_790_000_000_000), "set back by an hour, it stands");
    drop(store);
    let restarted = options(&path).clock(clock).open().unwrap();
    assert_eq!(now(&restarted), Timestamp(1_790_000_000_000), "a restart changes nothing");
}

#[test]
fn a_clock_that_jumps_by_an_hour_gives_nothing_back() {
    let (_folder, path) = place();
    let clock = Arc::new(HandClock::default());
    let (noon, hour) = (Timestamp(1_790_000_000_000), 3_600_000);
    clock.set(noon);
    let store = options(&path).clock(clock.clone()).open().unwrap();
    let window = Window::Every(Duration::from_secs(3_600));
    let scopes: Arc<[Scope]> = [Scope::spent(key(), 10).per(window)].into();
    let reserve =
        |id| Op::Reserve { id: OpId(id), scopes: scopes.clone(), amount: 6, ttl: Duration::from_secs(60) };
    let hour_used = || ask(&store, Op::Used { key: key(), window }).unwrap();
    assert_eq!(ask(&store, reserve(1)), Ok(StepResult::Done));
    clock.set(Timestamp(noon.0 - hour));
    assert!(matches!(ask(&store, reserve(2)), Ok(StepResult::Refused { used: 6, .. })), "back");
    clock.set(Timestamp(noon.0 + hour));
    assert_eq!(hour_used(), StepResult::Used { used: 0, held: 0 });
    assert_eq!(ask(&store, reserve(1)), Ok(StepResult::Ended { actual: 6 }), "it is charged");
    assert_eq!(ask(&store, reserve(2)), Ok(StepResult::Done), "a new hour");
    clock.set(noon);
    assert_eq!(hour_used(), StepResult::Used { used: 6, held: 6 }, "it stands");
    // A reservation from before the border is settled in its own window.
    assert_eq!(ask(&store, Op::Settle { id: OpId(1), actual: 9 }), Ok(StepResult::Done));
    assert_eq!(hour_used(), StepResult::Used { used: 6, held: 6 });
}

#[test]
fn all_processes_of_a_machine_have_one_time() {
    let (_folder, path) = place();
    let (one, other) = (options(&path).open().unwrap(), options(&path).open().unwrap());
    let times: Vec<Timestamp> = (0..20).flat_map(|_| [now(&one), now(&other)]).collect();
    assert!(times.is_sorted(), "{times:?}");
    // If the store has seen a later time than the calendar shows, and that was before this boot, it continues
    // from the later time.
    drop((one, other));
    let later = times[0].0 + 3_600_000;
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE clock SET boot = 'an earlier one', latest = ?1", [later as i64]).unwrap();
    drop(file);
    let store = options(&path).open().unwrap();
    let first = now(&store);
    assert!(first.0 >= later, "{first}");
    pause(Duration::from_millis(20));
    assert!(now(&store).0 > first.0, "and does not stand there");
}

#[test]
fn what_a_power_cut_must_not_take_is_synced() {
    let (_folder, path) = place();
    let store = options(&path).durability(Durability::Power).open().unwrap();
    assert_eq!(ask(&store, reserve(1, Duration::from_secs(600))), Ok(StepResult::Done));
    assert_eq!(used(&store), (1, 1));
}

#[test]
fn many_tasks_share_transactions() {
    let (_folder, path) = place();
    let store = SqliteOptions::new(&path).wait(Duration::from_secs(20)).open().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let granted = runtime.block_on(async {
        let answers: Vec<_> =
            (0..2 * u128::from(LIMIT)).map(|id| store.apply(reserve(id, Duration::from_secs(600)))).collect();
        let mut granted = 0;
        for answer in answers {
            granted += u64::from(answer.await.unwrap() == StepResult::Done);
        }
        granted
    });
    assert_eq!(granted, LIMIT);
}

/// Remembers in memory, as a file would; can be made to fail.
#[derive(Clone, Default)]
struct Remembers(Arc<std::sync::Mutex<(Option<StoreId>, bool)>>);

impl Witness for Remembers {
    fn known(&self) -> Result<Option<StoreId>, StoreError> {
        Ok(self.0.lock().unwrap().0.clone())
    }

    fn remember(&self, id: &StoreId) -> Result<(), StoreError> {
        let mut memory = self.0.lock().unwrap();
        if memory.1 {
            return Err(StoreError::Unavailable("it cannot write".to_owned()));
        }
        memory.0 = Some(id.clone());
        Ok(())
    }
}

#[test]
fn a_new_file_where_one_was_used_is_refused() {
    let (folder, path) = place();
    let witness = Remembers::default();
    let open = |path: &Path| options(path).witnessed_by(Arc::new(witness.clone())).open();
    let delete = || {
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    };
    // No operation is granted before the identity is remembered.
    witness.0.lock().unwrap().1 = true;
    assert!(matches!(open(&path), Err(StoreError::Unavailable(why)) if why.contains("cannot write")));
    witness.0.lock().unwrap().1 = false;
    drop(open(&path).unwrap());
    drop(open(&path).unwrap());
    let known = witness.known().unwrap();
    delete();
    assert!(matches!(open(&path), Err(StoreError::Closed(why)) if why.contains("accept-loss")));
    assert!(!path.exists(), "it is not made");
    // Another store is refused as well.
    drop(options(&path).open().unwrap());
    assert!(matches!(open(&path), Err(StoreError::Closed(why)) if why.contains("another one")));
    assert_eq!(witness.known().unwrap(), known);
}

#[test]
fn a_file_of_an_earlier_program_is_given_an_identity() {
    let (_folder, path) = place();
    drop(options(&path).open().unwrap());
    let earlier = rusqlite::Connection::open(&path).unwrap();
    earlier.execute_batch("DROP TABLE identity").unwrap();
    drop(earlier);
    let witness = Remembers::default();
    for _ in 0..2 {
        drop(options(&path).witnessed_by(Arc::new(witness.clone())).open().unwrap());
    }
    assert!(witness.known().unwrap().is_some());
}
