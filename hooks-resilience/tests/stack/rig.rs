//! A whole stack over a scripted client, in virtual time, which passes only while all tasks wait.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, Role};
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, SeededRandom, Tick, Timer};
use hooks_core::{Environment, HookContext, HookFuture};
use hooks_resilience::config::{Resilience, ResilienceConfig, ResilienceLayer, Stack};
use hooks_resilience::fallback::ParkedCall;
use hooks_resilience::{
    AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classified, ErrorKind,
    FallbackConfig, FallbackLayer, Health, HealthSettings, Model, ModelError, Replied, Tier, World,
};
use serde_json::json;
use tower::{Layer, Service, ServiceBuilder, ServiceExt};

pub(crate) type Outcome = Result<Replied<&'static str>, ModelError>;

/// Behaviour of a client for one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act {
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) told: Option<Duration>,
    pub(crate) takes: Duration,
    /// Whether the client runs a tool before it ends.
    pub(crate) effects: bool,
}

impl Act {
    pub(crate) fn answer() -> Self {
        Self { kind: None, told: None, takes: Duration::from_millis(100), effects: false }
    }

    pub(crate) fn fail(kind: ErrorKind) -> Self {
        Self { kind: Some(kind), ..Self::answer() }
    }

    pub(crate) fn told(self, told: Duration) -> Self {
        Self { told: Some(told), ..self }
    }

    pub(crate) fn taking(self, takes: Duration) -> Self {
        Self { takes, ..self }
    }

    pub(crate) fn with_effects(self) -> Self {
        Self { effects: true, ..self }
    }
}

