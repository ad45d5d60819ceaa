//! Levels and windows: the counters that a call draws on, and when they start anew.

use std::time::Duration;

use super::*;

/// Spends `tokens`, which have no price.
async fn spends(
    budget: &SpendBudget,
    context: &Arc<HookContext>,
    model: &str,
    tokens: u64,
) -> Result<(), String> {
    let size = CallSize::new(Arc::clone(context), model, tokens).replying_at_most(Some(0));
    let mut hold = budget.hold(&size, ReplyBound::Nothing).await.map_err(|refusal| refusal.to_string())?;
    hold.used(Used::tokens(usage(tokens, 0)));
    hold.end().await.map_err(|error| error.to_string())
}

fn tokens(limits: Value) -> (SpendBudget, Arc<FakeClock>) {
    let (store, clock) = memory();
    (SpendBudget::new(&serde_json::from_value(limits).unwrap(), store).unwrap(), clock)
}

#[tokio::test]
async fn a_window_begins_anew_and_a_call_belongs_to_the_one_it_began_in() {
    for (per, length) in [("hour", 3_600), ("day", 86_400), ("month", 31 * 86_400)] {
        let (budget, clock) = tokens(json!({ "limits": [{ "of": "team", "per": per, "tokens": 100 }] }));
        let context = context("s", "a");
        clock.advance(Duration::from_secs(length - 1));
        let size = CallSize::new(Arc::clone(&context), "m", 90).replying_at_most(Some(0));
        let mut hold = budget.hold(&size, ReplyBound::Nothing).await.unwrap();
        assert!(spends(&budget, &context, "m", 11).await.is_err());
        clock.advance(Duration::from_secs(1));
        // The next window is complete, whatever is open from the one before.
        assert_eq!(spends(&budget, &context, "m", 100).await, Ok(()), "{per}");
        hold.used(Used::tokens(usage(1_000, 0)));
        hold.end().await.unwrap();
        let line = &budget.report(&context).await.unwrap().budgets[0];
        assert_eq!((line.spent, line.left), (100, 0), "{per}");
        assert!(spends(&budget, &context, "m", 1).await.is_err());
    }
}

#[tokio::test]
async fn each_level_has_its_counters() {
    let (one, two) = (context("one", "Ripley"), context("two", "ash"));
    for (limit, goes_ahead) in [
        // Whether further calls pass after one of Ripley's on `m`: the same again; Ripley in capitals in
        // another session; Ash; another model.
        (json!({ "of": "team" }), [false, false, false, false]),
        (json!({ "of": "agent" }), [false, false, true, false]),
        (json!({ "of": "agent", "named": ["ASH"] }), [true, true, true, true]),
        (json!({ "of": "role", "named": ["crew"] }), [false, false, false, false]),
        (json!({ "of": "role", "named": ["science"] }), [true, true, true, true]),
        (json!({ "of": "session" }), [false, true, true, false]),
        (json!({ "of": "model" }), [false, false, false, true]),
        (json!({ "of": "model", "named": ["M"] }), [false, false, false, true]),
        (json!({ "of": "agent", "per": "session" }), [false, true, true, false]),
    ] {
        let mut limit = limit;
        limit["tokens"] = json!(10);
        if limit["per"].is_null() {
            limit["per"] = json!("always");
        }
        let config = json!({ "limits": [limit], "roles": { "crew": ["Ripley", "Ash"], "science": ["Ash"] } });
        let shouting = context("three", "RIPLEY");
        for (place, (context, model)) in
            [(&one, "m"), (&shouting, "m"), (&two, "m"), (&one, "n")].into_iter().enumerate()
        {
            let (budget, _) = tokens(config.clone());
            assert_eq!(spends(&budget, &one, "m", 10).await, Ok(()), "{limit}");
            let passes = spends(&budget, context, model, 1).await.is_ok();
            assert_eq!(passes, goes_ahead[place], "{limit} {place}");
        }
    }
}

