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
pub use self::model::{Judge, Question};
pub use self::rules::{Failures, NearMiss, Profile, Rules};
