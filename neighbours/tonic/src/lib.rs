//! The service `notes.Notes` and its messages.

/// A note to write.
#[derive(Clone, PartialEq, prost::Message)]
#[cfg_attr(feature = "governed", derive(serde::Serialize, serde::Deserialize))]
pub struct Note {
    /// File of the note.
    #[prost(string, tag = "1")]
    pub path: String,
    /// Text of the note.
    #[prost(string, tag = "2")]
    pub content: String,
}

/// A note was written.
#[derive(Clone, Copy, PartialEq, prost::Message)]
#[cfg_attr(feature = "governed", derive(serde::Serialize, serde::Deserialize))]
pub struct Written {
    /// Length of the note in bytes.
    #[prost(uint64, tag = "1")]
    pub bytes: u64,
}

mod generated {
    include!(concat!(env!("OUT_DIR"), "/notes.Notes.rs"));
}

pub use generated::{notes_client, notes_server};
