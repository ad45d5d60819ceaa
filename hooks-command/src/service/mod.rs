//! Handlers as hooks of a set: each event of the table is a stack, in the order of the table.
//!
//! | phase | in the set |
//! | --- | --- |
//! | `tool_input_transform`, `tool_response_transform` | rewrite once, before the event is final |
//! | `tool_guard`, `pre_tool_use` | hooks that decide and can wait; called again after a later rewrite (law 2) |
//! | the other events that block | hooks that decide and can wait |
//! | events that inform | hooks that are informed |
//!
//! Handlers receive tools with docker-agent's names, for every client: `shell` with `cmd` is Claude Code's
//! `Bash` with `command`. A matcher can use either name. Rewritten arguments are converted back to the
//! client's names.
//!
//! A denial names the handler, and whether the handler decided or failed. If an event or its tool has no
//! handler, nothing is started, recorded or waited for.
//!
//! A handler changes the arguments of a tool. It gets docker-agent's names, and the client its own:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_command::config::{Known, read};
//! use hooks_command::service::CommandHooks;
//! use hooks_command::{Builtin, BuiltinCall, Builtins, Engine, Profile, Rules};
//! # use hooks_command::engine::World;
//! # use hooks_command::output::Finished;
//! # use hooks_command::process::{NoVariables, Runner, Start};
//! use hooks_core::event::PreToolUse;
//! # use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, HookFuture, Hooks, Judged};
//! use serde_json::{Value, json};
//! # struct NoCommands;
//! # impl Runner for NoCommands {
//! #     fn run(&self, _start: Start) -> HookFuture<'static, Finished> {
//! #         HookFuture::now(Finished::failed("there are no commands"))
//! #     }
//! # }
//!
//! /// Has `make` print less.
//! struct Quiet;
//!
//! impl Builtin for Quiet {
//!     fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
//!         let command = call.input["tool_input"]["cmd"].as_str().unwrap_or_default();
//!         let changed = json!({"cmd": format!("{command} --silent")});
//!         HookFuture::now(Ok(json!({"hook_specific_output": {"updated_input": changed}})))
//!     }
//! }
//!
//! let mut builtins = Builtins::default();
//! builtins.register("quiet", Quiet);
//! let block = json!({"tool_input_transform": [{"hooks": [{"type": "builtin", "command": "quiet"}]}]});
//! let known = Known { profile: Profile::September, builtins: Some(&builtins), our_events: true, exactly: false };
//! let read = read(&block, known);
//! # let time = VirtualTime::default();
//! # let (runner, timer, variables) = (Arc::new(NoCommands), Arc::new(time.clone()), Arc::new(NoVariables));
//! # let world = World { runner, timer, builtins: Arc::new(builtins), judge: None, variables };
//! let commands = CommandHooks::new(Engine::new(read.block, Rules::default(), world));
//! let hooks = commands.add_to(Hooks::builder()).build();
//! let call = PreToolUse::new("Bash", json!({"command": "make"}));
//! let decided = time.block_on(hooks.on(HookContext::default()).pre_tool_use(call)).ok_or("it waits")?;
//! let changed = decided.outcome.effective().ok_or("the arguments are changed")?;
//! assert_eq!(changed.event().tool_args, json!({"command": "make --silent"}));
//! # Ok::<(), &str>(())
//! ```
//!
//! Customised: one agent has a handler of its own. If that does not start, as here, its calls are denied (law
//! 3).
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//! use hooks_command::config::{Block, Entry};
//! # use hooks_command::engine::World;
//! # use hooks_command::output::Finished;
//! # use hooks_command::process::{NoVariables, Runner, Start};
//! use hooks_command::service::CommandHooks;
//! use hooks_command::{Engine, Handler, HookEvent, Rules};
//! use hooks_core::event::PreToolUse;
//! # use hooks_core::HookFuture;
//! # use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, Hooks, Judged};
//! use hooks_facts::tools::Dialect;
//! use serde_json::json;
//!
//! # struct Missing;
//! # impl Runner for Missing {
//! #     fn run(&self, _start: Start) -> HookFuture<'static, Finished> {
//! #         HookFuture::now(Finished::failed("could not be started"))
//! #     }
//! # }
//! # let time = VirtualTime::default();
//! # let (runner, timer, variables) = (Arc::new(Missing), Arc::new(time.clone()), Arc::new(NoVariables));
//! # let world = World { runner, timer, builtins: Arc::default(), judge: None, variables };
//! let engine = |block| Engine::new(block, Rules::default(), world.clone());
//! let mut block = Block::default();
//! let handlers = vec![Arc::new(Handler::command("./approve.sh"))];
//! let event = HookEvent::named("pre_tool_use").ok_or("no such event")?;
//! block.add(event, Entry { handlers, ..Entry::default() });
//! let deployer = BTreeMap::from([("deployer".to_owned(), engine(block))]);
//! let commands = CommandHooks::of_agents(deployer, engine(Block::default())).spoken_in(Dialect::Claude);
//! let hooks = commands.add_to(Hooks::builder()).build();
//!
//! let ask = |agent: &str| {
//!     let call = PreToolUse::new("Bash", json!({"command": "kubectl apply"}));
//!     time.block_on(hooks.on(HookContext::new("session-1", agent)).pre_tool_use(call)).ok_or("it waits")
//! };
//! assert!(ask("tester")?.outcome.goes_ahead());
//! let denied = ask("deployer")?.outcome;
//! let reason = denied.shown_reason().ok_or("a denial has a reason")?;
//! assert_eq!(reason.for_agent(), "the hook `./approve.sh` could not be started");
//! # Ok::<(), &str>(())
//! ```

