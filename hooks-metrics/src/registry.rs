//! Counters of a process.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hooks_core::cache::{CacheAnswer, CacheWatch};
use hooks_core::time::Tick;
use hooks_core::{Event, HookContext, HookRequest};

use super::config::MetricsConfig;
use super::family::{FAMILIES, Family, Label, MOST_LABELS, Row};
use super::names::{NameId, Names};
use super::open_calls::OpenCalls;
use super::series::{Cell, SeriesKey, SeriesTable};
use super::snapshot::{FamilySnapshot, SeriesSnapshot, Value};
use super::summary::{SessionSummary, Summaries};

/// Counters of a process. Clones share them.
///
/// ```
/// use hooks_core::HookContext;
/// use hooks_core::cache::{CacheAnswer, CacheWatch};
/// use hooks_metrics::Metrics;
///
/// let metrics = Metrics::default();
/// let context = HookContext::new("session-1", "backend");
/// metrics.clone().answered(&context, "search", CacheAnswer::Hit);
/// metrics.answered(&context, "search", CacheAnswer::Hit);
/// assert!(metrics.prometheus().contains(r#"hooks_cache_calls_total{tool="search",outcome="hit"} 2"#));
/// ```
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    config: MetricsConfig,
    names: Names,
    tables: Vec<SeriesTable>,
    open_calls: OpenCalls,
    summaries: Summaries,
}

/// Tenant, team, agent and repository of a context, as numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub(super) tenant: NameId,
    pub(super) team: NameId,
    pub(super) agent: NameId,
    pub(super) repo: NameId,
}

impl Metrics {
    /// Creates counters without any series.
    pub fn new(config: MetricsConfig) -> Self {
        let names = Names::new(config.most_names);
        let tables = FAMILIES.iter().map(|_| SeriesTable::new(config.most_series.max(1))).collect();
        let summaries = Summaries::new(config.most_sessions);
        let open_calls = OpenCalls::default();
        Self { inner: Arc::new(Inner { config, names, tables, open_calls, summaries }) }
    }

    /// Limits on labels and series.
    pub fn config(&self) -> &MetricsConfig {
        &self.inner.config
    }

