//! Allocations are promises: every case that states how often it allocates does so exactly that often.

use allocation_counter::measure;

#[test]
fn every_case_allocates_as_often_as_it_says() {
    let mut stated = 0;
    for mut case in benches::all().unwrap() {
        let Some(times) = case.allocations() else { continue };
        // The first call may fill what later ones share.
        case.run(1);
        let counted = measure(|| case.run(1)).count_total;
        assert_eq!(counted, times, "{}", case.name());
        stated += 1;
    }
    assert!(stated > 5);
}
