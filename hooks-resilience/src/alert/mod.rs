//! Alerts for operators: too many errors, an open breaker, an exhausted chain, credentials that need a
//! repair.
//!
//! [`AlertLayer`] is the outermost layer and looks at each answer and error; a call without failures costs it
//! one check. Alerts go to an [`AlertSink`]: a closure, `tracing`, the `notification` event of a set of
//! hooks, or one that the host writes (a webhook, a command). The same alert is repeated only after a quiet
//! time, and the alerts per minute are limited. Calls never wait for the sink: alerts wait in a queue of
//! fixed length, which the host's background works off. If the queue is full, the alert is dropped and
//! counted.
//!
//! ```
//! use hooks_resilience::alert::Alert;
//! use hooks_resilience::{AlertLayer, AlertConfig, Catalog, Health, HealthSettings, World};
//! # use hooks_core::{Environment, testing::VirtualTime};
//! # let (environment, catalog) = (Environment::detached(), Catalog::default());
//! # let world = World::new(&environment, VirtualTime::default());
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let sink = |alert: Alert| eprintln!("{alert}");
//! let layer = AlertLayer::new(&health, AlertConfig::default(), sink)?;
//! # Ok::<(), hooks_resilience::SettingsError>(())
//! ```

mod config;
mod desk;
pub mod future;
mod layer;
mod service;
mod sink;

use std::fmt;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::event::Level;
use hooks_core::time::Timestamp;

pub use self::config::AlertConfig;
pub use self::layer::AlertLayer;
pub use self::service::AlertService;
#[cfg(feature = "tracing")]
pub use self::sink::TracingSink;
pub use self::sink::{AlertSink, NotificationSink};
use crate::error::ErrorKind;

/// A report of trouble that an operator should see.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Alert {
    /// Kind of trouble.
    pub kind: AlertKind,
    /// Name of the model, or of the provider if all of its models are concerned.
    pub subject: Option<Arc<str>>,
    /// Description: may contain the provider's error text, never the contents of a request.
    pub message: String,
    /// Wall-clock time of the alert.
    pub at: Timestamp,
    /// Context of the call that raised the alert; empty if no call did.
    pub context: Arc<HookContext>,
    /// Number of alerts held back since the last one.
    pub held_back: u64,
}

/// The kind of trouble that an alert reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlertKind {
    /// More attempts failed within the window than the settings allow.
    TooManyErrors,
    /// The breaker of a model or provider opened: it gets no calls for a while.
    BreakerOpened,
    /// A call failed because no model of its chain was left.
    ChainExhausted,
    /// An error that an operator has to repair, such as refused credentials.
    Mend(ErrorKind),
}

impl Alert {
    /// The severity of the alert.
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
