//! Sessions of several turns and agents: whether each answer of the model is counted once, and whether a subagent
//! is denied what its parent is denied.

use std::path::Path;
use std::time::Duration;

use hooks_protocols::Client;
use serde_json::json;

use super::claims::Claim;
use super::clients::{PROMPT, Runnable, Trust};
use super::proof::{Outcome, PATIENCE, PROJECT, REASON, Results, THINKING, counted, furnish, init, says};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Plan, Script};
use super::server::Server;
use crate::error::Result;

/// A budget that no run uses up, and a command that no agent may run.
const ROOMY: &str = "version: 1
budget:
  limits: [{ of: session, per: session, tokens: 9000000 }]
rules:
  - name: touching
    commands: [touch]
    reason: files are made in the proper way, see rule 4711
";

/// A budget that the first answers of a subagent use up.
const TIGHT: &str = "version: 1
budget:
  limits: [{ of: session, per: session, tokens: 4000 }]
";

/// A limit on the answers of each agent.
const SHORT: &str = "version: 1
limits: { iterations: { most: 2 } }
";

/// Runs the proofs, for clients whose answers are counted in their transcripts.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let Some(kind) = Kind::from_client(client.client) else {
        for claim in [
            Claim::Resumed,
            Claim::Tree,
            Claim::ChildDenied,
            Claim::Compacted,
            Claim::ChildStopped,
            Claim::NamedAgent,
        ] {
            results.claims.push((claim, Outcome::Untried));
        }
        return Ok(());
    };
    let world = World { client, kind, program, hooks };
    world.resumed(results)?;
    world.tree(results)?;
    world.compacted(results)?;
    world.stopped(results)?;
    world.named(results)
}

/// A client with subagents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Claude,
    Codex,
    Copilot,
}

impl Kind {
    const fn from_client(client: Client) -> Option<Self> {
        match client {
            Client::Claude => Some(Self::Claude),
            Client::Codex => Some(Self::Codex),
            Client::Copilot => Some(Self::Copilot),
            _ => None,
        }
    }

    /// The calls that start a subagent with a text and wait for its end.
    fn spawn(self, mark: &str) -> Vec<Call> {
        let prompt = format!("{mark}: do it");
        match self {
            Self::Claude => vec![Call::Other(
                "Agent",
                json!({"description": "a part", "prompt": prompt, "subagent_type": "general-purpose"}),
            )],
            Self::Codex => vec![
                Call::Other("spawn_agent", json!({"message": prompt})),
                Call::Other("wait_agent", json!({"targets": ["{agent}"], "timeout_ms": 60_000})),
            ],
            Self::Copilot => vec![Call::Other(
                "task",
                json!({"description": "a part", "prompt": prompt, "agent_type": "general-purpose", "name": "part",
                    "mode": "sync"}),
            )],
        }
    }
}

/// One turn of a session.
#[derive(Clone, Copy)]
struct Say<'a> {
    text: &'a str,
    /// Whether it continues the last session.
    resumes: bool,
    /// Further arguments.
    more: &'a [&'a str],
}

/// A session in a sandbox.
struct Session {
    sandbox: Sandbox,
    server: Server,
}

struct World<'a> {
    client: &'a Runnable,
    kind: Kind,
    program: &'a Path,
    hooks: &'a Path,
}

fn shell(command: &str) -> Call {
    Call::Shell(command.to_owned())
}

fn makes(file: &str) -> Call {
    shell(&format!("echo text > {file}"))
}

