//! Filters records by the options of the command line.

use hooks::audit::Record;
use hooks::audit::keep::Selection;
use hooks::cache::CacheAnswer;

use super::cli::{Filter, Selected};

impl Selected {
    /// The options as a selection for the log.
    pub(super) fn selection(&self) -> Selection {
        let Self { tenant, session, agent, since, before } = self.clone();
        let mut of = Selection::default();
        (of.tenant, of.session, of.agent, of.since, of.before) = (tenant, session, agent, since, before);
        of
    }
}

impl Filter {
    /// A function that returns whether a record matches.
    pub(super) fn fits(&self) -> impl Fn(&Record) -> bool {
        let of = self.of.selection();
        move |record| {
            let outcome = record.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
            of.fits(record)
                && is(self.event.as_ref(), Some(&record.event))
                && is(self.tool.as_ref(), record.tool.as_deref())
                && is(self.outcome.as_ref(), outcome.as_ref().and_then(|outcome| outcome.as_str()))
                && is(self.answered.as_ref(), record.answered.as_deref())
                && is(self.policy.as_ref(), record.policy.as_deref())
                && is(self.rule.as_ref(), record.rule.as_deref())
                && is(self.cache.as_ref(), record.cache.map(CacheAnswer::name))
                && (!self.failed || record.failed)
        }
    }
}

fn is(wanted: Option<&String>, found: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| found == Some(wanted))
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
        let of = |agent: &str| Selected { agent: some(agent), ..Selected::default() };
        let fits = |filter: Filter| filter.fits()(&record);
        assert!(fits(Filter::default()));
        let denied = |agent| Filter { outcome: some("deny"), of: of(agent), ..Filter::default() };
        assert!(fits(denied("backend")) && !fits(denied("frontend")));
        assert!(!fits(Filter { tool: some("bash"), ..Filter::default() }));
        assert!(!fits(Filter { answered: some("deny"), ..Filter::default() }));
        assert!(!fits(Filter { cache: some("hit"), ..Filter::default() }));
        assert!(!fits(Filter { failed: true, ..Filter::default() }));
        let time = |since: &str, before: &str| {
            let of = Selected { since: some(since), before: some(before), ..Selected::default() };
            Filter { of, ..Filter::default() }
        };
        assert!(fits(time("2026-01-31", "2026-02")) && !fits(time("2026", "2026-01-31T09:00")));
    }
}
