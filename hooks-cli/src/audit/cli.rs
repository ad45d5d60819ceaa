//! The command line of `hooks audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::against::Against;
use super::checkpoint::Checkpoint;
use super::keygen::Keygen;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks audit tail -n 5
  hooks audit query --outcome deny --agent backend
  hooks audit show w0:17
  hooks audit keygen example.com/build7 --out audit.key > audit.verifier
  hooks audit checkpoint --to /mnt/elsewhere --key audit.key
  hooks audit verify --checkpoints /mnt/elsewhere --key audit.verifier
  hooks audit prove w0:17 > proof.json

The log is that of --log, of --config, or the one in .squad/orchestration-log or audit-log here. Its files are JSON
Lines: `grep` reads them too.

Exit status of verify: 0 clean, 1 torn (a writer was interrupted; the next one deals with it), 3 damaged, 4 not what was
anchored or its checkpoints say; 2 the command line is wrong or the log cannot be read.")]
pub(crate) struct Audit {
    #[command(flatten)]
    pub(super) place: Place,
    #[command(subcommand)]
    pub(super) action: AuditAction,
}

/// Which log.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// The folder of the log
    #[arg(long = "log", value_name = "FOLDER", global = true)]
    pub(super) folder: Option<PathBuf>,
    /// The configuration whose log it is
    #[arg(long, short, value_name = "FILE", global = true)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditAction {
    /// Print the last records
    Tail(Tail),
    /// Print one record and its payload
    Show {
        /// Which, as `<chain>:<number>`
        position: String,
    },
    /// Print the records that fit, one a line
    Query(Box<Filter>),
    /// Print everything with its payload as JSON Lines, for another system
    Export {
        /// Behind these positions, as JSON: what the last line of the export before says
        #[arg(long, value_name = "JSON")]
        after: Option<String>,
    },
    /// Check that everything is as it was written
    Verify {
        /// What the log was at some time, as verify printed it then: `<chain> <records> <root>`
        #[arg(long = "anchor", value_name = "ANCHOR")]
        anchors: Vec<String>,
        #[command(flatten)]
        against: Against,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a key that vouches for checkpoints
    Keygen(Keygen),
    /// Write down what all chains are, in one note
    Checkpoint(Checkpoint),
    /// Print a proof that a record is in its chain, or that a chain only grew, for who has the roots
    Prove {
        /// Which, as `<chain>:<number>`, or how many records then and later, as `<chain>:<number>..<number>`
        position: String,
    },
}

/// Which records are the last.
#[derive(Args, Debug)]
pub(crate) struct Tail {
    /// How many
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(super) lines: usize,
}

/// Which records fit: all that are given have to.
#[derive(Args, Debug, Default)]
pub(crate) struct Filter {
    /// What happened, such as `pre_tool_use`
    #[arg(long)]
    pub(super) event: Option<String>,
    /// Whose hooks decided
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// The session
    #[arg(long)]
    pub(super) session: Option<String>,
    /// The agent
    #[arg(long)]
    pub(super) agent: Option<String>,
    /// The tool
    #[arg(long)]
    pub(super) tool: Option<String>,
    /// What was decided: allow, ask, deny or no_opinion
    #[arg(long)]
    pub(super) outcome: Option<String>,
    /// The policy that decided
    #[arg(long)]
    pub(super) policy: Option<String>,
    /// Its rule
    #[arg(long)]
    pub(super) rule: Option<String>,
    /// Not before this moment, such as 2026-01-31T09:30 (UTC)
    #[arg(long, value_name = "TIME")]
    pub(super) since: Option<String>,
    /// Before this moment
    #[arg(long, value_name = "TIME")]
    pub(super) until: Option<String>,
    /// Only what failed
    #[arg(long)]
    pub(super) failed: bool,
}
