//! The whole budget: around models, on events, under load.

mod cancellation;
mod contract;
mod events;
mod overlap;
mod properties;
mod streams;
mod thresholds;
mod windows;

use std::sync::{Arc, Mutex};

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply, Role, Usage};
use hooks_core::state::{Key, Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::{FakeClock, FakeFileSystem, world};
use hooks_core::{Background, HookContext, HookFuture};
use serde_json::{Value, json};

use super::*;

/// A token sent costs a millionth of a dollar, a token received ten.
fn config(limits: Value) -> SpendBudgetConfig {
    let mut config = json!({
        "prices": [{ "model": "large", "input": 1, "output": 10 }, { "model": "small", "input": 0.1, "output": 1 }],
        "cheaper": { "large": "small" },
        "hold": { "most_output_tokens": 4_000 },
    });
    config["limits"] = limits;
    serde_json::from_value(config).unwrap()
}

fn memory() -> (Arc<Memory>, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    (Arc::new(Memory::new(clock.clone())), clock)
}

fn context(session: &str, agent: &str) -> Arc<HookContext> {
    let mut environment = world(FakeFileSystem::default()).0;
    environment.background = Some(Arc::new(Spawns));
    Arc::new(HookContext::new(session, agent).with_environment(environment))
}

/// Runs background work in the runtime of the test.
struct Spawns;

impl Background for Spawns {
    fn run(&self, work: HookFuture<'static, ()>) {
        tokio::spawn(work);
    }
}

/// Store that lets other tasks run before and after each operation.
struct Slow(Arc<Memory>);

impl StateStore for Slow {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let memory = Arc::clone(&self.0);
        HookFuture::later(async move {
            tokio::task::yield_now().await;
            let answer = memory.apply(op).await;
            tokio::task::yield_now().await;
            answer
        })
    }
}

/// Store that is unavailable.
struct Away;

impl StateStore for Away {
    fn apply(&self, _op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        HookFuture::now(Err(StoreError::Unavailable("down".to_owned())))
    }
}

/// Keeps the notices that it receives.
#[derive(Default)]
struct Keeps(Mutex<Vec<SpendNotice>>);

impl SpendWatch for Keeps {
    fn tell(&self, _context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()> {
        self.0.lock().unwrap().push(notice);
        HookFuture::now(())
    }
}

impl Keeps {
    fn warnings(&self) -> Vec<String> {
        let told = self.0.lock().unwrap();
        let warnings = told.iter().filter_map(|notice| match notice {
            SpendNotice::Warning(warning) => Some(warning.clone()),
            _ => None,
        });
        warnings.collect()
    }
}

/// Returns the charged and reserved amounts of all counters below `part`.
async fn charged(store: &dyn StateStore, part: &str) -> (u64, u64) {
    let below = Key::new(None, &["spend", part]);
    match store.apply(Op::Counters { below }).await.unwrap() {
        StepResult::Counters(counters) => {
            counters.iter().fold((0, 0), |(used, held), counter| (used + counter.used, held + counter.held))
        }
        other => panic!("{other:?}"),
    }
}

fn asking(model: &str) -> ModelRequest {
    ModelRequest { model: model.to_owned(), ..ModelRequest::default() }
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

fn reply(usage: Usage) -> ModelReply {
    ModelReply { response: Message::text(Role::Assistant, "yes"), usage, cost: None }
}

/// Lets all spawned tasks finish.
async fn quiet() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}
