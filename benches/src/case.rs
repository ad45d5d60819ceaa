//! A case that is measured.

use std::fmt;
use std::hint::black_box;

/// Code to measure, and the bar for its cost.
pub struct Case {
    name: &'static str,
    bar: Option<Bar>,
    allocations: Option<u64>,
    run: Box<dyn FnMut(u32)>,
}

/// Bar for the cost of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// At most this many nanoseconds.
    Nanoseconds(f64),
    /// At most this many nanoseconds more than another case, which is part of it.
    Beyond(f64, &'static str),
    /// At most this many times what another case costs in the same run.
    Times(f64, &'static str),
}

impl Case {
    /// A case that measures `call`. The loop around `call` is compiled together with it, so there is one call
    /// through a pointer per batch.
    pub fn new<T>(name: &'static str, mut call: impl FnMut() -> T + 'static) -> Self {
        let run = move |count| {
            for _ in 0..count {
                black_box(call());
            }
        };
        Self { name, bar: None, allocations: None, run: Box::new(run) }
    }

    /// Sets the bar for the cost.
    #[must_use]
    pub fn at_most(mut self, bar: Bar) -> Self {
        self.bar = Some(bar);
        self
    }

    /// Sets the exact number of allocations.
    #[must_use]
    pub fn allocating(mut self, times: u64) -> Self {
        self.allocations = Some(times);
        self
    }

    /// Name of the case: the question, and the variant.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Bar for the cost.
    pub fn bar(&self) -> Option<Bar> {
        self.bar
    }

    /// Number of allocations; `None` if the case does not promise one.
    pub fn allocations(&self) -> Option<u64> {
        self.allocations
    }

    /// Runs the code `count` times.
    pub fn run(&mut self, count: u32) {
        (self.run)(count);
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).field("bar", &self.bar).finish_non_exhaustive()
    }
}
