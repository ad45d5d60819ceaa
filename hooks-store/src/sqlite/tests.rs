//! The engine passes the test of all engines.

use std::sync::Arc;

use hooks_core::testing::{HandClock, agree, on_random_histories};

use super::SqliteOptions;

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
