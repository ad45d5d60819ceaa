//! Facts: values derived from an event, computed at most once per request and shared by all its clones (law
//! 6). After a rewrite and after a wait, a request starts with fresh facts.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

use crate::event::Event;
use crate::request::HookRequest;

/// A value that follows from an event, such as its resolved paths, its parsed command or its text.
///
/// `compute` is called at most once per final event, however many policies ask for the fact.
///
/// ```
/// use hooks_core::{Fact, HookContext, HookRequest, event::PreToolUse};
///
/// struct Length(usize);
///
/// impl Fact<PreToolUse> for Length {
///     fn compute(request: &HookRequest<PreToolUse>) -> Self {
///         Self(request.event().tool_args.to_string().len())
///     }
/// }
///
/// let call = PreToolUse::new("bash", serde_json::json!("ls"));
/// let mut request = HookRequest::new(HookContext::new("s", "backend"), call);
/// let first: *const Length = request.fact::<Length>();
/// assert!(std::ptr::eq(first, request.clone().fact::<Length>())); // computed once, shared by clones
/// request.rewrite(serde_json::json!("ls -l"));
/// assert_eq!(request.fact::<Length>().0, "\"ls -l\"".len());
/// ```
pub trait Fact<E: Event>: Send + Sync + Sized + 'static {
    /// Derives the value from the event.
    fn compute(request: &HookRequest<E>) -> Self;
}

/// The facts of one request: an append-only list, so that references to a fact stay valid.
#[derive(Default)]
pub(crate) struct Facts {
    first: OnceLock<Box<Node>>,
}

/// One value, a cell or the `OnceLock<F>` of a fact, and the values that were requested later.
struct Node<T: ?Sized = dyn Any + Send + Sync> {
    next: OnceLock<Box<Node>>,
    value: T,
}

impl Facts {
    /// Returns the fact of type `F`. The first caller computes it; concurrent callers wait for the result.
    pub(crate) fn get<E: Event, F: Fact<E>>(&self, request: &HookRequest<E>) -> &F {
        self.cell::<OnceLock<F>>().get_or_init(|| F::compute(request))
    }

    /// Returns the cell of type `C`, which starts with its default.
    pub(crate) fn cell<C: Default + Send + Sync + 'static>(&self) -> &C {
        let mut place = &self.first;
        loop {
            let node = place.get_or_init(|| Box::new(Node { next: OnceLock::new(), value: C::default() }));
            if let Some(value) = node.value.downcast_ref() {
                return value;
            }
            place = &node.next;
        }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Facts")
    }
}
