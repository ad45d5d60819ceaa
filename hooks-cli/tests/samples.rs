//! The samples have no mistakes and no warnings, give the decisions of their tables, and are listed on their page.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "it starts the program")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `hooks` beside a copy of a sample, without settings of this machine.
fn hooks(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.env_clear().env("HOME", folder).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn each_sample_is_valid_decides_as_its_table_says_and_is_listed() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("samples");
    let page = fs::read_to_string(samples.join("README.md")).unwrap();
    let mut folders: Vec<_> = fs::read_dir(&samples).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    assert_eq!(folders.len(), 10);
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not listed");
        let copy = tempfile::tempdir().unwrap();
        for file in ["hooks.yaml", "hooks.test.yaml"] {
            fs::copy(folder.join(file), copy.path().join(file)).unwrap();
        }
        let checked = hooks(copy.path(), &["check", "hooks.yaml"]);
        let text = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success() && !text.contains("warning"), "{name}: {text}");
        let tested = hooks(copy.path(), &["test"]);
        let text = String::from_utf8_lossy(&tested.stdout);
        assert!(tested.status.success() && text.contains(" as expected"), "{name}: {text}");
    }
}
