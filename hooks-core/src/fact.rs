//! Facts: what is derived from an event, computed at most once per request and shared by all its clones
//! (law 6). A rewrite and a wait start with fresh ones.

use std::any::Any;
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

/// One fact, `OnceLock<F>` for the fact `F`, and those that were asked for later.
struct Node<T: ?Sized = dyn Any + Send + Sync> {
    next: OnceLock<Box<Node>>,
    value: T,
}

impl Facts {
    /// The fact of type `F`; the first asker computes it, others wait for that.
    pub(crate) fn get<E: Event, F: Fact<E>>(&self, request: &HookRequest<E>) -> &F {
        let mut cell = &self.first;
        loop {
            let node =
                cell.get_or_init(|| Box::new(Node { next: OnceLock::new(), value: OnceLock::<F>::new() }));
            if let Some(value) = node.value.downcast_ref::<OnceLock<F>>() {
                return value.get_or_init(|| F::compute(request));
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
