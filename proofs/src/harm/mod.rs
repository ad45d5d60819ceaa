//! `cargo xtask harm`: attacks in a throw-away home, first without a sandbox, where each has to do its harm, and then under `hooks exec`
//! alone; and ordinary commands, which have to do the same in it.
//!
//! The data is in `proofs/harm`. Everything happens in a folder that is made for it, as the user who calls, or as `--as UID` if that is
//! the superuser. The sink listens on loopback only.

mod world;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use self::world::{Outcome, Runner, Template, World};
use crate::error::{Error, Result};

const ATTACKS: &str = include_str!("../../harm/attacks.txt");
const BENIGN: &str = include_str!("../../harm/benign.txt");

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Runs all attacks and commands.
///
/// # Errors
/// Returns an error if an option is invalid, an attack does no harm without the sandbox or does some in it, or a command differs.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let user = match arguments {
        [] => None,
        ["--as", user] => Some(
            user.parse().map_err(|_| Error::new(format!("invalid user id `{user}`; expected a number")))?,
        ),
        other => {
            return Err(Error::new(format!("unknown options `{}`; see `cargo xtask help`", other.join(" "))));
        }
    };
    let template = Template::new(&program()?, user)?;
    let mut missed = Vec::new();
    let mut attacks = 0;
    for row in rows(ATTACKS) {
        let Some((harm, script)) = row.split_once('\t') else {
            return Err(Error::new(format!("no attack: `{row}`")));
        };
        attacks += 1;
        let bare = World::new(&template)?.run(script, Runner::Bare)?;
        let held = World::new(&template)?.run(script, Runner::Sandbox)?;
        if !bare.harms.contains(&harm) {
            missed.push(format!(
                "does no harm of the kind `{harm}` without a sandbox: {script}{}",
                told(&bare)
            ));
        }
        if !held.harms.is_empty() {
            missed.push(format!("{} in the sandbox: {script}{}", held.harms.join(", "), told(&held)));
        }
    }
    let mut commands = 0;
    for script in rows(BENIGN) {
        commands += 1;
        let bare = World::new(&template)?.run(script, Runner::Bare)?;
        let held = World::new(&template)?.run(script, Runner::Sandbox)?;
        if (&bare.output, bare.status, &bare.files) != (&held.output, held.status, &held.files) {
            missed.push(format!("differs: {script}{}{}", told(&bare), told(&held)));
        }
    }
    println!("{attacks} attacks, {commands} ordinary commands, {} missed", missed.len());
    if missed.is_empty() { Ok(()) } else { Err(Error::new(missed.join("\n"))) }
}

fn told(outcome: &Outcome) -> String {
    let mut text = format!("\n  status {:?}", outcome.status);
    for line in String::from_utf8_lossy(&outcome.output).lines().chain(outcome.errors.lines()).take(8) {
        // Writing to a text does not fail.
        _ = write!(text, "\n  | {line}");
    }
    text
}

/// The program `hooks`: the one that a variable names, or the one beside this.
fn program() -> Result<PathBuf> {
    let named = std::env::var_os("HOOKS_PROGRAM").map(PathBuf::from);
    let beside = || std::env::current_exe().ok().map(|own| own.with_file_name("hooks"));
    let found = named.or_else(beside).filter(|path: &PathBuf| Path::is_file(path));
    found.ok_or_else(|| Error::new("no program `hooks`: build it, or name it in HOOKS_PROGRAM"))
}