mod asking;
mod outcome;
mod words;

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::decide::DecideService;
use hooks_core::{
    DeciderOutcome, DecidingEvent, Event, EventKind, FailureLayer, HookContext, HookError, HookFuture,
    HookRequest, HooksBuilder, InformingEvent, Outcome, Settle, Stage, event as core,
};
use hooks_facts::tools::Dialect;
use tower_service::Service;

use self::outcome::{Decide, Inform};
use self::words::Words;
use crate::engine::Engine;
use crate::event::{EVENTS, HookEvent, Lane, Rewrites};

/// The handlers of all agents. Clones share them.
#[derive(Clone, Debug)]
pub struct CommandHooks {
    agents: Arc<Agents>,
    words: Words,
}

#[derive(Debug)]
struct Agents {
    by_name: BTreeMap<String, Engine>,
    /// The handlers for all other agents.
    others: Engine,
}

impl CommandHooks {
    /// Uses the same handlers for every agent.
    pub fn new(engine: Engine) -> Self {
        Self::of_agents(BTreeMap::new(), engine)
    }

    /// Uses handlers by the name of the agent that acts, and `others` for all other agents.
    pub fn of_agents(by_name: BTreeMap<String, Engine>, others: Engine) -> Self {
        Self { agents: Arc::new(Agents { by_name, others }), words: Words::default() }
    }

    /// Sets the client whose tool names events use. Without it, the client is guessed from each name. A name
    /// that is spelled as in docker-agent is then docker-agent's tool.
    #[must_use]
    pub fn spoken_in(mut self, dialect: Dialect) -> Self {
        self.words = Words { spoken_in: Some(dialect) };
        self
    }

    /// The handlers for an agent.
    pub fn engine(&self, agent: &str) -> &Engine {
        self.agents.by_name.get(agent).unwrap_or(&self.agents.others)
    }

    /// Whether any agent has handlers for an event.
    fn has(&self, event: &HookEvent, lane: Lane) -> bool {
        let engines = self.agents.by_name.values().chain([&self.agents.others]);
        engines.into_iter().any(|engine| engine.block().has(event, lane))
    }

    /// Adds a stack for each event that has handlers.
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let mut builder = builder;
        for event in EVENTS {
            // Preempting guards come before hooks that can still ask and rewrite.
            for lane in [Lane::Preempt, Lane::Ordinary].into_iter().filter(|lane| self.has(event, *lane)) {
                builder = self.add(builder, event, lane);
            }
        }
        builder
    }

    fn add(&self, builder: HooksBuilder, event: &'static HookEvent, lane: Lane) -> HooksBuilder {
        macro_rules! by_type {
            (deciding { $($Deciding:ident)* } informing { $($Informing:ident)* }) => {
                match event.kind {
                    $( EventKind::$Deciding => self.decide::<core::$Deciding>(builder, event, lane), )*
                    $( EventKind::$Informing => self.inform::<core::$Informing>(builder, event), )*
                    _ => builder,
                }
            };
        }
        hooks_core::for_each_event_type! { [by_type] {} }
    }

    fn decide<E: Decide + DecidingEvent>(
        &self,
        builder: HooksBuilder,
        event: &'static HookEvent,
        lane: Lane,
    ) -> HooksBuilder {
        let phase = Phase::<E> { hooks: self.clone(), event, lane, about: PhantomData };
        builder.stack(&FailureLayer::new(event.name), DecideService::new(Settle, phase))
    }

    fn inform<E: Inform + InformingEvent>(
        &self,
        builder: HooksBuilder,
        event: &'static HookEvent,
    ) -> HooksBuilder {
        let phase = Phase::<E> { hooks: self.clone(), event, lane: Lane::Ordinary, about: PhantomData };
        builder.hook(&FailureLayer::new(event.name), Told(phase))
    }
}

