//! Destinations of alerts.

use hooks_core::event::Notification;
use hooks_core::{HookFuture, HookRequest, Live};

use super::Alert;

/// Receives alerts. A closure is a sink. Slow work (a webhook, a command) belongs in the returned future,
/// which runs in the background; `send` itself must not block.
pub trait AlertSink: Send + Sync {
    /// Sends one alert.
    fn send(&self, alert: Alert) -> HookFuture<'static, ()>;
}

impl<F: Fn(Alert) + Send + Sync> AlertSink for F {
    fn send(&self, alert: Alert) -> HookFuture<'static, ()> {
        self(alert);
        HookFuture::now(())
    }
}

/// Fires the `notification` event.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use hooks_core::event::Notification;
/// use hooks_core::{FailureLayer, HookError, HookRequest, Hooks, hook_fn};
/// use hooks_resilience::alert::NotificationSink;
/// use hooks_resilience::{
///     AlertLayer, AlertConfig, Replied, Call, Catalog, ErrorKind, Health, HealthSettings, ModelError,
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
/// let shown = Arc::new(Mutex::new(Vec::new()));
/// let screen = Arc::clone(&shown);
/// let show = hook_fn(move |request: HookRequest<Notification>| {
///     screen.lock().expect("no holder panics").push(request.event().message.clone());
///     async { Ok::<_, HookError>(()) }
/// });
/// let hooks = Hooks::builder().hook(&FailureLayer::new("screen"), show).build();
///
/// let layer = AlertLayer::new(&health, AlertConfig::default(), NotificationSink::new(hooks))?;
/// let client = service_fn(async |_: Call| {
///     Err::<Replied<()>, _>(ModelError::new(ErrorKind::Permission, "not in your plan").with_model("opus"))
/// });
/// layer.layer(client).oneshot(call).await.expect_err("the plan does not include the model");
/// assert_eq!(*shown.lock().expect("no holder panics"), ["`opus`: permission: not in your plan"]);
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NotificationSink {
    hooks: Live,
}

impl NotificationSink {
    /// Creates a sink that fires the event on the current hooks of `hooks` when an alert is sent.
    pub fn new(hooks: impl Into<Live>) -> Self {
        Self { hooks: hooks.into() }
    }
}

impl AlertSink for NotificationSink {
    fn send(&self, alert: Alert) -> HookFuture<'static, ()> {
        let hooks = self.hooks.clone();
        let notification = Notification::new(alert.level(), alert.to_string());
        HookFuture::later(async move {
            hooks.tell(HookRequest::new(alert.context, notification)).await;
        })
    }
}

/// Writes alerts as `tracing` events.
///
/// ```
/// use hooks_resilience::alert::TracingSink;
/// use hooks_resilience::{AlertLayer, AlertConfig, Catalog, Health, HealthSettings, World};
/// # use hooks_core::{Environment, testing::VirtualTime};
/// # let (environment, catalog) = (Environment::detached(), Catalog::default());
/// # let world = World::new(&environment, VirtualTime::default());
/// let health = Health::new(&catalog, HealthSettings::default(), world)?;
/// let layer = AlertLayer::new(&health, AlertConfig::default(), TracingSink)?;
/// # Ok::<(), hooks_resilience::SettingsError>(())
/// ```
#[cfg(feature = "tracing")]
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingSink;

#[cfg(feature = "tracing")]
impl AlertSink for TracingSink {
    fn send(&self, alert: Alert) -> HookFuture<'static, ()> {
        let (kind, session) = (alert.kind, &alert.context.session_id);
        match alert.level() {
            hooks_core::event::Level::Error => tracing::error!(?kind, session, "{alert}"),
            _ => tracing::warn!(?kind, session, "{alert}"),
        }
        HookFuture::now(())
    }
}
