//! The hooks of all tenants as one provider.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::unknown;
use crate::context::HookContext;
use crate::event::{for_each_event, *};
use crate::failure::failed;
use crate::future::HookFuture;
use crate::outcome::{CompactOutcome, ContextPatch, Decision, Gate, PromptOutcome, Recovery, ResultPatch};
use crate::request::HookRequest;
use crate::set::{HooksProvider, Prepared};
use crate::verdict::Reason;

/// Name of the hook in the reasons of refusals.
const NAME: &str = "tenants";

/// The hooks of each tenant; see the [module](super) for an example.
///
/// To change the tenants, build another value and use [`Live::swap`](crate::Live::swap); calls in flight keep
/// the old value.
#[derive(Clone, Default)]
pub struct Tenants {
    by_name: BTreeMap<Arc<str>, Arc<dyn HooksProvider>>,
    without_name: Option<Arc<dyn HooksProvider>>,
}

impl Tenants {
    /// Sets the hooks of `tenant`; earlier hooks of this tenant are replaced.
    #[must_use]
    pub fn with(mut self, tenant: impl Into<Arc<str>>, hooks: impl HooksProvider + 'static) -> Self {
        self.by_name.insert(tenant.into(), Arc::new(hooks));
        self
    }

    /// Removes `tenant`: its requests are refused.
    #[must_use]
    pub fn without(mut self, tenant: &str) -> Self {
        self.by_name.remove(tenant);
        self
    }

    /// Sets the hooks of requests without a tenant. Without it, they are refused.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, Tenants};
    ///
    /// let request = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
    /// let tenants = Tenants::default();
    /// let refused = tenants.judge_pre_tool_use(&request);
    /// assert_eq!(
    ///     refused.shown_reason().expect("a denial has a reason").message,
    ///     "the hook is not available: the request names no tenant; set the tenant of its context"
    /// );
    /// assert!(!tenants.for_nobody(Hooks::default()).judge_pre_tool_use(&request).is_denied());
    /// ```
    #[must_use]
    pub fn for_nobody(mut self, hooks: impl HooksProvider + 'static) -> Self {
        self.without_name = Some(Arc::new(hooks));
        self
    }

    fn hooks_for(&self, context: &HookContext) -> Option<&dyn HooksProvider> {
        match &context.tenant {
            Some(tenant) => self.by_name.get(tenant.as_str()).map(|hooks| &**hooks),
            None => self.without_name.as_deref(),
        }
    }
}

fn refused<E: Event>(request: &HookRequest<E>) -> E::Outcome {
    let context = request.context();
    failed::<E>(context, Reason::failure(NAME, &unknown(context)), false)
}

macro_rules! tenants {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        impl HooksProvider for Tenants {
            $(
                fn $prepare(&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    match self.hooks_for(request.context()) {
                        Some(hooks) => hooks.$prepare(request),
                        // The judging stage refuses the request.
                        None => HookFuture::now(Prepared::unchanged(request)),
                    }
                }
                fn $judge(&self, request: &HookRequest<$DType>) -> $DOutcome {
                    match self.hooks_for(request.context()) {
                        Some(hooks) => hooks.$judge(request),
                        None => refused(request),
                    }
                }
                fn $reserve(&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    match self.hooks_for(request.context()) {
                        Some(hooks) => hooks.$reserve(request),
                        None => HookFuture::now(refused(&request)),
                    }
                }
                fn $observe(&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {
                    if let Some(hooks) = self.hooks_for(request.context()) {
                        hooks.$observe(request, outcome);
                    }
                }
            )*
            $(
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    match self.hooks_for(request.context()) {
                        Some(hooks) => hooks.$iname(request),
                        None => HookFuture::now(refused(&request)),
                    }
                }
            )*
        }
    };
}
for_each_event!(tenants);

impl std::fmt::Debug for Tenants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tenants").field("tenants", &self.by_name.keys()).finish_non_exhaustive()
    }
}
