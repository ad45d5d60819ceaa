//! The thread that runs a store's transactions, so that callers do not block on the disk.
//!
//! Operations that arrive during a transaction are done together in the next one, so that many tasks of one
//! process share its cost.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use hooks_core::HookFuture;
use hooks_core::state::{Op, StepResult, StoreError};
use tokio::sync::oneshot;

use super::database::Database;

/// The thread of a store. When this is dropped, the thread finishes the operations it received, closes the
/// database, and ends.
#[derive(Debug)]
pub(super) struct Worker {
    /// The sender of jobs; taken on drop.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Job {
    op: Op,
    reply: oneshot::Sender<Result<StepResult, StoreError>>,
}

impl Worker {
    /// Starts a thread for `database`.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub(super) fn start(database: Database) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let thread = std::thread::Builder::new().name("hooks-store".to_owned());
        let thread = thread.spawn(move || work(database, &jobs))?;
        Ok(Self { jobs: Some(sender), thread: Some(thread) })
    }

    /// Sends `op` to the thread.
    pub(super) fn ask(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let (reply, answer) = oneshot::channel();
        if let Some(jobs) = &self.jobs {
            // If the thread has ended, the reply channel is closed, and the caller gets an error below.
            let _sent = jobs.send(Job { op, reply });
        }
        HookFuture::later(async move {
            let gone = |_| Err(StoreError::Unavailable("the thread of the state store has ended".to_owned()));
            answer.await.unwrap_or_else(gone)
        })
    }

    /// Sends `ops` to the thread, in order.
    pub(super) fn ask_all(&self, ops: &[Op]) -> HookFuture<'static, Result<Vec<StepResult>, StoreError>> {
        // All operations are sent before the first answer is awaited.
        let pending: Vec<_> = ops.iter().map(|op| self.ask(op.clone())).collect();
        HookFuture::later(async move {
            let mut answers = Vec::with_capacity(pending.len());
            for answer in pending {
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
            // If the thread has panicked, it has ended already.
            let _ended = thread.join();
        }
    }
}

fn work(mut database: Database, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        // Operations whose caller no longer waits are done too: a guard that is dropped gives back its amount
        // without waiting.
        let waiting = std::iter::once(first).chain(jobs.try_iter()).take(AT_ONCE);
        let (ops, replies): (Vec<Op>, Vec<_>) = waiting.map(|job| (job.op, job.reply)).unzip();
        for (reply, answer) in replies.into_iter().zip(answers(&mut database, &ops)) {
            // The caller may no longer wait.
            let _gone = reply.send(answer);
        }
    }
}

/// Returns the answers to `ops`, which share a transaction unless one of them is not supported.
fn answers(database: &mut Database, ops: &[Op]) -> Vec<Result<StepResult, StoreError>> {
    match database.run(ops) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(StoreError::Unsupported) if ops.len() > 1 => {
            ops.iter().flat_map(|op| answers(database, std::slice::from_ref(op))).collect()
        }
        Err(error) => ops.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Most operations in one transaction, so that other processes get their turn.
const AT_ONCE: usize = 64;
