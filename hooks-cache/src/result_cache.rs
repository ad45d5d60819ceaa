//! The cache shared by the tools of a process: stored results, running reads, running writes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, Shared, WeakShared};
use hooks_core::cache::{CacheAnswer, CacheHistory, CacheWatch};
use hooks_core::drivers::{ToolCall, ToolResult};
use hooks_core::event::{PostToolUse, SessionEnd};
use hooks_core::{HookContext, HookRequest, HooksBuilder, Judged, Observer, ResultPatch};
use hooks_facts::tools::ToolTable;

use super::canonical::size;
use super::config::{CacheConfig, CacheConfigError, CacheTool};
use super::depends::Dependence;
use super::future::ReadError;
use super::key::Key;
use super::lru::{Entry, Lru, Session};
use super::stamp::{Stamps, SystemStamps};
use super::told::Told;
use super::watch::{CacheCounts, Counters};
use super::write_set::{WriteSet, goes_on};

/// Limit on sessions with a command in the background that are distinguished. Beyond it, no tree is cached
/// any more.
const MOST_UNSETTLED: usize = 1_024;

/// A running read, shared by all callers that wait for it.
pub(super) type Read = Shared<BoxFuture<'static, Result<Arc<ToolResult>, ReadError>>>;

/// The results that the tools of a process share; see the [module](super). Clones share one cache.
///
/// A call of a cached tool costs one SHA-256 of its arguments and a `stat` for each file it names. Any other
/// call costs a look-up in the table of tools and, if it changes something, a walk over the stored results.
#[derive(Clone)]
pub struct ResultCache {
    inner: Arc<Inner>,
}

struct Inner {
    config: CacheConfig,
    tools: HashMap<String, CacheTool>,
    harmless: HashSet<String>,
    table: ToolTable,
    files: Arc<dyn Stamps>,
    watch: Option<Arc<dyn CacheWatch>>,
    counters: Counters,
    state: Mutex<State>,
    /// Answers to recent calls, for the audit log.
    told: Mutex<Told>,
}

#[derive(Default)]
struct State {
    results: Lru,
    running: HashMap<Key, Running>,
    writes: HashMap<u64, WriteSet>,
    /// Sessions with a command that continues in the background.
    unsettled: HashSet<Arc<Session>>,
    next: u64,
}

struct Running {
    id: u64,
    dependence: Arc<Dependence>,
    read: WeakShared<BoxFuture<'static, Result<Arc<ToolResult>, ReadError>>>,
}

/// Instruction for a call.
pub(super) enum CallPlan {
    /// Answer with this result.
    Reuse(Arc<ToolResult>),
    /// Run the read, and let other callers wait for it.
    Read(Ticket),
    /// Run the call; results that it may change are not reused meanwhile.
    Pass(Option<Writing>),
}

/// A read that is about to run.
pub(super) struct Ticket {
    cache: ResultCache,
    context: Arc<HookContext>,
    tool: String,
    /// The client's id of the call.
    call: Option<String>,
    key: Key,
    id: u64,
    dependence: Arc<Dependence>,
    answer: CacheAnswer,
}

/// A running write: until this is dropped, no result that it may change is reused or stored.
pub(super) struct Writing {
    cache: ResultCache,
    id: u64,
}

