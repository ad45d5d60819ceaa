//! Cost of a budget.

fn main() -> Result<(), benches::SetupError> {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    let beyond = benches::store::on_disk()?.into_iter().chain(benches::store::on_server()?);
    for mut case in benches::store::cases().into_iter().chain(beyond) {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
    Ok(())
}
