//! `hooks diff`: what one file of rules permits that another does not, each with a call that shows it.
//!
//! Calls are made from the patterns and names of both files and judged by both. That is a search: it proves the differences
//! that it finds, and not that there are no others.

mod calls;
mod words;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hooks::event::PreToolUse;
use hooks::{HookContext, Strength};
use serde::Serialize;
use serde_json::{Value, json};

use self::calls::Call;
use self::words::Words;
use crate::cli::Format;
use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::output;
use crate::paint::{LOUD, QUIET, one_line, strength_style};
use crate::replay::{Decided, Side};

/// Maximum characters of arguments on a line.
const WIDTH: usize = 160;
/// Sections from which calls are made. Others change decisions too, and are named if a file has them.
const SEARCHED: [&str; 13] = [
    "version",
    "paths",
    "tools",
    "write_guard",
    "read_guard",
    "command_guard",
    "ask_user",
    "limits.calls",
    "reviewer_lockout",
    "rules",
    "packs",
    "protected",
    "self_protection",
];
/// Sections that decide nothing about a call.
const DECIDE_NOTHING: [&str; 10] =
    ["audit", "store", "metrics", "sinks", "reload", "effects", "tenant", "models", "mode", "until"];

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks diff hooks.yaml hooks.new.yaml
  hooks diff hooks.yaml hooks.new.yaml --format json | jq .differences

Calls are made from the patterns and names of both files, and judged by both, without files, links or earlier calls. It is a
search: no difference found is no proof that there is none.
Exit status: 0 no difference was found, 1 there are differences, 2 the command line is wrong or a file cannot be read.")]
pub(crate) struct Diff {
    /// The rules before
    old: PathBuf,
    /// The rules after
    new: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A difference: a call that both files decide differently, for one pair of deciding rules.
#[derive(Debug, Serialize)]
struct Difference {
    agent: String,
    tool: String,
    args: Value,
    /// Number of such calls in a session up to the one that is decided differently.
    calls: u64,
    old: Shown,
    new: Shown,
    /// Further calls that the same rules decide differently.
    more: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Shown {
    decision: Strength,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
}

impl From<Decided> for Shown {
    fn from(decided: Decided) -> Self {
        let Decided { strength, reasons, .. } = decided;
        let mut rules: Vec<String> = reasons
            .iter()
            .filter(|reason| reason.strength == strength)
            .map(|reason| format!("{}/{}", reason.policy, reason.rule))
            .collect();
        rules.sort();
        rules.dedup();
        Self { decision: strength, rules }
    }
}

/// Looks for differences.
pub(crate) fn run(options: &Diff) -> Result<Status, Failure> {
    let mut search = Search::new(&options.old, &options.new)?;
    runtime()?.block_on(search.look())?;
    let not_searched = search.not_searched();
    let Search { found, tried, is_cut, .. } = search;
    let mut differences: Vec<Difference> = found.into_values().collect();
    differences.sort_by(|one, other| {
        (one.new.decision, one.old.decision).cmp(&(other.new.decision, other.old.decision))
    });
    let mut out = output::out();
    match options.format {
        Format::Json => {
            let report = json!({
                "differences": differences,
                "calls_tried": tried,
                "calls_left_out": is_cut,
                "sections_not_searched": not_searched,
                "is_proof": false,
            });
            writeln!(out, "{report}")?;
        }
        Format::Text => {
            for difference in &differences {
                tell(&mut out, difference)?;
            }
            let count = differences.len();
            writeln!(
                out,
                "{LOUD}{count} differences{LOUD:#} in {tried} calls, which were made from the patterns and names of both files."
            )?;
            writeln!(out, "It is a search: it does not prove that there is no other difference.")?;
            if is_cut {
                writeln!(out, "Further calls were left out, as the files have many names and patterns.")?;
            }
            if !not_searched.is_empty() {
                writeln!(out, "No calls were made for: {}.", not_searched.join(", "))?;
            }
        }
    }
    Ok(if differences.is_empty() { Status::Well } else { Status::Found })
}

fn tell(out: &mut impl Write, difference: &Difference) -> io::Result<()> {
    let Difference { agent, tool, args, calls, old, new, more } = difference;
    write!(out, "{LOUD}{}{LOUD:#} {}", one_line(tool, WIDTH), one_line(&args.to_string(), WIDTH))?;
    if !agent.is_empty() {
        write!(out, " by {}", one_line(agent, WIDTH))?;
    }
    if *calls > 1 {
        write!(out, ", call {calls} of a session")?;
    }
    writeln!(out)?;
    let shown = |shown: &Shown| {
        let (style, name) = (strength_style(shown.decision), shown.decision.to_string().replace('_', " "));
        let rules = if shown.rules.is_empty() {
            String::new()
        } else {
            format!(" ({})", one_line(&shown.rules.join(", "), WIDTH))
        };
        format!("{style}{name}{style:#}{rules}")
    };
    writeln!(out, "  {} -> {}", shown(old), shown(new))?;
    if *more > 0 {
        writeln!(out, "  {QUIET}and {more} more calls that these rules decide{QUIET:#}")?;
    }
    writeln!(out)
}

struct Search {
    old: Side,
    new: Side,
    words: Words,
    root: PathBuf,
    found: BTreeMap<(Shown, Shown), Difference>,
    tried: u64,
    is_cut: bool,
}

impl Search {
    fn new(old: &Path, new: &Path) -> Result<Self, Failure> {
        let files = [old, new];
        let root = std::path::absolute(new)?;
        let root = root.parent().unwrap_or(&root).to_path_buf();
        let (old, new) = (Side::new(old, &files, false)?, Side::new(new, &files, false)?);
        let words = Words::collect([old.config()?, new.config()?]);
        Ok(Self { old, new, words, root, found: BTreeMap::new(), tried: 0, is_cut: false })
    }

