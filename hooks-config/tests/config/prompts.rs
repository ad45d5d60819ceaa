//! Effects of the section `prompts` on a message, with a team folder on disk.

use std::fs;
use std::sync::{Arc, Mutex};

use hooks_command::output::{End, Finished};
use hooks_command::process::{Runner, Start};
use hooks_config::{Config, ConfigReader};
use hooks_core::event::{PromptKind, UserPromptSubmitted};
use hooks_core::{HookContext, HookFuture, Judged};
use hooks_system::system;
use tempfile::TempDir;

async fn handled(text: &str, folder: &TempDir, prompt: &str) -> (String, hooks_core::ContextPatch) {
    let config = Config::parse(text, "hooks.yaml").unwrap();
    let context = HookContext::new("s", "lead").in_dir(folder.path()).with_environment(system());
    let hooks = config.hooks();
    let bound = hooks.on(context);
    let submitted = bound.user_prompt_submitted(UserPromptSubmitted::new(prompt, PromptKind::Initial)).await;
    assert!(submitted.outcome.goes_ahead());
    (submitted.request.event().prompt.clone(), submitted.outcome.notes().cloned().unwrap_or_default())
}

#[tokio::test]
async fn a_wish_is_in_the_inbox_without_its_secrets() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join(".squad/decisions/inbox")).unwrap();
    let text = "version: 1\nprompts:\n  scrub: true\n  required: [Be kind.]\nredaction:\n  patterns:\n    WORD: hunter\\d\n";
    let (prompt, patch) = handled(text, &folder, "Always log in with hunter2 as ada@example.org.").await;
    assert!(
        prompt.ends_with("\n\nBe kind.") && !prompt.contains("hunter2") && !prompt.contains("ada@"),
        "{prompt}"
    );
    assert_eq!(patch.directives[0].mode, "always");
    let inbox: Vec<_> = fs::read_dir(folder.path().join(".squad/decisions/inbox")).unwrap().collect();
    let kept = fs::read_to_string(inbox[0].as_ref().unwrap().path()).unwrap();
    assert!(kept.contains("log in with") && !kept.contains("hunter2"), "{kept}");
}

/// Commands without output that remember their input.
#[derive(Clone, Default)]
struct Listening(Arc<Mutex<Vec<String>>>);

impl Runner for Listening {
    fn run(&self, start: Start) -> HookFuture<'static, Finished> {
        let heard = serde_json::to_string(&*start.input).unwrap();
        self.0.lock().unwrap().push(heard);
        HookFuture::now(Finished { end: End::Exited(0), stdout: String::new(), stderr: String::new() })
    }
}

#[tokio::test]
async fn a_command_hears_of_a_message_without_its_secrets() {
    let folder = TempDir::new().unwrap();
    let text = "version: 1\nhooks:\n  user_prompt_submit:\n    - {type: command, command: listen}\nprompts: {scrub: true}\nredaction:\n  patterns:\n    WORD: hunter\\d\n";
    let heard = Listening::default();
    let reader = ConfigReader::default().runner(Arc::new(heard.clone()));
    let config = reader.parse(text, "hooks.yaml").unwrap_or_else(|errors| panic!("{errors}"));
    let context = HookContext::new("s", "lead").in_dir(folder.path()).with_environment(system());
    let submitted = UserPromptSubmitted::new("Log in with hunter2.", PromptKind::Initial);
    let submitted = config.hooks().on(context).user_prompt_submitted(submitted).await;
    assert!(submitted.outcome.goes_ahead());
    let heard = heard.0.lock().unwrap();
    assert!(heard.len() == 1 && heard[0].contains("Log in with"), "{heard:?}");
    assert!(!heard[0].contains("hunter2"), "{heard:?}");
}

#[tokio::test]
async fn without_the_section_nothing_is_read() {
    let folder = TempDir::new().unwrap();
    let (prompt, patch) = handled("version: 1\n", &folder, "Never push.").await;
    assert_eq!((&*prompt, patch), ("Never push.", hooks_core::ContextPatch::default()));
}

#[test]
fn mistakes_are_told_with_their_places() {
    let error =
        Config::parse("version: 1\nprompts:\n  directives: keep\n  scub: true\n", "hooks.yaml").unwrap_err();
    let errors: Vec<_> = error.errors().iter().map(ToString::to_string).collect();
    assert!(
        errors[0].contains("prompts.directives") && errors[1].contains("did you mean `scrub`"),
        "{errors:?}"
    );
}
