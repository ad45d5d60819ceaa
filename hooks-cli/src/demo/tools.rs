//! The tools of the demo's agents, which really write files and run commands. Only the hooks around them
//! restrict them, except that no path leaves the temporary folder.

use std::convert::Infallible;
use std::fs;
use std::path::{Component, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hooks::HookFuture;
use hooks::drivers::{ToolCall, ToolResult};
use serde_json::Value;
use tower_service::Service;

use super::process;

/// Maximum bytes that are read of a file.
const LARGEST: usize = 64 << 10;

/// The tools, as one service.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    repository: PathBuf,
    folder: PathBuf,
    /// Result of the last tool, before hooks changed it.
    raw: Arc<Mutex<Option<Value>>>,
    /// Whether no tool runs, and each call succeeds.
    is_idle: bool,
}

impl Tools {
    pub(super) fn new(repository: PathBuf, folder: PathBuf) -> Self {
        Self { repository, folder, raw: Arc::default(), is_idle: false }
    }

    /// Has each call succeed without a tool that runs, for calls that stand in a file of a user.
    pub(super) fn starting_nothing(self) -> Self {
        Self { is_idle: true, ..self }
    }

    /// The result of the last tool, before hooks changed it.
    pub(super) fn take_raw(&self) -> Option<Value> {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn run(self, call: ToolCall) -> ToolResult {
        let result = self.try_run(&call).await.unwrap_or_else(ToolResult::failed);
        *self.raw.lock().unwrap_or_else(PoisonError::into_inner) = Some(result.content.clone());
        result
    }

    async fn try_run(&self, call: &ToolCall) -> Result<ToolResult, String> {
        let text = |name: &str| {
            call.args
                .get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| format!("`{}` needs a text `{name}`", call.name))
        };
        if self.is_idle {
            return Ok(ToolResult::ok("not started: the demo only shows the answer to this call"));
        }
        match call.name.as_str() {
            "read" => {
                let bytes = fs::read(self.path(text("path")?)?).map_err(|error| error.to_string())?;
                let start = bytes.get(..LARGEST).unwrap_or(&bytes);
                Ok(ToolResult::ok(String::from_utf8_lossy(start).into_owned()))
            }
            "write" => {
                let path = text("path")?;
                self.write(path, text("content")?)?;
                Ok(wrote(path))
            }
            "edit" => {
                let (path, old) = (text("path")?, text("old")?);
                let before = fs::read_to_string(self.path(path)?).map_err(|error| error.to_string())?;
                if !before.contains(old) {
                    return Err(format!("`{old}` is not in `{path}`"));
                }
                self.write(path, &before.replacen(old, text("new")?, 1))?;
                Ok(wrote(path))
            }
            "bash" => {
                let command = text("command")?;
                let done = process::run("bash", &["-c", command], &self.repository, &self.folder).await;
                let done = done.map_err(|error| format!("bash cannot be started: {error}"))?;
                Ok(ToolResult::ok(done.output).with_error(done.error))
            }
            "ask_user" => Ok(ToolResult::ok(format!("the user read: {}", text("question")?))),
            other => {
                Err(format!("the demo has no tool `{other}`; it has read, write, edit, bash and ask_user"))
            }
        }
    }

    fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let path = self.path(path)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        fs::write(path, content).map_err(|error| error.to_string())
    }

    /// Resolves a path, and refuses one outside of the temporary folder. A user's configuration could allow
    /// more, and the demo must not harm other files.
    fn path(&self, given: &str) -> Result<PathBuf, String> {
        let mut path = PathBuf::new();
        for part in self.repository.join(given).components() {
            match part {
                Component::ParentDir => {
                    path.pop();
                }
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        if path.starts_with(&self.folder) {
            Ok(path)
        } else {
            Err(format!("`{given}` is outside of the demo's temporary folder"))
        }
    }
}

impl Service<ToolCall> for Tools {
    type Response = ToolResult;
    type Error = Infallible;
    type Future = HookFuture<'static, Result<ToolResult, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let tools = self.clone();
        HookFuture::later(async move { Ok(tools.run(call).await) })
    }
}

fn wrote(path: &str) -> ToolResult {
    ToolResult::ok(format!("wrote {path}")).wrote([path.to_owned()])
}
