//! A small agent loop that fires every event of such a loop: session, prompt, turns, model calls, tools,
//! stop.
//!
//! The model and the tool are functions here. A policy denies one of the calls, and the model reads the
//! reason.
//! Run with `cargo run -p tower-hooks-core --example agent_loop`.

use hooks_core::drivers::{
    ModelCall, ModelOutcome, ModelRequest, ToolCall, ToolOutcome, ToolRequest, ToolResult,
};
use hooks_core::event::{
    EndReason, Message, ModelReply, PromptKind, Role, SessionStart, Stop, TurnEndReason, Usage,
};
use hooks_core::{BoxError, event::PreToolUse};
use hooks_core::{
    HookContext, HookError, HookRequest, Hooks, Reason, Session, Verdict, drivers::Prompted, policy_fn,
};
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Hooks::builder()
        .policy(policy_fn("no-deletion", |request: &HookRequest<PreToolUse>| {
            match &*request.event().tool_name {
                "delete_file" => {
                    Verdict::deny(Reason::new("no-deletion", "tool", "nothing may be deleted here"))
                }
                _ => Verdict::NO_OPINION,
            }
        }))
        .build();

    let context = HookContext::new("session-1", "Ripley").in_dir("/repo");
    let (session, patch) = Session::start(hooks, context, SessionStart::default()).await;
    println!("started with {} notes of context", patch.additional_context.len());

    let Prompted::Accepted(prompt, _) = session.prompt("tidy up notes.md", PromptKind::Initial).await else {
        return Err("the prompt was stopped".into());
    };
    let mut messages = vec![Message::text(Role::User, prompt)];
    let model = session.model(service_fn(|request: ModelRequest| async move { answer(&request) }));
    let tools = session.tools(service_fn(|call: ToolCall| async move {
        Ok::<_, HookError>(ToolResult::ok(format!("{} is done", call.name)))
    }));

    let response = loop {
        let (turn, _) = session.turn().await;
        let request =
            ModelRequest { model: "small".into(), iteration: turn.iteration(), messages: messages.clone() };
        let call = ModelCall { context: session.context().clone(), request };
        let ModelOutcome::Replied(_, reply) = model.clone().oneshot(call).await? else {
            turn.end(TurnEndReason::HookBlocked).await;
            return Err("the model did not answer".into());
        };
        messages.push(reply.response.clone());
        let Some((name, args)) = tool_call(&reply.response) else {
            turn.end(TurnEndReason::Normal).await;
            break text(&reply.response);
        };
        let call = ToolRequest { context: session.context().clone(), call: ToolCall::new(name, args) };
        let governed = tools.clone().oneshot(call).await?;
        let result = match governed.outcome {
            ToolOutcome::Ran(result, _) => result.content,
            ToolOutcome::Denied(reason) => json!({ "denied": reason }),
            other => json!({ "failed": format!("{other:?}") }),
        };
        println!("{}: {result}", governed.call.name);
        messages.push(Message { role: Role::Tool, content: result });
        turn.end(TurnEndReason::Continue).await;
    };

    println!("the agent answers: {response}");
    drop(session.stop(Stop::new(response)).await);
    println!("{} tool calls ran, {} tokens used", session.tally().tool_calls(), session.tally().tokens());
    session.end(EndReason::Complete, None).await;
    Ok(())
}

/// A stand-in for a model: it edits, then tries to delete, then reports that it was not allowed to.
fn answer(request: &ModelRequest) -> Result<ModelReply, HookError> {
    let content = match request.messages.iter().filter(|message| message.role == Role::Tool).count() {
        0 => json!({ "tool": "edit", "args": { "path": "notes.md" } }),
        1 => json!({ "tool": "delete_file", "args": { "path": "notes.md" } }),
        _ => json!("edited notes.md; I was not allowed to delete it"),
    };
    let usage = Usage { input_tokens: 100, output_tokens: 20, ..Usage::default() };
    Ok(ModelReply { response: Message { role: Role::Assistant, content }, usage, cost: None })
}

fn tool_call(message: &Message) -> Option<(String, Value)> {
    let name = message.content.get("tool")?.as_str()?;
    Some((name.to_owned(), message.content.get("args").cloned().unwrap_or_default()))
}

fn text(message: &Message) -> String {
    message.content.as_str().unwrap_or_default().to_owned()
}
