//! Tells people: too many errors, a breaker open, a chain at its end, credentials that somebody has to mend.
//!
//! [`AlertLayer`] stands outermost and looks at answers and errors as they pass; the healthy path costs it one counter.
//! What it has to say goes to an [`AlertSink`]: a closure, `tracing`, the `notification` event of a set of hooks, or
//! whatever a host writes (a webhook, a command). The same thing is said once in a while, so many things a minute at
//! most. Calls never wait for it: alerts stand in a queue of fixed length that is worked off in the background the
//! host gives; what finds no place is dropped and counted.
//!
//! ```
//! use hooks_resilience::alert::Alert;
//! use hooks_resilience::{AlertLayer, AlertSettings, Catalog, Health, HealthSettings, World};
//! # use hooks_core::{Environment, testing::VirtualTime};
//! # let (environment, catalog) = (Environment::detached(), Catalog::default());
//! # let world = World::new(&environment, VirtualTime::default());
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let sink = |alert: Alert| eprintln!("{alert}");
//! let layer = AlertLayer::new(&health, AlertSettings::default(), sink)?;
//! # Ok::<(), hooks_resilience::SettingsError>(())
//! ```

mod desk;
pub mod future;
mod layer;
mod service;
mod settings;
mod sink;

use std::fmt;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::event::Level;
use hooks_core::time::Timestamp;

pub use self::layer::AlertLayer;
pub use self::service::AlertService;
pub use self::settings::AlertSettings;
#[cfg(feature = "tracing")]
pub use self::sink::TracingSink;
pub use self::sink::{AlertSink, NotificationSink};
use crate::error::ErrorKind;

/// Something people should know.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// Of which model, or of which provider where it is about all of its models.
    pub subject: Option<Arc<str>>,
    /// In words; what providers say, never what was sent.
    pub message: String,
    /// When, as a calendar has it.
    pub at: Timestamp,
    /// Where it came up; empty where no call had to do with it.
    pub context: Arc<HookContext>,
    /// How many alerts were held back since the last one.
    pub held_back: u64,
}

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlertKind {
    /// More attempts failed within a window than may.
    TooManyErrors,
    /// A model, or a provider, is left alone from now on.
    BreakerOpened,
    /// A call failed because no model of its chain was left.
    ChainExhausted,
    /// An error that somebody has to mend.
    Mend(ErrorKind),
}

impl Alert {
    /// How bad it is.
    pub const fn level(&self) -> Level {
        match self.kind {
            AlertKind::TooManyErrors | AlertKind::BreakerOpened => Level::Warning,
            AlertKind::ChainExhausted | AlertKind::Mend(_) => Level::Error,
        }
    }
}

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.subject {
            write!(f, "`{subject}`: ")?;
        }
        f.write_str(&self.message)?;
        match self.held_back {
            0 => Ok(()),
            held_back => write!(f, " ({held_back} alerts were held back)"),
        }
    }
}
