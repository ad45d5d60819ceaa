//! Records every event and its outcome. The layer is the outermost of a stack, so that it sees both in their
//! final form.
//!
//! ```text
//! ServiceBuilder::new()
//!     .layer(AuditLayer::new(audit))   // sees the request last, and the answer first
//!     .layer(redaction)
//!     .service(Judge(policies))
//! ```
//!
//! [`HooksBuilder::config`](hooks_core::HooksBuilder::config) adds an [`Audit`] to every slot of a set of
//! hooks, where it observes the final outcome.
//!
//! The recorded event is the one that was judged, after redaction (law 7). A denial, and an answer of the
//! user, is synced before the answer is passed on. An allow is in the file some milliseconds later without
//! any wait, unless the tool is one of [`AuditSettings::before`]. [`OnError`] is the effect of a failed
//! write.

mod audit;
pub mod future;
mod service;
mod set;
mod settings;

use tower_layer::Layer;

pub use self::audit::{Audit, WeakAudit};
pub use self::service::AuditService;
pub use self::settings::{AuditSettings, IsIrreversible, OnError};

/// Records each event and its outcome; see the [module](self).
#[derive(Clone, Debug)]
pub struct AuditLayer {
    audit: Audit,
}

impl AuditLayer {
    /// Creates a layer that writes to the log of `audit`.
    pub const fn new(audit: Audit) -> Self {
        Self { audit }
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = AuditService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        AuditService::new(inner, self.audit.clone())
    }
}

#[cfg(test)]
mod tests;
