//! `hooks demo --squad` on the team folder of `proofs/squads`: each section denies a real call, and the reason names its source.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn demo(dir: &Path) -> Output {
    let home = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["demo", "--squad"]).arg(dir).env_clear().env("HOME", home.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn harbour() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/squads/harbour")
}

/// Names and contents of all files below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut open, mut all) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => all.push((path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

#[test]
fn each_section_denies_a_call_and_names_its_source() {
    let before = files(&harbour());
    let output = demo(&harbour());
    let shown = text(&output);
    assert!(output.status.success(), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
    for wanted in [
        "7 members",
        "the decision \"",
        "by      decisions: ",
        "by      boundaries: writes",
        "by the charter `.squad/agents/backstrom/charter.md`",
        "the ceremony `Design Review` is held until",
        "by      ceremonies: Design Review",
        "phase `phase-2` of `.specs/20260901-berth-plan` is read-only",
        "by      phases: branch",
        "by      phases: state\n",
        "by      sequences: secrets-stay",
        "run the tests after the last change",
        "by      sequences: few-deploys",
        "branch, without a checkout",
        "was written: nothing",
    ] {
        assert!(shown.contains(wanted), "`{wanted}` is missing in:\n{shown}");
    }
    assert!(!shown.contains("not found"), "{shown}");
    assert!(files(&harbour()) == before, "the team folder was changed");
}

#[test]
fn what_a_folder_does_not_have_is_said_and_not_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let team = folder.path().join(".squad");
    fs::create_dir_all(&team).unwrap();
    fs::write(team.join("decisions.md"), "# Decisions\n\n### 2026-05-04: Tone\n**What:** Be kind.\n")
        .unwrap();
    for dir in [folder.path(), &team] {
        let output = demo(dir);
        let shown = text(&output);
        assert!(output.status.success(), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
        for wanted in [
            "no `hooks.yaml` beside it",
            "not found a decision that forbids something",
            "not found a charter with a `boundaries` block",
            "not found an enabled ceremony",
            "not found an active pipeline in `.specs/*/state.json`",
            "not found a section `sequences`",
        ] {
            assert!(shown.contains(wanted), "`{wanted}` is missing in:\n{shown}");
        }
        assert!(!shown.contains("denied    "), "{shown}");
    }
}

#[test]
fn a_folder_without_a_team_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path());
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a team folder"), "{output:?}");
}
