//! Properties of the resolver of paths for any path: the first line is the target of a link, the rest the path.

use hooks_core::Platform;
use hooks_core::testing::FakeFileSystem;
use hooks_facts::paths::{ResolvedRoot, Resolver};

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (target, path) = text.split_once('\n').unwrap_or(("a", text));
    let disk = FakeFileSystem::default().with_link("/repo/link", target).with_link("/repo/sub/up", "..");
    for platform in [Platform::Posix, Platform::Windows] {
        let Ok(root) = ResolvedRoot::new(&disk, "/repo", "/repo/sub", platform) else { continue };
        for case_insensitive in [false, true] {
            let resolver = Resolver {
                fs: &disk,
                root: &root,
                home: Some("/home/dev"),
                case_insensitive,
                is_encoded: true,
            };
            match resolver.resolve(path) {
                Ok(resolution) => {
                    assert!(!resolution.readings.is_empty(), "a path has no reading");
                    for reading in &resolution.readings {
                        assert!(!reading.path.starts_with('/'), "a reading leaves the root: {reading:?}");
                        let leads_up = reading.path.split('/').any(|part| part == "..");
                        assert!(!leads_up, "a reading leads up: {reading:?}");
                    }
                }
                Err(error) => assert!(!error.to_string().is_empty(), "an error has no text"),
            }
        }
    }
}
