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

/// A rollback journal that puts back the pages of `old` (SQLite, "Database File Format", section 3).
fn journal_of(old: &[u8]) -> Vec<u8> {
    const PAGE: usize = 4096;
    const SECTOR: usize = 512;
    let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    let count = old.len() / PAGE;
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    for field in [count, 0, count, SECTOR, PAGE] {
        journal.extend(number(field));
    }
    journal.resize(SECTOR, 0);
    for (at, page) in old.chunks(PAGE).enumerate() {
        let sum = (1..=PAGE / 200).map(|step| usize::from(page[PAGE - 200 * step])).sum();
        journal.extend(number(at + 1));
        journal.extend(page);
        journal.extend(number(sum));
    }
    journal
}

/// A file beside the store must not set back what was spent.
#[test]
fn a_journal_of_another_program_is_not_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let key = Key::new(None, &["spent"]);
    let put = |value: &str| Op::Put { key: key.clone(), value: value.into(), ttl: None };
    let open = || Database::open(SqliteOptions::new(&path)).unwrap();
    open().run(&[put("nothing")]).unwrap();
    let old = std::fs::read(&path).unwrap();
    open().run(&[put("all of it")]).unwrap();
    let journal = folder.path().join("state.db-journal");
    std::fs::write(&journal, journal_of(&old)).unwrap();

    let refused = Database::open(SqliteOptions::new(&path))
        .and_then(|mut store| store.run(&[Op::Get { key: key.clone() }]));
    assert!(
        matches!(&refused, Err(StoreError::Unavailable(why)) if why.contains("state.db-journal`")),
        "{refused:?}"
    );
    std::fs::remove_file(&journal).unwrap();
    let kept = open().run(&[Op::Get { key: key.clone() }]).unwrap();
    assert!(
        matches!(&kept[..], [StepResult::Value(Some((value, _)))] if &**value == "all of it"),
        "{kept:?}"
    );
}
