//! `hooks eval`: reads events and writes outcomes, line by line.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use hooks::HookContext;
use hooks::config::{ConfigErrors, LiveConfig, Reloaded};
use hooks::event::WireEvent;
use serde_json::error::Category;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::cli::Eval;
use crate::event::{answer, here};
use crate::failure::{Failure, Status};
use crate::unfinished::Unfinished;
use crate::{effects, load, snippet, strict_json};

/// Maximum length of a line. A longer line is not an intended event.
const LONGEST_LINE: u64 = 32 << 20;

/// Answers every line of standard input.
pub(crate) fn run(options: &Eval) -> Result<Status, Failure> {
    let path = load::named_or_found(options.config.path.as_deref())?;
    let config = load::live(&path, options.config.profile, options.names, options.record)?;
    let runtime = runtime()?;
    let watching = match options.no_reload {
        true => None,
        false => Some(config.watch(|new| report("eval", &new))?),
    };
    let status = answer_lines(&config, &runtime, &mut io::stdin().lock(), &mut io::stdout().lock());
    drop(watching);
    status
}

/// Reports to the operator that the rules changed, or why they did not.
pub(crate) fn report(command: &str, new: &Reloaded) {
    let mut out = anstream::stderr().lock();
    // The answers do not depend on whether standard error is open.
    let _written = match new {
        Reloaded::Swapped { version, before } => {
            writeln!(out, "hooks {command}: the rules changed from {before} to {version}")
        }
        Reloaded::Refused { errors, denies, .. } => refused(command, &mut out, errors, *denies),
        Reloaded::Panicked { problem } => {
            writeln!(out, "hooks {command}: a look at the files failed ({problem}); the rules in force go on")
        }
        _ => Ok(()),
    };
}

fn refused(command: &str, out: &mut impl Write, errors: &ConfigErrors, denies: bool) -> io::Result<()> {
    snippet::write(out, errors)?;
    writeln!(
        out,
        "hooks {command}: {}",
        match denies {
            true => "everything is denied until that is corrected",
            false => "the earlier rules go on until that is corrected",
        }
    )
}

/// A runtime for hooks that wait.
pub(crate) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn answer_lines(
    config: &LiveConfig,
    runtime: &Runtime,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Status, Failure> {
    let unfinished = Unfinished::default();
    let mut status = Status::Well;
    let mut line = Vec::new();
    let mut number = 0_u64;
    while next_line(input, &mut line)? {
        number = number.saturating_add(1);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let outcome = match read(&line) {
            Ok((context, event)) => runtime.block_on(judged(config, &unfinished, context, event)),
            Err(message) => json!({"error": {"line": number, "message": message}}),
        };
        if outcome.get("error").is_some() {
            status = Status::Found;
        }
        writeln!(out, "{outcome}")?;
        out.flush()?;
    }
    Ok(status)
}

/// Answers an event under the rules that are in force now, and records it under the same, whatever happens to the files meanwhile.
/// Ends once all work for the event is done.
pub(crate) async fn judged(
    config: &LiveConfig,
    unfinished: &Unfinished,
    context: HookContext,
    event: WireEvent,
) -> Value {
    let rules = config.current();
    let version = rules.rules_version_in(context.root());
    let context = here(context, &rules, unfinished);
    let outcome = answer(rules.as_hooks(), context, event, rules.recording()).await;
    unfinished.finish().await;
    let mut outcome = effects::added(outcome, rules.as_hooks());
    if let Some(fields) = outcome.as_object_mut() {
        fields.insert("rules".to_owned(), json!(version));
    }
    outcome
}

/// Parses the event of a line.
pub(crate) fn read(line: &[u8]) -> Result<(HookContext, WireEvent), String> {
    event(value(line)?)
}

/// Parses a line.
pub(crate) fn value(line: &[u8]) -> Result<Value, String> {
    if u64::try_from(line.len()).unwrap_or(u64::MAX) > LONGEST_LINE {
        return Err(format!("the line is longer than {} MiB", LONGEST_LINE >> 20));
    }
    strict_json::read(line).map_err(|error| match error.classify() {
        Category::Data => format!("the line can be read in two ways: {error}"),
        _ => format!("the line is not JSON: {error}"),
    })
}

/// Reads an event and its context.
pub(crate) fn event(value: Value) -> Result<(HookContext, WireEvent), String> {
    let (context, event) = WireEvent::read(value).map_err(|error| error.to_string())?;
    let folders = [("cwd", Some(&context.cwd)), ("team_root", context.team_root.as_ref())];
    for (name, folder) in folders {
        if let Some(folder) = folder.filter(|folder| is_relative(folder)) {
            return Err(format!("`at.{name}` is relative: `{}`; write an absolute path", folder.display()));
        }
    }
    Ok((context, event))
}

/// Whether the folder is ambiguous. A missing folder is that of this process.
fn is_relative(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.is_absolute()
}

/// Reads the next line without its end; of a line that is too long, just enough to see that. Returns `false`
/// at the end.
pub(crate) fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = LONGEST_LINE.saturating_add(1);
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if u64::try_from(line.len()).unwrap_or(u64::MAX) >= most {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}
