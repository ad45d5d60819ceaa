//! The files of slash commands and skills, of Claude Code and Qwen Code. Claude Code sends their text with the prompt, and the files that it names
//! (`@notes.md`). It also runs the commands in them (``!`git log` ``), and sends what they print. It reports the name of the
//! command, or the call of the tool `Skill`, and none of all this. So the text is judged as part of the prompt, and each
//! command as a call of the tool `Bash`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hooks::config::places::Places;
use hooks::event::WireEvent;
use hooks::{Reason, Strength};
use hooks_protocols::{Client, Decoded, decode, encode};
use serde_json::{Value, json};

use super::asking::{self, HeldAnswer};
use super::calls::CallTurn;
use super::filled::{Arguments, commands, header};
use super::governing::Governing;
use super::{Failure, Notes, goes_on, project, recorded};
use crate::wrap::refusal::Refusal;

/// Longest file in bytes; longer ones are denied.
const MOST_BYTES: u64 = 1 << 20;

/// Most bytes that the arguments add to a file; more are denied.
const MOST_FILLED: usize = 16 << 20;

/// Most commands of a file; more are denied.
const MOST_COMMANDS: usize = 200;

/// The parts of an event that its client does not report.
#[derive(Default)]
pub(super) struct Unreported(Vec<Decoded>);

/// Adds the text of a slash command to its prompt, and returns what else its client does. Without effect for other events, and
/// for a command or a skill that has no file in the project or with the user.
pub(super) fn open(decoded: &mut Decoded) -> Result<Unreported, Failure> {
    match decoded.client {
        Client::Claude => {}
        Client::Qwen => return fill_of_qwen(decoded),
        _ => return Ok(Unreported::default()),
    }
    if let Some(WireEvent::PreToolUse(call)) = &decoded.event {
        if call.tool_name != "Skill" {
            return Ok(Unreported::default());
        }
        let text = |key| call.tool_args.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, arguments) = (text("skill").trim().trim_start_matches('/'), text("args"));
        if name.is_empty() {
            return Err("the call names no skill (`skill`)".to_owned());
        }
        let fields = json!({"expansion_type": "slash_command", "command_name": name, "command_args": arguments,
            "command_source": "", "prompt": format!("/{name} {arguments}")});
        let mut prompt = part(decoded, "UserPromptExpansion", fields, 0)?;
        let Unreported(mut parts) = fill(&mut prompt)?;
        parts.insert(0, prompt);
        return Ok(Unreported(parts));
    }
    match &*decoded.event_name {
        "UserPromptExpansion" => fill(decoded),
        _ => Ok(Unreported::default()),
    }
}

/// Adds the text of the file to the prompt, as it is and with its arguments, and returns calls of its commands.
fn fill(decoded: &mut Decoded) -> Result<Unreported, Failure> {
    let text = |key| decoded.extra.get(key).and_then(Value::as_str).unwrap_or_default();
    let (name, arguments) = (text("command_name"), text("command_args"));
    if name.is_empty() {
        return Err("the payload names no command (`command_name`)".to_owned());
    }
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for path in files(decoded, name) {
        let folder = path.parent().unwrap_or(Path::new("")).to_string_lossy();
        let text = read(&path)?;
        can_be_filled(&path, &text, '$', folder.len().max(arguments.len()))?;
        let text = text.replace("${CLAUDE_SKILL_DIR}", &folder);
        let arguments = Arguments::new(arguments, &text);
        let filled = arguments.fill(&text);
        // An argument with a backtick must not hide the end of a command.
        let found = commands(&text).map(|command| arguments.fill(command));
        for command in found.chain(commands(&filled).map(str::to_owned)) {
            if !calls.contains(&command) {
                calls.push(command);
            }
            if calls.len() > MOST_COMMANDS {
                return Err(format!("`{}` has more than {MOST_COMMANDS} commands", path.display()));
            }
        }
        texts.extend((filled != text).then_some(filled));
        texts.push(text);
    }
    add(decoded, &texts);
    let calls = calls.iter().enumerate().map(|(at, command)| {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": ""});
        part(decoded, "PreToolUse", fields, at.saturating_add(1))
    });
    Ok(Unreported(calls.collect::<Result<_, _>>()?))
}

/// Adds the text of a custom command of Qwen Code, which reports a prompt as it is filled in, and as it was typed. The commands in
/// the file have run already.
fn fill_of_qwen(decoded: &mut Decoded) -> Result<Unreported, Failure> {
    let typed = decoded.extra.get("submitted_prompt").and_then(Value::as_str).unwrap_or_default();
    let Some(typed) = typed.trim_start().strip_prefix('/') else { return Ok(Unreported::default()) };
    let (name, arguments) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let mut texts = Vec::new();
    for path in files(decoded, name) {
        let text = read(&path)?;
        can_be_filled(&path, &text, '{', arguments.len())?;
        let filled = text.replace("{{args}}", arguments.trim());
        // `@{a name}` is the same as `@"a name"`, which the rules know.
        texts.push(filled.replace("@{", "@\"").replace('}', "\""));
    }
    add(decoded, &texts);
    Ok(Unreported::default())
}

/// Refuses a file that arguments of this length make too long.
fn can_be_filled(path: &Path, text: &str, mark: char, length: usize) -> Result<(), Failure> {
    if text.matches(mark).count().saturating_mul(length) > MOST_FILLED {
        return Err(format!("`{}` is too long with its arguments", path.display()));
    }
    Ok(())
}

