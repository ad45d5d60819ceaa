//! Reads the corpora of fuzz targets again.

#![cfg(test)]

#[path = "../../fuzz/checks/evaluator.rs"]
mod evaluator;
#[path = "../../fuzz/checks/globs.rs"]
mod globs;
#[path = "../../fuzz/replay.rs"]
mod replay;
#[path = "../../fuzz/checks/resolver.rs"]
mod resolver;
#[path = "../../fuzz/checks/shell_reader.rs"]
mod shell_reader;

#[test]
fn shell_reader_keeps_its_properties() {
    replay::each("shell_reader", 10, shell_reader::properties);
}

#[test]
fn evaluator_keeps_its_properties() {
    replay::each("evaluator", 10, evaluator::properties);
}

#[test]
fn resolver_keeps_its_properties() {
    replay::each("resolver", 10, resolver::properties);
}

#[test]
fn globs_keeps_its_properties() {
    replay::each("globs", 10, globs::properties);
}
