//! The laws of a policy that protects files from being written.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{FakeFileSystem, world};
use crate::context::HookContext;
use crate::event::PreToolUse;
use crate::policy::Policy;
use crate::request::HookRequest;
use crate::verdict::Strength;

/// Tools that write a file, with the arguments that name it.
const WRITERS: &[(&str, &str)] =
    &[("edit", "path"), ("Write", "file_path"), ("Edit", "file_path"), ("write_file", "filePath")];

/// Tools that read a file, with the arguments that name it.
const READERS: &[(&str, &str)] = &[("view", "path"), ("Read", "file_path"), ("read_file", "filePath")];

/// Commands that write the file `{}`.
const WRITES: &[&str] = &[
    "echo x > {}",
    "echo x >> \"{}\"",
    "true && printf x | tee {}",
    "cp other.txt {}",
    "mv other.txt '{}'",
    "sed -i s/a/b/ {}",
    "dd if=other.txt of={}",
    "rm -f {}",
    "bash -c 'echo x > {}'",
];

/// Commands that read the file `{}`.
const READS: &[&str] = &["cat {}", "grep -n x {}", "wc -l < {}"];

/// Checks the laws of paths for a policy that denies, or asks about, writes to the file `path`.
/// [`assert_path_laws!`](crate::assert_path_laws) does the same as an assertion.
///
/// * It guards the file: `edit` with the argument `path` is denied, or the user is asked.
/// * It does not depend on the name of the file: `./`, `src/../`, repeated slashes and the absolute path lead to a verdict that
///   is as strong.
/// * It does not depend on the way to write: other tools, other names of the argument, patches, and commands lead to a verdict
///   that is as strong.
/// * It is about writes: a read leads to a weaker verdict.
///
/// `path` is relative to the working directory of `context`; letters, digits, `.`, `_`, `-` and `/`.
///
/// # Errors
/// Returns the law that is broken, with the call that breaks it.
pub fn check_path_laws<P>(policy: &P, context: &Arc<HookContext>, path: &str) -> Result<(), String>
where
    P: Policy<PreToolUse>,
{
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let is_relative = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !path.starts_with(|c: char| c.is_ascii_alphanumeric()) || !path.chars().all(is_plain) || !is_relative {
        return Err(format!(
            "`{path}` is not a plain relative path; expected one such as `migrations/001.sql`"
        ));
    }
    let strength = |(tool, args): &(&str, Value)| {
        let request = HookRequest::new(Arc::clone(context), PreToolUse::new(*tool, args.clone()));
        policy.judge(&request).strength()
    };
    let plain = strength(&("edit", json!({ "path": path, "content": "x" })));
    if plain < Strength::Ask {
        return Err(format!("law: it guards the file. `{}` lets `edit` write `{path}`", policy.name()));
    }
    if let Some(call) = writes(path, context).iter().find(|call| strength(call) < plain) {
        return Err(format!(
            "law: every way to write counts. `{}` returned {plain} for `edit` with the path `{path}`, and {} for `{}` with {}",
            policy.name(),
            strength(call),
            call.0,
            call.1,
        ));
    }
    if let Some(call) = reads(path).iter().find(|call| strength(call) >= plain) {
        return Err(format!(
            "law: a rule about writes is not about reads. `{}` returned {} for `{}` with {}",
            policy.name(),
            strength(call),
            call.0,
            call.1,
        ));
    }
    Ok(())
}

/// The calls that write the file.
fn writes(path: &str, context: &HookContext) -> Vec<(&'static str, Value)> {
    let absolute = context.cwd.join(path);
    let mut names =
        vec![path.to_owned(), format!("./{path}"), format!("src/../{path}"), path.replace('/', "//")];
    names.extend(absolute.is_absolute().then(|| absolute.display().to_string()));
    let mut calls = Vec::new();
    for name in &names {
        calls.extend(WRITERS.iter().map(|(tool, key)| (*tool, json!({ *key: name, "content": "x" }))));
        calls.extend(WRITES.iter().map(|text| command(text, name)));
        let patch = format!("*** Begin Patch\n*** Update File: {name}\n@@\n-a\n+b\n*** End Patch\n");
        calls.push(("apply_patch", json!({ "input": patch })));
    }
    if let Some((folder, name)) = path.rsplit_once('/') {
        calls.push(command(&format!("cd {folder} && echo x > {{}}"), name));
        calls.push(command(&format!("cp {{}} {folder}/"), name));
    }
    calls
}

