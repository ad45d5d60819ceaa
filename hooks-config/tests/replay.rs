//! Reads the corpora of fuzz targets again.

#![cfg(test)]

#[path = "../../fuzz/checks/hooks_yaml.rs"]
mod hooks_yaml;

fn each(target: &str, check: fn(&[u8])) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/").to_owned() + target;
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 8, "{} files", files.len());
    for file in files {
        let input = std::fs::read(&file).unwrap();
        eprintln!("{}", file.display());
        check(&input);
        // Every text that ends early.
        (0..input.len()).for_each(|end| check(&input[..end]));
    }
}

#[test]
fn hooks_yaml_keeps_its_properties() {
    each("hooks_yaml", hooks_yaml::properties);
}
