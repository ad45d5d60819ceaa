//! By whose rules handlers are read and merged.

use std::fmt;
use std::str::FromStr;

use crate::event::{HookEvent, Lane, Powers};

/// The generation of docker-agent whose rules hold. The two disagree mostly where the older one is unsafe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// The summer of 2026: failures open unless the handler did not start, nothing is chained.
    July,
    /// Since September 2026: phases, chained rewrites, strict output, failures closed.
    #[default]
    September,
}

impl Profile {
    /// Its name in files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::July => "2026-07",
            Self::September => "2026-09",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "2026-07" => Ok(Self::July),
            "2026-09" => Ok(Self::September),
            other => Err(format!("there is no profile `{other}`; write `2026-09` or `2026-07`")),
        }
    }
}

/// What becomes of output that was nearly an answer: text before the JSON, names in camelCase, a byte-order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NearMiss {
    /// A failure where the event can be blocked or the result withheld, a warning elsewhere: a denial is not lost to a log line.
    #[default]
    Tell,
    /// Nothing, as in docker-agent: it is text, or an unknown name.
    Ignore,
}

/// What a handler that failed means, where it has no `on_error` and what it decides about would go ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Failures {
    /// A block, and a result that is withheld (law 3).
    #[default]
    Block,
    /// The user is told, as in docker-agent.
    Tell,
}

/// The rules of a set of handlers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The generation.
    pub profile: Profile,
    /// What becomes of near misses.
    pub near_miss: NearMiss,
    /// What becomes of failures.
    pub failures: Failures,
}

impl Rules {
    /// docker-agent's own, faults included: for who needs the same answers.
    pub const fn exactly(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Ignore, failures: Failures::Tell }
    }

    /// Those of a generation, where near misses are told and failures of handlers that decide block.
    pub const fn of(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Tell, failures: Failures::Block }
    }

    /// What the handlers of an event can do under these rules.
    pub fn powers(&self, event: &HookEvent, lane: Lane) -> Powers {
        let powers = event.powers(self.profile, lane);
        Powers { guards: powers.guards && self.failures == Failures::Block, ..powers }
    }
}
