//! The section about the result cache: which tools' results are reused.

use hooks_audit::cache::{CacheConfig, ResultCache};
use hooks_facts::tools::ToolTable;

use super::error::Mistakes;
use super::prune::Pruned;
use super::sinks::report;

/// The key it stands under.
pub(super) const KEY: &str = "cache";

/// Reports what makes no sense.
pub(super) fn check(config: &CacheConfig, tree: &Pruned, mistakes: &mut Mistakes) {
    if let Err(error) = ResultCache::new(config.clone()) {
        report(&format!("{KEY}.{}", error.field(config)), &error, tree, mistakes);
    }
}

/// The cache that `config` asks for; it knows the tools of the configuration.
pub(super) fn built(config: &CacheConfig, tools: ToolTable) -> Option<ResultCache> {
    // What makes no sense was reported when the section was read.
    ResultCache::new(config.clone()).ok().map(|cache| cache.with_table(tools))
}
