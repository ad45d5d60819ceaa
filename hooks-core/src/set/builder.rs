//! Builds a set of hooks.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::close::Close;
use super::hooks::{Extensions, Hooks, Inner, Slots};
use super::provider::{DecidingEvent, InformingEvent};
use crate::failure::FailureLayer;
use crate::hook::{BoxHook, Hook};
use crate::observer::Observer;
use crate::policy::Policy;
use crate::reserve::Reserve;
use crate::shadow::Shadow;
use crate::tenant::Selection;
use crate::transform::Transform;

/// A configuration that adds hooks to a set, such as that of a crate of policies.
///
/// ```
/// use hooks_core::event::UserPromptSubmitted;
/// use hooks_core::{EventKind, HookRequest, Hooks, HooksBuilder, HooksConfig, Reason, Verdict, policy_fn};
///
/// struct LongestPrompt(usize);
///
/// impl HooksConfig for LongestPrompt {
///     type Error = String;
///
///     fn add_to(self, builder: &mut HooksBuilder) -> Result<(), String> {
///         let Self(limit) = self;
///         if limit == 0 {
///             return Err("a limit of 0 refuses every prompt; write 1 or more".to_owned());
///         }
///         builder.add_policy(policy_fn("longest-prompt", move |request: &HookRequest<UserPromptSubmitted>| {
///             match request.event().prompt.len() > limit {
///                 true => Verdict::deny(Reason::new("longest-prompt", "limit", "the prompt is too long")),
///                 false => Verdict::NO_OPINION,
///             }
///         }));
///         Ok(())
///     }
/// }
///
/// assert_eq!(Hooks::from_policy(LongestPrompt(80))?.hooked(), [EventKind::UserPromptSubmitted]);
/// assert!(Hooks::from_policy(LongestPrompt(0)).is_err());
/// # Ok::<(), String>(())
/// ```
pub trait HooksConfig {
    /// Error for a configuration that cannot be built.
    type Error;

    /// Adds the hooks of the configuration.
    ///
    /// # Errors
    /// Returns an error if the configuration is invalid. Errors are found here, at load time, never when a
    /// hook is called.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Self::Error>;
}

/// Collects hooks by event. Hooks of the same event keep the order in which they were added.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{EventKind, HookContext, HookRequest, Hooks, Judged, Reason, Verdict, policy_fn};
///
/// let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
///     "bash" => Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell")),
///     _ => Verdict::NO_OPINION,
/// });
/// let hooks = Hooks::builder().policy(no_shell).build();
/// assert_eq!(hooks.hooked(), [EventKind::PreToolUse]);
///
/// # futures_util::FutureExt::now_or_never(async {
/// let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
/// let decision = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call).await;
/// assert!(decision.outcome.is_denied());
/// # }).expect("no hook waits");
/// ```
#[derive(Default)]
pub struct HooksBuilder {
    slots: Slots,
    extensions: Extensions,
    closing: Vec<Arc<dyn Close>>,
}

impl HooksBuilder {
    pub(super) fn from_inner(inner: Inner) -> Self {
        Self { slots: inner.slots, extensions: inner.extensions, closing: inner.closing }
    }

    /// Adds a policy.
    #[must_use]
    pub fn policy<E: DecidingEvent>(mut self, policy: impl Policy<E> + 'static) -> Self {
        self.add_policy(policy);
        self
    }

    /// Adds a transform.
    #[must_use]
    pub fn transform<E: DecidingEvent>(mut self, transform: impl Transform<E> + 'static) -> Self {
        self.add_transform(transform);
        self
    }

    /// Adds a limit or budget.
    #[must_use]
    pub fn reserve<E: DecidingEvent>(mut self, reserve: impl Reserve<E> + 'static) -> Self {
        self.add_reserve(reserve);
        self
    }

    /// Adds a stack of layers for an event that can be denied, guarded by `guard`. The type of the stack is
    /// boxed here, once.
    #[must_use]
    pub fn stack<E, S>(mut self, guard: &FailureLayer, stack: S) -> Self
    where
        E: DecidingEvent,
        S: Hook<E, Future: Send> + Clone + Send + Sync + 'static,
    {
        E::slot_mut(&mut self.slots).stacks.push(BoxHook::new(stack, guard));
        self
    }

    /// Adds a hook for an event that informs, guarded by `guard`.
    #[must_use]
    pub fn hook<E, S>(mut self, guard: &FailureLayer, hook: S) -> Self
    where
        E: InformingEvent,
        S: Hook<E, Future: Send> + Clone + Send + Sync + 'static,
    {
        E::slot_mut(&mut self.slots).stacks.push(BoxHook::new(hook, guard));
        self
    }

    /// Adds an observer for an event that can be denied.
    #[must_use]
    pub fn observer<E: DecidingEvent>(mut self, observer: impl Observer<E> + 'static) -> Self {
        E::slot_mut(&mut self.slots).observers.push(Arc::new(observer));
        self
    }

