//! `cargo xtask bench start`: what it costs to start `hooks run`, have it answer, and see it end.
//!
//! A client does this before every tool call. Programs take turns, so that what else the machine does hits all of them
//! alike: `/bin/true`, which no program can beat; `hooks run` under every classic policy; the same where the answer waits for its
//! record to be on the device; the same with a counter in the store beside; and the hook that people write with `bash` and `jq`.
//! Each is started alone, and all but the last also with many processes at once.

mod contestant;
mod cost;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::contestant::Contestant;
use self::cost::Costs;
use crate::dist;
use crate::error::{Error, Result};

/// How often each is started alone.
const STARTS: usize = 500;
/// How many processes are started at once,
const AT_ONCE: u32 = 16;
/// and how often.
const ROUNDS: usize = 40;

/// Starts that nobody counts: files come into the page cache.
const WARM_UP: usize = 10;

/// `hooks run` may cost so many times what `/bin/true` does,
const TIMES_TRUE: f64 = 1.5;
/// and so many milliseconds more;
const MORE: f64 = 1.0;
/// and the hook of `bash` and `jq` costs at least so many times what it does.
const CHEAPER: f64 = 10.0;

/// Measures, and holds `hooks run` against its bars. The first of `programs` is built where it is not named; those after it are
/// measured beside it, to compare.
///
/// # Errors
/// Something cannot be started, or a bar is missed.
pub(crate) fn run(programs: &[&str]) -> Result {
    let mut programs: Vec<PathBuf> = programs.iter().map(PathBuf::from).collect();
    if programs.is_empty() {
        programs.push(dist::build()?);
    }
    let folder = tempfile::tempdir()?;
    let course = Course { folder: folder.path() };
    let mut contestants = vec![course.nothing()];
    for (number, program) in programs.iter().enumerate() {
        contestants.extend(course.hooks(program, number)?);
    }
    let mut classic = course.classic()?;
    for round in 0..STARTS + WARM_UP {
        for contestant in contestants.iter_mut().chain([&mut classic]) {
            let cost = contestant.start()?;
            if round >= WARM_UP {
                contestant.alone.add([cost]);
            }
        }
    }
    for _ in 0..ROUNDS {
        for contestant in &mut contestants {
            let costs = contestant.start_at_once(AT_ONCE)?;
            contestant.at_once.add(costs);
        }
    }
    course.is_recorded(programs.len())?;
    for program in &programs {
        println!("{}", program.display());
    }
    println!("\n{STARTS} starts each, in turns; milliseconds, and p50 as a multiple of that of `/bin/true`");
    table(contestants.iter().chain([&classic]), |contestant| &contestant.alone);
    println!("\n{AT_ONCE} processes at once, {ROUNDS} times each, in turns");
    table(contestants.iter(), |contestant| &contestant.at_once);
    println!();
    let [nothing, hooks, ..] = &contestants[..] else { return Err(Error::new("nothing was measured")) };
    held(nothing, hooks, &classic)
}

/// Prints what the starts of each cost, beside those of the first.
fn table<'a>(contestants: impl Iterator<Item = &'a Contestant>, costs: fn(&Contestant) -> &Costs) {
    println!(
        "{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "", "wall p10", "p50", "p99", "x true", "cpu p50", "x true"
    );
    let mut first = None;
    for contestant in contestants {
        let costs = costs(contestant);
        let (floor, median, most) = (costs.quantile(10), costs.quantile(50), costs.quantile(99));
        let first = first.get_or_insert(median);
        println!(
            "{:<24}{:>10.3}{:>10.3}{:>10.3}{:>10.2}{:>10.3}{:>10.2}",
            contestant.name,
            floor.wall,
            median.wall,
            most.wall,
            median.wall / first.wall,
            median.cpu,
            median.cpu / first.cpu
        );
    }
}

/// Holds the floors of `hooks` against those of the two others.
fn held(nothing: &Contestant, hooks: &Contestant, classic: &Contestant) -> Result {
    let [nothing, hooks, classic] = [nothing, hooks, classic].map(|contestant| contestant.alone.quantile(10));
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

/// The files that all are measured with.
struct Course<'a> {
    folder: &'a Path,
}

impl Course<'_> {
    fn write(&self, name: &str, text: &str) -> Result<String> {
        let path = self.folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    }

    fn nothing(&self) -> Contestant {
        Contestant::new("/bin/true", &["/bin/true"], payload(self.folder), self.folder)
    }

    fn classic(&self) -> Result<Contestant> {
        let script = self.write("classic.sh", include_str!("classic.sh"))?;
        Ok(Contestant::new("bash and jq", &["bash", &script], payload(self.folder), self.folder))
    }

    /// A program, governed by three configurations. Each program has a store and a record of its own.
    fn hooks(&self, program: &Path, number: usize) -> Result<[Contestant; 3]> {
        let program = program.to_string_lossy();
        let guards = include_str!("hooks.yaml");
        let state = format!("{guards}{}", include_str!("state.yaml"));
        let of = |what: &str, yaml: &str, has_team: bool| {
            let project = self.folder.join(format!("{number}/{}", what.replace(' ', "-")));
            fs::create_dir_all(&project)?;
            if has_team {
                fs::create_dir_all(project.join(".squad"))?;
            }
            let config = self.write(&project.join("hooks.yaml").to_string_lossy(), yaml)?;
            let line = [&program, "run", "--client", "claude", "--event", "PreToolUse", "--config", &config];
            let name = if number == 0 { what.to_owned() } else { format!("{what} ({number})") };
            Ok::<_, Error>(Contestant::new(name, &line, payload(&project), self.folder))
        };
        Ok([
            of("guards only", guards, false)?,
            of("audit", guards, true)?,
            of("state and audit", &state, true)?,
        ])
    }

    /// Whether what was to be on the record and in the store is there.
    fn is_recorded(&self, programs: usize) -> Result {
        let recorded = |number: usize, what: &str| {
            self.folder.join(format!("{number}/{what}/.squad/orchestration-log")).exists()
        };
        let is_recorded =
            (0..programs).all(|number| recorded(number, "audit") && recorded(number, "state-and-audit"));
        let stores = fs::read_dir(self.folder.join("state/hooks"))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".db"));
        if is_recorded && stores.count() == programs {
            Ok(())
        } else {
            Err(Error::new("a record or a store is missing"))
        }
    }
}

/// A shell command, as Claude Code tells of it.
fn payload(folder: &Path) -> Value {
    json!({
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
}
