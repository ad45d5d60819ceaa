//! The configuration that governs an event, read for this event alone.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::config::{Config, ConfigErrors};
use hooks::{HookContext, Hooks};
use hooks_protocols::Decoded;
use tokio::runtime::{Builder, Runtime};

use super::project::{self, Found};
use super::{Failure, Notes, settled};
use crate::cli::Run;
use crate::event::here;
use crate::load;
use crate::unfinished::Unfinished;

/// What governs one event.
pub(super) struct Governing {
    config: Config,
    root: PathBuf,
    runtime: Runtime,
    unfinished: Unfinished,
}

/// What governs `decoded`.
pub(super) fn of(asked: &Run, decoded: &Decoded) -> Result<Governing, Failure> {
    let cwd = folder_of(decoded)?;
    let Some(Found { config, root, would_govern }) = project::find(asked.config.as_deref(), decoded, &cwd)
    else {
        return Err(format!(
            "there is no `hooks.yaml` for `{}`; write one with `hooks init {}`, or name one with `--config`",
            cwd.display(),
            decoded.client.name()
        ));
    };
    let reader =
        load::reader(None).spoken_in(decoded.client.dialect(&decoded.event_name)).protecting(would_govern);
    let config = settled::read(&config, || reader.read(&config))?.map_err(|errors| told(&errors))?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("nothing can be waited for: {error}"))?;
    Ok(Governing { config, root, runtime, unfinished: Unfinished::default() })
}

impl Governing {
    /// The hooks.
    pub(super) fn hooks(&self) -> Hooks {
        self.config.clone().hooks()
    }

    /// Waits for what takes time.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Where the event happens, in this process.
    pub(super) fn context(&self, decoded: &Decoded, notes: &Notes) -> HookContext {
        let mut context = here(decoded.context.clone(), &self.config, &self.unfinished);
        context.environment.failures = Arc::new(notes.clone());
        context.team_root.get_or_insert_with(|| self.root.clone());
        context
    }

    /// Does what an answer leaves to do.
    pub(super) fn finish(&self) {
        self.wait(self.unfinished.finish());
    }
}

/// The folder that the event happens in.
fn folder_of(decoded: &Decoded) -> Result<PathBuf, Failure> {
    let cwd = &decoded.context.cwd;
    if cwd.as_os_str().is_empty() {
        return env::current_dir().map_err(|error| format!("the working folder is not known: {error}"));
    }
    match cwd.is_absolute() {
        true => Ok(cwd.clone()),
        false => Err(format!(
            "`{}` is relative, so nobody can tell which folder the event happens in",
            cwd.display()
        )),
    }
}

/// The first mistake of a configuration, and how to see the others.
fn told(errors: &ConfigErrors) -> String {
    let name = Path::new(errors.name()).display();
    let first = errors.errors().first().map(ToString::to_string).unwrap_or_default();
    let more = match errors.errors().len() {
        0 | 1 => String::new(),
        count => format!(" ({} more)", count.saturating_sub(1)),
    };
    format!("`{name}` cannot be used: {first}{more}; see `hooks check {name}`")
}