fn add(decoded: &mut Decoded, texts: &[String]) {
    if let Some(WireEvent::UserPromptSubmitted(message)) = &mut decoded.event {
        for text in texts {
            message.prompt.push_str("\n\n");
            message.prompt.push_str(text);
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |error| format!("`{}`: {error}", path.display());
    if path.metadata().map_err(failed)?.len() > MOST_BYTES {
        return Err(format!("`{}` is too long to be judged", path.display()));
    }
    Ok(String::from_utf8_lossy(&fs::read(path).map_err(failed)?).into_owned())
}

/// An event in the same session, as Claude Code would report it. Each part of an event has its own `number`.
fn part(of: &Decoded, event: &str, mut fields: Value, number: usize) -> Result<Decoded, Failure> {
    for (key, value) in [
        ("hook_event_name", event),
        ("session_id", &*of.context.session_id),
        ("cwd", &*of.context.cwd.to_string_lossy()),
        ("transcript_path", of.extra.get("transcript_path").and_then(Value::as_str).unwrap_or_default()),
    ] {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert(key.to_owned(), value.into());
        }
    }
    let decoded = decode(of.client, Some(event), fields.to_string().as_bytes());
    let mut decoded = decoded.map_err(|error| format!("a part of `{}`: {error}", of.event_name))?;
    decoded.context = of.context.clone();
    let prompt = of.extra.get("prompt_id").and_then(Value::as_str);
    let id = of.context.call_id.as_deref().or(prompt).unwrap_or_default();
    decoded.context.call_id = Some(format!("{id}-{number}"));
    Ok(decoded)
}

impl Unreported {
    /// Calls the hooks for these parts, and then for the event itself. A part that is denied denies the event.
    pub(super) fn ask(
        self,
        governing: &Governing,
        decoded: &mut Decoded,
        notes: &Notes,
    ) -> Result<HeldAnswer, Failure> {
        let mut strictest = HeldAnswer::default();
        for mut part in self.0 {
            let held = ask_part(governing, &mut part, notes)?;
            if held.answer.strength.max(Strength::Allow) > strictest.answer.strength.max(Strength::Allow) {
                strictest = held;
            }
        }
        let mut held = asking::ask(governing, decoded, notes)?;
        let HeldAnswer { answer, waits_under, .. } = strictest;
        if answer.strength > held.answer.strength.max(Strength::Allow) {
            (held.answer.strength, held.answer.reason) = (answer.strength, answer.reason);
            held.waits_under = held.waits_under.or(waits_under);
        }
        Ok(held)
    }
}

/// Calls the hooks for a part, and records it. It has ended before the event itself is decided.
fn ask_part(governing: &Governing, part: &mut Decoded, notes: &Notes) -> Result<HeldAnswer, Failure> {
    let mut held = asking::ask(governing, part, notes)?;
    if let Some(Refusal::Call(why)) = governing.refusal(part) {
        held.answer.deny_too(&Reason::new("sandbox", "not_wrapped", why));
    }
    if let Some(why) = held.answer.stop.take() {
        held.answer.deny_too(&Reason::new("expansion", "stopped", why));
    }
    // The client takes neither another command nor another text.
    if held.answer.rewrite.take().is_some() {
        let why = "the rules change a part of it, and a client takes no change there";
        held.answer.deny_too(&Reason::new("expansion", "changed", why));
    }
    let mut encoded = encode(part, &held.answer);
    if !held.turn.as_ref().is_some_and(CallTurn::is_counted)
        && let Some(reason) = asking::record(governing, part, notes, &recorded(&encoded, held.source))?
    {
        held.answer.deny_too(&reason);
        encoded = encode(part, &held.answer);
    }
    let goes_on = goes_on(&held.answer, &encoded);
    governing.end(std::mem::take(&mut held.holds), goes_on);
    if let Some(turn) = held.turn.take().filter(|turn| goes_on || turn.is_denied()) {
        turn.keep();
    }
    let what =
        part.shell_command().map_or_else(|| "its file".to_owned(), |it| format!("its file runs `{it}`"));
    held.answer.reason = held.answer.reason.map(|reason| format!("{what}: {reason}"));
    Ok(held)
}

/// The files that a command of this name can have. All of them are judged, since only the client knows which one counts.
fn files(decoded: &Decoded, name: &str) -> Vec<PathBuf> {
    let start = project::project_of(decoded.client).unwrap_or_else(|| decoded.context.cwd.clone());
    let of_client = if decoded.client == Client::Qwen { ".qwen" } else { ".claude" };
    let of_user = Places::here().of_client(of_client);
    let folders = start.ancestors().map(|folder| folder.join(of_client)).chain(of_user);
    // A colon separates the folders of a command.
    let parts: Vec<&str> = name.split([':', '/']).collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Vec::new();
    }
    let below: PathBuf = parts.iter().collect();
    let mut all = Vec::new();
    for folder in folders {
        all.extend([".md", ".toml"].map(|end| folder.join("commands").join(with_end(&below, end))));
        all.push(folder.join("skills").join(&below).join("SKILL.md"));
        all.extend(renamed(&folder.join("skills"), name));
    }
    all.retain(|path| path.is_file());
    all.sort();
    all.dedup();
    all
}

/// The files of skills whose header gives this name, which can be another one than that of their folder.
fn renamed(skills: &Path, name: &str) -> Vec<PathBuf> {
    let folders = fs::read_dir(skills).into_iter().flatten().flatten();
    let has_name = |path: &PathBuf| {
        let mut text = Vec::new();
        let read = fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        // With quotes, a comment or a line break; a file that is judged without need does little harm.
        let values = ["name", "\"name\"", "'name'"].map(|key| header(&text, key));
        let is_end = |c: char| c.is_whitespace() || "\"'#>|".contains(c);
        read.is_err() || values.iter().any(|value| value.split(is_end).any(|word| word == name))
    };
    folders
        .map(|folder| folder.path().join("SKILL.md"))
        .filter(|path| path.is_file() && has_name(path))
        .collect()
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
