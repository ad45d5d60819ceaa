//! Assembles chunks to complete parts, for layers that pass a stream on and for callers that collect it.

use std::collections::VecDeque;

use super::Chunk;
use super::overlap::{Differs, Overlap};
use super::received::{Received, ToolCall};
use crate::classify::stop_reason;

/// An answer that is being assembled.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    received: Received,
    /// Tool calls that began and have not ended.
    open: Vec<ToolCall>,
    /// Holds back text that may repeat the earlier text.
    overlap: Option<Overlap>,
}

impl Assembly {
    /// Takes a chunk, and puts the parts that may be released into `out`: new text and complete tool calls.
    pub(super) fn take(&mut self, chunk: Chunk, out: &mut VecDeque<Chunk>) -> Result<(), Differs> {
        match chunk {
            Chunk::Text(text) => {
                let new = match &mut self.overlap {
                    None => text,
                    Some(overlap) => match overlap.feed(&text)? {
                        None => return Ok(()),
                        Some(new) => new,
                    },
                };
                self.overlap = None;
                self.release(new, out);
            }
            Chunk::ToolStart { id, name } => self.open.push(ToolCall { id, name, json: String::new() }),
            Chunk::ToolArgs { id, json } => {
                if let Some(call) = self.open.iter_mut().find(|call| call.id == id) {
                    call.json.push_str(&json);
                }
            }
            Chunk::ToolEnd { id } => {
                if let Some(at) = self.open.iter().position(|call| call.id == id) {
                    let call = self.open.remove(at);
                    self.release_tool(call, out)?;
                }
            }
            Chunk::Stop(reason) => {
                self.flush(out)?;
                // Not every provider marks the end of a tool call. If the answer was cut off, the open calls
                // are dropped.
                let whole = stop_reason(&reason).is_none();
                for call in std::mem::take(&mut self.open).into_iter().filter(|_| whole) {
                    self.release_tool(call, out)?;
                }
                out.push_back(Chunk::Stop(reason));
            }
            Chunk::Usage(_) => out.push_back(chunk),
            Chunk::Resumed(_) => {
                self.broke();
                out.push_back(chunk);
            }
            Chunk::Restarted(_) => {
                *self = Self::default();
                out.push_back(chunk);
            }
        }
        Ok(())
    }

    /// Drops incomplete parts after the stream broke.
    pub(super) fn broke(&mut self) {
        self.open.clear();
        self.overlap = None;
    }

    /// Expects the next stream to continue the received text.
    pub(super) fn goes_on(&mut self) {
        self.overlap = Some(Overlap::new(self.received.text()));
    }

    /// The released parts.
    pub(super) const fn received(&self) -> &Received {
        &self.received
    }

    /// All released parts, without incomplete ones.
    pub(super) fn into_received(self) -> Received {
        self.received
    }

    fn release(&mut self, text: String, out: &mut VecDeque<Chunk>) {
        if !text.is_empty() {
            self.received.add_text(&text);
            out.push_back(Chunk::Text(text));
        }
    }

    fn release_tool(&mut self, call: ToolCall, out: &mut VecDeque<Chunk>) -> Result<(), Differs> {
        self.flush(out)?;
        self.received.add_tool(&call);
        let ToolCall { id, name, json } = call;
        out.push_back(Chunk::ToolStart { id: id.clone(), name });
        if !json.is_empty() {
            out.push_back(Chunk::ToolArgs { id: id.clone(), json });
        }
        out.push_back(Chunk::ToolEnd { id });
        Ok(())
    }

    /// Releases the text that was held back.
    fn flush(&mut self, out: &mut VecDeque<Chunk>) -> Result<(), Differs> {
        if let Some(mut overlap) = self.overlap.take() {
            self.release(overlap.finish()?, out);
        }
        Ok(())
    }
}
