//! Squad's own readers can read the files that we write: their rules, implemented again, applied to our
//! files.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::sync::Arc;

use hooks_core::Environment;
use hooks_core::testing::{FakeClock, FakeDisk};
use hooks_core::time::Timestamp;
use hooks_team::files::{Confidence, MemorySection, NewDecision, NewMember, NewSkill};
use hooks_team::{NewTeam, Team};

fn team() -> (FakeDisk, Team) {
    let disk = FakeDisk::default().with_directory("/p");
    let mut environment = Environment::detached();
    environment.clock = Arc::new(FakeClock::at(Timestamp(1_795_321_247_000)));
    let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
    let members = [("Ripley", "Lead"), ("Fact Checker", "")]
        .map(|(name, role)| NewMember { name: name.into(), role: role.into() });
    team.init(&NewTeam { name: "T".into(), members: members.into(), ..NewTeam::default() }).unwrap();
    (disk, team)
}

fn text(disk: &FakeDisk, name: &str) -> String {
    let files = disk.files();
    String::from_utf8(files[std::path::Path::new("/p/.squad").join(name).as_path()].clone()).unwrap()
}

/// Splits a row without its empty cells, as the reader of the roster does.
fn cells(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn the_roster_is_a_table_under_members() {
    let (disk, team) = team();
    team.add_member(&NewMember { name: "New".into(), role: String::new() }).unwrap();
    let roster = text(&disk, "team.md");
    let (_, members) = roster.split_once("\n## Members\n").unwrap();
    let rows: Vec<_> = members.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    assert_eq!(rows[0], ["Name", "Role", "Charter", "Status"]);
    assert!(rows[1].iter().all(|cell| cell.chars().all(|c| c == '-')));
    assert_eq!(rows[2], ["Ripley", "Lead", "`.squad/agents/ripley/charter.md`", "✅ Active"]);
    assert_eq!(rows[3], ["Fact Checker", "—", "`.squad/agents/fact-checker/charter.md`", "✅ Active"]);
    assert_eq!(rows[4].len(), 4, "no cell is empty, so that none stands for another");
}

#[test]
fn decisions_are_dated_blocks_of_the_third_level_with_an_author() {
    let (disk, team) = team();
    for (summary, body) in [("Use: X", "because"), ("Y", "# A\n## B\n```\n### c\n```\n### 2020-01-01: D")] {
        let decision = NewDecision {
            author: "Ripley".into(),
            summary: summary.into(),
            body: body.into(),
            references: vec!["#1".into()],
        };
        team.decide(&decision).unwrap();
    }
    team.merge_inbox().unwrap();
    let decisions = text(&disk, "decisions.md");
    // That reader does not know code blocks: for it, every line that begins with two or three marks begins a
    // block.
    let heads: Vec<_> =
        decisions.lines().filter(|line| line.starts_with("### ") || line.starts_with("## ")).collect();
    assert_eq!(heads.iter().filter(|head| head.starts_with("### 2026-11-22: ")).count(), 2);
    assert_eq!(decisions.lines().filter(|line| *line == "**By:** Ripley").count(), 2);
    assert!(!decisions.contains("\n### 2020"));
}

#[test]
fn notes_stand_below_their_sections() {
    let (disk, team) = team();
    team.remember("ripley", MemorySection::Updates, "u").unwrap();
    team.remember("ripley", MemorySection::Learnings, "l").unwrap();
    let expected = "# Ripley\n\n## Learnings\n\n### 2026-11-22\nl\n\n## Decisions\n\n### 2026-11-22\nu\n";
    assert_eq!(text(&disk, "agents/ripley/history.md"), expected);
}

#[test]
fn a_skill_has_a_head_for_one_reader_and_lines_for_the_other() {
    let (disk, team) = team();
    let skill = NewSkill {
        name: "retry-well".into(),
        description: "when calls fail".into(),
        domain: "network".into(),
        confidence: Confidence::High,
        source: "earned".into(),
        content: "## Patterns\n\nback off".into(),
    };
    team.write_skill(&skill).unwrap();
    let text = text(&disk, "skills/retry-well/SKILL.md");
    let (head, rest) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    for line in [
        "name: retry-well",
        "description: when calls fail",
        "domain: network",
        "confidence: high",
        "source: earned",
    ] {
        assert!(head.lines().any(|found| found == line), "{line}: {head}");
    }
    assert!(
        rest.starts_with("\n# retry-well\n\n**Confidence:** high\n**Updated:** 2026-11-22\n\n## Patterns\n"),
        "{rest}"
    );
}

#[test]
fn the_folder_has_the_files_that_squad_looks_for() {
    let (disk, _) = team();
    for file in [
        "team.md",
        "routing.md",
        "ceremonies.md",
        "decisions.md",
        "identity/now.md",
        "identity/wisdom.md",
        "agents/ripley/charter.md",
        "agents/ripley/history.md",
    ] {
        assert!(!text(&disk, file).is_empty(), "{file}");
    }
    assert!(text(&disk, "routing.md").contains("\n## Work Type → Agent\n"));
    assert!(text(&disk, "identity/now.md").starts_with("---\nupdated_at: "));
}
