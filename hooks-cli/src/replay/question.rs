//! The rules of one side, and the questions that they are asked about an event of the record. Threads make questions at the same
//! time, and read ahead what an event alone shows, which is most of the work. Only the answers are given in the order of the
//! record.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hooks::config::{Config, ConfigReader, Kept, as_patterns};
use hooks::event::{PreToolUse, WireEvent};
use hooks::{Evaluation, HookContext, HookRequest, Hooks, HooksProvider as _};
use hooks_protocols::Client;

use super::moment::Moment;
use super::world::{FilesThen, World};
use crate::failure::Failure;
use crate::load;

/// The rules of one side, which threads share.
pub(crate) struct Rules {
    path: PathBuf,
    root: PathBuf,
    /// Files that both sides protect, so that each is judged as if it governed.
    protected: Vec<String>,
    kept: Kept,
    world: Arc<World>,
    /// The rules for tool names of any client.
    of_any: Config,
    /// The rules for the tool names of each client, as far as they were needed.
    of_clients: Mutex<Vec<(Client, Config)>>,
}

/// An event as one side is asked about it.
pub(super) struct Question {
    pub(super) hooks: Hooks,
    pub(super) event: AskedEvent,
    /// The files of then; absent if those of this machine are read.
    pub(super) files: Option<Arc<FilesThen>>,
}

/// The event of a question.
pub(super) enum AskedEvent {
    /// A call that was read ahead.
    Call(HookRequest<PreToolUse>),
    /// Any other event, until it is judged.
    Other(Arc<HookContext>, Option<Box<WireEvent>>),
}

impl Rules {
    /// Reads the rules at `path`. `files` are the rules of both sides.
    pub(super) fn new(path: &Path, files: &[&Path], kept: Kept, world: Arc<World>) -> Result<Self, Failure> {
        let absolute = std::path::absolute(path)?;
        let root = absolute.parent().unwrap_or(&absolute).to_path_buf();
        let protected = files.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
        let protected: Vec<_> = protected.iter().flat_map(|path| as_patterns(path)).collect();
        let of_any = load(path, &kept, &protected, None)?;
        let of_clients = Mutex::default();
        Ok(Self { path: path.to_path_buf(), root, protected, kept, world, of_any, of_clients })
    }

    /// Path of the rules.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The rules for tool names of any client.
    pub(super) const fn config(&self) -> &Config {
        &self.of_any
    }

    /// Makes the question about the event of a moment, whose context is then that of this side.
    pub(super) fn question(&self, moment: &mut Moment, event: WireEvent) -> Result<Question, Failure> {
        let hooks = self.hooks(moment.client)?;
        // Nothing else has it, unless there are two sides.
        let context = Arc::make_mut(&mut moment.context);
        let keeps_input_open = moment.client.is_some_and(Client::keeps_input_open);
        let (environment, files) = self.world.environment(&context.cwd, keeps_input_open);
        context.environment = environment;
        if moment.client.is_some() && context.team_root.is_none() && context.cwd.starts_with(&self.root) {
            context.team_root = Some(self.root.clone());
        }
        context.tenant = context.tenant.take().or_else(|| self.tenant());
        let context = Arc::clone(&moment.context);
        let event = match event {
            WireEvent::PreToolUse(call) => AskedEvent::Call(read_ahead(&hooks, context, call)),
            other => AskedEvent::Other(context, Some(Box::new(other))),
        };
        Ok(Question { hooks, event, files })
    }

    /// The tenant of events that name none.
    pub(super) fn tenant(&self) -> Option<String> {
        self.config().tenant().map(str::to_owned)
    }

    fn hooks(&self, client: Option<Client>) -> Result<Hooks, Failure> {
        let Some(client) = client else { return Ok(self.of_any.as_hooks().clone()) };
        let mut known = self.of_clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, config)) = known.iter().find(|(of, _)| *of == client) {
            return Ok(config.as_hooks().clone());
        }
        let config = load(&self.path, &self.kept, &self.protected, Some(client))?;
        let hooks = config.as_hooks().clone();
        known.push((client, config));
        Ok(hooks)
    }
}

/// Reads the rules at `path`, for the tool names of a client or of any.
fn load(path: &Path, kept: &Kept, protected: &[String], client: Option<Client>) -> Result<Config, Failure> {
    let event = match client {
        Some(Client::Copilot) => "preToolUse",
        _ => "PreToolUse",
    };
    let spoken = |reader: ConfigReader| match client {
        Some(client) => reader.spoken_in(client.dialect(event)),
        None => reader,
    };
    load::for_replay(path, kept.clone(), protected.iter().cloned(), spoken)
}

/// The request about a call, with the facts that the policies ask for. They are asked now, and their answers are dropped: those that
/// count are given in turn. Other facts are not read, because each question about files counts as one of the decision.
fn read_ahead(hooks: &Hooks, context: Arc<HookContext>, call: PreToolUse) -> HookRequest<PreToolUse> {
    let request = HookRequest::new(context, call).evaluated(Evaluation::Everyone);
    drop(hooks.judge_pre_tool_use(&request));
    request
}
