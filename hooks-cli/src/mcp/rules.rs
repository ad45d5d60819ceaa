//! The rules of a proxy.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{env, fs, io};

use hooks::budgets::Approvals;
use hooks::config::Config;
use hooks::drivers::{Approval, ApprovalRequest};
use hooks::fs::Disk as _;
use hooks::redaction::Scrubber;
use hooks::{HookContext, HookError, HookFuture, StdFileSystem};
use hooks_mcp::{GovernMcpLayer, McpSettings, OnChange, Pins};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tower_service::Service;

use crate::audit::feed;
use crate::cli::{ChangedTool, Mcp, ToolNames};
use crate::failure::Failure;
use crate::run::project;
use crate::{approve, load, private, strict_json};

/// Longest time that a proxy waits for another one that writes pins.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The rules, and what else the proxy needs for its decisions.
pub(super) struct Rules {
    path: PathBuf,
    config: Config,
    context: HookContext,
    settings: McpSettings,
    approver: Asking,
}

/// Reads the rules that govern this folder, or those that are named, for a server with this name.
pub(super) fn load(config: Option<&Path>, server: &str) -> Result<Rules, Failure> {
    let folder = env::current_dir()?;
    let Some(found) = project::find_from(config, &folder) else {
        let why = "no rules govern this folder, so the server was not started; `hooks init` writes some, or name them with `--config`";
        return Err(Failure::message(why.to_owned()));
    };
    let config = load::governing(&found.config, None)?;
    if !config.feeds().sinks.is_empty() {
        let fed = Arc::new(config.clone());
        feed::beside(move || Arc::clone(&fed))?;
    }
    let mut settings = McpSettings::new(server);
    settings.report = Some(Arc::new(say));
    if let Some(scrubber) = config.as_hooks().extension::<Scrubber>().cloned() {
        settings.scrub = Some(Arc::new(move |value| scrubber.scrub_value(value) > 0));
    }
    if let Some(audit) = config.recording().cloned() {
        settings.before_call = Some(Arc::new(move |request| {
            let audit = audit.clone();
            HookFuture::later(async move { audit.settled(&request).await })
        }));
    }
    let environment = hooks::system();
    let session = format!("mcp-{:032x}", environment.random.next_u128());
    let mut context = HookContext::new(session, "").in_dir(&folder).with_environment(environment);
    context.team_root = Some(found.root);
    context.tenant = config.tenant().map(str::to_owned);
    let approver = Asking(approve::approvals(&config));
    Ok(Rules { path: found.config, config, context, settings, approver })
}

impl Rules {
    /// Pins the descriptions of tools as the options want.
    pub(super) fn pin(&mut self, options: &Mcp) -> Result<(), Failure> {
        self.settings.on_change = match options.changed {
            ChangedTool::Deny => OnChange::Deny,
            ChangedTool::Report => OnChange::Report,
        };
        options.pin.as_deref().map_or(Ok(()), |file| keep_pins(&mut self.settings, file))
    }

    /// Has the hooks judge a tool by its name, without its arguments.
    pub(super) fn judge_by_name(&mut self, tool: &str) {
        self.settings.judged_by_name.push(tool.to_owned());
    }

    /// Has the hooks judge what is known about a call beside its arguments.
    pub(super) fn know(
        &mut self,
        known: impl Fn(&str, &Map<String, Value>) -> Map<String, Value> + Send + Sync + 'static,
    ) {
        self.settings.known_arguments = Some(Arc::new(known));
    }

    /// Names of tools, and what is known about their calls.
    pub(super) const fn settings(&self) -> &McpSettings {
        &self.settings
    }

    /// The rules as hooks for questions about calls of any client, which record nothing.
    pub(super) fn for_questions(&self) -> Result<hooks::Hooks, Failure> {
        load::explained(&self.path, None, ToolNames::default()).map(Config::hooks)
    }

    /// The context of calls.
    pub(super) const fn context(&self) -> &HookContext {
        &self.context
    }

