//! How much a template may do, whatever stands in it and in the payload.

use super::{TemplateError, error};

/// In nodes, commands and items.
const MOST_STEPS: usize = 200_000;
/// What its functions may read and make, in bytes: a value that doubles at each step is no text anybody wants.
const MOST_READ: usize = 64 << 20;
/// What it may write, in bytes.
const LONGEST: usize = 16 << 20;

/// What a template did so far.
#[derive(Debug, Default)]
pub(super) struct Effort {
    steps: usize,
    read: usize,
    written: usize,
}

impl Effort {
    /// One more step.
    pub(super) fn step(&mut self) -> Result<(), TemplateError> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS { error(format!("it takes more than {MOST_STEPS} steps")) } else { Ok(()) }
    }

    /// A function reads so many bytes.
    pub(super) fn read(&mut self, bytes: usize) -> Result<(), TemplateError> {
        self.read = self.read.saturating_add(bytes);
        if self.read > MOST_READ {
            return error(format!("its functions read more than {} MiB", MOST_READ >> 20));
        }
        Ok(())
    }

    /// So many bytes are written.
    pub(super) fn write(&mut self, bytes: usize) -> Result<(), TemplateError> {
        self.written = self.written.saturating_add(bytes);
        if self.written > LONGEST {
            return error(format!("it writes more than {} MiB", LONGEST >> 20));
        }
        Ok(())
    }
}