impl ResultCache {
    /// Creates a cache with this configuration, for the files of this machine.
    ///
    /// # Errors
    /// Returns an error if the configuration is inconsistent.
    pub fn new(config: CacheConfig) -> Result<Self, CacheConfigError> {
        let tools = config.by_name()?;
        let harmless = config.harmless.iter().cloned().collect();
        let inner = Inner {
            config,
            tools,
            harmless,
            table: ToolTable::default(),
            files: Arc::new(SystemStamps),
            watch: None,
            counters: Counters::default(),
            state: Mutex::default(),
            told: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns an empty cache with the same configuration that looks at files through `files`.
    #[must_use]
    pub fn with_files(self, files: impl Stamps + 'static) -> Self {
        self.renewed(|inner| inner.files = Arc::new(files))
    }

    /// Returns an empty cache with the same configuration that classifies tools by `table`.
    #[must_use]
    pub fn with_table(self, table: ToolTable) -> Self {
        self.renewed(|inner| inner.table = table)
    }

    /// Returns an empty cache with the same configuration that reports each answer to `watch`.
    #[must_use]
    pub fn watched_by(self, watch: impl CacheWatch + 'static) -> Self {
        self.renewed(|inner| inner.watch = Some(Arc::new(watch)))
    }

    /// Adds the cache's own hooks to a set: they remove results that a hook withheld, and results of sessions
    /// that end.
    pub fn add_to(&self, mut builder: HooksBuilder) -> HooksBuilder {
        builder.add_extension(Arc::new(self.clone()));
        builder.observer::<PostToolUse>(self.clone()).listener::<SessionEnd>(self.clone())
    }

    /// Removes the results of the session of `context`.
    ///
    /// Use it if the cache is not added to a set of hooks; [`ResultCache::add_to`] does it otherwise.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use hooks_cache::{CacheConfig, CacheLayer, CacheTool, Depends, ResultCache};
    /// # use hooks_core::drivers::{ToolCall, ToolResult};
    /// # use hooks_core::{BoxError, HookContext};
    /// # use tower::{Layer, ServiceExt, service_fn};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
    /// # let tool = CacheTool::new("web_search", Depends::Outside).lasting(std::time::Duration::from_secs(60));
    /// # let cache = ResultCache::new(CacheConfig::new().with_tool(tool))?;
    /// # let context = Arc::new(HookContext::new("session-1", "backend"));
    /// # let tools = service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("found")));
    /// # let tools = CacheLayer::new(cache.clone(), Arc::clone(&context)).layer(tools);
    /// tools.oneshot(ToolCall::new("web_search", serde_json::json!({"query": "tower"}))).await?;
    /// assert_eq!(cache.counts().results, 1);
    /// cache.end_session(&context);
    /// assert_eq!(cache.counts().results, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn end_session(&self, context: &HookContext) {
        let session = session_of(context);
        let mut state = self.lock();
        state.results.remove_where(|entry| *entry.session == session);
        state.unsettled.remove(&session);
    }

    /// Counters since the start, and the size of the stored results.
    pub fn counts(&self) -> CacheCounts {
        let state = self.lock();
        self.inner.counters.counts(state.results.len(), state.results.bytes())
    }

    /// Decides how `call` is answered.
    pub(super) fn ask(&self, context: &Arc<HookContext>, call: &ToolCall) -> CallPlan {
        match self.inner.tools.get(&call.name) {
            Some(tool) => self.ask_read(tool, context, call),
            None if self.inner.harmless.contains(&call.name) => CallPlan::Pass(None),
            None => CallPlan::Pass(self.write(context, call)),
        }
    }

    fn ask_read(&self, tool: &CacheTool, context: &Arc<HookContext>, call: &ToolCall) -> CallPlan {
        let tenants = &self.inner.config.tenants;
        if !tenants.is_empty() && context.tenant.as_ref().is_none_or(|tenant| !tenants.contains(tenant)) {
            return CallPlan::Pass(None);
        }
        let Some(key) = Key::for_call(context, &call.name, &call.args) else {
            // Arguments that are nested too deeply have no key to note the answer under.
            self.tell(context, &call.name, CacheAnswer::Passed);
            return CallPlan::Pass(None);
        };
        let answer = match self.kept(&key, context) {
            Kept::Result(result) => {
                self.told(context, call, key, CacheAnswer::Hit);
                return CallPlan::Reuse(result);
            }
            Kept::Nothing => CacheAnswer::Miss,
            Kept::Stale => CacheAnswer::Stale,
        };
        let dependence = Dependence::for_call(tool, context, &call.args, &*self.inner.files);
        let Some(dependence) = dependence.map(Arc::new) else { return self.pass(context, call, key) };
        let mut state = self.lock();
        if state.is_written(&dependence) {
            drop(state);
            return self.pass(context, call, key);
        }
        state.next += 1;
        CallPlan::Read(Ticket {
            cache: self.clone(),
            context: Arc::clone(context),
            tool: call.name.clone(),
            call: call.id.clone(),
            key,
            id: state.next,
            dependence,
            answer,
        })
    }

    fn pass(&self, context: &HookContext, call: &ToolCall, key: Key) -> CallPlan {
        self.told(context, call, key, CacheAnswer::Passed);
        CallPlan::Pass(None)
    }

    /// Reports how a call was answered, and notes it for the audit log.
    fn told(&self, context: &HookContext, call: &ToolCall, key: Key, answer: CacheAnswer) {
        self.note(key, call.id.as_deref(), answer);
        self.tell(context, &call.name, answer);
    }

    fn note(&self, key: Key, id: Option<&str>, answer: CacheAnswer) {
        self.inner.told.lock().unwrap_or_else(PoisonError::into_inner).note(key, id, answer);
    }

    /// Returns the result stored under `key`, if everything it depends on is unchanged. The lock is not held
    /// during that check; a write that begins meanwhile removes the entry.
    fn kept(&self, key: &Key, context: &HookContext) -> Kept {
        let state = self.lock();
        let Some(entry) = state.results.get(key).cloned() else { return Kept::Nothing };
        drop(state);
        let is_over = entry.until.is_some_and(|until| context.environment.clock.tick() >= until);
        let holds = !is_over && entry.dependence.holds(&*self.inner.files);
        let mut state = self.lock();
        let is_there = state.results.get(key).is_some_and(|now| Arc::ptr_eq(&now.result, &entry.result));
        if !is_there || state.is_written(&entry.dependence) {
            return Kept::Nothing;
        }
        if holds {
            state.results.touch(key);
            return Kept::Result(entry.result);
        }
        state.results.remove(key);
        Kept::Stale
    }

    /// Registers a call that is about to change something; `None` if it changes nothing.
    fn write(&self, context: &HookContext, call: &ToolCall) -> Option<Writing> {
        let kind = self.inner.table.kind_of_call(&call.name, &call.args);
        let written = WriteSet::for_call(kind, context, &call.args, &*self.inner.files)?;
        let mut state = self.lock();
        let emptied = state.empty(&written);
        if goes_on(kind, &call.args) {
            state.unsettled.insert(Arc::new(session_of(context)));
            if state.unsettled.len() > MOST_UNSETTLED {
                // The session without a name never ends.
                state.unsettled = HashSet::from([Arc::default()]);
            }
        }
        state.next += 1;
        let id = state.next;
        state.writes.insert(id, written);
        drop(state);
        self.inner.counters.emptied.fetch_add(emptied, Ordering::Relaxed);
        Some(Writing { cache: self.clone(), id })
    }

    fn tell(&self, context: &HookContext, tool: &str, answer: CacheAnswer) {
        self.inner.counters.count(answer);
        if let Some(watch) = &self.inner.watch {
            watch.answered(context, tool, answer);
        }
    }

    fn renewed(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let Inner { config, tools, harmless, table, files, watch, .. } = &*self.inner;
        let mut inner = Inner {
            config: config.clone(),
            tools: tools.clone(),
            harmless: harmless.clone(),
            table: table.clone(),
            files: Arc::clone(files),
            watch: watch.clone(),
            counters: Counters::default(),
            state: Mutex::default(),
            told: Mutex::default(),
        };
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheHistory for ResultCache {
    /// Costs one SHA-256 of the arguments.
    fn take_answer(&self, context: &HookContext, event: &PostToolUse) -> Option<CacheAnswer> {
        if !self.inner.tools.contains_key(&event.tool_name) {
            return None;
        }
        let key = Key::for_call(context, &event.tool_name, &event.tool_args)?;
        let mut told = self.inner.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.take(key, event.tool_use_id.as_deref())
    }
}

/// State of a key in the cache.
enum Kept {
    Result(Arc<ToolResult>),
    Nothing,
    Stale,
}

impl State {
    /// Whether a running write may change something that a result depends on.
    fn is_written(&self, dependence: &Dependence) -> bool {
        let is_unsettled = matches!(dependence, Dependence::Tree(_)) && !self.unsettled.is_empty();
        is_unsettled || self.writes.values().any(|written| written.reaches(dependence))
    }

    /// Removes the results that a write may change. A running read that it affects still answers its waiting
    /// callers, but no other call joins it and its result is not stored.
    fn empty(&mut self, written: &WriteSet) -> u64 {
        self.running.retain(|_, running| !written.reaches(&running.dependence));
        self.results.remove_where(|entry| written.reaches(&entry.dependence))
    }
}

impl Ticket {
    /// Registers `read` for other callers to wait for. If the same read already runs, returns that one
    /// instead.
    pub(super) fn enter(cache: &ResultCache, entry: &Entering, read: Read) -> Read {
        let mut state = cache.lock();
        if let Some(running) = state.running.get(&entry.key)
            && running.dependence == entry.dependence
            && let Some(other) = running.read.upgrade()
        {
            drop(state);
            entry.tell(cache, CacheAnswer::Joined);
            return other;
        }
        if let Some(weak) = read.downgrade() {
            let running = Running { id: entry.id, dependence: Arc::clone(&entry.dependence), read: weak };
            state.running.insert(entry.key, running);
        }
        drop(state);
        entry.tell(cache, entry.answer);
        read
    }

    /// Data that [`enter`](Self::enter) needs from this ticket; the ticket itself moves into the read.
    pub(super) fn entering(&self) -> Entering {
        Entering {
            key: self.key,
            id: self.id,
            dependence: Arc::clone(&self.dependence),
            context: Arc::clone(&self.context),
            tool: self.tool.clone(),
            call: self.call.clone(),
            answer: self.answer,
        }
    }

    /// Stores the result, unless it may be outdated by now.
    pub(super) fn keep(&self, result: &Arc<ToolResult>) {
        let Inner { config, tools, files, counters, .. } = &*self.cache.inner;
        let bytes = size(&result.content, config.longest_result);
        let is_whole = result.error.is_none() && result.files_modified.is_empty();
        let is_kept = is_whole && bytes <= config.longest_result && self.dependence.holds(&**files);
        let now = self.context.environment.clock.tick();
        let lasts = tools.get(&self.tool).and_then(|tool| tool.lasts);
        let mut state = self.cache.lock();
        // A write that began meanwhile has removed the read.
        if state.running.get(&self.key).is_none_or(|running| running.id != self.id) {
            return;
        }
        if is_kept && !state.is_written(&self.dependence) {
            let session = Arc::new(session_of(&self.context));
            let until = lasts.map(|lasts| now.after(lasts));
            let entry = Entry::new(Arc::clone(result), Arc::clone(&self.dependence), until, session, bytes);
            let gone = state.results.put(self.key, entry, config.most_results, config.most_bytes);
            counters.evicted.fetch_add(gone, Ordering::Relaxed);
        }
    }
}

/// A read that is about to be registered.
pub(super) struct Entering {
    key: Key,
    id: u64,
    dependence: Arc<Dependence>,
    context: Arc<HookContext>,
    tool: String,
    call: Option<String>,
    answer: CacheAnswer,
}

impl Entering {
    fn tell(&self, cache: &ResultCache, answer: CacheAnswer) {
        cache.note(self.key, self.call.as_deref(), answer);
        cache.tell(&self.context, &self.tool, answer);
    }
}

impl Drop for Ticket {
    /// Removes the running read: it has finished, failed or been cancelled.
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        if state.running.get(&self.key).is_some_and(|running| running.id == self.id) {
            state.running.remove(&self.key);
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        if let Some(written) = state.writes.remove(&self.id) {
            // Removes results that were read during the write.
            let emptied = state.empty(&written);
            self.cache.inner.counters.emptied.fetch_add(emptied, Ordering::Relaxed);
        }
    }
}

impl Observer<PostToolUse> for ResultCache {
    fn name(&self) -> &'static str {
        "cache"
    }

    /// Removes a result that a hook withheld.
    fn observe(&self, request: &HookRequest<PostToolUse>, outcome: &ResultPatch) {
        let event = request.event();
        if !outcome.goes_ahead()
            && self.inner.tools.contains_key(&event.tool_name)
            && let Some(key) = Key::for_call(request.context(), &event.tool_name, &event.tool_args)
        {
            self.lock().results.remove(&key);
        }
    }
}

impl Observer<SessionEnd> for ResultCache {
    fn name(&self) -> &'static str {
        "cache"
    }

    /// Removes the results of the session.
    fn observe(&self, request: &HookRequest<SessionEnd>, _outcome: &()) {
        self.end_session(request.context());
    }
}

impl fmt::Debug for ResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCache").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

fn session_of(context: &HookContext) -> Session {
    Session { tenant: context.tenant.clone(), id: context.session_id.clone() }
}
