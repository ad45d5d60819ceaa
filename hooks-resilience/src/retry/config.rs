//! Settings of retries with the same model.

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// Settings of retries with the same model. The [`Treatments`](crate::Treatments) define how often each kind
/// of error is retried.
///
/// A wait that the provider states comes before the pause. If it is longer than the treatment allows, the
/// error is returned at once, with the time from which the model may be called.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::{Clock, Tick};
/// use hooks_resilience::{
///     Replied, Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, RetryLayer,
///     RetryConfig, Tier,
/// };
/// use tower::{Layer, ServiceExt, service_fn};
/// # fn call_to(model: &std::sync::Arc<hooks_resilience::Model>) -> hooks_resilience::Call {
/// #     let id = hooks_core::state::OpId(1);
/// #     let mut call = hooks_resilience::Call::new(Default::default(), Default::default(), id);
/// #     call.model = Some(std::sync::Arc::clone(model));
/// #     call
/// # }
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
/// # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
/// # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
/// # let health = Health::new(&catalog, HealthSettings::default(), world)?;
///
/// let client = service_fn(async |_: Call| {
///     let error = ModelError::new(ErrorKind::RateLimited, "slow down");
///     Err::<Replied<()>, _>(error.with_retry_after(Duration::from_secs(20)))
/// });
/// let stack = RetryLayer::new(health, RetryConfig::default())?.layer(client);
/// let error = stack.oneshot(call_to(opus)).await.expect_err("eight seconds are the longest wait by default");
/// assert_eq!(error.ready_at(), Some(Tick(Duration::from_secs(20))));
/// assert_eq!(time.tick(), Tick::default(), "the layer did not wait");
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Most attempts with one model, whatever a treatment allows.
    pub max_attempts: u32,
}

impl Default for RetryConfig {
    /// Five attempts. Default treatments make at most three, as the SRE book recommends, unless a provider states
    /// a short wait: then this limit counts.
    fn default() -> Self {
        Self { backoff: Backoff::default(), max_attempts: 5 }
    }
}

impl RetryConfig {
    /// Sets the pauses between attempts.
    #[must_use]
    pub const fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets the most attempts.
    #[must_use]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.max_attempts == 0 {
            return Err(SettingsError::Zero("retry.max_attempts"));
        }
        if self.backoff.cap < self.backoff.base {
            return Err(SettingsError::Order("retry.backoff.cap", "retry.backoff.base"));
        }
        Ok(())
    }
}
