//! Fails on demand, in debug builds and with the feature `faults`: never in a program that is installed.

use std::{env, process, thread};

use hooks::{Background, HookFuture};

/// Fails as the variable `HOOKS_FAULT` requests, before the hooks are called.
pub(super) fn strike() {
    match env::var("HOOKS_FAULT").as_deref() {
        Ok("panic") => fall(),
        Ok("abort") => process::abort(),
        Ok("hang") => loop {
            thread::park();
        },
        _ => {}
    }
}

/// Fails as the variable requests after the answer, when reservations are committed or returned.
pub(super) async fn strike_behind_the_answer(background: &dyn Background) {
    match env::var("HOOKS_FAULT").as_deref() {
        Ok("commit") => fall(),
        Ok("drop") => drop(Falls),
        Ok("drop while it unwinds") => {
            let _falls = Falls;
            fall();
        }
        Ok("background") => background.run(HookFuture::later(async { fall() })),
        Ok("task") => drop(tokio::spawn(async { fall() }).await),
        Ok("thread") => {
            let ended = thread::spawn(|| {
                let _falls = Falls;
                fall();
            });
            drop(ended.join());
        }
        _ => {}
    }
}

#[expect(clippy::panic, reason = "the test is about the effect of a panic")]
fn fall() {
    panic!("a test asked for a panic");
}

/// Panics when it is dropped.
struct Falls;

impl Drop for Falls {
    fn drop(&mut self) {
        fall();
    }
}
