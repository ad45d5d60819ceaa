//! Calls that are dropped, at each await.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};

use tower::{Layer, ServiceExt, service_fn};

use super::*;

#[tokio::test]
async fn whoever_gives_up_pays_what_was_sent_and_no_more_than_is_said() {
    for unanswered in [UnansweredCharge::Nothing, UnansweredCharge::Input, UnansweredCharge::Held] {
        let (store, _) = memory();
        let mut config = config(json!([{ "of": "team", "per": "always", "usd": 10, "tokens": 1_000_000 }]));
        config.hold.unanswered = unanswered;
        config.thresholds.warn = 0;
        let budget = SpendBudget::new(&config, Arc::new(Slow(Arc::clone(&store)))).unwrap();
        let called = Arc::new(AtomicU64::new(0));
        let mut expected = 0;
        for polls in 0.. {
            let model = service_fn(|_: ModelRequest| {
                called.fetch_add(1, Ordering::Relaxed);
                async {
                    tokio::task::yield_now().await;
                    Ok::<_, Infallible>(reply(usage(0, 1_000)))
                }
            });
            let model = budget.layer(ModelMeter::new(context("s", "a"))).layer(model);
            let before = called.load(Ordering::Relaxed);
            let is_over = {
                // Nine tokens are sent.
                let messages = vec![Message::text(Role::User, "yes")];
                let mut call = pin!(model.oneshot(ModelRequest { messages, ..asking("large") }));
                let mut cx = Context::from_waker(Waker::noop());
                (0..polls).any(|_| call.as_mut().poll(&mut cx).is_ready())
            };
            quiet().await;
            let is_called = called.load(Ordering::Relaxed) > before;
            let (used, held) = charged(&*store, "of").await;
            assert_eq!(held, 0, "after {polls} polls");
            // Ten millionths and one token for each token received or reserved.
            let cost = used - expected;
            match unanswered {
                _ if cost == 11_000 => assert!(is_called),
                UnansweredCharge::Held if is_called => assert_eq!(cost, 44_018, "after {polls} polls"),
                UnansweredCharge::Input if is_called => assert_eq!(cost, 18, "after {polls} polls"),
                _ => assert_eq!(cost, 0, "after {polls} polls"),
            }
            expected = used;
            if is_over {
                assert!(polls > 10, "there are many ways to give up: {polls}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn where_nothing_runs_in_the_background_it_is_charged_when_it_expires() {
    let (store, clock) = memory();
    let budget = config(json!([{ "of": "team", "per": "always", "usd": 10 }]));
    let budget = SpendBudget::new(&budget, Arc::new(Slow(Arc::clone(&store)))).unwrap();
    let mut context = HookContext::clone(&context("s", "a"));
    context.environment.background = None;
    let size = CallSize::new(context.into(), "large", 0).replying_at_most(Some(100));
    drop(budget.hold(&size, ReplyBound::Nothing).await.unwrap());
    quiet().await;
    assert_eq!(charged(&*store, "of").await, (1_000, 1_000));
    clock.advance(std::time::Duration::from_secs(900));
    assert_eq!(charged(&*store, "of").await, (1_000, 0));
}
