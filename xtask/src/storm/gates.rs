//! What has to hold.
use super::Run;
#[derive(Debug)]
pub(super) struct Verdict { pub(super) storm: String, pub(super) gate: String, pub(super) bar: String, pub(super) measured: String, pub(super) holds: bool }
pub(super) fn judge(_runs: &[Run]) -> Vec<Verdict> { Vec::new() }
