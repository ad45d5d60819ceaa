//! `hooks check`: reports all mistakes in a configuration.

use std::fs;
use std::io::Write;
use std::path::Path;

use hooks::config::{Config, ConfigErrors, InShadow};
use hooks_protocols::Client;
use serde_json::{Value, json};

use crate::cli::{Check, ReportFormat};
use crate::failure::{Failure, Status};
use crate::init::place::Base;
use crate::init::{Scope, files, settings, wiring};
use crate::paint::{GOOD, OPEN};
use crate::reach::{self, CLIENTS};
use crate::sarif::Sarif;
use crate::{load, output, snippet};

/// The clients that call us in this folder.
fn wired() -> impl Iterator<Item = Client> {
    CLIENTS.into_iter().filter(|client| {
        [Scope::Project, Scope::User, Scope::Machine].into_iter().any(|scope| {
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
    let mut out = output::out();
    let mut sarif = Sarif::default();
    let found = if options.files.is_empty() { Some(load::named_or_found(None)?) } else { None };
    for path in options.files.iter().chain(&found) {
        if let Err(error) = fs::metadata(path) {
            let problem = format!("`{}` cannot be read: {error}", path.display());
            // A step that uploads the report finds one, with the mistakes of the files before.
            if options.format == ReportFormat::Sarif {
                sarif.missing(path, &problem);
                writeln!(out, "{}", sarif.log())?;
            }
            return Err(Failure::message(problem));
        }
        let read = load::in_project(load::reader(options.profile), path).read(path);
        if read.is_err() {
            status = Status::Found;
        }
        match (read, options.format) {
            (read, ReportFormat::Json) => writeln!(out, "{}", report(path, &read))?,
            (read, ReportFormat::Sarif) => sarif.add(path, &read),
            (Ok(config), ReportFormat::Text) => {
                for doubt in config.doubts() {
                    writeln!(out, "{OPEN}warning{OPEN:#} {}: {doubt}", path.display())?;
                }
                for doubt in config.boundary_doubts() {
                    writeln!(out, "{OPEN}warning{OPEN:#} {}: boundaries: {doubt}", path.display())?;
                }
                for (charter, _) in config.proposed_boundaries() {
                    let what = "has no boundary that can be enforced; `hooks init squad` proposes one";
                    writeln!(out, "{OPEN}note{OPEN:#} {}: `{charter}` {what}", path.display())?;
                }
                for one in config.in_shadow() {
                    writeln!(out, "{OPEN}note{OPEN:#} {}: {}", path.display(), shadow_in_words(one))?;
                }
                for missing in config.missing_programs() {
                    writeln!(out, "{OPEN}warning{OPEN:#} {}: {missing}", path.display())?;
                }
                if !config.feeds().sinks.is_empty() {
                    let when = "sinks get the record while `hooks audit feed`, `hooks serve`, `hooks mcp` or a Rust service runs";
                    writeln!(out, "{OPEN}note{OPEN:#} {}: {when}", path.display())?;
                }
                for client in wired() {
                    for (section, reach) in reach::limited(&config, client) {
                        writeln!(
                            out,
                            "{OPEN}note{OPEN:#} {}: behind {client}, `{section}` {reach}",
                            path.display()
                        )?;
                    }
                    if let Some(what) = reach::about_handlers(&config, client) {
                        writeln!(out, "{OPEN}note{OPEN:#} {}: {what}", path.display())?;
                    }
                }
                let events: Vec<_> = config.hooks().hooked().iter().map(ToString::to_string).collect();
                let events = if events.is_empty() { "nothing".to_owned() } else { events.join(", ") };
                writeln!(out, "{GOOD}ok{GOOD:#} {}: governs {events}", path.display())?;
            }
            (Err(errors), ReportFormat::Text) => snippet::write(&mut out, &errors)?,
        }
    }
    if options.format == ReportFormat::Sarif {
        writeln!(out, "{}", sarif.log())?;
    }
    Ok(status)
}

/// Describes a part that is in the shadow.
pub(crate) fn shadow_in_words(one: &InShadow) -> String {
    let what = if one.path.is_empty() { "the whole file" } else { &one.path };
    let name = one.name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default();
    let until = one.until.map(|until| format!("; it is enforced from {until}")).unwrap_or_default();
    format!("{what}{name} is in the shadow: it is judged and recorded, and answers nothing{until}")
}

/// The report about a file. A list that most files do not have is left out if it is empty.
fn report(path: &Path, read: &Result<Config, ConfigErrors>) -> Value {
    let errors = read.as_ref().err().map_or(&[][..], ConfigErrors::errors);
    let doubts = read.as_ref().map_or(&[][..], Config::doubts);
    let mut report = json!({"file": path, "ok": errors.is_empty(), "errors": errors, "warnings": doubts});
    let Ok(config) = read else { return report };
    let missing = config.missing_programs();
    let missing: Vec<Value> =
        missing.iter().map(|one| json!({"path": one.hook, "program": one.program})).collect();
    let sections = wired().flat_map(|client| {
        reach::limited(config, client).map(move |(section, reach)| {
            json!({"client": client.name(), "section": section, "works": reach.word(), "note": reach.note()})
        })
    });
    let boundaries: Vec<Value> = config.boundary_doubts().into_iter().map(Value::from).collect();
    let silent = wired().filter_map(|client| {
        let events = reach::silent_handlers(config, client);
        (!events.is_empty()).then(|| json!({"client": client.name(), "events": events}))
    });
    let shadow = config.in_shadow().iter().map(|one| {
        let until = one.until.map(|until| until.to_string());
        json!({"path": one.path, "name": one.name, "until": until})
    });
    let lists = [
        ("missing_programs", missing),
        ("sections", sections.collect::<Vec<_>>()),
        ("silent_handlers", silent.collect()),
        ("boundaries", boundaries),
        ("in_shadow", shadow.collect()),
    ];
    for (name, list) in lists {
        if let (false, Some(report)) = (list.is_empty(), report.as_object_mut()) {
            report.insert(name.to_owned(), list.into());
        }
    }
    report
}
