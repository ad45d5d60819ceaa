//! Combines hooks with a stack, inside or outside of it.
//!
//! * [`Governed`] stands innermost: **each attempt** passes the hooks. If a policy denies a model, the chain
//!   goes on to the next one, which is judged anew. A budget counts every attempt, and the recovery that
//!   hooks propose after a failure narrows the reactions of the layers. So a fallback cannot circumvent a
//!   policy. [`GovernAttempt`] does the same for a client that takes a [`Call`](crate::Call), as the clients of
//!   `hooks.yaml`'s models do.
//! * [`Resilient`] stands outermost: it turns a stack into a plain model, for a host that puts hooks **around
//!   the whole call** (`GovernModel::new(hooks, Resilient::new(stack, world))`), or uses no hooks at all.
//!   These hooks see one call, however many attempts it took.
//!
//! ```
//! use hooks_core::drivers::{GovernModel, ModelRequest};
//! use hooks_core::event::BeforeModelCall;
//! use hooks_core::testing::ScriptedModel;
//! use hooks_core::{HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use hooks_resilience::{
//!     AttemptLayer, AttemptConfig, Call, Catalog, Chains, ChainsConfig, Classified, ErrorKind,
//!     FallbackLayer, FallbackConfig, Governed, Health, HealthSettings, Model, Tier,
//! };
//! use tower::{ServiceBuilder, ServiceExt};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let rule = policy_fn("region", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
//!     "opus" => Verdict::deny(Reason::new("region", "model", "`opus` is not offered in this region")),
//!     _ => Verdict::NO_OPINION,
//! });
//! let client = ScriptedModel::saying(["hello"]);
//! let governed = GovernModel::new(Hooks::builder().policy(rule).build(), client.clone());
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("gpt", "openai", Tier::Premium),
//! ])?;
//! let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
//! let health = Health::new(&catalog, HealthSettings::default(), world.clone())?;
//! let stack = ServiceBuilder::new()
//!     .layer(FallbackLayer::new(chains, health, FallbackConfig::default())?)
//!     .layer(AttemptLayer::new(world, AttemptConfig::default(), Classified)?)
//!     .service(Governed::new(governed));
//!
//! let call = Call::new(Default::default(), ModelRequest::default(), hooks_core::state::OpId(1));
//! let answered = stack.oneshot(call).await?;
//! assert_eq!(answered.failed[0].kind, ErrorKind::Stopped);
//! assert_eq!(answered.reply.response.content, "hello");
//! assert_eq!(client.calls()[0].model, "gpt", "the client never saw a call of `opus`");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: the hooks stand around the whole call, and see one failure however many attempts were made.
//!
//! ```
//! use hooks_core::drivers::{GovernModel, ModelCall, ModelOutcome};
//! use hooks_core::testing::Recorder;
//! use hooks_core::EventKind;
//! use hooks_resilience::Resilient;
//! # use hooks_core::event::ModelReply;
//! # use hooks_resilience::{
//! #     Replied, Call, Catalog, ErrorKind, Health, HealthSettings, ModelError, RetryLayer, RetryConfig,
//! # };
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let health = Health::new(&Catalog::default(), HealthSettings::default(), world.clone())?;
//! # let client = service_fn(async |_: Call| {
//! #     Err::<Replied<ModelReply>, _>(ModelError::new(ErrorKind::Network, "connection reset"))
//! # });
//! let stack = RetryLayer::new(health, RetryConfig::default())?.layer(client);
//! let recorder = Recorder::default();
//! let model = GovernModel::new(recorder.clone(), Resilient::new(stack, world)).describing(ModelError::describe);
//!
//! let outcome = model.oneshot(ModelCall { context: Default::default(), request: Default::default() }).await?;
//! assert!(matches!(outcome, ModelOutcome::Failed(..)));
//! let errors = recorder.kinds().into_iter().filter(|kind| *kind == EventKind::ErrorOccurred);
//! assert_eq!(errors.count(), 1);
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod attempt;
mod governed;
mod resilient;

#[cfg(test)]
mod tests;

pub use self::attempt::{GovernAttempt, GovernAttemptLayer};
pub use self::governed::{Governed, GovernedFuture};
pub use self::resilient::{Resilient, ResilientFuture};
