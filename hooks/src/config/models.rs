//! The models of a configuration: what is known about them, and the layers that keep their calls alive.

use std::sync::Arc;

use hooks_core::state::StateStore;
use hooks_core::{Environment, FailureLayer, HooksBuilder, Live};
use hooks_resilience::alert::NotificationSink;
use hooks_resilience::config::{ConfigFault, StreamLayer};
use hooks_resilience::{
    AlertLayer, Health, PerTenantLayer, Resilience, ResilienceConfig, ResilienceLayer, World,
};
use tower_layer::Stack;

use super::error::Mistakes;
use super::prune::Pruned;
use crate::system::{SystemClock, SystemRandom, TokioBackground, TokioTimer};

/// The key they stand under.
pub(super) const KEY: &str = "models";

/// What a configuration says about models, and what is known about them. Clones share it.
#[derive(Clone, Debug)]
pub struct Models {
    /// What makes the layers.
    pub resilience: Resilience,
    /// What is known, kept in the store that outlives the configuration: of calls that name no tenant. That of a tenant
    /// is [`Health::of_tenant`].
    pub health: Health,
}

/// The layers `L` of one tenant, and the alerts around them.
type Alerting<L> = Result<Stack<L, AlertLayer>, ConfigFault>;

impl Models {
    /// Makes sense of `config`, which is `tenant`'s where calls name no other; its mistakes are reported at their places in `tree`.
    pub(super) fn new(
        config: &ResilienceConfig,
        store: Arc<dyn StateStore>,
        tenant: Option<&str>,
        tree: &Pruned,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        // Of a catalog that lacks its wrong entries, everything that names them would look wrong too.
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

    /// All layers around a client, wired to `hooks`: they are asked before a conversation is compacted, and told of
    /// alerts as `notification`. `classify` says what the client's errors mean. The tenant of a call's context has layers
    /// of its own: what is known of models is known of its credentials.
    ///
    /// # Errors
    /// None, as long as the configuration is the one that was checked.
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

    /// The same around a client that streams.
    ///
    /// # Errors
    /// None, as long as the configuration is the one that was checked.
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

    /// Adds the hooks that answer what to do after a failure, for hosts that own their loop.
    pub(super) fn add_hooks(&self, builder: HooksBuilder) -> HooksBuilder {
        let (model, spawn) = self.resilience.recovery(&self.health);
        let guard = FailureLayer::new(KEY);
        builder.hook(&guard, model).hook(&guard, spawn)
    }
}

/// Tells `hooks`, in the background where this is called within a runtime.
fn alerts(resilience: &Resilience, health: &Health, hooks: Live) -> Result<AlertLayer, ConfigFault> {
    let alerts = resilience.alerts(health, NotificationSink::new(hooks))?;
    Ok(match TokioBackground::current() {
        Some(background) => alerts.in_background(Arc::new(background)),
        None => alerts,
    })
}
