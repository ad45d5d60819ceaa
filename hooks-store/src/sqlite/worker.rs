//! The thread that does a store's transactions, so that nobody who asks has to wait in theirs.
//!
//! What was asked while it worked is done together in the next transaction: many tasks of one process pay for one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use hooks_core::HookFuture;
use hooks_core::state::{Answer, Op, StoreError};
use tokio::sync::oneshot;

use super::database::Database;

/// A store's thread. When this is dropped, it does what was asked until then, closes the database, and ends.
#[derive(Debug)]
pub(super) struct Worker {
    /// Taken when it is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Job {
    op: Op,
    reply: oneshot::Sender<Result<Answer, StoreError>>,
}

impl Worker {
    /// Gives `database` to a thread of its own.
    ///
    /// # Errors
    /// There cannot be one more thread.
    pub(super) fn start(database: Database) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let thread = std::thread::Builder::new().name("hooks-store".to_owned());
        let thread = thread.spawn(move || work(database, &jobs))?;
        Ok(Self { jobs: Some(sender), thread: Some(thread) })
    }

    /// Has it do `op`.
    pub(super) fn ask(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        let (reply, answer) = oneshot::channel();
        if let Some(jobs) = &self.jobs {
            // Where the thread is gone, so is the reply, which whoever waits finds out.
            let _sent = jobs.send(Job { op, reply });
        }
        HookFuture::later(async move {
            let gone = |_| Err(StoreError::Unavailable("the thread of the state store has ended".to_owned()));
            answer.await.unwrap_or_else(gone)
        })
    }

    /// Has it do `ops`, in order.
    pub(super) fn ask_all(&self, ops: &[Op]) -> HookFuture<'static, Result<Vec<Answer>, StoreError>> {
        // All of them are sent before any is waited for.
        let asked: Vec<_> = ops.iter().map(|op| self.ask(op.clone())).collect();
        HookFuture::later(async move {
            let mut answers = Vec::with_capacity(asked.len());
            for answer in asked {
                answers.push(answer.await?);
            }
            Ok(answers)
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Where it has panicked, there is nothing left to wait for.
            let _ended = thread.join();
        }
    }
}

fn work(mut database: Database, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        // Also what nobody waits for any more: a guard that was dropped gives back what it held, and goes.
        let waiting = std::iter::once(first).chain(jobs.try_iter()).take(AT_ONCE);
        let (ops, replies): (Vec<Op>, Vec<_>) = waiting.map(|job| (job.op, job.reply)).unzip();
        for (reply, answer) in replies.into_iter().zip(answers(&mut database, &ops)) {
            // Nobody may wait any more.
            let _gone = reply.send(answer);
        }
    }
}

/// The answers to `ops`, which share a transaction unless one of them cannot be done.
fn answers(database: &mut Database, ops: &[Op]) -> Vec<Result<Answer, StoreError>> {
    match database.run(ops) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(StoreError::Unsupported) if ops.len() > 1 => {
            ops.iter().flat_map(|op| answers(database, std::slice::from_ref(op))).collect()
        }
        Err(error) => ops.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// How many operations share a transaction at most, so that other processes get their turn.
const AT_ONCE: usize = 64;
