//! Contexts for tests.

use hooks_core::HookContext;
use hooks_core::testing::{FakeFileSystem, world};

/// Returns a context of an agent in `/repo`.
pub(crate) fn context(agent: &str, files: FakeFileSystem) -> HookContext {
    HookContext::new("session", agent).in_dir("/repo").with_environment(world(files).0)
}
