//! Scripted commands, which are not really run, and their inputs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_command::output::{End, Finished};
use hooks_command::process::{Runner, Start};
use hooks_core::HookFuture;
use hooks_core::testing::VirtualTime;
use hooks_core::time::Timer;
use serde_json::{Map, Value, json};

use crate::answer::question;

/// The script of commands, by their text, and the inputs they were started with.
#[derive(Debug)]
pub(super) struct Script {
    parts: Value,
    time: VirtualTime,
    /// Commands with their inputs, in the order in which they were started.
    started: Mutex<Vec<(String, Value)>>,
}

impl Script {
    pub(super) fn from_question(question: &Value) -> Self {
        let parts = question::field(question, "script").clone();
        Self { parts, time: VirtualTime::default(), started: Mutex::default() }
    }

    pub(super) fn time(&self) -> &VirtualTime {
        &self.time
    }

    /// The commands that were started, with the input of each.
    pub(super) fn seen(&self) -> Map<String, Value> {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let ran: Vec<_> = started.iter().map(|(command, _)| command.as_str()).collect();
        let mut stdin: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (command, input) in started.iter() {
            stdin.entry(command).or_default().push(input);
        }
        let mut seen = Map::new();
        seen.insert("ran".to_owned(), json!(ran));
        seen.insert("stdin_seen".to_owned(), json!(stdin));
        seen
    }

    /// The scripted result of a command that is started once more.
    fn part(&self, start: &Start) -> Value {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let command = &start.handler.command;
        let before = started.iter().filter(|(known, _)| known == command).count();
        started.push((command.clone(), Value::Object((*start.input).clone())));
        let mut part = question::field(&self.parts, command);
        for _ in 0..before {
            part = part.get("next").unwrap_or(part);
        }
        part.clone()
    }
}

impl Runner for Script {
    fn run(&self, start: Start) -> HookFuture<'static, Finished> {
        let part = self.part(&start);
        let sleep = part.get("sleep_ms").and_then(Value::as_u64).unwrap_or_default();
        let waiting = self.time.sleep(Duration::from_millis(sleep));
        HookFuture::later(async move {
            if sleep > 0 {
                waiting.await;
            }
            finished(&part)
        })
    }
}

fn finished(part: &Value) -> Finished {
    if let Some(error) = part.get("spawn_error").and_then(Value::as_str) {
        return Finished::failed(error);
    }
    let end = match part.get("exit_code").and_then(Value::as_i64).unwrap_or_default() {
        -1 => End::Killed,
        status => End::Exited(i32::try_from(status).unwrap_or(1)),
    };
    let text = |name: &str| question::text(part, name).to_owned();
    Finished { end, stdout: text("stdout"), stderr: text("stderr") }
}
