//! The developers' commands: `cargo xtask COMMAND`. One file or folder per command.

mod bench;
mod bindings;
mod built;
mod ci;
mod dist;
mod examples;
mod features;
mod fuzz;
mod image;
mod instructions;
mod metadata;
mod msrv;
mod neighbours;
mod nightly;
mod package;
#[cfg(unix)]
mod processor;
mod proofs;
#[cfg(unix)]
mod replay;
mod report;
mod semver;
#[cfg(unix)]
mod start;
mod steps;
mod tidy;

use std::process::ExitCode;

use xtask::{error, process, registries, stopwatch, workspace};

use crate::error::{Error, Result};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci                            everything that has to hold, step by step; what `.ci/run` calls
  codegen [--check]             writes what is generated (docs/events.md, schema/*.json), or fails where it drifted
  tidy                          what no compiler checks: module docs, paths of machines, unfinished work, licences,
                                packages resolved, examples, plain English in comments, pages and messages
  tidy prose [FOLDER]           every finding of plain English, with its line
  features                      checks every feature of every crate alone
  examples                      runs every example
  msrv                          checks the workspace with the oldest Rust it promises to build with
  conformance                   holds the recorded vectors and corpora of `proofs/` against their floors
  e2e [CLIENT...] [--only PART] [--bless]
                                runs the real clients (claude, codex, gemini, copilot, opencode, qwen) against a scripted model,
                                governed by `hooks`
  e2e otlp                      sends traces to MLflow from PyPI, and reads them back
  e2e mcp                       runs official MCP servers from npm and PyPI behind `hooks mcp`
  answer SUITE [--profile P]    answers questions on stdin, one JSON line each (squad: compat, strict;
                                docker-agent: 2026-09, 2026-07; claude-forge: compat, strict; corpora)
  bindings                      builds the packages for Node and Python, installs each in an empty folder, and tries it beside the
                                published frameworks
  bench [FILTER]                measures what everything costs, against its bars
  bench mcp                     measures the latency that `hooks mcp` adds to a call
  bench audit                   measures what the audit log costs, beside a bare write and sync
  bench replay [PROGRAM]        measures what it takes to judge a record of a million decisions again
  bench report [PROGRAM]        measures what the page about a log of a million records takes, and its filter in Chromium
  bench sandbox [PROGRAM]       measures what a snapshot before a command takes, and what `hooks exec` adds to the start of one
  bench start [PROGRAM...]      measures what it costs to start `hooks run`, alone and 16 at once, beside /bin/true and a hook of
                                bash and jq; of the programs that are named, else of the one that `dist` builds
  disk                          writes the audit log to real disks that are full or fail to sync; needs root to mount them
  dist                          builds the program as it is installed: static, small
  fuzz TARGET [SECONDS]         searches for inputs that break the properties of a target of `fuzz`
  fuzz log                      how many inputs the targets have seen so far
  harm --projects               the tests of three projects from the registries have the same results under `hooks exec`
  harm [--short] [--as UID] [--landlock] [--data FOLDER]
                                attacks in a throw-away home, which do their harm without `hooks exec` and none in it, and ordinary
                                commands, which do the same; needs the program `hooks` (HOOKS_PROGRAM, or beside `proofs`)
  image                         builds the image of `deploy/Dockerfile` with buildah, and tries it
  overspend ENGINE [--operations N] [--seed N]
                                spends from shared budgets with workers that overlap and are killed (memory, embedded, redis)
  reload [--reloads N]          changes the rules a thousand times while all cores judge calls by them; no call is lost or mixed
  scrub-corpus [FOLDER...] [--sample N] [--seed N] [--limit MIB]
                                scrubs every file of folders; prints counts, the speed, and findings drawn at random to be judged
  soak log [--records N]        puts records down by the million; later ones cost what the first cost
  soak scribe [--agents N] [--calls N] [--kills N] [--seed N]
                                agents in processes that are killed write to one team's folder; every write is told once
  soak sequences [--events N] [--traces N] [--kills N]
                                sequence rules in one session of a million events, beside a naive reference, in killed processes
  soak sessions [--sessions N]  serves sessions by the million, a third of them abandoned; memory has to stay flat
  storm [--params FILE] [--seed N] [--policy P] [--svg FILE] [--json] [--short] [--nightly [--seeds A-B]]
                                days of model calls against failing providers, ours beside other policies
  neighbours [--count | --measure [LIBRARY...]]
                                tests programs of other libraries, governed; or counts the packages that governing them adds, as `ci`
                                does; or also measures the processor time that it adds to a cold build
  nightly                       the long forms of what `ci` runs in short, and what builds everything again; takes hours
  package                       packs every crate that users need and builds it from its package; publishes nothing
  pictures                      draws the pictures of `hooks report` in docs/images again, with Chromium
  semver [BASELINE]             compares the public API with a commit or tag; by default the latest `v*`, or what
                                `Cargo.toml` records
  instructions [--bless]        counts instructions, against the checked-in counts
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    xtask::exit(run(&arguments))
}

fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["ci"] => ci::run(),
        ["tidy", options @ ..] => tidy::command(options),
        ["features"] => features::run(),
        ["fuzz", "log"] => fuzz::log(),
        ["fuzz", target] => fuzz::run(target, None),
        ["fuzz", target, seconds] => fuzz::run(target, Some(seconds)),
        ["examples"] => examples::run(),
        ["msrv"] => msrv::run(),
        ["bindings"] => bindings::run(),
        ["bench"] => bench::run(""),
        ["bench", "audit"] => bench::audit(),
        ["bench", "mcp"] => bench::mcp(),
        #[cfg(unix)]
        ["bench", "replay"] => replay::run(None),
        #[cfg(unix)]
        ["bench", "replay", program] => replay::run(Some(program)),
        ["bench", "report"] => report::bench(None),
        ["bench", "report", program] => report::bench(Some(program)),
        #[cfg(unix)]
        ["bench", "sandbox"] => start::sandboxed::run(None),
        #[cfg(unix)]
        ["bench", "sandbox", program] => start::sandboxed::run(Some(program)),
        #[cfg(unix)]
        ["bench", "start", programs @ ..] => start::run(programs),
        ["bench", filter] => bench::run(filter),
        ["dist"] => dist::run(),
        ["image"] => image::run(),
        ["scrub-corpus", options @ ..] => bench::scrub_corpus(options),
        ["neighbours"] => neighbours::run(),
        ["neighbours", "--count"] => neighbours::count(),
        #[cfg(unix)]
        ["neighbours", "--measure", libraries @ ..] => neighbours::measure(libraries),
        ["nightly"] => nightly::run(),
        ["package"] => package::run(),
        ["pictures"] => report::pictures(),
        ["semver"] => semver::run(None),
        ["semver", baseline] => semver::run(Some(baseline)),
        ["instructions"] => instructions::check(),
        ["instructions", "--bless"] => instructions::bless(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [command, ..] if proofs::COMMANDS.contains(command) => proofs::run(arguments),
        other => Err(Error::new(format!("unknown command `{}`\n\n{USAGE}", other.join(" ")))),
    }
}
