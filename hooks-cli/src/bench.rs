//! `hooks bench`: measures the cost of a configuration for each event and policy, on this machine.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::Style;
use hooks::event::{PostToolUse, PreToolUse, WireEvent};
use hooks::{DecidingEvent, HookContext, HookFuture, HookRequest, Hooks, Stage};
use serde::Serialize;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::cli::{Bench, Format};
use crate::eval::runtime;
use crate::event::{by_type, here};
use crate::failure::{Failure, Status};
use crate::load;
use crate::paint::{LOUD, QUIET, one_line};
use crate::table::Table;
use crate::unfinished::Unfinished;

/// Number of decisions between two clock readings, to keep their cost low.
const ROUND: u32 = 64;

/// The cost of one event.
#[derive(Debug, Serialize)]
struct Cost {
    event: &'static str,
    what: String,
    /// Cost of one decision with rewrites and all policies, in nanoseconds.
    nanoseconds: f64,
    decisions: u64,
    policies: Vec<Share>,
}

/// The cost of one policy alone, for a fresh event.
#[derive(Debug, Serialize)]
struct Share {
    policy: String,
    nanoseconds: f64,
}

/// Measures every event.
pub(crate) fn run(options: &Bench) -> Result<Status, Failure> {
    let path = load::named_or_found(options.config.path.as_deref())?;
    let config = load::config(&path, options.config.profile)?;
    let hooks = config.clone().hooks();
    let events = match &options.events {
        Some(path) => {
            let text = fs::read(path)
                .map_err(|error| Failure::message(format!("`{}` cannot be read: {error}", path.display())))?;
            read_all(&text)?
        }
        None => usual(),
    };
    let runtime = runtime()?;
    let time = Duration::from_millis(options.time);
    let (mut costs, unfinished) = (Vec::new(), Unfinished::default());
    for (context, event) in events {
        let (context, what) = (here(context, &config, &unfinished), what(&event));
        let cost = by_type!(event,
            decided(event) => Some(measure(&hooks, &runtime, context, event, what, time)),
            informed(_event) => None,
            other => None
        );
        runtime.block_on(unfinished.finish());
        costs.extend(cost);
    }
    let mut out = anstream::stdout().lock();
    match options.format {
        Format::Json => writeln!(out, "{}", json!({"costs": costs}))?,
        Format::Text => {
            let mut table = Table::new(["event", "what", "per decision", "decisions"]).numbers([2, 3]);
            for cost in &costs {
                let name = (cost.event.to_owned(), LOUD);
                let total = (in_words(cost.nanoseconds), LOUD);
                let plain = Style::new();
                table.row([name, (cost.what.clone(), plain), total, (cost.decisions.to_string(), QUIET)]);
                let sum: f64 = cost.policies.iter().map(|share| share.nanoseconds).sum();
                for share in &cost.policies {
                    let part = if sum > 0.0 { share.nanoseconds / sum * 100.0 } else { 0.0 };
                    let name = format!("{part:3.0} %  {}", share.policy);
                    let alone = (in_words(share.nanoseconds), plain);
                    table.row([(String::new(), plain), (name, QUIET), alone, (String::new(), plain)]);
                }
            }
            table.write(&mut out)?;
            writeln!(
                out,
                "\n{QUIET}A policy is measured alone, on an event whose facts (paths, commands) it works out itself;\n\
                 in a decision of all they are worked out once.{QUIET:#}"
            )?;
        }
    }
    Ok(Status::Well)
}

fn measure<E: DecidingEvent>(
    hooks: &Hooks,
    runtime: &Runtime,
    context: HookContext,
    event: E,
    what: String,
    time: Duration,
) -> Cost {
    // Each decision is about a new request, without cached facts.
    let request = HookRequest::new(context, event).at(Stage::Judge);
    let (nanoseconds, decisions) = timed(time, &request, |request| {
        let decision = hooks::decide(hooks, request.clone());
        // No hook of a configuration waits yet; if one does, its future is awaited.
        drop(std::hint::black_box(match decision {
            HookFuture::Now(decision) => decision,
            waiting @ HookFuture::Later(_) => Some(runtime.block_on(waiting)),
        }));
    });
    let mut policies = Vec::new();
    for policy in hooks.slot::<E>().policies() {
        policy.each(&mut |single| {
            let (nanoseconds, _) = timed(time / 4, &request, |request| {
                drop(std::hint::black_box(single.judge(request)));
            });
            policies.push(Share { policy: single.name.to_owned(), nanoseconds });
        });
    }
    Cost { event: E::KIND.name(), what, nanoseconds, decisions, policies }
}

/// Nanoseconds for a call of `judge` with a fresh request, and the number of calls.
fn timed<E: DecidingEvent>(
    time: Duration,
    request: &HookRequest<E>,
    judge: impl Fn(&HookRequest<E>),
) -> (f64, u64) {
    let (mut spent, mut calls) = (Duration::ZERO, 0_u64);
    let limit = now();
    let mut warm = false;
    // At least one round is measured on a slow machine too, as zero calls would look like zero cost.
    while calls == 0 || (spent < time && limit.elapsed() < time.saturating_mul(10)) {
        let fresh: Vec<_> = (0..ROUND).map(|_| request.clone().refreshed()).collect();
        let start = now();
        fresh.iter().for_each(&judge);
        let round = start.elapsed();
        if warm {
            spent += round;
            calls = calls.saturating_add(u64::from(ROUND));
        }
        warm = true;
    }
    (spent.as_secs_f64() * 1e9 / (calls.max(1) as f64), calls)
}

#[expect(
    clippy::disallowed_methods,
    reason = "measuring needs the clock of the machine, not that of the hooks"
)]
fn now() -> Instant {
    Instant::now()
}

fn in_words(nanoseconds: f64) -> String {
    if nanoseconds < 1e3 {
        format!("{nanoseconds:.0} ns")
    } else if nanoseconds < 1e6 {
        format!("{:.2} µs", nanoseconds / 1e3)
    } else {
        format!("{:.2} ms", nanoseconds / 1e6)
    }
}

fn read_all(text: &[u8]) -> Result<Vec<(HookContext, WireEvent)>, Failure> {
    let lines = text.split(|byte| *byte == b'\n').enumerate();
    lines
        .filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
        .map(|(index, line)| {
            crate::eval::read(line)
                .map_err(|error| Failure::message(format!("line {}: {error}", index.saturating_add(1))))
        })
        .collect()
}

/// Calls of the usual tools.
fn usual() -> Vec<(HookContext, WireEvent)> {
    let calls = [
        ("edit", json!({"path": "src/lib.rs", "old": "a", "new": "b"})),
        ("bash", json!({"command": "cargo test --workspace && git status --short"})),
        ("read", json!({"path": "README.md"})),
        ("ask_user", json!({"question": "Which one?"})),
    ];
    let result = "no address in this line, and none in the next\n".repeat(20);
    let after =
        PostToolUse::after(&PreToolUse::new("bash", json!({"command": "ls"})), json!(result), None, 1);
    let calls = calls.into_iter().map(|(tool, args)| PreToolUse::new(tool, args).into());
    let all = calls.chain([after.into()]);
    all.map(|event| (HookContext::new("bench", "agent"), event)).collect()
}

fn what(event: &WireEvent) -> String {
    match event {
        WireEvent::PreToolUse(call) => one_line(&format!("{} {}", call.tool_name, call.tool_args), 60),
        WireEvent::PostToolUse(call) => {
            format!("{}, a result of {} bytes", call.tool_name, call.tool_result.to_string().len())
        }
        event => event.kind().name().to_owned(),
    }
}
