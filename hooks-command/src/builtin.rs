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

use crate::rules::Profile;

/// A function of the host as a handler.
pub trait Builtin: Send + Sync {
    /// Answers an event: the object that a command would write to its standard output, or null for no answer.
    ///
    /// # Errors
    /// Returns the reason of the failure. The event and the handler's `on_error` determine its effect.
    fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>>;

    /// A copy that redacts secrets with `scrub`, as the configuration that names the builtin can define more
    /// secrets. The default is `None`, for a builtin that redacts nothing.
    fn scrubbing(&self, scrub: &Scrub) -> Option<Arc<dyn Builtin>> {
        let _ = scrub;
        None
    }
}

/// Redacts the secrets of a text; `None` if it has no secrets.
pub type Scrub = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The input of a builtin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltinCall {
    /// Name under which the builtin was called.
    pub name: Arc<str>,
    /// The `args` of the handler.
    pub args: Vec<String>,
    /// Working directory: `working_dir` of the handler, or the folder of the event.
    pub folder: PathBuf,
    /// The event, as docker-agent calls it.
    pub event: &'static str,
    /// The payload, which a command would read from its standard input.
    pub input: Arc<Map<String, Value>>,
    /// The profile of the rules that the handler runs under.
    pub profile: Profile,
    /// The expanded `env` of the handler, to add to the environment of programs that the builtin starts.
    pub env: BTreeMap<String, String>,
}

impl BuiltinCall {
    /// A call of `name` for `event`, for tests of a builtin.
    pub fn new(name: &str, event: &'static str, input: Map<String, Value>) -> Self {
        Self {
            name: name.into(),
            args: Vec::new(),
            folder: PathBuf::new(),
            event,
            input: Arc::new(input),
            profile: Profile::default(),
            env: BTreeMap::new(),
        }
    }
}

/// The builtins of a host, by name.
#[derive(Clone, Default)]
pub struct Builtins(BTreeMap<Arc<str>, Arc<dyn Builtin>>);

impl Builtins {
    /// Adds a builtin; replaces one of the same name.
    pub fn register(&mut self, name: &str, builtin: impl Builtin + 'static) {
        self.0.insert(name.into(), Arc::new(builtin));
    }

    /// The same builtins; those that redact secrets use `scrub`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_command::{Builtin, BuiltinCall, Builtins, Scrub};
    /// use hooks_core::HookFuture;
    /// use serde_json::{Value, json};
    ///
    /// /// Adds the last message to the context, without its secrets.
    /// struct Recall(Scrub);
    ///
    /// impl Builtin for Recall {
    ///     fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
    ///         let text = call.input["prompt"].as_str().unwrap_or_default();
    ///         let text = (self.0)(text).unwrap_or_else(|| text.to_owned());
    ///         HookFuture::now(Ok(json!({"hook_specific_output": {"additional_context": text}})))
    ///     }
    ///
    ///     fn scrubbing(&self, scrub: &Scrub) -> Option<Arc<dyn Builtin>> {
    ///         Some(Arc::new(Self(Arc::clone(scrub))))
    ///     }
    /// }
    ///
    /// let mut builtins = Builtins::default();
    /// builtins.register("recall", Recall(Arc::new(|_| None)));
    /// let scrub: Scrub =
    ///     Arc::new(|text| text.contains("hunter2").then(|| text.replace("hunter2", "[secret]")));
    /// let builtins = builtins.scrubbing(&scrub);
    /// let input = json!({"prompt": "my password is hunter2"}).as_object().cloned().unwrap_or_default();
    /// let call = BuiltinCall::new("recall", "user_prompt_submit", input);
    /// let recall = builtins.get("recall").ok_or("it is registered")?;
    /// # use futures_util::FutureExt;
    /// let answer = recall.run(call).now_or_never().ok_or("it waits")??;
    /// assert_eq!(answer["hook_specific_output"]["additional_context"], "my password is [secret]");
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn scrubbing(mut self, scrub: &Scrub) -> Self {
        for builtin in self.0.values_mut() {
            if let Some(scrubbing) = builtin.scrubbing(scrub) {
                *builtin = scrubbing;
            }
        }
        self
    }

    /// The builtin of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Builtin>> {
        self.0.get(name)
    }

    /// Whether there is a builtin of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

impl std::fmt::Debug for Builtins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
