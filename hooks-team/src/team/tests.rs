use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use hooks_core::Environment;
use hooks_core::testing::{FakeClock, FakeDisk};
use hooks_core::time::{SeededRandom, Timestamp};

use super::{NewTeam, Team};
use crate::error::TeamError;
use crate::files::{MemorySection, NewDecision, NewMember, NewSkill};

fn team(disk: &FakeDisk) -> Team {
    let mut environment = Environment::detached();
    environment.clock = Arc::new(FakeClock::at(Timestamp(1_795_321_247_000)));
    environment.random = Arc::new(SeededRandom::new(disk.steps()));
    Team::new(Arc::new(disk.clone()), "/p/.squad", &environment)
}

fn laid_out() -> (FakeDisk, Team) {
    let disk = FakeDisk::default().with_directory("/p");
    let team = team(&disk);
    let members = [("Lead", "Architect"), ("Fact Checker", "Reviewer")];
    let members = members.map(|(name, role)| NewMember { name: name.into(), role: role.into() });
    team.init(&NewTeam {
        name: "T".into(),
        description: "x".into(),
        members: members.into(),
        ..NewTeam::default()
    })
    .unwrap();
    (disk, team)
}

fn decision(summary: &str) -> NewDecision {
    NewDecision {
        author: "Lead".into(),
        summary: summary.into(),
        body: format!("because {summary}"),
        ..Default::default()
    }
}

fn text(disk: &FakeDisk, name: &str) -> String {
    String::from_utf8(disk.files()[&Path::new("/p/.squad").join(name)].clone()).unwrap()
}

#[test]
fn a_new_folder_is_laid_out_once() {
    let (disk, team) = laid_out();
    let before = disk.files();
    assert_eq!(team.init(&NewTeam::default()).unwrap(), []);
    assert_eq!(disk.files(), before);
    let snapshot = team.read();
    assert_eq!(snapshot.problems, Vec::<String>::new());
    assert_eq!(snapshot.roster.members().len(), 3);
    assert_eq!(
        snapshot.agents.iter().map(|agent| &*agent.folder).collect::<Vec<_>>(),
        ["fact-checker", "lead"]
    );
    assert_eq!(snapshot.agents[0].charter.role().unwrap(), "Reviewer");
    assert_eq!(snapshot.ceremonies.all().len(), 2);
    assert_eq!(snapshot.decisions.entries().len(), 0);
    assert_eq!(snapshot.now.active_issues(), Vec::<String>::new());
}

#[test]
fn laying_out_goes_on_where_it_was_killed() {
    let whole = laid_out()
        .0
        .files()
        .into_keys()
        .filter(|path| !path.starts_with("/p/.squad/.hooks"))
        .collect::<Vec<_>>();
    for at in (0..).step_by(7) {
        let disk = FakeDisk::default().with_directory("/p");
        disk.kill_at(at);
        let members = ["Lead", "Fact Checker"].map(|name| NewMember { name: name.into(), role: "r".into() });
        let plan = NewTeam { members: members.into(), ..NewTeam::default() };
        let done = team(&disk).init(&plan).is_ok();
        disk.lose_power();
        team(&disk).init(&plan).unwrap();
        team(&disk).recover().unwrap();
        let files: Vec<_> =
            disk.files().into_keys().filter(|path| !path.starts_with("/p/.squad/.hooks")).collect();
        assert_eq!(files, whole, "{at}");
        if done {
            return;
        }
    }
}

#[test]
fn equal_decisions_have_files_of_their_own() {
    let (_, team) = laid_out();
    let places: Vec<_> = (0..50).map(|_| team.decide(&decision("日本")).unwrap()).collect();
    assert_eq!(places.iter().collect::<std::collections::BTreeSet<_>>().len(), 50);
    assert_eq!(team.inbox().unwrap().len(), 50);
}

