//! `hooks sandbox`: what a command may do in the sandbox, also as a profile of another one.

use std::io::Write;

use hooks::sandbox::{EgressConfig, Emitted, Gap, Pattern, Plan, Profile};
use serde_json::json;

use crate::cli::{Sandbox, SandboxAction};
use crate::exec::{Governed, governed};
use crate::failure::{Failure, Status};
use crate::paint::{LOUD, QUIET};

/// Shows the profile of this folder.
pub(crate) fn run(options: &Sandbox) -> Result<Status, Failure> {
    let (SandboxAction::Show { config, .. } | SandboxAction::Emit { config, .. }) = &options.action;
    let Governed { profile, folder, .. } = governed(config.as_deref())?;
    let plan = Plan::new(&profile, &folder).map_err(|error| Failure::message(error.to_string()))?;
    let mut out = anstream::stdout().lock();
    match &options.action {
        SandboxAction::Show { json: true, .. } => {
            writeln!(out, "{}", serde_json::to_string(&json!({"profile": profile, "plan": plan}))?)?;
        }
        SandboxAction::Show { .. } => show(&mut out, &profile, &plan)?,
        SandboxAction::Emit { format, .. } => emit(&mut out, plan.emit(&profile, *format))?,
    }
    Ok(Status::Well)
}

fn emit(out: &mut impl Write, emitted: Emitted) -> std::io::Result<()> {
    write!(out, "{}", emitted.text)?;
    out.flush()?;
    let mut notes = anstream::stderr().lock();
    let (broken, limits): (Vec<_>, Vec<_>) =
        emitted.gaps.into_iter().partition(|gap| gap.breaks_reads || gap.breaks_writes);
    for (title, gaps) in [("not held by this profile", broken), ("limits", limits)] {
        let all: Vec<_> = gaps.into_iter().map(|gap| Pattern::new(gap.pattern, gap.why)).collect();
        list(&mut notes, title, &all)?;
    }
    Ok(())
}

fn show(out: &mut impl Write, profile: &Profile, plan: &Plan) -> std::io::Result<()> {
    writeln!(out, "A command in the sandbox of `{}`", plan.workspace.display())?;
    list(out, "may write", &profile.write)?;
    for more in &profile.write_too {
        list(out, "may write only what this list has too", more)?;
    }
    list(
        out,
        "may write although a guard denies it to tools: tools fill these by themselves",
        &profile.regenerable,
    )?;
    list(out, "may not write, whatever opens it", &profile.fixed)?;
    list(out, "may not write", &profile.guarded)?;
    list(out, "may neither read nor write", &profile.hidden)?;
    let shown: Vec<_> = profile.shown.iter().map(|glob| Pattern::new(glob, "an exception")).collect();
    list(out, "may read", &shown)?;
    list(
        out,
        "does not see these sockets, nor, without a network, others of processes outside",
        &profile.sockets,
    )?;
    list(out, "sees these sockets", &profile.kept_sockets)?;
    list(out, "does not get these variables", &profile.unset)?;
    let loopback = "over loopback, to what runs beside it in the sandbox";
    let egress = match &profile.egress {
        EgressConfig::None => loopback.to_owned(),
        EgressConfig::All => "everywhere".to_owned(),
        EgressConfig::Packages | EgressConfig::Hosts(_) if plan.hosts.is_empty() => loopback.to_owned(),
        EgressConfig::Packages | EgressConfig::Hosts(_) => {
            format!("{loopback}\n  through a proxy, to {}", plan.hosts.join(", "))
        }
    };
    writeln!(out, "{LOUD}may connect{LOUD:#}\n  {egress}")?;
    writeln!(out, "{LOUD}may read and execute{LOUD:#}\n  everything else")?;
    writeln!(
        out,
        "{LOUD}now, on this disk{LOUD:#}\n  {} files and folders open, {} read-only in them, {} masked",
        plan.writable.len(),
        plan.read_only.len(),
        plan.masked.len()
    )?;
    let (broken, limits): (Vec<_>, Vec<_>) =
        plan.gaps.iter().partition(|gap| gap.breaks_reads || gap.breaks_writes);
    let patterns = |gaps: Vec<&Gap>| {
        gaps.into_iter().map(|gap| Pattern::new(&gap.pattern, &gap.why)).collect::<Vec<_>>()
    };
    list(out, "not held: `sandbox.unavailable` decides whether a command runs", &patterns(broken))?;
    list(out, "limits", &patterns(limits))
}

fn list(out: &mut impl Write, title: &str, all: &[Pattern]) -> std::io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "{LOUD}{title}{LOUD:#}")?;
    for Pattern { pattern, why } in all {
        writeln!(out, "  {pattern}  {QUIET}{why}{QUIET:#}")?;
    }
    Ok(())
}