/// The calls that read the file.
fn reads(path: &str) -> Vec<(&'static str, Value)> {
    let tools = READERS.iter().map(|(tool, key)| (*tool, json!({ *key: path })));
    tools.chain(READS.iter().map(|text| command(text, path))).collect()
}

fn command(text: &str, name: &str) -> (&'static str, Value) {
    ("bash", json!({ "command": text.replace("{}", name) }))
}

/// The context of the laws, if a test gives none: the folder `/repo` of an empty file system in memory.
#[doc(hidden)]
pub fn paths_context() -> HookContext {
    let (environment, ..) = world(FakeFileSystem::default());
    HookContext::new("session-1", "agent").in_dir("/repo").with_environment(environment)
}

/// Checks that a policy which guards a file keeps the laws of paths
/// ([`check_path_laws`](crate::testing::check_path_laws)).
///
/// Use `assert_path_laws!(policy, "migrations/001.sql")`, or `assert_path_laws!(policy, "migrations/001.sql", context)` to set
/// the context.
///
/// A policy that compares the text of an argument does not keep them:
///
/// ```should_panic
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookRequest, Reason, Verdict, policy_fn};
///
/// hooks_core::assert_path_laws!(
///     policy_fn("migrations", |request: &HookRequest<PreToolUse>| {
///         match request.event().tool_args["path"].as_str() {
///             Some(path) if path.starts_with("migrations/") => {
///                 Verdict::deny(Reason::new("migrations", "path", "migrations are the DBA's"))
///             }
///             _ => Verdict::NO_OPINION,
///         }
///     }),
///     "migrations/001.sql"
/// ); // `./migrations/001.sql` is let through
/// ```
#[macro_export]
macro_rules! assert_path_laws {
    ($policy:expr, $path:expr) => {
        $crate::assert_path_laws!($policy, $path, $crate::testing::paths_context())
    };
    ($policy:expr, $path:expr, $context:expr) => {{
        let checked = $crate::testing::check_path_laws(&$policy, &::std::sync::Arc::new($context), $path);
        assert!(checked.is_ok(), "{}", checked.err().unwrap_or_default());
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::policy_fn;
    use crate::verdict::{Reason, Verdict};

    fn broken(judge: impl Fn(&str, &Value) -> bool + Send + Sync + 'static) -> String {
        let policy = policy_fn("p", move |request: &HookRequest<PreToolUse>| {
            match judge(&request.event().tool_name, &request.event().tool_args) {
                true => Verdict::deny(Reason::new("p", "r", "no")),
                false => Verdict::NO_OPINION,
            }
        });
        check_path_laws(&policy, &Arc::new(paths_context()), "migrations/001.sql")
            .expect_err("a law is broken")
    }

    #[test]
    fn each_law_can_be_broken() {
        assert!(broken(|_, _| false).starts_with("law: it guards the file."));
        let starts =
            |_: &str, args: &Value| args["path"].as_str().is_some_and(|path| path.starts_with("migr"));
        let told = broken(starts);
        assert!(told.contains("\"file_path\":\"migrations/001.sql\""), "{told}");
        let told = broken(|tool, args| tool != "bash" && args.to_string().contains("001.sql"));
        assert!(told.contains("echo x > migrations/001.sql"), "{told}");
        let told = broken(|_, args| args.to_string().contains("001.sql"));
        assert!(told.starts_with("law: a rule about writes is not about reads."), "{told}");
    }
}
