//! For any content of a folder, reading and writing keeps the same bytes, and a change leaves all other bytes
//! unchanged.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::Environment;
use hooks_core::testing::FakeDisk;
use hooks_core::time::{SeededRandom, Timestamp};
use hooks_team::files::{
    Ceremonies, Charter, Decisions, History, InboxFile, MemorySection, Now, Roster, Routing, Skill, Wisdom,
};
use hooks_team::ledger::{Grammar, Ledger};
use hooks_team::text::{Document, Splice, Table};
use hooks_team::{Digest, Team};
use proptest::prelude::*;

const ROOT: &str = "/p/.squad";

/// Lines that Markdown parsers often get wrong.
const LINES: &[&str] = &[
    "",
    " ",
    "text",
    "# Decisions",
    "# A",
    "## Learnings",
    "## Learnings",
    "## Patterns",
    "### 2025-01-01: x",
    "### [2025-01-02] — y",
    "### same",
    "#### deep",
    "####### seven",
    "#none",
    "## closed ##",
    "Setext",
    "===",
    "---",
    "***",
    "```",
    "```sh",
    "````",
    "~~~",
    "~~~~ x",
    "    ```",
    "<!--",
    "-->",
    "<!-- a -->",
    "text <!-- b",
    "- item",
    "  - nested",
    "* star",
    "1. one",
    "12) two",
    "- 2024-05-05 dated",
    "> quote",
    "> ### quoted",
    "| a | b |",
    "|---|---|",
    "| c \\| d | `e|f` |",
    "|",
    "**By:** A",
    "**What**: b | c",
    "- **Name:** x",
    "Status: done",
    "**Date:** 2024-01-01",
    "key: value",
    "\u{feff}# bom",
    "📌 **Team update (2026-03-22T09-35Z)**",
    "日本語",
    "\\# not",
    "\t# tab",
    "$& $1 \\Z",
    "[x]: y",
];

fn nasty() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        12 => prop::sample::select(LINES).prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
        1 => "\\PC{0,20}".prop_map(String::into_bytes),
    ];
    let end = prop_oneof![6 => Just(&b"\n"[..]), 2 => Just(&b"\r\n"[..]), 1 => Just(&b"\r"[..])];
    let lines = prop::collection::vec((line, end), 0..40);
    let head = prop_oneof![
        6 => Just(&b""[..]),
        1 => Just(&b"\xEF\xBB\xBF"[..]),
        1 => Just(&b"---\nname: x\n# y\nlist:\n  - a\n---\n"[..]),
        1 => Just(&b"---\r\nfocus_area: x\r\n---\r\n"[..]),
    ];
    (head, lines, any::<bool>()).prop_map(|(head, lines, ended)| {
        let mut text = head.to_vec();
        let last = lines.len().saturating_sub(1);
        for (number, (line, end)) in lines.iter().enumerate() {
            text.extend_from_slice(line);
            if ended || number < last {
                text.extend_from_slice(end);
            }
        }
        text
    })
}

fn team(disk: &FakeDisk) -> Team {
    let mut environment = Environment::detached();
    environment.random = Arc::new(SeededRandom::new(disk.steps()));
    Team::new(Arc::new(disk.clone()), ROOT, &environment)
}

fn at(name: &str) -> PathBuf {
    Path::new(ROOT).join(name)
}

/// Counts each entry.
fn counted<'a>(ledgers: impl IntoIterator<Item = &'a Ledger>) -> BTreeMap<Digest, usize> {
    let mut counted = BTreeMap::new();
    for entry in ledgers.into_iter().flat_map(Ledger::entries) {
        *counted.entry(entry.digest()).or_default() += 1;
    }
    counted
}

