//! External command hooks as services: runs the handlers of a docker-agent `hooks:` block.
//!
//! For each event, a block names handlers: a shell command, a builtin of the host, or a model. An [`Engine`]
//! selects the matching handlers and runs them: one after the other if they can rewrite, otherwise
//! concurrently. It parses the output of each and merges the answers. [`service`] adds them to a set of
//! hooks, where a command is a hook that decides and can wait.
//!
//! | module | content |
//! | --- | --- |
//! | [`event`] | the table of events and their powers, which determines all the rest |
//! | [`config`] | parsing of a block, with the path of every mistake |
//! | [`output`] | the answer of a handler, from its exit status and its output; pure |
//! | [`merge`] | the merged answers of several handlers; pure |
//! | [`engine`] | selects, runs, merges |
//! | [`process`] | starts commands, with limits on time and output |
//! | [`builtin`], [`model`], [`template`] | the other two kinds of handlers |
//! | [`service`] | handlers as hooks of a set |
//!
//! There are two [`Profile`]s of rules. Failures of deciding handlers deny (law 3), unless the handler's
//! `on_error` differs. docker-agent's own rules and the July profile, in which failures open, apply only if
//! the configuration names them.
//!
//! A block whose command checks every shell command. The runner of this example answers in place of a
//! process, and the model reads what a command writes to its standard error:
//!
//! ```
//! # use std::sync::Arc;
//! use hooks_command::config::{Known, read};
//! # use hooks_command::engine::World;
//! use hooks_command::output::{End, Finished};
//! # use hooks_command::process::NoVariables;
//! use hooks_command::process::{Runner, Start};
//! use hooks_command::service::CommandHooks;
//! use hooks_command::{Engine, Profile, Rules};
//! use hooks_core::event::PreToolUse;
//! # use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, HookFuture, Hooks, Judged};
//! use serde_json::json;
//!
//! /// Ends with status 2, which is a block, if the command pushes by force.
//! struct NoForce;
//!
//! impl Runner for NoForce {
//!     fn run(&self, start: Start) -> HookFuture<'static, Finished> {
//!         let is_forced = start.input["tool_input"]["cmd"] == "git push --force";
//!         let (status, stderr) = if is_forced { (2, "no forced pushes") } else { (0, "") };
//!         let (end, stdout) = (End::Exited(status), String::new());
//!         HookFuture::now(Finished { end, stdout, stderr: stderr.to_owned() })
//!     }
//! }
//!
//! # let time = VirtualTime::default();
//! let handlers = json!([{"type": "command", "command": "./check.sh"}]);
//! let block = json!({"pre_tool_use": [{"matcher": "shell", "hooks": handlers}]});
//! let read = read(&block, Known { profile: Profile::September, builtins: None, our_events: true, exactly: false });
//! assert!(read.is_usable());
//! # let (timer, builtins, variables) = (Arc::new(time.clone()), Arc::default(), Arc::new(NoVariables));
//! # let world = World { runner: Arc::new(NoForce), timer, builtins, judge: None, variables };
//! let commands = CommandHooks::new(Engine::new(read.block, Rules::default(), world));
//! let hooks = commands.add_to(Hooks::builder()).build();
//!
//! let ask = |command: &str| {
//!     let call = PreToolUse::new("Bash", json!({"command": command}));
//!     time.block_on(hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call))
//! };
//! let denied = ask("git push --force").ok_or("it waits")?;
//! let reason = denied.outcome.shown_reason().ok_or("a denial has a reason")?;
//! assert_eq!((&*reason.policy, &*reason.for_agent()), ("pre_tool_use[0].hooks[0]", "no forced pushes"));
//! assert!(ask("git push").ok_or("it waits")?.outcome.goes_ahead());
//! # Ok::<(), &str>(())
//! ```

pub mod builtin;
pub mod config;
pub mod engine;
pub mod event;
pub mod input;
pub mod merge;
pub mod model;
pub mod output;
pub mod process;
mod rules;
pub mod service;
pub mod template;

pub use self::builtin::{Builtin, BuiltinCall, Builtins, Scrub};
pub use self::config::{Block, Fault, Handler, Level};
pub use self::engine::{Ask, Engine};
pub use self::event::{HookEvent, Lane};
pub use self::merge::Merged;
pub use self::model::{ModelJudge, Question};
pub use self::rules::{Failures, Names, NearMiss, Profile, Rules};
