//! A service that writes notes.

use std::io;

use notes::notes_server::{Notes, NotesServer};
use notes::{Note, Written};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The service.
pub struct Keeper;

async fn write_file(note: Note) -> io::Result<Written> {
    tokio::fs::write(&note.path, &note.content).await?;
    Ok(Written { bytes: note.content.len() as u64 })
}

#[tonic::async_trait]
impl Notes for Keeper {
    async fn write(&self, request: Request<Note>) -> Result<Response<Written>, Status> {
        match write_file(request.into_inner()).await {
            Ok(written) => Ok(Response::new(written)),
            Err(error) => Err(Status::internal(error.to_string())),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = NotesServer::new(Keeper);
    Server::builder().add_service(service).serve("127.0.0.1:3000".parse()?).await?;
    Ok(())
}
