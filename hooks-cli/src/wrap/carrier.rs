//! Calls that `hooks exec --call` runs: `hooks run` records a command, and the client runs a line of ours above it.

use std::env;
use std::path::{Path, PathBuf};

use hooks::event::WireEvent;
use hooks_protocols::{Answer, Decoded, Rewrite, carried, carried_below};

use super::call_record::CallRecord;
use super::shell_file::bash;
use crate::exec::{Governed, Wanted, Worker, apart, run_in};
use crate::failure::Failure;
use crate::load;

/// Runs the command of a record; the exit status is the command's.
pub(crate) fn run(id: &str, worker: Option<&Worker>) -> Result<u8, Failure> {
    if worker.is_none() {
        return apart();
    }
    let record =
        CallRecord::claim(id).map_err(|why| Failure::message(format!("the command was not run: {why}")))?;
    let CallRecord { command, config, root, session, call, .. } = record;
    let governed = Governed::new(load::in_session(&config, &root)?, config, root, env::current_dir()?);
    let shell = bash().unwrap_or_else(|| PathBuf::from("/bin/sh"));
    let command = vec![shell.into_os_string(), "-c".into(), command.into()];
    Ok(run_in(&governed, &Wanted { command, worker, session, call, ..Wanted::default() })?.status)
}

/// Replaces a command that `hooks run` carried by the original, as hooks and records are about that. Returns the rules in whose
/// sandbox it runs; `None` for all other commands.
///
/// Before the call, the record has to wait still: an agent may not write such a text itself.
pub(crate) fn unwrap(decoded: &mut Decoded) -> Option<PathBuf> {
    let (line, command) = decoded.shell_command().and_then(carried_below)?;
    let words: Vec<&str> = line.split(' ').collect();
    let [program, "exec", "--call", id] = words.as_slice() else { return None };
    let is_ours = self::program().is_ok_and(|own| own == *program);
    let is_before = matches!(decoded.event, Some(WireEvent::PreToolUse(_)));
    let record = CallRecord::find(id).filter(|record| record.command == command)?;
    if !is_ours || is_before && !CallRecord::waits(id) {
        return None;
    }
    decoded.set_command(&record.command).then_some(record.config)
}

/// Changes the answer so that the client runs the command in the sandbox of the rules in `config`.
///
/// Returns the reason why it cannot.
pub(crate) fn carry(
    decoded: &Decoded,
    answer: &mut Answer,
    config: &Path,
    root: &Path,
) -> Result<(), String> {
    let (Some(command), Some((_, arguments))) = (decoded.shell_command(), decoded.call()) else {
        return Err("its command is in no form that can be changed".to_owned());
    };
    let arguments = match &answer.rewrite {
        Some(Rewrite::Arguments(changed)) => changed,
        _ => arguments,
    };
    let is_unchanged = decoded.with_command(arguments, command).as_ref() == Some(arguments);
    if !is_unchanged {
        return Err("a handler changed its command, which cannot be wrapped as well".to_owned());
    }
    let program = program()?;
    let id = CallRecord::new(command, config, root).for_call(&decoded.context).store();
    let id = id.map_err(|error| format!("the call cannot be recorded: {error}"))?;
    let text = carried(&format!("{program} exec --call {id}"), command);
    let changed = decoded.with_command(arguments, &text);
    answer.rewrite = Some(Rewrite::Arguments(changed.ok_or_else(|| "it has no command".to_owned())?));
    Ok(())
}

/// The path of this program, in a form that needs no quotes: clients compare it with their lists as it is.
pub(crate) fn program() -> Result<String, String> {
    let path =
        env::current_exe().map_err(|error| format!("the path of `hooks` itself is unknown: {error}"))?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '+');
    let text = path.to_str().filter(|text| text.chars().all(is_plain));
    text.map(str::to_owned)
        .ok_or_else(|| format!("the path `{}` of `hooks` has characters that need quotes", path.display()))
}
