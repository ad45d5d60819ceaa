//! Scripted commands for tests.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_command::config::{Known, read};
use hooks_command::engine::World;
use hooks_command::output::{End, Finished};
use hooks_command::process::{NoVariables, Runner, Start};
use hooks_command::{Ask, Engine, HookEvent, Lane, Rules};
use hooks_core::HookFuture;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Timer};
use serde_json::Value;

/// Scripted commands by name, and the inputs with which they were started.
#[derive(Clone)]
pub(crate) struct Script(Arc<Inner>);

struct Inner {
    parts: Vec<(&'static str, Value)>,
    time: VirtualTime,
    seen: Mutex<Vec<(String, Value)>>,
}

impl Script {
    pub(crate) fn new<const N: usize>(parts: [(&'static str, Value); N]) -> Self {
        Self::from_parts(parts.into())
    }

    pub(crate) fn from_parts(parts: Vec<(&'static str, Value)>) -> Self {
        Self(Arc::new(Inner { parts, time: VirtualTime::default(), seen: Mutex::default() }))
    }

    /// The inputs of a command, one for each start.
    pub(crate) fn seen(&self, command: &str) -> Vec<Value> {
        let seen = self.0.seen.lock().unwrap();
        seen.iter().filter(|(name, _)| name == command).map(|(_, input)| input.clone()).collect()
    }

    /// The elapsed virtual time in milliseconds.
    pub(crate) fn elapsed(&self) -> u128 {
        self.0.time.tick().0.as_millis()
    }

    pub(crate) fn world(&self) -> World {
        World {
            runner: Arc::new(self.clone()),
            timer: Arc::new(self.0.time.clone()),
            builtins: Arc::default(),
            judge: None,
            variables: Arc::new(NoVariables),
        }
    }

    pub(crate) fn finish<F: Future>(&self, work: F) -> F::Output {
        self.0.time.block_on(work).expect("nobody waits for nothing")
    }
}

impl Runner for Script {
    fn run(&self, start: Start) -> HookFuture<'static, Finished> {
        let command = start.handler.command.clone();
        self.0.seen.lock().unwrap().push((command.clone(), Value::Object((*start.input).clone())));
        let part = self.0.parts.iter().find(|(name, _)| *name == command).map(|(_, part)| part.clone());
        let part = part.unwrap_or_default();
        let number = |name: &str| part.get(name).and_then(Value::as_u64).unwrap_or_default();
        let text = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let end = match part.get("spawn_error") {
            Some(error) => End::Failed(error.as_str().unwrap_or_default().to_owned()),
            None => End::Exited(i32::try_from(number("exit_code")).unwrap()),
        };
        let finished = Finished { end, stdout: text("stdout"), stderr: text("stderr") };
        let sleep = self.0.time.sleep(Duration::from_millis(number("sleep_ms")));
        HookFuture::later(async move {
            sleep.await;
            finished
        })
    }
}

/// Runs the handlers of a block, and returns their merged answers as JSON.
pub(crate) fn ask(
    rules: Rules,
    block: &Value,
    event: &str,
    lane: Lane,
    input: Value,
    script: &Script,
) -> Value {
    let read =
        read(block, Known { profile: rules.profile, builtins: None, our_events: false, exactly: false });
    assert!(read.is_usable(), "{:?}", read.faults);
    let engine = Engine::new(read.block, rules, script.world());
    let Value::Object(input) = input else { panic!("an object") };
    let event = HookEvent::named(event).unwrap();
    let ask = Ask { event, lane, input, folder: Path::new("/run"), also_called: None, cancelled: None };
    serde_json::to_value(script.finish(engine.ask(ask))).unwrap()
}
