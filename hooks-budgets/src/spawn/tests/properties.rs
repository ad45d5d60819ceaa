//! Random histories against the limits.

use proptest::prelude::*;

use super::*;

/// Step in the history of one child.
#[derive(Clone, Copy, Debug)]
enum Step {
    Start(u8),
    /// Decided, and not gone ahead with.
    GiveUp(u8),
    Stop(u8),
    Lives(u8),
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = 0..8u8;
    let step = prop_oneof![
        4 => id.clone().prop_map(Step::Start),
        1 => id.clone().prop_map(Step::GiveUp),
        3 => id.clone().prop_map(Step::Stop),
        1 => id.prop_map(Step::Lives),
        1 => Just(Step::Wait),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_more_live_than_may_and_all_places_come_back(steps in steps(), limit in 0..4u64, total in 0..12u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let desk = Desk::new(SpawnConfig { total: Some(total), ..concurrent(limit) });
            let mut started = 0;
            for step in &steps {
                let before = desk.states("s").await.iter().filter(|state| **state == ChildState::Running).count();
                match *step {
                    Step::Start(id) => {
                        let id = format!("c{id}");
                        let knows = |child: &Child| {
                            child.id.as_deref() == Some(&id) && child.state == ChildState::Running
                        };
                        let lives = desk.children("s").await.iter().any(knows);
                        let goes = desk.start("s", &id).await;
                        started += u64::from(goes && !lives);
                        // Never more than allowed; and never fewer, unless a lost child returned.
                        prop_assert!(!lives || goes, "told twice, counted once");
                        prop_assert!(lives || !goes || (before as u64) < limit);
                    }
                    Step::GiveUp(id) => {
                        let id = format!("c{id}");
                        drop(desk.hooks.on(desk.at("s")).subagent_start(child("backend", &id)).await);
                        let after = desk.states("s").await.iter().filter(|state| **state == ChildState::Running).count();
                        prop_assert_eq!(before, after);
                    }
                    Step::Stop(id) => desk.stop("s", &format!("c{id}")).await,
                    Step::Lives(id) => {
                        let children = desk.hooks.extension::<SpawnBudget>().unwrap().children();
                        children.heartbeat(&desk.at("s"), &format!("c{id}")).await.unwrap();
                    }
                    Step::Wait => desk.clock.advance(LEASE / 2),
                }
                prop_assert!(started <= total);
            }
            desk.clock.advance(LEASE);
            let free = (limit).min(total - started);
            for number in 0..free {
                prop_assert!(desk.start("s", &format!("new-{number}")).await, "all places are free again");
            }
            prop_assert!(!desk.start("s", "one more").await);
            Ok(())
        })?;
    }
}
