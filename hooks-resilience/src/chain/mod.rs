//! The order of models for a call.
//!
//! The host writes lists: one per tier, and named chains that can be assigned to agents and tasks. [`Chains`]
//! checks the lists once and computes an order of models for each possible start of a call. A call then takes
//! its [`Chain`] without allocating.
//!
//! The rules are Squad's:
//!
//! * The models of a list are called in its order. The first is preferred; the provider plays no part.
//! * At its end, a tier continues with the cheaper tiers, and a chain with the list that it names in `then`.
//! * Cost never rises unless allowed. A list that goes to a more expensive tier is rejected without
//!   `upgrade: true`. Models of later lists are left out if they cost more than the model the call started
//!   with: by tier, and by price if both are known. Within a written list, its order counts, not the prices.
//! * Models of the nuclear tier come last, and only if `nuclear` is enabled.
//! * A restricted model is used only by calls that name it.
//!
//! ```
//! use hooks_resilience::{Catalog, Chains, ChainsConfig, Model, Tier};
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("gpt", "openai", Tier::Premium),
//!     Model::new("sonnet", "anthropic", Tier::Standard),
//! ])?;
//! let chains = Chains::new(&catalog, &ChainsConfig::default())?;
//! let names = |chain: &[std::sync::Arc<Model>]| chain.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
//! assert_eq!(names(&chains.order("premium", "", None)?), ["opus", "gpt", "sonnet"]);
//! assert_eq!(names(&chains.order("sonnet", "", None)?), ["sonnet"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: a chain of its own for an agent, and a cheaper one for titles.
//!
//! ```
//! use hooks_resilience::chain::ChainConfig;
//! use hooks_resilience::{Catalog, Chains, ChainsConfig, Model, Tier};
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("sonnet", "anthropic", Tier::Standard),
//!     Model::new("haiku", "anthropic", Tier::Fast),
//! ])?;
//! let config = ChainsConfig::default()
//!     .with_default("premium")
//!     .with_chain("careful", ChainConfig::new(["sonnet"]).then("fast"))
//!     .with_agent("reviewer", "careful")
//!     .with_task("title", "fast");
//! let chains = Chains::new(&catalog, &config)?;
//! let names = |chain: &[std::sync::Arc<Model>]| chain.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
//! assert_eq!(names(&chains.order("", "lead", None)?), ["opus", "sonnet", "haiku"]);
//! assert_eq!(names(&chains.order("", "reviewer", None)?), ["sonnet", "haiku"]);
//! assert_eq!(names(&chains.order("", "reviewer", Some("title"))?), ["haiku"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chains;
mod config;
mod cost;
mod error;
mod lists;
#[cfg(test)]
mod tests;

pub use self::chains::{Chain, Chains, UnknownName};
pub use self::config::{ChainConfig, ChainsConfig};
pub use self::error::{ChainFault, ChainsError};
