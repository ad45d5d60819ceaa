//! An endpoint that runs an agent's tools: `POST /tools/write_file` with the arguments as JSON.

use std::io;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
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

async fn endpoint(Path(tool): Path<String>, Json(args): Json<Value>) -> Answer {
    match run(tool, args).await {
        Ok(content) => Ok(Json(content)),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// The routes.
pub fn app() -> Router {
    Router::new().route("/tools/{tool}", post(endpoint))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app()).await?;
    Ok(())
}
