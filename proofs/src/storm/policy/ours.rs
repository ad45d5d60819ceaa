//! The layers of `hooks-resilience`: the real code, not a simulation of it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::MicroUsd;
use hooks_core::state::{Memory, OpId, StateStore};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, SeededRandom, Tick, Timestamp};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, ChainConfig, Chains, ChainsConfig, Classify,
    DeadlineLayer, ErrorKind, FallbackConfig, FallbackLayer, Health, HealthSettings, HedgeConfig, HedgeLayer,
    Limits, Model, ModelError, Needs, PacingLayer, Price, Replied, RetryConfig, RetryLayer, World,
};
use tower::ServiceBuilder;
use tower::util::{BoxCloneSyncService, MapRequestLayer, ServiceExt};
use tower_service::Service;

use super::ATTEMPT;
use crate::error::{Error, Result};
use crate::storm::dice::{Dice, Purpose};
use crate::storm::meter::SLOW;
use crate::storm::params::Params;
use crate::storm::providers::Fault;
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;

/// Parts of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::storm) struct Parts {
    /// Whether all models are used, or only the first.
    pub(super) chain: bool,
    /// Whether calls wait while no model is ready.
    pub(super) parking: bool,
    /// Whether the instances share their state.
    pub(super) sharing: bool,
    /// Whether the provider's quotas are respected.
    pub(super) pacing: bool,
    /// Whether a slow call gets a second attempt beside it.
    pub(super) hedging: bool,
    /// Whether the wait for a model ends when another one could answer.
    pub(super) elsewhere: bool,
}

impl Parts {
    pub(super) const ALL: Self =
        Self { chain: true, parking: true, sharing: true, pacing: true, hedging: false, elsewhere: true };
    pub(super) const HEDGED: Self = Self { hedging: true, ..Self::ALL };
    pub(super) const LONE: Self = Self { sharing: false, ..Self::ALL };
    pub(super) const NO_CHAIN: Self = Self { chain: false, ..Self::ALL };
    pub(super) const NO_PARKING: Self = Self { parking: false, ..Self::ALL };
    pub(super) const NO_PACING: Self = Self { pacing: false, ..Self::ALL };
    pub(super) const NO_ELSEWHERE: Self = Self { elsewhere: false, ..Self::ALL };
}

/// The stack of one instance.
pub(in crate::storm) struct Ours {
    stack: BoxCloneSyncService<Call, Replied<()>, ModelError>,
    context: Arc<HookContext>,
}

impl Ours {
    /// The stacks of all instances.
    ///
    /// # Errors
    /// Returns an error if two models of the storm have the same name.
    pub(super) fn fleet(parts: Parts, sim: &Arc<Sim>) -> Result<Vec<Self>> {
        let store: Arc<dyn StateStore> = Arc::new(Memory::new(Arc::new(sim.time.clone())));
        let catalog = catalog(&sim.params, parts)?;
        let one = |instance| {
            Self::new(parts, sim, &catalog, &store, instance)
                .map_err(|error| Error::doing("the stack of hooks-resilience", error))
        };
        (0..sim.params.instances).map(one).collect()
    }

    fn new(
        parts: Parts,
        sim: &Arc<Sim>,
        catalog: &Catalog,
        store: &Arc<dyn StateStore>,
        instance: u32,
    ) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        let seed = Dice::new(sim.params.seed, Purpose::Policy, [u64::from(instance), 0]).bits();
        let clock = SkewedClock::new(sim, instance);
        let reader = FaultClassifier { skew: clock.skew };
        let world = World {
            clock: Arc::new(clock),
            timer: Arc::new(sim.time.clone()),
            random: Arc::new(SeededRandom::new(seed)),
        };
        let mut settings = HealthSettings::default();
        // A host that lets another provider judge a refused request; the storm's filters refuse at random.
        settings.treatments.cross_content_filter = true;
        settings.breaker.slow_after = Some(SLOW);
        let health = Health::new(catalog, settings, world.clone())?;
        let health = if parts.sharing { health.shared(Arc::clone(store), "storm") } else { health };

