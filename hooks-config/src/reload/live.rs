//! The rules in force, and their replacement.

use std::fmt;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hooks_cache::{Stamps, SystemStamps};
use hooks_core::time::Clock;
use hooks_core::{CloseError, HooksBuilder, Live};
use hooks_system::SystemClock;
use tokio::runtime::Handle;

use super::broken::denying;
use super::config::OnBadRules;
use super::files::{Seen, Watched, look};
use super::whole::cut_off;
use crate::error::{Mistakes, TextPosition};
use crate::{Config, ConfigErrors, ConfigReader, Profile, store};

/// A configuration that follows its files. Clones share it.
///
/// Give [`LiveConfig::live`] to drivers, and call [`LiveConfig::watch`], or [`LiveConfig::check`] whenever the host has
/// time. If the file is read on a tokio runtime, its sinks are fed there, as by [`Config::hooks`]. Counters, lockouts and the open log go on: they are not in the rules.
///
/// ```
/// use hooks_config::{LiveConfig, Reloaded};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, Judged};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let file = folder.path().join("hooks.yaml");
/// std::fs::write(&file, "version: 1\n")?;
/// let config = LiveConfig::read(&file)?;
/// let is_denied = async || {
///     let rules = config.current(); // the same rules from the start of a call to its end
///     let context = HookContext::new("session-1", "backend").with_environment(hooks_system::system());
///     let call = PreToolUse::new("bash", serde_json::json!({"command": "git push"}));
///     rules.as_hooks().on(context).pre_tool_use(call).await.outcome.is_denied()
/// };
/// assert!(!is_denied().await);
///
/// std::fs::write(&file, "version: 1\ncommand_guard: { block: [git push] }\n")?;
/// assert!(config.check().is_none()); // a file that is still written would look different at the next check
/// let Some(Reloaded::Swapped { version, .. }) = config.check() else { panic!("the file changed") };
/// assert_eq!(config.current().rules_version(), &*version);
/// assert!(is_denied().await);
///
/// std::fs::write(&file, "version: 1\ncomand_guard: {}\n")?;
/// config.check();
/// let Some(Reloaded::Refused { errors, .. }) = config.check() else { panic!("the file has a mistake") };
/// assert!(errors.to_string().contains("line 2, column 1: comand_guard: unknown option"));
/// assert!(is_denied().await); // the old rules go on
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LiveConfig(Arc<Shared>);

struct Shared {
    path: PathBuf,
    settings: LiveReader,
    live: Live,
    current: RwLock<Arc<Config>>,
    checks: Mutex<Checks>,
    /// The runtime on which the file was read first. Tasks of later rules run there too.
    runtime: Option<Handle>,
}

/// State of the checks.
#[derive(Default)]
struct Checks {
    watched: Watched,
    /// The files as the last check saw them, if one of them had changed.
    pending: Option<Vec<(PathBuf, Seen)>>,
    /// The error that was reported last; `None` if the rules in force are those in the files.
    trouble: Option<ConfigErrors>,
    /// Earlier rules that calls may use still.
    retired: Vec<Arc<Config>>,
}

/// Result of a check that found something new.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reloaded {
    /// Other rules are in force.
    Swapped {
        /// Version of the new rules.
        version: Arc<str>,
        /// Version of the rules before.
        before: Arc<str>,
    },
    /// The files cannot be used. It is reported once for the same errors.
    Refused {
        /// All mistakes, or the reason why the files cannot be read.
        errors: ConfigErrors,
        /// Whether everything is denied now; otherwise the earlier rules go on.
        denies: bool,
    },
    /// The round that looked at the files panicked, in most cases in the function of the host. The next round
    /// is tried. The rules in force are those of [`LiveConfig::current`].
    Panicked {
        /// Message of the panic.
        problem: String,
    },
}

