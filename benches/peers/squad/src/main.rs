//! Our side: runs the calls of cases.json through the engine that answers as Squad does, prints the least
//! time of each.

use std::hint::black_box;
use std::time::Instant;

use hooks_policies::squad::{JsError, SquadCall, SquadPipeline, SquadPolicy};
use serde_json::Value;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let cases: Value = serde_json::from_str(include_str!("../cases.json"))?;
    let pipeline = SquadPipeline::new(Some(&SquadPolicy::try_from(cases["policy"].clone())?))?;
    for lockout in list(&cases["lockouts"]) {
        pipeline.lockouts().lockout(text(&lockout[0]), text(&lockout[1]));
    }
    let calls = list(&cases["calls"]);
    let mut least = vec![f64::INFINITY; calls.len()];
    for _ in 0..300 {
        for (call, least) in calls.iter().zip(&mut least) {
            *least = least.min(batch(&pipeline, call, 200)?);
        }
    }
    for (call, least) in calls.iter().zip(least) {
        println!("{least:.1}\t{}", text(&call["name"]));
    }
    Ok(())
}

/// Nanoseconds per call.
fn batch(pipeline: &SquadPipeline, call: &Value, count: usize) -> Result<f64, Error> {
    let mut run = SquadCall::new(text(&call["tool"]), &call["arguments"], "Backend", "session-1");
    if call["phase"] == "pre" {
        timed(vec![(); count], |()| pipeline.pre(&mut run))
    } else {
        timed(vec![Some(call["result"].clone()); count], |result| pipeline.post(&mut run, result))
    }
}

/// Runs a call for each input. Making what goes in and dropping what comes out is the caller's in both
/// languages, and is not timed in either.
fn timed<I, O>(inputs: Vec<I>, mut run: impl FnMut(I) -> Result<O, JsError>) -> Result<f64, Error> {
    let count = inputs.len();
    let mut answers = Vec::with_capacity(count);
    let start = Instant::now();
    for input in inputs {
        answers.push(run(input)?);
    }
    let time = start.elapsed();
    black_box(answers);
    Ok(time.as_secs_f64() * 1e9 / count as f64)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
