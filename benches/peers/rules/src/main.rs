//! A decision among many rules: published policy engines beside ours, on equivalent rules, in one run.
//!
//! The rules: nobody edits below `packages/package-N/`, for each N; everything else may be. The call edits a
//! file that no rule is about, which every engine has to find out. Times are the least of many interleaved
//! batches, from the call as the engine takes it to its decision. What the engines do beside is not the same:
//! cedar has entities and schemas, rego is a language, ours resolves the path against a file system first.

mod agentmesh;
mod cedar;
mod hooks;
mod rego;

use std::hint::black_box;
use std::time::Instant;

/// Why an engine could not be set up.
pub type Error = Box<dyn std::error::Error>;

/// An engine with its rules: says whether a file may be edited.
pub type Engine = Box<dyn Fn(&str) -> bool>;

/// Makes an engine of a number of rules.
type Setup = fn(usize) -> Result<Engine, Error>;

const ENGINES: [(&str, Setup); 4] = [
    ("hooks", hooks::engine),
    ("cedar-policy", cedar::engine),
    ("regorus", rego::engine),
    ("agentmesh", agentmesh::engine),
];
const COUNTS: [usize; 3] = [10, 100, 1_000];
const ROUNDS: usize = 200;

fn main() -> Result<(), Error> {
    println!("{:<14} {:>10} {:>14}", "engine", "rules", "ns a decision");
    for rules in COUNTS {
        let mut engines = Vec::new();
        for (name, setup) in ENGINES {
            let engine = setup(rules)?;
            if !engine(FREE) || engine(TAKEN) {
                return Err(format!("{name} does not decide as the rules say").into());
            }
            engines.push((name, engine, f64::INFINITY));
        }
        for _ in 0..ROUNDS {
            for (_, engine, least) in &mut engines {
                *least = least.min(batch(engine));
            }
        }
        for (name, _, least) in &engines {
            println!("{name:<14} {rules:>10} {least:>14.1}");
        }
    }
    Ok(())
}

/// A file that no rule is about, and one that one is.
const FREE: &str = "src/parser/expression.rs";
const TAKEN: &str = "packages/package-7/src/lib.rs";

/// Nanoseconds per decision.
fn batch(engine: &Engine) -> f64 {
    const CALLS: u32 = 20;
    let start = Instant::now();
    for _ in 0..CALLS {
        black_box(engine(black_box(FREE)));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}
