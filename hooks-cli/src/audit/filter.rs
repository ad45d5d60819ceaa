//! Which records fit.

use hooks::audit::Record;
use hooks::audit::cache::CacheAnswer;
use hooks::audit::keep::Selection;

use super::cli::Filter;
use crate::failure::Failure;

impl Filter {
    /// Whether its moments are moments.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let said = [("--since", &self.since), ("--until", &self.until)];
        said.into_iter().try_for_each(|(option, moment)| check_moment(option, moment.as_deref()))
    }

    /// Whether `record` fits.
    pub(super) fn fits(&self, record: &Record) -> bool {
        let outcome = record.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
        let cache = record.cache.map(CacheAnswer::name);
        is(self.event.as_ref(), Some(&record.event))
            && is(self.tenant.as_ref(), record.tenant.as_deref())
            && is(self.session.as_ref(), Some(&record.session))
            && is(self.agent.as_ref(), Some(&record.agent))
            && is(self.tool.as_ref(), record.tool.as_deref())
            && is(self.outcome.as_ref(), outcome.as_ref().and_then(|outcome| outcome.as_str()))
            && is(self.policy.as_ref(), record.policy.as_deref())
            && is(self.rule.as_ref(), record.rule.as_deref())
            && is(self.cache.as_ref(), cache)
            && self.time().fits(record)
            && (!self.failed || record.failed)
    }

    fn time(&self) -> Selection {
        let mut time = Selection::default();
        (time.since, time.before) = (self.since.clone(), self.until.clone());
        time
    }
}

/// Refuses what `option` is given where that is no moment.
pub(super) fn check_moment(option: &str, moment: Option<&str>) -> Result<(), Failure> {
    let mut time = Selection::default();
    time.since = moment.map(str::to_owned);
    time.check().map_err(|error| Failure::said(format!("`{option}`: {error}")))
}

fn is(asked: Option<&String>, found: Option<&str>) -> bool {
    asked.is_none_or(|asked| found == Some(asked))
}

#[cfg(test)]
mod tests {
    use hooks::Strength;
    use hooks::time::Timestamp;

    use super::*;

    #[test]
    fn everything_that_is_asked_for_has_to_fit() {
        let mut record = Record::new("pre_tool_use", Timestamp(1_769_852_000_000));
        record.agent = "backend".to_owned();
        record.outcome = Some(Strength::Deny);
        let some = |text: &str| Some(text.to_owned());
        assert!(Filter::default().fits(&record));
        let denied = Filter { outcome: some("deny"), agent: some("backend"), ..Filter::default() };
        assert!(denied.fits(&record));
        assert!(!Filter { agent: some("frontend"), ..denied }.fits(&record));
        assert!(!Filter { tool: some("bash"), ..Filter::default() }.fits(&record));
        assert!(!Filter { cache: some("hit"), ..Filter::default() }.fits(&record));
        assert!(!Filter { failed: true, ..Filter::default() }.fits(&record));
        assert!(
            Filter { since: some("2026-01-31"), until: some("2026-02"), ..Filter::default() }.fits(&record)
        );
        assert!(!Filter { until: some("2026-01-31T09:00"), ..Filter::default() }.fits(&record));
    }
}
