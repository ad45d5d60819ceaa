//! The sections about what is fed from the record: results that are reused, metrics, sinks.

use std::collections::BTreeMap;

use hooks_audit::cache::{CacheConfig, ResultCache};
use hooks_audit::metrics::{Metrics, MetricsConfig};
use hooks_audit::sink::SinkConfig;
use hooks_core::HooksBuilder;
use hooks_policies::config::ToolRole;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Mistakes;
use super::prune::Pruned;
use super::{cache, metrics, plain, section, sinks};

/// The keys they stand under.
pub(super) const KEYS: [&str; 3] = [cache::KEY, metrics::KEY, sinks::KEY];

/// What the sections say; nothing of one that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FeedSections {
    /// Which tools' results are reused.
    pub cache: Option<CacheConfig>,
    /// How much is told apart.
    pub metrics: Option<MetricsConfig>,
    /// Where the records of the log are sent.
    pub sinks: Vec<SinkConfig>,
}

/// What was made of the sections.
#[derive(Clone, Debug, Default)]
pub(super) struct Feeds {
    pub(super) cache: Option<ResultCache>,
    pub(super) metrics: Option<Metrics>,
}

/// Adds the schemas of the sections to `properties`; their definitions go among those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(cache::KEY.to_owned(), section::schema::<CacheConfig>(root));
    properties.insert(metrics::KEY.to_owned(), section::schema::<MetricsConfig>(root));
    properties.insert(sinks::KEY.to_owned(), section::schema::<Vec<SinkConfig>>(root));
}

/// Takes the sections out of `sections`; whether it is plain that nothing is wrong with them.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<CacheConfig>(sections, cache::KEY)
        && plain::is_right_in::<MetricsConfig>(sections, metrics::KEY)
        && plain::is_right_in::<Vec<SinkConfig>>(sections, sinks::KEY)
}

/// Takes the sections out of `sections` and reads them.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> FeedSections {
    let read = FeedSections {
        cache: section::taken(cache::KEY, sections, tree, mistakes),
        metrics: section::taken(metrics::KEY, sections, tree, mistakes),
        sinks: section::taken(sinks::KEY, sections, tree, mistakes).unwrap_or_default(),
    };
    if let Some(config) = &read.cache {
        cache::check(config, tree, mistakes);
    }
    sinks::check(&read.sinks, tree, mistakes);
    read
}

impl FeedSections {
    /// Adds what the sections ask for; metrics go on with what was counted before.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        tools: &BTreeMap<String, ToolRole>,
        counted: Option<&Metrics>,
    ) -> (HooksBuilder, Feeds) {
        let metrics = self.metrics.as_ref().map(|config| metrics::built(config, counted));
        let mut cache = self.cache.as_ref().and_then(|config| cache::built(config, tools));
        if let Some(metrics) = &metrics {
            cache = cache.map(|cache| cache.watched_by(metrics.clone()));
            builder = metrics.add_to(builder);
        }
        if let Some(cache) = &cache {
            builder = cache.add_to(builder);
        }
        (builder, Feeds { cache, metrics })
    }
}
