//! Reads the corpus of the fuzz target `redaction` again.

#[path = "../../fuzz/checks/redaction.rs"]
mod check;

#[test]
fn each_file_of_the_corpus_keeps_the_properties() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/redaction");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let input = std::fs::read(entry.unwrap().path()).unwrap();
        check::properties(&input);
        // Every way to cut the start of the text.
        for first in 1..=16 {
            let (_, rest) = input.split_first().unwrap();
            check::properties(&[&[first], rest].concat());
        }
        count += 1;
    }
    assert!(count >= 20, "{count} files");
}
