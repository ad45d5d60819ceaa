//! `hooks audit metrics`: the metrics of recorded events.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use hooks::EventKind;
use hooks::audit::record::Record;
use hooks::audit::{Committed, Positions};
use hooks::config::Config;
use hooks::event::MicroUsd;
use hooks::metrics::{Metrics, MetricsConfig, RecordedEvent};

use super::reading::Reading;
use crate::failure::{Failure, Status};

/// Prints the metrics of all records in `folder` as Prometheus text.
pub(super) fn print(folder: &Path, config: Option<&Config>) -> Result<Status, Failure> {
    let limits = config.and_then(|config| config.metrics().map(Metrics::config)).cloned();
    let metrics = Metrics::new(limits.unwrap_or_else(MetricsConfig::default));
    let team = team(folder);
    let mut reading = Reading::new(folder, Positions::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        for Committed { record, .. } in &records {
            if let Some(event) = recorded(record, &team) {
                metrics.fold(&event);
            }
        }
    }
    write!(io::stdout().lock(), "{}", metrics.prometheus())?;
    Ok(reading.status(Status::Well))
}

/// The event of a record; `None` for the log's own records.
fn recorded<'r>(record: &'r Record, team: &'r str) -> Option<RecordedEvent<'r>> {
    let kind = EventKind::ALL.iter().find(|kind| kind.name() == record.event)?;
    Some(RecordedEvent {
        tenant: record.tenant.as_deref(),
        team,
        agent: &record.agent,
        repo: record.repo.as_deref(),
        tool: record.tool.as_deref(),
        model: record.model.as_deref(),
        child: record.child.as_deref(),
        strength: record.outcome,
        policy: record.policy.as_deref(),
        rule: record.rule.as_deref(),
        failed: record.failed,
        cache: record.cache,
        duration: record.duration_ms.map(Duration::from_millis),
        usage: record.tokens,
        cost: record.cost_micro_usd.map(MicroUsd),
        directives: &record.directives,
        ..RecordedEvent::new(*kind)
    })
}

/// Name of the project of a log: the folder above it, and above `.squad`.
fn team(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let above = folder.parent().unwrap_or(&folder);
    let project = if above.ends_with(".squad") { above.parent().unwrap_or(above) } else { above };
    project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
