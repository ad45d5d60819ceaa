//! Determines the kind of an unknown tool by the words of its name.
//!
//! Applies only if the arguments hold paths: `remove` with `paths` removes files, `remove` with `id` removes
//! something else.

use serde_json::Value;

use super::kind::ToolKind;
use super::path_arguments::paths_of;

/// Words for removing files.
const REMOVING: &[&str] = table!("tool_words_removing");

/// Words for changing files.
const WRITING: &[&str] = table!("tool_words_writing");

/// Words for changing files only if the name also mentions files: other tools create issues, for example.
const WEAK: &[&str] = table!("tool_words_weak");

/// Words for files.
const NOUNS: &[&str] = table!("tool_words_nouns");

/// Returns the kind of a call by the words of its name, if its arguments hold paths.
pub(super) fn kind_by_words(name: &str, arguments: &Value) -> Option<ToolKind> {
    let words = words(own_name(name));
    let kind = if removes(&words) {
        ToolKind::DeleteFile
    } else if changes_files(&words) {
        ToolKind::WriteFile
    } else {
        return None;
    };
    (!paths_of(kind, arguments).is_missing()).then_some(kind)
}

/// Returns whether words mean that files are removed.
pub(super) fn removes(words: &[String]) -> bool {
    has(words, REMOVING)
}

/// Returns whether words mean that files are changed.
pub(super) fn changes_files(words: &[String]) -> bool {
    has(words, WRITING) || (has(words, WEAK) && has(words, NOUNS))
}

fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Words for reading files.
const READING: &[&str] = table!("tool_words_reading");

/// Words for effects beyond reading, whatever precedes them.
const DOING: &[&str] = table!("tool_words_doing");

/// Returns whether the words of a tool's name describe reading only: the first word is for reading, and none
/// is for another effect (`lint`, not `lint_fix`).
///
/// ```
/// use hooks_facts::tools::reads_by_name;
///
/// assert!(reads_by_name("mcp__crm__list_customers"));
/// assert!(!reads_by_name("lint_fix"));
/// assert!(!reads_by_name("delete_customer"));
/// ```
pub fn reads_by_name(name: &str) -> bool {
    reads(&words(own_name(name)))
}

/// Returns whether words describe reading only.
pub(super) fn reads(words: &[String]) -> bool {
    let does = |word: &str| [REMOVING, WRITING, WEAK, DOING].iter().any(|list| list.contains(&word));
    let first = words.iter().find(|word| !word.is_empty());
    first.is_some_and(|word| READING.contains(&word.as_str())) && !words.iter().any(|word| does(word))
}

/// Returns the name after that of a server.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit("__").next().unwrap_or(name).rsplit(['/', '.', ':']).next().unwrap_or_default()
}

/// Returns the words of a name in lower case: split at separators and at capital letters.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        let begins = c.is_uppercase() && was_small;
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_and_paths_together_say_what_a_tool_does() {
        let paths = json!({"paths": ["a"]});
        for (name, arguments, wanted) in [
            ("mcp__fs__remove", &paths, Some(ToolKind::DeleteFile)),
            ("mcp__fs__write_files", &json!({"files": [{"path": "a"}]}), Some(ToolKind::WriteFile)),
            ("saveAll", &paths, Some(ToolKind::WriteFile)),
            ("fs/createFiles", &paths, Some(ToolKind::WriteFile)),
            ("mcp__x__create_issue", &paths, None),
            ("mcp__cart__remove", &json!({"id": 3}), None),
            ("mcp__fs__list_removed", &paths, None),
            ("mcp__write__show", &paths, None),
        ] {
            assert_eq!(kind_by_words(name, arguments), wanted, "{name}");
        }
    }

    #[test]
    fn a_name_that_looks_and_does_more_is_no_reader() {
        for name in ["get_files", "mcp__x__lint", "fs/listFiles", "_read_file", "search"] {
            assert!(reads_by_name(name), "{name}");
        }
        for name in [
            "lint_fix",
            "lintFix",
            "diff_apply",
            "log_rotate",
            "query_exec",
            "status_reset",
            "tree_prune",
            "load_dump",
            "validate_repair",
            "info_set",
            "get_or_create",
            "find_and_replace",
            "check_out",
            "apply_diff",
            "refresh_status",
            "mcp__read__go",
            "",
        ] {
            assert!(!reads_by_name(name), "{name}");
        }
    }
}
