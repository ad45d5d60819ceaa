//! Tower services as sources, and programs that a service runs.

use std::sync::Arc;

use hooks_core::{BoxError, HookFuture};
use tower::ServiceExt;
use tower_service::Service;

use super::{Ask, ContextSource, Item, Section};

/// A tower service that returns a [`Section`].
#[derive(Clone, Debug)]
pub struct ServiceSource<S> {
    name: String,
    service: S,
}

impl<S> ServiceSource<S> {
    /// Calls `service`; `name` identifies the source.
    pub fn new(name: impl Into<String>, service: S) -> Self {
        Self { name: name.into(), service }
    }
}

impl<S> ContextSource for ServiceSource<S>
where
    S: Service<Arc<Ask>, Response = Section, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        let (service, ask) = (self.service.clone(), Arc::clone(ask));
        HookFuture::later(async move { service.oneshot(ask).await.map_err(Into::into) })
    }
}

/// A program to run, with its arguments and folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program and its arguments, passed without a shell.
    pub words: Vec<String>,
    /// Working directory of the program.
    pub folder: std::path::PathBuf,
}

/// Output of a program, as one entry. The service `S` runs the program: this crate starts no process.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::source::{Ask, Command, CommandSource, ContextSource, Moment};
/// use hooks_core::{BoxError, HookContext};
/// use tower::service_fn;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let runner = service_fn(async |command: Command| {
///     Ok::<_, BoxError>(format!("{} in {}\n", command.words[0], command.folder.display()))
/// });
/// let words = ["make", "status"].map(str::to_owned).to_vec();
/// let status = CommandSource::new("status", words, runner);
/// let ask = Ask::new(Arc::new(HookContext::new("s", "backend").in_dir("/repo")), "backend", Moment::Turn);
/// assert_eq!(status.command(&ask).as_deref(), Some("make status"));
/// assert_eq!(status.load(&Arc::new(ask)).await?.items[0].text, "make in /repo");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CommandSource<S> {
    name: String,
    words: Vec<String>,
    runner: S,
}

impl<S> CommandSource<S> {
    /// Lets `runner` run `words`, which begin with the program.
    pub fn new(name: impl Into<String>, words: Vec<String>, runner: S) -> Self {
        Self { name: name.into(), words, runner }
    }
}

impl<S> ContextSource for CommandSource<S>
where
    S: Service<Command, Response = String, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        let (runner, title, command) = (self.runner.clone(), self.name.clone(), self.command(ask));
        let program = Command { words: self.words.clone(), folder: ask.context.root().to_owned() };
        HookFuture::later(async move {
            let printed = runner.oneshot(program).await.map_err(Into::into)?;
            let items = if printed.trim().is_empty() { Vec::new() } else { vec![Item::new(&printed)] };
            Ok(Section::new(title, items).with_rest(0, command))
        })
    }

    fn command(&self, _ask: &Ask) -> Option<String> {
        Some(self.words.join(" "))
    }
}
