//! Checks the pages about the audit log: their command lines run, their YAML is valid, and their Rust is part
//! of an example that is compiled and run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::world::{World, printed};

const AUDIT: &str = include_str!("../../../docs/audit.md");
const CACHE: &str = include_str!("../../../docs/cache.md");
const COMPLIANCE: &str = include_str!("../../../docs/compliance.md");
const METRICS: &str = include_str!("../../../docs/metrics.md");
const SCRIBE: &str = include_str!("../../../docs/scribe.md");

/// The code blocks of a page in this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    let blocks = page.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next());
    blocks.collect()
}

/// Runs a line in the shell as a user would in the project. Mounted paths of the page are replaced by folders
/// of the project.
#[expect(clippy::disallowed_methods, reason = "the shell is what the lines are written for")]
fn typed(world: &World, line: &str) -> Output {
    let line = line.replace("/mnt/", "mnt/").replace("/logs/", "logs/");
    let program = Path::new(env!("CARGO_BIN_EXE_hooks")).parent().unwrap();
    let path = std::env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(world.app()).env_clear().env("PATH", path).env("HOME", world.app());
    shell.output().unwrap()
}

#[test]
fn command_lines_run() {
    let world = World::new("version: 1\ncommand_guard: { block: [sudo] }\n");
    let event = r#"{"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "sudo ls"}}"#;
    let events = vec![event; 20].join("\n");
    world.ask(&["eval", "-c", "hooks.yaml", "--record"], &events);
    for folder in ["mnt/elsewhere", "mnt/fleet", "mnt/usb", "mnt/other/audit", "logs/b7", "logs/b8"] {
        fs::create_dir_all(world.app().join(folder)).unwrap();
    }
    for entry in fs::read_dir(world.log()).unwrap().map(Result::unwrap) {
        for log in ["logs/b7", "logs/b8", "mnt/other/audit"] {
            fs::copy(entry.path(), world.app().join(log).join(entry.file_name())).unwrap();
        }
    }
    // The log is checked against checkpoints that were made before.
    let (first, then): (Vec<_>, _) =
        blocks(AUDIT, "sh").into_iter().partition(|block| block.contains("keygen"));
    let lines = first.iter().chain(&then).flat_map(|block| block.lines());
    let lines: Vec<_> = lines.filter(|line| line.starts_with("hooks ")).collect();
    assert!(lines.len() > 10);
    for line in lines {
        // The closed pipe ends a command that would otherwise follow the log without end.
        let line = match line {
            _ if line.contains("--follow") => format!("{line} | true"),
            // The live view needs a terminal.
            "hooks top" => "hooks top --once".to_owned(),
            _ => line.to_owned(),
        };
        let output = typed(&world, &line);
        // A query may find no records.
        let is_well =
            output.status.success() || (line.contains(" query ") && output.status.code() == Some(1));
        assert!(is_well, "{line}\n{output:?}");
    }
}

#[test]
fn configurations_are_read() {
    let world = World::new("version: 1\n");
    for example in
        [AUDIT, CACHE, COMPLIANCE, METRICS, SCRIBE].into_iter().flat_map(|page| blocks(page, "yaml"))
    {
        let version = if example.starts_with("version") { "" } else { "version: 1\n" };
        fs::write(world.app().join("example.yaml"), format!("{version}{example}")).unwrap();
        let checked = world.ask(&["check", "example.yaml"], "");
        assert_eq!(checked.status.code(), Some(0), "{example}\n{checked:?}");
    }
}

#[test]
fn the_first_sinks_are_fed_by_the_program_as_it_is_built() {
    let world = World::new("version: 1\n");
    let first = &blocks(METRICS, "yaml")[0];
    fs::write(world.app().join("example.yaml"), first).unwrap();
    let checked = printed(&world.ask(&["check", "example.yaml"], ""));
    assert!(!checked.contains("warning"), "{checked}");
    // There is no record to send yet, so no server has to listen.
    let fed = world.audit(&["feed", "--once", "-c", "example.yaml"]);
    assert_eq!(fed.status.code(), Some(0), "{fed:?}");
    // A sink that is not built in causes a warning at its position. Cargo unifies features, so it can be
    // built in here.
    let other = "version: 1\naudit: {}\nsinks: [{ name: a, postgres: { url_env: X } }]\n";
    fs::write(world.app().join("example.yaml"), other).unwrap();
    let checked = printed(&world.ask(&["check", "example.yaml"], ""));
    let is_warned_of = checked.contains("sinks[0]: this program is built without `postgres`");
    assert_eq!(checked.contains("warning"), is_warned_of, "{checked}");
}

#[test]
fn rust_stands_in_an_example_that_is_compiled() {
    for (page, example) in [
        (METRICS, include_str!("../../../hooks-config/src/feeding.rs")),
        (CACHE, include_str!("../../../hooks-cache/src/lib.rs")),
    ] {
        let documented = example.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        let code: Vec<_> = documented.map(|line| line.trim_start_matches(['/', '!', ' '])).collect();
        let blocks = blocks(page, "rust");
        assert!(!blocks.is_empty());
        for line in
            blocks.iter().flat_map(|block| block.lines()).map(|line| line.split("//").next().unwrap().trim())
        {
            assert!(line.is_empty() || code.contains(&line), "`{line}` is compiled nowhere");
        }
    }
}
