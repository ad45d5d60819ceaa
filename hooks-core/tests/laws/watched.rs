//! A subscriber for one thread, in a program whose other threads have none.

use std::sync::Once;

use tracing_subscriber::layer::{Layered, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

/// Does `work` with `layer` as the subscriber of this thread.
///
/// While a single subscriber is known, `tracing` asks that of the thread which reaches a place first whether
/// anyone wants to know of it, and keeps the answer: a test on another thread, without a subscriber, would
/// switch the place off for all. With one that is there for all threads, every place stays on.
pub(crate) fn watched<L>(layer: L, work: impl FnOnce())
where
    L: Layer<Registry> + Send + Sync,
    Layered<L, Registry>: Into<tracing::Dispatch>,
{
    static FOR_ALL_THREADS: Once = Once::new();
    FOR_ALL_THREADS
        .call_once(|| tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap());
    let dispatch = tracing_subscriber::registry().with(layer).into();
    tracing::dispatcher::with_default(&dispatch, work);
}
