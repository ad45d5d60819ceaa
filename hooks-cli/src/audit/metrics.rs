//! `hooks audit metrics`: the metrics of recorded events.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::audit::record::Record;
use hooks::audit::{Committed, Positions};
use hooks::config::Config;
use hooks::event::MicroUsd;
use hooks::metrics::{Metrics, MetricsConfig, RecordedEvent};
use hooks::{EventKind, Strength};

use super::reading::Reading;
use crate::failure::{Failure, Status};

/// Prints the metrics of all records in `folder` as Prometheus text.
pub(super) fn print(folder: &Path, config: Option<&Config>) -> Result<Status, Failure> {
    let limits = config.and_then(|config| config.metrics().map(Metrics::config)).cloned();
    let metrics = Metrics::new(limits.unwrap_or_else(MetricsConfig::default));
    let project = Project::above(folder);
    let mut starts = Starts::new();
    let mut reading = Reading::new(folder, Positions::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        for Committed { record, .. } in &records {
            count(record, &project, &mut starts, &metrics);
        }
    }
    write!(io::stdout().lock(), "{}", metrics.prometheus())?;
    Ok(reading.status(Status::Well))
}

/// Starts of calls and children that run, by session and id: few clients report how long one ran.
type Starts = HashMap<(String, String), u64>;

/// Counts a record.
fn count(record: &Record, project: &Project, starts: &mut Starts, metrics: &Metrics) {
    let would = record.would.iter().map(|one| (one.outcome, &*one.policy, &*one.rule));
    let would: Vec<_> = would.collect();
    let Some(mut event) = recorded(record, project) else { return };
    event.would = &would;
    let id = if event.tool.is_some() { &record.call } else { &record.child_id };
    let key = id.clone().map(|id| (record.session.clone(), id));
    let ends = match event.kind {
        EventKind::PostToolUse => true,
        EventKind::SubagentStop => event.strength != Some(Strength::Deny),
        _ => false,
    };
    if is_ahead(record) && matches!(event.kind, EventKind::PreToolUse | EventKind::SubagentStart) {
        starts.extend(key.map(|key| (key, record.at.0)));
        if event.kind == EventKind::SubagentStart {
            metrics.fold(&RecordedEvent { kind: EventKind::SubagentSpawned, strength: None, ..event });
        }
    } else if ends {
        let began = key.and_then(|key| starts.remove(&key));
        let ran = began.map(|began| Duration::from_millis(record.at.0.saturating_sub(began)));
        event.duration = event.duration.filter(|stated| !stated.is_zero()).or(ran);
    }
    metrics.fold(&event);
}

/// Whether a client went ahead with the event. It does not report a child that runs, so the start of one counts. A host
/// reports both.
fn is_ahead(record: &Record) -> bool {
    record.answered.as_deref().is_some_and(|answer| !["deny", "block", "stop"].contains(&answer))
}

/// The event of a record; `None` for the log's own records, and for a child that counted with its start.
fn recorded<'r>(record: &'r Record, project: &'r Project) -> Option<RecordedEvent<'r>> {
    let kind = EventKind::ALL.iter().find(|kind| kind.name() == record.event)?;
    if *kind == EventKind::SubagentSpawned && record.answered.is_some() {
        return None;
    }
    Some(RecordedEvent {
        tenant: record.tenant.as_deref(),
        team: &project.name,
        agent: &record.agent,
        repo: record.repo.as_deref().or(project.repo.as_deref()),
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
        redacted: &record.redacted,
        ..RecordedEvent::new(*kind)
    })
}

/// The folder above the folder of a log, and above `.squad`.
pub(crate) fn project_of(log: &Path) -> PathBuf {
    let log = log.canonicalize().unwrap_or_else(|_| log.to_path_buf());
    let folder = log.parent().unwrap_or(&log);
    if folder.ends_with(".squad") { folder.parent().unwrap_or(folder) } else { folder }.to_path_buf()
}

/// The project of a log.
struct Project {
    name: String,
    /// Repository of records that name none: those of clients.
    repo: Option<String>,
}

impl Project {
    fn above(log: &Path) -> Self {
        let project = project_of(log);
        let name = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let settings = fs::read_to_string(project.join(".git/config")).unwrap_or_default();
        Self { name, repo: origin(&settings) }
    }
}

/// The repository that Git's settings name as the origin, as `owner/name`.
fn origin(settings: &str) -> Option<String> {
    let mut lines = settings.lines().map(str::trim).skip_while(|line| *line != "[remote \"origin\"]").skip(1);
    let url = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
        let (key, url) = line.split_once('=')?;
        (key.trim() == "url").then_some(url.trim())
    })?;
    // The part before the path may have a password.
    let (_, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let path = path.trim_matches('/');
    let (above, name) = path.strip_suffix(".git").unwrap_or(path).rsplit_once('/')?;
    let owner = above.rsplit('/').next()?;
    (!name.is_empty() && !owner.is_empty()).then(|| format!("{owner}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn the_origin_of_a_working_copy_is_its_repository() {
        let named = |url: &str| {
            origin(&format!(
                "[core]\n\tbare = false\n[remote \"origin\"]\n\tfetch = +a:b\n\turl = {url}\n[x]\n"
            ))
        };
        for url in [
            "https://example.com/acme/app.git",
            "git@example.com:acme/app.git",
            "ssh://git@example.com/acme/app/",
        ] {
            assert_eq!(named(url).as_deref(), Some("acme/app"), "{url}");
        }
        for url in ["", "app", "/srv/acme/app", "https://secret@example.com/app"] {
            assert_eq!(named(url), None, "{url}");
        }
        assert_eq!(origin("[remote \"origin\"]\n[remote \"fork\"]\nurl = a/b\n"), None);
    }
}
