//! The command line of `hooks replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hooks_protocols::Client;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks replay --log audit-log --config hooks.new.yaml                      # against the decisions that were given
  hooks replay --log audit-log --config hooks.new.yaml --against hooks.yaml # two files, both judged
  hooks replay --transcripts ~/.claude/projects --config hooks.yaml         # a week before there were rules
  hooks replay --log audit-log -c hooks.yaml --format json | jq .changed

Nothing is started, written or counted outside of this process. Times are those of the record; limits, budgets and sequences are
counted again in its order. Facts that the record does not have (shortened or redacted arguments, contents of files then) are named
with each decision that needs them, and such a decision counts as not known.
Exit status: 0 all known decisions are the same, 1 a decision changed, 2 the command line is wrong, a file cannot be read, or the
replay was interrupted.")]
pub(crate) struct Replay {
    /// The folder of an audit log
    #[arg(long, value_name = "FOLDER", required_unless_present = "transcripts")]
    pub(super) log: Option<PathBuf>,
    /// A folder with transcripts of Claude Code, Codex CLI, Gemini CLI, Copilot CLI or Qwen Code
    #[arg(long, value_name = "FOLDER")]
    pub(super) transcripts: Option<PathBuf>,
    /// The rules to judge by
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(super) config: PathBuf,
    /// Compare with these rules, and not with the decisions in the record
    #[arg(long, value_name = "FILE")]
    pub(super) against: Option<PathBuf>,
    /// The client whose tool names the record of an audit log has; rules then hold for its names as they do in `hooks run`
    #[arg(long, value_name = "NAME", value_parser = client)]
    pub(super) client: Option<Client>,
    /// The folder of sessions whose transcripts do not name one (Gemini CLI)
    #[arg(long, value_name = "FOLDER")]
    pub(super) cwd: Option<PathBuf>,
    /// Look at links and files as they are now, as if they had been so then
    #[arg(long)]
    pub(super) files_now: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: ReplayFormat,
}

/// The format of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReplayFormat {
    /// Text for the terminal
    Text,
    /// JSON Lines: one object for each decision that changed or is not known, the summary last
    Json,
    /// SARIF 2.1.0, for CI
    Sarif,
    /// One page for a browser
    Html,
}

fn client(name: &str) -> Result<Client, String> {
    Client::ALL.iter().copied().find(|client| client.name() == name).ok_or_else(|| {
        let names: Vec<_> = Client::ALL.iter().map(|client| client.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}
