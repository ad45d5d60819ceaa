//! The models of a configuration: their catalog, their health, and the layers around their calls.

use std::sync::Arc;

use hooks_core::state::StateStore;
use hooks_core::{Environment, FailureLayer, HooksBuilder, Live};
use hooks_resilience::alert::NotificationSink;
use hooks_resilience::config::{ConfigFault, StreamLayer};
use hooks_resilience::{
    AlertLayer, Health, PerTenantLayer, Resilience, ResilienceConfig, ResilienceLayer, World,
};
use hooks_system::{SystemClock, SystemRandom, TokioBackground, TokioTimer};
use tower_layer::Stack;

use super::error::Mistakes;
use super::prune::Pruned;

/// Key of the section.
pub(super) const KEY: &str = "models";

/// The catalog of models of a configuration, and their health. Clones share it.
///
/// ```
/// use hooks_config::Config;
/// use hooks_core::time::Tick;
/// use hooks_resilience::{Needs, Readiness};
///
/// let config = Config::parse("
/// version: 1
/// models: { catalog: [{ name: small, provider: one, tier: fast, context_tokens: 8000 }] }
/// ", "hooks.yaml")?;
/// let models = config.models().ok_or("the file has the section")?;
/// let small = models.resilience.catalog().get("small").ok_or("the catalog lists it")?;
/// let ready = |tokens| {
///     let needs = Needs { input_tokens: tokens, ..Needs::default() };
///     models.health.readiness(small, &needs, Tick::default())
/// };
/// assert_eq!((ready(5_000), ready(9_000)), (Readiness::Ready, Readiness::Never));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Models {
    /// Builder of the layers.
    pub resilience: Resilience,
    /// Health of the models, for calls that name no tenant. The store that outlives the configuration holds
    /// it. [`Health::of_tenant`] gives the health that a tenant's calls see.
    pub health: Health,
}

/// The layers `L` of one tenant, with the alerts around them.
type Alerting<L> = Result<Stack<L, AlertLayer>, ConfigFault>;

impl Models {
    /// Builds the models of `config`, and reports its mistakes at their places in `tree`. `tenant` is the
    /// tenant of calls that name none.
    pub(super) fn new(
        config: &ResilienceConfig,
        store: Arc<dyn StateStore>,
        tenant: Option<&str>,
        tree: &Pruned,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        // Wrong entries are left out of the catalog, so every reference to them would be reported as a
        // mistake too.
        if mistakes.paths().any(|path| path.starts_with("models.catalog")) {
            return None;
        }
        let resilience = match Resilience::new(config) {
            Ok(resilience) => resilience,
            Err(faults) => {
                for fault in faults {
                    let path = format!("{KEY}.{}", fault.path);
                    let (place, path) = (tree.root.locate(&path), tree.path_before(&path));
                    mistakes.add_with_hint(place, path, fault.problem, fault.hint);
                }
                return None;
            }
        };
        let mut environment = Environment::detached();
        environment.clock = Arc::new(SystemClock);
        environment.random = Arc::new(SystemRandom);
        match resilience.shared_health(World::new(&environment, TokioTimer), store, KEY, tenant) {
            Ok(health) => Some(Self { resilience, health }),
            Err(error) => {
                mistakes.add(tree.root.locate(KEY), KEY, error.to_string());
                None
            }
        }
    }

    /// All layers around a client, connected to `hooks`: the hooks are asked before a conversation is
    /// compacted, and get alerts as `notification` events. `classify` classifies the client's errors. Each
    /// tenant has layers of its own, because the health of a model belongs to the credentials it is called
    /// with.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid. A configuration that was read has valid ones.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
    /// use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = Config::parse("
    /// version: 1
    /// models:
    ///   catalog:
    ///     - { name: large, provider: one, tier: premium }
    ///     - { name: small, provider: two, tier: fast }
    ///   routing: { default: premium }
    /// ", "hooks.yaml")?;
    /// let client = service_fn(async |call: Call| match call.model_name() {
    ///     "large" => Err(ModelError::new(ErrorKind::ModelUnavailable, "the model was retired")),
    ///     name => Ok(format!("{name} answers")),
    /// });
    /// let models = config.models().ok_or("the file has the section")?;
    /// let stack = models.layer(config.clone().hooks(), Classified)?.layer(client);
    /// let call = Call::new(HookContext::new("session-1", "lead").into(), ModelRequest::default(), OpId(1));
    /// assert_eq!(stack.oneshot(call).await?.reply, "small answers");
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer<H: Into<Live>, C: Clone>(
        &self,
        hooks: H,
        classify: C,
    ) -> Result<PerTenantLayer<impl Fn(&Health) -> Alerting<ResilienceLayer<C>> + use<H, C>>, ConfigFault>
    {
        self.resilience.layer(&self.health, classify.clone())?;
        let (resilience, hooks) = (self.resilience.clone(), hooks.into());
        Ok(PerTenantLayer::new(self.health.clone(), move |health: &Health| {
            let mut layers = resilience.layer(health, classify.clone())?;
            layers.overflow = layers.overflow.with_hooks(hooks.clone());
            Ok(Stack::new(layers, alerts(&resilience, health, hooks.clone())?))
        }))
    }

    /// All layers around a client that streams; as [`layer`](Self::layer).
    ///
    /// # Errors
    /// Returns an error if the settings are invalid. A configuration that was read has valid ones.
    pub fn stream_layer<H: Into<Live>, C: Clone>(
        &self,
        hooks: H,
        classify: C,
    ) -> Result<PerTenantLayer<impl Fn(&Health) -> Alerting<StreamLayer<C>> + use<H, C>>, ConfigFault> {
        self.resilience.stream_layer(&self.health, classify.clone())?;
        let (resilience, hooks) = (self.resilience.clone(), hooks.into());
        Ok(PerTenantLayer::new(self.health.clone(), move |health: &Health| {
            let mut layers = resilience.stream_layer(health, classify.clone())?;
            layers.layers.overflow = layers.layers.overflow.with_hooks(hooks.clone());
            Ok(Stack::new(layers, alerts(&resilience, health, hooks.clone())?))
        }))
    }

    /// Adds the hooks that answer how to go on after a failure, for hosts with an agent loop of their own.
    pub(super) fn add_hooks(&self, builder: HooksBuilder) -> HooksBuilder {
        let (model, spawn) = self.resilience.recovery(&self.health);
        let guard = FailureLayer::new(KEY);
        builder.hook(&guard, model).hook(&guard, spawn)
    }
}

/// Alerts that go to `hooks`; in the background if this is called within a runtime.
fn alerts(resilience: &Resilience, health: &Health, hooks: Live) -> Result<AlertLayer, ConfigFault> {
    let alerts = resilience.alerts(health, NotificationSink::new(hooks))?;
    Ok(match TokioBackground::current() {
        Some(background) => alerts.in_background(Arc::new(background)),
        None => alerts,
    })
}
