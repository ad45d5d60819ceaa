//! Processes that spend one budget while their connections are cut and the server is killed and restarted.
//!
//! `HOOKS_OVERSPEND` is the number of operations of all processes; without it, there are few.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, Window};
use hooks_core::time::{Clock as _, Random as _, SeededRandom};
use hooks_store::redis::RedisSettings;
use hooks_store::{Away, AwaySettings, LeaseSettings, Leased};

use crate::server::Server;
use crate::world::{RealTime, patient_store, runtime, with};

const PROCESSES: usize = 8;
/// Number of concurrent tasks in each process.
const TASKS: usize = 8;
/// Time after which a holder counts as lost.
const TTL: Duration = Duration::from_secs(20);

#[test]
fn nothing_is_overspent() {
    let Some(mut server) = Server::start_append_only() else { return };
    let operations: usize = std::env::var("HOOKS_OVERSPEND").map_or(4_000, |text| text.parse().unwrap());
    // Half of what all of them would spend.
    let limit = operations as u64;
    let workers: Vec<Child> =
        (0..PROCESSES).map(|number| start(&server, number, operations, limit)).collect();
    let mut rounds = 0;
    let mut workers: Vec<_> = workers.into_iter().map(Some).collect();
    let mut outputs = Vec::new();
    let runtime = runtime();
    while outputs.len() < PROCESSES {
        runtime.block_on(async { tokio::time::sleep(Duration::from_millis(300)).await });
        rounds += 1;
        match rounds % 6 {
            2 => {
                server.kill();
                server.resume();
            }
            4 => drop(server.run(&["SCRIPT", "FLUSH"])),
            _ => drop(server.run(&["CLIENT", "KILL", "TYPE", "normal"])),
        }
        for worker in &mut workers {
            if worker.as_mut().is_some_and(|process| process.try_wait().unwrap().is_some()) {
                outputs.push(worker.take().unwrap().wait_with_output().unwrap());
            }
        }
    }
    let mut spent = 0;
    for output in outputs {
        let text = String::from_utf8_lossy(&output.stdout);
        let line =
            text.lines().find_map(|line| line.split_once("SPENT ")).unwrap_or_else(|| panic!("{text}"));
        spent += line.1.parse::<u64>().unwrap();
    }
    runtime.block_on(async {
        let store = patient_store(&server, "overspend:");
        tokio::time::sleep(TTL).await;
        let answer = store.apply(Op::Used { key: day(), window: Window::DAY }).await.unwrap();
        let StepResult::Used { used, held } = answer else { panic!("{answer:?}") };
        println!(
            "{operations} operations, {rounds} faults, of {limit}: {spent} spent, {used} charged, {held} held"
        );
        assert!(spent <= used && used <= limit, "{spent} spent, {used} charged of {limit}");
        assert_eq!(held, 0, "nothing is held for ever");
        assert!(spent * 100 >= limit * 99, "{spent} of {limit} could be used");
    });
}

/// The code of a child process; without its variable, this test does nothing.
#[test]
fn worker() {
    let Ok(work) = std::env::var("HOOKS_WORKER") else { return };
    let mut words = work.split(' ');
    let url = words.next().unwrap().to_owned();
    let mut number = || words.next().unwrap().parse::<u64>().unwrap();
    let (seed, operations, limit) = (number(), number(), number());
    let spent = runtime().block_on(async {
        let store =
            with(RedisSettings::new(url).with_prefix("overspend:").with_timeout(Duration::from_millis(200)));
        let random = Arc::new(SeededRandom::new(seed + RealTime.now().0 * 1_000));
        if seed % 2 == 0 {
            work_on(
                Away::new(store, AwaySettings::default(), Arc::new(RealTime), &*random),
                random,
                operations,
                limit,
            )
            .await
        } else {
            let leased = Leased::new(store, LeaseSettings::default(), Arc::new(RealTime), random.clone());
            let away = Away::new(leased.clone(), AwaySettings::default(), Arc::new(RealTime), &*random);
            let spent = work_on(away, random, operations, limit).await;
            while leased.close().await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            spent
        }
    });
    println!("SPENT {spent}");
}

async fn work_on<S: StateStore + 'static>(
    store: Away<S>,
    random: Arc<SeededRandom>,
    operations: u64,
    limit: u64,
) -> u64 {
    let kept = tokio::spawn({
        let store = store.clone();
        async move { store.keep(Arc::new(RealTime)).await }
    });
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| tokio::spawn(work_alone(store.clone(), random.clone(), operations / TASKS as u64, limit)))
        .collect();
    let mut spent = 0;
    for task in tasks {
        spent += task.await.unwrap();
    }
    while store.tell().await.is_err() || !store.has_told_all() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    kept.abort();
    spent
}

/// Makes calls that cost up to 9, half of them less than was reserved; some are cancelled.
async fn work_alone<S: StateStore + 'static>(
    store: Away<S>,
    random: Arc<SeededRandom>,
    operations: u64,
    limit: u64,
) -> u64 {
    let (mut done, mut spent) = (0, 0);
    while done < operations {
        let (id, dice) = (OpId(random.next_u128()), random.next_u64());
        // Small amounts, so that the rest at the end is not too small for all of them.
        let amount = 1 + dice % 9;
        let scopes = [Scope::spent(day(), limit).per(Window::DAY)].into();
        done += 1;
        match store.apply(Op::Reserve { id, scopes, amount, ttl: TTL }).await {
            Ok(StepResult::Done) => {
                let actual = if dice & 0x100 == 0 { amount } else { dice % amount };
                let end = if dice & 0x1e00 == 0 { Op::Release { id } } else { Op::Settle { id, actual } };
                if let Op::Settle { actual, .. } = end {
                    spent += actual;
                }
                store.apply(end).await.unwrap();
                done += 1;
            }
            Ok(StepResult::Refused { .. }) => {}
            Ok(answer) => panic!("{answer:?}"),
            // Budgets are closed; the next call tries again.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    spent
}

fn day() -> Key {
    Key::new(Some("acme"), &["day"])
}

#[expect(clippy::disallowed_methods, reason = "that processes share a budget is what is tested")]
fn start(server: &Server, number: usize, operations: usize, limit: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "overspend::worker", "--nocapture"]);
    command.env("HOOKS_WORKER", format!("{} {number} {} {limit}", server.url(), operations / PROCESSES));
    command.stdout(Stdio::piped()).spawn().unwrap()
}