/// Follows its script for each model, then its standing behaviour; records the called models and the times.
#[derive(Clone)]
pub(crate) struct Client {
    time: VirtualTime,
    script: Arc<Mutex<HashMap<String, VecDeque<Act>>>>,
    always: Arc<Mutex<HashMap<String, Act>>>,
    calls: Arc<Mutex<Vec<(String, Duration)>>>,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Client {
    pub(crate) fn new(time: &VirtualTime) -> Self {
        let (script, always, calls, requests) = Default::default();
        Self { time: time.clone(), script, always, calls, requests }
    }

    pub(crate) fn plays(&self, model: &str, acts: impl IntoIterator<Item = Act>) -> &Self {
        self.script.lock().unwrap().entry(model.to_owned()).or_default().extend(acts);
        self
    }

    pub(crate) fn always(&self, model: &str, act: Act) -> &Self {
        self.always.lock().unwrap().insert(model.to_owned(), act);
        self
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn times(&self) -> Vec<Duration> {
        self.calls.lock().unwrap().iter().map(|(_, at)| *at).collect()
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Service<Call> for Client {
    type Response = &'static str;
    type Error = ModelError;
    type Future = HookFuture<'static, Result<&'static str, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let name = call.model_name().to_owned();
        self.calls.lock().unwrap().push((name.clone(), self.time.tick().0));
        self.requests.lock().unwrap().push(call.to_request());
        let act = self.script.lock().unwrap().get_mut(&name).and_then(VecDeque::pop_front);
        let act = act.or_else(|| self.always.lock().unwrap().get(&name).copied()).unwrap_or(Act::answer());
        let time = self.time.clone();
        HookFuture::later(async move {
            time.sleep(act.takes).await;
            if act.effects {
                call.mark_effects();
            }
            match (act.kind, act.told) {
                (None, _) => Ok("yes"),
                (Some(kind), None) => Err(ModelError::new(kind, "it failed")),
                (Some(kind), Some(told)) => Err(ModelError::new(kind, "it failed").with_retry_after(told)),
            }
        })
    }
}

/// A stack and its parts. All stacks of a rig share their layers.
pub(crate) struct Rig {
    pub(crate) time: VirtualTime,
    pub(crate) health: Health,
    pub(crate) client: Client,
    pub(crate) chains: Chains,
    /// The chain in `layers`.
    pub(crate) fallback: FallbackLayer,
    pub(crate) layers: ResilienceLayer<Classified>,
    pub(crate) world: World,
}

impl Rig {
    pub(crate) fn new(models: impl IntoIterator<Item = Model>) -> Self {
        Self::with(models, HealthSettings::default(), FallbackConfig::default())
    }

    /// Parks for less time than a model rests after its attempts are used up, so that the attempts end a
    /// call.
    pub(crate) fn impatient(models: impl IntoIterator<Item = Model>) -> Self {
        let settings = FallbackConfig::default().with_max_park(secs(20));
        Self::with(models, HealthSettings::default(), settings)
    }

    pub(crate) fn with(
        models: impl IntoIterator<Item = Model>,
        health: HealthSettings,
        settings: FallbackConfig,
    ) -> Self {
        let time = VirtualTime::default();
        let environment = Environment {
            clock: Arc::new(time.clone()),
            random: Arc::new(SeededRandom::new(7)),
            ..Environment::detached()
        };
        let world = World::new(&environment, time.clone());
        let catalog = Catalog::new(models).unwrap();
        let health = Health::new(&catalog, health, world.clone()).unwrap();
        let config = ChainsConfig::default().with_default("standard");
        let chains = Chains::new(&catalog, &config).unwrap();
        let fallback = FallbackLayer::new(chains.clone(), health.clone(), settings).unwrap();
        let mut layers = layers(&catalog, &health);
        layers.fallback = fallback.clone();
        Self { client: Client::new(&time), time, health, chains, fallback, layers, world }
    }

    /// Calls `listener` for calls that are parked.
    pub(crate) fn on_park(mut self, listener: impl Fn(ParkedCall<'_>) + Send + Sync + 'static) -> Self {
        self.fallback = self.fallback.on_park(listener);
        self.layers.fallback = self.fallback.clone();
        self
    }

    /// All layers in their order, as a configuration creates them.
    pub(crate) fn stack(&self) -> Stack<Client, Classified> {
        self.layers.layer(self.client.clone())
    }

    /// The client with the layers around a single attempt.
    pub(crate) fn attempts(
        &self,
    ) -> impl Service<Call, Response = Replied<&'static str>, Error = ModelError, Future: Send> + Clone + use<>
    {
        ServiceBuilder::new()
            .layer(BreakerLayer::new(self.health.clone()))
            .layer(AttemptLayer::new(self.world.clone(), AttemptConfig::default(), Classified).unwrap())
            .service(self.client.clone())
    }

    /// Sends `call` through the stack.
    pub(crate) fn send(&self, call: Call) -> Outcome {
        self.time.block_on(self.stack().oneshot(call)).expect("nobody sleeps for ever")
    }

    /// Calls `one` until it failed so often in a row that no call uses it as a last resort: it is only
    /// probed.
    pub(crate) fn until_it_is_gone(&self) {
        self.client.always("one", Act::fail(ErrorKind::Server));
        let before = self.client.calls().len();
        while self.client.calls().len() < before + 30 {
            self.send(self.call().until(self.deadline(secs(5)))).unwrap_err();
        }
        self.client.always("one", Act::answer());
    }

    pub(crate) fn call(&self) -> Call {
        call("")
    }

    pub(crate) fn now(&self) -> Duration {
        self.time.tick().0
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, wait: Duration) {
        self.time.block_on(self.time.sleep(wait));
    }

    pub(crate) fn deadline(&self, wait: Duration) -> Tick {
        self.time.tick().after(wait)
    }
}

/// The layers of a configuration of these models. The hedging delay is so long that no test reaches it;
/// hedging has its own tests.
fn layers(catalog: &Catalog, health: &Health) -> ResilienceLayer<Classified> {
    let model = |model: &Arc<Model>| json!({ "name": model.name, "provider": model.provider, "tier": model.tier, "limits": model.limits });
    let models: Vec<_> = catalog.models().iter().map(model).collect();
    let config = json!({ "catalog": models, "hedge": { "delay": "2h" }, "deadline": "10m" });
    let config: ResilienceConfig = serde_json::from_value(config).unwrap();
    Resilience::new(&config).unwrap().layer(health, Classified).unwrap()
}

/// A call that names `model`.
pub(crate) fn call(model: &str) -> Call {
    let messages = vec![Message::text(Role::User, "hello")];
    let request = ModelRequest { model: model.to_owned(), iteration: 1, messages };
    Call::new(HookContext::new("s1", "lead").into(), request, OpId(1))
}

/// A call with a conversation of 10,000 tokens, nearly all of them tool results.
pub(crate) fn long(model: &str) -> Call {
    let mut request = call(model).to_request();
    for turn in 0..10 {
        let text = format!("{turn} ").repeat(2_000);
        let use_it = json!([{ "type": "tool_use", "id": turn.to_string(), "name": "read", "input": {} }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": turn.to_string(), "content": text }]);
        request.messages.push(Message { role: Role::Assistant, content: use_it });
        request.messages.push(Message { role: Role::User, content: result });
    }
    request.messages.push(Message::text(Role::User, "and now?"));
    call(model).with_request(request)
}

/// The length of a conversation.
pub(crate) fn size(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.content.to_string().len()).sum()
}

/// Three models with growing windows: `one` and `two` of provider `p`, and `three` of `q`.
pub(crate) fn three() -> [Model; 3] {
    [("one", "p", 1_000), ("two", "p", 2_000), ("three", "q", 4_000)].map(|(name, provider, window)| {
        let mut model = Model::new(name, provider, Tier::Standard);
        model.context_tokens = Some(window);
        model
    })
}

/// One model alone.
pub(crate) fn alone() -> [Model; 1] {
    [Model::new("one", "p", Tier::Standard)]
}

pub(crate) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn kinds(outcome: &Outcome) -> Vec<ErrorKind> {
    let failed = match outcome {
        Ok(replied) => &replied.failed[..],
        Err(error) => error.failed(),
    };
    failed.iter().map(|failed| failed.kind).collect()
}
