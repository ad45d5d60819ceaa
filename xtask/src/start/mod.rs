//! `cargo xtask bench start`: what it costs to start `hooks run`, have it answer, and see it end.
//!
//! A client does this before every tool call. Four programs take turns, so that what else the machine does hits all of them
//! alike: `/bin/true`, which no program can beat; `hooks run` under every classic policy; the same in a folder with a team,
//! where the answer waits for its record to be on the device; and the hook that people write with `bash` and `jq`.

mod contestant;

use std::fs;
use std::path::Path;

use self::contestant::Contestant;
use crate::dist;
use crate::error::{Error, Result};

/// How often each is started.
const STARTS: usize = 500;

/// Starts that nobody counts: files come into the page cache.
const WARM_UP: usize = 10;

/// `hooks run` may cost so many times what `/bin/true` does,
const TIMES_TRUE: f64 = 1.5;
/// and so many milliseconds more;
const MORE: f64 = 1.0;
/// and the hook of `bash` and `jq` costs at least so many times what it does.
const CHEAPER: f64 = 10.0;

/// Measures, and holds `hooks run` against its bars.
///
/// # Errors
/// Something cannot be started, or a bar is missed.
pub(crate) fn run() -> Result {
    let program = dist::build()?;
    let folder = tempfile::tempdir()?;
    let mut contestants = contestants(folder.path(), &program.to_string_lossy())?;
    for round in 0..STARTS + WARM_UP {
        for contestant in &mut contestants {
            let cost = contestant.start()?;
            if round >= WARM_UP {
                contestant.costs.push(cost);
            }
        }
    }
    if !folder.path().join("team/.squad/orchestration-log").exists() {
        return Err(Error::new("nothing was put on the record in the folder with a team"));
    }
    let [nothing, hooks, recorded, classic] = &contestants;
    println!("{STARTS} starts each, in turns; milliseconds, one start in ten at most and one in two at most");
    println!("{:<16}{:>10}{:>10}{:>12}{:>12}", "", "wall", "cpu", "wall 1/2", "cpu 1/2");
    for contestant in [nothing, hooks, recorded, classic] {
        let (floor, median) = (contestant.floor(), contestant.median());
        let name = contestant.name;
        println!(
            "{name:<16}{:>10.3}{:>10.3}{:>12.3}{:>12.3}",
            floor.wall, floor.cpu, median.wall, median.cpu
        );
    }
    let (nothing, hooks, classic) = (nothing.floor(), hooks.floor(), classic.floor());
    let missed: Vec<String> =
        [("wall", nothing.wall, hooks.wall, classic.wall), ("cpu", nothing.cpu, hooks.cpu, classic.cpu)]
            .into_iter()
            .flat_map(|(what, nothing, hooks, classic)| {
                let most = nothing * TIMES_TRUE + MORE;
                println!(
                    "{what}: {hooks:.3} of at most {most:.3} ms; bash and jq cost {:.1} times as much",
                    classic / hooks
                );
                let dear = (hooks > most).then(|| format!("{what}: more than {most:.3} ms"));
                let near = (classic < hooks * CHEAPER)
                    .then(|| format!("{what}: bash and jq cost less than {CHEAPER} times as much"));
                [dear, near]
            })
            .flatten()
            .collect();
    if missed.is_empty() { Ok(()) } else { Err(Error::new(missed.join("; "))) }
}

/// Who is measured, each with the same payload.
fn contestants(folder: &Path, program: &str) -> Result<[Contestant; 4]> {
    let write = |name: &str, text: &str| -> Result<String> {
        let path = folder.join(name);
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    };
    let config = write("hooks.yaml", include_str!("hooks.yaml"))?;
    let classic = write("classic.sh", include_str!("classic.sh"))?;
    let payload = write("payload.json", &payload(folder))?;
    let team = folder.join("team");
    fs::create_dir_all(team.join(".squad"))?;
    let team_config = write("team/hooks.yaml", include_str!("hooks.yaml"))?;
    let of_team = write("team.json", &self::payload(&team))?;
    let hooks = [program, "run", "--client", "claude", "--event", "PreToolUse", "--config", &config];
    let recorded = [program, "run", "--client", "claude", "--event", "PreToolUse", "--config", &team_config];
    Ok([
        Contestant::new("/bin/true", &["/bin/true"], &payload),
        Contestant::new("hooks run", &hooks, &payload),
        Contestant::new("on the record", &recorded, &of_team),
        Contestant::new("bash and jq", &["bash", &classic], &payload),
    ])
}

/// A shell command, as Claude Code tells of it.
fn payload(folder: &Path) -> String {
    serde_json::json!({
        "session_id": "7d1f0c52-3a0e-4b7e-9a51-2f6f6f0a1c11",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-app/7d1f0c52-3a0e-4b7e-9a51-2f6f6f0a1c11.jsonl",
        "cwd": folder,
        "prompt_id": "b3f1a6de-5a1b-4c76-8d53-0f0e2b1c9a77",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "cargo test --workspace 2>&1 | tail -n 20", "description": "Run the tests"},
        "tool_use_id": "toolu_01",
    })
    .to_string()
}