#[test]
fn equal_files_of_the_inbox_are_one_decision() {
    let (disk, team) = laid_out();
    let fill = || {
        for number in 0..4 {
            disk.put(
                format!("/p/.squad/decisions/inbox/{number}.md"),
                "### Use X\n**By:** A\n\n### Use Y\n**By:** A\n",
            );
        }
    };
    fill();
    let moved = team.merge_inbox().unwrap();
    assert_eq!((moved.entries, moved.known), (4, 3));
    fill();
    disk.put("/p/.squad/decisions/inbox/z.md", "### Use Y\n**By:** A\n\n### Use Z\n**By:** A\n");
    let moved = team.merge_inbox().unwrap();
    assert_eq!((moved.entries, moved.known), (5, 4));
    let decisions = text(&disk, "decisions.md");
    for word in ["X", "Y", "Z"] {
        assert_eq!(decisions.matches(&format!("### Use {word}\n")).count(), 1, "{decisions}");
    }
    assert_eq!(team.inbox().unwrap().len(), 0);
}

#[test]
fn what_is_no_text_of_a_decision_keeps_no_other_from_being_merged() {
    let (disk, team) = laid_out();
    let disk = disk
        .with_link("/p/.squad/decisions/inbox/a.md", "x")
        .with_directory("/p/.squad/decisions/inbox/b.md")
        .with_file("/p/.squad/decisions/inbox/c.md", "x".repeat((4 << 20) + 1))
        .with_file("/p/.squad/decisions/inbox/d.md", b"### d \xFF\n".to_vec())
        .with_file("/p/.squad/decisions/inbox/e.md", "### e\n");
    assert_eq!(team.merge_inbox().unwrap().entries, 1);
    let mut problems = Vec::new();
    assert!(team.inbox_telling(&mut problems).unwrap().is_empty());
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    for (file, told) in ["a", "b", "c", "d"].iter().zip(&told) {
        assert!(told.starts_with(&format!("`decisions/inbox/{file}.md` is ")), "{told}");
    }
    assert!(disk.files()[Path::new("/p/.squad/decisions/inbox/d.md")].contains(&0xFF), "it is as it was");
}

#[test]
fn decisions_do_not_grow_beyond_what_can_be_read() {
    let (disk, team) = laid_out();
    disk.put("/p/.squad/decisions.md", "x".repeat((64 << 20) - 1_000));
    for name in ["a", "b"] {
        disk.put(
            format!("/p/.squad/decisions/inbox/{name}.md"),
            format!("### {name}\n{}\n", "y".repeat(600)),
        );
    }
    assert_eq!(team.merge_inbox().unwrap().entries, 1);
    assert_eq!(
        team.merge_inbox().unwrap_err().to_string(),
        "`decisions.md` would be larger than 67108864 bytes; archive a part of it"
    );
    assert_eq!(team.inbox().unwrap().len(), 1);
    assert!(team.decisions().is_ok());
}

#[test]
fn decisions_are_merged_as_they_were_scrubbed() {
    let (disk, team) = laid_out();
    let scrub = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "***"));
    for (name, content) in
        [("a", "### Log in\nwith hunter2\n"), ("b", "### Log in\nwith ***\n"), ("hunter2", "no heading")]
    {
        disk.put(format!("/p/.squad/decisions/inbox/{name}.md"), content);
    }
    let moved = team.merge_inbox_scrubbed(|_| true, scrub).unwrap();
    assert_eq!((moved.entries, moved.known), (3, 1));
    let decisions = text(&disk, "decisions.md");
    assert!(decisions.contains("### ***\n\nno heading") && !decisions.contains("hunter2"), "{decisions}");
}

