//! Commands of PowerShell and cmd.

use hooks_facts::commands::{Analysis, BlockedPattern, Options};
use hooks_facts::globs::shown;
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
        let (command, pattern) = (example(&table, row, name), &*row.cells[7]);
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
        "$p = @{ Path = 'build'; Recurse = $true; Force = $true }; Remove-Item @p",
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

/// Files that a text changes, with `…` and wildcards for unknown parts.
fn written(text: &str, windows: bool) -> Vec<String> {
    let options = Options { windows, ignores_case: windows, ..Options::default() };
    let analysis = Analysis::of_text(text, &options);
    let mut names: Vec<String> =
        analysis.writes().iter().map(|write| shown(&write.target.outline())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn files_that_are_written_are_seen() {
    let mut failed = Vec::new();
    for (text, names) in [
        ("Set-Content -Path src\\a.ts -Value 'x'", &["src/a.ts"][..]),
        ("Set-Content -Value x -LiteralPath a.txt", &["a.txt"]),
        ("'x' | Set-Content a.txt, b.txt", &["a.txt", "b.txt"]),
        ("ac notes.md 'one > two'", &["notes.md"]),
        ("Get-Date | Out-File -FilePath log.txt -Encoding utf8 -Append", &["log.txt"]),
        ("npm test 2>&1 | Tee-Object out.log", &["out.log"]),
        ("New-Item -ItemType Directory -Path build -Force", &["build"]),
        ("ni build -Name a.txt -Value hello", &["build/a.txt"]),
        ("New-Item -ItemType SymbolicLink -Path a -Target migrations\\b", &["a", "a/b", "migrations/b"]),
        ("Copy-Item a.md -Destination b.md", &["b.md", "b.md/a.md"]),
        ("Move-Item -Destination b.md -Path a.md", &["a.md", "b.md", "b.md/a.md"]),
        ("Rename-Item src/a.ts b.ts", &["src/a.ts", "src/b.ts", "src/b.ts/a.ts"]),
        ("Clear-Content a.txt", &["a.txt"]),
        ("iwr -Uri https://a.example -OutFile x.zip", &["x.zip"]),
        ("Invoke-WebRequest https://a.example", &[]),
        ("Expand-Archive a.zip -DestinationPath vendor", &["vendor"]),
        ("Compress-Archive -Path src -DestinationPath a.zip", &["a.zip"]),
        ("Get-Process | Export-Csv out.csv -NoTypeInformation", &["out.csv"]),
        ("Remove-Item a.txt -ErrorAction SilentlyContinue", &["a.txt"]),
        ("Remove-Item Env:TOKEN", &[]),
        ("Remove-Item a.txt -WhatIf", &[]),
        ("Write-Output x > a.txt; 'y' >> b.txt; z 2> c.txt *> d.txt", &["a.txt", "b.txt", "c.txt", "d.txt"]),
        ("npm test > $null 2>&1", &["/dev/null"]),
        ("[System.IO.File]::WriteAllText('src/a.ts', 'x')", &["src/a.ts"]),
        ("[IO.File]::Copy(\"a\", \"b\")", &["b", "b/a"]),
        ("$w = New-Object System.IO.StreamWriter('a.log')", &["a.log"]),
        ("$p = Join-Path src 'a.ts'; Set-Content $p x", &["src/a.ts"]),
        ("$p = @{ Path = 'src/a.ts'; Value = 'x' }\nSet-Content @p", &["src/a.ts"]),
        ("Set-Content (Join-Path $PWD 'a.ts') x", &["./a.ts"]),
        ("Get-ChildItem src -Filter *.log | Remove-Item", &["src/*.log"]),
        (
            "gci src -Recurse -Include *.ts | % { (gc $_.FullName) -replace 'a','b' | Set-Content $_.FullName }",
            &["src/**/*.ts"],
        ),
        (
            "foreach ($f in Get-ChildItem docs) { Copy-Item $f.FullName \"out/$($f.Name)\" }",
            &["out/*", "out/*/*"],
        ),
        (
            "Get-ChildItem a.txt | ForEach-Object { $_.MoveTo('b.txt') }",
            &["a.txt", "a.txt/*", "b.txt/*", "b.txt/a.txt"],
        ),
        ("cd src; Set-Content a.ts x", &["a.ts", "src/a.ts"]),
        ("Set-Content \"$name.txt\" x", &["….txt"]),
        ("# Set-Content a x", &[]),
        ("Write-Host 'Set-Content a x'", &[]),
        ("if ($a -gt 3) { Get-Content a.txt }", &[]),
        (
            "cmd /c \"copy a.txt b.txt & ren c.txt d.txt & echo x> e.txt 2>nul\"",
            &["b.txt", "b.txt/a.txt", "c.txt", "d.txt", "d.txt/c.txt", "e.txt"],
        ),
    ] {
        let found = written(text, true);
        if found != names {
            failed.push(format!("{text}: {found:?}"));
        }
    }
    assert_effects(&failed);
    for (text, names) in [
        ("powershell -c \"Set-Content src\\\\a.ts x\"", &["src/a.ts"][..]),
        ("cmd /c 'md src\\a && move b c'", &["b", "c", "c/b", "src/a"]),
    ] {
        let found = written(text, false);
        assert!(names.iter().all(|name| found.iter().any(|it| it == name)), "{text}: {found:?}");
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
