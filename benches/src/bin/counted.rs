//! Runs every case between two marked functions, for a profiler that counts its instructions.
//!
//! `cargo xtask instructions` runs it under callgrind, which starts to count at [`begin`] and writes the count
//! down after [`batch`]: once per case, in the order of the names printed. An argument leaves only the cases with
//! it in their names, for those who look into one by hand (`--toggle-collect='counted::batch*'`).

use std::hint::black_box;

use benches::{Case, SetupError};

/// Calls per count: so many that the loop and the entry cost little of it.
const CALLS: u32 = 100;

fn main() -> Result<(), SetupError> {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!("{CALLS}");
    for mut case in benches::all()?.into_iter().filter(|case| case.name().contains(&filter)) {
        // What the first calls fill, later ones share.
        case.run(CALLS);
        begin();
        batch(&mut case);
        println!("{}", case.name());
    }
    Ok(())
}

/// Where counting starts.
#[inline(never)]
fn begin() {
    black_box(());
}

/// What is counted. It must return by itself: the profiler would not see a jump to another function.
#[inline(never)]
fn batch(case: &mut Case) {
    case.run(CALLS);
    black_box(case);
}
