//! The cost of an event does not grow with the session.
//!
//! A million events, with the time of an event and rule:
//! `cargo xtask soak sequences`, or `HOOKS_SEQUENCE_EVENTS=1000000 cargo test --profile fast -p tower-hooks-team-rules cost -- --nocapture`.

#![expect(clippy::disallowed_methods, reason = "the long form measures time")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hooks_core::HookFuture;
use hooks_core::state::{Op, StepResult, StoreError};

use super::*;

const RULES: usize = 100;

/// Counts operations and the bytes that they write.
struct Counting {
    store: Memory,
    operations: AtomicUsize,
    written: AtomicUsize,
}

impl StateStore for Counting {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        self.operations.fetch_add(1, Ordering::Relaxed);
        if let Op::CompareAndSet { value, .. } = &op {
            self.written.fetch_add(value.len(), Ordering::Relaxed);
        }
        self.store.apply(op)
    }
}

/// CPU time of this thread where the system measures it, so that a busy machine makes no difference; else real time.
struct Watch {
    real: Instant,
    busy: Option<Duration>,
}

impl Watch {
    fn start() -> Self {
        Self { real: Instant::now(), busy: Self::busy() }
    }

    fn elapsed(&self) -> Duration {
        let busy = self.busy.zip(Self::busy()).map(|(before, now)| now - before);
        busy.unwrap_or_else(|| self.real.elapsed())
    }

    fn busy() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// A hundred rules of all forms. Each event matches most of them.
fn rules() -> Value {
    (0..RULES)
        .map(|number| {
            let name = format!("r{number}");
            let other = format!("x{number}");
            match number % 5 {
                0 => json!({"name": name, "never": {"tools": ["never", other]}, "after": {"tools": ["edit"]}, "unless": {"tools": ["test"]}}),
                1 => json!({"name": name, "calls": {"tools": ["edit", other]}, "at_most": 1_000, "within": "1m"}),
                2 => json!({"name": name, "calls": {"tools": ["edit", other]}, "at_most": 30, "within": "1m"}),
                3 => json!({"name": name, "taint": {"from": {"tools": ["test", other]}, "to": {"tools": ["never"]}}}),
                _ => json!({"name": name, "action": "ask", "calls": {"tools": ["edit", "test", other]}, "at_most": 1_000_000}),
            }
        })
        .collect()
}

/// Makes calls with their results from event `from` to event `to`; returns the operations and bytes of an event.
async fn run(process: &Process, counting: &Counting, from: usize, to: usize) -> (f64, f64) {
    let before = [&counting.operations, &counting.written].map(|count| count.load(Ordering::Relaxed));
    for number in from / 2..to / 2 {
        process.clock.advance(Duration::from_secs(3));
        let tool = ["edit", "edit", "test"][number % 3];
        let mut call = PreToolUse::new(tool, json!({"path": "src/a.rs", "number": number}));
        call.tool_use_id = Some(format!("call-{number}"));
        let mut decision = process.decide(process.context("s", None), call.clone()).await;
        assert!(decision.outcome.goes_ahead(), "{:?}", decision.outcome.shown_reason());
        decision.commit();
        let at = process.hooks.on(process.context("s", None));
        at.post_tool_use(PostToolUse::after(&call, json!("done"), None, 1)).await;
    }
    let after = [&counting.operations, &counting.written].map(|count| count.load(Ordering::Relaxed));
    let each = |at: usize| (after[at] - before[at]) as f64 / (to - from) as f64;
    (each(0), each(1))
}

#[tokio::test]
async fn an_event_costs_the_same_however_long_the_session_is() {
    let events: usize =
        std::env::var("HOOKS_SEQUENCE_EVENTS").ok().and_then(|events| events.parse().ok()).unwrap_or(3_000);
    let (environment, clock, _) = world(FakeFileSystem::default());
    let store = Memory::new(clock.clone());
    let counting =
        Arc::new(Counting { store, operations: AtomicUsize::new(0), written: AtomicUsize::new(0) });
    let process = Process { hooks: hooks(rules(), Arc::clone(&counting) as _), environment, clock };
    let began = Watch::start();
    let warm = run(&process, &counting, 0, 600).await;
    let first = run(&process, &counting, 600, 1_200).await;
    let early = began.elapsed();
    run(&process, &counting, 1_200, events - 600).await;
    let before_last = began.elapsed();
    let last = run(&process, &counting, events - 600, events).await;
    let spent = began.elapsed();
    assert!(warm.0 <= first.0);
    assert!((first.0 - last.0).abs() < f64::EPSILON, "operations: {first:?}, {last:?}");
    // Numbers of calls and steps get more digits.
    assert!(last.1 < first.1 * 1.2, "bytes: {first:?}, {last:?}");
    let each = |time: Duration, events: usize| time.as_nanos() as usize / events / RULES;
    println!(
        "{events} events, {RULES} rules: {} ns of CPU an event and rule; the first 1,200: {}, the last 600: {}; {} operations \
         and {} bytes an event",
        each(spent, events),
        each(early, 1_200),
        each(spent - before_last, 600),
        last.0,
        last.1,
    );
    if !cfg!(debug_assertions) {
        assert!(each(spent, events) <= 1_000);
        assert!(each(spent - before_last, 600) <= 2 * each(early, 1_200), "later events take longer");
    }
}