/// Settings of a [`LiveConfig`].
///
/// ```
/// use hooks_config::{ConfigReader, LiveReader};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookRequest, Reason, Verdict, policy_fn};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("hooks.yaml");
/// std::fs::write(&file, "version: 1\n")?;
/// // The host's own policy judges besides those of each configuration.
/// let reader = LiveReader::new(ConfigReader::default()).adding(|hooks| {
///     let own = |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("host", "night", "not at night"));
///     hooks.policy(policy_fn("host", own))
/// });
/// let config = reader.read(&file)?;
/// let call = HookRequest::new(hooks_core::HookContext::default(), PreToolUse::new("bash", serde_json::json!({})));
/// assert!(config.current().as_hooks().explain(&call).iter().any(|one| one.policy == "host"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LiveReader {
    reader: ConfigReader,
    adding: Option<Arc<dyn Fn(HooksBuilder) -> HooksBuilder + Send + Sync>>,
    stamps: Arc<dyn Stamps>,
    clock: Arc<dyn Clock>,
}

impl LiveReader {
    /// Reads every configuration with `reader`.
    pub fn new(reader: ConfigReader) -> Self {
        Self { reader, adding: None, stamps: Arc::new(SystemStamps), clock: Arc::new(SystemClock) }
    }

    /// Adds the host's own hooks to those of every configuration.
    #[must_use]
    pub fn adding(self, add: impl Fn(HooksBuilder) -> HooksBuilder + Send + Sync + 'static) -> Self {
        Self { adding: Some(Arc::new(add)), ..self }
    }

    /// Looks at files through `stamps`, instead of the system's `stat`, and takes the time from `clock`.
    #[must_use]
    pub fn seeing(self, stamps: Arc<dyn Stamps>, clock: Arc<dyn Clock>) -> Self {
        Self { stamps, clock, ..self }
    }

    /// Reads the file at `path`, and follows it from now on.
    ///
    /// # Errors
    /// Returns all mistakes in the file if it has any, or an error that the file cannot be read.
    pub fn read(self, path: impl Into<PathBuf>) -> Result<LiveConfig, ConfigErrors> {
        let path = path.into();
        let before = look(&*self.stamps, [&*path].into_iter());
        let config = self.with_own(self.reader.read(&path)?);
        let now = self.clock.now();
        let watched = Watched::new(config.files(), &before, &*self.stamps, now);
        config.feed();
        let live = Live::new(config.as_hooks().clone());
        let checks = Mutex::new(Checks { watched, ..Checks::default() });
        let current = RwLock::new(Arc::new(config));
        let runtime = Handle::try_current().ok();
        Ok(LiveConfig(Arc::new(Shared { path, settings: self, live, current, checks, runtime })))
    }

    /// Reads the file at `path` again, which `current` was read from.
    fn read_again(&self, path: &Path, current: &Config) -> Result<Config, ConfigErrors> {
        if current.profile() == Profile::SquadCompat {
            let problem =
                "under `squad-compat`, lockouts and counts would end with the policy that they began with";
            return Err(refusal(path, problem, "start the host again"));
        }
        if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(refusal(path, "it is not a file any more", "write the rules into a file"));
        }
        let next = self.reader.clone().continuing(current).read(path)?;
        match cut_off(current.files(), next.files()) {
            None => Ok(self.with_own(next)),
            Some(errors) => Err(errors),
        }
    }

    fn with_own(&self, config: Config) -> Config {
        match &self.adding {
            Some(add) => {
                let hooks = add(config.as_hooks().clone().into_builder()).build();
                config.with_hooks(hooks)
            }
            None => config,
        }
    }
}

