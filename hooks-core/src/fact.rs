//! Facts: what is derived from an event, computed at most once per request and shared by all its clones
//! (law 6). A rewrite and a wait start with fresh ones.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::OnceLock;

use crate::event::Event;
use crate::request::HookRequest;

/// Something that follows from an event: its resolved paths, its parsed command, its text.
///
/// `compute` is called at most once per final event, whatever the number of policies that ask.
pub trait Fact<E: Event>: Send + Sync + Sized + 'static {
    /// Derives it.
    fn compute(request: &HookRequest<E>) -> Self;
}

/// The facts of one request: an append-only list, so that a fact once handed out stays where it is.
#[derive(Default)]
pub(crate) struct Facts {
    first: OnceLock<Box<Node>>,
}

struct Node {
    of: TypeId,
    value: OnceLock<Box<dyn Any + Send + Sync>>,
    next: OnceLock<Box<Self>>,
}

impl Facts {
    /// The fact of type `F`; the first asker computes it, others wait for that.
    #[expect(clippy::expect_used, reason = "a node of this type id was made by this function, for this type")]
    pub(crate) fn get<E: Event, F: Fact<E>>(&self, request: &HookRequest<E>) -> &F {
        let of = TypeId::of::<F>();
        let mut cell = &self.first;
        loop {
            let node =
                cell.get_or_init(|| Box::new(Node { of, value: OnceLock::new(), next: OnceLock::new() }));
            if node.of == of {
                let value = node.value.get_or_init(|| Box::new(F::compute(request)));
                return value.downcast_ref().expect("a fact is kept under its own type");
            }
            cell = &node.next;
        }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Facts")
    }
}
