//! An endpoint that pays for an agent: `POST /pay` with a payment as JSON.

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
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

async fn endpoint(Json(payment): Json<Payment>) -> Answer {
    match pay(payment).await {
        Ok(receipt) => Ok(Json(receipt)),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// The routes.
pub fn app() -> Router {
    Router::new().route("/pay", post(endpoint))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app()).await
}
