//! Sources of context.
//!
//! A [`ContextSource`] gets one [`Ask`] at each moment and returns a [`Section`]: entries, the most relevant
//! first, and the command that shows the rest. All sources are loaded at once; [`Workers`] do work that needs
//! a disk or a process.
//!
//! | source | context |
//! | --- | --- |
//! | [`team`] | a `.squad` folder: decisions, directives, history, skills, focus, wisdom, ceremonies |
//! | [`FileSource`] | a file, whole |
//! | [`CommandSource`] | output of a program that the host runs |
//! | [`ServiceSource`] | answer of a tower service |
//! | [`StoreSource`] | a value of the state store |
//!
//! A source of the host; the service could be any tower stack:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::source::{Ask, ContextSource, Item, Moment, Section, ServiceSource};
//! use hooks_core::{BoxError, HookContext};
//! use tower::service_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let issues = ServiceSource::new("issues", service_fn(async |ask: Arc<Ask>| {
//!     let items = vec![Item::new(&format!("#7, for {}: the login is slow", ask.agent))];
//!     Ok::<_, BoxError>(Section::new("Open issues", items).with_rest(4, Some("gh issue list".to_owned())))
//! }));
//! let ask = Ask::new(Arc::new(HookContext::new("session-1", "backend")), "backend", Moment::Turn);
//! let section = issues.load(&Arc::new(ask)).await?;
//! assert_eq!(section.items[0].text, "#7, for backend: the login is slow");
//! assert_eq!((section.more, section.command.as_deref()), (4, Some("gh issue list")));
//! # Ok(())
//! # }
//! ```
//!
//! Customised: a source that adds a section only as a session begins, and only about the task at hand:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::source::{Ask, ContextSource, Item, Moment, Section, ServiceSource};
//! use hooks_core::event::StartSource;
//! use hooks_core::{BoxError, HookContext};
//! use tower::service_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let incidents = ServiceSource::new("incidents", service_fn(async |ask: Arc<Ask>| {
//!     let is_start = matches!(ask.moment, Moment::Session(_));
//!     let known = ["the login was slow on Monday", "invoices were sent twice"];
//!     let about = known.iter().filter(|text| is_start && text.contains(&*ask.task));
//!     Ok::<_, BoxError>(Section::new("Past incidents", about.map(|text| Item::new(text)).collect()))
//! }));
//! let ask = |moment| {
//!     let context = Arc::new(HookContext::new("session-1", "backend"));
//!     Arc::new(Ask::new(context, "backend", moment).about("invoices"))
//! };
//! let at_start = incidents.load(&ask(Moment::Session(StartSource::Startup))).await?;
//! assert_eq!(at_start.items.len(), 1);
//! assert_eq!(at_start.items[0].text, "invoices were sent twice");
//! assert!(incidents.load(&ask(Moment::Turn)).await?.items.is_empty());
//! # Ok(())
//! # }
//! ```

mod ask;
mod file;
mod section;
mod service;
mod store;
pub mod team;
mod words;

pub use self::ask::{Ask, Moment};
pub use self::file::FileSource;
pub use self::section::{Item, Section};
pub use self::service::{Command, CommandSource, ServiceSource};
pub use self::store::StoreSource;
pub use self::words::Words;
pub use hooks_core::beside::{Here, Threads, Work, Workers};

use std::sync::Arc;

use hooks_core::{BoxError, HookFuture};

/// A source of context.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::source::{Ask, ContextSource, Item, Moment, Section};
/// use hooks_core::{BoxError, HookContext, HookFuture};
///
/// /// The task of the agent, as the agent was given it.
/// struct Task;
///
/// impl ContextSource for Task {
///     fn name(&self) -> &str {
///         "task"
///     }
///
///     fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
///         let items = if ask.task.is_empty() { Vec::new() } else { vec![Item::new(&ask.task)] };
///         HookFuture::now(Ok(Section::new("Your task", items)))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let context = Arc::new(HookContext::new("session-1", "lead"));
/// let ask = Ask::new(context, "tester", Moment::Child).about("Test the API.");
/// assert_eq!(Task.load(&Arc::new(ask)).await?.items[0].text, "Test the API.");
/// # Ok(())
/// # }
/// ```
pub trait ContextSource: Send + Sync {
    /// Returns the name of the source, which identifies it in notes and reports.
    fn name(&self) -> &str;

    /// Loads the section for `ask`. If the source fails or is late, it is left out, and that is reported. At
    /// the deadline the future is dropped.
    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>>;

    /// Returns the shell command that shows all of the source, if it is known before loading.
    fn command(&self, _ask: &Ask) -> Option<String> {
        None
    }
}
