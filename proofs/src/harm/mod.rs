//! `cargo xtask harm`: attacks in a throw-away home, first without a sandbox, where each has to do its harm, then under `hooks exec`
//! alone, and then under the guard and `hooks exec`; and ordinary commands, which have to do the same in it.
//!
//! `--landlock` refuses new namespaces to `hooks exec`, so that Landlock and seccomp are left. What they do not hold is counted apart.
//!
//! `--projects` runs the tests of three real projects instead.
//!
//! The data is in `proofs/harm`. Everything happens in a folder and in namespaces of its own. The scripts run as the caller, or as
//! `--as UID` if the caller is the superuser.

mod data;
mod isolated;
mod projects;
mod state;
mod table;
mod world;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use self::data::{Row, rows};
use self::table::{Judged, Runs, Table};
use self::world::{Outcome, Runner, Template, World};
use crate::error::{Error, Result};

/// Worlds at the same time: most of their time is waiting.
const WORKERS: usize = 4;

/// Of the short form, one row in so many runs.
const SHORT: usize = 10;

#[derive(Debug, Default)]
struct Options {
    user: Option<u32>,
    is_short: bool,
    /// Whether new namespaces are refused, so that Landlock and seccomp are left.
    has_landlock_alone: bool,
    folder: Option<PathBuf>,
}

fn options(arguments: &[&str]) -> Result<Options> {
    let mut options = Options::default();
    let mut left = arguments.iter();
    while let Some(word) = left.next() {
        match (*word, left.as_slice().first()) {
            ("--short", _) => options.is_short = true,
            ("--landlock", _) => options.has_landlock_alone = true,
            ("--as", Some(user)) => {
                let invalid = |_| Error::new(format!("invalid user id `{user}`; expected a number"));
                options.user = Some(user.parse().map_err(invalid)?);
                left.next();
            }
            ("--data", Some(folder)) => {
                options.folder = Some(PathBuf::from(folder));
                left.next();
            }
            _ => return Err(Error::new(format!("unknown option `{word}`; see `cargo xtask help`"))),
        }
    }
    Ok(options)
}

/// Runs all attacks and commands.
///
/// # Errors
/// Returns an error if an option is invalid, an attack does no harm without the sandbox or does some in it, or a command differs.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["--projects"] => return projects::run(&program()?),
        [isolated::WITHOUT_NAMESPACES, words @ ..] => return isolated::without_namespaces(words),
        _ => {}
    }
    let options = options(arguments)?;
    isolated::enter()?;
    let mut rows = rows(options.folder.as_deref())?;
    if options.has_landlock_alone {
        rows.retain(|row| row.harm.is_some());
    }
    if options.is_short {
        rows = rows.into_iter().step_by(SHORT).collect();
    }
    let template = Template::new(&program()?, options.user, options.has_landlock_alone)?;
    if options.has_landlock_alone {
        World::new(&template)?.has_landlock_alone()?;
    }
    let table = Mutex::new(Table::new(options.has_landlock_alone));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judged =
                        judged(&template, row).unwrap_or_else(|error| Judged::Failed(error.to_string()));
                    locked(&table).add(row, judged);
                }
            });
        }
    });
    let table = locked(&table);
    print!("{table}");
    table.missed()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Runs one row in each way.
fn judged(template: &Template, row: &Row) -> Result<Judged> {
    if let Some(missing) = row.needs.iter().find(|program| !template.has(program)) {
        return Ok(Judged::Skipped(missing.clone()));
    }
    let run = |runner| World::new(template)?.run(row, runner);
    let bare = run(Runner::Bare)?;
    let mut held = run(Runner::Sandbox)?;
    if row.harm.as_deref() == Some("send") && held.harms.is_empty() {
        // What sends nothing without a network sends nothing to a host that is not listed.
        held = run(Runner::SandboxWithHosts)?;
    }
    let guarded = match row.harm {
        Some(_) => run(Runner::GuardAndSandbox)?,
        None => Outcome::default(),
    };
    Ok(Judged::Ran(Box::new(Runs { bare, held, guarded })))
}

/// The program `hooks`: the one that a variable names, or the one beside this.
fn program() -> Result<PathBuf> {
    let named = std::env::var_os("HOOKS_PROGRAM").map(PathBuf::from);
    let beside = || std::env::current_exe().ok().map(|own| own.with_file_name("hooks"));
    let found = named.or_else(beside).filter(|path: &PathBuf| Path::is_file(path));
    found.ok_or_else(|| Error::new("no program `hooks`: build it, or name it in HOOKS_PROGRAM"))
}
