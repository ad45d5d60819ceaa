//! Calls that only a person decides: the end of a checkpoint, and the abandonment of a pipeline.

use hooks_core::{PolicyErrors, Reason, Verdict};
use hooks_facts::calls::Call;
use serde_json::Value;

use super::{Governing, NAME};
use crate::phases::config::PhasesConfig;
use crate::phases::names::Names;

/// Tools and phases that need a person.
#[derive(Clone, Debug)]
pub(super) struct People {
    checkpoints: Names,
    completing: Names,
    abandoning: Names,
}

impl People {
    pub(super) fn compile(config: &PhasesConfig, errors: &mut PolicyErrors) -> Self {
        Self {
            checkpoints: Names::compile(&config.checkpoints, "phases.checkpoints", errors),
            completing: Names::compile(&config.completing_tools, "phases.completing_tools", errors),
            abandoning: Names::compile(&config.abandoning_tools, "phases.abandoning_tools", errors),
        }
    }

    pub(super) fn judge(&self, call: Call<'_>, governing: Governing<'_>) -> Verdict {
        let tool = &call.request().event().tool_name;
        if self.abandoning.has(tool) {
            let message = format!("`{tool}` would abandon {}, which a person decides", governing.phase());
            return Verdict::ask(Reason::new(NAME, "abandon", message).instead("ask the user"));
        }
        if !self.completing.has(tool) {
            return Verdict::NO_OPINION;
        }
        let phase = &governing.pipeline.phase;
        let named = self.named_checkpoint(call.arguments());
        let at_checkpoint =
            (self.checkpoints.has(phase) || governing.pipeline.problem.is_some()).then_some(phase.as_str());
        let Some(checkpoint) = named.or(at_checkpoint) else { return Verdict::NO_OPINION };
        let message = format!(
            "`{tool}` would end the checkpoint `{checkpoint}` of {}, which a person decides",
            governing.phase()
        );
        Verdict::ask(Reason::new(NAME, "checkpoint", message).instead("ask the user to approve it"))
    }

    /// Returns a checkpoint that the arguments name, at any depth. The parser bounds the depth.
    fn named_checkpoint<'v>(&self, value: &'v Value) -> Option<&'v str> {
        match value {
            Value::String(text) => self.checkpoints.has(text).then_some(text),
            Value::Array(items) => items.iter().find_map(|item| self.named_checkpoint(item)),
            Value::Object(fields) => fields.values().find_map(|field| self.named_checkpoint(field)),
            _ => None,
        }
    }
}