#[tokio::test]
async fn tenants_are_apart_and_children_count_for_their_parents() {
    let (budget, _) = tokens(json!({ "limits": [{ "of": "team", "per": "day", "tokens": 10 }] }));
    let of = |tenant: &str| Arc::new(HookContext::clone(&context("s", "a")).for_tenant(tenant));
    assert_eq!(spends(&budget, &of("one"), "m", 10).await, Ok(()));
    assert!(spends(&budget, &of("one"), "m", 1).await.is_err());
    assert_eq!(spends(&budget, &of("two"), "m", 10).await, Ok(()));

    let (budget, _) = tokens(json!({ "limits": [{ "of": "session", "per": "session", "tokens": 10 }] }));
    let mut child = HookContext::clone(&context("child", "b"));
    child.parent_session_id = Some("parent".to_owned());
    assert_eq!(spends(&budget, &child.into(), "m", 8).await, Ok(()));
    let refused = spends(&budget, &context("parent", "a"), "m", 3).await.unwrap_err();
    assert_eq!(
        refused,
        "the budget of session `parent` is used up: 8 tokens of 10 tokens are charged, and this needs 3 tokens more"
    );
}

#[tokio::test]
async fn a_whole_tree_of_sessions_counts_for_its_root() {
    let below = |session: &str, parent: &str| {
        let mut context = HookContext::clone(&context(session, "a"));
        context.parent_session_id = Some(parent.to_owned());
        Arc::new(context)
    };
    for limit in [
        json!({ "of": "session", "per": "session", "tokens": 10 }),
        json!({ "of": "session", "named": ["root"], "per": "always", "tokens": 10 }),
        json!({ "of": "agent", "per": "session", "tokens": 10 }),
        json!({ "of": "team", "per": "session", "tokens": 10 }),
    ] {
        let (budget, _) = tokens(json!({ "limits": [limit] }));
        assert_eq!(spends(&budget, &below("child", "root"), "m", 4).await, Ok(()));
        assert_eq!(spends(&budget, &below("grandchild", "child"), "m", 4).await, Ok(()));
        // Also if it no longer names its parents.
        assert!(spends(&budget, &context("grandchild", "a"), "m", 3).await.is_err(), "{limit}");
        assert!(spends(&budget, &below("great", "grandchild"), "m", 3).await.is_err(), "{limit}");
        assert_eq!(spends(&budget, &below("great", "grandchild"), "m", 2).await, Ok(()));
        assert!(spends(&budget, &context("root", "a"), "m", 1).await.is_err(), "{limit}");
        assert_eq!(spends(&budget, &context("other", "a"), "m", 10).await, Ok(()), "{limit}");
    }
}

#[tokio::test]
async fn of_two_limits_on_one_counter_the_narrower_counts() {
    let (budget, _) = tokens(json!({ "limits": [
        { "of": "agent", "per": "day", "tokens": 100 },
        { "of": "agent", "named": ["a"], "per": "day", "tokens": 10 },
    ] }));
    assert_eq!(spends(&budget, &context("s", "a"), "m", 10).await, Ok(()));
    assert!(spends(&budget, &context("s", "a"), "m", 1).await.is_err());
    assert_eq!(spends(&budget, &context("s", "b"), "m", 100).await, Ok(()));
}

#[tokio::test]
async fn nothing_at_all_is_nothing_at_all() {
    let (budget, _) = tokens(json!({
        "limits": [{ "of": "team", "per": "day", "usd": 0 }],
        "prices": [{ "model": "dear", "input": 1, "output": 1 }, { "model": "free", "input": 0, "output": 0 }],
    }));
    assert!(spends(&budget, &context("s", "a"), "dear", 1).await.is_err());
    assert_eq!(spends(&budget, &context("s", "a"), "free", 1_000).await, Ok(()));
}

#[tokio::test]
async fn a_report_says_what_was_spent_on_what_and_what_is_left() {
    let (store, _) = memory();
    let budget = SpendBudget::new(&config(json!([{ "of": "team", "per": "day", "usd": 1 }])), store).unwrap();
    let context = context("s", "a");
    spends(&budget, &context, "large", 2_000).await.unwrap();
    spends(&budget, &context, "small", 5_000).await.unwrap();
    let size = CallSize::new(Arc::clone(&context), "small", 100).replying_at_most(Some(0));
    let _open = budget.hold(&size, ReplyBound::Nothing).await.unwrap();
    assert_eq!(
        budget.report(&context).await.unwrap().to_string(),
        "large: $0.002000\nsmall: $0.000500\nheld by calls that are not over: $0.000010\n\
         the team's budget on this day: $0.002500 of $1.000000, $0.000010 held, $0.997490 left"
    );
    let other = super::context("other", "a");
    assert_eq!(
        budget.report(&other).await.unwrap().to_string().lines().next(),
        Some("nothing was spent on models")
    );
}
