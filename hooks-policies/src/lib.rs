//! The classic policies: they decide which files may be written and which commands may run, limit questions
//! and spending, and scrub tool results.
//!
//! Each works alone, as a [`Policy`](hooks_core::Policy), [`Transform`](hooks_core::Transform) or
//! [`Reserve`](hooks_core::Reserve), and as a layer. [`config::PolicyConfig`] builds all of them together.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`config`], [`build`] | configuration, and hooks built from it |
//! | [`facts`] | facts about a call: kind of tool, resolved files, parsed commands |
//! | [`write_guard`], [`protected`] | deny writes to files |
//! | [`own_state`] | keeps commands from the hooks' own state |
//! | [`command_guard`] | denies blocked commands |
//! | [`lockout`] | keeps agents away from artifacts that they are locked out of |
//! | [`ask_limit`] | limits questions to the user |
//! | [`limits`] | limits calls of tools and models, and stops loops |
//! | [`spend`] | limits spending on models |
//! | [`spawn`] | limits child agents, and keeps a registry of them |
//! | [`rules`] | custom rules, indexed |
//! | [`redaction`], [`result_redaction`], [`arguments`] | scrub results and recorded arguments |
//! | [`squad`], [`profile`] | Squad's pipeline unchanged, and its policies read strictly |

pub mod arguments;
mod artifacts;
pub mod ask_limit;
pub mod build;
pub mod command_guard;
pub mod config;
mod errors;
pub mod facts;
mod later;
pub mod limits;
mod lineage;
pub mod lockout;
mod names;
pub mod own_state;
mod patterns;
mod place;
pub mod profile;
pub mod protected;
pub mod redaction;
pub mod result_redaction;
pub mod rules;
pub mod spawn;
pub mod spend;
pub mod squad;
mod store;
#[cfg(test)]
mod testing;
mod window;
pub mod write_guard;

pub use self::arguments::ArgumentRecorder;
pub use self::ask_limit::{AskLimit, AskLimitLayer};
pub use self::build::{PolicyHooks, StrictPolicies};
pub use self::command_guard::{CommandGuard, CommandGuardLayer};
pub use self::errors::{PolicyError, PolicyErrors};
pub use self::facts::CallReader;
pub use self::limits::{
    CallLimits, CallLimitsLayer, IterationLimit, IterationLimitLayer, LoopLimit, LoopLimitLayer,
};
pub use self::lockout::{
    ArtifactError, Cleared, LockedOut, Lockout, LockoutError, LockoutRegistry, RefreshLockouts,
    RefreshLockoutsLayer, ReviewerLockout, ReviewerLockoutLayer, StoredLockouts, artifact_name,
    is_same_artifact,
};
pub use self::own_state::{OwnState, OwnStateLayer};
pub use self::protected::{ProtectedFiles, ProtectedFilesLayer};
pub use self::result_redaction::{ResultRedaction, ResultRedactionLayer};
pub use self::rules::{Rules, RulesLayer};
pub use self::spawn::{Children, SpawnBudget, SpawnBudgetLayer, SpawnRules};
pub use self::spend::{SpendBudget, SpendBudgetLayer, SpendStreamLayer};
pub use self::window::LimitWindow;
pub use self::write_guard::{WriteGuard, WriteGuardLayer};
