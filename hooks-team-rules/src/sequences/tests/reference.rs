//! A reference that keeps the whole trace and reads the rules by definition; and the rules as they are, on random traces.
//!
//! `cargo xtask soak sequences`, or `HOOKS_TRACES=100000 cargo test --profile fast -p tower-hooks-team-rules reference` compares more traces.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// Tools of the traces.
const TOOLS: [&str; 5] = ["alpha", "beta", "gamma", "delta", "epsilon"];

/// Texts in results and arguments.
const SECRETS: [&str; 3] =
    ["qv7k2mzx9wjt4hbn8pfd3rls", "zzk19dkq02mwnx83jslaow84h", "h2k4h6k8j1j3j5j7l9l0p2p4"];

/// Sessions of a tree, each with its parent.
const SESSIONS: [(&str, Option<&str>); 3] =
    [("s", None), ("child", Some("s")), ("grandchild", Some("child"))];

/// Calls of a rule: for each pattern, any of these tools, and perhaps a result.
#[derive(Clone, Debug)]
struct Calls(Vec<(Vec<usize>, Option<bool>)>);

#[derive(Clone, Debug)]
enum Form {
    Never { never: Calls, after: Calls, unless: Option<Calls> },
    Count { calls: Calls, at_most: usize, within: Option<u64> },
    Taint { from: Calls, to: Calls, by_content: bool },
}

#[derive(Clone, Debug)]
struct AnyRule {
    form: Form,
    asks: bool,
}

#[derive(Clone, Debug)]
enum Event {
    Start { session: usize, tool: usize, sends: Option<usize>, approved: bool },
    Finish { which: usize, failed: bool, returns: Option<usize> },
    Pass(u64),
}

/// Past events, in order.
#[derive(Clone, Debug)]
enum Past {
    Start { call: usize, tool: usize, time: u64 },
    Finish { call: usize, tool: usize, failed: bool, returns: Option<usize>, time: u64 },
}

impl Calls {
    fn json(&self) -> Value {
        let pattern = |(tools, failed): &(Vec<usize>, Option<bool>)| {
            let tools: Vec<_> = tools.iter().map(|tool| TOOLS[*tool]).collect();
            match failed {
                Some(failed) => json!({"tools": tools, "failed": failed}),
                None => json!({ "tools": tools }),
            }
        };
        match &self.0[..] {
            [only] => pattern(only),
            patterns => patterns.iter().map(pattern).collect(),
        }
    }

    fn has(&self, tool: usize) -> bool {
        self.0.iter().any(|(tools, _)| tools.contains(&tool))
    }

    fn starts(&self, tool: usize) -> bool {
        self.0.iter().any(|(tools, failed)| tools.contains(&tool) && failed.is_none())
    }

    fn fits(&self, tool: usize, result: bool) -> bool {
        self.0
            .iter()
            .any(|(tools, failed)| tools.contains(&tool) && failed.is_none_or(|wanted| wanted == result))
    }
}

impl AnyRule {
    fn json(&self, name: usize) -> Value {
        let mut rule = match &self.form {
            Form::Never { never, after, unless: None } => {
                json!({"never": never.json(), "after": after.json()})
            }
            Form::Never { never, after, unless: Some(unless) } => {
                json!({"never": never.json(), "after": after.json(), "unless": unless.json()})
            }
            Form::Count { calls, at_most, within: None } => {
                json!({"calls": calls.json(), "at_most": at_most})
            }
            Form::Count { calls, at_most, within: Some(within) } => {
                json!({"calls": calls.json(), "at_most": at_most, "within": format!("{within}ms")})
            }
            Form::Taint { from, to, by_content } => {
                let by = if *by_content { "content" } else { "session" };
                json!({"taint": {"from": from.json(), "to": to.json(), "by": by}})
            }
        };
        rule["name"] = json!(name.to_string());
        rule["action"] = json!(if self.asks { "ask" } else { "deny" });
        rule
    }

