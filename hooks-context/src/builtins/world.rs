//! Traits through which builtins reach the machine.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::Disk;
use hooks_core::machine::{Machine, UnknownMachine};
use hooks_core::programs::Programs;
use hooks_core::time::Clock;
use serde_json::Value;

/// Access of builtins to the machine. Cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub struct World {
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Reads and writes files.
    pub disk: Arc<dyn Disk>,
    /// Describes the machine and its user.
    pub machine: Arc<dyn Machine>,
    /// Starts programs; only git is started.
    pub programs: Arc<dyn Programs>,
    /// Folder for snapshots and long results; it has to exist.
    pub store: PathBuf,
    /// Renders templates; `add_context` needs it.
    pub templates: Option<Arc<dyn Templates>>,
    /// Removes secrets from text; `redact_secrets` needs it.
    pub redact: Option<Arc<dyn Redact>>,
}

impl World {
    /// A world with an unknown machine, without templates and without redaction.
    pub fn new(
        clock: Arc<dyn Clock>,
        disk: Arc<dyn Disk>,
        programs: Arc<dyn Programs>,
        store: impl Into<PathBuf>,
    ) -> Self {
        let machine = Arc::new(UnknownMachine);
        Self { clock, disk, machine, programs, store: store.into(), templates: None, redact: None }
    }

    /// Sets the description of the machine.
    #[must_use]
    pub fn on(mut self, machine: Arc<dyn Machine>) -> Self {
        self.machine = machine;
        self
    }

    /// Sets the renderer of templates.
    #[must_use]
    pub fn filling(mut self, templates: Arc<dyn Templates>) -> Self {
        self.templates = Some(templates);
        self
    }

    /// Sets the redaction of secrets.
    #[must_use]
    pub fn redacting(mut self, redact: Arc<dyn Redact>) -> Self {
        self.redact = Some(redact);
        self
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("store", &self.store).finish_non_exhaustive()
    }
}

/// Renders templates; expressions in double braces refer to the event.
pub trait Templates: Send + Sync {
    /// Renders `template` with the values of `input`.
    ///
    /// # Errors
    /// Returns a message for the operator if `template` is invalid or refers to a missing value.
    fn render(&self, template: &str, input: &Value) -> Result<String, String>;
}

/// Removes secrets from text.
pub trait Redact: Send + Sync {
    /// Returns `text` without its secrets, or `None` if it has no secrets.
    fn redact(&self, text: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Redact for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}
