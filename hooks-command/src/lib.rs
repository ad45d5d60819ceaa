//! External command hooks as services: what a docker-agent `hooks:` block says, run.
//!
//! A block names, per event, handlers: a shell command, a builtin of the host, a model. An [`Engine`] picks the
//! handlers that match, runs them (one after the other where they may rewrite, together where not), reads what each
//! said, and merges it. [`service`] puts that into a set of hooks: a command is a decider that waits.
//!
//! | room | what is there |
//! | --- | --- |
//! | [`event`] | the table of events and their powers, which drives all the rest |
//! | [`config`] | a block, read with every mistake at its place |
//! | [`output`] | what a handler said, from its exit status and its output; pure |
//! | [`merge`] | what several handlers said together; pure |
//! | [`engine`] | picks, runs, merges |
//! | [`process`] | starts commands, with bounds on time and output |
//! | [`builtin`], [`model`], [`template`] | the other two kinds of handlers |
//! | [`approval`] | docker-agent's way of one tool call through rules, hooks and a person |
//! | [`service`] | handlers as hooks of a set |
//!
//! Rules come in two [`Profile`]s. Failures of deciding handlers deny (law 3), unless the handler's `on_error` says
//! otherwise; docker-agent's own rules and the profile of the summer, whose failures open, are there by name only.

pub mod approval;
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
