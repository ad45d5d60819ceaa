//! The same endpoint, governed. A tool runs only if the rules let it; otherwise the answer is 403 with the reason.

use std::io;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use hooks_core::Hooks;
use hooks_core::drivers::{CallError, Govern, ToolCall, ToolResult};
use serde_json::Value;
use tokio::net::TcpListener;

type Answer = Result<Json<Value>, (StatusCode, String)>;

/// The tools: one, which writes a file.
async fn run(tool: String, args: Value) -> io::Result<Value> {
    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
    if tool != "write_file" {
        return Err(io::Error::other(format!("unknown tool `{tool}`")));
    }
    tokio::fs::write(text("path"), text("content")).await?;
    Ok("written".into())
}

async fn endpoint(hooks: Hooks, Path(tool): Path<String>, Json(args): Json<Value>) -> Answer {
    let context = hooks_system::local_context("session-1", "agent");
    let tools = tower::service_fn(async |call: ToolCall| run(call.name, call.args).await.map(ToolResult::ok));
    match Govern::new(hooks, tools).run(context, ToolCall::new(tool, args)).await {
        Ok(result) => Ok(Json(result.content)),
        Err(CallError::Denied(reason)) => Err((StatusCode::FORBIDDEN, reason)),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// The routes.
pub fn app(hooks: Hooks) -> Router {
    Router::new().route("/tools/{tool}", post(move |tool, args| endpoint(hooks.clone(), tool, args)))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let guard = hooks_policies::WriteGuard::allowing(["notes/**"])?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app(Hooks::builder().policy(guard).build())).await?;
    Ok(())
}
