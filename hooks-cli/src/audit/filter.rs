//! Which records fit.

use hooks::audit::Record;

use super::cli::Filter;

impl Filter {
    /// Whether `record` fits.
    pub(super) fn fits(&self, record: &Record) -> bool {
        let outcome = record.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
        // Moments are written so that their texts are in the order of time.
        let at = record.at.to_string();
        is(self.event.as_ref(), Some(&record.event))
            && is(self.tenant.as_ref(), record.tenant.as_deref())
            && is(self.session.as_ref(), Some(&record.session))
            && is(self.agent.as_ref(), Some(&record.agent))
            && is(self.tool.as_ref(), record.tool.as_deref())
            && is(self.outcome.as_ref(), outcome.as_ref().and_then(|outcome| outcome.as_str()))
            && is(self.policy.as_ref(), record.policy.as_deref())
            && is(self.rule.as_ref(), record.rule.as_deref())
            && self.since.as_ref().is_none_or(|since| *at >= **since)
            && self.until.as_ref().is_none_or(|until| *at < **until)
            && (!self.failed || record.failed)
    }
}

fn is(asked: Option<&String>, found: Option<&str>) -> bool {
    asked.is_none_or(|asked| found == Some(asked))
}
