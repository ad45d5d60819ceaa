use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tower::{ServiceBuilder, ServiceExt};

use super::{TenantLayer, Tenants};
use crate::event::{PreToolUse, SessionStart, Stop};
use crate::{
    Decision, Ending, FailureLayer, HookContext, HookError, HookFuture, HookRequest, Hooks, Judge, Judged,
    Live, Observer, Policy, PolicyLayer, Reason, Reservation, Reserve, Settle, Transform, Verdict, conclude,
    hook_fn, policy_fn,
};

fn request(tenant: Option<&str>) -> HookRequest<PreToolUse> {
    let context = HookContext { tenant: tenant.map(str::to_owned), ..HookContext::default() };
    HookRequest::new(context, PreToolUse::new("bash", json!({})))
}

fn says(word: &'static str) -> impl Policy<PreToolUse> + Clone + 'static {
    policy_fn(word, move |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new(word, "any", word)))
}

#[tokio::test]
async fn each_tenant_has_its_own_hooks() {
    let tenants = Tenants::default()
        .with("acme", Hooks::builder().policy(says("acme")).build())
        .with("initech", Hooks::default());
    let live = Live::new(tenants.clone());
    let policy_of = async |tenant| {
        let outcome = live.decide(request(tenant)).await.outcome;
        outcome.shown_reason().map(|reason| reason.policy.to_string())
    };
    assert_eq!(policy_of(Some("acme")).await.as_deref(), Some("acme"));
    assert_eq!(policy_of(Some("initech")).await, None);
    for nobody in [Some("Acme"), Some(""), None] {
        assert_eq!(policy_of(nobody).await.as_deref(), Some("tenants"), "{nobody:?}");
    }
    live.swap(tenants.without("acme").for_nobody(Hooks::default()));
    assert_eq!(policy_of(Some("acme")).await.as_deref(), Some("tenants"));
    assert_eq!(policy_of(None).await, None);
}

/// Counts the calls of every kind of hook.
#[derive(Clone, Default)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn count(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Policy<PreToolUse> for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn judge(&self, _request: &HookRequest<PreToolUse>) -> Verdict {
        self.count();
        Verdict::NO_OPINION
    }
}

impl Transform<PreToolUse> for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<serde_json::Value>, HookError> {
        self.count();
        Ok(None)
    }
}

impl Reserve<PreToolUse> for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn reserve(
        &self,
        _request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        self.count();
        HookFuture::now(Ok(Reservation::NotNeeded))
    }
}

impl Observer<PreToolUse> for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn observe(&self, _request: &HookRequest<PreToolUse>, _outcome: &Decision<PreToolUse>) {
        self.count();
    }
}

#[tokio::test]
async fn hooks_of_one_tenant_are_asked_about_its_events_only() {
    for (has_unnamed, wanted) in [(false, [5, 0, 0]), (true, [5, 0, 5])] {
        let counted = Counted::default();
        let waiting = counted.clone();
        let stack = hook_fn(move |_: HookRequest<PreToolUse>| {
            waiting.count();
            async { Ok::<_, HookError>(Decision::default()) }
        });
        let inner = Hooks::builder()
            .policy::<PreToolUse>(counted.clone())
            .transform::<PreToolUse>(counted.clone())
            .reserve::<PreToolUse>(counted.clone())
            .observer::<PreToolUse>(counted.clone())
            .stack(&FailureLayer::new("counted"), stack);
        let mut builder = Hooks::builder();
        builder.add_for_tenant("acme", has_unnamed, inner);
        let hooks = builder.build();
        for (tenant, wanted) in [Some("acme"), Some("globex"), None].into_iter().zip(wanted) {
            counted.0.store(0, Ordering::Relaxed);
            drop(conclude(&hooks, request(tenant), Ending::Open).await);
            assert_eq!(counted.0.load(Ordering::Relaxed), wanted, "{tenant:?} {has_unnamed}");
        }
    }
}

#[tokio::test]
async fn what_informs_is_refused_as_its_kind_fails() {
    let live = Live::new(Tenants::default());
    let context = || HookContext::new("s", "a").for_tenant("nobody");
    // A session starts without context; no agent is kept from stopping.
    let patch = live.tell(HookRequest::new(context(), SessionStart::default())).await;
    assert!(patch.additional_context.is_empty());
    let _gate = live.decide(HookRequest::new(context(), Stop::new("done"))).await;
}

#[tokio::test]
async fn a_layer_for_each_tenant_picks_by_request() {
    let layer = TenantLayer::new()
        .with("acme", PolicyLayer::new(says("acme")))
        .with("initech", PolicyLayer::new(says("initech")));
    let stack = ServiceBuilder::new().layer(FailureLayer::new("tenants")).layer(layer).service(Settle);
    for (tenant, policy) in [("acme", "acme"), ("initech", "initech"), ("nobody", "tenants")] {
        let outcome = stack.clone().oneshot(request(Some(tenant))).await.unwrap();
        assert!(outcome.is_denied());
        assert_eq!(outcome.shown_reason().unwrap().policy, policy);
    }
    let _also_in_front_of_policies = ServiceBuilder::new()
        .layer(TenantLayer::new().for_nobody(PolicyLayer::new(says("x"))))
        .service(Judge::new(says("y")));
}
