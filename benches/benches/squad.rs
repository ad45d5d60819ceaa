//! Cost of the engine that answers as Squad does. `benches/peers/squad` measures Squad itself.

fn main() -> Result<(), benches::SetupError> {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    for mut case in benches::squad::cases()? {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
    Ok(())
}
