//! Rate of records written through to the device, in turns with a bare loop on the same file system.
//!
//! The bare loop is one thread. It appends to a file in the same folder and calls `fdatasync`, so its file
//! grows as a log does. It writes as many bytes at once as the log needs for one record of each writer. It
//! forms no records, hashes nothing and wakes no other thread. Turns are short and alternate. Rates are those
//! that one turn in ten reaches, undisturbed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use hooks_audit::Log;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use super::{entry, log};

const ROUNDS: usize = 100;
const TURN: Duration = Duration::from_millis(20);

/// Rates with this number of writers at once.
pub(crate) struct Through {
    pub(crate) writers: usize,
    /// Records a second if the writers are tasks of one runtime, as the agents of a service are.
    pub(crate) tasks: f64,
    /// `tasks`, as a share of the records that the bare loop writes.
    pub(crate) of_bare: f64,
    /// `tasks`, as a multiple of the rate with the first number of writers.
    pub(crate) of_first: f64,
    /// Share of the bare loop's records if each writer is a thread that blocks.
    pub(crate) threads_of_bare: f64,
}

/// Measures each number of writers in turns.
pub(crate) fn measure<const N: usize>(folder: &Path, writers: [usize; N]) -> [Through; N] {
    let log = log(&folder.join("log"));
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut bare = Bare::new(&folder.join("bare"));
    let sizes =
        writers.map(|writers| bytes(&folder.join("log"), || tasks(&log, &runtime, writers)) * writers as f64);
    let mut turns = writers.map(|_| [const { Vec::new() }; 3]);
    for _ in 0..ROUNDS {
        for ((turns, writers), size) in turns.iter_mut().zip(writers).zip(sizes) {
            turns[0].push(tasks(&log, &runtime, writers));
            turns[1].push(bare.turn(size as usize) * writers as f64);
            turns[2].push(threads(&log, writers));
        }
    }
    let best = turns.map(|turns| turns.map(undisturbed));
    std::array::from_fn(|at| {
        let [tasks, bare, threads] = best[at];
        Through {
            writers: writers[at],
            tasks,
            of_bare: tasks / bare,
            of_first: tasks / best[0][0],
            threads_of_bare: threads / bare,
        }
    })
}

/// Records a second by tasks of one runtime.
fn tasks(log: &Log, runtime: &Runtime, writers: usize) -> f64 {
    let start = Instant::now();
    let done: u32 = runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..writers {
            let log = log.clone();
            tasks.spawn(async move {
                let mut done = 0;
                while start.elapsed() < TURN {
                    log.put_through(entry).unwrap().await.unwrap();
                    done += 1;
                }
                done
            });
        }
        tasks.join_all().await.iter().sum()
    });
    f64::from(done) / start.elapsed().as_secs_f64()
}

/// Records a second by threads that block.
fn threads(log: &Log, writers: usize) -> f64 {
    let start = Instant::now();
    let done: u32 = std::thread::scope(|scope| {
        let writer = || {
            let mut done = 0;
            while start.elapsed() < TURN {
                log.put_through(entry).unwrap().wait().unwrap();
                done += 1;
            }
            done
        };
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(writer)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    f64::from(done) / start.elapsed().as_secs_f64()
}

struct Bare(File);

impl Bare {
    fn new(path: &Path) -> Self {
        Self(OpenOptions::new().append(true).create(true).open(path).unwrap())
    }

    /// Writes of `size` bytes a second.
    fn turn(&mut self, size: usize) -> f64 {
        let content = vec![b'x'; size];
        let (start, mut done) = (Instant::now(), 0_u32);
        while start.elapsed() < TURN {
            self.0.write_all(&content).unwrap();
            self.0.sync_data().unwrap();
            done += 1;
        }
        f64::from(done) / start.elapsed().as_secs_f64()
    }
}

/// Bytes that a record of `turn` needs in the log in `folder`.
fn bytes(folder: &Path, turn: impl Fn() -> f64) -> f64 {
    let length = || fs::metadata(folder.join("w0.00000001.jsonl")).unwrap().len();
    let before = length();
    let records = turn() * TURN.as_secs_f64();
    (length() - before) as f64 / records.max(1.0)
}

/// The rate that one turn in ten reaches.
fn undisturbed(mut rates: Vec<f64>) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[rates.len() * 9 / 10]
}
