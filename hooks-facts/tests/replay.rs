//! Reads the corpora of fuzz targets again.

#![cfg(test)]

#[path = "../../fuzz/checks/evaluator.rs"]
mod evaluator;
#[path = "../../fuzz/checks/globs.rs"]
mod globs;
#[path = "../../fuzz/checks/resolver.rs"]
mod resolver;
#[path = "../../fuzz/checks/shell_reader.rs"]
mod shell_reader;

fn each(target: &str, check: fn(&[u8])) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/").to_owned() + target;
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 10, "{} files", files.len());
    for file in files {
        let input = std::fs::read(&file).unwrap();
        eprintln!("{}", file.display());
        check(&input);
        // Every text that ends early.
        (0..input.len()).for_each(|end| check(&input[..end]));
    }
}

#[test]
fn shell_reader_keeps_its_properties() {
    each("shell_reader", shell_reader::properties);
}

#[test]
fn evaluator_keeps_its_properties() {
    each("evaluator", evaluator::properties);
}

#[test]
fn resolver_keeps_its_properties() {
    each("resolver", resolver::properties);
}

#[test]
fn globs_keeps_its_properties() {
    each("globs", globs::properties);
}
