//! Commands of PowerShell and cmd.

use hooks_facts::commands::{Analysis, BlockedPattern, Options};
use proptest::prelude::*;

use super::{assert_effects, example, keys, table};

fn matches(text: &str, pattern: &str, windows: bool) -> bool {
    let pattern = BlockedPattern::parse(pattern).expect("the pattern is correct");
    let options = Options { windows, ignores_case: windows, ..Options::default() };
    Analysis::of_text(text, &options).find(&[pattern]).is_some()
}

#[test]
fn every_command_is_compared_with_its_program() {
    let table = table(include_str!("../../data/windows_programs.tsv"));
    let mut failed = Vec::new();
    for (row, name) in keys(&table) {
        let (command, pattern) = (example(&table, row, name), &*row.cells[5]);
        if !matches(&command, pattern, true) {
            failed.push(format!("{}: {command}", row.line));
        }
    }
    assert_effects(&failed);
}

#[test]
fn every_spelling_is_found_with_either_tool() {
    let blocked = [
        "Remove-Item -Recurse -Force .\\build",
        "ri -r -fo build",
        "REMOVE-ITEM build -Recurse:$true -Force",
        "Rem`ove-Item -Rec -For build",
        "Get-ChildItem src -Recurse | Remove-Item -Force",
        "if (Test-Path build) { Remove-Item build -Recurse -Force }",
        "$x = 'Remove-Item'; & $x -Recurse -Force build",
        "iex 'Remove-Item -Recurse -Force build'",
        "& ('Remove' + '-Item') -Recurse -Force build",
        "Invoke-Command -ScriptBlock { rm -r -fo build }",
        "cmd /c rd /s /q build",
        "rd /s/q build",
        "r^d /s /q build",
        "if exist build rd /s /q build",
        "for %i in (a b) do rd /s /q %i",
        "set X=rd\n%X% /s /q build",
        "(rd /s /q build)",
        "powershell -NoProfile -Command \"Remove-Item -Recurse -Force build\"",
        "powershell -enc UgBlAG0AbwB2AGUALQBJAHQAZQBtACAALQBSAGUAYwB1AHIAcwBlACAALQBGAG8AcgBjAGUAIABiAHUAaQBsAGQA",
    ];
    for text in blocked {
        assert!(matches(text, "rm -rf", true), "{text}");
    }
    for text in [
        "powershell -Command 'Remove-Item -Recurse -Force build'",
        "pwsh -NoProfile -c 'ri -r -fo build'",
        "cmd /c 'rd /s /q build'",
        "cmd.exe /c \"del /s /q build\"",
    ] {
        assert!(matches(text, "rm -rf", false), "{text}");
    }
    assert!(matches("& 'git' push --force", "git push --force", true));
    assert!(matches("Start-Process git -ArgumentList 'push','--force'", "git push --force", true));
    assert!(matches("Start-Process notepad -Verb RunAs", "sudo", true));
}

#[test]
fn text_is_no_command() {
    for text in [
        "Write-Host 'Remove-Item -Recurse -Force build'",
        "Get-ChildItem -Recurse | Select-String 'rd /s /q'",
        "Remove-Item build\\a.o -Force",
        "echo rd /s /q build",
        "# Remove-Item -Recurse -Force build",
        "Get-ChildItem -Recurse; Remove-Item a.txt -Force",
    ] {
        assert!(!matches(text, "rm -rf", true), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in "[ -~\\n`'\"$(){}|&;^%é]{0,200}") {
        let options = Options { windows: true, ignores_case: true, ..Options::default() };
        let _analysis = Analysis::of_text(&text, &options);
        let _inner = Analysis::of_words(&["powershell", "-c", &text], &Options::default());
        let _other = Analysis::of_words(&["cmd", "/c", &text], &Options::default());
    }
}