/// Whether `whole` is `part` with one insertion.
fn is_with_insertion(whole: &[u8], part: &[u8]) -> bool {
    let same = part.iter().zip(whole).take_while(|(one, other)| one == other).count();
    whole.len() >= part.len()
        && (0..=same).rev().any(|at| part.get(at..).is_some_and(|rest| whole.ends_with(rest)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_loses_nothing(bytes in nasty()) {
        let document = Document::parse(bytes.clone());
        prop_assert_eq!(document.with(Vec::new()), &*bytes);
        let mut end = document.sections().first().map_or(bytes.len(), |first| first.start);
        for section in document.sections() {
            prop_assert_eq!(section.start, end, "sections tile the file");
            prop_assert!(section.body <= section.end && section.end <= section.below && section.title.end <= section.body);
            end = section.end;
        }
        prop_assert_eq!(end, bytes.len());
        for grammar in [Grammar::Decisions, Grammar::History, Grammar::Inbox] {
            let ledger = Ledger::new(document.clone(), grammar);
            let mut end = 0;
            for entry in ledger.entries() {
                let range = entry.range();
                prop_assert!(end <= range.start && range.start < range.end && range.end <= bytes.len());
                prop_assert!(bytes[range.clone()].starts_with(entry.bytes()), "an entry is text of the file");
                prop_assert!(!entry.bytes().is_empty());
                end = range.end;
                let _seen = (entry.title(), entry.body(), entry.date(), entry.by(), entry.group(), entry.fields());
            }
        }
    }

    #[test]
    fn every_file_is_read_whatever_it_holds(bytes in nasty()) {
        let document = || Document::parse(bytes.clone());
        let charter = Charter::new(document());
        let _read = (charter.name(), charter.role(), charter.owns(), charter.boundaries(), charter.model(), charter.expertise());
        let now = Now::new(document());
        let changed = Now::new(Document::parse(now.with(&[("focus_area", "new: \"x\"")])));
        prop_assert_eq!(changed.focus_area(), Some("new: \"x\"".to_owned()));
        let skill = Skill::new("s", document());
        let _read = (skill.name(), skill.tools(), skill.confidence(), skill.description());
        let roster = Roster::new(document());
        let _read = (roster.coordinator(), roster.assigns_coding_agent(), roster.issue_source());
        let _read = (Routing::new(document()), Ceremonies::new(document()), Decisions::new(document()), InboxFile::new("a.md", document()));
        let wisdom = Wisdom::new(document());
        let more = wisdom.with_pattern("p", "c");
        prop_assert!(is_with_insertion(&more, &bytes));
        for table in Table::all(&document(), &(0..bytes.len())) {
            for row in table.rows() {
                if let Some(splice) = row.set(0, "a | b\\") {
                    let changed = Document::parse(document().with(vec![splice]));
                    let found = Table::all(&changed, &(0..changed.bytes().len()));
                    prop_assert!(found.iter().flat_map(Table::rows).any(|row| row.cell(Some(0)).contains("a | b")));
                }
            }
        }
    }

    #[test]
    fn edits_stay_where_they_are(bytes in nasty(), cuts in prop::collection::vec((0_usize..400, 0_usize..400), 0..6)) {
        let document = Document::parse(bytes.clone());
        let edits = cuts.iter().map(|(start, end)| Splice::remove(*start..*end)).collect();
        prop_assert!(document.with(edits).len() <= bytes.len());
    }

    #[test]
    fn a_note_is_added_and_nothing_else_changes(bytes in nasty(), note in nasty(), section in 0_usize..3) {
        let sections = [MemorySection::Learnings, MemorySection::Updates, MemorySection::Sessions];
        let note = format!("note#1 {}", String::from_utf8_lossy(&note));
        let history = History::new(Document::parse(bytes.clone()));
        let changed = history.with_note(sections[section], &note, Timestamp(0));
        prop_assert!(is_with_insertion(&changed, &bytes));
        let again = History::new(Document::parse(changed.clone()));
        let found: Vec<_> = again.entries().filter(|entry| entry.text().contains("note#1")).collect();
        prop_assert_eq!(found.len(), 1, "the note is one entry: {}", String::from_utf8_lossy(&changed));
        prop_assert_eq!(&*found[0].heading(), "1970-01-01");
        prop_assert!(found[0].group().is_some_and(|group| group.starts_with(sections[section].heading())));
    }

    #[test]
    fn a_folder_that_nobody_changes_stays_as_it_is(bytes in prop::collection::vec(nasty(), 8)) {
        let names = ["team.md", "routing.md", "ceremonies.md", "decisions.md", "decisions/inbox/a.md", "agents/a/charter.md", "agents/a/history.md", "identity/now.md"];
        let disk = names.iter().zip(&bytes).fold(FakeDisk::default(), |disk, (name, bytes)| disk.with_file(at(name), bytes.clone()));
        let before = disk.files();
        let team = team(&disk);
        let snapshot = team.read();
        prop_assert!(snapshot.problems.is_empty());
        prop_assert_eq!(snapshot.decisions.document().bytes(), &*bytes[3]);
        prop_assert_eq!(snapshot.agents[0].history.document().bytes(), &*bytes[6]);
        team.archive_decisions(|_| false).unwrap();
        team.archive_history("a", |_| false).unwrap();
        let mut after = disk.files();
        after.retain(|path, _| !path.starts_with(at(".hooks")));
        prop_assert_eq!(after, before);
    }

    #[test]
    fn an_archive_and_its_history_hold_every_entry_once(bytes in nasty(), picks in prop::collection::vec(any::<bool>(), 40), kill in 0_u64..60) {
        let disk = FakeDisk::default().with_file(at("agents/a/history.md"), bytes);
        let team = team(&disk);
        let before = counted([team.history("a").unwrap().ledger()]);
        let text = |team: &Team| [team.history("a").unwrap(), team.history_archive("a").unwrap()]
            .map(|file| String::from_utf8_lossy(file.document().bytes()).into_owned()).join("\n");
        let words = |text: &str| {
            let mut words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        let all = words(&text(&team));
        disk.kill_at(kill);
        let mut number = 0;
        let _killed = team.archive_history("a", |_| { number += 1; picks[number % picks.len()] });
        disk.lose_power();
        team.recover().unwrap();
        // Equal word for word, except for the marks that separate entries.
        let found = words(&text(&team));
        let mut rest = found.iter();
        let is_mark = |word: &str| word.chars().all(|c| "-*=_>`~#".contains(c)) || word.contains("-->");
        for word in all.iter().filter(|word| !is_mark(word)) {
            prop_assert!(rest.any(|found| found == word), "`{}` is lost: {:?}", word, text(&team));
        }
        // Words that occur only in entries are there as often as before.
        for word in ["nested", "star", "deep", "dated", "quoted", "stands", "Status:", "日本語"] {
            let often = |words: &[String]| words.iter().filter(|found| *found == word).count();
            prop_assert_eq!(often(&found), often(&all), "`{}`: {:?}", word, text(&team));
        }
        prop_assert!(before.is_empty() || !found.is_empty());
        team.archive_history("a", |_| true).unwrap();
        prop_assert_eq!(team.history("a").unwrap().entries().len(), 0);
    }
}
