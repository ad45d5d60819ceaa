//! Which models a call may use, in order.
//!
//! A host writes lists: one per tier, and chains with names of its own that agents and tasks can be given.
//! [`Chains`] checks them once and works out, for each place a call can start at, whom it asks and in which order;
//! a call then takes its [`Chain`] without allocating.
//!
//! The rules are Squad's:
//!
//! * A list is asked in its order. The first is preferred; who serves it does not matter unless the list says so.
//! * Used up, a tier goes on with the cheaper tiers; a chain goes on with what it names in `then`.
//! * Never upwards in cost unasked. A list that goes to a dearer tier is refused unless it says `upgrade: true`;
//!   what a list goes on with is left out where it costs more than where the call started: by its tier, and by
//!   its price where both are known. Within a list a person wrote, the order is that person's word on prices.
//! * Models of the nuclear tier come last, and only where `nuclear` is switched on.
//! * A restricted model is asked only by a call that names it.
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
