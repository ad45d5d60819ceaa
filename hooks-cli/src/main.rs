//! The binary `hooks`: shows the effect of policies, checks a configuration, answers and explains events,
//! shows and changes state, and measures the cost of a configuration.
//!
//! Exit status: 0 for success; 1 for a finding, such as a mistake in a file, a denial, or a line that is not
//! an event; 2 if the command line is wrong or a file cannot be read.

mod amount;
mod approve;
mod audit;
mod bench;
mod ceremony;
mod check;
mod cli;
mod codex;
#[cfg(target_os = "linux")]
mod connections;
mod decisions;
mod demo;
mod diff;
mod doctor;
mod effects;
mod eval;
mod event;
mod exec;
mod explain;
mod failure;
mod init;
mod json_texts;
mod load;
mod manual;
mod mcp;
mod output;
mod packs;
mod paint;
mod person;
mod pin;
mod private;
mod reach;
mod reload;
mod replay;
mod report;
mod rule_tests;
mod run;
mod sandbox;
mod sarif;
mod schema;
mod scrub;
mod secrets;
mod serve;
#[cfg(target_os = "linux")]
mod snapshots;
mod snippet;
mod state;
mod strict_json;
mod subject;
mod table;
#[cfg(unix)]
mod temporary;
mod undo;
mod unfinished;
mod wrap;

use std::env;
use std::io::Write;
use std::process::ExitCode;

use self::cli::{Cli, Command};
use self::failure::Status;

fn main() -> ExitCode {
    // The sandbox starts this program again, before there is a second thread.
    if let Some(status) = exec::stage() {
        return status;
    }
    let arguments: Vec<_> = env::args_os().collect();
    let cli = match Cli::parse_line(arguments.into_iter()) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                run::deny_if_called(&error);
            }
            // If printing this error fails, there is no other way to report it.
            drop(error.print());
            return if error.use_stderr() { Status::Usage } else { Status::Well }.into();
        }
    };
    let done = match cli.command {
        Command::Demo(demo) => demo::run(&demo),
        Command::Eval(eval) => eval::run(&eval),
        Command::Serve(options) => serve::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Init(init) => init::run(&init),
        Command::Doctor(doctor) => doctor::run(&doctor),
        Command::Decisions(options) => decisions::run(&options),
        Command::Check(check) => check::run(&check),
        Command::Test(options) => rule_tests::run(&options),
        Command::Status(options) => audit::status::run(&options),
        Command::Top(options) => audit::top::run(&options),
        Command::Packs(options) => packs::run(&options),
        Command::Explain(explain) => explain::run(&explain),
        Command::Secrets => secrets::run(),
        Command::Exec(options) => return exec::run(&options),
        Command::Sandbox(options) => sandbox::run(&options),
        Command::Mcp(options) => return mcp::run(&options),
        Command::Undo(options) => undo::run(&options),
        Command::Snapshots(options) => undo::list(&options),
        Command::Schema(schema) => schema::run(&schema),
        Command::Diff(options) => diff::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Reload(reload) => reload::run(&reload),
        Command::Approve(options) => approve::run(&options),
        Command::Ceremony(options) => ceremony::run(&options),
        Command::State(state) => state::run(&state),
        Command::Audit(options) => audit::run(&options),
        Command::Scrub(options) => scrub::run(&options),
        Command::Bench(bench) => bench::run(&bench),
        Command::Completions(options) => manual::completions(&options),
        Command::Man(options) => manual::man(&options),
    };
    match done {
        Ok(status) => status.into(),
        // The reader of the output closed it.
        Err(failure) if failure.is_closed_pipe() => Status::Well.into(),
        Err(failure) => {
            drop(writeln!(anstream::stderr(), "{failure}"));
            failure.status().into()
        }
    }
}
