//! Reads the corpora of fuzz targets again.

#![cfg(test)]

#[path = "../../fuzz/checks/protocols.rs"]
mod protocols;
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn protocols_keeps_its_properties() {
    replay::each("protocols", 8, protocols::properties);
}
