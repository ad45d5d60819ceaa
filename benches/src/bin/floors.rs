//! Measures every case by the minimum over many interleaved batches, and compares it with its bar.
//!
//! `cargo xtask bench [FILTER]` runs it. Batches of different cases take turns, so that other load on the
//! machine hits all of them alike. The minimum is the cost of the code without such load.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use benches::{Bar, Case, SetupError, context, redaction, store};

/// Approximate time of a batch: long compared with the clock's resolution, short compared with a time slice.
const BATCH_NANOSECONDS: f64 = 10_000.0;
/// Time of a measurement, and least number of rounds.
const TIME: Duration = Duration::from_secs(20);
const MIN_ROUNDS: usize = 300;
/// Least number of rounds of cases that take a tenth of a second.
const FEW_ROUNDS: usize = 10;

fn main() -> Result<ExitCode, SetupError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(file) = store::is_writer(&arguments) {
        store::write(file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let filter = arguments.into_iter().next().unwrap_or_default();
    let mut cases = benches::all()?;
    cases.extend(store::on_disk()?);
    cases.extend(store::on_server()?);
    cases.extend(context::cases()?);
    cases.retain(|case| case.name().contains(&filter));
    let mut floors = measure(&mut cases, MIN_ROUNDS);
    // Apart from the others: their texts empty the caches.
    let mut long = redaction::long()?;
    long.retain(|case| case.name().contains(&filter));
    floors.extend(measure(&mut long, FEW_ROUNDS));
    cases.extend(long);
    let mut missed = report(&cases, &floors);
    if "store/embedded, four processes".contains(&filter) && !store::report()? {
        missed += 1;
    }
    println!("\n{} cases, {missed} bars missed", cases.len());
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Least nanoseconds per call of each case.
fn measure(cases: &mut [Case], rounds: usize) -> Vec<f64> {
    let sizes: Vec<u32> = cases.iter_mut().map(batch_size).collect();
    let mut floors = vec![f64::INFINITY; cases.len()];
    let start = now();
    for round in 0.. {
        if cases.is_empty() || (round >= rounds && start.elapsed() > TIME) {
            break;
        }
        for ((case, size), floor) in cases.iter_mut().zip(&sizes).zip(&mut floors) {
            // What the case before left in the caches does not count.
            case.run(1);
            *floor = floor.min(time(case, *size));
        }
    }
    floors
}

/// Number of calls in a batch.
fn batch_size(case: &mut Case) -> u32 {
    // The first calls fill caches, so they are not measured.
    case.run(1);
    if time(case, 1) < 1e7 {
        case.run(16);
    }
    let mut size = 1;
    while size < 1 << 16 && time(case, size) * f64::from(size) < BATCH_NANOSECONDS {
        size *= 2;
    }
    size
}

#[expect(clippy::disallowed_methods, reason = "this program measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Nanoseconds per call.
fn time(case: &mut Case, count: u32) -> f64 {
    let start = now();
    case.run(count);
    start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}

/// Prints the table and returns the number of missed bars.
fn report(cases: &[Case], floors: &[f64]) -> usize {
    let floor_of =
        |name: &str| cases.iter().zip(floors).find(|(case, _)| case.name() == name).map(|(_, floor)| *floor);
    let mut missed = 0;
    println!("{:<52} {:>10}  {:<24}", "case", "ns", "bar");
    for (case, floor) in cases.iter().zip(floors) {
        let verdict = match case.bar() {
            None => String::new(),
            Some(Bar::Nanoseconds(limit)) => judge(&mut missed, *floor, limit, &format!("<= {limit} ns")),
            Some(Bar::Beyond(limit, other)) => floor_of(other).map_or_else(String::new, |part| {
                let text = format!("{:.1} beyond `{other}`, <= {limit}", floor - part);
                judge(&mut missed, floor - part, limit, &text)
            }),
            Some(Bar::Times(limit, other)) => floor_of(other).map_or_else(String::new, |base| {
                let text = format!("{:.2} times `{other}`, <= {limit}", floor / base);
                judge(&mut missed, floor / base, limit, &text)
            }),
        };
        println!("{:<52} {floor:>10.1}  {verdict}", case.name());
    }
    missed
}

fn judge(missed: &mut usize, figure: f64, limit: f64, text: &str) -> String {
    if figure <= limit {
        return format!("{text}: ok");
    }
    *missed += 1;
    format!("{text}: MISSED")
}
