//! Rules for results: the result of a call that matches is withheld, and the model reads the reason in its place.

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::{HookRequest, Policy, PolicyErrors, Verdict};
use hooks_facts::calls::CallReader;

use super::changes::ReadChanges;
use super::policy::{NAME, Rules};
use crate::config::{RuleAction, RuleConfig, RuleResults};

/// Rules for the results of calls.
#[derive(Clone, Debug)]
pub struct ResultRules {
    failed: Option<Rules>,
    ok: Option<Rules>,
}

impl ResultRules {
    /// Compiles the rules that have `results`; `None` if no rule has.
    pub(crate) fn compile(
        configs: &[RuleConfig],
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Option<Self> {
        for (index, config) in configs.iter().enumerate() {
            let field = format!("rules[{index}].results");
            if config.results.is_some() && config.action != RuleAction::Deny {
                let hint = "leave `action` out: the result is withheld";
                errors.push(field, "a result can only be denied", hint);
            }
        }
        let of = |wanted: &[RuleResults]| {
            let is_wanted = |config: &&RuleConfig| config.results.is_some_and(|of| wanted.contains(&of));
            let chosen = configs.iter().filter(is_wanted);
            let chosen: Vec<_> =
                chosen.map(|config| RuleConfig { results: None, ..config.clone() }).collect();
            // Mistakes are reported once, with the rules for calls.
            let rules = Rules::unchecked(&chosen, reader, changes, &mut PolicyErrors::default());
            (!chosen.is_empty()).then_some(rules)
        };
        let failed = of(&[RuleResults::Failed, RuleResults::Any]);
        let ok = of(&[RuleResults::Ok, RuleResults::Any]);
        (failed.is_some() || ok.is_some()).then_some(Self { failed, ok })
    }
}

impl Policy<PostToolUse> for ResultRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PostToolUse>) -> Verdict {
        let event = request.event();
        let rules = if event.error.is_some() { &self.failed } else { &self.ok };
        let Some(rules) = rules else { return Verdict::NO_OPINION };
        let call = PreToolUse::new(event.tool_name.as_str(), event.tool_args.clone());
        rules.judge(&HookRequest::new(std::sync::Arc::clone(request.context()), call))
    }
}
