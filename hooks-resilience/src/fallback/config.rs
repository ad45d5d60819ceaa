//! Limits of attempts and waits for one call.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// Limits of attempts and waits for one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FallbackConfig {
    /// Most attempts of one call, with all models together.
    pub max_attempts: u32,
    /// Pauses before a model that failed is called again.
    pub backoff: Backoff,
    /// Longest time for which one call may be parked, all waits together.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub max_park: Duration,
    /// Most calls that are parked at a time; a further call fails at once because no model is ready.
    pub max_parked: usize,
    /// Time for which calls stay with another model after a failover to it, or if it answered faster than the
    /// first. If absent, each call prefers the first model of its chain as soon as that is ready again.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub stay: Option<Duration>,
}

impl Default for FallbackConfig {
    /// The values that pass the gates of our simulator (`cargo xtask storm`). A total outage of half a minute
    /// used up twelve attempts. A brown-out in which all models answer one call in five used up twice as
    /// many. These attempts are enough for ten minutes of it, with the pauses of a plan between them. Parking
    /// lowers the avoidable failures of a bad day from 0.8 % to zero. The most parked calls
    /// are more than a process of agents usually has in flight; each holds its conversation.
    fn default() -> Self {
        Self {
            max_attempts: 64,
            backoff: Backoff::default(),
            max_park: Duration::from_secs(10 * 60),
            max_parked: 1_024,
            stay: None,
        }
    }
}

impl FallbackConfig {
    /// Sets the most attempts of one call.
    #[must_use]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the longest time for which a call is parked; zero disables parking.
    #[must_use]
    pub const fn with_max_park(mut self, park: Duration) -> Self {
        self.max_park = park;
        self
    }

    /// Sets the most calls that are parked at a time.
    #[must_use]
    pub const fn with_max_parked(mut self, calls: usize) -> Self {
        self.max_parked = calls;
        self
    }

    /// Sets the pauses before a model is called again.
    #[must_use]
    pub const fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Stays with the other model for `stay` after a failover.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_resilience::{
    ///     Replied, Call, Catalog, Chains, ChainsConfig, ErrorKind, FallbackLayer, FallbackConfig, Health,
    ///     HealthSettings, Model, ModelError, Tier,
    /// };
    /// # use std::sync::{Arc, Mutex};
    /// # use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let catalog = Catalog::new([
    /// #     Model::new("opus", "anthropic", Tier::Premium),
    /// #     Model::new("gpt", "openai", Tier::Premium),
    /// # ])?;
    /// # let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
    /// # let health = Health::new(&catalog, HealthSettings::default(), world)?;
    /// # let call = || Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
    /// # let called = Arc::new(Mutex::new(Vec::new()));
    /// # let log = Arc::clone(&called);
    ///
    /// let settings = FallbackConfig::default().staying(Duration::from_secs(600));
    /// // `opus` fails at its first call only.
    /// let client = service_fn(move |call: Call| {
    ///     let mut log = log.lock().expect("no holder panics");
    ///     log.push(call.model_name().to_owned());
    ///     std::future::ready(match log.len() {
    ///         1 => Err(ModelError::new(ErrorKind::Overloaded, "come back later")),
    ///         _ => Ok(Replied::new(call, "yes")),
    ///     })
    /// });
    /// let stack = FallbackLayer::new(chains, health, settings)?.layer(client);
    /// for _ in 0..2 {
    ///     stack.clone().oneshot(call()).await?;
    /// }
    /// assert_eq!(*called.lock().expect("no holder panics"), ["opus", "gpt", "gpt"]);
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    #[must_use]
    pub const fn staying(mut self, stay: Duration) -> Self {
        self.stay = Some(stay);
        self
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.max_attempts == 0 {
            return Err(SettingsError::Zero("fallback.max_attempts"));
        }
        if self.stay.is_some_and(|stay| stay.is_zero()) {
            return Err(SettingsError::Zero("fallback.stay"));
        }
        if self.backoff.cap < self.backoff.base {
            return Err(SettingsError::Order("fallback.backoff.cap", "fallback.backoff.base"));
        }
        Ok(())
    }
}
