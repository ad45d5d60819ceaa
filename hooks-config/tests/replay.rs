//! Reads the corpora of fuzz targets again.

#![cfg(test)]

#[path = "../../fuzz/checks/hooks_yaml.rs"]
mod hooks_yaml;
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn hooks_yaml_keeps_its_properties() {
    replay::each("hooks_yaml", 8, hooks_yaml::properties);
}
