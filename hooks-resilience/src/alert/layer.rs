use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::Background;
use tower_layer::Layer;

use super::config::AlertConfig;
use super::desk::{Desk, State};
use super::service::AlertService;
use super::sink::AlertSink;
use crate::health::{Health, SettingsError};

/// Raises alerts; see the module docs. All services made from a layer share its record of raised alerts.
#[derive(Clone)]
pub struct AlertLayer {
    desk: Arc<Desk>,
}

impl AlertLayer {
    /// Creates a layer that sends alerts to `sink`, also for the breakers of `health`.
    ///
    /// # Errors
    /// Returns an error if a setting is zero.
    pub fn new(
        health: &Health,
        settings: AlertConfig,
        sink: impl AlertSink + 'static,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let desk = Arc::new(Desk {
            settings,
            treatments: health.treatments().clone(),
            world: health.world().clone(),
            sink: Arc::new(sink),
            background: Mutex::new(None),
            dropped: AtomicU64::new(0),
            state: Mutex::new(State::default()),
        });
        let watching = Arc::clone(&desk);
        health.on_transition(move |change| watching.breaker(change));
        Ok(Self { desk })
    }

    /// Sends alerts in the background. Without a background, a sink that has to wait loses the alert, which
    /// is counted.
    #[must_use]
    pub fn in_background(self, background: Arc<dyn Background>) -> Self {
        *self.desk.background.lock().unwrap_or_else(PoisonError::into_inner) = Some(background);
        self
    }

    /// Number of lost alerts: the queue was full, the sink panicked, or it had to wait without a background.
    ///
    /// ```
    /// use hooks_core::HookFuture;
    /// use hooks_resilience::alert::Alert;
    /// use hooks_resilience::{
    ///     AlertLayer, AlertConfig, AlertSink, Replied, Call, Catalog, ErrorKind, Health, HealthSettings,
    ///     ModelError,
    /// };
    /// use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
    /// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
    ///
    /// /// A web hook whose server does not answer.
    /// struct WebHook;
    ///
    /// impl AlertSink for WebHook {
    ///     fn send(&self, _alert: Alert) -> HookFuture<'static, ()> {
    ///         HookFuture::later(std::future::pending())
    ///     }
    /// }
    ///
    /// // Without `in_background`, no task can wait for the server.
    /// let layer = AlertLayer::new(&health, AlertConfig::default(), WebHook)?;
    /// let stack = layer.layer(service_fn(async |_: Call| {
    ///     Err::<Replied<()>, _>(ModelError::new(ErrorKind::QuotaExhausted, "no credit is left"))
    /// }));
    /// stack.oneshot(call).await.expect_err("the credit is used up");
    /// assert_eq!(layer.dropped(), 1);
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn dropped(&self) -> u64 {
        self.desk.dropped.load(Ordering::Relaxed)
    }
}

impl<S> Layer<S> for AlertLayer {
    type Service = AlertService<S>;

    fn layer(&self, inner: S) -> AlertService<S> {
        AlertService::new(inner, Arc::clone(&self.desk))
    }
}

impl fmt::Debug for AlertLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlertLayer").field("settings", &self.desk.settings).finish_non_exhaustive()
    }
}
