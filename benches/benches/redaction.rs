//! Cost of scrubbing secrets and personal data.

fn main() -> Result<(), benches::SetupError> {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    for mut case in benches::redaction::cases()? {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
    Ok(())
}
