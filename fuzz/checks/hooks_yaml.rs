//! Properties of the reader of `hooks.yaml` for any text.

use hooks_config::Config;

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(errors) = Config::parse(text, "hooks.yaml") {
        assert!(!errors.to_string().is_empty(), "an error has no text");
    }
}
