//! The units of systemd are valid, and start commands that the program knows.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "it starts the program")]

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_units_are_valid_and_start_commands_of_the_program() {
    let program = env!("CARGO_BIN_EXE_hooks");
    let home = tempfile::tempdir().unwrap();
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("deploy");
    let mut files = Vec::new();
    for unit in fs::read_dir(units).unwrap().map(|entry| entry.unwrap().path()) {
        let Some("service" | "timer") = unit.extension().and_then(|ending| ending.to_str()) else { continue };
        let text = fs::read_to_string(&unit).unwrap().replace("%h/.cargo/bin/hooks", program);
        for line in text.lines().filter_map(|line| line.strip_prefix("ExecStart=")) {
            let words: Vec<_> = line.split(' ').skip(1).map(|word| word.replace('%', "")).collect();
            let help = Command::new(program).args(&words).arg("--help").output().unwrap();
            assert!(help.status.success(), "{line}: {}", String::from_utf8_lossy(&help.stderr));
        }
        let copy = home.path().join(unit.file_name().unwrap());
        fs::write(&copy, text).unwrap();
        files.push(copy);
    }
    assert_eq!(files.len(), 4);
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--user", "--man=no"]).args(&files);
    verify.env("HOME", home.path()).env("XDG_RUNTIME_DIR", home.path());
    let verified =
        verify.output().unwrap_or_else(|cause| panic!("systemd-analyze, of Debian's `systemd`: {cause}"));
    let text = String::from_utf8_lossy(&verified.stderr);
    let own: Vec<_> = text.lines().filter(|line| line.contains("hooks-")).collect();
    assert!(verified.status.success() && own.is_empty(), "{text}");
}