    /// Adds an observer for an event that informs.
    #[must_use]
    pub fn listener<E: InformingEvent>(mut self, observer: impl Observer<E> + 'static) -> Self {
        E::slot_mut(&mut self.slots).observers.push(Arc::new(observer));
        self
    }

    /// Adds the hooks of a configuration.
    ///
    /// # Errors
    /// Returns the error of the configuration if it cannot be built.
    pub fn config<C: HooksConfig>(mut self, config: C) -> Result<Self, C::Error> {
        config.add_to(&mut self)?;
        Ok(self)
    }

    /// Adds a policy, in place.
    pub fn add_policy<E: DecidingEvent>(&mut self, policy: impl Policy<E> + 'static) {
        E::slot_mut(&mut self.slots).policies.push(Arc::new(policy));
    }

    /// Adds a transform, in place.
    pub fn add_transform<E: DecidingEvent>(&mut self, transform: impl Transform<E> + 'static) {
        E::slot_mut(&mut self.slots).transforms.push(Arc::new(transform));
    }

    /// Adds a limit or budget, in place.
    pub fn add_reserve<E: DecidingEvent>(&mut self, reserve: impl Reserve<E> + 'static) {
        E::slot_mut(&mut self.slots).reserves.push(Arc::new(reserve));
    }

    /// Adds the hooks of `inner`, which are asked only about events of `tenant`. They can only restrict what the
    /// other hooks allow. With `has_unnamed`, events without a tenant belong to it too.
    ///
    /// The set closes what `inner` has to close. Extensions of `inner` are left out: a set has one of each type.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, Reason, Verdict, policy_fn};
    ///
    /// let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
    ///     Verdict::deny(Reason::new("no-shell", "any", "no shell for this customer"))
    /// });
    /// let mut builder = Hooks::builder();
    /// builder.add_for_tenant("acme", false, Hooks::builder().policy(no_shell));
    /// let hooks = builder.build();
    /// let call = |tenant| {
    ///     let context = HookContext::new("session-1", "backend").for_tenant(tenant);
    ///     HookRequest::new(context, PreToolUse::new("bash", serde_json::json!({"command": "ls"})))
    /// };
    /// assert!(hooks.judge_pre_tool_use(&call("acme")).is_denied());
    /// assert!(!hooks.judge_pre_tool_use(&call("globex")).is_denied());
    /// ```
    pub fn add_for_tenant(&mut self, tenant: impl Into<Arc<str>>, has_unnamed: bool, inner: Self) {
        let Self { slots, extensions: _, closing } = inner;
        self.slots.add_selected(&Selection { tenant: tenant.into(), has_unnamed }, slots);
        self.closing.extend(closing);
    }

    /// Adds the hooks of `inner` in the [shadow](crate::shadow): what they would have answered is noted, and changes
    /// no answer. Extensions of `inner` that the set has none of are kept.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, Reason, Shadow, Strength, Verdict, policy_fn};
    ///
    /// let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
    ///     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
    /// });
    /// let mut builder = Hooks::builder();
    /// builder.add_in_shadow(Shadow::default(), Hooks::builder().policy(no_shell));
    /// let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
    /// let outcome = builder.build().judge_pre_tool_use(&HookRequest::new(HookContext::new("s", "backend"), call));
    /// assert_eq!((outcome.strength(), outcome.shown_reason()), (Strength::NoOpinion, None));
    /// assert_eq!(outcome.reasons()[0].would, Some(Strength::Deny));
    /// ```
    pub fn add_in_shadow(&mut self, shadow: Shadow, inner: Self) {
        let Self { slots, extensions, closing } = inner;
        self.slots.add_in_shadow(shadow, slots);
        for (id, value) in extensions {
            self.extensions.entry(id).or_insert(value);
        }
        self.closing.extend(closing);
    }

    /// Adds the hooks of `inner`, as they are. Extensions of `inner` are left out: a set has one of each type.
    pub fn add_all(&mut self, inner: Self) {
        let Self { slots, extensions: _, closing } = inner;
        self.slots.add(slots);
        self.closing.extend(closing);
    }

    /// Adds the hooks of `inner`, and its extensions, which replace those of the same type.
    pub fn add_with_extensions(&mut self, inner: Self) {
        let Self { slots, extensions, closing } = inner;
        self.slots.add(slots);
        self.extensions.extend(extensions);
        self.closing.extend(closing);
    }

    /// Adds a value that the built set returns by its type. A value of the same type is replaced.
    pub fn add_extension<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        self.extensions.insert(TypeId::of::<T>(), value);
    }

    /// Adds a resource that [`Hooks::close`] closes, after those that were added before.
    pub fn add_close(&mut self, close: impl Close + 'static) {
        self.closing.push(Arc::new(close));
    }

    /// Builds the set.
    pub fn build(self) -> Hooks {
        let Self { slots, extensions, closing } = self;
        Hooks::from_inner(Inner { slots, extensions, closing })
    }
}

impl fmt::Debug for HooksBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HooksBuilder").field("hooked", &self.slots.hooked()).finish_non_exhaustive()
    }
}
