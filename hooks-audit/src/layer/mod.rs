//! Puts every event and what was answered on the record: outermost in a stack, so that it sees both as they are in the
//! end.
//!
//! ```text
//! ServiceBuilder::new()
//!     .layer(AuditLayer::new(audit))   // sees the request last, and the answer first
//!     .layer(redaction)
//!     .service(Judge(policies))
//! ```
//!
//! In a set of hooks, [`Audit`] is a configuration of its own: [`HooksBuilder::config`](hooks_core::HooksBuilder::config)
//! adds it to every slot, where it observes the final outcome.
//!
//! What is put down is the event as it was judged, after redaction (law 7). A refusal and what a person said is on the
//! device before the answer goes on; an allow is in the file some milliseconds later, and nobody waits for it, unless the
//! tool is one of [`AuditSettings::before`]. What it means that the log cannot be written, [`OnError`] says.

mod audit;
pub mod future;
mod service;
mod set;
mod settings;

use tower_layer::Layer;

pub use self::audit::{Audit, WeakAudit};
pub use self::service::AuditService;
pub use self::settings::{AuditSettings, IsIrreversible, OnError};

/// Puts each event and its outcome on the record; see the [module](self).
#[derive(Clone, Debug)]
pub struct AuditLayer {
    audit: Audit,
}

impl AuditLayer {
    /// A layer that writes to the log of `audit`.
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
