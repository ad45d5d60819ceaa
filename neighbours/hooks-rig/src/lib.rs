//! Hooks around the tools and model calls of rig's agents, as one of rig's own hooks.
//!
//! ```no_run
//! use hooks_core::{HookContext, Hooks};
//! use hooks_rig::GovernAgent;
//! use rig::prelude::*;
//! use rig::providers::openai::{GPT_5_2, OpenAI};
//!
//! let hook = GovernAgent::new(Hooks::default(), HookContext::new("session-1", "agent"));
//! let agent = AgentBuilder::new(OpenAI::from_env()?.completion(GPT_5_2)).add_hook(hook).build();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * A tool call is a `pre_tool_use`: hooks may rewrite its arguments or deny it. A denied tool does not run; it is skipped, and the model
//!   reads the reason. An ask is a denial. Its result is a `post_tool_use`: hooks may rewrite or withhold it.
//! * A call of a model is a `before_model_call`, with the model that the request names, else the name given to [`GovernAgent::model`]. A denied
//!   call cancels the run with the reason. Its answer is an `after_model_call` with the tokens that the provider reported. Hooks may rewrite
//!   or withhold it.
//! * A failure is an `error_occurred`.
//!
//! If a hook fails, the call is denied.
//!
//! Add it after all other hooks of the agent: a hook behind it could change what was judged. A streamed answer is judged when it is complete; its
//! pieces have been read by then. Rig's memory, retrieval, embeddings and reranking are not governed.

mod hook;
mod translate;

pub use self::hook::GovernAgent;
