use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::adapt::{Adapt, DropForeignThinking};
use super::config::FallbackConfig;
use super::parking::{ParkedCall, Parking};
use super::service::Fallback;
use super::stay::Stays;
use crate::chain::Chains;
use crate::health::{Health, SettingsError};
use crate::spare::Spare;

/// Chooses the model of each call, and the next one after a failure; see the module docs.
#[derive(Clone)]
pub struct FallbackLayer {
    shared: Arc<Shared>,
}

/// Listener for calls that are parked.
type OnPark = dyn Fn(ParkedCall<'_>) + Send + Sync;

/// State shared by all services of a layer.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) chains: Chains,
    pub(super) health: Health,
    pub(super) settings: FallbackConfig,
    pub(super) adapt: Arc<dyn Adapt>,
    pub(super) parking: Parking,
    pub(super) on_park: Option<Arc<OnPark>>,
    pub(super) stays: Arc<Stays>,
}

impl FallbackLayer {
    /// Creates a layer that takes the models from `chains` and calls those that are ready according to
    /// `health`.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(chains: Chains, health: Health, settings: FallbackConfig) -> Result<Self, SettingsError> {
        settings.check()?;
        let (adapt, parking) = (Arc::new(DropForeignThinking), Parking::default());
        let shared =
            Shared { chains, health, settings, adapt, parking, on_park: None, stays: Arc::default() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Sets how conversations are adapted to other models.
    ///
    /// ```
    /// use hooks_core::event::{Message, Role};
    /// use hooks_resilience::{Chains, FallbackLayer, FallbackConfig, Health, Model};
    /// # use hooks_core::drivers::ModelRequest;
    /// # use hooks_resilience::{
    /// #     Replied, Call, Catalog, ChainsConfig, ErrorKind, HealthSettings, ModelError, Tier,
    /// # };
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
    /// # let messages = vec![Message::text(Role::User, "hello")];
    /// # let request = ModelRequest { messages, ..ModelRequest::default() };
    /// # let call = Call::new(Default::default(), request, hooks_core::state::OpId(1));
    /// # let client = service_fn(async |call: Call| match call.model_name() {
    /// #     "opus" => Err(ModelError::new(ErrorKind::Server, "500")),
    /// #     _ => Ok(Replied::new(call, ())),
    /// # });
    ///
    /// /// Tells the second model which model began the work.
    /// fn introduce(messages: &[Message], from: &Model, to: &Model) -> Option<Vec<Message>> {
    ///     let note = Message::text(Role::System, format!("`{}` began this conversation", from.name));
    ///     (from != to).then(|| [vec![note], messages.to_vec()].concat())
    /// }
    ///
    /// let layer = FallbackLayer::new(chains, health, FallbackConfig::default())?.adapting(introduce);
    /// let answered = layer.layer(client).oneshot(call).await?;
    /// assert_eq!(answered.call.messages()[0].content, "`opus` began this conversation");
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    #[must_use]
    pub fn adapting(self, adapt: impl Adapt + 'static) -> Self {
        self.with(|shared| shared.adapt = Arc::new(adapt))
    }

    /// Calls `listener` whenever a call is parked; it must not block.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_resilience::{
    ///     Replied, Call, Catalog, Chains, ChainsConfig, ErrorKind, FallbackLayer, FallbackConfig, Health,
    ///     HealthSettings, Model, ModelError, Tier,
    /// };
    /// # use std::sync::atomic::{AtomicBool, Ordering};
    /// # use std::sync::{Arc, Mutex};
    /// # use hooks_core::time::Clock;
    /// # use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// # let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
    /// # let health = Health::new(&catalog, HealthSettings::default(), world)?;
    /// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
    /// # let waits = Arc::new(Mutex::new(Vec::new()));
    /// # let log = Arc::clone(&waits);
    /// # let busy = Arc::new(AtomicBool::new(true));
    ///
    /// let layer = FallbackLayer::new(chains, health, FallbackConfig::default())?
    ///     .on_park(move |parked| log.lock().expect("no holder panics").push(parked.until.since(parked.since)));
    /// // The only model asks for a pause of 20 s, and answers after it.
    /// let client = service_fn(move |call: Call| {
    ///     let error = ModelError::new(ErrorKind::RateLimited, "slow down");
    ///     std::future::ready(match busy.swap(false, Ordering::SeqCst) {
    ///         true => Err(error.with_retry_after(Duration::from_secs(20))),
    ///         false => Ok(Replied::new(call, "yes")),
    ///     })
    /// });
    /// assert_eq!(layer.layer(client).oneshot(call).await?.reply, "yes");
    /// assert_eq!(*waits.lock().expect("no holder panics"), [Duration::from_secs(20)]);
    /// assert!(time.tick().0 >= Duration::from_secs(20), "parked calls do not wake all at once");
    /// assert_eq!((layer.parking().ever(), layer.parking().parked()), (1, 0));
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    #[must_use]
    pub fn on_park(self, listener: impl Fn(ParkedCall<'_>) + Send + Sync + 'static) -> Self {
        self.with(|shared| shared.on_park = Some(Arc::new(listener)))
    }

    /// Counts of parked calls.
    pub fn parking(&self) -> &Parking {
        &self.shared.parking
    }

    fn with(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }
}

impl<S> Layer<S> for FallbackLayer {
    type Service = Fallback<S>;

    fn layer(&self, inner: S) -> Fallback<S> {
        Fallback::new(inner, Spare::new(Arc::clone(&self.shared)))
    }
}

impl fmt::Debug for FallbackLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FallbackLayer").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}
