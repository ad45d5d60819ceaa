//! `hooks reload`: a person confirms rules that changed while sessions of agents run.

use std::env;
use std::io::Write;
use std::path::Path;

use crate::cli::Reload;
use crate::failure::{Failure, Status};
use crate::init::diff;
use crate::paint::{GOOD, LOUD};
use crate::pin::{self, Pins};
use crate::run::project;
use crate::{load, person};

/// Shows what changed, asks, and confirms.
pub(crate) fn run(options: &Reload) -> Result<Status, Failure> {
    person::require("hooks reload")?;
    let here = env::current_dir()?;
    let Some(governing) = project::find_from(options.config.as_deref(), &here) else {
        let what = format!("there is no `hooks.yaml` for `{}`; name one with `--config`", here.display());
        return Err(Failure::message(what));
    };
    let path = pin::real(&governing.config)?;
    // Rules with mistakes deny everything, also after they were confirmed.
    let config = load::config(&path, None)?;
    let Some(pins) = Pins::of_user() else {
        return Err(Failure::message("there is no folder for state; set `HOME`"));
    };
    let text = config.rules_text();
    let sessions = pins.outdated(&path, &governing.root, text)?;
    let mut out = anstream::stdout().lock();
    let Some(last) = sessions.first() else {
        writeln!(
            out,
            "{GOOD}nothing to confirm{GOOD:#}: no session began with other rules than `{}`",
            path.display()
        )?;
        return Ok(Status::Well);
    };
    let count = sessions.len();
    writeln!(out, "{LOUD}{}{LOUD:#} changed since {count} of your sessions began", path.display())?;
    if last.config != path {
        writeln!(out, "the rules were those in `{}`", last.config.display())?;
    }
    match pins.text_of(last) {
        Some(was) => diff::lines(&mut out, &was, text)?,
        None => writeln!(out, "the text that it had is not kept any more")?,
    }
    if !options.yes && !person::agrees("Shall these rules govern the sessions from now on?")? {
        writeln!(out, "nothing was confirmed")?;
        return Ok(Status::Found);
    }
    confirm(&pins, &path, text)?;
    writeln!(out, "{GOOD}confirmed{GOOD:#}: the sessions go on under these rules")?;
    Ok(Status::Well)
}

/// Confirms `text`, unless the file changed while the person was reading.
fn confirm(pins: &Pins, path: &Path, text: &str) -> Result<(), Failure> {
    if load::config(path, None)?.rules_text() != text {
        return Err(Failure::message(format!(
            "`{}` changed meanwhile; call `hooks reload` again",
            path.display()
        )));
    }
    Ok(pins.confirm(path, text)?)
}
