//! `hooks check`: reports all mistakes in a configuration.

use std::fs;
use std::io::Write;

use hooks::config::Config;
use hooks_protocols::Client;
use serde_json::json;

use crate::cli::{Check, Format};
use crate::failure::{Failure, Status};
use crate::init::place::Base;
use crate::init::{Scope, files, settings, wiring};
use crate::paint::{GOOD, OPEN};
use crate::reach::{self, CLIENTS};
use crate::{load, snippet};

/// The clients that call us in this folder.
fn wired() -> impl Iterator<Item = Client> {
    CLIENTS.into_iter().filter(|client| {
        [Scope::Project, Scope::User].into_iter().any(|scope| {
            let found = || {
                let settings = settings::locate(*client, &Base::find(scope).ok()?, None).ok()?;
                let text = files::read(&settings.path).ok()??;
                wiring::read(&text, *client, settings.form).ok()
            };
            found().is_some_and(|lines| !lines.is_empty())
        })
    })
}

/// Checks the files.
pub(crate) fn run(options: &Check) -> Result<Status, Failure> {
    let mut status = Status::Well;
    let mut out = anstream::stdout().lock();
    for path in &options.files {
        if let Err(error) = fs::metadata(path) {
            return Err(Failure::message(format!("`{}` cannot be read: {error}", path.display())));
        }
        let read = load::reader(options.profile).read(path);
        if read.is_err() {
            status = Status::Found;
        }
        match (read, options.format) {
            (read, Format::Json) => {
                let errors = read.as_ref().err().map_or(&[][..], |errors| errors.errors());
                let doubts = read.as_ref().map_or(&[][..], |config| config.doubts());
                let mut report =
                    json!({"file": path, "ok": errors.is_empty(), "errors": errors, "warnings": doubts});
                let missing = read.as_ref().map(Config::missing_programs).unwrap_or_default();
                if let (false, Some(report)) = (missing.is_empty(), report.as_object_mut()) {
                    let missing = missing.iter().map(|one| json!({"path": one.hook, "program": one.program}));
                    report.insert("missing_programs".to_owned(), missing.collect());
                }
                writeln!(out, "{report}")?;
            }
            (Ok(config), Format::Text) => {
                for doubt in config.doubts() {
                    writeln!(out, "{OPEN}warning{OPEN:#} {}: {doubt}", path.display())?;
                }
                for missing in config.missing_programs() {
                    writeln!(out, "{OPEN}warning{OPEN:#} {}: {missing}", path.display())?;
                }
                for client in wired() {
                    for (section, reach) in reach::limited(&config, client) {
                        writeln!(
                            out,
                            "{OPEN}note{OPEN:#} {}: behind {client}, `{section}` {reach}",
                            path.display()
                        )?;
                    }
                }
                let events: Vec<_> = config.hooks().hooked().iter().map(ToString::to_string).collect();
                let events = if events.is_empty() { "nothing".to_owned() } else { events.join(", ") };
                writeln!(out, "{GOOD}ok{GOOD:#} {}: governs {events}", path.display())?;
            }
            (Err(errors), Format::Text) => snippet::write(&mut out, &errors)?,
        }
    }
    Ok(status)
}
