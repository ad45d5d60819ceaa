//! What a resilient model call costs: tower-resilience's comparable stack beside ours, in one run.
//!
//! Both stacks stand around a model that answers at once, so that what is left is the stacks' own time: a healthy call,
//! and one whose first model fails at once and whose second answers. Least times over many interleaved batches, and
//! what a call allocates. What they do beside is not the same: ours chooses the model by a chain, watches two models
//! of two providers and knows rates per model; theirs is five layers around one service, and a second service.

mod ours;
mod theirs;

use std::sync::atomic::Ordering;
use std::time::Instant;

/// Why a stack could not be set up.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

const ROUNDS: usize = 400;
const BATCH: u32 = 50;

fn main() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let _entered = runtime.enter();
    let (mut our_stack, our_switch) = ours::stack()?;
    let (mut their_stack, their_switch) = theirs::stack()?;
    println!("{:<44} {:>14} {:>12}", "call", "ns", "allocations");
    for (what, is_down) in [("healthy", false), ("one failover", true)] {
        our_switch.store(is_down, Ordering::Relaxed);
        their_switch.store(is_down, Ordering::Relaxed);
        let (mut least_ours, mut least_theirs) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            // The host makes its requests in both cases; ours are more than a number.
            let calls: Vec<_> = (0..BATCH).map(|_| ours::make()).collect();
            let start = Instant::now();
            let all_well = runtime.block_on(async {
                let mut all_well = true;
                for call in calls {
                    all_well &= ours::call(&mut our_stack, call).await;
                }
                all_well
            });
            least_ours = least_ours.min(start.elapsed().as_nanos() as f64 / f64::from(BATCH));
            let start = Instant::now();
            let theirs_well = runtime.block_on(async {
                let mut all_well = true;
                for _ in 0..BATCH {
                    all_well &= theirs::call(&mut their_stack).await;
                }
                all_well
            });
            least_theirs = least_theirs.min(start.elapsed().as_nanos() as f64 / f64::from(BATCH));
            if !(all_well && theirs_well) {
                return Err(format!("a call failed that should be answered ({what})").into());
            }
        }
        let call = ours::make();
        let ours = allocation_counter::measure(|| {
            runtime.block_on(ours::call(&mut our_stack, call));
        });
        let theirs = allocation_counter::measure(|| {
            runtime.block_on(theirs::call(&mut their_stack));
        });
        println!("{:<44} {least_ours:>14.0} {:>12}", format!("hooks-resilience, all layers, {what}"), ours.count_total);
        println!("{:<44} {least_theirs:>14.0} {:>12}", format!("tower-resilience, {what}"), theirs.count_total);
    }
    Ok(())
}
