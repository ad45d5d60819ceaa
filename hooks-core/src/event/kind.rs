//! The kinds of events, as values; generated from the event table.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::*;
use crate::outcome::{
    CompactOutcome, ContextPatch, Decision, Gate, Judged, PromptOutcome, Recovery, ResultPatch,
};
use crate::request::HookRequest;

/// Default meaning of a failing hook of an event (law 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnFailure {
    /// The failure is a denial, with a reason of kind `failure`. Only an explicit setting changes that.
    Closes,
    /// The hook is passed over; the failure is recorded.
    Opens,
}

macro_rules! on_failure {
    (closes) => {
        OnFailure::Closes
    };
    (opens) => {
        OnFailure::Opens
    };
}

macro_rules! apply {
    ($self:ident, $rewrite:ident, Never) => {
        match $rewrite {}
    };
    ($self:ident, $rewrite:ident, $type:ident) => {
        $self.rewrite($rewrite)
    };
}

macro_rules! kinds {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        /// Kind of an event: one variant for each row of the event table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum EventKind {
            $( #[doc = $ddoc] $DType, )*
            $( #[doc = $idoc] $IType, )*
        }

        impl EventKind {
            /// All kinds: first those that can be denied, then those that only inform.
            pub const ALL: &'static [Self] = &[ $( Self::$DType, )* $( Self::$IType, )* ];

            /// Name of the event in configuration and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$DType => stringify!($dname), )*
                    $( Self::$IType => stringify!($iname), )*
                }
            }

            /// Moment at which the event fires.
            pub fn fires(self) -> &'static str {
                match self {
                    $( Self::$DType => $ddoc.trim(), )*
                    $( Self::$IType => $idoc.trim(), )*
                }
            }

            /// Type of the outcome, as text.
            pub const fn outcome(self) -> &'static str {
                match self {
                    $( Self::$DType => stringify!($DOutcome), )*
                    $( Self::$IType => stringify!($IOutcome), )*
                }
            }

            /// Type of the rewrite that transforms may make, as text; `Never` if they may make none.
            pub const fn rewrite(self) -> &'static str {
                match self {
                    $( Self::$DType => stringify!($DRewrite), )*
                    $( Self::$IType => "Never", )*
                }
            }

            /// Names of the event in other systems.
            pub const fn elsewhere(self) -> &'static str {
                match self {
                    $( Self::$DType => $dalias, )*
                    $( Self::$IType => $ialias, )*
                }
            }

            /// Whether policies judge the event.
            pub const fn decides(self) -> bool {
                match self {
                    $( Self::$DType => true, )*
                    $( Self::$IType => false, )*
                }
            }

            /// Meaning of a failing hook.
            pub const fn on_failure(self) -> OnFailure {
                match self {
                    $( Self::$DType => on_failure!($failure), )*
                    $( Self::$IType => OnFailure::Opens, )*
                }
            }

            /// JSON schema of the event's fields.
            #[cfg(feature = "schema")]
            pub fn schema(self) -> schemars::Schema {
                match self {
                    $( Self::$DType => schemars::schema_for!($DType), )*
                    $( Self::$IType => schemars::schema_for!($IType), )*
                }
            }
        }

        $(
            impl Event for $DType {
                type Outcome = $DOutcome;
                type Rewrite = $DRewrite;
                const KIND: EventKind = EventKind::$DType;

                fn apply(&mut self, rewrite: $DRewrite) {
                    apply!(self, rewrite, $DRewrite)
                }

                fn settle(outcome: &mut $DOutcome, request: &HookRequest<Self>) {
                    outcome.settle(request);
                }

                fn effective(outcome: &$DOutcome) -> Option<&HookRequest<Self>> {
                    outcome.effective()
                }
            }
        )*
        $(
            impl Event for $IType {
                type Outcome = $IOutcome;
                type Rewrite = Never;
                const KIND: EventKind = EventKind::$IType;

                fn apply(&mut self, rewrite: Never) {
                    match rewrite {}
                }

                fn settle(_outcome: &mut $IOutcome, _request: &HookRequest<Self>) {}

                fn effective(_outcome: &$IOutcome) -> Option<&HookRequest<Self>> {
                    None
                }
            }
        )*
    };
}
for_each_event!(kinds);

impl EventKind {
    /// Returns the event with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