    /// Returns whether the rule is about a call, by its definition.
    fn is_about(&self, past: &[Past], tool: usize, sends: Option<usize>, now: u64) -> bool {
        match &self.form {
            Form::Never { never, after, unless } => {
                // A call after which the rule applies, with no call that lifts it from its start to its result in between.
                let lifts = |start: usize, end: &Past| match (unless, end) {
                    (Some(unless), Past::Finish { call, tool, failed, .. }) => {
                        unless.fits(*tool, *failed)
                            && past.iter().skip(start + 1).any(
                                |begin| matches!(begin, Past::Start { call: begun, .. } if begun == call),
                            )
                    }
                    _ => false,
                };
                let applies = |event: &Past| match event {
                    Past::Start { tool, .. } => after.starts(*tool),
                    Past::Finish { tool, failed, .. } => after.fits(*tool, *failed),
                };
                let is_open = |at: usize| !past.iter().skip(at + 1).any(|end| lifts(at, end));
                never.has(tool) && past.iter().enumerate().any(|(at, event)| applies(event) && is_open(at))
            }
            Form::Count { calls, at_most, within } => {
                let is_inside = |time: u64| within.is_none_or(|within| now - time < within);
                let is_counted = |event: &&Past| match event {
                    Past::Start { tool, time, .. } => calls.starts(*tool) && is_inside(*time),
                    Past::Finish { tool, failed, time, .. } => {
                        !calls.starts(*tool) && calls.fits(*tool, *failed) && is_inside(*time)
                    }
                };
                calls.has(tool) && past.iter().filter(is_counted).count() >= *at_most
            }
            Form::Taint { from, to, by_content } => {
                let is_from = |event: &Past| match event {
                    Past::Start { tool, .. } | Past::Finish { tool, .. } => from.has(*tool),
                };
                let is_awaited = |event: &Past| match event {
                    Past::Start { call, .. } => !past
                        .iter()
                        .any(|end| matches!(end, Past::Finish { call: ended, .. } if ended == call)),
                    Past::Finish { .. } => false,
                };
                let is_sent = |event: &Past| match event {
                    Past::Finish { returns, .. } => returns.is_some() && *returns == sends,
                    Past::Start { .. } => false,
                };
                to.has(tool)
                    && (from.has(tool)
                        || past
                            .iter()
                            .filter(|event| is_from(event))
                            .any(|event| !by_content || is_awaited(event) || is_sent(event)))
            }
        }
    }
}

fn any_calls(with_result: bool) -> BoxedStrategy<Calls> {
    let tools = prop::sample::subsequence((0..TOOLS.len()).collect::<Vec<_>>(), 1..3);
    let failed = prop_oneof![2 => Just(None), 1 => any::<bool>().prop_map(Some)];
    let pattern = (tools, failed).prop_map(move |(tools, failed)| (tools, failed.filter(|_| with_result)));
    prop::collection::vec(pattern, 1..3).prop_map(Calls).boxed()
}

fn any_rule() -> impl Strategy<Value = AnyRule> {
    let form =
        prop_oneof![
            (any_calls(false), any_calls(true), prop::option::of(any_calls(true)))
                .prop_map(|(never, after, unless)| Form::Never { never, after, unless }),
            (any_calls(true), 0..4usize, prop::option::of(1..300u64))
                .prop_map(|(calls, at_most, within)| Form::Count { calls, at_most, within }),
            (any_calls(false), any_calls(false), any::<bool>())
                .prop_map(|(from, to, by_content)| Form::Taint { from, to, by_content }),
        ];
    (form, prop::bool::weighted(0.3)).prop_map(|(form, asks)| AnyRule { form, asks })
}

fn any_event() -> impl Strategy<Value = Event> {
    let secret = || prop::option::weighted(0.4, 0..SECRETS.len());
    prop_oneof![
        4 => (0..SESSIONS.len(), 0..TOOLS.len(), secret(), any::<bool>())
            .prop_map(|(session, tool, sends, approved)| Event::Start { session, tool, sends, approved }),
        3 => (any::<usize>(), any::<bool>(), secret())
            .prop_map(|(which, failed, returns)| Event::Finish { which, failed, returns }),
        1 => (0..200u64).prop_map(Event::Pass),
    ]
}

/// A call that ran.
struct Open {
    call: usize,
    session: usize,
    tool: usize,
    event: PreToolUse,
}

/// A trace under way.
struct Trace<'r> {
    process: Process,
    rules: &'r [AnyRule],
    past: Vec<Past>,
    open: Vec<Open>,
    time: u64,
    calls: usize,
}

