//! The section about the result cache: the tools whose results are reused.

use hooks_cache::{CacheConfig, ResultCache};
use hooks_facts::tools::ToolTable;

use super::error::Mistakes;
use super::prune::Pruned;
use super::sinks::report;

/// Key of the section.
pub(super) const KEY: &str = "cache";

/// Reports invalid settings.
pub(super) fn check(config: &CacheConfig, tree: &Pruned, mistakes: &mut Mistakes) {
    if let Err(error) = ResultCache::new(config.clone()) {
        report(&format!("{KEY}.{}", error.field(config)), &error, tree, mistakes);
    }
}

/// The cache of `config`, with the tools of the configuration.
pub(super) fn built(config: &CacheConfig, tools: ToolTable) -> Option<ResultCache> {
    // Invalid settings were reported when the section was read.
    ResultCache::new(config.clone()).ok().map(|cache| cache.with_table(tools))
}