impl LiveConfig {
    /// Reads the file at `path`, and follows it from now on.
    ///
    /// # Errors
    /// Returns all mistakes in the file if it has any, or an error that the file cannot be read.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, ConfigErrors> {
        LiveReader::new(ConfigReader::default()).read(path)
    }

    /// The holder of the hooks, for drivers. A call keeps the hooks that it began with.
    pub fn live(&self) -> &Live {
        &self.0.live
    }

    /// The configuration in force. Its hooks remain the same however often the files change.
    pub fn current(&self) -> Arc<Config> {
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the files. If they changed, and look the same as at the last check, they are read, and the rules are
    /// replaced. Returns what is new. It does not wait for calls, and calls do not wait for it.
    pub fn check(&self) -> Option<Reloaded> {
        let settings = &self.0.settings;
        let mut checks = self.checks();
        let seen = look(&*settings.stamps, checks.watched.paths());
        let at = settings.clock.now();
        if !checks.watched.have_changed(&seen, at) && checks.trouble.is_none() {
            checks.pending = None;
            return None;
        }
        if checks.pending.as_ref() != Some(&seen) {
            checks.pending = Some(seen);
            return None;
        }
        let current = self.current();
        match settings.read_again(&self.0.path, &current) {
            Ok(next) => {
                checks.watched = Watched::new(next.files(), &seen, &*settings.stamps, at);
                (checks.pending, checks.trouble) = (None, None);
                let version = next.rules_version().into();
                let before = current.rules_version().into();
                checks.retired.push(current);
                self.put(next);
                Some(Reloaded::Swapped { version, before })
            }
            Err(errors) if checks.trouble.as_ref() == Some(&errors) => None,
            Err(errors) => {
                let denies = current.reload().on_error == OnBadRules::Deny;
                if denies && checks.trouble.is_none() {
                    let hooks = denying(current.as_hooks());
                    self.put(Config::clone(&current).with_hooks(hooks));
                }
                checks.trouble = Some(errors.clone());
                Some(Reloaded::Refused { errors, denies })
            }
        }
    }

    /// Closes what only earlier rules use, once no call uses them: a Scribe's work, a log with other settings.
    ///
    /// # Errors
    /// Returns a list of what could not be closed.
    pub async fn retire(&self) -> Result<(), CloseError> {
        let unused = self.unused();
        self.close_all(&unused).await
    }

    /// Closes the hooks, as [`Config::close`] does, with those of earlier rules. Calls in flight may fail from now on.
    ///
    /// # Errors
    /// Returns a list of what could not be closed.
    pub async fn close(&self) -> Result<(), CloseError> {
        let retired = mem::take(&mut self.checks().retired);
        let closed = self.close_all(&retired).await;
        self.current().close().await.and(closed)
    }

    /// The report about a round that panicked.
    pub(super) fn broken_by(&self, problem: &str) -> Reloaded {
        // What a check had begun is done again.
        self.checks().pending = None;
        Reloaded::Panicked { problem: problem.to_owned() }
    }

    /// Removes and returns the earlier rules that no call uses.
    fn unused(&self) -> Vec<Arc<Config>> {
        let is_used = |config: &Arc<Config>| Arc::strong_count(config) > 1 || config.as_hooks().holders() > 1;
        let mut checks = self.checks();
        let (used, unused) = mem::take(&mut checks.retired).into_iter().partition(is_used);
        checks.retired = used;
        unused
    }

    /// Closes what `configs` alone use.
    async fn close_all(&self, configs: &[Arc<Config>]) -> Result<(), CloseError> {
        let mut all = Ok(());
        for config in configs {
            let has_log = self.shares_its_log(config);
            let is_meant = |name: &str| match name {
                store::KEY | "sinks" => false,
                "audit" => !has_log,
                _ => true,
            };
            all = all.and(config.as_hooks().close_only(is_meant).await);
        }
        all
    }

    /// Whether rules that are used write to the log of `config`.
    fn shares_its_log(&self, config: &Config) -> bool {
        let Some(log) = config.recording() else { return false };
        let is_same = |other: &Config| other.recording().is_some_and(|other| other.is_same_log(log));
        is_same(&self.current()) || self.checks().retired.iter().any(|other| is_same(other))
    }

    fn put(&self, config: Config) {
        let _in_runtime = self.0.runtime.as_ref().map(Handle::enter);
        config.feed();
        self.0.live.swap(config.as_hooks().clone());
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    fn checks(&self) -> MutexGuard<'_, Checks> {
        self.0.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Error for a file that is not read.
fn refusal(path: &Path, problem: &str, hint: &str) -> ConfigErrors {
    let mut mistakes = Mistakes::default();
    mistakes.add_with_hint(&TextPosition::START, "", problem, hint);
    ConfigErrors::new(&path.to_string_lossy(), "", mistakes.into_errors())
}

impl fmt::Debug for LiveConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveConfig").field("path", &self.0.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for LiveReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveReader").field("reader", &self.reader).finish_non_exhaustive()
    }
}
