//! Reuses what an expensive read gave, within one session, for as long as nothing could have changed it.
//!
//! [`CacheLayer`] stands around the tools of one session, inside of [`Govern`](hooks_core::Govern): every call is judged
//! before it gets here, and every result, also one that is reused, goes through the hooks after the tool. Which tools
//! are cached is said one by one ([`CacheConfig`]), with what their results depend on:
//!
//! | `depends` | a result is reused while |
//! | --- | --- |
//! | `files` | every file that the arguments name is what it was (inode, length, times; or its content) |
//! | `tree` | no call went by that could have changed a file below the agent's folder |
//! | `outside` | its time is not up: nothing that agents do here changes it |
//!
//! A result belongs to a tenant, a session, a folder, a tool and its arguments, whose order of keys does not count. Of
//! identical reads at one time one runs. What a call may change is worked out from `hooks-facts`: a file tool changes
//! the files it names, and whatever else is not known to change nothing (a shell command, a tool that nobody knows)
//! changes everything. While it runs nothing of that is reused or kept; a command that goes on in the background keeps
//! results of `tree` from being reused until its session ends.
//!
//! Errors, results that say what was written, results that a hook withheld and results that are too long are not kept.
//! Results are kept in memory and as the tool gave them, so that the hooks of each call see what they would have seen.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::cache::{CacheConfig, CacheLayer, ResultCache};
//! use hooks_core::drivers::{ToolCall, ToolResult};
//! use hooks_core::{BoxError, Govern, HookContext, Hooks};
//! use serde_json::json;
//! use tower::{Layer, service_fn};
//!
//! let config: CacheConfig = serde_json::from_value(json!({
//!     "tools": [{"tool": "web_search", "depends": "outside", "for": "10m"}],
//! }))?;
//! let cache = ResultCache::new(config)?;
//! let tools = service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("found")));
//! let context = Arc::new(HookContext::new("session-1", "backend"));
//! let hooks = cache.add_to(Hooks::builder()).build();
//! let govern = Govern::new(hooks, CacheLayer::new(cache, context).layer(tools));
//! # let _ = govern;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not a general cache such as `moka`: a write has to empty what it touches before it runs, at one moment with the
//! reads that run beside it, and that is one lock around a small table; a concurrent map whose removals are worked off
//! later would need the same lock around it.

mod canonical;
mod depends;
pub mod future;
mod key;
mod layer;
mod lru;
mod result_cache;
mod service;
mod settings;
mod stamp;
mod told;
mod watch;
mod write_set;

pub use self::layer::CacheLayer;
pub use self::result_cache::ResultCache;
pub use self::service::CacheService;
pub use self::settings::{CacheConfig, CacheConfigError, CacheTool, Check, Depends};
pub use self::stamp::{Look, Stamps, SystemStamps};
pub use self::watch::{CacheAnswer, CacheCounts, CacheWatch};

#[cfg(test)]
mod tests;
