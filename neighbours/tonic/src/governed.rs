//! The same service, governed: a note is written only if the rules let it.

use std::io;

use hooks_core::Hooks;
use hooks_core::drivers::{CallError, call_governed};
use notes::notes_server::{Notes, NotesServer};
use notes::{Note, Written};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The service.
pub struct Keeper(pub Hooks);

async fn write_file(note: Note) -> io::Result<Written> {
    tokio::fs::write(&note.path, &note.content).await?;
    Ok(Written { bytes: note.content.len() as u64 })
}

#[tonic::async_trait]
impl Notes for Keeper {
    async fn write(&self, request: Request<Note>) -> Result<Response<Written>, Status> {
        let (hooks, context) = (self.0.clone(), hooks_system::local_context("session-1", "agent"));
        match call_governed(hooks, context, "write_file", request.into_inner(), write_file).await {
            Ok(written) => Ok(Response::new(written)),
            Err(CallError::Denied(reason)) => Err(Status::permission_denied(reason)),
            Err(error) => Err(Status::internal(error.to_string())),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let guard = hooks_policies::WriteGuard::allowing(["notes/**"])?;
    let service = NotesServer::new(Keeper(Hooks::builder().policy(guard).build()));
    Server::builder().add_service(service).serve("127.0.0.1:3000".parse()?).await?;
    Ok(())
}
