//! Sends the record to the sinks of a configuration.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use hooks::Feeding;
use hooks::audit::sink::StatusHandle;
use hooks::config::Config;

use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::paint::OPEN;

/// How often it is looked at how the sinks are doing.
const LOOK: Duration = Duration::from_secs(1);
/// More time than any log takes to be sent.
const PATIENCE: Duration = Duration::from_secs(86_400);

/// Feeds the sinks of `config` until it is ended, or `once` what is there now. Ended at whatever moment, it loses nothing:
/// whoever feeds next goes on behind what each sink has.
pub(super) fn feed(config: &Config, once: bool) -> Result<Status, Failure> {
    if config.feeds().sinks.is_empty() {
        return Err(Failure::said(format!("`{}` names no sinks; write `sinks:`", config.name())));
    }
    runtime()?.block_on(async {
        let feeding = config.feeding(|name| std::env::var(name).ok());
        let feeding = feeding.map_err(|error| Failure::said(error.to_string()))?;
        let watches: Vec<_> = feeding.watches().map(|(name, status)| (name.to_owned(), status)).collect();
        let (mut told, mut skipped) = (BTreeMap::new(), BTreeMap::new());
        if once {
            let behind = feeding.shut_down(PATIENCE).await;
            tell_skipped(&watches, &mut skipped)?;
            for (name, _) in watches {
                let word = if behind.contains(&name) { "behind" } else { "has everything" };
                writeln!(anstream::stdout(), "{name}: {word}")?;
            }
            return Ok(if behind.is_empty() { Status::Well } else { Status::Found });
        }
        loop {
            tell(&feeding, &mut told)?;
            tell_skipped(&watches, &mut skipped)?;
            tokio::time::sleep(LOOK).await;
        }
    })
}

/// Says what is wrong with each sink, once, and that it is well again.
fn tell(feeding: &Feeding, told: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    for (name, status) in feeding.statuses() {
        let now = if status.failures > 0 { status.last_error.unwrap_or_default() } else { String::new() };
        let before = told.get(name).map_or("", String::as_str);
        if *now != *before {
            let text = if now.is_empty() { "well again" } else { &now };
            writeln!(anstream::stderr(), "{name}: {text}")?;
            told.insert(name.to_owned(), now);
        }
    }
    Ok(())
}

/// Says which records are missing, once. `told` is how many of these were said about each sink.
fn tell_skipped(
    watches: &[(String, StatusHandle)],
    told: &mut BTreeMap<String, usize>,
) -> Result<(), Failure> {
    for (name, status) in watches {
        let status = status.get();
        let before = told.insert(name.to_owned(), status.skipped.len()).unwrap_or(0);
        for skipped in status.skipped.iter().skip(before) {
            writeln!(anstream::stderr(), "{OPEN}warning{OPEN:#}: {name}: {skipped}")?;
        }
    }
    Ok(())
}
