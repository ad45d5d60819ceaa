//! Costs of Hooks: the measured cases, with one module for each question of a user.
//!
//! The same cases are measured in three ways: distributions by criterion (`cargo bench`), floors against bars
//! (`cargo xtask bench`), instructions against checked-in counts (`cargo xtask instructions`).

pub mod call;
mod case;
pub mod classic;
#[cfg(feature = "machine")]
pub mod context;
pub mod decisions;
pub mod directives;
pub mod feed;
pub mod govern;
pub mod protocols;
pub mod redaction;
pub mod resilience;
pub mod rules;
pub mod set;
pub mod squad;
pub mod stack;
pub mod store;

pub use case::{Bar, Case};

/// Reason why a case cannot be set up.
pub type SetupError = Box<dyn std::error::Error>;

/// All cases, by question.
///
/// # Errors
/// Returns an error if a case cannot be set up.
pub fn all() -> Result<Vec<Case>, SetupError> {
    let mut all = stack::cases();
    all.extend(set::cases());
    all.extend(govern::cases());
    all.extend(classic::cases()?);
    all.extend(rules::cases()?);
    all.extend(decisions::cases()?);
    all.extend(squad::cases()?);
    all.extend(resilience::cases()?);
    all.extend(protocols::cases()?);
    all.extend(directives::cases());
    all.extend(feed::cases());
    all.extend(redaction::cases()?);
    all.extend(store::cases());
    Ok(all)
}
