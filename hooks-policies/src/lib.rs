//! The classic policies: which files may be written, which commands may run, what must not leak, how often the user
//! is asked, who is locked out of what, what may be spent.
//!
//! Each is a [`Policy`](hooks_core::Policy), [`Transform`](hooks_core::Transform) or
//! [`Reserve`](hooks_core::Reserve) that works alone, and a layer; [`config::PolicyConfig`] builds them together.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`config`], [`build`] | plain data, and hooks built of it |
//! | [`facts`] | what a call is about: kind of tool, resolved files, parsed commands |
//! | [`write_guard`], [`protected`] | which files may be written |
//! | [`own_state`] | keeps commands from the state of the hooks themselves |
//! | [`command_guard`] | which commands may not run |
//! | [`lockout`] | keeps agents away from artifacts |
//! | [`ask_limit`] | how often the user is asked |
//! | [`limits`] | how often tools and models are called, and loops |
//! | [`spend`] | what may be spent on models |
//! | [`spawn`] | which children agents may start, how many, and who of them lives |
//! | [`rules`] | rules of one's own, indexed |
//! | [`redaction`], [`result_redaction`], [`arguments`] | the scrubber, on results and on recorded arguments |
//! | [`squad`], [`profile`] | Squad's pipeline as it is, and its policies read strictly |

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
