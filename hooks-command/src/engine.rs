//! Selects the handlers of an event, runs them, and merges their answers.
//!
//! A [`Runner`] runs commands, and a [`Timer`] measures time. Scripted commands on a virtual clock and real
//! processes therefore use the same engine.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_util::future::{Either, Shared, join_all, select};
use hooks_core::HookFuture;
use hooks_core::time::Timer;
use serde_json::{Map, Value};

use crate::builtin::{BuiltinCall, Builtins};
use crate::config::{Block, Handler, HandlerKind};
use crate::event::{HookEvent, Lane, Powers, Rewrites};
use crate::input::payload;
use crate::merge::{Merged, Merger};
use crate::model::{self, ModelJudge, Question};
use crate::output::{End, Finished, HandlerReply, Reading, read};
use crate::process::{Start, Variables, expand_variables, folder_of};
use crate::rules::Rules;
use crate::template::Template;

/// Runs commands.
pub trait Runner: Send + Sync {
    /// Runs a command to its end. If the future is dropped, the command and all processes that it started are
    /// killed.
    fn run(&self, start: Start) -> HookFuture<'static, Finished>;
}

/// Completes when the caller has cancelled the event. Running handlers are then ended; events whose failures
/// close are denied.
pub type Cancelled = Shared<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The handlers of one agent. Clones share them.
#[derive(Clone)]
pub struct Engine {
    block: Arc<Block>,
    rules: Rules,
    world: World,
}

/// The services and data with which an engine runs handlers.
#[derive(Clone)]
pub struct World {
    /// Runs commands.
    pub runner: Arc<dyn Runner>,
    /// Measures the timeouts of handlers.
    pub timer: Arc<dyn Timer>,
    /// The builtins of the host.
    pub builtins: Arc<Builtins>,
    /// The models of the host; if absent, a model handler fails.
    pub judge: Option<Arc<dyn ModelJudge>>,
    /// The variables that options of handlers can use.
    pub variables: Arc<dyn Variables>,
}

/// A call of the handlers of an event.
#[derive(Clone)]
pub struct Ask<'a> {
    /// The event.
    pub event: &'static HookEvent,
    /// The lane of the event.
    pub lane: Lane,
    /// The fields of the payload; the engine adds event name and folder.
    pub input: Map<String, Value>,
    /// Working directory of handlers without their own.
    pub folder: &'a Path,
    /// Another name of the tool, which matchers can also use.
    pub also_called: Option<&'a str>,
    /// Cancels the call.
    pub cancelled: Option<Cancelled>,
}

impl std::fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask")
            .field("event", &self.event.name)
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}

impl Ask<'_> {
    /// The names of the tool.
    fn names(&self) -> Vec<&str> {
        let name = self.input.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        [Some(name), self.also_called].into_iter().flatten().collect()
    }
}

impl Engine {
    /// An engine for `block` with `rules`.
    pub fn new(block: Block, rules: Rules, world: World) -> Self {
        Self { block: Arc::new(block), rules, world }
    }

    /// The handlers.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Whether an event has a handler in a lane for a tool with any of these names. If not, nothing needs to
    /// be done.
    pub fn is_for(&self, event: &HookEvent, lane: Lane, names: &[&str]) -> bool {
        let mut entries = self.block.entries(event).iter().filter(|entry| entry.lane == lane);
        entries.any(|entry| names.iter().any(|name| entry.matcher.matches(name)))
    }

