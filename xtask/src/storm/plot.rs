//! The comparison as a picture.
use super::Run;
pub(super) fn draw(_runs: &[Run]) -> String { String::new() }