    pub(super) fn layer(&self) -> GovernMcpLayer<Asking> {
        let Self { config, context, settings, approver, .. } = self;
        GovernMcpLayer::new(config.as_hooks().clone(), context.clone(), settings.clone())
            .with_approver(approver.clone())
    }

    /// Writes what is left to write.
    pub(super) async fn close(&self) {
        if let Err(error) = self.config.close().await {
            say(&error.to_string());
        }
    }
}

/// The name of the server: the named one, or that of its host or program.
pub(super) fn name(options: &Mcp, host: Option<&str>) -> String {
    let program = || Path::new(options.command.first()?).file_stem()?.to_str().map(str::to_owned);
    let host = || host.map(str::to_owned);
    options.name.clone().or_else(host).or_else(program).unwrap_or_default()
}

/// Prints a message for the operator. A client shows it in its log of the server.
pub(super) fn say(message: &str) {
    drop(writeln!(anstream::stderr(), "hooks mcp: {message}"));
}

/// Digests of tools by server, in a file.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PinFile {
    servers: BTreeMap<String, BTreeMap<String, String>>,
}

fn keep_pins(settings: &mut McpSettings, file: &Path) -> Result<(), Failure> {
    let file: PathBuf = std::path::absolute(file)?;
    let known = read_pins(&file)?.servers.remove(&settings.server).unwrap_or_default();
    settings.pins = Pins::new(known.clone());
    let (server, known) = (settings.server.clone(), Mutex::new(known));
    settings.keep_pins = Some(Arc::new(move |pins| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(why) = add_pins(&file, &server, pins, &mut known) {
            say(&format!("new tools are not pinned in `{}`: {why}", file.display()));
        }
    }));
    Ok(())
}

/// Adds the pins that are not in `known` to the file. A pin that another proxy wrote meanwhile counts.
fn add_pins(
    file: &Path,
    server: &str,
    pins: &Pins,
    known: &mut BTreeMap<String, String>,
) -> Result<(), Failure> {
    if let Some(folder) = file.parent() {
        private::folder(folder)?;
    }
    let mut lock = file.as_os_str().to_owned();
    lock.push(".lock");
    let _held = StdFileSystem.lock(Path::new(&lock), LONGEST_WAIT)?;
    let mut all = read_pins(file)?;
    let kept = all.servers.entry(server.to_owned()).or_default();
    let mut is_changed = false;
    // A pin that a person removed since is not new, and stays removed.
    for (tool, digest) in pins.digests().into_iter().filter(|(tool, _)| !known.contains_key(tool)) {
        match kept.get(&tool) {
            Some(first) => pins.replace(&tool, first),
            None => {
                kept.insert(tool.clone(), digest);
                is_changed = true;
            }
        }
    }
    if is_changed {
        let text = serde_json::to_string_pretty(&all)?;
        private::replace(file, format!("{text}\n").as_bytes())?;
    }
    *known = pins.digests();
    Ok(())
}

fn read_pins(file: &Path) -> Result<PinFile, Failure> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PinFile::default()),
        Err(error) => return Err(Failure::message(format!("`{}` cannot be read: {error}", file.display()))),
    };
    let read = strict_json::read(&text).and_then(serde_json::from_value);
    read.map_err(|error| {
        Failure::message(format!(
            "`{}` has no pins: {error}; restore it, or remove it to pin the tools anew",
            file.display()
        ))
    })
}

/// Has a person approve a call with `hooks approve`, if the state outlives this process.
#[derive(Clone)]
pub(super) struct Asking(Option<Approvals>);

impl Service<ApprovalRequest> for Asking {
    type Response = Approval;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Approval, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, question: ApprovalRequest) -> Self::Future {
        match &mut self.0 {
            Some(approvals) => approvals.call(question),
            None => HookFuture::now(Err(HookError::unavailable("no user can be asked"))),
        }
    }
}
