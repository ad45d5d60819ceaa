//! Files that a prompt names, as in `explain @src/main.rs`.
//!
//! Some clients read such files themselves and add their content to the prompt, so no tool call and no hook follows. Each client
//! ends a name in its own way; this module gives every name that one of them may read:
//!
//! | form | client |
//! | --- | --- |
//! | `@name` up to the next space | all |
//! | `@"a name"` | Claude Code, Kiro |
//! | `@a\ name`, and an end at a comma or a bracket | Gemini CLI, Qwen Code |
//! | `@name#L1-5` | Claude Code |
//! | `#file:name` | VS Code |
//!
//! Only names of existing files and folders count: `@` also begins names of agents, packages and decorators.
//!
//! Sources: the pages about file references of Claude Code, Gemini CLI (`docs/cli/commands.md`), Kiro and VS Code.

mod names;

use std::path::{Path, PathBuf};

use hooks_core::event::UserPromptSubmitted;
use hooks_core::fs::EntryKind;
use hooks_core::{Fact, HookContext, HookRequest};

/// Most different names that are looked up.
const MAX_NAMES: usize = 4_096;

/// Existing files and folders that a prompt names.
///
/// ```
/// use hooks_core::event::{PromptKind, UserPromptSubmitted};
/// use hooks_core::fs::EntryKind;
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest};
/// use hooks_facts::prompts::MentionedFiles;
///
/// let disk = FakeFileSystem::default().with("/repo/.env", EntryKind::File).with("/repo/src", EntryKind::Directory);
/// let (environment, ..) = world(disk);
/// let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
/// let event = UserPromptSubmitted::new("ask @ada about @.env, and about @src", PromptKind::Initial);
/// let request = HookRequest::new(context, event);
/// let mentioned = request.fact::<MentionedFiles>();
/// let found: Vec<_> = mentioned.found.iter().map(|file| (&*file.path, file.is_folder)).collect();
/// assert_eq!(found, [(".env", false), ("src", true)]);
/// ```
#[derive(Debug, Default)]
pub struct MentionedFiles {
    /// The files and folders, each once for each of its names.
    pub found: Vec<MentionedFile>,
    /// Whether the prompt has more names than are looked up.
    pub is_cut: bool,
}

/// File or folder that a prompt names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedFile {
    /// Path as the prompt gives it, with the home folder in the place of `~`.
    pub path: String,
    /// Whether it is a folder, or may be one: some clients read all files in it.
    pub is_folder: bool,
}

impl Fact<UserPromptSubmitted> for MentionedFiles {
    fn compute(request: &HookRequest<UserPromptSubmitted>) -> Self {
        let Some(names) = names::find_names(&request.event().prompt, MAX_NAMES) else {
            return Self { found: Vec::new(), is_cut: true };
        };
        let found = names.into_iter().filter_map(|name| existing(request.context(), name)).collect();
        Self { found, is_cut: false }
    }
}

/// Returns the file with a name, unless nothing has it. A name that cannot be looked up may be one of a file.
fn existing(context: &HookContext, name: String) -> Option<MentionedFile> {
    let home = context.environment.home.as_deref();
    let path = match (name.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => name,
    };
    let entry = context.environment.files.entry(&absolute(context, &path));
    let is_folder = match entry {
        Ok(None) => return None,
        Ok(Some(entry)) => entry.kind != EntryKind::File,
        Err(_) => true,
    };
    Some(MentionedFile { path, is_folder })
}

fn absolute(context: &HookContext, path: &str) -> PathBuf {
    let cwd = if context.cwd.as_os_str().is_empty() { context.root() } else { &context.cwd };
    // Without components that are a dot.
    cwd.join(Path::new(path)).components().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::event::PromptKind;
    use hooks_core::testing::{FakeFileSystem, world};

    use super::*;

    fn mentioned(prompt: &str) -> MentionedFiles {
        let disk = FakeFileSystem::default()
            .with("/repo/.env", EntryKind::File)
            .with("/repo/my notes.md", EntryKind::File)
            .with("/repo/a,b.md", EntryKind::File)
            .with("/repo/src", EntryKind::Directory)
            .with("/home/ada/.ssh/id_rsa", EntryKind::File)
            .with_link("/repo/link", ".env");
        let (mut environment, ..) = world(disk);
        environment.home = Some("/home/ada".into());
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let event = UserPromptSubmitted::new(prompt, PromptKind::Initial);
        MentionedFiles::compute(&HookRequest::new(Arc::new(context), event))
    }

    #[test]
    fn each_form_of_a_name_is_found() {
        for (prompt, path) in [
            ("@.env", ".env"),
            ("see @.env.", ".env"),
            ("see \u{201c}@.env\u{201d}", ".env"),
            ("see @.env\u{2026}", ".env"),
            ("is it @.env=?", ".env"),
            ("see (@.env)", ".env"),
            ("see `@.env`", ".env"),
            ("@.env#L1-5", ".env"),
            ("@\"./.env#L1-5\"", "./.env"),
            ("@\"my notes.md#L1\"", "my notes.md"),
            ("@./.env", "./.env"),
            ("@/repo/.env", "/repo/.env"),
            ("@\"my notes.md\" please", "my notes.md"),
            ("@'my notes.md' please", "my notes.md"),
            ("@my\\ notes.md please", "my notes.md"),
            ("@a,b.md", "a,b.md"),
            ("@.env,@src", ".env"),
            ("x@.env", ".env"),
            ("#file:.env", ".env"),
            ("#file:'my notes.md'", "my notes.md"),
            ("@~/.ssh/id_rsa", "/home/ada/.ssh/id_rsa"),
            ("a\n@.env\nb", ".env"),
            ("@link", "link"),
        ] {
            let found = mentioned(prompt).found;
            assert!(found.iter().any(|file| file.path == path), "{prompt}: {found:?}");
        }
        assert!(mentioned("@src/").found.iter().all(|file| file.is_folder));
    }

    #[test]
    fn other_names_are_no_files() {
        for prompt in
            ["", "@", "@ .env", "@ada ada@example.org @types/node @", "#file:", "@\"", "@\\", ".env"]
        {
            let found = mentioned(prompt);
            assert!(found.found.is_empty() && !found.is_cut, "{prompt}: {found:?}");
        }
    }

    #[test]
    fn more_names_than_are_looked_up_are_reported() {
        let of = |count: usize| (0..count).map(|number| format!("@n{number} ")).collect::<String>();
        assert!(!mentioned(&of(MAX_NAMES)).is_cut);
        assert!(mentioned(&of(MAX_NAMES + 1)).is_cut);
        assert!(!mentioned(&"@ada ".repeat(MAX_NAMES * 4)).is_cut); // one name
    }

    #[test]
    fn a_line_of_marks_ends_the_search() {
        for line in ["@", "@\"", "@'", "@\\", "@\u{e9}"] {
            assert!(mentioned(&line.repeat(60_000)).is_cut, "{line}");
        }
    }
}
