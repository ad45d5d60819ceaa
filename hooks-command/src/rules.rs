//! By whose rules handlers are read and merged.

use std::fmt;
use std::str::FromStr;

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
    /// A failure where the event can be blocked, a warning elsewhere: a denial is not lost to a log line.
    #[default]
    Tell,
    /// Nothing, as in docker-agent: it is text, or an unknown name.
    Ignore,
}

/// The rules of a set of handlers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The generation.
    pub profile: Profile,
    /// What becomes of near misses.
    pub near_miss: NearMiss,
}

impl Rules {
    /// docker-agent's own, faults included: for who needs the same answers.
    pub const fn exactly(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Ignore }
    }

    /// Those of a generation, where near misses are told.
    pub const fn of(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Tell }
    }
}
