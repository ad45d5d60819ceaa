//! Random calls in random order: the counters never exceed a limit, and no reservation stays forever.

use proptest::prelude::*;

use super::*;

/// Step of a call with its hold.
#[derive(Clone, Debug)]
enum Step {
    Begin { input: u64, most: Option<u64>, bound: u8, agent: u8 },
    Grow { call: usize, to: u64 },
    Settle { call: usize, percent: u64 },
    Drop { call: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let call = 0..8usize;
    let begin = (0..20_000u64, proptest::option::of(1..20_000u64), 0..3u8, 0..3u8)
        .prop_map(|(input, most, bound, agent)| Step::Begin { input, most, bound, agent });
    let grow = (call.clone(), 0..50_000u64).prop_map(|(call, to)| Step::Grow { call, to });
    let settle = (call.clone(), 0..=100u64).prop_map(|(call, percent)| Step::Settle { call, percent });
    let steps =
        prop_oneof![4 => begin, 3 => grow, 3 => settle, 1 => call.prop_map(|call| Step::Drop { call })];
    proptest::collection::vec(steps, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_books_stay_within_the_limits(steps in steps(), usd in 0..500_000u64, tokens in 0..200_000u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            #[expect(clippy::cast_precision_loss, reason = "it is small")]
            let dollars = usd as f64 / 1e6;
            let limits = json!([
                { "of": "team", "per": "always", "usd": dollars },
                { "of": "agent", "per": "always", "tokens": tokens },
            ]);
            let (store, _) = memory();
            let budget = SpendBudget::new(&config(limits), store.clone()).unwrap();
            let mut open: Vec<SpendHold> = Vec::new();
            for step in steps {
                match step {
                    Step::Begin { input, most, bound, agent } => {
                        let context = context("s", &agent.to_string());
                        let size = CallSize::new(context, "large", input).replying_at_most(most);
                        let bound = [ReplyBound::Cut, ReplyBound::Told, ReplyBound::Nothing][usize::from(bound)];
                        open.extend(budget.hold(&size, bound).await.ok());
                    }
                    Step::Grow { call, to } => {
                        if let Some(hold) = open.get_mut(call) {
                            let grown = hold.grow(to).await.unwrap();
                            let before = hold.output_tokens();
                            hold.grown(&grown);
                            assert!(hold.output_tokens() >= before);
                            assert!(grown.refused.is_some() || hold.output_tokens() >= to);
                        }
                    }
                    Step::Settle { call, percent } => {
                        if call < open.len() {
                            let mut hold = open.remove(call);
                            let output = hold.output_tokens() * percent / 100;
                            hold.used(Used::tokens(usage(hold.input_tokens(), output)));
                            hold.end().await.unwrap();
                        }
                    }
                    Step::Drop { call } => {
                        if call < open.len() {
                            drop(open.remove(call));
                        }
                    }
                }
                let below = Key::new(None, &["spend", "of"]);
                let StepResult::Counters(counters) = store.apply(Op::Counters { below }).await.unwrap() else { panic!() };
                for counter in counters {
                    let limit = if counter.key.as_str().ends_with("/usd") { usd } else { tokens };
                    assert!(counter.used <= limit, "{counter:?} of {limit}");
                }
            }
            drop(open);
            assert_eq!(charged(&*store, "of").await.1, 0);
            assert_eq!(charged(&*store, "by-model").await.1, 0);
        });
    }
}
