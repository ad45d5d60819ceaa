//! Judges the files that a prompt names, as in `explain @secrets/key.pem`.
//!
//! Some clients read such files themselves and send their content with the prompt: no tool call follows that a policy could judge. So
//! each existing file is judged as a call of the tool `Read`. A folder is also judged as a search in all of its files, because
//! some clients read them all. If the policy denies one of these calls, the prompt is denied. An answer that asks counts as
//! none: the user has named the file.
//!
//! Names are found by [`MentionedFiles`], a fact that the policies of a request share.
//!
//! ```
//! use hooks_core::event::{PromptKind, UserPromptSubmitted};
//! use hooks_core::fs::EntryKind;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_policies::config::ReadGuardConfig;
//! use hooks_policies::{PromptFiles, ReadGuard};
//!
//! let config = ReadGuardConfig { deny: vec!["**/.env".into()], ..ReadGuardConfig::default() };
//! let prompts = PromptFiles::new(ReadGuard::new(&config, &Default::default())?);
//!
//! let (environment, ..) = world(FakeFileSystem::default().with("/repo/.env", EntryKind::File));
//! let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
//! let judge = |text: &str| {
//!     prompts.judge(&HookRequest::new(context.clone(), UserPromptSubmitted::new(text, PromptKind::Initial)))
//! };
//! let denied = judge("which keys are in @.env?");
//! assert_eq!(denied.reasons()[0].message, "the prompt names a file: `.env` may not be read: it matches `**/.env`");
//! assert_eq!(judge("which keys are in `.env`, @ada?").strength(), Strength::NoOpinion);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: any policy about tool calls can judge the files, here a rule of a host.
//!
//! ```
//! use hooks_core::event::{PreToolUse, UserPromptSubmitted};
//! use hooks_core::{HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use hooks_policies::PromptFiles;
//!
//! let no_dumps = policy_fn("no-dumps", |request: &HookRequest<PreToolUse>| {
//!     match request.event().tool_args["file_path"].as_str() {
//!         Some(path) if path.ends_with(".sql") => Verdict::deny(Reason::new("no-dumps", "sql", "no dumps")),
//!         _ => Verdict::NO_OPINION,
//!     }
//! });
//! let hooks = Hooks::builder().policy::<UserPromptSubmitted>(PromptFiles::new(no_dumps)).build();
//! assert_eq!(hooks.hooked().len(), 1);
//! ```

use std::sync::Arc;

use hooks_core::event::{PreToolUse, UserPromptSubmitted};
use hooks_core::{HookRequest, Policy, PolicyLayer, Reason, Strength, Verdict};
use hooks_facts::prompts::MentionedFiles;
use serde_json::json;

/// Rule for more names than are looked up.
const MANY: &str = "many";

/// Judges the files that a prompt names by a policy about tool calls; see the [module](self) for examples.
#[derive(Clone, Debug)]
pub struct PromptFiles<P>(P);

/// Judgement of the files of a prompt in front of an inner hook.
pub type PromptFilesLayer<P> = PolicyLayer<Arc<PromptFiles<P>>>;

impl<P> PromptFiles<P> {
    /// Creates a policy that asks `policy` about each file.
    pub const fn new(policy: P) -> Self {
        Self(policy)
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> PromptFilesLayer<P> {
        PolicyLayer::new(Arc::new(self))
    }
}

impl<P: Policy<PreToolUse>> Policy<UserPromptSubmitted> for PromptFiles<P> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn judge(&self, request: &HookRequest<UserPromptSubmitted>) -> Verdict {
        let mentioned = request.fact::<MentionedFiles>();
        if mentioned.is_cut {
            let message = "the prompt names more files than are looked at, by `@`";
            let reason = Reason::new(self.name().to_owned(), MANY, message);
            return Verdict::deny(reason.instead("split the prompt, or put the text into a file"));
        }
        let mut verdict = Verdict::NO_OPINION;
        for file in &mentioned.found {
            let read = PreToolUse::new("Read", json!({ "file_path": &file.path }));
            let search = PreToolUse::new("Grep", json!({ "path": &file.path, "pattern": "" }));
            for call in [Some(read), file.is_folder.then_some(search)].into_iter().flatten() {
                let judged = self.0.judge(&HookRequest::new(Arc::clone(request.context()), call));
                if judged.strength() == Strength::Deny {
                    verdict.merge(about_the_prompt(&judged));
                }
            }
        }
        verdict
    }
}

/// Returns the denial of a call as one of the prompt: an argument of a call is no part of it.
fn about_the_prompt(denied: &Verdict) -> Verdict {
    let mut verdict = Verdict::NO_OPINION;
    for mut reason in denied.reasons().iter().cloned() {
        reason.message.insert_str(0, "the prompt names a file: ");
        reason.argument = None;
        verdict.merge(Verdict::deny(reason));
    }
    verdict
}
