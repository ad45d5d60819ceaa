//! Cost of governing a tool, from the call to its result.

fn main() -> Result<(), benches::SetupError> {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    for mut case in benches::govern::cases() {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
    Ok(())
}
