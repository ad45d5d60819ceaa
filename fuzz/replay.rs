//! Reads the corpus of a fuzz target again, in the tests of the crate that it is about.

use std::fs;
use std::path::Path;

/// Calls `check` with each file of the corpus, of which there are at least `least`, and with every text that ends early.
pub(crate) fn each(target: &str, least: usize, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= least, "{} files", files.len());
    for file in files {
        let input = fs::read(&file).unwrap();
        eprintln!("{}", file.display());
        check(&input);
        (0..input.len()).for_each(|end| check(&input[..end]));
    }
}
