//! A service that pays for an agent.

use std::io;

use payments::payments_server::{Payments, PaymentsServer};
use payments::{Payment, Receipt};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The service.
pub struct Payer;

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
        match pay(request.into_inner()).await {
            Ok(cents) => Ok(Response::new(Receipt { cents })),
            Err(error) => Err(Status::internal(error.to_string())),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = PaymentsServer::new(Payer);
    Server::builder().add_service(service).serve("127.0.0.1:3000".parse()?).await?;
    Ok(())
}
