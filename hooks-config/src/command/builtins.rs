//! The standard builtins, as handlers.

use std::path::PathBuf;
use std::sync::Arc;

use hooks_command::template::Template;
use hooks_command::{Builtin, BuiltinCall, Builtins, Profile, Scrub};
use hooks_context::builtins::{self, Call, Templates, World};
use hooks_core::HookFuture;
use hooks_system::{StdFileSystem, SystemClock, SystemMachine, SystemPrograms};
use serde_json::Value;

use super::super::places::Places;
use super::super::prompts::Secrets;

/// Builtins that store files.
const KEEPING: [&str; 2] = ["limit_large_tool_results", "snapshot"];

/// The builtins of docker-agent that exist here, on this machine.
pub fn standard_builtins() -> Builtins {
    registry(store(Places::here()))
}

/// The builtins, which store their files in `store`.
fn registry(store: Option<PathBuf>) -> Builtins {
    let has_store = store.is_some();
    let world = World::new(
        Arc::new(SystemClock),
        Arc::new(StdFileSystem),
        Arc::new(SystemPrograms),
        store.unwrap_or_default(),
    )
    .on(Arc::new(SystemMachine))
    .filling(Arc::new(GoTemplates))
    .redacting(Arc::new(Secrets::new(None)));
    let mut registry = Builtins::default();
    for name in builtins::names() {
        registry.register(name, Standard { world: world.clone(), has_store });
    }
    registry
}

/// Folder for snapshots and long results. It is never below the current folder.
fn store(user: Places<'_>) -> Option<PathBuf> {
    Some(user.state()?.join("hooks"))
}

#[derive(Clone)]
struct Standard {
    world: World,
    has_store: bool,
}

impl Builtin for Standard {
    fn scrubbing(&self, scrub: &Scrub) -> Option<Arc<dyn Builtin>> {
        let scrub = Arc::clone(scrub);
        let world = self.world.clone().redacting(Arc::new(move |text: &str| scrub(text)));
        Some(Arc::new(Self { world, has_store: self.has_store }))
    }

    fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
        if !self.has_store && KEEPING.contains(&&*call.name) {
            let reason = "there is no state folder: set `HOME` or `XDG_STATE_HOME` to an absolute one";
            return HookFuture::now(Err(reason.to_owned()));
        }
        let world = self.world.clone();
        HookFuture::later(async move {
            // Files and git block, so this runs on a thread that may block.
            let run = move || answer(&call, &world);
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => {
                    runtime.spawn_blocking(run).await.unwrap_or_else(|error| Err(error.to_string()))
                }
                Err(_) => run(),
            }
        })
    }
}

fn answer(call: &BuiltinCall, world: &World) -> Result<Value, String> {
    let input = Value::Object((*call.input).clone());
    let folder = Some(call.folder.as_path()).filter(|folder| !folder.as_os_str().is_empty());
    let only_labels = &*call.name == SAFER_SHELL && call.profile != Profile::July;
    let strict = ["strict".to_owned()];
    let args = if only_labels { &strict[..] } else { &call.args };
    let call = Call { name: &call.name, args, cwd: folder, input: &input };
    let output = builtins::run(&call, world).map_err(|error| error.to_string())?;
    let mut answer = serde_json::to_value(output).map_err(|error| error.to_string())?;
    if only_labels {
        label(&mut answer);
    }
    Ok(answer)
}

/// The builtin that decided in July 2026, and only labels calls since September.
pub(super) const SAFER_SHELL: &str = "safer_shell";

/// Reduces the answer of `safer_shell` to its metadata.
fn label(answer: &mut Value) {
    let Some(specific) = answer.get_mut("hook_specific_output").and_then(Value::as_object_mut) else {
        return;
    };
    specific.shift_remove("permission_decision");
    specific.shift_remove("permission_decision_reason");
    let Some(metadata) = specific.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let label = match metadata.get("blast_radius").and_then(Value::as_str) {
        Some("safe") => "safe",
        Some("low" | "medium" | "high") => "destructive",
        _ => "unknown",
    };
    if label == "unknown" {
        metadata.shift_remove("reason");
    }
    metadata.insert("safety_label".to_owned(), label.into());
}

/// Templates as docker-agent writes them.
struct GoTemplates;

impl Templates for GoTemplates {
    fn render(&self, template: &str, input: &Value) -> Result<String, String> {
        let Value::Object(payload) = input else { return Err("the event is no object".to_owned()) };
        let rendered = Template::parse(template).and_then(|template| template.render_known(payload));
        rendered.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Map;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn nothing_is_kept_below_the_working_folder() {
        let relative = |name: &str| (name == "XDG_STATE_HOME").then(|| "state".into());
        assert_eq!(store(Places::told_by(&relative)), None);
        let at_home = |name: &str| (name == "HOME").then(|| "/home/ada".into());
        let found = store(Places::told_by(&at_home));
        assert_eq!(found.as_deref(), Some(Path::new("/home/ada/.local/state/hooks")));
    }

    #[tokio::test]
    async fn who_has_nowhere_to_keep_it_says_so() {
        let builtins = registry(None);
        for name in KEEPING {
            let call = BuiltinCall::new(name, "tool_response_transform", Map::new());
            let failed = builtins.get(name).unwrap().run(call).await.unwrap_err();
            assert!(failed.contains("XDG_STATE_HOME"), "{name}: {failed}");
        }
        let call = BuiltinCall::new("add_date", "turn_start", Map::new());
        assert!(builtins.get("add_date").unwrap().run(call).await.is_ok());
    }
}
