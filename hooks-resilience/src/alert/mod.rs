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
//! use std::sync::{Arc, Mutex};
//! use hooks_resilience::alert::Alert;
//! use hooks_resilience::{
//!     AlertLayer, AlertConfig, Replied, Call, Catalog, ErrorKind, Health, HealthSettings, ModelError,
//! };
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
//! # let call = || Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
//!
//! let sent = Arc::new(Mutex::new(Vec::new()));
//! let pager = Arc::clone(&sent);
//! let sink = move |alert: Alert| pager.lock().expect("no holder panics").push(alert.to_string());
//! let layer = AlertLayer::new(&health, AlertConfig::default(), sink)?;
//! let stack = layer.layer(service_fn(async |_: Call| {
//!     let error = ModelError::new(ErrorKind::Authentication, "invalid api key");
//!     Err::<Replied<()>, _>(error.with_model("opus"))
//! }));
//!
//! for _ in 0..2 {
//!     let error = stack.clone().oneshot(call()).await.expect_err("the key is refused");
//!     assert_eq!(error.kind(), ErrorKind::Authentication, "the caller receives the error unchanged");
//! }
//! let sent = sent.lock().expect("no holder panics");
//! assert_eq!(*sent, ["`opus`: authentication: invalid api key"], "the second alert is held back");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: three failures within a minute raise an alert, whichever kind they are.
//!
//! ```
//! # use std::sync::{Arc, Mutex};
//! # use std::time::Duration;
//! # use hooks_resilience::alert::Alert;
//! # use hooks_resilience::{
//! #     AlertLayer, AlertConfig, Replied, Call, Catalog, ErrorKind, Health, HealthSettings, ModelError,
//! # };
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
//! # let call = || Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
//! # let sent = Arc::new(Mutex::new(Vec::new()));
//! # let pager = Arc::clone(&sent);
//! let sink = move |alert: Alert| pager.lock().expect("no holder panics").push(alert.to_string());
//! let settings = AlertConfig::default().with_threshold(3, Duration::from_secs(60));
//! let stack = AlertLayer::new(&health, settings, sink)?
//!     .layer(service_fn(async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::Server, "500"))));
//!
//! for failures in 1..=3 {
//!     stack.clone().oneshot(call()).await.expect_err("the provider is down");
//!     assert_eq!(sent.lock().expect("no holder panics").len(), usize::from(failures == 3));
//! }
//! assert_eq!(sent.lock().expect("no holder panics")[0], "3 attempts failed within 1m");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
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
