//! The models of a configuration: their catalog, their health, and the layers around their calls.

use std::sync::Arc;

use hooks_conversation::summary::Summariser;
use hooks_core::state::StateStore;
use hooks_core::{Environment, FailureLayer, HooksBuilder, Live};
use hooks_resilience::alert::NotificationSink;
use hooks_resilience::config::{ConfigFault, StreamLayer};
use hooks_resilience::{
    AlertLayer, Classified, GovernAttemptLayer, Health, OverflowLayer, PerTenantLayer, Resilience,
    ResilienceConfig, ResilienceLayer, World,
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
    /// Writer of the summaries of conversations that do not fit.
    summariser: Option<Summariser>,
}

/// The layers `L` of one tenant, with the alerts around them.
type Alerting<L> = Result<Stack<L, AlertLayer>, ConfigFault>;

/// The layers around a client, with the hooks innermost.
type GovernedLayer<C> = Stack<GovernAttemptLayer<C>, ResilienceLayer<Classified>>;

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
            Ok(health) => Some(Self { resilience, health, summariser: None }),
            Err(error) => {
                mistakes.add(tree.root.locate(KEY), KEY, error.to_string());
                None
            }
        }
    }

    /// Lets `summariser` write the summaries of conversations that do not fit, for `overflow.means: [summarise]`.
    /// A file names models and does not call them, so the host gives the service, for example a call of a
    /// small model of the catalog. Without one, only the summary of a hook on `pre_compact` is used, such as
    /// that of the section `compaction`.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_conversation::summary::{Summariser, SummaryRequest};
    /// use hooks_core::event::{Message, ModelReply, Role, Usage};
    /// use hooks_core::{BoxError, HookContext, drivers::ModelRequest, state::OpId};
    /// use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = Config::parse("
    /// version: 1
    /// models:
    ///   catalog: [{ name: large, provider: one, tier: premium, context_tokens: 4000 }]
    ///   routing: { default: premium }
    ///   overflow: { means: [summarise] }
    /// ", "hooks.yaml")?;
    /// let client = service_fn(async |call: Call| match call.messages().len() {
    ///     10.. => Err(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
    ///     _ => Ok(ModelReply::text("answered", Usage::default())),
    /// });
    /// let small = service_fn(async |request: SummaryRequest| {
    ///     Ok::<_, BoxError>(format!("{} messages about logs", request.messages.len()))
    /// });
    /// let models = config.models().ok_or("the file has the section")?.clone();
    /// let layer = models.with_summariser(Summariser::new(small)).layer(config.clone().hooks(), Classified)?;
    /// let messages = (0..20).map(|turn| Message::text(Role::User, format!("{turn} ").repeat(200))).collect();
    /// let request = ModelRequest { messages, ..ModelRequest::default() };
    /// let call = Call::new(HookContext::new("session-1", "lead").into(), request, OpId(1));
    /// assert_eq!(layer.layer(client).oneshot(call).await?.reply.response.content, "answered");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_summariser(mut self, summariser: Summariser) -> Self {
        self.summariser = Some(summariser);
        self
    }

    /// All layers around a client, connected to `hooks`. Each attempt is a model call for the hooks (`before_model_call`,
    /// `after_model_call`, `error_occurred`): they may stop it, and budgets, metrics and the audit log count it, so do not put a
    /// `GovernModel` around it again. The hooks are asked before a conversation is compacted, and get alerts as `notification`
    /// events. `classify` classifies the client's errors. Each tenant has layers of its own, because the health of a model
    /// belongs to the credentials it is called with.
    ///
    /// A client whose answer is not a [`ModelReply`](hooks_core::event::ModelReply) has no place for hooks: `models.resilience`
    /// makes the layers without them.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid. A configuration that was read has valid ones.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_core::event::{ModelReply, Usage};
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
    ///     name => Ok(ModelReply::text(format!("{name} answers"), Usage::default())),
    /// });
    /// let models = config.models().ok_or("the file has the section")?;
    /// let stack = models.layer(config.clone().hooks(), Classified)?.layer(client);
    /// let call = Call::new(HookContext::new("session-1", "lead").into(), ModelRequest::default(), OpId(1));
    /// assert_eq!(stack.oneshot(call).await?.reply.response.content, "small answers");
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer<H: Into<Live>, C: Clone>(
        &self,
        hooks: H,
        classify: C,
    ) -> Result<PerTenantLayer<impl Fn(&Health) -> Alerting<GovernedLayer<C>> + use<H, C>>, ConfigFault> {
        self.resilience.layer(&self.health, Classified)?;
        let (models, hooks) = (self.clone(), hooks.into());
        Ok(PerTenantLayer::new(self.health.clone(), move |health: &Health| {
            let mut layers = models.resilience.layer(health, Classified)?;
            layers.overflow = models.connect(layers.overflow, &hooks);
            let attempt = GovernAttemptLayer::new(hooks.clone(), health.clone(), classify.clone());
            let layers = Stack::new(attempt, layers);
            Ok(Stack::new(layers, alerts(&models.resilience, health, hooks.clone())?))
        }))
    }

    /// All layers around a client that streams, as [`layer`](Self::layer), but its attempts are not governed: a stream is not a
    /// [`ModelReply`](hooks_core::event::ModelReply) yet. So no hook on `before_model_call` can stop a call, and budgets, metrics
    /// and the audit log do not count it. `hooks` are asked before a conversation is compacted, and get alerts.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid. A configuration that was read has valid ones.
    pub fn ungoverned_stream_layer<H: Into<Live>, C: Clone>(
        &self,
        hooks: H,
        classify: C,
    ) -> Result<PerTenantLayer<impl Fn(&Health) -> Alerting<StreamLayer<C>> + use<H, C>>, ConfigFault> {
        self.resilience.stream_layer(&self.health, classify.clone())?;
        let (models, hooks) = (self.clone(), hooks.into());
        Ok(PerTenantLayer::new(self.health.clone(), move |health: &Health| {
            let mut layers = models.resilience.stream_layer(health, classify.clone())?;
            layers.layers.overflow = models.connect(layers.layers.overflow, &hooks);
            Ok(Stack::new(layers, alerts(&models.resilience, health, hooks.clone())?))
        }))
    }

    /// Connects the layer that compacts conversations to `hooks` and to the summariser.
    fn connect(&self, overflow: OverflowLayer, hooks: &Live) -> OverflowLayer {
        let overflow = overflow.with_hooks(hooks.clone());
        match &self.summariser {
            Some(summariser) => overflow.with_summariser(summariser.clone()),
            None => overflow,
        }
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