    /// Returns all series, sorted.
    ///
    /// Every family is in the result, also one without series.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::cache::{CacheAnswer, CacheWatch};
    /// use hooks_metrics::{FAMILIES, Metrics, Value};
    ///
    /// let metrics = Metrics::default();
    /// metrics.answered(&HookContext::new("session-1", "backend"), "search", CacheAnswer::Miss);
    /// let families = metrics.snapshot();
    /// assert_eq!(families.len(), FAMILIES.len());
    /// let calls = families.iter().find(|one| one.family.name == "hooks.cache.calls").ok_or("missing")?;
    /// assert_eq!(calls.series[0].value, Value::Number(1));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn snapshot(&self) -> Vec<FamilySnapshot> {
        let tables = FAMILIES.iter().zip(&self.inner.tables);
        tables
            .map(|(family, table)| {
                let mut series = Vec::new();
                table.each(|key, cell| series.push(self.series(family, key, cell)));
                series.sort_unstable_by(|one, other| one.labels.cmp(&other.labels));
                FamilySnapshot { family, series }
            })
            .collect()
    }

    /// Summary of the session of `context`; `None` if nothing was counted.
    ///
    /// ```
    /// use hooks_core::event::{PostToolUse, PreToolUse};
    /// use hooks_core::{HookContext, HookRequest, Observer, ResultPatch};
    /// use hooks_metrics::Metrics;
    /// use serde_json::{Value, json};
    ///
    /// let metrics = Metrics::default();
    /// let context = HookContext::new("session-1", "backend");
    /// assert_eq!(metrics.session(&context), None);
    ///
    /// let ran = PostToolUse::after(&PreToolUse::new("edit", json!({})), Value::Null, None, 30);
    /// metrics.observe(&HookRequest::new(context.clone(), ran), &ResultPatch::default());
    /// let summary = metrics.session(&context).ok_or("missing")?;
    /// assert_eq!((&*summary.tools[0].tool, summary.tools[0].calls, summary.tools[0].duration_ms), ("edit", 1, 30));
    /// assert!(summary.to_string().contains("tool edit: 1 calls, 0 failed, 30 ms"));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn session(&self, context: &HookContext) -> Option<SessionSummary> {
        self.inner.summaries.summary_for(context, &self.inner.names)
    }

    /// Whether events of this context are counted.
    pub(super) fn counts(&self, context: &HookContext) -> bool {
        let tenants = &self.inner.config.tenants;
        tenants.is_empty() || context.tenant.as_ref().is_some_and(|tenant| tenants.contains(tenant))
    }

    pub(super) fn who(&self, context: &HookContext) -> Who {
        let team = context.team_root.as_deref().and_then(|root| root.file_name()?.to_str());
        Who {
            tenant: self.name(Label::Tenant, context.tenant.as_deref().unwrap_or_default()),
            team: self.name(Label::Team, team.unwrap_or_default()),
            agent: self.name(Label::Agent, &context.agent_name),
            repo: self.name(Label::Repo, context.repo.as_deref().unwrap_or_default()),
        }
    }

    /// Returns the number of a label value.
    pub(super) fn name(&self, label: Label, text: &str) -> NameId {
        let id = self.inner.names.id(label, text);
        if id == NameId::OTHER {
            self.folded();
        }
        id
    }

    /// Adds to a series of a counter.
    pub(super) fn add<const N: usize>(&self, row: Row, labels: [NameId; N], count: u64) {
        self.record(row, labels, |_, cell| cell.add(count));
    }

    /// Adds a duration to a series of a histogram.
    pub(super) fn took<const N: usize>(&self, row: Row, labels: [NameId; N], duration: Duration) {
        self.record(row, labels, |family, cell| cell.took(family.instrument, duration));
    }

    /// Counts the answer of a stack of hooks and its duration.
    pub(super) fn hook_took<E: Event>(&self, request: &HookRequest<E>, begun: Tick) {
        let context = request.context();
        if self.counts(context) {
            let event = self.name(Label::Event, E::KIND.name());
            self.took(Row::HookDuration, [event], context.environment.clock.tick().since(begun));
        }
    }

    pub(super) fn open_calls(&self) -> &OpenCalls {
        &self.inner.open_calls
    }

    pub(super) fn summaries(&self) -> &Summaries {
        &self.inner.summaries
    }

    fn record<const N: usize>(&self, row: Row, labels: [NameId; N], record: impl Fn(&Family, &Cell)) {
        const { assert!(N <= MOST_LABELS) };
        let at = row as usize;
        let (Some(family), Some(table)) = (FAMILIES.get(at), self.inner.tables.get(at)) else { return };
        debug_assert_eq!(family.labels.len(), N, "{}", family.name);
        let mut key = SeriesKey::default();
        key.iter_mut().zip(labels).for_each(|(slot, label)| *slot = label);
        if table.record(&key, N, family.instrument, |cell| record(family, cell)) {
            self.folded();
        }
    }

    /// Counts a value that was counted as `other`.
    fn folded(&self) {
        if let Some(table) = self.inner.tables.get(Row::Folded as usize) {
            table.record(&SeriesKey::default(), 0, super::Instrument::Counter, |cell| cell.add(1));
        }
    }

    fn series(&self, family: &Family, key: &SeriesKey, cell: &Cell) -> SeriesSnapshot {
        let labels = family.labels.iter().zip(key).filter(|(_, id)| **id != NameId::ABSENT);
        let labels = labels.map(|(label, id)| (label.name(), self.inner.names.text(*label, *id)));
        let value = match cell {
            Cell::Number(number) => Value::Number(number.load(Ordering::Relaxed)),
            Cell::Durations(buckets, sum) => Value::Durations {
                buckets: buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect(),
                sum: Duration::from_micros(sum.load(Ordering::Relaxed)),
            },
        };
        SeriesSnapshot { labels: labels.collect(), value }
    }
}

impl CacheWatch for Metrics {
    fn answered(&self, context: &HookContext, tool: &str, answer: CacheAnswer) {
        if self.counts(context) {
            let who = self.who(context);
            let (tool, outcome) = (self.name(Label::Tool, tool), self.name(Label::Outcome, answer.name()));
            self.add(Row::CacheCalls, [who.tenant, who.team, tool, outcome], 1);
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(MetricsConfig::default())
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("config", &self.inner.config).finish_non_exhaustive()
    }
}
