//! A session whose calls change files in memory, as they would on a disk. No command runs.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hooks_classic::PolicyConfig;
use hooks_core::event::PreToolUse;
use hooks_core::fs::{Entry, EntryKind, FileSystem};
use hooks_core::state::Memory;
use hooks_core::time::StoppedClock;
use hooks_core::{HookContext, HookRequest, Hooks, Judged};
use hooks_facts::calls::CallReader;
use hooks_facts::commands::WrittenContent;
use hooks_team_rules::written::{JudgedFiles, WrittenFiles};
use serde_json::Value;

use super::finish;

/// Content of a file.
#[derive(Clone, Debug)]
enum Content {
    Text(String),
    /// A program, or anything else that is not text.
    Binary,
    Unknown,
}

/// Files in memory.
#[derive(Debug, Default)]
struct Machine(Mutex<BTreeMap<PathBuf, Content>>);

/// A session under one policy.
pub(super) struct Session {
    hooks: Hooks,
    written: WrittenFiles,
    machine: Arc<Machine>,
    context: HookContext,
}

impl Session {
    /// Starts a session; `None` if the policy cannot be built.
    pub(super) fn new(config: PolicyConfig, context: &HookContext) -> Option<Self> {
        let machine = Arc::new(Machine::default());
        let mut context = context.clone();
        if context.cwd.as_os_str().is_empty() {
            context = context.in_dir("/repo");
        }
        context.environment.files = Arc::clone(&machine) as _;
        let builder = Hooks::builder().config(config.clone()).ok()?;
        let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
        let policies = move || Hooks::from_policy(config).unwrap_or_default();
        let written = WrittenFiles::new(policies, JudgedFiles::OfSession, &CallReader::default(), store);
        let Ok(built) = builder.config(written.clone());
        Some(Self { hooks: built.build(), written, machine, context })
    }

    /// Returns the context of the next call, with the files that the session wrote.
    pub(super) fn context(&self) -> HookContext {
        let seen = finish(self.written.context_of(&self.context));
        seen.ok().flatten().unwrap_or_else(|| self.context.clone())
    }

    pub(super) fn goes_ahead(&self, call: &PreToolUse) -> bool {
        let mut decision = finish(self.hooks.on(self.context.clone()).pre_tool_use(call.clone()));
        decision.commit();
        decision.outcome.goes_ahead()
    }

    /// Changes the files as the call would, which began in this context.
    pub(super) fn carry_out(&self, call: &PreToolUse, context: HookContext) {
        let request = HookRequest::new(context, call.clone());
        let reader = CallReader::default();
        let facts = reader.read(&request);
        let (commands, named) = (facts.commands(), facts.files_for_session());
        // Facts look at the files, so they come before the lock.
        let mut files = self.machine.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = Vec::new();
        for command in &commands.found {
            for file in command.analysis.written_files() {
                let path = self.absolute(&file.path);
                let content = match &file.content {
                    WrittenContent::Text(text) => Content::Text(text.clone()),
                    WrittenContent::SameAs(name) => {
                        files.get(&self.absolute(name)).cloned().unwrap_or(Content::Binary)
                    }
                    _ => Content::Unknown,
                };
                files.insert(path.clone(), content);
                known.push(path);
            }
        }
        drop(files);
        let named: Vec<PathBuf> = named.into_iter().map(|file| file.path).collect();
        for path in named.iter().filter(|path| !known.contains(path)) {
            let content = self.content_by_tool(call, path, named.len() == 1);
            self.machine.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), content);
        }
    }

    fn absolute(&self, name: &str) -> PathBuf {
        let home = self.context.environment.home.as_deref().unwrap_or_default();
        match name.strip_prefix('~') {
            Some(rest) => PathBuf::from(format!("{home}{rest}")),
            None => self.context.cwd.join(name),
        }
    }

    /// Content that a file tool gives a file.
    fn content_by_tool(&self, call: &PreToolUse, path: &Path, is_only: bool) -> Content {
        let before = self.machine.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let before = match before {
            Some(Content::Text(text)) => text,
            _ => String::new(),
        };
        let args = &call.tool_args;
        if let Some(patch) = ["input", "patch", "diff"].iter().find_map(|key| args.get(*key)?.as_str()) {
            return Content::Text(patched(patch, path, &before));
        }
        let text = |value: &Value, keys: &[&str]| {
            keys.iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned)
        };
        let contents = ["content", "file_text", "contents", "text", "data", "body", "code"];
        let of_list = args.get("files").and_then(Value::as_array).into_iter().flatten().find_map(|file| {
            let name = text(file, &["path", "file_path", "name"])?;
            (self.absolute(&name) == *path).then(|| text(file, &contents))?
        });
        if let Some(content) = of_list.or_else(|| text(args, &contents).filter(|_| is_only)) {
            let appends = call.tool_name.to_lowercase().contains("append");
            return Content::Text(if appends { before + &content } else { content });
        }
        let edits =
            args.get("edits").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![args.clone()]);
        let mut after = before;
        for edit in &edits {
            let old = text(edit, &["old_string", "old_str", "oldText", "old_text", "search"]);
            let Some(new) = text(edit, &["new_string", "new_str", "newText", "new_text", "replace"]) else {
                return Content::Unknown;
            };
            match old.filter(|old| !old.is_empty() && after.contains(old.as_str())) {
                Some(old) => after = after.replace(&old, &new),
                // The rest of the file was there before.
                None => after.push_str(&new),
            }
        }
        Content::Text(after)
    }
}

/// Returns the text of a file after a patch: its new lines, and the old ones that it does not remove.
fn patched(patch: &str, path: &Path, before: &str) -> String {
    let name = path.to_string_lossy();
    let (mut is_meant, mut text) = (false, before.to_owned());
    let mut added = String::new();
    for line in patch.lines() {
        let header = ["*** Add File: ", "*** Update File: ", "*** Move to: ", "+++ b/", "+++ "]
            .iter()
            .find_map(|start| line.strip_prefix(start));
        if let Some(header) = header {
            is_meant = name.ends_with(header.trim_start_matches("./"));
            continue;
        }
        if !is_meant || line.starts_with("***") || line.starts_with("---") {
            continue;
        }
        if let Some(new) = line.strip_prefix('+') {
            added.push_str(new);
            added.push('\n');
        } else if let Some(old) = line.strip_prefix('-') {
            text = text.replacen(&format!("{old}\n"), "", 1);
        }
    }
    text + &added
}

impl FileSystem for Machine {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = if files.contains_key(path) {
            EntryKind::File
        } else if path == Path::new("/") || files.keys().any(|file| file.starts_with(path)) {
            EntryKind::Directory
        } else {
            return Ok(None);
        };
        Ok(Some(Entry { kind, names: 1 }))
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        Err(ErrorKind::InvalidInput.into())
    }

    fn text_of(&self, path: &Path, _most: u64) -> io::Result<String> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            Some(Content::Text(text)) => Ok(text.clone()),
            Some(Content::Binary) => Err(ErrorKind::InvalidData.into()),
            Some(Content::Unknown) => Err(ErrorKind::PermissionDenied.into()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}
