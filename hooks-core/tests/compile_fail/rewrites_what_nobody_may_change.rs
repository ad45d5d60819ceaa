//! A working copy was already created: a hook cannot change it to another one.

use hooks_core::event::WorktreeCreated;
use hooks_core::{HookError, HookRequest, Never, Transform};

struct Renames;

impl Transform<WorktreeCreated> for Renames {
    fn name(&self) -> &str {
        "renames"
    }

    fn transform(&self, _request: &HookRequest<WorktreeCreated>) -> Result<Option<Never>, HookError> {
        Ok(Some("/elsewhere"))
    }
}

fn main() {}
