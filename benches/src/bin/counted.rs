//! Runs every case between two marked functions, for a profiler that counts its instructions.
//!
//! `cargo xtask instructions` runs it under callgrind, which starts to count at [`begin`] and writes the
//! count after [`batch`]: once per case, in the order of the printed names. An argument selects the cases
//! whose name contains it, for developers who analyse one by hand (`--toggle-collect='counted::batch*'`).

use std::hint::black_box;

use benches::{Case, SetupError};

/// Calls per count: so many that the share of the loop and the function entry is small.
const CALLS: u32 = 100;

fn main() -> Result<(), SetupError> {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!("{CALLS}");
    for mut case in benches::all()?.into_iter().filter(|case| case.name().contains(&filter)) {
        // Fills caches that later calls share.
        case.run(CALLS);
        begin();
        batch(&mut case);
        println!("{}", case.name());
    }
    Ok(())
}

/// Function at which counting starts.
#[inline(never)]
fn begin() {
    black_box(());
}

/// Function whose instructions are counted. It must return by itself, because the profiler would not see a
/// jump to another function.
#[inline(never)]
fn batch(case: &mut Case) {
    case.run(CALLS);
    black_box(case);
}
