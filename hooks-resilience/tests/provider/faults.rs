//! Faults of the connection: refused, reset, silent, stalled, cut.

use hooks_resilience::ErrorKind;

use crate::rig::{PATIENCE, Rig, anthropic, call, openai};
use crate::server::Fault;

#[tokio::test]
async fn whatever_breaks_another_provider_answers() {
    for (fault, kind) in [
        (Fault::Reset, ErrorKind::Network),
        (Fault::Silence, ErrorKind::AttemptTimeout),
        (Fault::Stall(0), ErrorKind::AttemptTimeout),
        (Fault::Stall(20), ErrorKind::AttemptTimeout),
        (Fault::Cut(0), ErrorKind::StreamBroken),
        (Fault::Cut(20), ErrorKind::StreamBroken),
        (Fault::CutHard(20), ErrorKind::StreamBroken),
    ] {
        let rig = Rig::new([anthropic("from a").failing(fault)], [openai("from b")]).await;
        let replied = rig.ask(call()).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(replied.reply.response.content, "from b", "{fault:?}");
        assert_eq!(replied.failed.first().map(|failed| failed.kind), Some(kind), "{fault:?}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_a_network_error() {
    let rig = Rig::new([], [openai("from b")]).await.without_a().await;
    let replied = rig.ask(call()).await.unwrap();
    assert_eq!(replied.reply.response.content, "from b");
    assert!(replied.failed.iter().all(|failed| failed.kind == ErrorKind::Network), "{:?}", replied.failed);
}

#[tokio::test]
async fn a_fault_that_passes_costs_one_more_attempt() {
    let rig = Rig::new([anthropic("").failing(Fault::Reset), anthropic("from a")], [openai("from b")]).await;
    let replied = rig.ask(call()).await.unwrap();
    assert_eq!(replied.failed.len(), 1);
    assert_eq!(rig.a.requests().len() + rig.b.requests().len(), 2);
}

#[tokio::test]
async fn nobody_waits_beyond_the_deadline() {
    let silent = || [anthropic("").failing(Fault::Silence)];
    let rig = Rig::new(silent(), silent()).await;
    let begin = rig.world.tick();
    let deadline = begin.after(PATIENCE + PATIENCE / 2);
    let error = rig.ask(call().until(deadline)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    assert!(rig.world.tick() < deadline.after(PATIENCE / 4), "it took {:?}", rig.world.tick().since(begin));
}
