//! Limits on the work of a template, whatever the template and the payload contain.

use super::{TemplateError, error};

/// Maximum number of nodes, commands and items.
const MOST_STEPS: usize = 200_000;
/// Maximum number of bytes that functions may read and create. A value could otherwise double in each step.
const MOST_READ: usize = 64 << 20;
/// Maximum output in bytes.
const LONGEST: usize = 16 << 20;

/// The work that a template has done so far.
#[derive(Debug, Default)]
pub(super) struct Effort {
    steps: usize,
    read: usize,
    written: usize,
}

impl Effort {
    /// Counts a step.
    pub(super) fn step(&mut self) -> Result<(), TemplateError> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS { error(format!("it takes more than {MOST_STEPS} steps")) } else { Ok(()) }
    }

    /// Counts bytes that a function reads.
    pub(super) fn read(&mut self, bytes: usize) -> Result<(), TemplateError> {
        self.read = self.read.saturating_add(bytes);
        if self.read > MOST_READ {
            return error(format!("its functions read more than {} MiB", MOST_READ >> 20));
        }
        Ok(())
    }

    /// Counts bytes that are written.
    pub(super) fn write(&mut self, bytes: usize) -> Result<(), TemplateError> {
        self.written = self.written.saturating_add(bytes);
        if self.written > LONGEST {
            return error(format!("it writes more than {} MiB", LONGEST >> 20));
        }
        Ok(())
    }
}
