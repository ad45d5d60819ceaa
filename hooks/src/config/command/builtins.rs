//! The builtins that come with us, as handlers.

use std::path::PathBuf;
use std::sync::Arc;

use hooks_command::template::Template;
use hooks_command::{Builtin, BuiltinCall, Builtins};
use hooks_context::builtins::{self, Call, Machine, Redact, Templates, World};
use hooks_core::HookFuture;
use hooks_policies::redaction::Scrubber;
use serde_json::Value;

use crate::system::{StdFileSystem, SystemClock, SystemMachine, SystemPrograms};

/// The builtins of docker-agent that there are here, on this machine.
pub fn standard_builtins() -> Builtins {
    let world = World::new(
        Arc::new(SystemClock),
        Arc::new(StdFileSystem),
        Arc::new(SystemPrograms),
        store(&SystemMachine),
    )
    .on(Arc::new(SystemMachine))
    .filling(Arc::new(GoTemplates))
    .redacting(Arc::new(Secrets(Scrubber::all())));
    let mut registry = Builtins::default();
    for name in builtins::names() {
        registry.register(name, Standard(world.clone()));
    }
    registry
}

/// Where snapshots and long results are kept.
fn store(machine: &SystemMachine) -> PathBuf {
    let named = machine.variable("XDG_STATE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let at_home = || machine.variable("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    named.or_else(at_home).unwrap_or_default().join("hooks")
}

#[derive(Clone)]
struct Standard(World);

impl Builtin for Standard {
    fn run(&self, call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
        let world = self.0.clone();
        HookFuture::later(async move {
            // Files and git are waited for, so not on a thread that others wait on.
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
    let call = Call { name: &call.name, args: &call.args, cwd: folder, input: &input };
    let output = builtins::run(&call, world).map_err(|error| error.to_string())?;
    serde_json::to_value(output).map_err(|error| error.to_string())
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

/// The scrubber of the policies.
struct Secrets(Scrubber);

impl Redact for Secrets {
    fn redact(&self, text: &str) -> Option<String> {
        let scrubbed = self.0.scrub(text);
        (*scrubbed != *text).then(|| scrubbed.into_owned())
    }
}