/// The handlers of one event of the table, as a [`Decider`](hooks_core::Decider).
#[derive(Debug)]
struct Phase<E> {
    hooks: CommandHooks,
    event: &'static HookEvent,
    lane: Lane,
    about: PhantomData<fn(E)>,
}

impl<E> Clone for Phase<E> {
    fn clone(&self) -> Self {
        Self { hooks: self.hooks.clone(), ..*self }
    }
}

impl<E: Event> Phase<E> {
    /// The handlers to call for an event, if there are any.
    fn engine(&self, context: &HookContext, tool: &str) -> Option<Engine> {
        let engine = self.hooks.engine(&context.agent_name);
        let names: Vec<_> = [Some(tool), self.hooks.words.dockers_name(tool)].into_iter().flatten().collect();
        engine.is_for(self.event, self.lane, &names).then(|| engine.clone())
    }
}

impl<E: Decide> Service<HookRequest<E>> for Phase<E> {
    type Response = DeciderOutcome<E>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<E>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let nothing = || HookFuture::now(Ok(DeciderOutcome::new(E::Outcome::default())));
        // Handlers that only rewrite have done so before the event was final.
        let only_rewrites = matches!(self.event.name, "tool_input_transform" | "tool_response_transform");
        if !request.event().is_moment(self.event) || (only_rewrites && request.stage() == Stage::Judge) {
            return nothing();
        }
        let Some(engine) = self.engine(request.context(), request.event().tool()) else { return nothing() };
        let (event, lane, words) = (self.event, self.lane, self.hooks.words);
        HookFuture::later(async move {
            let merged = asking::ask(&engine, event, lane, words, &request).await?;
            outcome::record_failures(&request, &merged);
            let powers = engine.rules().powers(event, lane);
            E::decider_outcome(&request, event, merged, powers.rewrites != Rewrites::Nothing)
        })
    }
}

/// The handlers of an informing event.
struct Told<E>(Phase<E>);

impl<E> Clone for Told<E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<E: Inform> Service<HookRequest<E>> for Told<E> {
    type Response = E::Outcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let (event, lane, words) = (self.0.event, self.0.lane, self.0.hooks.words);
        let Some(engine) = self.0.engine(request.context(), request.event().tool()) else {
            return HookFuture::now(Ok(E::Outcome::default()));
        };
        HookFuture::later(async move {
            let merged = asking::ask(&engine, event, lane, words, &request).await?;
            outcome::record_failures(&request, &merged);
            let mut outcome = E::Outcome::default();
            outcome.merge(E::outcome(event, merged));
            Ok(outcome)
        })
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::VirtualTime;
    use hooks_core::{HookFuture, Hooks};

    use super::*;
    use crate::config::{Block, Entry, Handler};
    use crate::engine::{Runner, World};
    use crate::output::Finished;
    use crate::process::{NoVariables, Start};
    use crate::rules::Rules;

    struct Nobody;

    impl Runner for Nobody {
        fn run(&self, _start: Start) -> HookFuture<'static, Finished> {
            HookFuture::now(Finished::failed("nobody runs it"))
        }
    }

    /// If [`CommandHooks::add`] did not know the kind of a row, its handlers would silently be lost.
    #[test]
    fn every_row_of_the_table_is_added() {
        for event in EVENTS {
            let mut block = Block::default();
            let handlers = vec![Handler::command("x").into()];
            block.add(event, Entry { handlers, ..Entry::default() });
            let world = World {
                runner: Arc::new(Nobody),
                timer: Arc::new(VirtualTime::default()),
                builtins: Arc::default(),
                judge: None,
                variables: Arc::new(NoVariables),
            };
            let hooks = CommandHooks::new(Engine::new(block, Rules::default(), world));
            assert_eq!(hooks.add_to(Hooks::builder()).build().hooked(), [event.kind], "{event}");
        }
    }
}
