//! Our side: runs the calls of cases.json through the engine that answers as Squad does, prints the least
//! time of each.

use std::hint::black_box;
use std::time::Instant;

use hooks_policies::squad::{SquadCall, SquadPipeline, SquadPolicy};
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
fn batch(pipeline: &SquadPipeline, call: &Value, count: u32) -> Result<f64, Error> {
    let (tool, arguments) = (text(&call["tool"]), &call["arguments"]);
    let is_pre = call["phase"] == "pre";
    // A tool hands over the result that it made; making it is not ours.
    let results: Vec<_> = (0..count).map(|_| Some(call["result"].clone())).collect();
    let start = Instant::now();
    for result in results {
        let mut run = SquadCall::new(tool, arguments, "Backend", "session-1");
        if is_pre {
            black_box(pipeline.pre(&mut run)?);
        } else {
            black_box(pipeline.post(&mut run, result)?);
        }
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(count))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
