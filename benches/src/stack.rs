//! Cost of a static stack.

use hooks_core::event::PreToolUse;
use hooks_core::testing::PendingOnce;
use hooks_core::{
    HookError, HookRequest, Judge, Policy, PolicyLayer, Settle, Transform, TransformLayer, Verdict,
};
use tower::ServiceBuilder;
use tower_service::Service;

use crate::call::{FIVE, FIVE_DENYING, finish, request};
use crate::{Bar, Case};

/// Clones the request, calls the service, and polls the future to its end.
pub fn cases() -> Vec<Case> {
    let [a, b, c, d, e] = FIVE;
    let five = (a, b, c, d, e);
    let pass = || PolicyLayer::new(Nothing);
    let ten_policies = ServiceBuilder::new()
        .layer((pass(), pass(), pass(), pass(), pass()))
        .layer((pass(), pass(), pass(), pass(), pass()))
        .service(PendingOnce(Settle));
    let keep = || TransformLayer::new(Nothing);
    let ten_transforms = ServiceBuilder::new()
        .layer((keep(), keep(), keep(), keep(), keep()))
        .layer((keep(), keep(), keep(), keep(), keep()))
        .service(PendingOnce(Settle));
    let reference = request();
    let boxed: Vec<Box<dyn Policy<PreToolUse>>> =
        FIVE.into_iter().map(|policy| Box::new(policy) as _).collect();
    let boxed_reference = request();
    vec![
        called("stack/leaf that pends once", PendingOnce(Settle)).allocating(0),
        called("stack/ten no-op policies, leaf pends once", ten_policies)
            .at_most(Bar::Nanoseconds(50.0))
            .allocating(0),
        called("stack/ten no-op transforms, leaf pends once", ten_transforms)
            .at_most(Bar::Nanoseconds(50.0))
            .allocating(0),
        called("stack/five policies in one leaf, allow", Judge::new(five)).allocating(0),
        called("stack/five policies in one leaf, deny", Judge::new(FIVE_DENYING)),
        Case::new("stack/five policies by reference, allow", move || five.judge(&reference))
            .at_most(Bar::Nanoseconds(60.0))
            .allocating(0),
        Case::new("stack/five boxed policies by reference, allow", move || boxed.judge(&boxed_reference))
            .at_most(Bar::Nanoseconds(60.0))
            .allocating(0),
    ]
}

fn called<S>(name: &'static str, mut stack: S) -> Case
where
    S: Service<HookRequest<PreToolUse>, Error = HookError> + 'static,
{
    let request = request();
    Case::new(name, move || finish(stack.call(request.clone())))
}

/// A policy and a transform that do nothing.
#[derive(Clone, Copy, Debug)]
struct Nothing;

impl Policy<PreToolUse> for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    #[inline]
    fn judge(&self, _request: &HookRequest<PreToolUse>) -> Verdict {
        Verdict::NO_OPINION
    }
}

impl Transform<PreToolUse> for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    #[inline]
    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<serde_json::Value>, HookError> {
        Ok(None)
    }
}
