//! `hooks explain`: explains one decision in full.

use std::io::{self, Read, Write};

use hooks::audit::describe::Described;
use hooks::config::Config;
use hooks::event::{PreToolUse, WireEvent};
use hooks::facts::calls::CallReader;
use hooks::{
    DecidingEvent, Ending, Evidence, HookContext, HookRequest, Hooks, Judged, Reason, ReasonKind, Strength,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{Explain, Format};
use crate::eval::{self, runtime};
use crate::event::{by_type, decide_and_record, here};
use crate::failure::{Failure, Status};
use crate::paint::{self, LOUD, OPEN, QUIET, one_line};
use crate::unfinished::Unfinished;
use crate::{load, output, strict_json};

/// Maximum characters of a text on a line.
const WIDTH: usize = 100;
/// Maximum bytes of standard input.
const LARGEST: u64 = 32 << 20;

/// All facts about one decision.
#[derive(Debug, Serialize)]
pub(crate) struct Story {
    /// Version of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    event: &'static str,
    agent: String,
    /// The original event.
    given: Value,
    /// The event as policies judged it, if a transform changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective: Option<Value>,
    pub(crate) decision: Strength,
    /// Message that the model would receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The judgement of each policy alone, about the final event.
    policies: Vec<PolicyVerdict>,
    /// Other reasons: of transforms that failed, of hooks that wait, of limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    besides: Vec<Reason>,
    /// Reasons why the call may read files that it does not name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads_not_known: Vec<String>,
    /// Remedies that would change the decision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_by: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PolicyVerdict {
    policy: String,
    verdict: Strength,
    /// Verdict that it would have, if it were not in the shadow.
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<Strength>,
    reasons: Vec<Reason>,
}

/// Explains the event.
pub(crate) fn run(options: &Explain) -> Result<Status, Failure> {
    let path = load::named_or_found(options.config.path.as_deref())?;
    let config = load::explained(&path, options.config.profile, options.names)?;
    let hooks = config.clone().hooks();
    let (context, event) = event_of(options)?;
    let unfinished = Unfinished::default();
    let version = config.rules_version_in(context.root());
    let context = here(context, &config, &unfinished);
    let kind = event.kind();
    let runtime = runtime()?;
    let reads_not_known = reads_not_known(&config, &context, &event);
    let story = by_type!(event,
        decided(event) => Ok(runtime.block_on(story(&hooks, context, event))),
        informed(event) => Err(format!("`{kind}` is reported and not decided: {}", json!(event))),
        other => Err(format!("this program does not know what to do with `{kind}`"))
    );
    // Reservations that the explanation took are returned.
    runtime.block_on(unfinished.finish());
    let mut story = Story { reads_not_known, ..story.map_err(Failure::message)? };
    story.rules = Some(version);
    let mut out = output::out();
    match options.format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut out, &story)?;
            writeln!(out)?;
        }
        Format::Text => tell(&mut out, &story)?,
    }
    Ok(if story.decision >= Strength::Ask { Status::Found } else { Status::Well })
}

/// The event to explain: a tool call from the command line, or the event on standard input.
fn event_of(options: &Explain) -> Result<(HookContext, WireEvent), Failure> {
    if let Some(tool) = &options.tool {
        let args = options.args.as_deref().unwrap_or("{}");
        let args = strict_json::read(args.as_bytes()).map_err(|error| {
            Failure::message(format!(
                "`--args` is not JSON: {error}; write an object such as `{{\"command\": \"ls\"}}`"
            ))
        })?;
        let context = HookContext::new("explain", options.agent.as_str());
        return Ok((context, PreToolUse::new(tool.as_str(), args).into()));
    }
    let mut input = Vec::new();
    io::stdin().lock().take(LARGEST.saturating_add(1)).read_to_end(&mut input)?;
    eval::read(&input).map_err(Failure::message)
}

/// Explains a decision without using up a limit.
pub(crate) async fn story<E: DecidingEvent + Described>(
    hooks: &Hooks,
    context: HookContext,
    event: E,
) -> Story {
    let agent = context.agent_name.clone();
    let given = json!(event);
    let request = HookRequest::new(context, event);
    // Reservations are given back when the outcome is dropped, so explaining uses up no limit.
    let event_decision = decide_and_record(hooks, request, Ending::Trial, None).await;
    let policies: Vec<_> = hooks
        .explain(&event_decision.request)
        .into_iter()
        .map(|by_policy| PolicyVerdict {
            verdict: by_policy.verdict.strength(),
            would: Some(by_policy.verdict.would()).filter(|would| *would > Strength::NoOpinion),
            reasons: by_policy.verdict.reasons().to_vec(),
            policy: by_policy.policy,
        })
        .collect();
    let outcome = &event_decision.outcome;
    let by_policies: Vec<_> = policies.iter().flat_map(|by_policy| &by_policy.reasons).collect();
    let besides = outcome.reasons().iter().filter(|reason| !by_policies.contains(reason)).cloned().collect();
    let decision = outcome.strength();
    let winning = outcome.reasons().iter().filter(|reason| reason.argues_for(decision));
    let mut changed_by: Vec<String> = winning.filter_map(|reason| reason.remedy.clone()).collect();
    changed_by.dedup();
    Story {
        rules: None,
        event: E::KIND.name(),
        agent,
        given,
        effective: (event_decision.request.revision() > 0).then(|| json!(event_decision.request.event())),
        decision,
        message: outcome.text_for_agent(),
        policies,
        besides,
        reads_not_known: Vec::new(),
        changed_by,
    }
}

