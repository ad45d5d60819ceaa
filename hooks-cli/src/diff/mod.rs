//! `hooks diff`: what one file of rules permits that another does not, each with events that show it.
//!
//! Events are made from the patterns and names of both files and judged by both. That is a search: it proves the differences
//! that it finds, and not that there are no others.

mod calls;
mod histories;
mod samples;
mod search;
mod step;
mod words;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use hooks::Strength;
use serde::Serialize;
use serde_json::json;

use self::search::{Difference, Search, Shown};
use crate::cli::Format;
use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::output;
use crate::paint::{LOUD, QUIET, one_line, strength_style};

/// Maximum characters of arguments on a line.
const WIDTH: usize = 160;
/// Most earlier events that the text lists.
const MOST_SHOWN: usize = 6;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks diff hooks.yaml hooks.new.yaml
  hooks diff hooks.yaml hooks.new.yaml --format json | jq .differences

Events are made from the patterns and names of both files, and judged by both, without files and links. It is a search: it
does not prove that there is no other difference.
Exit status: 0 no difference was found, 1 there are differences, 2 the command line is wrong or a file cannot be read.")]
pub(crate) struct Diff {
    /// The rules before
    old: PathBuf,
    /// The rules after
    new: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Looks for differences.
pub(crate) fn run(options: &Diff) -> Result<Status, Failure> {
    let mut search = Search::new(&options.old, &options.new)?;
    runtime()?.block_on(search.look())?;
    let limits = search.limits();
    let tried = search.tried();
    let differences = search.differences();
    let mut out = output::out();
    match options.format {
        Format::Json => {
            let report = json!({
                "differences": differences.iter().map(Difference::to_json).collect::<Vec<_>>(),
                "events_tried": tried,
                "limits": limits,
                "is_proof": false,
            });
            writeln!(out, "{report}")?;
        }
        Format::Text => {
            for difference in &differences {
                tell(&mut out, difference)?;
            }
            let count = differences.len();
            writeln!(
                out,
                "{LOUD}{count} differences{LOUD:#} in {tried} events, which were made from the patterns and names of both files."
            )?;
            writeln!(out, "It is a search: it does not prove that there is no other difference.")?;
            limits.tell(&mut out)?;
        }
    }
    Ok(if differences.is_empty() { Status::Well } else { Status::Found })
}

/// Limits of a search.
#[derive(Debug, Serialize)]
struct Limits {
    /// Sections that differ, and whose difference this command cannot show.
    sections_not_compared: Vec<String>,
    /// Whether there were more events than are tried.
    events_left_out: bool,
    /// Sections with counts that are too large to be tried.
    counts_not_compared: Vec<String>,
    /// Events whose decision depends on files.
    depend_on_files: u64,
}

impl Limits {
    fn tell(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.sections_not_compared.is_empty() {
            writeln!(out, "Not compared: {}.", self.sections_not_compared.join(", "))?;
        }
        if self.events_left_out {
            writeln!(out, "Not compared: further events, as the files have many names and patterns.")?;
        }
        if !self.counts_not_compared.is_empty() {
            writeln!(out, "Not compared: {}.", self.counts_not_compared.join(", "))?;
        }
        if self.depend_on_files > 0 {
            writeln!(out, "Not compared: {} events whose decision depends on files.", self.depend_on_files)?;
        }
        Ok(())
    }
}

fn tell(out: &mut impl Write, difference: &Difference) -> io::Result<()> {
    let Difference { before, step, old, new, more, .. } = difference;
    let write_step = |out: &mut dyn Write, step: &step::Step| {
        let (title, about) = step.shown();
        write!(out, "{LOUD}{}{LOUD:#} {}", one_line(&title, WIDTH), one_line(&about, WIDTH))?;
        let by = (!step.agent.is_empty()).then(|| format!(" by {}", one_line(&step.agent, WIDTH)));
        let tenant = step.tenant.as_ref().map(|tenant| format!(" of the tenant {}", one_line(tenant, WIDTH)));
        let session = (!step.session.is_empty()).then(|| format!(" in session {}", step.session));
        let after = (step.after > 0).then(|| format!(" after {} s", step.after / 1_000));
        write!(out, "{}", [by, tenant, session, after].into_iter().flatten().collect::<String>())
    };
    write_step(out, step)?;
    let is_row = before
        .iter()
        .all(|one| one.kind == step.kind && one.fields == step.fields && one.agent == step.agent);
    match before.len() {
        0 => {}
        count if is_row => write!(out, ", call {} of a session", count.saturating_add(1))?,
        count => write!(out, ", after {count} events")?,
    }
    if let Some(at) = difference.at {
        write!(out, ", on {at}")?;
    }
    writeln!(out)?;
    if !is_row {
        for one in before.iter().rev().take(MOST_SHOWN).rev() {
            write!(out, "  {QUIET}after{QUIET:#} ")?;
            write_step(out, one)?;
            writeln!(out)?;
        }
    }
    writeln!(out, "  {} -> {}", shown(old), shown(new))?;
    if *more > 0 {
        writeln!(out, "  {QUIET}and {more} more events that these rules decide{QUIET:#}")?;
    }
    writeln!(out)
}

fn shown(shown: &Shown) -> String {
    let Shown { decision, rules, rewritten } = shown;
    let (style, name) = (strength_style(*decision), decision.to_string().replace('_', " "));
    let rules = match rules.is_empty() {
        true => String::new(),
        false => format!(" ({})", one_line(&rules.join(", "), WIDTH)),
    };
    let change = match rewritten {
        Some(event) if *decision != Strength::Deny => {
            format!(", changed to {}", one_line(&event.to_string(), WIDTH))
        }
        _ => String::new(),
    };
    format!("{style}{name}{style:#}{rules}{change}")
}
