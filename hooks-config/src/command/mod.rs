//! Handlers in a configuration: commands, builtins and models, in the `hooks:` section of a `hooks.yaml` and
//! in docker-agent's agent files.

mod agents;
mod builtins;
mod programs;
mod schema;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hooks_command::config::{self, Fault, Known};
use hooks_command::engine::{Runner, World};
use hooks_command::process::{Processes, Variables};
use hooks_command::service::CommandHooks;
use hooks_command::{Block, Builtins, Engine, Failures, Level, ModelJudge, Profile, Rules, Scrub};
use hooks_context::builtins::Redact as _;
use hooks_facts::tools::Dialect;
use hooks_redaction::RedactionConfig;
use hooks_system::TokioTimer;
use serde_json::Value;

pub(super) use self::agents::{is_meant, read as read_agents};
pub use self::builtins::standard_builtins;
pub use self::programs::MissingProgram;
pub(super) use self::schema::schema;
use super::error::{ConfigError, ConfigErrors, Mistakes};
use super::prompts::Secrets;
use super::source;
use super::tree::Node;
use super::yaml;

/// Key of the section.
pub(super) const KEY: &str = "hooks";
/// Key of the profile that the handlers follow.
pub(super) const PROFILE: &str = "hook_profile";

/// Handlers by agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Handlers {
    pub(super) by_agent: BTreeMap<String, Block>,
    /// Handlers of agents that are not named.
    pub(super) others: Block,
    pub(super) profile: Profile,
    /// Treatment of a failure if a handler has no `on_error`.
    pub(super) failures: Failures,
}

/// The means that handlers run with, besides the machine.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) builtins: Arc<Builtins>,
    pub(super) judge: Option<Arc<dyn ModelJudge>>,
    pub(super) runner: Option<Arc<dyn Runner>>,
    /// Profile if the file names none.
    pub(super) profile: Option<Profile>,
    /// Dialect of the tool names in events, if known.
    pub(super) dialect: Option<Dialect>,
}

impl Default for Host {
    fn default() -> Self {
        let builtins = Arc::new(standard_builtins());
        Self { builtins, judge: None, runner: None, profile: None, dialect: None }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("builtins", &self.builtins).finish_non_exhaustive()
    }
}

impl Handlers {
    /// Whether there is no handler at all.
    fn is_empty(&self) -> bool {
        self.others.is_empty() && self.by_agent.values().all(Block::is_empty)
    }

    /// The handlers as hooks; `None` if there are no handlers, so that no event asks for them. Builtins also
    /// remove secrets that match `redaction`.
    pub(super) fn hooks(&self, host: &Host, redaction: Option<&RedactionConfig>) -> Option<CommandHooks> {
        if self.is_empty() {
            return None;
        }
        let mut builtins = Arc::clone(&host.builtins);
        if let Some(redaction) = redaction.filter(|redaction| !redaction.patterns.is_empty()) {
            let secrets = Secrets::new(Some(redaction));
            let scrub: Scrub = Arc::new(move |text| secrets.redact(text));
            builtins = Arc::new((*builtins).clone().scrubbing(&scrub));
        }
        let processes = Arc::new(Processes::default());
        let runner = host.runner.clone().unwrap_or_else(|| Arc::clone(&processes) as _);
        let world = World {
            runner,
            timer: Arc::new(TokioTimer),
            builtins,
            judge: host.judge.clone(),
            variables: processes as Arc<dyn Variables>,
        };
        let rules = Rules { failures: self.failures, ..Rules::for_profile(self.profile) };
        let engine = |block: &Block| Engine::new(block.clone(), rules, world.clone());
        let by_agent = self.by_agent.iter().map(|(name, block)| (name.clone(), engine(block))).collect();
        let hooks = CommandHooks::of_agents(by_agent, engine(&self.others));
        Some(match host.dialect {
            Some(dialect) => hooks.spoken_in(dialect),
            None => hooks,
        })
    }
}

/// Reads the section of a `hooks.yaml`: a block that may also use the event names of Hooks.
pub(super) fn read(root: &Node, host: &Host, mistakes: &mut Mistakes) -> Option<Handlers> {
    let stated = root.get(PROFILE).and_then(|node| match node.to_json() {
        Value::String(name) => Some((node, name)),
        _ => None,
    });
    let profile = match stated {
        None => host.profile.unwrap_or_default(),
        Some((node, name)) => match name.parse() {
            Ok(profile) => profile,
            // The schema reported this mistake already.
            Err(_) if mistakes.paths().any(|path| path == PROFILE) => Profile::default(),
            Err(problem) => {
                mistakes.add(&node.place, PROFILE, problem);
                Profile::default()
            }
        },
    };
    let block = root.get(KEY)?;
    let known = Known { profile, builtins: Some(&host.builtins), our_events: true, exactly: false };
    let others = read_block(root, KEY, block, known, mistakes);
    Some(Handlers { others, profile, ..Handlers::default() })
}

/// Reads the block at `path` and reports each mistake at its place.
fn read_block(root: &Node, path: &str, block: &Node, known: Known<'_>, mistakes: &mut Mistakes) -> Block {
    let read = config::read(&block.to_json(), known);
    for fault in read.faults {
        report(root, path, fault, mistakes);
    }
    read.block
}

fn report(root: &Node, within: &str, fault: Fault, mistakes: &mut Mistakes) {
    let path = match (within, fault.path.as_str()) {
        ("", path) | (path, "") => path.to_owned(),
        (within, path) => format!("{within}.{path}"),
    };
    let place = if fault.is_key { root.locate_key(&path) } else { root.locate(&path) };
    match fault.level {
        Level::Error => mistakes.add_maybe_with_hint(place, path, fault.message, fault.hint),
        Level::Warning => mistakes.doubt(place, path, fault.message, fault.hint),
    }
}

/// Parses a single block of handlers, as below `hooks:` in an agent file, and refuses it wherever docker-agent
/// does. Reports call it `name`. Returns the handlers and the warnings.
///
/// # Errors
/// Returns every mistake in the text if it has one that is more than a warning.
///
/// ```
/// use hooks_command::Profile;
/// use hooks_config::{parse_hooks, standard_builtins};
///
/// let text = "
/// stop: [{ type: command, command: ./log.sh }]
/// session_start: [{ type: builtin, command: add_date }]
/// ";
/// let (block, doubts) = parse_hooks(text, "hooks", Profile::default(), &standard_builtins())?;
/// assert_eq!(block.counts().collect::<Vec<_>>(), [("session_start", 1), ("stop", 1)]);
/// assert!(doubts.is_empty());
///
/// let errors = parse_hooks("stopp: []", "hooks", Profile::default(), &standard_builtins());
/// assert!(errors.expect_err("no event has this name").to_string().contains("did you mean `stop`?"));
/// # Ok::<(), hooks_config::ConfigErrors>(())
/// ```
pub fn parse_hooks(
    text: &str,
    name: &str,
    profile: Profile,
    builtins: &Builtins,
) -> Result<(Block, Vec<ConfigError>), ConfigErrors> {
    let mut mistakes = Mistakes::default();
    let block = source::decode(text.as_bytes(), name, &mut mistakes)
        .and_then(|text| yaml::parse(text, &mut mistakes))
        .map(|root| {
            let known = Known { profile, builtins: Some(builtins), our_events: false, exactly: true };
            read_block(&root, "", &root, known, &mut mistakes)
        });
    if mistakes.is_empty() {
        return Ok((block.unwrap_or_default(), mistakes.into_doubts()));
    }
    Err(ConfigErrors::new(name, text, mistakes.into_errors()))
}
