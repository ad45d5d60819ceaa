//! The command line of `hooks audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hooks::audit::keep::Age;

use super::against::Against;
use super::checkpoint::Checkpoint;
use super::keygen::Keygen;
use super::words::{event, moment, name, operators_name, text};

/// What can have been decided, as records have it.
pub(super) const OUTCOMES: [&str; 4] = ["allow", "ask", "deny", "no_opinion"];
/// What can have become of a call of a tool that is cached.
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
  hooks audit -c hooks.yaml maintain            # for cron: compress what is full, delete what is too old
  hooks audit hold add case-17 --reason 'asked for by counsel' --session s1
  hooks audit erase --session s1 --why 'asked for by the person' --yes

The log is that of --log, of --config, or the one in .squad/orchestration-log or audit-log here. Its files are JSON
Lines: `grep` reads them too.

Exit status of verify: 0 clean, 1 torn (a writer was interrupted; the next one deals with it), 3 damaged, 4 not what was
anchored or its checkpoints say; 2 the command line is wrong or the log cannot be read. Of tail, query, show and export:
0 printed, 1 no record matches, 3 some of the log is damaged, and the rest was printed.")]
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
    /// Send the record to the sinks of the configuration, until it is ended; whoever comes next goes on there
    Feed {
        /// Send what is there now, and end
        #[arg(long)]
        once: bool,
    },
    /// Compress what is full, and delete what is older than is kept
    Maintain(Maintain),
    /// Show and change what must not go, whatever its age
    Hold {
        #[command(subcommand)]
        action: HoldAction,
    },
    /// Erase arguments, results and prompts of records; the chain still verifies
    Erase(Erase),
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
    /// Go on with what comes, until it is ended or nobody reads it
    #[arg(short, long)]
    pub(super) follow: bool,
    /// Print JSON: `position` and `record`
    #[arg(long)]
    pub(super) json: bool,
}

/// What is done about age.
#[derive(Args, Debug)]
pub(crate) struct Maintain {
    /// Delete what is older, such as '90 days' or '7 years'; what the configuration says where this is absent
    #[arg(long, value_name = "AGE")]
    pub(super) keep: Option<Age>,
    /// Say what would be done
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HoldAction {
    /// Print what is held
    List,
    /// Hold records: neither age nor anybody's wish takes them away. Without an option, all of them
    Add {
        /// What the hold is called
        #[arg(value_parser = text)]
        name: String,
        /// Why it is
        #[arg(long, value_name = "TEXT", value_parser = text)]
        reason: String,
        /// Who asks for it; the user, unless told
        #[arg(long, value_name = "NAME", value_parser = text)]
        by: Option<String>,
        #[command(flatten)]
        of: Selected,
    },
    /// Let records go again
    Release {
        /// What the hold is called
        name: String,
        /// Who asks for it; the user, unless told
        #[arg(long, value_name = "NAME", value_parser = text)]
        by: Option<String>,
    },
}

/// What is erased, and why.
#[derive(Args, Debug)]
pub(crate) struct Erase {
    /// Of which records, as `<chain>:<number>`
    #[arg(value_name = "POSITION")]
    pub(super) positions: Vec<String>,
    #[command(flatten)]
    pub(super) of: Selected,
    /// Why, for the record
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(super) why: String,
    /// Who asks for it, for the record; the user, unless told
    #[arg(long, value_name = "NAME", value_parser = text)]
    pub(super) by: Option<String>,
    /// Do it; without, it is said what would be erased
    #[arg(long)]
    pub(super) yes: bool,
}

/// Which records are meant: all that are given have to fit.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Selected {
    /// Whose hooks decided
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) tenant: Option<String>,
    /// The session
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) session: Option<String>,
    /// The agent
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) agent: Option<String>,
    /// Not before this moment, such as 2026-01-31T09:30 (UTC)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(super) since: Option<String>,
    /// Before this moment
    #[arg(long, visible_alias = "until", value_name = "TIME", value_parser = moment)]
    pub(super) before: Option<String>,
}

/// Which records fit: all that are given have to.
#[derive(Args, Debug, Default)]
pub(crate) struct Filter {
    /// What happened, such as `pre_tool_use`
    #[arg(long, value_name = "NAME", value_parser = event)]
    pub(super) event: Option<String>,
    #[command(flatten)]
    pub(super) of: Selected,
    /// The tool
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(super) tool: Option<String>,
    /// What was decided
    #[arg(long, value_parser = OUTCOMES)]
    pub(super) outcome: Option<String>,
    /// The policy that decided
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) policy: Option<String>,
    /// Its rule
    #[arg(long, value_name = "NAME", value_parser = operators_name)]
    pub(super) rule: Option<String>,
    /// What became of a call of a tool that is cached
    #[arg(long, value_name = "ANSWER", value_parser = ANSWERS)]
    pub(super) cache: Option<String>,
    /// Only what failed
    #[arg(long)]
    pub(super) failed: bool,
}