/// Returns the reasons why a call may read files that it does not name.
fn reads_not_known(config: &Config, context: &HookContext, event: &WireEvent) -> Vec<String> {
    let WireEvent::PreToolUse(event) = event else { return Vec::new() };
    let policy = config.policy();
    let reader = CallReader::new(&policy.paths, &policy.tools).unwrap_or_default();
    let request = HookRequest::new(context.clone(), event.clone());
    reader.read(&request).reads().unknown().to_vec()
}

fn tell(out: &mut impl Write, story: &Story) -> io::Result<()> {
    write!(out, "{LOUD}{}{LOUD:#}", story.event)?;
    if !story.agent.is_empty() {
        write!(out, " by {}", story.agent)?;
    }
    writeln!(out)?;
    fields(out, &story.given)?;
    if let Some(effective) = &story.effective {
        writeln!(out, "{OPEN}rewritten before it was judged{OPEN:#}")?;
        fields(out, effective)?;
    }
    let style = paint::strength_style(story.decision);
    write!(out, "\n{style}{}{style:#}", story.decision)?;
    match &story.message {
        Some(message) => writeln!(out, ": {}", one_line(message, WIDTH * 4))?,
        None => writeln!(out)?,
    }
    if !story.policies.is_empty() {
        writeln!(out)?;
    }
    for by_policy in &story.policies {
        verdict(out, &by_policy.policy, by_policy.verdict, by_policy.would, &by_policy.reasons)?;
    }
    if !story.besides.is_empty() {
        writeln!(out, "\n{QUIET}added by hooks that rewrite, wait or count{QUIET:#}")?;
        for reason in &story.besides {
            verdict(out, &reason.policy, reason.strength, reason.would, std::slice::from_ref(reason))?;
        }
    }
    if !story.reads_not_known.is_empty() {
        writeln!(out, "\n{LOUD}reads that are not known{LOUD:#}")?;
        for reason in &story.reads_not_known {
            writeln!(out, "  {}", one_line(reason, WIDTH * 2))?;
        }
    }
    if !story.changed_by.is_empty() {
        writeln!(out, "\n{LOUD}what would change it{LOUD:#}")?;
        for remedy in &story.changed_by {
            writeln!(out, "  {}", one_line(remedy, WIDTH * 2))?;
        }
    }
    if let Some(rules) = &story.rules {
        writeln!(out, "\n{QUIET}rules{QUIET:#} {rules}")?;
    }
    Ok(())
}

/// Prints the fields that are set, one on each line.
fn fields(out: &mut impl Write, event: &Value) -> io::Result<()> {
    for (name, value) in event.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => writeln!(out, "  {QUIET}{name}{QUIET:#} {}", one_line(text, WIDTH))?,
            value => writeln!(out, "  {QUIET}{name}{QUIET:#} {}", one_line(&value.to_string(), WIDTH))?,
        }
    }
    Ok(())
}

fn verdict(
    out: &mut impl Write,
    policy: &str,
    strength: Strength,
    would: Option<Strength>,
    reasons: &[Reason],
) -> io::Result<()> {
    let style = paint::strength_style(strength);
    let shadow = would.map(|would| format!(" (in the shadow: it would {would})")).unwrap_or_default();
    writeln!(out, "  {style}{:<10}{style:#} {policy}{shadow}", strength.to_string())?;
    for reason in reasons {
        let failed = if reason.kind == ReasonKind::Failure { " (a hook failed)" } else { "" };
        writeln!(out, "             {}{failed}: {}", reason.rule, one_line(&reason.message, WIDTH * 2))?;
        if let Some(argument) = &reason.argument {
            writeln!(out, "             {QUIET}argument{QUIET:#} {}", one_line(argument, WIDTH))?;
        }
        for evidence in &reason.evidence {
            writeln!(out, "             {QUIET}evidence{QUIET:#} {}", one_line(&in_words(evidence), WIDTH))?;
        }
        if let Some(advice) = &reason.advice {
            writeln!(out, "             {QUIET}instead{QUIET:#} {}", one_line(advice, WIDTH * 2))?;
        }
        if let Some(remedy) = &reason.remedy {
            writeln!(out, "             {QUIET}unless{QUIET:#} {}", one_line(remedy, WIDTH * 2))?;
        }
    }
    Ok(())
}

/// Formats evidence.
pub(crate) fn in_words(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Span { start, end, text } => format!("bytes {start} to {end}: `{text}`"),
        Evidence::Path { given, resolved } => format!("`{given}` is `{resolved}`"),
        Evidence::Command { argv } => format!("it would run {}", argv.join(" ")),
        Evidence::Count { used, limit } => format!("{used} of {limit} used"),
        other => format!("{other:?}"),
    }
}
