//! Cost of the search for standing wishes in a user's message.

fn main() {
    let mut criterion = criterion::Criterion::default().configure_from_args();
    for mut case in benches::directives::cases() {
        criterion.bench_function(case.name(), |bencher| bencher.iter(|| case.run(1)));
    }
    criterion.final_summary();
}
