//! The stack of the README: the classic policies around one's own tools, in a Rust service.
//!
//! Run with `cargo run -p hooks --example service`.

use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::policies::{CommandGuardConfig, PolicyConfig, RedactionConfig, WriteGuardConfig};
use hooks::{BoxError, Govern, HookContext, HookError, Hooks};
use serde_json::json;
use tower::{ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // Any `Service<ToolCall, Response = ToolResult>`: here one that would do what it is told.
    let my_tools = service_fn(|call: ToolCall| async move {
        Ok::<_, HookError>(ToolResult::ok(format!("{} ran for jane@example.com", call.name)))
    });

    let hooks = Hooks::from_policy(PolicyConfig {
        write_guard: Some(WriteGuardConfig { allow: vec!["src/**".into()], ..Default::default() }),
        command_guard: Some(CommandGuardConfig::default()),
        redaction: Some(RedactionConfig::default()),
        ..Default::default()
    })?;
    let tools = Govern::new(hooks, my_tools);
    let context = HookContext::new("session-1", "Ripley")
        .in_dir(std::env::current_dir()?)
        .with_environment(hooks::system());

    for (tool, args) in [
        ("edit", json!({ "path": "src/lib.rs" })),
        ("edit", json!({ "path": "src/../../etc/passwd" })),
        ("bash", json!({ "command": "rm -fr build" })),
    ] {
        let call = ToolCall::new(tool, args);
        let governed = tools.clone().oneshot(ToolRequest { context: context.clone().into(), call }).await?;
        match governed.outcome {
            ToolOutcome::Ran(result, _) => println!("{tool}: {}", result.content),
            ToolOutcome::Denied(reason) => println!("{tool}: denied, {reason}"),
            other => println!("{tool}: {other:?}"),
        }
    }
    Ok(())
}
