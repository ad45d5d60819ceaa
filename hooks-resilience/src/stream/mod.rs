//! Streamed answers: their chunks, and the continuation of an answer that breaks midway, without repeated
//! words or tool calls.
//!
//! [`ResumeLayer`] is the outermost layer, around a stack whose clients return a [`ModelStream`]. If a stream
//! breaks, stalls or reports an error, its reaction depends on the released parts:
//!
//! | released | reaction |
//! | --- | --- |
//! | nothing | makes the call again, through the whole stack |
//! | text | by [`StreamConfig::after_text`]: continues it, starts again, or fails |
//! | a tool call | fails with [`ErrorKind::StreamBroken`](crate::ErrorKind), which carries the received part |
//!
//! The host's [`Treatments`](crate::Treatments) decide which kinds of errors are retried. Each further call
//! is paid from the retry budget.
//!
//! If a model broke off, further calls use the other models first, and it only after a pause. [`BeginLayer`]
//! is the innermost layer, around the client. A failure before the first chunk is then an error of the
//! attempt, which the whole stack handles, and not an error of the stream.
//!
//! Tool calls are released only when complete. With the feature `redaction`, `ScrubLayer` removes secrets and personal data.
//!
//! ```
//! use futures_util::stream;
//! use hooks_core::event::Role;
//! use hooks_resilience::stream::collect;
//! use hooks_resilience::{
//!     Replied, Call, Catalog, Chunk, ErrorKind, Health, HealthSettings, Model, ModelError, ModelStream,
//!     ResumeLayer, StreamConfig, Tier,
//! };
//! use tower::{Layer, ServiceExt, service_fn};
//! # fn call_to(model: &std::sync::Arc<hooks_resilience::Model>) -> hooks_resilience::Call {
//! #     let id = hooks_core::state::OpId(1);
//! #     let mut call = hooks_resilience::Call::new(Default::default(), Default::default(), id);
//! #     call.model = Some(std::sync::Arc::clone(model));
//! #     call
//! # }
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let mut opus = Model::new("opus", "anthropic", Tier::Premium);
//! opus.prefill = true;
//! let catalog = Catalog::new([opus])?;
//! let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//!
//! // The first answer breaks off. The second call ends with the received text, which the model continues.
//! fn text(text: &str) -> Result<Chunk, ModelError> {
//!     Ok(Chunk::Text(text.to_owned()))
//! }
//!
//! let client = service_fn(async |call: Call| {
//!     let received = call.messages().last().filter(|message| message.role == Role::Assistant);
//!     let chunks = match received.map(|message| message.content.clone()) {
//!         None => vec![text("The quick "), Err(ModelError::new(ErrorKind::StreamBroken, "connection reset"))],
//!         Some(received) => {
//!             assert_eq!(received, "The quick");
//!             vec![text(" brown fox"), Ok(Chunk::Stop("end_turn".to_owned()))]
//!         }
//!     };
//!     Ok::<_, ModelError>(Replied::new(call, ModelStream::new(stream::iter(chunks))))
//! });
//! let stack = ResumeLayer::new(health, StreamConfig::default())?.layer(client);
//! let reply = collect(stack.oneshot(call_to(opus)).await?.reply).await?;
//! assert_eq!(reply.response.content, "The quick brown fox");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: the answer starts again, and a [`Chunk::Restarted`] signals that the received text does not count.
//!
//! ```
//! # use futures_util::{StreamExt, stream};
//! # use std::sync::Arc;
//! # use std::sync::atomic::{AtomicBool, Ordering};
//! # use hooks_resilience::stream::AfterText;
//! # use hooks_resilience::{
//! #     Replied, Call, Catalog, Chunk, ErrorKind, Health, HealthSettings, Model, ModelError, ModelStream,
//! #     ResumeLayer, StreamConfig, Tier,
//! # };
//! # use tower::{Layer, ServiceExt, service_fn};
//! # fn call_to(model: &std::sync::Arc<hooks_resilience::Model>) -> hooks_resilience::Call {
//! #     let id = hooks_core::state::OpId(1);
//! #     let mut call = hooks_resilience::Call::new(Default::default(), Default::default(), id);
//! #     call.model = Some(std::sync::Arc::clone(model));
//! #     call
//! # }
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! # let text = |text: &str| Ok(Chunk::Text(text.to_owned()));
//! # let broken = Arc::new(AtomicBool::new(false));
//! # let client = service_fn(move |call: Call| {
//! #     let chunks = match broken.swap(true, Ordering::SeqCst) {
//! #         false => vec![text("The quick "), Err(ModelError::new(ErrorKind::StreamBroken, "connection reset"))],
//! #         true => vec![text("A slow fox"), Ok(Chunk::Stop("end_turn".to_owned()))],
//! #     };
//! #     std::future::ready(Ok::<_, ModelError>(Replied::new(call, ModelStream::new(stream::iter(chunks)))))
//! # });
//! let settings = StreamConfig::default().with_after_text(AfterText::Restart);
//! let stack = ResumeLayer::new(health, settings)?.layer(client);
//! let mut answer = stack.oneshot(call_to(opus)).await?.reply;
//! let (mut shown, mut restarts) = (String::new(), 0);
//! while let Some(chunk) = answer.next().await {
//!     match chunk? {
//!         Chunk::Text(text) => shown.push_str(&text),
//!         Chunk::Restarted(_) => {
//!             restarts += 1;
//!             shown.clear();
//!         }
//!         _ => {}
//!     }
//! }
//! assert_eq!((&*shown, restarts), ("A slow fox", 1));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod assemble;
mod begin;
mod chunk;
mod collect;
mod config;
pub mod future;
mod layer;
mod model_stream;
mod overlap;
mod parts;
mod received;
mod resume;
#[cfg(feature = "redaction")]
mod scrub;
mod service;
#[cfg(test)]
mod tests;
mod watch;

pub use self::begin::{Begin, BeginFuture, BeginLayer};
pub use self::chunk::Chunk;
pub use self::collect::collect;
pub use self::config::{AfterText, StreamConfig};
pub use self::layer::ResumeLayer;
pub use self::model_stream::ModelStream;
#[cfg(feature = "redaction")]
pub use self::scrub::{Scrub, ScrubFuture, ScrubLayer};
pub use self::service::Resume;
