//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hooks::config::{ConfigReader, Profile};
use hooks::facts::tools::Dialect;
use hooks::sandbox::ProfileFormat;
use hooks_protocols::Client;

use crate::audit::Audit;
use crate::audit::status::StatusOptions;
use crate::audit::top::TopOptions;
use crate::diff::Diff;
use crate::init::Scope;
use crate::replay::Replay;
use crate::report::ReportOptions;
use crate::rule_tests::TestOptions;

/// Governs what the tools of LLM agents may do.
#[derive(Debug, Parser)]
#[command(
    name = "hooks",
    version = env!("HOOKS_VERSION"),
    after_help = "Begin with `hooks demo`: it needs no set-up, and everything in it really happens.\n\n\
                  Exit status: 0 all went well, 1 something was found, 2 the command line is wrong or a file \
                  cannot be read."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The same for `hooks run` alone: a client starts it for every call, and to describe all other commands takes longer than
/// to read the line.
#[derive(Debug, Parser)]
#[command(name = "hooks")]
struct HooksRun {
    #[command(subcommand)]
    command: RunAlone,
}

#[derive(Debug, Subcommand)]
enum RunAlone {
    Run(Run),
}

impl Cli {
    /// Parses a command line.
    ///
    /// # Errors
    /// Returns an error if the command line cannot be parsed or asks for help.
    pub(crate) fn parse_line(line: impl Iterator<Item = OsString> + Clone) -> Result<Self, clap::Error> {
        if line.clone().nth(1).is_some_and(|command| command == "run")
            && let Ok(HooksRun { command: RunAlone::Run(run) }) = HooksRun::try_parse_from(line.clone())
        {
            return Ok(Self { command: Command::Run(run) });
        }
        // Also if `hooks run` could not be parsed, so that the message is about the whole program.
        Self::try_parse_from(line)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a session of two agents and a reviewer in a temporary repository, and show the effect of the
    /// policies
    Demo(Demo),
    /// Answer events: JSON Lines in, JSON Lines out
    Eval(Eval),
    /// Answer events for programs that are not written in Rust, until they end
    Serve(Serve),
    /// Run as the hook command of an agent client: one event on standard input, the client's own answer on
    /// standard output
    Run(Run),
    /// Make an agent client call `hooks` for everything that its agents do
    Init(Init),
    /// Check whether the clients really are governed, and show how to repair those that are not
    Doctor(Doctor),
    /// Report all mistakes in a configuration
    Check(Check),
    /// Try a table of calls against the rules, and report each other decision
    Test(TestOptions),
    /// Show the sums of decisions, and what rules in the shadow would have done
    Status(StatusOptions),
    /// Show sessions, agents, calls, denials and spend of the audit log, as they happen
    Top(TopOptions),
    /// Show which decisions of a team are enforced, by which rules
    Decisions(Decisions),
    /// List the packs of rules, or show one
    Packs(Packs),
    /// Explain one decision in full
    Explain(Explain),
    /// Print the places of secrets that the set `secrets` of `read_guard` has
    Secrets,
    /// Run a command in a sandbox that follows from the rules: no secrets, nothing written outside, no network. Agents may not
    /// call this
    Exec(Exec),
    /// Show what a command may do in the sandbox
    Sandbox(Sandbox),
    /// Stand between an MCP client and an MCP server: judge tool calls, hide tools that may not be used, scrub the
    /// answers. Agents may not call this
    Mcp(Mcp),
    /// Restore the workspace as it was before a command of `hooks exec`, or list these commands. Agents may not call this
    Undo(Undo),
    /// List the commands and calls that changed the workspace, the newest last
    Snapshots(Snapshots),
    /// Print a JSON schema
    Schema(Schema),
    /// Confirm rules that changed while sessions of agents run
    Reload(Reload),
    /// Let a call pass that waits for a person, once; or the question of a budget. Agents may not call this
    Approve(Approve),
    /// Start or end a ceremony of the team, which closes tools for those who take part. Agents may only look
    Ceremony(Ceremony),
    /// Show and change stored state: budgets, limits, lockouts, children
    State(State),
    /// Read and check the audit log: who did what, and which rule decided
    Audit(Audit),
    /// Show what one file of rules permits that another does not, with a call that shows it
    Diff(Diff),
    /// Judge a record or transcripts again by other rules, and show what changes
    Replay(Replay),
    /// Write what an audit log has as one page for a browser. Agents may not call this
    Report(ReportOptions),
    /// Remove secrets and personal data from a text: standard input to standard output
    Scrub(Scrub),
    /// Measure the cost of a configuration for each event and policy
    Bench(Bench),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page
    Man(Manual),
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks demo                                     # the whole story
  hooks demo --config hooks.yaml                 # the same session under your rules
  hooks demo --script calls.jsonl                # your calls, in the demo's repository
  hooks demo --squad .squad                      # the rules of a team's own folder, in a copy

A script is JSON Lines, one step a line:
  {\"agent\": \"backend\", \"tool\": \"bash\", \"args\": {\"command\": \"ls\"}, \"note\": \"what this shows\"}
  {\"reviewer\": \"lead\", \"locks\": \"backend\", \"out_of\": \"src/**\"}
  {\"adds\": \"lines for the end of hooks.yaml, which is read again\"}

A call that a person is asked about takes \"answer\": \"approve\" or {\"reject\": \"why\"}; without one it is denied.
The tools are `read`, `write`, `edit`, `bash` and `ask_user`; the commands really run, in a temporary folder.")]
pub(crate) struct Demo {
    /// The configuration to use in place of the demo's
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The steps to run in place of the demo's, as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Print the demo's configuration and script, and end
    #[arg(long)]
    pub(crate) show: bool,
    /// Show the decisions, boundaries, ceremonies, phases and sequences of a team folder at work
    #[arg(long, value_name = "DIR", conflicts_with_all = ["config", "script", "show"])]
    pub(crate) squad: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:
  echo '{\"event\": \"pre_tool_use\", \"at\": {\"agent_name\": \"backend\"}, \"tool_name\": \"bash\",
         \"tool_args\": {\"command\": \"rm -rf /\"}}' | tr -d '\\n' | hooks eval --config hooks.yaml

One outcome per line, in order, flushed as it is written.
A line that is not an event gets a line with `error`, the rest continues, and the exit status is 1.
If the files of the rules change, the next events are answered by the new ones; `rules` in an answer is their version.
`hooks schema EVENT` prints the fields of an event.")]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    #[command(flatten)]
    pub(crate) names: ToolNames,
    /// Record events and outcomes as configured, because the events really happen
    #[arg(long)]
    pub(crate) record: bool,
    /// Answer by the rules as they are at the start, also when their files change
    #[arg(long)]
    pub(crate) no_reload: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks serve                              # for the program that starts it: standard input and output
  hooks serve --socket ~/.hooks/serve.sock # for several programs of this user, until it gets SIGTERM or SIGINT

The first line of the server has its `protocol`. Each line is an event as for `hooks eval`, with an `id` if you like, or a list of events. Events
are recorded, as they really happen. Deny what gets no decision: after an `error`, without an answer in time, after the server ended.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Listen on a Unix socket; only this user may enter its folder
    #[cfg(unix)]
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Answer by the rules as they are at the start, also when their files change
    #[arg(long)]
    pub(crate) no_reload: bool,
}

#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Examples:
  hooks run --client claude --event PreToolUse < payload.json
  hooks run --client copilot --event preToolUse --config /etc/agents/hooks.yaml

Without `--client` and `--event`, both are read from the payload if it is unambiguous.
Without `--config` the first of these counts: the variable HOOKS_CONFIG, `.hooks/hooks.yaml` or `hooks.yaml` of the
project, `hooks/hooks.yaml` in the user's configuration folder. Without any, what can be denied is denied.

Whatever goes wrong is a denial in the client's own form, with the reason."
)]
pub(crate) struct Run {
    /// The client that calls, such as `claude`
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// The event, as the client calls it, such as `PreToolUse`
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// The configuration
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The settings that call, where the client has no fixed file for them: agents may not change it
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// Deny after this time, such as `20s`; it should be a little less than the client's own timeout
    #[arg(long, value_name = "TIME", value_parser = some_deadline)]
    pub(crate) deadline: Option<Duration>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks init claude                      # all projects of yours, for Claude Code
  hooks init gemini --scope project      # this project, for Gemini CLI
  hooks init codex --dry-run             # what it would write
  hooks init codex --remove              # as it was before
  hooks init claude --mcp --scope project   # the MCP servers of .mcp.json, behind `hooks mcp`
  hooks init squad                       # lay out the folder of a team, with the agents of hooks.yaml
  hooks init squad --from squad.json     # and those of an exported squad.config

Clients: claude, codex, gemini, copilot, vscode, cursor, docker-agent, opencode, qwen, kimi, windsurf, goose, droid, squad.
What is in their settings stays, comments and layout too. Where there are no rules yet, a `hooks.yaml` is written.")]
pub(crate) struct Init {
    /// The client, such as `claude`
    #[arg(value_name = "CLIENT")]
    pub(crate) client: String,
    /// Settings of the user (the default, where the client has some), of the project, or of the machine
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
    /// Write lines without paths of this machine into the settings of the project: they run `hooks` from `PATH`,
    /// and deny where it is missing
    #[arg(long)]
    pub(crate) portable: bool,
    /// In place of hooks: put `hooks mcp` before the MCP servers that the client starts, so that rules govern their tools
    #[arg(long, conflicts_with_all = ["trust", "file", "from"])]
    pub(crate) mcp: bool,
    /// Let Codex CLI trust the hooks that are written; for a person at a terminal
    #[arg(long)]
    pub(crate) trust: bool,
    /// Folder in place of `/` for `--scope machine`, to prepare the files of another machine
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The file of the agents, for docker-agent
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// For `squad`: an exported `squad.config` (JSON) with the agents and routes of the team
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove the hooks from the settings
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks doctor                           # every client, this project and your own settings
  hooks doctor claude codex              # these two

Each client is called for a denial in the very way it would call, and its answer is read as the client reads it.
Exit status: 0 each wired client is governed, 1 something is wrong, 2 the check failed.")]
pub(crate) struct Doctor {
    /// The clients; without any, all of them
    #[arg(value_name = "CLIENT")]
    pub(crate) clients: Vec<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks check hooks.yaml
  hooks check --format json .squad/policies/*.yaml
  hooks check --format sarif > hooks.sarif   # for code scanning

Exit status: 0 no mistakes (warnings do not count), 1 mistakes found, 2 a file cannot be read.")]
pub(crate) struct Check {
    /// The configurations [default: the one that governs this folder]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Read Squad policies under this profile, even if they name another
    #[arg(long, value_parser = profile)]
    pub(crate) profile: Option<Profile>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks decisions
  hooks decisions --team ../api/.squad --json

For each decision: the rules by which the section `decisions` of `hooks.yaml` enforces it, or why it is not
enforced, and a rule block to paste below it.

Exit status: 0 no mistakes, 1 a rule block is wrong, 2 the folder cannot be read.")]
pub(crate) struct Decisions {
    /// The team folder
    #[arg(long, default_value = ".squad", value_name = "DIR")]
    pub(crate) team: PathBuf,
    /// Leave archived decisions out
    #[arg(long)]
    pub(crate) no_archive: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks packs                            # all packs
  hooks packs show git                   # the rules of one, with their examples
  hooks packs show ./team.pack.yaml      # one of your own
  hooks packs --json

`packs: [git, docker]` in `hooks.yaml` uses packs.")]
pub(crate) struct Packs {
    #[command(subcommand)]
    pub(crate) command: Option<PacksCommand>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PacksCommand {
    /// Show the rules of a pack
    Show {
        /// Name of a pack, or path of a file with one
        #[arg(value_name = "PACK")]
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks explain --tool bash --args '{\"command\": \"git push --force\"}'
  hooks explain --tool WebFetch --client claude --args '{\"url\": \"https://example.com\"}'
  hooks explain --config other.yaml < event.json

Exit status: 0 it goes ahead, 1 it is denied or asked about, 2 the event cannot be read.")]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// The tool of a call, in place of an event on standard input: its name in rules or in a client, such as `bash`,
    /// `WebFetch` or `mcp__SERVER__TOOL`
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    #[command(flatten)]
    pub(crate) names: ToolNames,
    /// Arguments of the call, as JSON
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) args: Option<String>,
    /// Name of the agent that calls
    #[arg(long, value_name = "NAME", requires = "tool", default_value = "agent")]
    pub(crate) agent: String,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks schema > hooks.schema.json     # for the editor
  hooks schema pre_tool_use            # what an event on a line of `hooks eval` looks like
  hooks schema cedar mcp__crm__pay     # what policies in Cedar are about; needs the feature `cedar`")]
pub(crate) struct Schema {
    /// `config`, the name of an event, or `cedar` for policies in Cedar
    #[arg(default_value = "config", value_name = "config|EVENT|cedar")]
    pub(crate) of: String,
    /// With `cedar`: further tools, as their client names them
    #[arg(value_name = "TOOL")]
    pub(crate) tools: Vec<String>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks bench --config hooks.yaml
  hooks bench --config hooks.yaml --events recorded.jsonl

Events are those of `hooks eval`; without a file, calls of the usual tools are measured.")]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Events to measure, as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Time to measure each event, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) time: u64,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  hooks approve                                  # the calls that wait
  hooks approve K7QX-2M4D                        # show the call, and ask
  hooks approve K7QX-2M4D --yes --why 'release'
  hooks approve budget session-1 --agent backend

An approval is for exactly this call: the same agent, folder, tool and arguments. It ends after ten minutes, or
when the call is made. The configuration is found from this folder, as by `hooks run`.
This command refuses to run below an agent client, and without a terminal."
)]
pub(crate) struct Approve {
    /// The code of the call, from its denial; without it, the calls that wait are listed
    pub(crate) code: Option<String>,
    /// Approve without a question
    #[arg(long, requires = "code")]
    pub(crate) yes: bool,
    /// The configuration; without it, the one that governs this folder
    #[arg(long = "config", short = 'c', value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Your name, for the record; without it, the name of the user who runs this
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) by: Option<String>,
    /// Reason, for the record
    #[arg(long, value_name = "TEXT", global = true)]
    pub(crate) why: Option<String>,
    #[command(subcommand)]
    pub(crate) action: Option<ApproveAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApproveAction {
    /// Approve the question of a budget, until the budget's window ends
    Budget {
        /// The session of the question
        session: String,
        /// The agent of the session
        #[arg(long, value_name = "NAME", default_value = "")]
        agent: String,
        /// The model that the agent calls
        #[arg(long, value_name = "NAME", default_value = "")]
        model: String,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks reload                     # the rules of this project
  hooks reload --config rules.yaml

A session of an agent client goes on under the rules that it began with. If they change, its calls are denied
until you confirm the change with this command, or begin another session. It is for a person: it needs a
terminal, and refuses if an agent client started it.

Exit status: 0 confirmed, or there was nothing to confirm; 1 not confirmed; 2 the rules cannot be used.")]
pub(crate) struct Reload {
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Confirm without a question
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks exec -- make test
  hooks exec --report -- sh -c 'curl example.com'
  hooks exec --config rules.yaml --stdin -- python3

`--shell` is for the shell of an agent client: `hooks init` writes a file that calls it. `--call` runs the command that `hooks run`
recorded, once.

Standard input is closed unless `--stdin` is given. What the command writes passes through the redaction of the rules, if they have
one. Everything that it has started ends with it. Exit status: that of the command, 128 and the number of a signal that
ended it; 122 the command destroyed something and was undone (a message names it); 123 the command ran and has left a file that governs agents (a message names it); 125 the sandbox failed, or cannot hold
here what the rules promise (`sandbox.unavailable`), so the command did not run; 126 and 127 the command cannot be started.")]
pub(crate) struct Exec {
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Give the command the standard input and the terminal
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Print on standard error what is held, as JSON, when the command has ended
    #[arg(long)]
    pub(crate) report: bool,
    /// Run as the shell of an agent client, by the rules of its session; without `sandbox.calls: wrapped`, outside of the sandbox
    #[arg(long, conflicts_with_all = ["stdin", "report"])]
    pub(crate) shell: bool,
    /// Run the command that `hooks run` recorded for a call of an agent client, and no other
    #[arg(long, value_name = "ID", conflicts_with_all = ["config", "stdin", "report", "shell", "command"])]
    pub(crate) call: Option<String>,
    /// The command and its arguments
    #[arg(last = true, required_unless_present = "call", value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks mcp -- npx -y @modelcontextprotocol/server-filesystem .
  hooks mcp --name files --pin .hooks/files.pins.json -- npx -y @modelcontextprotocol/server-filesystem .
  hooks mcp --name tasks --url http://127.0.0.1:3001/mcp       # a server behind streamable HTTP
  hooks mcp serve                                              # the tools of the team in .squad, and `explain`

It is written in the settings of a client in place of the server's command. The tools have the names `mcp__NAME__TOOL` in the
rules. What the rules deny is an error of the tool, with the reason. Rules that change hold from the server's next start.

Exit status: that of the server, 128 and the number of a signal that ended it; 2 the rules cannot be used; 126 and 127 the
server cannot be started.")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Mcp {
    /// Another task than to stand before a server
    #[command(subcommand)]
    pub(crate) task: Option<McpTask>,
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The server's name, as in the settings of the client; without it, the name of its program
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Keep the digests of the descriptions of tools in this file; without it, until the server ends
    #[arg(long, value_name = "FILE")]
    pub(crate) pin: Option<PathBuf>,
    /// Treatment of a tool whose description changed
    #[arg(long, value_name = "WHAT", default_value = "deny")]
    pub(crate) changed: ChangedTool,
    /// Longest message, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) longest: u16,
    /// In place of a command: a server behind streamable HTTP, such as `http://127.0.0.1:3001/mcp`
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "guard_for"])]
    pub(crate) url: Option<String>,
    /// Send this header with each request to the URL, as `Name: value`
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// Send the token in this environment variable with each request to the URL, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) bearer_env: Option<String>,
    /// Start the server for another process with this id, and end it with that
    #[arg(long, value_name = "PID", hide = true)]
    pub(crate) guard_for: Option<u32>,
    /// The server and its arguments
    #[arg(last = true, required_unless_present = "url", value_name = "SERVER")]
    pub(crate) command: Vec<OsString>,
}

/// Tasks of `hooks mcp` besides the proxy.
#[derive(Debug, Subcommand)]
pub(crate) enum McpTask {
    /// Serve the tools of a team and `explain` to an MCP client, over standard input and output
    Serve(McpServe),
}

#[derive(Args, Debug)]
#[command(after_help = "Example, in the settings of a client:
  {\"mcpServers\": {\"squad\": {\"command\": \"hooks\", \"args\": [\"mcp\", \"serve\"]}}}

The tools are `squad_decide`, `squad_memory`, `squad_skill`, `squad_status` and `squad_route`, if there is a team, and `explain`. The rules
judge their calls, with the names `mcp__squad__TOOL`.

Exit status: 0 the client ended, 128 and the number of a signal; 2 the rules cannot be used.")]
pub(crate) struct McpServe {
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The server's name, as in the settings of the client
    #[arg(long, value_name = "NAME", default_value = "squad")]
    pub(crate) name: String,
    /// The folder of the team, below that of the rules
    #[arg(long, value_name = "DIR", default_value = ".squad")]
    pub(crate) team: PathBuf,
}

/// Treatment of a tool whose description changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangedTool {
    /// Leave it out of lists, and deny its calls
    Deny,
    /// Print the change on standard error
    Report,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks undo                      # take back the last one, after a question
  hooks undo 3fa9c1d2             # take back this one; later changes to other files stay
  hooks undo --session S --last 2 # take back the last two of a session, the newest first, with a question for each

If a file that it changed was changed again later, nothing is done, unless `--force` is given. `hooks snapshots` lists everything. An undo
is in the list too, and can be undone. Build output and package folders are not restored.")]
pub(crate) struct Undo {
    /// The command or call: its id in the list, or the id that the client gave the call; without it, the last one that was not undone
    #[arg(value_name = "CALL", conflicts_with_all = ["session", "last"])]
    pub(crate) call: Option<String>,
    /// Take back all commands and calls of a session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Take back so many
    #[arg(long, value_name = "NUMBER")]
    pub(crate) last: Option<usize>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Overwrite what was changed later, too
    #[arg(long)]
    pub(crate) force: bool,
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Snapshots {
    /// Only those of a session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Sandbox {
    #[command(subcommand)]
    pub(crate) action: SandboxAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SandboxAction {
    /// Show what a command may read, write and connect to here, and what no mechanism can hold
    Show {
        /// The rules; without it, those that govern this folder
        #[arg(long, short = 'c', value_name = "FILE")]
        config: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the same as a profile of another sandbox, and, on standard error, what that does not hold
    Emit {
        /// The sandbox: `seatbelt` (macOS), `nono`, `srt` (Anthropic's sandbox runtime), `claude` or `codex` (their settings)
        #[arg(long = "for", value_name = "SANDBOX")]
        format: ProfileFormat,
        /// The rules; without it, those that govern this folder
        #[arg(long, short = 'c', value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks state --config hooks.yaml
  hooks state --config hooks.yaml --json | jq .lockouts
  hooks state -c hooks.yaml lock src/auth.rs backend --why 'no tests' --for 2d
  hooks state -c hooks.yaml clear src/auth.rs --by lead
  hooks state -c hooks.yaml set ask-limit/session-1 0 --why 'refunded'
  hooks state -c hooks.yaml set spend/of/team//usd '$1.50'
  hooks state -c hooks.yaml remove children/session-1 child-7
  hooks state -c hooks.yaml history

Every change is recorded, with who made it and why; `history` shows the records.")]
pub(crate) struct State {
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// The tenant; without it, the tenant of the configuration
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) tenant: Option<String>,
    /// Your name, for the record; without it, the name of the user who runs this
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) by: Option<String>,
    /// Reason, for the record
    #[arg(long, value_name = "TEXT", global = true)]
    pub(crate) why: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) action: Option<StateAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StateAction {
    /// Show everything (the default)
    Show,
    /// Show the changes that were made by hand
    History,
    /// Lock an agent out of an artifact
    Lock {
        /// A file, a folder or a glob
        artifact: String,
        /// The agent that must not write it
        agent: String,
        /// Duration of the lock, such as `2h`; without it, the lock stays until it is cleared
        #[arg(long = "for", value_name = "TIME", value_parser = some_time)]
        lasting: Option<Duration>,
    },
    /// Let all agents write an artifact again
    Clear {
        /// Any name of the artifact: `./src/a` is `src/a`
        artifact: String,
    },
    /// Set the spent amount of a counter
    Set {
        /// The counter, as `show` names it
        counter: String,
        /// The amount, as `show` writes it: `$1.50`, `20000 tokens`, `7`; or the number alone
        spent: String,
    },
    /// Continue without a store that is lost (damaged, deleted, emptied, or replaced by another one): its
    /// counters and locks are forgotten
    AcceptLoss,
    /// Remove an entry from a set, such as a child that no longer runs
    Remove {
        /// The set, as `show` names it
        set: String,
        /// The name of the entry
        entry: String,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks ceremony start 'Design Review'           # until its time budget in ceremonies.md is over
  hooks ceremony start Standup --for 10m --with backend --with tester
  hooks ceremony status
  hooks ceremony end 'Design Review'

What a ceremony closes is in the section `ceremonies` of the configuration.")]
pub(crate) struct Ceremony {
    /// The rules; without it, those that govern this folder
    #[arg(long, short = 'c', value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: Option<CeremonyAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CeremonyAction {
    /// Show the ceremonies that are held (the default)
    Status,
    /// Start a ceremony, or start it anew
    Start {
        /// The name, as in `ceremonies.md`
        name: String,
        /// Duration, such as `20m`; without it, by the configuration or `ceremonies.md`
        #[arg(long = "for", value_name = "TIME", value_parser = some_time)]
        lasting: Option<Duration>,
        /// An agent that takes part; without it, by the configuration or `ceremonies.md`
        #[arg(long = "with", value_name = "AGENT")]
        participants: Vec<String>,
        /// Your name; without it, the name of the user who runs this
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// End a ceremony before its time is over
    End {
        /// The name
        name: String,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks scrub < app.log > clean.log
  kubectl logs -f app | hooks scrub --secrets        # line by line
  hooks scrub --json < calls.jsonl > clean.jsonl     # keys and values of JSON
  hooks scrub --check --report < diff.txt > /dev/null

The report goes to standard error: the number of findings by label, never a value.
Exit status: 0 the whole input was scrubbed, 1 something was found (`--check`), 2 the input could not be read.")]
pub(crate) struct Scrub {
    /// Use the `redaction` of this configuration in place of every label
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Remove secrets only, not personal data
    #[arg(long, conflicts_with = "config")]
    pub(crate) secrets: bool,
    /// Read JSON values and write each on a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the number of findings by label on standard error
    #[arg(long)]
    pub(crate) report: bool,
    /// End with status 1 if something was found
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks completions bash > ~/.local/share/bash-completion/completions/hooks
  hooks completions zsh > ~/.zfunc/_hooks")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks man | man -l -
  hooks man run > ~/.local/share/man/man1/hooks-run.1")]
pub(crate) struct Manual {
    /// The command to describe; without it, the program as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// The configuration of a command.
#[derive(Args, Debug)]
pub(crate) struct ConfigFile {
    /// The configuration: a `hooks.yaml` or a Squad policy [default: the one that governs this folder]
    #[arg(long = "config", short = 'c', value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// Read a Squad policy under this profile, even if it names another: strict or squad-compat
    #[arg(long, value_parser = profile)]
    pub(crate) profile: Option<Profile>,
}

/// The names that tools have in the calls of a command.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ToolNames {
    /// Client whose names the tools have, such as `claude`. Without it, `explain` and `test` know the names of any client, and
    /// `eval` takes each name as it is
    #[arg(long, value_name = "NAME")]
    client: Option<Client>,
}

impl ToolNames {
    #[cfg(test)]
    pub(crate) const fn of_client(client: Client) -> Self {
        Self { client: Some(client) }
    }

    /// A reader that applies rules about tools to these names, as `hooks run` does for the client that calls; without a client,
    /// to the names of all clients.
    pub(crate) fn known_to(self, reader: ConfigReader) -> ConfigReader {
        if self.client.is_some() { self.of_host(reader) } else { reader.spoken_in_any(Dialect::ALL) }
    }

    /// A reader that applies rules about tools to these names; without a client, to the names of the rules: those of a host of
    /// its own.
    pub(crate) fn of_host(self, reader: ConfigReader) -> ConfigReader {
        let Some(client) = self.client else { return reader };
        // Copilot has other names where its settings spell events like Claude Code.
        let dialects = ["preToolUse", "PreToolUse"].map(|event| client.dialect(event));
        match dialects {
            [one, other] if one == other => reader.spoken_in(one),
            several => reader.spoken_in_any(&several),
        }
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for the terminal
    Text,
    /// JSON for programs
    Json,
}

/// Formats of the report about files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for the terminal
    Text,
    /// JSON for programs, one line for each file
    Json,
    /// SARIF 2.1.0 for code scanning
    Sarif,
}

/// Parses a deadline, which must not be zero.
fn some_deadline(text: &str) -> Result<Duration, String> {
    match hooks::duration::parse(text) {
        Ok(time) if time.is_zero() => Err("nothing is answered in no time".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a duration, which must not be zero.
fn some_time(text: &str) -> Result<Duration, String> {
    match hooks::duration::parse(text) {
        Ok(time) if time.is_zero() => {
            Err("it would end before it begins; leave it out to lock for good".to_owned())
        }
        Ok(time) => Ok(time),
        Err(error) => Err(error.to_string()),
    }
}

fn profile(name: &str) -> Result<Profile, String> {
    match name {
        "strict" => Ok(Profile::Strict),
        "squad-compat" => Ok(Profile::SquadCompat),
        _ => Err("there is `strict` and `squad-compat`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_run_is_parsed_as_among_all_commands() {
        for line in [
            "hooks run",
            "hooks run --client claude --event PreToolUse --config a/hooks.yaml --deadline 20s",
            "hooks run -c a --client=x",
            "hooks run --deadline 1",
            "hooks run --help",
            "hooks run --nonsense",
            "hooks run extra",
            "hooks --version run",
            "hooks check hooks.yaml",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let shown = |parsed: Result<Cli, clap::Error>| match parsed {
                Ok(cli) => format!("{cli:?}"),
                Err(error) => error.to_string(),
            };
            let all = shown(Cli::try_parse_from(&words));
            assert_eq!(shown(Cli::parse_line(words.into_iter())), all, "{line}");
        }
    }
}