    /// Runs the handlers of an event, and merges their answers.
    ///
    /// A command that does not end in time is a failure, which blocks a guarded event:
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_command::config::{Block, Entry};
    /// use hooks_command::engine::World;
    /// use hooks_command::output::Finished;
    /// use hooks_command::process::{NoVariables, Runner, Start};
    /// use hooks_command::{Ask, Engine, Handler, HookEvent, Lane, Rules};
    /// use hooks_core::HookFuture;
    /// use hooks_core::testing::VirtualTime;
    ///
    /// struct Hanging;
    ///
    /// impl Runner for Hanging {
    ///     fn run(&self, _start: Start) -> HookFuture<'static, Finished> {
    ///         HookFuture::later(std::future::pending())
    ///     }
    /// }
    ///
    /// let event = HookEvent::named("user_prompt_submit").ok_or("no such event")?;
    /// let mut block = Block::default();
    /// let handler = Handler { timeout: 5, ..Handler::command("./check.sh") };
    /// block.add(event, Entry { handlers: vec![Arc::new(handler)], ..Entry::default() });
    /// # let time = VirtualTime::default();
    /// # let (timer, builtins, variables) = (Arc::new(time.clone()), Arc::default(), Arc::new(NoVariables));
    /// let world = World { runner: Arc::new(Hanging), timer, builtins, judge: None, variables };
    /// let engine = Engine::new(block, Rules::default(), world);
    ///
    /// let (input, folder) = (serde_json::Map::new(), Path::new("/p"));
    /// let ask = Ask { event, lane: Lane::Ordinary, input, folder, also_called: None, cancelled: None };
    /// let merged = time.block_on(engine.ask(ask)).ok_or("it waits")?;
    /// assert!(!merged.allowed);
    /// assert!(merged.message[0].ends_with("hook \"./check.sh\": did not answer within 5 s (timed out)"));
    /// # Ok::<(), &str>(())
    /// ```
    pub async fn ask(&self, ask: Ask<'_>) -> Merged {
        let handlers = self.block.handlers(ask.event, ask.lane, &ask.names(), self.rules.profile);
        if handlers.is_empty() {
            return Merged::nothing();
        }
        let handlers: Vec<_> = handlers.into_iter().cloned().collect();
        let powers = self.rules.powers(ask.event, ask.lane);
        let input = payload(ask.event, &ask.folder.to_string_lossy(), ask.input.clone());
        if powers.in_turn {
            return self.in_turn(&ask, powers, &handlers, input).await;
        }
        let input = Arc::new(input);
        let runs = handlers.iter().map(|handler| self.run(&ask, handler, Arc::clone(&input)));
        let mut merger = Merger::new(ask.event, powers, self.rules);
        for (handler, finished) in handlers.iter().zip(join_all(runs).await) {
            let (reading, near_miss) = read(ask.event, powers, handler, self.rules, finished);
            merger.add(handler, reading, near_miss);
        }
        merger.finish()
    }

    /// Runs the handlers one after the other, each with the changes of those before it. A denial does not
    /// stop the later ones.
    async fn in_turn(
        &self,
        ask: &Ask<'_>,
        powers: Powers,
        handlers: &[Arc<Handler>],
        mut input: Map<String, Value>,
    ) -> Merged {
        let mut merger = Merger::new(ask.event, powers, self.rules);
        for handler in handlers {
            let finished = self.run(ask, handler, Arc::new(input.clone())).await;
            let (reading, near_miss) = read(ask.event, powers, handler, self.rules, finished);
            if let Reading::Answer(reply) = &reading {
                rewrite(powers.rewrites, reply, &mut input);
            }
            merger.add(handler, reading, near_miss);
        }
        let mut merged = merger.finish();
        if merged.updated_input.is_some() {
            // The caller that runs the tool gets the complete arguments, and not only the patches.
            merged.updated_input = input.get("tool_input").and_then(Value::as_object).cloned();
        }
        merged
    }

    /// Runs a handler within its timeout.
    async fn run(&self, ask: &Ask<'_>, handler: &Arc<Handler>, input: Arc<Map<String, Value>>) -> Finished {
        let limit = handler.limit();
        let work = pin!(self.start(ask, handler, input));
        let end = pin!(async {
            let up = self.world.timer.sleep(limit);
            match &ask.cancelled {
                None => {
                    up.await;
                    true
                }
                Some(cancelled) => matches!(select(up, cancelled.clone()).await, Either::Left(_)),
            }
        });
        // The timer is polled first, so that the time for starting a command counts too.
        match select(end, work).await {
            Either::Right((finished, _)) => finished,
            Either::Left((true, _)) => {
                Finished::failed(format!("did not answer within {} s (timed out)", limit.as_secs()))
            }
            Either::Left((false, _)) => Finished::failed("was cancelled"),
        }
    }

