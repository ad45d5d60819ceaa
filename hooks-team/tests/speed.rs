//! A large team folder is read within a session's start, and no text takes more than linear time.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hooks_system::{StdFileSystem, system};
use hooks_team::files::{Decisions, MemorySection, NewMember};
use hooks_team::ledger::{Grammar, Ledger};
use hooks_team::text::{Document, Table};
use hooks_team::{NewTeam, Team};

/// Five times the time of a release build: other builds are not optimized, and other tests may run at the
/// same time.
const GENEROUS: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2_500 } else { 50 });

#[expect(clippy::disallowed_methods, reason = "this is about real time")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed(), done)
}

fn best_of<T>(times: u32, mut work: impl FnMut() -> T) -> Duration {
    (0..times).map(|_| timed(&mut work).0).min().unwrap()
}

/// A team with 20 agents, 2,000 decisions and 5 MB of histories.
fn generated(folder: &Path) -> Team {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &system());
    let members = (0..20).map(|number| NewMember { name: format!("Agent {number}"), role: "r".into() });
    team.init(&NewTeam { members: members.collect(), ..NewTeam::default() }).unwrap();
    let mut decisions = String::from("# Decisions\n");
    for number in 0..2_000 {
        let day = number % 28 + 1;
        decisions.push_str(&format!("\n### 2026-01-{day:02}: Decision {number}\n**By:** Agent {}\n**What:** Use `lib-{number}` and not another.\n**Why:** It was measured, see #{number}.\n", number % 20));
    }
    std::fs::write(team.root().join("decisions.md"), decisions).unwrap();
    for number in 0..20 {
        let mut history = format!("# Agent {number}\n\n## Learnings\n");
        while history.len() < 250_000 {
            history.push_str("\n### A fix in the loop (#767) (2025-07-26)\n\n**Context:** three comments, all about one thing.\n\n```sh\n# not a heading\ncargo test\n```\n\n- one\n- two\n\n**Pattern:** look first.\n");
        }
        std::fs::write(team.root().join(format!("agents/agent-{number}/history.md")), history).unwrap();
    }
    team
}

#[test]
fn a_large_folder_is_read_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let team = generated(folder.path());
    let read = best_of(20, || team.read());
    let snapshot = team.read();
    assert_eq!(snapshot.problems, Vec::<String>::new());
    assert_eq!((snapshot.agents.len(), snapshot.decisions.entries().len()), (20, 2_000));
    let dated = best_of(3, || {
        snapshot.decisions.entries().filter(|entry| entry.date().is_some() && entry.by().is_some()).count()
    });
    let digested = best_of(3, || {
        snapshot.agents.iter().flat_map(|agent| agent.history.entries()).map(|entry| entry.digest()).max()
    });
    let (noted, _) = timed(|| team.remember("agent-3", MemorySection::Learnings, "x").unwrap());
    let (archived, moved) = timed(|| team.archive_decisions(|entry| entry.title() != "Decision 7").unwrap());
    println!(
        "read {read:?}, dates and authors of 2,000 decisions {dated:?}, digests of 5 MB {digested:?}, a note {noted:?}, archived {archived:?}"
    );
    assert_eq!(moved.entries, 1_999);
    assert!(read < GENEROUS, "{read:?}");
    assert!(dated < GENEROUS, "{dated:?}");
}

/// Time limit for a quarter of a megabyte of one repeated text. A build without optimization needs some
/// tenths of a second; a search to the end for each line would take minutes.
const LINEAR: Duration = Duration::from_secs(6);

#[test]
fn hostile_text_takes_linear_time() {
    for unit in [
        "```\n",
        "````` x\n",
        "~~~\n```\n",
        "<!--\n",
        "<!-- -->\n",
        "# a\n",
        "###### a\n# b\n",
        "- a\n",
        "|",
        "|a|\n|-|\n",
        "\\|",
        "**a:** b\n",
        "**",
        "a: b\n",
        "---\na: b\n",
        "- a\n\n",
        "1. a\n\n  b\n",
        "> a\n",
        "\n",
        "2026-01-01",
        "(2026-01-01",
        "### 2026-01-01: a\n**By:** b\n",
        "## a\n### b\n",
        "# Decision: x\n## y\n",
        "x",
    ] {
        let bytes = unit.repeat(256_000 / unit.len()).into_bytes();
        let (taken, ()) = timed(|| {
            let document = Document::parse(&*bytes);
            let decisions = Decisions::new(document.clone());
            let _seen = decisions.entries().filter(|entry| entry.date().is_some()).count();
            let history = Ledger::new(document.clone(), Grammar::History);
            let _seen = history.entries().filter(|entry| entry.group().is_some()).count();
            let _seen = Table::all(&document, &(0..bytes.len())).len();
            let _seen = document.front_matter().map(|matter| matter.list("a"));
        });
        assert!(taken < LINEAR, "`{}` takes {taken:?}", unit.escape_debug());
    }
}
