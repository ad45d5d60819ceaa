//! The engine passes the test of all engines, and continues after a full disk; other faults are in
//! `tests/sqlite_faults.rs`.

use std::sync::Arc;

use hooks_core::state::{Key, Op, StepResult, StoreError};
use hooks_core::testing::{HandClock, agree, on_random_histories};

use super::SqliteOptions;
use super::database::Database;

fn check(cases: u32, with: impl Fn(SqliteOptions) -> SqliteOptions) {
    on_random_histories(cases, |history| {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::default());
        let options = SqliteOptions::new(folder.path().join("state.db")).clock(clock.clone());
        let engine = with(options).open().unwrap();
        tokio_test::block_on(agree(&engine, &clock, &history))
    });
}

#[test]
fn it_answers_like_the_specification() {
    check(150, SqliteOptions::blocking);
}

#[test]
fn its_thread_answers_like_the_specification() {
    check(25, |options| options);
}

#[test]
fn a_full_disk_changes_nothing_and_is_gone_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Database::open(SqliteOptions::new(folder.path().join("state.db"))).unwrap();
    let key = Key::new(None, &["note"]);
    let put = Op::Put { key: key.clone(), value: "x".repeat(100_000).into(), ttl: None };
    database.run(&[Op::Now]).unwrap();
    // SQLite treats a file that must not grow as a full disk.
    database.limit_pages(1);
    for _ in 0..2 {
        let answers = database.run(&[Op::Now, put.clone()]);
        assert!(matches!(&answers, Err(StoreError::Unavailable(why)) if why.contains("full")), "{answers:?}");
    }
    assert_eq!(database.run(&[Op::Get { key }]), Ok(vec![StepResult::Value(None)]));
    database.limit_pages(1_000_000);
    assert_eq!(database.run(&[put]), Ok(vec![StepResult::Written(1)]));
}
