//! Reservations that come with an outcome.

use std::fmt;

/// A place taken in a limit or a budget for one event. Dropping it gives the place back; committing it says
/// that the event went ahead.
pub trait Hold: Send + Sync {
    /// The event goes ahead: the place stays taken.
    fn commit(self: Box<Self>);
}

/// All places taken for one event.
#[derive(Default)]
#[must_use = "what is held is given back when this is dropped"]
pub struct Holds(Vec<Box<dyn Hold>>);

impl Holds {
    /// The event goes ahead: all places stay taken.
    pub fn commit(self) {
        self.0.into_iter().for_each(Hold::commit);
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, hold: Box<dyn Hold>) {
        self.0.push(hold);
    }

    pub(crate) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }
}

impl fmt::Debug for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Holds({})", self.0.len())
    }
}
