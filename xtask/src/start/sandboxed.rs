//! `cargo xtask bench sandbox`: what a snapshot takes, and what `hooks exec` adds to the start of a command.
//!
//! The command is `/bin/true`, in a repository with 100 files that are closed one by one. It takes turns with `hooks exec -- /bin/true`,
//! with redaction, without and with snapshots, and with bubblewrap, if that is installed, which closes the same files and knows no rules.

use std::fs;
use std::path::{Path, PathBuf};

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
    let mut contestants = vec![bare, unchecked, undone];
    contestants.extend(bubblewrap(&folder)?);
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
    let medians: Vec<f64> = contestants.iter().map(|it| it.alone.quantile(50).wall).collect();
    let (&[bare, unchecked, undone], peer) = medians.split_first_chunk::<3>().unwrap_or((&[0.0; 3], &[]));
    println!(
        "added at p50: {:.2} ms of at most {MORE:.0}; with both snapshots of {FILES} files: {:.2} ms",
        unchecked - bare,
        undone - bare
    );
    for peer in peer {
        println!("bubblewrap adds {:.2} ms for the same closed files", peer - bare);
    }
    if unchecked - bare <= MORE {
        Ok(())
    } else {
        Err(Error::new(format!("`hooks exec` adds more than {MORE:.0} ms to the start of a command")))
    }
}

/// Bubblewrap with the mounts and namespaces that `hooks exec` makes in such a repository, as far as it has them.
fn bubblewrap(folder: &Path) -> Result<Option<Contestant>> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&search).any(|folder| folder.join("bwrap").is_file()) {
        println!("bubblewrap (`bwrap`) is not installed, so it is not compared");
        return Ok(None);
    }
    let root = repository(folder, "bubblewrap", "{ loss: unchecked }")?;
    let mut line = vec!["bwrap".to_owned(), "--ro-bind".to_owned(), "/".to_owned(), "/".to_owned()];
    let mut bind = |option: &str, path: &Path| {
        let path = path.to_string_lossy();
        line.extend([option, &path, &path].map(ToOwned::to_owned));
    };
    bind("--bind", &root);
    for at in 0..CLOSED {
        bind("--ro-bind", &root.join(closed(at)));
    }
    line.extend(
        "--dev /dev --unshare-pid --unshare-ipc --unshare-net --proc /proc /bin/true"
            .split(' ')
            .map(ToOwned::to_owned),
    );
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    Ok(Some(Contestant::new("bubblewrap", &line, json!({}), folder).in_folder(&root, folder)))
}

/// A file that the rules close.
fn closed(at: usize) -> String {
    format!("src/{}/closed-{at}.txt", at % 20)
}

/// `hooks exec` in a repository of its own.
fn contestant(folder: &Path, name: &str, program: &str, losses: &str) -> Result<Contestant> {
    let root = repository(folder, name, losses)?;
    let made = |command: &[&str]| {
        let line = [&[program, "exec", "--"], command].concat();
        Contestant::new(name, &line, json!({}), folder).in_folder(&root, folder)
    };
    // What is measured is the closing of single files: the other ones are open.
    made(&["/bin/sh", "-c", "echo more >> src/0/file-0.txt && ! echo more >> src/0/closed-0.txt"]).start()?;
    Ok(made(&["/bin/true"]))
}

/// A repository with rules that close some files.
fn repository(folder: &Path, name: &str, losses: &str) -> Result<PathBuf> {
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
        put(closed(at), "closed\n")?;
    }
    Ok(root)
}
