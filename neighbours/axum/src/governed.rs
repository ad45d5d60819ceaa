//! The same endpoint, governed: small payments only. Otherwise the answer is 403 with the reason.

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use hooks_core::{HookRequest, Hooks, Reason, Verdict, call_governed, event::PreToolUse, policy_fn};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

type Answer = Result<Json<String>, (StatusCode, String)>;

#[derive(Serialize, Deserialize)]
struct Payment {
    to: String,
    cents: u64,
}

/// Pays: adds a line to the ledger in the working folder.
async fn pay(payment: Payment) -> std::io::Result<String> {
    let line = format!("{} gets {}\n", payment.to, payment.cents);
    let ledger = tokio::fs::read_to_string("ledger").await?;
    tokio::fs::write("ledger", ledger + &line).await?;
    Ok(format!("paid {}", payment.cents))
}

async fn endpoint(hooks: Hooks, Json(payment): Json<Payment>) -> Answer {
    match call_governed(hooks, hooks_system::local_context("session-1", "agent"), "pay", payment, pay).await {
        Ok(receipt) => Ok(Json(receipt)),
        Err(hooks_core::CallError::Denied(reason)) => Err((StatusCode::FORBIDDEN, reason)),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// The routes.
pub fn app(hooks: Hooks) -> Router {
    Router::new().route("/pay", post(move |payment| endpoint(hooks.clone(), payment)))
}

/// The rule.
pub fn small(request: &HookRequest<PreToolUse>) -> Verdict {
    let is_small = request.event().tool_args["cents"].as_u64().is_some_and(|cents| cents <= 5_000);
    let reason = Reason::new("small", "cents", "a person pays more than 5000 cents");
    if is_small { Verdict::NO_OPINION } else { Verdict::deny(reason) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app(Hooks::builder().policy(policy_fn("small", small)).build())).await
}