    async fn start(&self, ask: &Ask<'_>, handler: &Arc<Handler>, input: Arc<Map<String, Value>>) -> Finished {
        let variables = &*self.world.variables;
        let answered = match handler.kind {
            HandlerKind::Command => {
                let start = Start {
                    handler: Arc::clone(handler),
                    folder: folder_of(ask.folder, &handler.working_dir, variables),
                    env: expand_variables(&handler.env, variables),
                    input,
                    is_awaited: self.rules.powers(ask.event, ask.lane).closes,
                };
                return self.world.runner.run(start).await;
            }
            HandlerKind::Builtin => self.builtin(ask, handler, input).await,
            HandlerKind::Model => self.model(ask, handler, &input).await,
        };
        let end = match answered {
            Ok(Value::Null) => End::Replied(Box::default()),
            Ok(Value::Object(fields)) => match crate::output::parse_fields(&fields, handler.strict_output) {
                Ok(reply) => End::Replied(Box::new(reply)),
                Err(error) => End::Failed(error.to_string()),
            },
            Ok(_) => End::Failed("its answer is not an object".to_owned()),
            Err(error) => End::Failed(error),
        };
        Finished { end, stdout: String::new(), stderr: String::new() }
    }

    async fn builtin(
        &self,
        ask: &Ask<'_>,
        handler: &Handler,
        mut input: Arc<Map<String, Value>>,
    ) -> Result<Value, String> {
        let name = handler.command.as_str();
        let builtin = self.world.builtins.get(name).cloned();
        let builtin = builtin.ok_or_else(|| format!("no builtin hook registered as `{name}`"))?;
        let variables = &*self.world.variables;
        let mut folder = input.get("cwd").and_then(Value::as_str).map_or_else(PathBuf::new, PathBuf::from);
        if !handler.working_dir.is_empty() {
            folder = folder_of(ask.folder, &handler.working_dir, variables);
            let cwd = folder.to_string_lossy().into_owned();
            Arc::make_mut(&mut input).insert("cwd".to_owned(), cwd.into());
        }
        let call = BuiltinCall {
            name: name.into(),
            args: handler.args.clone(),
            folder,
            event: ask.event.name,
            input,
            profile: self.rules.profile,
            env: expand_variables(&handler.env, variables),
        };
        builtin.run(call).await
    }

    async fn model(
        &self,
        ask: &Ask<'_>,
        handler: &Handler,
        input: &Map<String, Value>,
    ) -> Result<Value, String> {
        let judge = self.world.judge.as_ref();
        let judge = judge.ok_or_else(|| "no models were given to the hooks".to_owned())?;
        if !handler.schema.is_empty() && handler.schema != model::DECISION_SCHEMA {
            return Err(model::unknown_schema(&handler.schema));
        }
        // Parsed each time: it is short, and the model takes a million times as long.
        let prompt = Template::parse(&handler.prompt).and_then(|template| template.render(input));
        let prompt = prompt.map_err(|error| format!("its prompt cannot be rendered: {error}"))?;
        let (model, schema) = (handler.model.clone(), handler.schema.clone());
        let reply = judge.ask(Question { model, prompt, schema }).await;
        let reply = reply.map_err(|error| format!("the model {} failed: {error}", handler.model))?;
        model::read_reply(handler, ask.event.name, &reply)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let events: Vec<_> = self.block.counts().collect();
        f.debug_struct("Engine").field("rules", &self.rules).field("events", &events).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("builtins", &self.builtins).finish_non_exhaustive()
    }
}

/// Applies the changes of a handler to the input of the next one.
fn rewrite(rewrites: Rewrites, reply: &HandlerReply, input: &mut Map<String, Value>) {
    let Some(specific) = &reply.specific else { return };
    match rewrites {
        Rewrites::Nothing => {}
        Rewrites::Arguments => {
            if let Some(patch) = &specific.updated_input {
                let mut arguments =
                    input.get("tool_input").and_then(Value::as_object).cloned().unwrap_or_default();
                arguments.extend(patch.clone());
                input.insert("tool_input".to_owned(), arguments.into());
            }
        }
        Rewrites::Messages => {
            if let Some(messages) = specific.updated_messages.as_ref().filter(|messages| !messages.is_empty())
            {
                let messages: Vec<_> = messages.iter().cloned().map(Value::Object).collect();
                input.insert("messages".to_owned(), messages.into());
            }
        }
        Rewrites::Response => {
            if let Some(response) = &specific.updated_tool_response {
                input.insert("tool_response".to_owned(), response.as_str().into());
            }
        }
    }
}
