//! Calls that overlap: no two calls spend the same dollar.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{join, join_all};
use tower::{Layer, ServiceExt, service_fn};

use super::*;

/// A model whose calls cost ten cents, and that counts its real usage.
async fn overlapping(store: Arc<dyn StateStore>, calls: usize) -> (usize, u64) {
    let limits = json!([{ "of": "team", "per": "always", "usd": 1 }]);
    let mut config = config(limits);
    config.prices[0].most_output_tokens = Some(10_000);
    config.cheaper.clear();
    let budget = SpendBudget::new(&config, store).unwrap();
    let spent = Arc::new(AtomicU64::new(0));
    let model = service_fn(|_: ModelRequest| {
        let spent = Arc::clone(&spent);
        async move {
            tokio::task::yield_now().await;
            spent.fetch_add(100_000, Ordering::Relaxed);
            Ok::<_, Infallible>(reply(usage(0, 10_000)))
        }
    });
    let model = budget.layer(ModelMeter::new(context("s", "a"))).layer(model);
    let answers = join_all((0..calls).map(|_| model.clone().oneshot(asking("large")))).await;
    (answers.iter().filter(|answer| answer.is_ok()).count(), spent.load(Ordering::Relaxed))
}

#[tokio::test]
async fn a_hundred_calls_of_ten_cents_spend_one_dollar() {
    let (store, _) = memory();
    assert_eq!(overlapping(store.clone(), 100).await, (10, 1_000_000));
    assert_eq!(charged(&*store, "of").await, (1_000_000, 0));
    // The same with a slow store.
    let (store, _) = memory();
    assert_eq!(overlapping(Arc::new(Slow(store)), 100).await, (10, 1_000_000));
}

#[tokio::test]
async fn a_store_that_is_away_is_a_refusal() {
    assert_eq!(overlapping(Arc::new(Away), 3).await, (0, 0));
}

#[tokio::test]
async fn two_processes_share_one_budget() {
    let (store, _) = memory();
    let slow = || Arc::new(Slow(Arc::clone(&store))) as Arc<dyn StateStore>;
    let (one, other) = join(overlapping(slow(), 60), overlapping(slow(), 60)).await;
    assert_eq!(one.1 + other.1, 1_000_000);
}

/// Meter whose model can be limited to a shorter answer.
#[derive(Clone)]
struct Told(ModelMeter, Arc<AtomicU64>);

impl Meter<ModelRequest> for Told {
    fn size(&self, request: &ModelRequest) -> CallSize {
        self.0.size(request).replying_at_most(Some(64_000))
    }

    fn can_bound(&self) -> bool {
        true
    }

    fn reply_at_most(&self, _request: &mut ModelRequest, tokens: u64) {
        self.1.store(tokens, Ordering::Relaxed);
    }
}

impl MeterReply<ModelReply> for Told {
    fn used(&self, reply: &ModelReply) -> Used {
        self.0.used(reply)
    }
}

#[tokio::test]
async fn a_model_that_can_be_told_answers_what_is_left() {
    let (store, _) = memory();
    let config = config(json!([{ "of": "team", "per": "always", "usd": 0.1, "tokens": 9_000 }]));
    let budget =
        SpendBudget::new(&SpendBudgetConfig { cheaper: Default::default(), ..config }, store).unwrap();
    let told = Told(ModelMeter::new(context("s", "a")), Arc::default());
    let model = service_fn(|_: ModelRequest| async { Ok::<_, Infallible>(reply(usage(0, 2_000))) });
    let model = budget.layer(told.clone()).layer(model);
    model.clone().oneshot(asking("large")).await.unwrap();
    assert_eq!(told.1.load(Ordering::Relaxed), 9_000);
    model.clone().oneshot(asking("large")).await.unwrap();
    assert_eq!(told.1.load(Ordering::Relaxed), 7_000);
    model.clone().oneshot(asking("large")).await.unwrap();
    // Three thousand are left, and an answer should have four.
    let refused = model.oneshot(asking("large")).await.unwrap_err();
    assert!(refused.to_string().contains("6000 tokens of 9000 tokens"), "{refused}");
}

#[tokio::test]
async fn what_nobody_knows_the_price_of_is_refused_or_has_a_ceiling() {
    let (store, clock) = memory();
    let limits = json!([{ "of": "team", "per": "always", "usd": 1 }]);
    let hold = async |config: &SpendBudgetConfig, model| {
        let budget = SpendBudget::new(config, store.clone()).unwrap();
        let mut context = HookContext::clone(&context("s", "a"));
        context.environment.clock = clock.clone();
        let size = CallSize::new(context.into(), model, 1_000).replying_at_most(Some(1_000));
        match budget.hold(&size, ReplyBound::Nothing).await {
            Ok(hold) => {
                drop(hold);
                None
            }
            Err(refusal) => Some(refusal.to_string()),
        }
    };
    let mut config = config(limits);
    assert_eq!(hold(&config, "other").await.as_deref(), Some("the price of `other` is unknown"));
    config.price_ceiling = Some(PriceCeilingConfig { input: 1.0, output: 2_000.0 });
    let refused = hold(&config, "other").await.unwrap();
    assert!(refused.contains("this needs $2.001000 more"), "{refused}");
    config.price_ceiling = None;
    config.prices[0].from = Some("1970-01-02".to_owned());
    let refused = hold(&config, "large").await.unwrap();
    assert!(refused.contains("known from 1970-01-02T00:00:00.000Z on"), "{refused}");
    clock.advance(std::time::Duration::from_secs(86_400));
    assert_eq!(hold(&config, "large").await, None);
    // Without a limit on money, no price is needed.
    config.limits =
        serde_json::from_value(json!([{ "of": "team", "per": "always", "tokens": 5_000 }])).unwrap();
    assert_eq!(hold(&config, "other").await, None);
    config.hold.worst_case = true;
    config.hold.most_output_tokens = None;
    let size = CallSize::new(context("s", "a"), "small", 1);
    let budget = SpendBudget::new(&config, store.clone()).unwrap();
    let refused = budget.hold(&size, ReplyBound::Cut).await.unwrap_err().to_string();
    assert_eq!(refused, "the most tokens in an answer of `small` is unknown");
}