    async fn look(&mut self) -> Result<(), Failure> {
        let (calls, is_cut) = calls::all(&self.words);
        self.is_cut = is_cut;
        for call in &calls {
            let old = Self::ask(&mut self.old, &self.root, call, None).await?;
            let new = Self::ask(&mut self.new, &self.root, call, None).await?;
            self.compare(call, 1, old, new);
        }
        self.count().await
    }

    /// Repeats calls in a session, up to the largest count of the files.
    async fn count(&mut self) -> Result<(), Failure> {
        let mut tools: Vec<String> =
            ["AskUserQuestion", "Task", "WebFetch", "Bash"].map(str::to_owned).to_vec();
        tools.extend(self.words.tools.iter().map(|tool| tool.replace('*', "x")));
        let agents: Vec<String> =
            std::iter::once(String::new()).chain(self.words.agents.iter().cloned()).collect();
        for (number, (tool, agent)) in
            tools.iter().flat_map(|tool| agents.iter().map(move |agent| (tool, agent))).enumerate()
        {
            for calls in 1..=self.words.most.saturating_add(1) {
                let args = json!({"question": format!("{calls}?"), "url": format!("https://example.com/{calls}"), "command": format!("echo {calls}")});
                let call = Call::new(agent, tool, &args);
                let session = Some((number, calls));
                let old = Self::ask(&mut self.old, &self.root, &call, session).await?;
                let new = Self::ask(&mut self.new, &self.root, &call, session).await?;
                if self.compare(&call, calls, old, new) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Has a side judge a call, unless that depends on files; in a session of its own that nothing counts, or in the one with this number.
    async fn ask(
        side: &mut Side,
        root: &Path,
        call: &Call,
        session: Option<(usize, u64)>,
    ) -> Result<Option<Shown>, Failure> {
        let name = session.map_or_else(|| "diff".to_owned(), |(number, _)| format!("diff-{number}"));
        let mut context = HookContext::new(name, call.agent.as_str()).in_dir(root);
        context.call_id = session.map(|(_, calls)| calls.to_string());
        let event = PreToolUse::new(call.tool.as_str(), call.arguments());
        let decided = side.judge_call(context, event, session.is_some()).await?;
        Ok((!decided.needs_files()).then(|| decided.into()))
    }

    /// Keeps a call that is decided differently, if no other one shows the same difference. Returns whether it is.
    fn compare(&mut self, call: &Call, calls: u64, old: Option<Shown>, new: Option<Shown>) -> bool {
        self.tried += 1;
        let (Some(old), Some(new)) = (old, new) else { return false };
        if old.decision == new.decision {
            return false;
        }
        let key = (old.clone(), new.clone());
        let difference = self.found.entry(key).or_insert_with(|| Difference {
            agent: call.agent.clone(),
            tool: call.tool.clone(),
            args: call.arguments(),
            calls,
            old,
            new,
            more: 0,
        });
        difference.more += u64::from(
            difference.tool != call.tool
                || difference.args != call.arguments()
                || difference.agent != call.agent,
        );
        true
    }

    /// Sections of the files from which no calls are made.
    fn not_searched(&self) -> Vec<String> {
        let sections = [&self.old, &self.new]
            .map(|side| side.config().map(|config| config.section_names().to_vec()).unwrap_or_default());
        let mut names: Vec<String> = sections.concat();
        names.retain(|name| !SEARCHED.contains(&&**name) && !DECIDE_NOTHING.contains(&&**name));
        names.sort();
        names.dedup();
        names
    }
}
