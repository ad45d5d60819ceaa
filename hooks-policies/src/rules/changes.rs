//! Conditions on what a call brings in: the content that it writes and the modules that the content imports.
//!
//! Reading source text is the work of another crate, which implements [`ReadChanges`].

use std::fmt;
use std::sync::Arc;

use hooks_core::HookRequest;
use hooks_core::event::PreToolUse;
use hooks_facts::calls::CallReader;

/// Comparison of a condition with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionMatch {
    /// The condition does not hold.
    Other,
    /// The condition holds.
    Same,
    /// Whether the condition holds cannot be known before the call runs.
    Unknown,
}

impl ConditionMatch {
    /// Returns the match of a call that has to fulfil both conditions.
    ///
    /// ```
    /// use hooks_policies::rules::ConditionMatch::{Other, Same, Unknown};
    ///
    /// assert_eq!((Same.and(Unknown), Unknown.and(Other), Same.and(Same)), (Unknown, Other, Same));
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Same, Self::Same) => Self::Same,
            _ => Self::Unknown,
        }
    }
}

/// Compiles conditions on the content of calls.
pub trait ReadChanges: fmt::Debug + Send + Sync {
    /// Compiles a condition that holds if a call writes one of these tokens of source text, outside of comments and
    /// strings.
    ///
    /// # Errors
    /// Returns the problem with a text that cannot be used.
    fn content(&self, tokens: &[String], reader: &CallReader) -> Result<Arc<dyn ChangeCondition>, String>;

    /// Compiles a condition that holds if a call writes source text that imports one of these modules.
    ///
    /// # Errors
    /// Returns the problem with a name that cannot be used.
    fn imports(&self, modules: &[String], reader: &CallReader) -> Result<Arc<dyn ChangeCondition>, String>;
}

/// Compiled condition on the content of a call.
pub trait ChangeCondition: fmt::Debug + Send + Sync {
    /// Compares the condition with a call.
    fn compare(&self, request: &HookRequest<PreToolUse>) -> ConditionMatch;

    /// Describes the part of a call for which the condition holds, such as "the call imports `jquery`".
    fn describe(&self, _request: &HookRequest<PreToolUse>) -> Option<String> {
        None
    }
}