#[test]
fn the_inbox_is_merged_oldest_first_and_once() {
    let (disk, team) = laid_out();
    disk.put(
        "/p/.squad/decisions/inbox/b.md",
        "# Decision: Older\r\n**Date:** 2020-01-01\r\n\r\n## Context\r\nc\r\n",
    );
    disk.put("/p/.squad/decisions/inbox/a.md", "never do x");
    disk.put("/p/.squad/decisions/inbox/empty.md", "\n");
    disk.put("/p/.squad/decisions/inbox/note.txt", "not one");
    team.decide(&decision("Newer")).unwrap();
    let moved = team.merge_inbox().unwrap();
    assert_eq!((moved.entries, moved.known), (3, 0));
    let decisions = team.decisions().unwrap();
    let titles: Vec<_> = decisions.entries().map(|entry| entry.title().into_owned()).collect();
    assert_eq!(titles, ["a", "Decision: Older", "Newer"]);
    assert_eq!(team.inbox().unwrap().len(), 1, "a file with nothing in it is nobody's decision yet");
    assert_eq!(team.merge_inbox().unwrap().entries, 0);

    // A decision that is already there is not added again.
    let merged = text(&disk, "decisions.md");
    disk.put("/p/.squad/decisions/inbox/b.md", "# Decision: Older\n**Date:** 2020-01-01\n\n## Context\nc");
    assert_eq!(team.merge_inbox().unwrap().known, 1);
    assert_eq!(text(&disk, "decisions.md"), merged);
    assert_eq!(team.inbox().unwrap().len(), 1);
}

/// Counts every decision in all files.
fn everywhere(team: &Team) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut count = |text: &str| {
        for word in text.split_whitespace().filter_map(|word| word.strip_prefix("because#")) {
            *found.entry(word.to_owned()).or_default() += 1;
        }
    };
    for file in [team.decisions().unwrap(), team.decisions_archive().unwrap()] {
        count(&String::from_utf8_lossy(file.document().bytes()));
    }
    for file in team.inbox().unwrap() {
        count(&String::from_utf8_lossy(file.document().bytes()));
    }
    found
}

#[test]
fn decisions_are_in_exactly_one_place_whenever_a_process_is_killed() {
    for power in [false, true] {
        for at in 0.. {
            let (disk, team) = laid_out();
            for number in 0..4 {
                let mut decision = decision("equal");
                decision.body = format!("because#{number}");
                team.decide(&decision).unwrap();
            }
            let all: BTreeMap<_, _> = (0..4).map(|number| (number.to_string(), 1)).collect();
            disk.kill_at(at);
            let work = || -> Result<(), TeamError> {
                team.merge_inbox()?;
                team.archive_decisions(|entry| entry.text().contains("#1") || entry.text().contains("#2"))
                    .map(drop)
            };
            let done = work().is_ok();
            if power {
                disk.lose_power();
            } else {
                disk.restart();
            }
            assert!(everywhere(&team).keys().eq(all.keys()), "{at}: nothing is lost at any moment");
            team.recover().unwrap();
            assert_eq!(everywhere(&team), all, "{at}");
            work().unwrap();
            assert_eq!(everywhere(&team), all, "{at}");
            assert_eq!(team.inbox().unwrap().len(), 0);
            assert_eq!(team.decisions_archive().unwrap().entries().len(), 2);
            assert!(disk.files().keys().all(|path| path.extension().is_none_or(|end| end != "tmp")));
            if done {
                break;
            }
        }
    }
}

#[test]
fn a_failing_disk_loses_nothing_and_blocks_nobody() {
    for at in 0..60 {
        let (disk, team) = laid_out();
        let mut one = decision("x");
        one.body = "because#1".into();
        team.decide(&one).unwrap();
        disk.fail_at(at, ErrorKind::StorageFull);
        let _failed = team.merge_inbox().is_err();
        disk.restart();
        assert!(everywhere(&team).contains_key("1"), "{at}");
        team.merge_inbox().unwrap();
        assert_eq!(everywhere(&team)["1"], 1, "{at}");
    }
}

#[test]
fn notes_go_to_the_agent_in_whatever_spelling() {
    let (disk, team) = laid_out();
    team.remember("FACT checker", MemorySection::Learnings, "one").unwrap();
    team.remember("fact-checker", MemorySection::Sessions, "two").unwrap();
    let expected =
        "# Fact Checker\n\n## Learnings\n\n### 2026-11-22\none\n\n## Context\n\n### 2026-11-22\ntwo\n";
    assert_eq!(text(&disk, "agents/fact-checker/history.md"), expected);
    for bad in ["../lead", "nobody", "/etc", "con", "a\0"] {
        assert!(team.remember(bad, MemorySection::Learnings, "x").is_err(), "{bad:?}");
    }
    assert!(team.remember("lead", MemorySection::Learnings, " \n").is_err());
}

