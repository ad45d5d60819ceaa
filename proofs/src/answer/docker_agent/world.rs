//! The environment of handlers in a vector: scripted commands or a real shell, builtins, models, a folder,
//! time.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hooks::TokioTimer;
use hooks::config::standard_builtins;
use hooks_command::engine::{Cancelled, World as Handlers};
use hooks_command::process::{NoVariables, Processes, Variables};
use hooks_command::{Builtin, BuiltinCall, Builtins, ModelJudge, Question};
use hooks_core::HookFuture;
use hooks_core::time::Timer;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::scripted::Script;
use crate::answer::question;

/// Placeholder for the folder in a vector.
const PLACEHOLDER: &str = "{cwd}";

/// The folder of a vector, and the folder below it in which handlers run.
pub(super) struct Folder {
    root: Option<TempDir>,
    path: PathBuf,
    name: String,
}

impl Folder {
    /// Creates a folder with the contents of the fixture.
    pub(super) fn from_fixture(fixture: Option<&Value>) -> Self {
        let fixture = fixture.unwrap_or(&Value::Null);
        let Some(root) = tempfile::tempdir().ok() else {
            return Self { root: None, path: PathBuf::new(), name: String::new() };
        };
        // The path as programs in the folder see it.
        let real = root.path().canonicalize().unwrap_or_else(|_| root.path().to_path_buf());
        for folder in question::texts(fixture, "dirs") {
            drop(fs::create_dir_all(real.join(folder)));
        }
        let files: Vec<(String, String)> = match question::field(fixture, "files") {
            Value::Object(files) => {
                let text = |text: &Value| text.as_str().unwrap_or_default().to_owned();
                files.iter().map(|(name, content)| (name.clone(), text(content))).collect()
            }
            _ => question::texts(fixture, "files").into_iter().map(|name| (name, String::new())).collect(),
        };
        for (name, content) in files {
            let path = real.join(name);
            drop(path.parent().map(fs::create_dir_all));
            drop(fs::write(path, content));
        }
        let path = real.join(question::text(fixture, "cwd"));
        let path = path.components().collect();
        let name = real.to_string_lossy().into_owned();
        Self { root: Some(root), path, name }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the placeholder in the question with the folder's name.
    pub(super) fn enter(&self, question: &Value) -> Value {
        if self.root.is_none() { question.clone() } else { replaced(question, PLACEHOLDER, &self.name) }
    }

    /// Replaces the folder's name in the answer with the placeholder.
    pub(super) fn leave(&self, answer: &Value) -> Value {
        if self.root.is_none() { answer.clone() } else { replaced(answer, &self.name, PLACEHOLDER) }
    }
}

fn replaced(value: &Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => text.replace(from, to).into(),
        Value::Array(items) => items.iter().map(|item| replaced(item, from, to)).collect(),
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| (name.replace(from, to), replaced(value, from, to)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Real time for real commands, virtual time for scripted ones.
pub(super) enum World {
    Scripted { script: Arc<Script>, builtins: Builtins, models: Models },
    Real { runtime: Runtime, processes: Processes, builtins: Builtins, models: Models },
}

impl World {
    pub(super) fn from_question(question: &Value, script: &Arc<Script>) -> Self {
        let models = Models {
            replies: question.get("model_replies").cloned(),
            errors: question.get("model_errors").cloned(),
        };
        let mut builtins = standard_builtins();
        for (name, result) in question::field(question, "builtin_results").as_object().into_iter().flatten() {
            builtins.register(name, Played(result.clone()));
        }
        let is_real = question::text(question, "level") == "process";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) if is_real => {
                let mut processes = Processes::with_shell("/bin/sh");
                for (name, value) in
                    question::field(question, "process_env").as_object().into_iter().flatten()
                {
                    processes = processes.with_variable(name, value.as_str().unwrap_or_default());
                }
                Self::Real { runtime, processes, builtins, models }
            }
            _ => Self::Scripted { script: Arc::clone(script), builtins, models },
        }
    }

    /// The handlers of the engine.
    pub(super) fn handlers(&self) -> Handlers {
        let (builtins, models) = match self {
            Self::Scripted { builtins, models, .. } | Self::Real { builtins, models, .. } => {
                (builtins, models)
            }
        };
        let (builtins, judge) =
            (Arc::new(builtins.clone()), Some(Arc::new(models.clone()) as Arc<dyn ModelJudge>));
        match self {
            Self::Scripted { script, .. } => Handlers {
                runner: Arc::clone(script) as _,
                timer: Arc::new(script.time().clone()),
                builtins,
                judge,
                variables: Arc::new(NoVariables),
            },
            Self::Real { processes, .. } => Handlers {
                runner: Arc::new(processes.clone()),
                timer: Arc::new(TokioTimer),
                builtins,
                judge,
                variables: Arc::new(processes.clone()) as Arc<dyn Variables>,
            },
        }
    }

    /// Waits for the result of `work`.
    pub(super) fn finish<F: Future>(&self, work: F) -> Option<F::Output> {
        match self {
            Self::Scripted { script, .. } => script.time().block_on(work),
            Self::Real { runtime, .. } => Some(runtime.block_on(work)),
        }
    }

    /// A cancellation after so many milliseconds.
    pub(super) fn cancelled(&self, after: u64) -> Cancelled {
        let after = Duration::from_millis(after);
        let waiting: Pin<Box<dyn Future<Output = ()> + Send>> = match self {
            Self::Scripted { script, .. } => Box::pin(script.time().sleep(after)),
            Self::Real { .. } => Box::pin(TokioTimer.sleep(after)),
        };
        waiting.shared()
    }
}

/// Models with scripted replies.
#[derive(Clone, Debug)]
pub(super) struct Models {
    replies: Option<Value>,
    errors: Option<Value>,
}

impl ModelJudge for Models {
    fn ask(&self, question: Question) -> HookFuture<'static, Result<String, String>> {
        let of = |texts: &Option<Value>| Some(texts.as_ref()?.get(&question.model)?.as_str()?.to_owned());
        HookFuture::now(match (of(&self.errors), of(&self.replies)) {
            (Some(error), _) => Err(error),
            (None, Some(reply)) => Ok(reply.replace("@PROMPT@", &question.prompt)),
            (None, None) => Err("there is no such model".to_owned()),
        })
    }
}

/// A builtin with a scripted result.
struct Played(Value);

impl Builtin for Played {
    fn run(&self, _call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
        HookFuture::now(match self.0.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(self.0.clone()),
        })
    }
}
