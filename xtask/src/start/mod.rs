//! `cargo xtask bench start`: measures a run of `hooks run` from its start to its end.
//!
//! A client starts it before every tool call. Programs take turns, so that other load on the machine hits all
//! of them alike: `/bin/true`, which no program can beat; `hooks run` under every classic policy; the same,
//! if the answer waits until its record is on the device; the same with a counter in the store; and a hook as
//! users write it with `bash` and `jq`. Each is started alone, and all but the last also with many processes
//! at once.

mod contestant;
mod cost;
pub(crate) mod sandboxed;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::contestant::Contestant;
use self::cost::Costs;
use crate::dist;
use crate::error::{Error, Result};

/// Starts of each program alone.
const STARTS: usize = 500;
/// Processes that are started at once.
const AT_ONCE: u32 = 16;
/// Rounds of such starts.
const ROUNDS: usize = 40;

/// Starts that are not counted; they bring the files into the page cache.
const WARM_UP: usize = 10;

/// Bar: `hooks run` may cost this many times as much as `/bin/true`,
const TIMES_TRUE: f64 = 1.5;
/// and this many milliseconds more;
const MORE: f64 = 1.0;
/// the hook of `bash` and `jq` must cost at least this many times as much as `hooks run`.
const CHEAPER: f64 = 10.0;

/// Measures `hooks run` and compares it with its bars. Without `programs` the program is built. Further
/// programs are measured beside the first, to compare.
///
/// # Errors
/// Returns an error if a program cannot be built or started, or if a bar is missed.
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

/// Prints the costs of each program, and their ratio to the first.
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

/// Compares the floors of `hooks` with those of the two others.
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

/// Files that all programs are measured with.
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

    /// A program under three configurations. Each program has a store and an audit log of its own.
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

    /// Returns an error if a record or a store is missing.
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

/// A shell command, as Claude Code sends it.
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
