//! The hooks of `error_occurred` and `spawn_failed`.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use hooks_core::event::{ErrorOccurred, SpawnFailed};
use hooks_core::{HookError, HookRequest, Recovery};
use tower_service::Service;

use super::advice::{Advisor, Failure};

/// Answers `error_occurred` with advice for failures of models; has no opinion on failures of tools.
#[derive(Clone, Debug)]
pub struct RecoverModel {
    advisor: Advisor,
}

/// Answers `spawn_failed` with advice: another model, a pause, or to give up.
///
/// ```
/// use hooks_core::event::{ErrorType, SpawnFailed};
/// use hooks_core::{FailureLayer, HookContext, Hooks};
/// use hooks_resilience::{Advisor, Chains, ChainsConfig, FallbackConfig, Health, RecoverSpawn};
/// # use hooks_resilience::{Catalog, HealthSettings, Model, Tier};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
/// # let catalog = Catalog::new([Model::new("haiku", "anthropic", Tier::Fast)])?;
/// # let chains = Chains::new(&catalog, &ChainsConfig::default())?;
/// # let health = Health::new(&catalog, HealthSettings::default(), world)?;
///
/// let advisor = Advisor::new(chains, health, FallbackConfig::default());
/// let hooks = Hooks::builder().hook(&FailureLayer::new("spawn"), RecoverSpawn::new(advisor)).build();
/// let mut failure = SpawnFailed::default();
/// failure.agent_name = "tester".to_owned();
/// failure.error = "429: try again in 20s".to_owned();
/// failure.error_type = ErrorType::Model;
/// failure.current_model = Some("haiku".to_owned());
/// failure.attempt = 1;
/// let recovery = hooks.on(HookContext::new("session-1", "lead")).spawn_failed(failure).await;
/// assert_eq!((recovery.retry, recovery.fallback_model), (Some(true), None), "no other model is configured");
/// assert!(recovery.backoff_ms >= Some(20_000), "the child waits as long as the provider states");
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecoverSpawn {
    advisor: Advisor,
}

impl RecoverModel {
    /// Creates a hook that answers with the advice of `advisor`.
    pub const fn new(advisor: Advisor) -> Self {
        Self { advisor }
    }
}

impl RecoverSpawn {
    /// Creates a hook that answers with the advice of `advisor`.
    pub const fn new(advisor: Advisor) -> Self {
        Self { advisor }
    }
}

impl Service<HookRequest<ErrorOccurred>> for RecoverModel {
    type Response = Recovery;
    type Error = HookError;
    type Future = Ready<Result<Recovery, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<ErrorOccurred>) -> Self::Future {
        let event = request.event();
        ready(Ok(self.advisor.advise(&Failure {
            policy: "model_recovery",
            text: &event.error,
            error_type: event.error_type,
            model: event.current_model.as_deref(),
            agent: &request.context().agent_name,
            attempt: event.attempt,
            tenant: request.context().tenant.as_deref(),
            by_stack: self.advisor.is_by_stack(request.context(), event),
        })))
    }
}

impl Service<HookRequest<SpawnFailed>> for RecoverSpawn {
    type Response = Recovery;
    type Error = HookError;
    type Future = Ready<Result<Recovery, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<SpawnFailed>) -> Self::Future {
        let event = request.event();
        ready(Ok(self.advisor.advise(&Failure {
            policy: "spawn_recovery",
            text: &event.error,
            error_type: event.error_type,
            model: event.current_model.as_deref(),
            agent: &event.agent_name,
            attempt: event.attempt,
            tenant: request.context().tenant.as_deref(),
            by_stack: false,
        })))
    }
}
