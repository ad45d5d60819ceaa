//! The sections about consumers of events and records: the result cache, metrics, sinks.

use hooks_audit::config::AuditConfig;
use hooks_audit::sink::SinkConfig;
use hooks_cache::{CacheConfig, ResultCache};
use hooks_core::HooksBuilder;
use hooks_facts::tools::ToolTable;
use hooks_metrics::{Metrics, MetricsConfig};
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Mistakes;
use super::prune::Pruned;
use super::{cache, metrics, plain, section, sinks};

/// Keys of the sections.
pub(super) const KEYS: [&str; 3] = [cache::KEY, metrics::KEY, sinks::KEY];

/// The sections about the result cache, metrics and sinks; empty for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FeedSections {
    /// Settings of the result cache.
    pub cache: Option<CacheConfig>,
    /// Limits of the labels that metrics distinguish.
    pub metrics: Option<MetricsConfig>,
    /// Sinks that receive the records of the log.
    pub sinks: Vec<SinkConfig>,
}

/// The cache and the counters, built from the sections.
#[derive(Clone, Debug, Default)]
pub(super) struct Feeds {
    pub(super) cache: Option<ResultCache>,
    pub(super) metrics: Option<Metrics>,
}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(cache::KEY.to_owned(), section::schema::<CacheConfig>(root));
    properties.insert(metrics::KEY.to_owned(), section::schema::<MetricsConfig>(root));
    properties.insert(sinks::KEY.to_owned(), section::schema::<Vec<SinkConfig>>(root));
}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<CacheConfig>(sections, cache::KEY)
        && plain::is_right_in::<MetricsConfig>(sections, metrics::KEY)
        && plain::is_right_in::<Vec<SinkConfig>>(sections, sinks::KEY)
}

/// Removes the sections from `sections` and reads them.
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
    if let Some(config) = &read.metrics {
        metrics::check(config, tree, mistakes);
    }
    sinks::check(&read.sinks, tree, mistakes);
    read
}

/// Reports sinks without a log because `audit` is switched off. If there is no `audit` section, the host may
/// still switch the log on.
pub(super) fn check_log(
    read: &FeedSections,
    audit: Option<&AuditConfig>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) {
    if !read.sinks.is_empty() && audit.is_some_and(|audit| !audit.is_enabled()) {
        let (place, hint) = (tree.root.locate_key(sinks::KEY), "write `audit: {}`, or leave `sinks` out");
        mistakes.add_with_hint(place, sinks::KEY, "there is no log that they could be fed from", hint);
    }
}

impl FeedSections {
    /// Adds the hooks of the sections. Metrics continue the counts in `counted`.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        tools: &ToolTable,
        counted: Option<&Metrics>,
    ) -> (HooksBuilder, Feeds) {
        let metrics = self.metrics.as_ref().map(|config| metrics::built(config, counted));
        let mut cache = self.cache.as_ref().and_then(|config| cache::built(config, tools.clone()));
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

#[cfg(test)]
mod tests {
    use hooks_core::HookContext;
    use hooks_core::event::PostToolUse;
    use hooks_core::event::PreToolUse;
    use serde_json::json;

    use super::super::read::{Config, ConfigReader};

    const TEXT: &str = "
version: 1
metrics: { most_names: 50 }
cache:
  tools: [{ tool: web_search, depends: outside, for: 10m }]
sinks:
  - { name: collector, otlp: { endpoint: \"http://localhost:4318\" } }
";

    #[tokio::test]
    async fn the_sections_are_built_and_what_was_counted_stays() {
        let first = Config::parse(TEXT, "hooks.yaml").unwrap();
        assert!(first.cache().is_some());
        assert_eq!(first.feeds().sinks[0].name, "collector");
        let count = async |config: &Config| {
            let hooks = config.clone().hooks();
            let event = PostToolUse::after(&PreToolUse::new("edit", json!({})), json!(null), None, 1);
            hooks.on(HookContext::new("s", "a")).post_tool_use(event).await;
            config.metrics().unwrap().prometheus()
        };
        let counted = |times: u32| {
            format!("hooks_tool_calls_total{{agent=\"a\",tool=\"edit\",outcome=\"ok\"}} {times}\n")
        };
        assert!(count(&first).await.contains(&counted(1)));
        let again = ConfigReader::default().keeping(first.kept().clone());
        assert!(count(&again.parse(TEXT, "hooks.yaml").unwrap()).await.contains(&counted(2)));
        // With other labels, counting starts again.
        let other = TEXT.replace("50", "60");
        assert!(count(&again.parse(&other, "hooks.yaml").unwrap()).await.contains(&counted(1)));
        assert!(Config::parse("version: 1", "hooks.yaml").unwrap().metrics().is_none());
    }

    #[test]
    fn what_makes_no_sense_is_told_at_its_place() {
        let text = "
version: 1
cache:
  tools:
    - { tool: web_search, depends: outside }
sinks:
  - { name: a, webhook: { url: \"ftp://x\" } }
";
        let errors = Config::parse(text, "hooks.yaml").unwrap_err();
        let errors: Vec<_> = errors.errors().iter().map(ToString::to_string).collect();
        assert!(
            errors[0]
                .starts_with("line 5, column 7: cache.tools[0]: `web_search` depends on what is outside"),
            "{errors:?}"
        );
        assert!(
            errors[1].starts_with("line 7, column 5: sinks[0]: `ftp://x` is not an address for `a`"),
            "{errors:?}"
        );
        let unknown = Config::parse("version: 1\nmetrics: { most: 1 }", "hooks.yaml").unwrap_err();
        assert!(unknown.errors()[0].to_string().contains("unknown option `most`"));
    }

    #[test]
    fn what_would_do_nothing_is_refused() {
        let webhook = "sinks: [{ name: a, webhook: { url: \"http://x\" } }]";
        for (sections, expected) in [
            (&*format!("audit: false\n{webhook}"), "line 3, column 1: sinks: there is no log"),
            ("metrics: { most_names: 0 }", "metrics.most_names: with 0, everything is counted as `other`"),
            ("metrics: { most_series: 0 }", "metrics.most_series: with 0, everything is counted as `other`"),
            ("notices: { most: 0 }", "notices.most: with 0, no agent would get a notice"),
            ("notices: { keep: 0 }", "notices.keep: with 0, no agent would get a notice"),
            (
                "cache: { harmless: [think, bash] }",
                "cache.harmless[1]: `bash` changes files or runs commands",
            ),
            ("cache: { harmless: [Write] }", "cache.harmless[0]: `Write` changes files or runs commands"),
            ("cache: { harmless: [\"mcp_*\"] }", "cache.harmless[0]: `mcp_*` is not a name of a tool"),
            (
                "cache: { tools: [{ tool: \"*\", depends: tree }] }",
                "cache.tools[0]: `*` is not a name of a tool",
            ),
        ] {
            let errors = Config::parse(&format!("version: 1\n{sections}\n"), "hooks.yaml").unwrap_err();
            // A program that is built without a sink reports that, too.
            let [error, ..] = errors.errors() else { panic!("{sections}: {errors}") };
            assert!(error.to_string().contains(expected) && error.hint.is_some(), "{sections}: {error}");
        }
        assert!(Config::parse(&format!("version: 1\naudit: {{}}\n{webhook}\n"), "hooks.yaml").is_ok());
    }
}
