//! Commands that only a person may call: they refuse to run below an agent client, and without a terminal.
//!
//! This stops an agent that calls such a command, directly or from a script. It does not stop a program that
//! detaches itself from its client, clears its environment and opens a terminal of its own: it is the same user,
//! so only a sandbox separates it from the person. The terminals that an agent of VS Code opens are those of its
//! user, and nothing distinguishes the two.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::failure::Failure;

/// The rows of the table of agent clients with this kind.
fn listed(kind: &'static str) -> impl Iterator<Item = &'static str> {
    let rows = include_str!("../data/agent_clients.txt").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(move |line| line.split_once('\t').filter(|(of, _)| *of == kind).map(|(_, name)| name))
}

/// Whether the table has the row.
fn is_listed(kind: &'static str, name: &str) -> bool {
    listed(kind).any(|row| row == name)
}

/// Most words of a command line in which a script is searched.
const MAX_WORDS: usize = 4;

/// Most processes above this one.
const MAX_PROCESSES: usize = 256;

/// Returns an error unless a person seems to call `command` (such as `hooks approve`) at a terminal.
pub(crate) fn require(command: &str) -> Result<(), Failure> {
    require_no_client(command)?;
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(refused(command, "no terminal is attached"));
    }
    Ok(())
}

fn refused(command: &str, why: &str) -> Failure {
    Failure::message(format!("`{command}` is for a person: {why}; call it in a terminal of your own"))
}

/// Returns an error if an agent client seems to call `command`. A script of a person may.
pub(crate) fn require_no_client(command: &str) -> Result<(), Failure> {
    let refused = |why: &str| refused(command, why);
    if let Some(mark) = listed("variable").find(|mark| env::var_os(mark).is_some()) {
        return Err(refused(&format!("the variable `{mark}` shows that an agent client started it")));
    }
    match client_above() {
        Ok(None) => {}
        Ok(Some(client)) => return Err(refused(&format!("`{client}` started it"))),
        Err(error) => return Err(refused(&format!("the programs that started it cannot be read ({error})"))),
    }
    Ok(())
}

/// Asks a question at the terminal; everything but `y` and `yes` is a no.
pub(crate) fn agrees(question: &str) -> io::Result<bool> {
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Returns the nearest process above this one that is an agent client, or runs commands for one.
fn client_above() -> io::Result<Option<String>> {
    let mut next = process(std::process::id())?.map(|own| own.parent);
    for _ in 0..MAX_PROCESSES {
        let Some(id) = next.filter(|id| *id != 0) else { return Ok(None) };
        // A process of another user, or one that ended meanwhile, ends the line.
        let Some(above) = process(id)? else { return Ok(None) };
        if let Some(client) = client(&above.words) {
            return Ok(Some(client));
        }
        next = Some(above.parent);
    }
    Err(io::Error::other("too many programs"))
}

/// The name of the client that a command line starts, if it starts one.
fn client(words: &[String]) -> Option<String> {
    let name = |word: &str| {
        let name = Path::new(word).file_stem()?.to_str()?;
        Some(name.trim_start_matches('-').to_owned())
    };
    let program = name(words.first()?)?;
    if is_listed("program", &program) {
        return Some(program);
    }
    // Claude Code's own installer names the program by its version.
    if words.first()?.contains("/claude/versions/") {
        return Some("claude".to_owned());
    }
    let rest = words.get(1..words.len().min(MAX_WORDS)).unwrap_or_default();
    if program == "hooks" && rest.iter().any(|word| word == "exec") {
        return Some("hooks exec".to_owned());
    }
    let is_interpreter = is_listed("interpreter", &program);
    rest.iter().filter(|_| is_interpreter).find_map(|word| {
        let is_named = name(word).is_some_and(|name| is_listed("program", &name));
        (is_named || listed("package").any(|package| word.contains(package))).then(|| word.clone())
    })
}

/// A running process.
struct Process {
    parent: u32,
    words: Vec<String>,
}

#[cfg(target_os = "linux")]
fn process(id: u32) -> io::Result<Option<Process>> {
    use std::fs;
    let read = |name: &str| match fs::read(format!("/proc/{id}/{name}")) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
            Ok(None)
        }
        // The process ended between the two calls.
        Err(error) if error.raw_os_error() == Some(3) => Ok(None),
        Err(error) => Err(error),
    };
    let (Some(state), Some(line)) = (read("stat")?, read("cmdline")?) else { return Ok(None) };
    // The name in brackets may contain spaces and brackets. The state and the parent follow it.
    let behind = state.rsplit_once(')').map(|(_, behind)| behind).unwrap_or_default();
    let parent = behind.split_whitespace().nth(1).and_then(|parent| parent.parse().ok());
    let parent = parent.ok_or_else(|| io::Error::other(format!("/proc/{id}/stat has another form")))?;
    let mut words: Vec<String> = line.split_terminator('\0').map(str::to_owned).collect();
    // A program can give itself another name, but not another file.
    if let Ok(file) = fs::read_link(format!("/proc/{id}/exe")) {
        let is_client = client(&[file.to_string_lossy().into_owned()]).is_some();
        if is_client || words.is_empty() {
            words.insert(0, file.to_string_lossy().into_owned());
        }
    }
    Ok(Some(Process { parent, words }))
}

#[cfg(not(target_os = "linux"))]
fn process(id: u32) -> io::Result<Option<Process>> {
    let output =
        std::process::Command::new("ps").args(["-o", "ppid=,command=", "-p", &id.to_string()]).output()?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = line.split_whitespace().map(str::to_owned);
    let Some(parent) = words.next() else { return Ok(None) };
    let parent = parent.parse().map_err(io::Error::other)?;
    Ok(Some(Process { parent, words: words.collect() }))
}

#[cfg(test)]
mod tests {
    use super::{client, client_above, listed, process};

    fn starts(line: &str) -> Option<String> {
        client(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn clients_are_recognised_by_program_script_and_package() {
        for line in [
            "claude -p x",
            "/usr/local/bin/codex exec",
            "node /opt/x/node_modules/@google/gemini-cli/dist/index.js",
            "node --no-warnings /usr/bin/copilot",
            "/home/me/bin/hooks exec --call 1",
            "/home/me/.local/share/claude/versions/2.1.330 --print",
        ] {
            assert!(starts(line).is_some(), "{line}");
        }
        for line in ["bash -l", "vim claude", "node server.js", "hooks approve K", "-zsh"] {
            assert_eq!(starts(line), None, "{line}");
        }
    }

    #[test]
    fn every_row_of_the_table_recognises_a_client() {
        let kinds = ["program", "package", "interpreter", "variable"];
        let rows = include_str!("../data/agent_clients.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(
            rows.count(),
            kinds.iter().map(|kind| listed(kind).count()).sum::<usize>(),
            "a kind is unknown"
        );
        for program in listed("program") {
            assert!(starts(&format!("/opt/bin/{program} -x")).is_some(), "{program}");
        }
        for package in listed("package") {
            assert!(starts(&format!("node /opt/{package}/index.js")).is_some(), "{package}");
        }
        for interpreter in listed("interpreter") {
            assert!(starts(&format!("{interpreter} /usr/bin/copilot")).is_some(), "{interpreter}");
            assert_eq!(starts(&format!("{interpreter} server.js")), None, "{interpreter}");
        }
        assert!(listed("variable").all(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
    }

    #[test]
    fn the_line_of_processes_is_read() {
        let own = process(std::process::id()).expect("read").expect("this process");
        assert_ne!(own.parent, 0);
        assert!(!own.words.is_empty());
        client_above().expect("read");
    }
}
