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
///
/// The host provides files and programs; this git always prints the same:
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_context::builtins::{Call, World, run};
/// use hooks_core::programs::{Finished, Program, Programs};
/// use hooks_core::testing::{FakeClock, FakeDisk};
/// use serde_json::json;
///
/// struct Git;
///
/// impl Programs for Git {
///     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
///         Ok(Finished { code: Some(0), output: b"## main\n M src/a.rs\n".to_vec(), is_cut: false })
///     }
/// }
///
/// let (clock, disk) = (Arc::new(FakeClock::default()), Arc::new(FakeDisk::default()));
/// let world = World::new(clock, disk, Arc::new(Git), "/var/lib/hooks");
/// let input = json!({"hook_event_name": "turn_start"});
/// let call = Call { name: "add_git_status", args: &[], cwd: Some(Path::new("/repo")), input: &input };
/// let specific = run(&call, &world)?.hook_specific_output.expect("git has an answer");
/// assert_eq!(specific.instruction_context[0].content, "Current git status:\n\n## main\n M src/a.rs");
/// # Ok::<(), hooks_context::builtins::BuiltinError>(())
/// ```
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
///
/// A renderer that knows one field, for the builtin `add_context`:
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::builtins::{Call, Templates, World, run};
/// # use hooks_core::programs::{Finished, Program, Programs};
/// # use hooks_core::testing::{FakeClock, FakeDisk};
/// use serde_json::{Value, json};
///
/// struct OneField;
///
/// impl Templates for OneField {
///     fn render(&self, template: &str, input: &Value) -> Result<String, String> {
///         let session = input["session_id"].as_str().ok_or("no `session_id`")?;
///         Ok(template.replace("{{ .SessionID }}", session))
///     }
/// }
///
/// # struct NoPrograms;
/// # impl Programs for NoPrograms {
/// #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
/// #         Err(std::io::ErrorKind::NotFound.into())
/// #     }
/// # }
/// # let clock = Arc::new(FakeClock::default());
/// # let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::new(NoPrograms), "/var/lib/hooks");
/// let world = world.filling(Arc::new(OneField));
/// let args = ["This is session {{ .SessionID }}.".to_owned()];
/// let add = |input: Value| run(&Call { name: "add_context", args: &args, cwd: None, input: &input }, &world);
/// let specific = add(json!({"session_id": "s-42"}))?.hook_specific_output.expect("a text");
/// assert_eq!(specific.additional_context.as_deref(), Some("This is session s-42."));
/// let error = add(json!({})).expect_err("a value is missing");
/// assert_eq!(error.to_string(), "argument 1 of `add_context` cannot be rendered: no `session_id`");
/// # Ok::<(), hooks_context::builtins::BuiltinError>(())
/// ```
pub trait Templates: Send + Sync {
    /// Renders `template` with the values of `input`.
    ///
    /// # Errors
    /// Returns a message for the operator if `template` is invalid or refers to a missing value.
    fn render(&self, template: &str, input: &Value) -> Result<String, String>;
}

/// Removes secrets from text.
///
/// A function can redact, here for the builtin `redact_secrets`:
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::builtins::{Call, World, run};
/// # use hooks_core::programs::{Finished, Program, Programs};
/// # use hooks_core::testing::{FakeClock, FakeDisk};
/// use serde_json::json;
///
/// # struct NoPrograms;
/// # impl Programs for NoPrograms {
/// #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
/// #         Err(std::io::ErrorKind::NotFound.into())
/// #     }
/// # }
/// # let clock = Arc::new(FakeClock::default());
/// # let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::new(NoPrograms), "/var/lib/hooks");
/// let stars = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "***"));
/// let world = world.redacting(Arc::new(stars));
/// let input = json!({"hook_event_name": "tool_response_transform", "tool_response": "password: hunter2"});
/// let call = Call { name: "redact_secrets", args: &[], cwd: None, input: &input };
/// let specific = run(&call, &world)?.hook_specific_output.expect("a secret was found");
/// assert_eq!(specific.updated_tool_response.as_deref(), Some("password: ***"));
/// # Ok::<(), hooks_context::builtins::BuiltinError>(())
/// ```
pub trait Redact: Send + Sync {
    /// Returns `text` without its secrets, or `None` if it has no secrets.
    fn redact(&self, text: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Redact for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}
