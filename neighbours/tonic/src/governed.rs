//! The same service, governed: small payments only.

use std::io;

use hooks_core::{HookRequest, Hooks, Reason, Verdict, call_governed, event::PreToolUse, policy_fn};
use payments::payments_server::{Payments, PaymentsServer};
use payments::{Payment, Receipt};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The service.
pub struct Payer(pub Hooks);

/// Pays: adds a line to the ledger in the working folder.
async fn pay(payment: Payment) -> io::Result<u64> {
    let line = format!("{} gets {}\n", payment.to, payment.cents);
    let ledger = tokio::fs::read_to_string("ledger").await?;
    tokio::fs::write("ledger", ledger + &line).await?;
    Ok(payment.cents)
}

#[tonic::async_trait]
impl Payments for Payer {
    async fn pay(&self, request: Request<Payment>) -> Result<Response<Receipt>, Status> {
        let (hooks, context) = (self.0.clone(), hooks_system::local_context("session-1", "agent"));
        match call_governed(hooks, context, "pay", request.into_inner(), pay).await {
            Ok(cents) => Ok(Response::new(Receipt { cents })),
            Err(hooks_core::CallError::Denied(reason)) => Err(Status::permission_denied(reason)),
            Err(error) => Err(Status::internal(error.to_string())),
        }
    }
}

/// The rule.
pub fn small(request: &HookRequest<PreToolUse>) -> Verdict {
    let is_small = request.event().tool_args["cents"].as_u64().is_some_and(|cents| cents <= 5_000);
    let reason = Reason::new("small", "cents", "a person pays more than 5000 cents");
    if is_small { Verdict::NO_OPINION } else { Verdict::deny(reason) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = PaymentsServer::new(Payer(Hooks::builder().policy(policy_fn("small", small)).build()));
    Server::builder().add_service(service).serve("127.0.0.1:3000".parse()?).await?;
    Ok(())
}
