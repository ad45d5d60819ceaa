use serde_json::json;
use tower::{ServiceBuilder, ServiceExt};

use super::{TenantLayer, Tenants};
use crate::event::{PreToolUse, SessionStart, Stop};
use crate::{
    FailureLayer, HookContext, HookRequest, Hooks, Judge, Judged, Live, PolicyLayer, Reason, Settle, Verdict,
    policy_fn,
};

fn request(tenant: Option<&str>) -> HookRequest<PreToolUse> {
    let context = HookContext { tenant: tenant.map(str::to_owned), ..HookContext::default() };
    HookRequest::new(context, PreToolUse::new("bash", json!({})))
}

fn says(word: &'static str) -> impl crate::Policy<PreToolUse> + Clone + 'static {
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