impl Trace<'_> {
    async fn step(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Pass(time) => {
                self.time += time;
                self.process.clock.advance(Duration::from_millis(*time));
            }
            Event::Finish { which, failed, returns } if !self.open.is_empty() => {
                let at = which % self.open.len();
                let Open { call, session, tool, event } = self.open.remove(at);
                self.past.push(Past::Finish {
                    call,
                    tool,
                    failed: *failed,
                    returns: *returns,
                    time: self.time,
                });
                let text = returns.map_or("nothing", |secret| SECRETS[secret]);
                let error = failed.then(|| "failed".to_owned());
                let (session, parent) = SESSIONS[session];
                let at = self.process.hooks.on(self.process.context(session, parent));
                let patch = at.post_tool_use(PostToolUse::after(&event, json!(text), error, 1)).await;
                prop_assert!(!patch.outcome.is_denied());
            }
            Event::Finish { .. } => {}
            Event::Start { session, tool, sends, approved } => {
                self.start(*session, *tool, *sends, *approved).await?;
            }
        }
        Ok(())
    }

    async fn start(
        &mut self,
        session: usize,
        tool: usize,
        sends: Option<usize>,
        approved: bool,
    ) -> Result<(), TestCaseError> {
        let about = |rule: &&AnyRule| rule.is_about(&self.past, tool, sends, self.time);
        let wanted = self
            .rules
            .iter()
            .filter(about)
            .map(|rule| if rule.asks { Strength::Ask } else { Strength::Deny });
        let wanted = wanted.max().unwrap_or(Strength::NoOpinion);
        self.calls += 1;
        let call = self.calls;
        let text =
            sends.map_or_else(|| "none".to_owned(), |secret| format!("https://x/?q={}", SECRETS[secret]));
        let mut event = PreToolUse::new(TOOLS[tool], json!({ "url": text }));
        event.tool_use_id = Some(call.to_string());
        let (name, parent) = SESSIONS[session];
        let mut decision = self.process.decide(self.process.context(name, parent), event.clone()).await;
        prop_assert_eq!(
            decision.outcome.strength(),
            wanted,
            "{} {:?} after {:#?}",
            TOOLS[tool],
            sends,
            self.past
        );
        // A call that the user rejects does not run.
        if decision.outcome.goes_ahead() || wanted == Strength::Ask && approved {
            decision.commit();
            self.past.push(Past::Start { call, tool, time: self.time });
            self.open.push(Open { call, session, tool, event });
        }
        Ok(())
    }
}

async fn agree(rules: &[AnyRule], events: &[Event]) -> Result<(), TestCaseError> {
    let mut seen = std::collections::BTreeSet::new();
    let forms: Vec<_> =
        rules.iter().filter(|rule| seen.insert(format!("{:?}", rule.form))).cloned().collect();
    let json = forms.iter().enumerate().map(|(name, rule)| rule.json(name)).collect();
    let mut trace = Trace {
        process: Process::new(json),
        rules: &forms,
        past: Vec::new(),
        open: Vec::new(),
        time: 0,
        calls: 0,
    };
    // Each session calls a tool before it starts a subagent.
    for (session, parent) in SESSIONS {
        let call = PreToolUse::new("other", json!({}));
        prop_assert!(
            trace.process.decide(trace.process.context(session, parent), call).await.outcome.goes_ahead()
        );
    }
    for event in events {
        trace.step(event).await?;
    }
    Ok(())
}

#[test]
fn the_rules_agree_with_the_reference() {
    let cases = std::env::var("HOOKS_TRACES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let traces = (prop::collection::vec(any_rule(), 1..5), prop::collection::vec(any_event(), 1..40));
    runner.run(&traces, |(rules, events)| runtime.block_on(agree(&rules, &events))).unwrap();
    println!("{cases} traces agree");
}

/// Rules `first`, and rules `first` and `second`, about each call of one history in which every call runs.
fn compare(first: &[AnyRule], second: &[AnyRule], events: &[Event]) -> Result<(), TestCaseError> {
    let all: Vec<_> = first.iter().chain(second).cloned().collect();
    let mut past = Vec::new();
    let (mut time, mut call, mut open) = (0, 0, Vec::new());
    for event in events {
        match event {
            Event::Pass(more) => time += more,
            Event::Finish { which, failed, returns } if !open.is_empty() => {
                let (call, tool) = open.remove(which % open.len());
                past.push(Past::Finish { call, tool, failed: *failed, returns: *returns, time });
            }
            Event::Finish { .. } => {}
            Event::Start { tool, sends, .. } => {
                let strength = |rules: &[AnyRule]| {
                    let about = |rule: &&AnyRule| rule.is_about(&past, *tool, *sends, time);
                    let strengths = rules
                        .iter()
                        .filter(about)
                        .map(|rule| if rule.asks { Strength::Ask } else { Strength::Deny });
                    strengths.max().unwrap_or(Strength::NoOpinion)
                };
                prop_assert!(strength(&all) >= strength(first));
                call += 1;
                past.push(Past::Start { call, tool: *tool, time });
                open.push((call, *tool));
            }
        }
    }
    Ok(())
}

/// The verdict of each rule depends on the calls that ran and on no other rule: a rule more never allows more.
#[tokio::test]
async fn a_rule_more_never_allows_more() {
    let mut runner = TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let rules = || prop::collection::vec(any_rule(), 0..3);
    let traces = (rules(), rules(), prop::collection::vec(any_event(), 1..40));
    runner.run(&traces, |(first, second, events)| compare(&first, &second, &events)).unwrap();
}
