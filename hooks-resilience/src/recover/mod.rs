//! Recovery for hosts with their own loop: hooks that return the next step.
//!
//! [`RecoverModel`] answers `error_occurred`, and [`RecoverSpawn`] answers `spawn_failed`. Both return a
//! [`Recovery`](hooks_core::Recovery): whether to try again, with which model, after how long, and why. They
//! use the same [`Treatments`](crate::Treatments), [`Chains`](crate::Chains) and [`Health`](crate::Health) as
//! the layers, through the same [`Plan`](crate::fallback::Plan).
//!
//! They remember nothing of a call; its history is the attempt number of the event. They update the health
//! record only with facts that hold for all calls: a wait that a provider stated for a model of the catalog
//! is respected, and a further attempt is taken from the retry budget. If a stack with the same health record
//! reports the failure ([`Governed::treating_by`](crate::Governed::treating_by)), they update neither,
//! because the stack does both.
//!
//! They report no results to breakers. Hooks receive failures but no successes. From failures alone, a
//! breaker would open after a few of them over any time, and would never learn that the model is well again.
//! Below a stack with [`Governed`](crate::Governed), which reports to its breaker itself, each failure would
//! count twice. A host that wants to use breakers calls [`Health::admit`](crate::Health::admit) before a
//! call, and reports the result to the permit.
//!
//! The kind of error is read from the event's type and text, by the [`Classifiers`](crate::Classifiers), to
//! which a host may add readers of its own ([`Advisor::classifying`]).
//!
//! ```
//! use hooks_core::event::{ErrorOccurred, ErrorType, SpawnFailed};
//! use hooks_core::{FailureLayer, HookContext, Hooks};
//! use hooks_resilience::{
//!     Advisor, Catalog, Chains, ChainsConfig, FallbackConfig, Health, HealthSettings, Model, RecoverModel,
//!     RecoverSpawn, Tier,
//! };
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("gpt", "openai", Tier::Premium),
//! ])?;
//! let chains = Chains::new(&catalog, &ChainsConfig::default())?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let advisor = Advisor::new(chains, health, FallbackConfig::default());
//! let hooks = Hooks::builder()
//!     .hook::<ErrorOccurred, _>(&FailureLayer::new("model"), RecoverModel::new(advisor.clone()))
//!     .hook::<SpawnFailed, _>(&FailureLayer::new("spawn"), RecoverSpawn::new(advisor))
//!     .build();
//! let hooks = hooks.on(HookContext::new("session-1", "lead"));
//!
//! let mut failure = ErrorOccurred::new("529 overloaded", ErrorType::Model);
//! failure.current_model = Some("opus".to_owned());
//! let recovery = hooks.error_occurred(failure).await;
//! assert_eq!(recovery.fallback_model.as_deref(), Some("gpt"));
//! assert_eq!(recovery.reasons[0].message, "overloaded at attempt 1: ask `gpt` at once");
//!
//! let mut failure = ErrorOccurred::new("400 `messages` is missing", ErrorType::Model);
//! failure.current_model = Some("opus".to_owned());
//! assert_eq!(hooks.error_occurred(failure).await.retry, Some(false), "every model would answer the same");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: a reader for the errors of the host's own gateway.
//!
//! ```
//! # use std::sync::Arc;
//! # use hooks_core::event::{ErrorOccurred, ErrorType};
//! # use hooks_core::{FailureLayer, HookContext, Hooks};
//! use hooks_resilience::classify::Finding;
//! use hooks_resilience::{Classifiers, ErrorKind};
//! # use hooks_resilience::{
//! #     Advisor, Catalog, Chains, ChainsConfig, FallbackConfig, Health, HealthSettings, Model,
//! #     RecoverModel, Tier,
//! # };
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let catalog = Catalog::new([
//! #     Model::new("opus", "anthropic", Tier::Premium),
//! #     Model::new("gpt", "openai", Tier::Premium),
//! # ])?;
//! # let chains = Chains::new(&catalog, &ChainsConfig::default())?;
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let classifiers = Classifiers::new(Arc::new(time.clone())).with(|reply| {
//!     let is_ours = reply.text().contains("GW-17");
//!     is_ours.then(|| Finding::new(ErrorKind::QuotaExhausted, "the team has used its credit"))
//! });
//! let advisor = Advisor::new(chains, health, FallbackConfig::default()).classifying(classifiers);
//! # let hook = RecoverModel::new(advisor);
//! # let hooks = Hooks::builder().hook::<ErrorOccurred, _>(&FailureLayer::new("model"), hook).build();
//! # let hooks = hooks.on(HookContext::new("session-1", "lead"));
//! # let mut failure = ErrorOccurred::new("GW-17", ErrorType::Model);
//! # failure.current_model = Some("opus".to_owned());
//! let recovery = hooks.error_occurred(failure).await;
//! assert_eq!(recovery.fallback_model.as_deref(), Some("gpt"));
//! assert_eq!(&*recovery.reasons[0].rule, "quota_exhausted");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod advice;
mod hooks;
#[cfg(test)]
mod tests;
mod text;

pub use self::advice::Advisor;
pub use self::hooks::{RecoverModel, RecoverSpawn};
#[cfg(test)]
pub(crate) use self::text::read_text;
