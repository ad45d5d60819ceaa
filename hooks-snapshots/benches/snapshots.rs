//! `cargo xtask bench sandbox`: what a snapshot costs, against its bars. A warm one finds nothing changed, as before most commands.
#![cfg(unix)]

use std::error::Error;
use std::fs;
use std::path::Path;

use hooks_core::time::Clock;
use hooks_snapshots::{LeftOut, Scope, Store};
use hooks_system::SystemClock;

/// Files of a workspace, further ones in a folder that is left out, and the most milliseconds of a warm snapshot.
const CASES: [(u32, u32, f64); 3] = [(2_000, 0, 30.0), (2_000, 30_000, 30.0), (50_000, 0, 200.0)];

/// Snapshots that are measured; the fastest counts, as the machine may be busy.
const ROUNDS: u32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut has_missed = false;
    println!("| files | left out | cold, ms | warm, ms | at most |\n|---|---|---|---|---|");
    for (files, left_out, most) in CASES {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("workspace");
        fill(&root, files)?;
        fill(&root.join("node_modules"), left_out)?;
        let scope = Scope::new(&root, vec![LeftOut::new("node_modules", "packages of npm")])?;
        let store = Store::open(&folder.path().join("state"), scope)?;
        let cold = measured(&store)?;
        let mut warm = f64::MAX;
        for _ in 0..ROUNDS {
            warm = warm.min(measured(&store)?);
        }
        has_missed |= warm > most;
        println!("| {files} | {left_out} | {cold:.0} | {warm:.1} | {most:.0} |");
    }
    if has_missed { Err("a snapshot is slower than its bar".into()) } else { Ok(()) }
}

/// Milliseconds of the snapshot before a command that changes nothing.
#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
fn measured(store: &Store) -> Result<f64, Box<dyn Error>> {
    let start = std::time::Instant::now();
    let running = store.begin("bench", SystemClock.now().0)?;
    let took = start.elapsed().as_secs_f64() * 1_000.0;
    store.finish(running, SystemClock.now().0)?;
    Ok(took)
}

/// Makes files of some kilobytes, 50 in a folder.
fn fill(root: &Path, files: u32) -> std::io::Result<()> {
    for at in 0..files {
        let folder = root.join(format!("a{}/b{}", at / 2_500, at / 50));
        if at % 50 == 0 {
            fs::create_dir_all(&folder)?;
        }
        fs::write(folder.join(format!("file-{at}.txt")), format!("line {at}\n").repeat(500))?;
    }
    Ok(())
}
