//! The scripts answer like [`State::step`](hooks_core::state::State::step).

use std::cell::Cell;
use std::sync::Arc;

use hooks_core::testing::{HandClock, agree, on_random_histories};

use crate::server::Server;
use crate::world::{patient_store, runtime};

#[test]
fn it_answers_like_the_specification() {
    let Some(server) = Server::start() else { return };
    let (runtime, number) = (runtime(), Cell::new(0));
    on_random_histories(400, |history| {
        number.set(number.get() + 1);
        runtime.block_on(async {
            let clock = Arc::new(HandClock::default());
            let store = patient_store(&server, &format!("history{}:", number.get())).at(clock.clone());
            agree(&store, &clock, &history).await
        })
    });
}
