//! Reuses results of expensive reads within one session, for as long as nothing can have changed them.
//!
//! [`CacheLayer`] stands around the tools of one session, inside of [`Govern`](hooks_core::Govern): every
//! call is judged before it reaches the cache, and every result, reused or not, goes through the hooks after
//! the tool. [`CacheConfig`] lists the cached tools one by one, with what their results depend on:
//!
//! | `depends` | a result is reused while |
//! | --- | --- |
//! | `files` | every file that the arguments name is unchanged (inode, length, times; or its content) |
//! | `tree` | no later call may have changed a file below the agent's folder |
//! | `outside` | it has not expired; calls of agents here do not change it |
//!
//! A result belongs to a tenant, a session, a folder, a tool and its arguments; the order of keys in them
//! does not count. Of identical reads at one time, one runs. `hooks-facts` determines what a call may change.
//! A file tool changes the files it names. Any other call that is not known to change nothing (a shell
//! command, an unknown tool) changes everything. While a call runs, results that it may change are neither
//! reused nor stored. A command that continues in the background keeps results of `tree` from being reused
//! until its session ends.
//!
//! The cache does not store errors, results that report written files, results that a hook withheld, and
//! results that are too long. Results are stored in memory, unchanged from the tool, so that the hooks of
//! each call see the original.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_cache::{CacheConfig, CacheLayer, ResultCache};
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
//! A general cache such as `moka` does not fit: a write has to remove the results it affects before it runs,
//! atomically with the reads beside it. One lock around a small table does that; a concurrent map that
//! applies removals later would need the same lock around it.

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
pub use self::watch::CacheCounts;

#[cfg(test)]
mod tests;
