//! `cargo xtask bench sandbox`: what a snapshot takes, and what `hooks exec` adds to the start of a command.
//!
//! The command is `/bin/true`, in a repository with 100 files that are closed one by one. It takes turns with `hooks exec -- /bin/true`,
//! with redaction, without and with snapshots.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::contestant::Contestant;
use super::{WARM_UP, table};
use crate::built::Built;
use crate::error::{Error, Result};
use crate::process::Program;

/// Starts of each.
const STARTS: usize = 300;

/// Files that are closed one by one, and files of the repository.
const CLOSED: usize = 100;
const FILES: usize = 400;

/// Bar: `hooks exec` adds at most so many milliseconds to the start of a command.
const MORE: f64 = 6.0;

/// The rules, without the treatment of losses.
const RULES: &str = "version: 1
write_guard: { allow: ['**'], deny: ['**/closed-*.txt'] }
redaction: {}
effects: ";

/// Measures snapshots, then `program`, or the one that is built for speed.
///
/// # Errors
/// Returns an error if a bar is missed, or something cannot be built or run.
pub(crate) fn run(program: Option<&str>) -> Result {
    Program::cargo(["bench", "--quiet", "--package", "tower-hooks-snapshots", "--bench", "snapshots"])
        .run()?;
    let built;
    let program = match program {
        Some(program) => program,
        None => {
            built = Built::hooks_for_speed()?;
            built.program("hooks")?
        }
    };
    starts(program)
}

fn starts(program: &str) -> Result {
    let folder = tempfile::Builder::new().prefix("hooks-bench-").tempdir_in("/var/tmp")?;
    let folder = folder.path().canonicalize()?;
    let unchecked = contestant(&folder, "without snapshots", program, "{ loss: unchecked }")?;
    let undone = contestant(&folder, "with snapshots", program, "{ loss: undo }")?;
    let bare = Contestant::new("/bin/true", &["/bin/true"], json!({}), &folder);
    let mut contestants = [bare, unchecked, undone];
    for round in 0..STARTS + WARM_UP {
        for contestant in &mut contestants {
            let cost = contestant.start()?;
            if round >= WARM_UP {
                contestant.alone.add([cost]);
            }
        }
    }
    println!(
        "\n`hooks exec -- /bin/true` with {CLOSED} closed files and redaction; {STARTS} starts each, in turns; milliseconds"
    );
    table(contestants.iter(), |contestant| &contestant.alone);
    let [bare, unchecked, undone] = contestants.each_ref().map(|it| it.alone.quantile(50).wall);
    println!(
        "added at p50: {:.2} ms of at most {MORE:.0}; with both snapshots of {FILES} files: {:.2} ms",
        unchecked - bare,
        undone - bare
    );
    if unchecked - bare <= MORE {
        Ok(())
    } else {
        Err(Error::new(format!("`hooks exec` adds more than {MORE:.0} ms to the start of a command")))
    }
}

/// `hooks exec` in a repository of its own.
fn contestant(folder: &Path, name: &str, program: &str, losses: &str) -> Result<Contestant> {
    let root = folder.join(name.replace(' ', "-"));
    let put = |path: String, text: &str| {
        let path = root.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text))
    };
    put("hooks.yaml".to_owned(), &format!("{RULES}{losses}\n"))?;
    put(".git/config".to_owned(), "[core]\n")?;
    put(".git/HEAD".to_owned(), "ref: refs/heads/main\n")?;
    for at in 0..FILES {
        put(format!("src/{}/file-{at}.txt", at % 20), "text\n")?;
    }
    for at in 0..CLOSED {
        put(format!("src/{}/closed-{at}.txt", at % 20), "closed\n")?;
    }
    let made = |command: &[&str]| {
        let line = [&[program, "exec", "--"], command].concat();
        Contestant::new(name, &line, json!({}), folder).in_folder(&root, folder)
    };
    // What is measured is the closing of single files: the other ones are open.
    made(&["/bin/sh", "-c", "echo more >> src/0/file-0.txt && ! echo more >> src/0/closed-0.txt"]).start()?;
    Ok(made(&["/bin/true"]))
}
