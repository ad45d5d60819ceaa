//! Facts about a tool call, computed at most once per request and shared by all policies.
//!
//! Most policies ask one question about a call, and [`CallQuestions`] answers it: `request.writes("migrations/**")`.
//!
//! The engines of `hooks-facts` need settings that a request does not hold: the root, the case of names,
//! custom tools. A [`CallReader`] holds them; [`CallReader::read`] returns the [`Call`] as it is with these
//! settings. The facts of all readers are one cell of the request ([`CallFacts`]), so a rewrite or a wait
//! starts afresh. Readers with equal settings share their results, and each part is computed on first use.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use serde_json::json;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
//! let request = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "./src//a.rs"})));
//!
//! let call = CallReader::default().read(&request);
//! let readings = &call.places().found[0].resolution.as_ref().unwrap().readings;
//! assert_eq!(readings[0].path, "src/a.rs");
//! ```
//!
//! Customised: a tool of the host, and globs from a fixed root instead of the working directory.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, event::PreToolUse};
//! use hooks_facts::calls::{CallReader, PathsConfig, ToolRole};
//! use serde_json::json;
//!
//! let paths = PathsConfig { root: Some("/repo".into()), ..PathsConfig::default() };
//! let reader = CallReader::new(&paths, &[("publish_page".to_owned(), ToolRole::Write)].into())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "Backend").in_dir("/repo/site").with_environment(environment);
//! let request = HookRequest::new(context, PreToolUse::new("publish_page", json!({"path": "index.md"})));
//! let call = reader.read(&request);
//! assert!(call.writes_files() && !CallReader::default().read(&request).writes_files());
//! let resolution = call.places().found[0].resolution.as_ref().expect("it is below the root");
//! assert_eq!(resolution.readings[0].path, "site/index.md");
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod arguments;
mod call;
mod call_pattern;
mod call_patterns;
mod command_patterns;
mod commands;
mod config;
mod disk;
mod line_breaks;
mod path_patterns;
mod places;
mod plain;
mod questions;
mod reader;
mod reads;
mod root;
mod session_files;

pub use self::call::{Call, CallFacts};
pub use self::call_pattern::{CallPattern, CallPatternConfig};
pub use self::call_patterns::{CallPatterns, CallPatternsConfig};
pub use self::command_patterns::{CommandMatch, command_patterns, is_command_pattern, is_fragment};
pub use self::commands::{ParsedCommand, ParsedCommands};
pub use self::config::{PathsConfig, ToolRole};
pub use self::path_patterns::{FilePatterns, PathPatterns, PlaceMatch, ReadMatch};
pub use self::places::{Known, NamedPath, NamedPaths};
pub use self::plain::PlainFacts;
pub use self::questions::CallQuestions;
pub use self::reader::CallReader;
pub use self::reads::{NamedReads, ReadFile};
pub use self::session_files::FileOfSession;