#[test]
fn a_link_in_the_folder_is_refused_and_told() {
    let (disk, team) = laid_out();
    let disk =
        disk.with_link("/p/.squad/agents/mole", "/etc").with_link("/p/.squad/routing.md", "/etc/passwd");
    assert!(team.remember("mole", MemorySection::Learnings, "x").is_err());
    let snapshot = team.read();
    assert_eq!(snapshot.problems.len(), 1, "{:?}", snapshot.problems);
    assert_eq!(snapshot.agents.len(), 2);
    assert!(!disk.files().keys().any(|path| path.starts_with("/etc")));
}

#[test]
fn names_that_others_gave_are_read_and_moved() {
    let (disk, team) = laid_out();
    disk.put("/p/.squad/decisions/inbox/a `b` $c \"d\": e.md", "### odd\n**By:** x\n");
    disk.put("/p/.squad/agents/Zoë (old)/history.md", "# Z\n");
    assert_eq!(team.read().problems, Vec::<String>::new());
    assert_eq!(team.merge_inbox().unwrap().entries, 1);
    assert_eq!((team.inbox().unwrap().len(), team.decisions().unwrap().entries().len()), (0, 1));
    team.remember("zoë old", MemorySection::Learnings, "x").unwrap();
    assert!(text(&disk, "agents/Zoë (old)/history.md").contains("\nx\n"));
}

#[test]
fn a_skill_is_written_and_what_it_was_is_kept() {
    let (disk, team) = laid_out();
    let skill =
        |content: &str| NewSkill { name: "Retry Well".into(), content: content.into(), ..Default::default() };
    team.write_skill(&skill("one")).unwrap();
    team.write_skill(&skill("one")).unwrap();
    team.write_skill(&skill("two")).unwrap();
    assert_eq!(team.skill("retry well").unwrap().name(), "Retry Well");
    assert!(text(&disk, "skills/retry-well/SKILL.md").contains("two"));
    let previous: Vec<_> =
        disk.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains("/previous/")).collect();
    assert_eq!(previous.len(), 1);
    assert!(String::from_utf8_lossy(&previous[0].1).contains("one"));
    assert_eq!(team.skills().len(), 1);

    disk.put("/p/.github/skills/other/SKILL.md", "# O\n");
    assert_eq!(team.skill("other").unwrap().name(), "other");
    let other = NewSkill { name: "other".into(), content: "x".into(), ..Default::default() };
    assert!(team.write_skill(&other).unwrap_err().to_string().contains("read first"));
    assert!(team.skill("../../x").is_err());
}

#[test]
fn who_waits_too_long_is_told_and_readers_never_wait() {
    let (_, team) = laid_out();
    let held = team.writer().unwrap();
    let impatient = team.clone().with_patience(std::time::Duration::ZERO);
    assert!(matches!(impatient.decide(&decision("x")), Err(TeamError::Busy { seconds: 0 })));
    assert_eq!(impatient.read().problems, Vec::<String>::new());
    drop(held);
    impatient.decide(&decision("x")).unwrap();
}

#[test]
fn small_changes_touch_what_they_change() {
    let (disk, team) = laid_out();
    team.set_now(&[("focus_area", "Core")]).unwrap();
    team.add_wisdom("a", "b").unwrap();
    team.add_member(&NewMember { name: "New".into(), role: "r".into() }).unwrap();
    team.set_status("new", "Retired").unwrap();
    let snapshot = team.read();
    assert_eq!((snapshot.now.focus_area().unwrap(), snapshot.wisdom.insights().len()), ("Core".into(), 1));
    assert!(!snapshot.roster.member("New").unwrap().is_active());
    assert_eq!(snapshot.agents.len(), 3);
    let log = team.log_session("API design", "text").unwrap();
    assert!(log.as_str().starts_with("log/2026-11-22T04-20-47Z-api-design-"), "{log}");
    assert_eq!((team.session_logs().unwrap().len(), team.spawn_logs().unwrap().len()), (1, 0));
    drop(disk);
}