impl World<'_> {
    fn begin(&self, rules: &str, thinking: Duration, plans: Vec<Plan>) -> Result<Session> {
        let sandbox = Sandbox::new(self.client, Trust::Given)?;
        furnish(self.client, &sandbox)?;
        sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
        match self.kind {
            // A session that it continues is in no trusted folder.
            Kind::Copilot => init(self.client, &sandbox, self.hooks, &[])?,
            _ => init(self.client, &sandbox, self.hooks, PROJECT)?,
        }
        let script = Script { plans, thinking, ..Script::default() };
        let server = Server::start(self.client.speech, script, &sandbox.work())?;
        Ok(Session { sandbox, server })
    }

    fn say(&self, session: &Session, say: Say<'_>) -> Result<Run> {
        let trust = if self.kind == Kind::Copilot { Trust::None } else { Trust::Given };
        let url = session.server.url();
        let mut arguments = self.client.arguments(&url, trust);
        let before = match self.kind {
            Kind::Codex => {
                arguments.iter().position(|word| word == "exec").map_or(0, |at| at.saturating_add(1))
            }
            _ => 0,
        };
        let resume: &[&str] = match self.kind {
            _ if !say.resumes => &[],
            Kind::Claude | Kind::Copilot => &["--continue"],
            Kind::Codex => &["resume", "--last"],
        };
        for word in &mut arguments {
            if word == PROMPT {
                say.text.clone_into(word);
            }
        }
        let words = resume.iter().chain(say.more).map(|word| (*word).to_owned());
        drop(arguments.splice(before..before, words));
        let run =
            session.sandbox.run(self.program, &arguments, &self.client.variables(&url, trust), PATIENCE)?;
        if !run.succeeded {
            eprintln!("{} `{}` failed: {}\n{}", self.client.client, say.text, run.stdout, run.stderr);
        }
        Ok(run)
    }

    /// Adds the claim that the counted tokens are those of the model, with the figures.
    fn count(&self, claim: Claim, session: &Session, others: bool, results: &mut Results) -> Result {
        let answers = session.server.answered();
        let counted = counted(&session.sandbox, self.hooks)?;
        println!(
            "{}: {claim}: counted {counted:?} of {} in {} answers",
            results.title,
            session.server.tokens(),
            answers.len()
        );
        let is_so = others && counted == Some(session.server.tokens());
        results.claim(claim, is_so);
        if !is_so {
            self.show(session);
        }
        Ok(())
    }

    /// Prints what a failed claim can follow from.
    fn show(&self, session: &Session) {
        for (answer, body) in session.server.answered().iter().zip(session.server.recorded()) {
            let body = body.to_string();
            let end = body.char_indices().rev().nth(200).map_or(0, |(at, _)| at);
            eprintln!("  {} {answer:?} …{}", answer.total(), body.get(end..).unwrap_or_default());
        }
        let log = session.sandbox.home().join(".state/hooks/run.log");
        eprintln!("{}", std::fs::read_to_string(log).unwrap_or_default());
    }

    /// Two turns, the second in another process.
    fn resumed(&self, results: &mut Results) -> Result {
        let session = self.begin(
            ROOMY,
            Duration::ZERO,
            vec![
                Plan { mark: "PLAN-FIRST", calls: vec![makes("first-1"), makes("first-2")] },
                Plan { mark: "PLAN-SECOND", calls: vec![makes("second-1")] },
                Plan { mark: "PLAN-THIRD", calls: vec![makes("third-1")] },
            ],
        )?;
        for (text, resumes) in [("PLAN-FIRST", false), ("PLAN-SECOND", true), ("PLAN-THIRD", true)] {
            self.say(&session, Say { text, resumes, more: &[] })?;
        }
        let ran = ["first-1", "first-2", "second-1", "third-1"].iter().all(|file| session.sandbox.has(file));
        // Otherwise the turns were several sessions.
        let is_one = session.server.recorded().last().is_some_and(|body| {
            let body = body.to_string();
            body.contains("PLAN-FIRST") && body.contains("PLAN-THIRD")
        });
        self.count(Claim::Resumed, &session, ran && is_one, results)
    }

    /// A parent, a child and a grandchild, each of which calls tools.
    fn tree(&self, results: &mut Results) -> Result {
        let with = |before: Vec<Call>, spawned: Vec<Call>, after: Vec<Call>| {
            before.into_iter().chain(spawned).chain(after).collect::<Vec<_>>()
        };
        let child = with(
            vec![shell("touch by-child"), makes("child-1")],
            self.kind.spawn("PLAN-GRANDCHILD"),
            vec![makes("child-2")],
        );
        let session = self.begin(
            ROOMY,
            Duration::ZERO,
            vec![
                Plan {
                    mark: "PLAN-PARENT",
                    calls: with(
                        vec![makes("parent-1")],
                        self.kind.spawn("PLAN-CHILD"),
                        vec![makes("parent-2")],
                    ),
                },
                Plan { mark: "PLAN-CHILD", calls: child },
                Plan {
                    mark: "PLAN-GRANDCHILD",
                    calls: vec![shell("touch by-grandchild"), makes("grandchild-1")],
                },
            ],
        )?;
        // Its children may start none by default.
        let more: &[&str] = if self.kind == Kind::Codex { &["-c", "agents.max_depth=2"] } else { &[] };
        self.say(&session, Say { text: "PLAN-PARENT", resumes: false, more })?;
        let ran = ["parent-1", "child-1", "grandchild-1", "child-2", "parent-2"]
            .map(|file| session.sandbox.has(file));
        println!("{}: parent, child, grandchild, child, parent: {ran:?}", results.title);
        let [parent, child, _, _, again] = ran;
        self.count(Claim::Tree, &session, parent && child && again, results)?;
        let requests = session.server.recorded();
        let is_denied = ["by-child", "by-grandchild"].iter().all(|file| !session.sandbox.has(file));
        results.claim(Claim::ChildDenied, child && is_denied && says(&requests, REASON));
        Ok(())
    }

    /// A session whose past is replaced by a summary.
    fn compacted(&self, results: &mut Results) -> Result {
        let many = |name: &str, count: u32| (0..count).map(|call| makes(&format!("{name}-{call}"))).collect();
        let session = self.begin(
            ROOMY,
            Duration::ZERO,
            vec![
                Plan { mark: "PLAN-FIRST", calls: many("first", 4) },
                Plan { mark: "PLAN-SECOND", calls: many("second", 2) },
            ],
        )?;
        let limit: &[&str] = &["-c", "model_auto_compact_token_limit=1200"];
        let say = |text: &str, resumes: bool, more: &[&str]| self.say(&session, Say { text, resumes, more });
        match self.kind {
            Kind::Claude | Kind::Copilot => {
                say("PLAN-FIRST", false, &[])?;
                say("/compact", true, &[])?;
                say("PLAN-SECOND", true, &[])?;
            }
            Kind::Codex => {
                say("PLAN-FIRST", false, limit)?;
                say("PLAN-SECOND", true, limit)?;
            }
        }
        // Each call has an answer, and each turn one more; the others are summaries.
        let summaries = session.server.answered().len().saturating_sub(8);
        println!("{}: {summaries} answers beside those of the turns", results.title);
        let ran = ["first-3", "second-1"].iter().all(|file| session.sandbox.has(file));
        self.count(Claim::Compacted, &session, ran && summaries > 0, results)
    }

    /// A subagent that goes on after the budget is used up.
    fn stopped(&self, results: &mut Results) -> Result {
        let session = self.begin(
            TIGHT,
            THINKING,
            vec![
                Plan { mark: "PLAN-PARENT", calls: self.kind.spawn("PLAN-CHILD") },
                Plan {
                    mark: "PLAN-CHILD",
                    calls: (1..=8).map(|call| makes(&format!("call-{call}"))).collect(),
                },
            ],
        )?;
        let run = self.say(&session, Say { text: "PLAN-PARENT", resumes: false, more: &[] })?;
        let ran: Vec<u64> = (1..=8).filter(|call| session.sandbox.has(&format!("call-{call}"))).collect();
        println!("{}: of 8 calls of a subagent with a small budget these ran: {ran:?}", results.title);
        // The third answer uses up the budget: that of the parent, and two of the subagent. It may be written to
        // the transcript only after the call, and a call of the parent waits for the first.
        let is_so = ran.first() == Some(&1)
            && ran.iter().max() < Some(&6)
            && says(&session.server.recorded(), "is used up");
        results.claim(Claim::ChildStopped, is_so);
        if !is_so {
            eprintln!("{}\n{}", run.stdout, run.stderr);
            self.show(&session);
        }
        Ok(())
    }

    /// A session whose own agent is chosen by a name.
    fn named(&self, results: &mut Results) -> Result {
        if self.kind != Kind::Claude {
            results.claims.push((Claim::NamedAgent, Outcome::Untried));
            return Ok(());
        }
        let calls = (1..=8).map(|call| makes(&format!("call-{call}"))).collect();
        let session = self.begin(SHORT, THINKING, vec![Plan { mark: "PLAN-NAMED", calls }])?;
        let more = &["--agent", "general-purpose"];
        self.say(&session, Say { text: "PLAN-NAMED", resumes: false, more })?;
        let ran: Vec<u64> = (1..=8).filter(|call| session.sandbox.has(&format!("call-{call}"))).collect();
        println!("{}: of 8 calls of a named agent with 2 answers these ran: {ran:?}", results.title);
        let is_so = ran.starts_with(&[1, 2])
            && ran.iter().max() < Some(&5)
            && says(&session.server.recorded(), "called its model");
        results.claim(Claim::NamedAgent, is_so);
        if !is_so {
            self.show(&session);
        }
        Ok(())
    }
}
