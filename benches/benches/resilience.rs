//! Cost of the layers that let a model call survive failures.

fn main() -> Result<(), benches::SetupError> {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    for mut case in benches::resilience::cases()? {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
    Ok(())
}
