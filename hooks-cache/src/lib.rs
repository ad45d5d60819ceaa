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
//!
//! Customised: results of a search depend on the tree of files, and a shell command removes them.
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use hooks_cache::{CacheConfig, CacheLayer, CacheTool, Depends, ResultCache};
//! use hooks_core::drivers::{ToolCall, ToolResult};
//! use hooks_core::{BoxError, HookContext};
//! use serde_json::json;
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! # let folder = tempfile::tempdir()?;
//! let cache = ResultCache::new(CacheConfig::new().with_tool(CacheTool::new("search", Depends::Tree)))?;
//! let runs = Arc::new(AtomicU64::new(0));
//! let counter = Arc::clone(&runs);
//! let tools = service_fn(move |_: ToolCall| {
//!     let run = counter.fetch_add(1, Ordering::SeqCst) + 1;
//!     async move { Ok::<_, BoxError>(ToolResult::ok(run)) }
//! });
//! let context = Arc::new(HookContext::new("session-1", "backend").in_dir(folder.path()));
//! let tools = CacheLayer::new(cache.clone(), context).layer(tools);
//! let search = || tools.clone().oneshot(ToolCall::new("search", json!({"pattern": "retry"})));
//!
//! assert_eq!(search().await?.content, 1);
//! assert_eq!(search().await?.content, 1, "reused");
//! tools.clone().oneshot(ToolCall::new("bash", json!({"command": "make"}))).await?;
//! assert_eq!(search().await?.content, 3, "the command may have changed any file");
//! assert_eq!((cache.counts().hits, cache.counts().emptied), (1, 1));
//! # Ok(())
//! # }
//! ```

mod canonical;
mod config;
mod depends;
pub mod future;
mod key;
mod layer;
mod lru;
mod result_cache;
mod service;
mod stamp;
mod told;
mod watch;
mod write_set;

pub use self::config::{CacheConfig, CacheConfigError, CacheTool, Check, Depends};
pub use self::layer::CacheLayer;
pub use self::result_cache::ResultCache;
pub use self::service::Cache;
pub use self::stamp::{Look, Stamps, SystemStamps};
pub use self::watch::CacheCounts;

#[cfg(test)]
mod tests;