        let length = if parts.chain { usize::MAX } else { 1 };
        let names = catalog.models().iter().take(length).map(|model| model.name.as_ref());
        let chains = ChainsConfig::default().with_chain(CHAIN, ChainConfig::new(names)).with_default(CHAIN);
        let chains = Chains::new(catalog, &chains)?;
        let fallback = FallbackConfig::default();
        let fallback = if parts.parking { fallback } else { fallback.with_max_park(Duration::ZERO) };
        let deadline = Duration::from_secs_f64(sim.params.traffic.deadline_s);
        let hedge = if parts.hedging { HedgeConfig::at_percentile(99) } else { HedgeConfig::default() };
        let hedge = HedgeLayer::new(chains.clone(), health.clone(), hedge)?;
        let stack = ServiceBuilder::new()
            .layer(DeadlineLayer::new(world.clone(), deadline)?)
            .layer(FallbackLayer::new(chains, health.clone(), fallback)?)
            .layer(hedge)
            .option_layer((!parts.elsewhere).then(|| MapRequestLayer::new(without_elsewhere)))
            .layer(RetryLayer::new(health.clone(), RetryConfig::default())?)
            .option_layer(parts.pacing.then(|| PacingLayer::new(health.clone())))
            .layer(BreakerLayer::new(health))
            .layer(AttemptLayer::new(world, AttemptConfig::default().with_timeout(ATTEMPT), reader)?)
            .service(Client(Arc::clone(sim)));
        Ok(Self { stack: BoxCloneSyncService::new(stack), context: Arc::new(HookContext::default()) })
    }

    /// Makes a call.
    pub(super) async fn ask(&self, agent_call: &AgentCall) -> std::result::Result<(), ErrorKind> {
        let needs = Needs {
            input_tokens: agent_call.estimate,
            output_tokens: agent_call.output,
            tools: true,
            ..Needs::default()
        };
        let id = OpId(agent_call.key.into());
        let call = Call::new(Arc::clone(&self.context), ModelRequest::default(), id).needing(needs);
        match self.stack.clone().oneshot(call).await {
            Ok(_) => Ok(()),
            Err(error) => Err(error.kind()),
        }
    }
}

impl fmt::Debug for Ours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ours").finish_non_exhaustive()
    }
}

/// A call without the time of another model, so that the layers below wait for their own.
fn without_elsewhere(mut call: Call) -> Call {
    call.elsewhere = None;
    call
}

/// The name of the one chain.
const CHAIN: &str = "storm";

/// The catalog of the storm's models.
fn catalog(params: &Params, parts: Parts) -> Result<Catalog> {
    let model = |served: &crate::storm::params::ModelParams| {
        let [input, output] = served.price.map(|dollars| (dollars * 1e6) as u64);
        let mut model = Model::new(served.name.as_str(), served.provider.as_str(), served.tier);
        model.context_tokens = Some(served.context_tokens);
        model.price = Some(Price { input: MicroUsd(input), output: MicroUsd(output) });
        let quota = params.providers.iter().find(|provider| provider.name == served.provider);
        if let Some(quota) = quota.filter(|_| parts.pacing) {
            model.quota = Some(quota.name.as_str().into());
            model.limits =
                Limits { requests_per_minute: Some(quota.requests_per_minute), ..Limits::default() };
        }
        model
    };
    Catalog::new(params.models.iter().map(model)).map_err(|error| Error::doing("the storm's models", error))
}

/// A client of the simulated providers.
#[derive(Clone, Debug)]
struct Client(Arc<Sim>);

impl Service<Call> for Client {
    type Response = ();
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<(), Fault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let sim = Arc::clone(&self.0);
        Box::pin(async move {
            // Calls here always have a model, because the chain chose one.
            let model = call.model.as_ref().map_or(usize::MAX, |model| model.index());
            let key = u64::try_from(call.id().0).unwrap_or_default();
            sim.attempt(key, model, Duration::MAX).await
        })
    }
}

/// The clock of one instance. Its wall clock is ahead of the providers' or behind it; its ticks count from
/// the start of its process.
#[derive(Debug)]
struct SkewedClock {
    time: VirtualTime,
    /// In milliseconds.
    skew: i64,
    started: Duration,
}

impl SkewedClock {
    fn new(sim: &Sim, instance: u32) -> Self {
        let (time, most) = (sim.time.clone(), sim.params.clock_skew_s);
        if most <= 0.0 {
            return Self { time, skew: 0, started: Duration::ZERO };
        }
        let mut dice = Dice::new(sim.params.seed, Purpose::Policy, [u64::from(instance), 1]);
        let skew = (1e3 * dice.between([-most, most])) as i64;
        Self { time, skew, started: Duration::from_secs_f64(dice.between([0.0, 86_400.0])) }
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.time.now().0.saturating_add_signed(self.skew))
    }

    fn tick(&self) -> Tick {
        self.time.tick().after(self.started)
    }
}

/// Classifies the errors of the simulated providers.
#[derive(Clone, Copy, Debug)]
struct FaultClassifier {
    /// Milliseconds by which the clock of the instance is ahead: a date in a header seems so much nearer.
    skew: i64,
}

impl Classify<Fault> for FaultClassifier {
    fn classify(&self, fault: Fault) -> ModelError {
        let error = ModelError::new(fault.kind, "the storm");
        let Some(wait) = fault.retry_after else { return error };
        let ahead = Duration::from_millis(self.skew.unsigned_abs());
        error.with_retry_after(if self.skew < 0 { wait + ahead } else { wait.saturating_sub(ahead) })
    }
}
