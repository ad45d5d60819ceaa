//! The command line of `hooks audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hooks::audit::keep::Age;

use super::against::Against;
use super::checkpoint::Checkpoint;
use super::keygen::Keygen;
use super::words::{event, moment, name, operators_name, text};

/// The decisions in records.
pub(super) const OUTCOMES: [&str; 4] = ["allow", "ask", "deny", "no_opinion"];
/// The answers to clients in records.
pub(super) const ANSWERED: [&str; 6] = ["none", "allow", "ask", "stop", "deny", "block"];
/// The results in records of calls of cached tools.
pub(super) const ANSWERS: [&str; 5] = ["hit", "miss", "stale", "joined", "passed"];

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks audit tail -n 5
  hooks audit query --outcome deny --agent backend
  hooks audit show w0:17
  hooks audit keygen example.com/build7 --out audit.key > audit.verifier
  hooks audit checkpoint --to /mnt/elsewhere --key audit.key
  hooks audit verify --checkpoints /mnt/elsewhere --key audit.verifier
  hooks audit tail --follow --json | jq .record.tool
  hooks audit prove w0:17 > proof.json
  hooks audit -c hooks.yaml metrics > hooks.prom        # for Prometheus, through a file of node_exporter
  hooks audit -c hooks.yaml maintain            # for cron: compress what is full, delete what is too old
  hooks audit hold add case-17 --reason 'asked for by counsel' --session s1
  hooks audit erase --session s1 --why 'asked for by the person' --yes

The log is that of --log, of --config, or the one in .squad/orchestration-log or audit-log here. Its files are JSON
Lines: `grep` reads them too.

Exit status of verify: 0 clean, 1 torn (a writer was interrupted; the next one deals with it), 3 damaged, 4 it differs from
its anchors or checkpoints; 2 the command line is wrong or the log cannot be read. Of tail, query, show and export:
0 printed, 1 no record matches, 3 some of the log is damaged, and the rest was printed.")]
pub(crate) struct Audit {
    #[command(flatten)]
    pub(super) place: LogChoice,
    #[command(subcommand)]
    pub(super) action: AuditAction,
}

/// The log to use.
#[derive(Args, Debug)]
pub(crate) struct LogChoice {
    /// The folder of the log
    #[arg(long = "log", value_name = "FOLDER", global = true)]
    pub(super) folder: Option<PathBuf>,
    /// The configuration of the log
    #[arg(long, short, value_name = "FILE", global = true)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditAction {
    /// Print the last records
    Tail(Tail),
    /// Print one record and its payload
    Show {
        /// Position of the record, as `<chain>:<number>`
        position: String,
    },
    /// Print the matching records, one a line
    Query(Box<Filter>),
    /// Print everything with its payload as JSON Lines, for another system
    Export {
        /// Positions to start after, as JSON: the last line of the previous export
        #[arg(long, value_name = "JSON")]
        after: Option<String>,
    },
    /// Check that the log is unchanged
    Verify {
        /// Earlier state of the log, as verify printed it: `<chain> <records> <root>`
        #[arg(long = "anchor", value_name = "ANCHOR")]
        anchors: Vec<String>,
        #[command(flatten)]
        against: Against,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a key for checkpoints
    Keygen(Keygen),
    /// Write the state of all chains into one note
    Checkpoint(Checkpoint),
    /// Send the records to the sinks of the configuration, until the process ends; the next feed continues
    /// there
    Feed {
        /// Send the existing records, and end
        #[arg(long)]
        once: bool,
    },
    /// Print the metrics of all records, as the text that Prometheus reads
    Metrics,
    /// Compress full files, and delete files older than the retention period
    Maintain(Maintain),
    /// Show and change the legal holds, which keep records at any age
    Hold {
        #[command(subcommand)]
        action: HoldAction,
    },
    /// Erase arguments, results and prompts of records; the chain still verifies
    Erase(Erase),
    /// Print a proof that a record is in its chain, or that a chain only grew; it is checked with the roots
    Prove {
        /// Position of the record, as `<chain>:<number>`, or an old and a new number of records, as
        /// `<chain>:<number>..<number>`
        position: String,
    },
}

/// The last records of the log.
#[derive(Args, Debug)]
pub(crate) struct Tail {
    /// Number of records
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(super) lines: usize,
    /// Print new records as they come, until the process ends or its output is closed
    #[arg(short, long)]
    pub(super) follow: bool,
    /// Print JSON: `position` and `record`
    #[arg(long)]
    pub(super) json: bool,
}

/// Retention of records.
#[derive(Args, Debug)]
pub(crate) struct Maintain {
    /// Delete records older than this, such as '90 days' or '7 years'; without it, the configuration counts
    #[arg(long, value_name = "AGE")]
    pub(super) keep: Option<Age>,
    /// Print the changes without making them
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HoldAction {
    /// Print the holds
    List,
    /// Hold records, so that neither retention nor erasure removes them. Without an option, all records
    Add {
        /// Name of the hold
        #[arg(value_parser = text)]
        name: String,
        /// Reason of the hold
        #[arg(long, value_name = "TEXT", value_parser = text)]
        reason: String,
        /// Name of the requester; without it, the user's name
        #[arg(long, value_name = "NAME", value_parser = text)]
        by: Option<String>,
        #[command(flatten)]
        of: Selected,
    },
    /// Release records from a hold
    Release {
        /// Name of the hold
        name: String,
        /// Name of the requester; without it, the user's name
        #[arg(long, value_name = "NAME", value_parser = text)]
        by: Option<String>,
    },
}

/// Records to erase, and the reason.
#[derive(Args, Debug)]
pub(crate) struct Erase {
    /// Positions of records, as `<chain>:<number>`
    #[arg(value_name = "POSITION")]
    pub(super) positions: Vec<String>,
    #[command(flatten)]
    pub(super) of: Selected,
    /// Reason, for the record
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(super) why: String,
    /// Name of the requester, for the record; without it, the user's name
    #[arg(long, value_name = "NAME", value_parser = text)]
    pub(super) by: Option<String>,
    /// Erase; without it, the command only prints what it would erase
    #[arg(long)]
    pub(super) yes: bool,
}

/// Selects records: all given options have to match.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Selected {
    /// The tenant of the record
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) tenant: Option<String>,
    /// The session
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) session: Option<String>,
    /// The agent
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) agent: Option<String>,
    /// Not before this time, such as 2026-01-31T09:30 (UTC)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(super) since: Option<String>,
    /// Before this time
    #[arg(long, visible_alias = "until", value_name = "TIME", value_parser = moment)]
    pub(super) before: Option<String>,
}

/// Filters records: all given options have to match.
#[derive(Args, Debug, Default)]
pub(crate) struct Filter {
    /// The event, such as `pre_tool_use`
    #[arg(long, value_name = "NAME", value_parser = event)]
    pub(super) event: Option<String>,
    #[command(flatten)]
    pub(super) of: Selected,
    /// The tool
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) tool: Option<String>,
    /// The decision
    #[arg(long, value_parser = OUTCOMES)]
    pub(super) outcome: Option<String>,
    /// The answer that the client received, which can differ from the decision
    #[arg(long, value_parser = ANSWERED)]
    pub(super) answered: Option<String>,
    /// The policy that decided
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) policy: Option<String>,
    /// The rule of the policy
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) rule: Option<String>,
    /// The result of a call of a cached tool
    #[arg(long, value_name = "ANSWER", value_parser = ANSWERS)]
    pub(super) cache: Option<String>,
    /// Only failures
    #[arg(long)]
    pub(super) failed: bool,
}
