//! Builtin handlers: functions of the host that a block names, registered by name.
//!
//! ```
//! use hooks_command::{Builtin, BuiltinCall, Builtins};
//! use hooks_core::HookFuture;
//! use serde_json::{Value, json};
//!
//! /// Adds a line for every argument.
//! struct Greet;
//!
//! impl Builtin for Greet {
//!     fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
//!         let agent = call.input.get("agent_name").and_then(Value::as_str).unwrap_or("nobody");
//!         let text = format!("{} {agent}", call.args.join(" "));
//!         HookFuture::now(Ok(json!({"hook_specific_output": {"additional_context": text}})))
//!     }
//! }
//!
//! let mut builtins = Builtins::default();
//! builtins.register("greet", Greet);
//! assert!(builtins.knows("greet") && !builtins.knows("add_weather"));
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::HookFuture;
use serde_json::{Map, Value};

/// A function of the host as a handler.
pub trait Builtin: Send + Sync {
    /// Answers an event: the object that a command would have written to its standard output, or null for nothing.
    ///
    /// # Errors
    /// Why it could not answer. What that means is the event's to say, and the handler's `on_error`.
    fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>>;

    /// The same that takes secrets out with `scrub`, since the configuration that names it may hold more to be secret;
    /// `None`, unless told, for one that takes none out.
    fn scrubbing(&self, scrub: &Scrub) -> Option<Arc<dyn Builtin>> {
        let _ = scrub;
        None
    }
}

/// Gives a text without what is secret in it; `None` where there is nothing.
pub type Scrub = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a builtin is called with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltinCall {
    /// The name it was called by.
    pub name: Arc<str>,
    /// `args` of the handler.
    pub args: Vec<String>,
    /// The folder it works in: `working_dir` of the handler, or that of the event.
    pub folder: PathBuf,
    /// The event, in docker-agent's words.
    pub event: &'static str,
    /// The payload: what a command would have read from its standard input.
    pub input: Arc<Map<String, Value>>,
    /// `env` of the handler, expanded: what it adds to the environment of programs that the builtin starts.
    pub env: BTreeMap<String, String>,
}

impl BuiltinCall {
    /// A call of `name` about `event`, for tests of one's own builtins.
    pub fn new(name: &str, event: &'static str, input: Map<String, Value>) -> Self {
        Self {
            name: name.into(),
            args: Vec::new(),
            folder: PathBuf::new(),
            event,
            input: Arc::new(input),
            env: BTreeMap::new(),
        }
    }
}

/// The builtins of a host, by name.
#[derive(Clone, Default)]
pub struct Builtins(BTreeMap<Arc<str>, Arc<dyn Builtin>>);

impl Builtins {
    /// Adds one; one of the same name is replaced.
    pub fn register(&mut self, name: &str, builtin: impl Builtin + 'static) {
        self.0.insert(name.into(), Arc::new(builtin));
    }

    /// The same, of which those that take secrets out do it with `scrub`.
    #[must_use]
    pub fn scrubbing(mut self, scrub: &Scrub) -> Self {
        for builtin in self.0.values_mut() {
            if let Some(scrubbing) = builtin.scrubbing(scrub) {
                *builtin = scrubbing;
            }
        }
        self
    }

    /// The one of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Builtin>> {
        self.0.get(name)
    }

    /// Whether there is one of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

impl std::fmt::Debug for Builtins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
