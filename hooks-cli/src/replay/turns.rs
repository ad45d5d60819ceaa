//! Threads that read and judge batches in turn.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Replaying;
use super::question::Rules;
use super::source::{Batch, Source};
use crate::eval::runtime;
use crate::failure::Failure;

/// Most threads. Only one of them judges at a time.
const THREADS: usize = 3;

/// Threads that read and judge batches in turn. The same thread reads a batch, judges and frees it: memory that another
/// thread frees costs more than the judging.
pub(super) struct Turns {
    new: Arc<Rules>,
    old: Option<Arc<Rules>>,
    reading: Mutex<Reading>,
    judging: Mutex<Judging>,
    changed: Condvar,
}

struct Reading {
    source: Source,
    /// Number of the next batch.
    number: u64,
    /// `None` while there may be more; then whether all was read.
    end: Option<Result<(), Failure>>,
}

struct Judging {
    replaying: Replaying,
    /// Number of the batch whose turn it is.
    turn: u64,
    is_over: bool,
}

impl Turns {
    pub(super) fn new(source: Source, replaying: Replaying) -> Self {
        Self {
            new: Arc::clone(replaying.new.rules()),
            old: replaying.old.as_ref().map(|side| Arc::clone(side.rules())),
            reading: Mutex::new(Reading { source, number: 0, end: None }),
            judging: Mutex::new(Judging { replaying, turn: 0, is_over: false }),
            changed: Condvar::new(),
        }
    }

    /// Judges all batches. Returns the files whose last record is not complete.
    pub(super) fn run(self, is_interrupted: &AtomicBool) -> (Replaying, Result<BTreeSet<String>, Failure>) {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let judged = thread::scope(|scope| {
            let work = || {
                let _ended = EndedByPanic(&self);
                self.work(is_interrupted)
            };
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let results = threads.into_iter().map(|thread| {
                let failed = |_| Err(Failure::message("the record cannot be judged: a thread failed"));
                thread.join().unwrap_or_else(failed)
            });
            // All threads are waited for.
            results.fold(Ok(()), Result::and)
        });
        let Reading { source, end, .. } = self.reading.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Judging { replaying, .. } = self.judging.into_inner().unwrap_or_else(PoisonError::into_inner);
        (replaying, judged.and(end.unwrap_or(Ok(()))).map(|()| source.unfinished()))
    }

    fn work(&self, is_interrupted: &AtomicBool) -> Result<(), Failure> {
        let runtime = runtime()?;
        while let Some((number, batch)) = self.next() {
            // Other threads read and judge meanwhile.
            let steps = batch.into_steps(&self.new, self.old.as_deref());
            let Some(mut judging) = self.turn(number) else { break };
            let (steps, judged) = match steps {
                Ok(mut steps) => {
                    let judged = runtime.block_on(judging.replaying.judge_all(&mut steps));
                    (steps, judged)
                }
                Err(failure) => (Vec::new(), Err(failure)),
            };
            judging.turn = number + 1;
            judging.is_over |= judged.is_err() || is_interrupted.load(Ordering::Relaxed);
            drop(judging);
            self.changed.notify_all();
            // Another thread judges while this one frees them.
            drop(steps);
            judged?;
        }
        Ok(())
    }

    /// Reads the next batch; `None` at the end.
    fn next(&self) -> Option<(u64, Batch)> {
        let mut reading = self.reading.lock().ok()?;
        if reading.end.is_some() {
            return None;
        }
        match reading.source.next() {
            Ok(Some(batch)) => {
                let number = reading.number;
                reading.number += 1;
                Some((number, batch))
            }
            Ok(None) => {
                reading.end = Some(Ok(()));
                None
            }
            Err(failure) => {
                reading.end = Some(Err(failure));
                None
            }
        }
    }

    /// Waits until the batches before `number` are judged; `None` if no more is judged.
    fn turn(&self, number: u64) -> Option<MutexGuard<'_, Judging>> {
        let judging = self.judging.lock().ok()?;
        let is_early = |judging: &mut Judging| judging.turn != number && !judging.is_over;
        let judging = self.changed.wait_while(judging, is_early).ok()?;
        (!judging.is_over).then_some(judging)
    }
}

/// Ends the work of all threads if one panics.
struct EndedByPanic<'t>(&'t Turns);

impl Drop for EndedByPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.judging.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
            self.0.changed.notify_all();
        }
    }
}
