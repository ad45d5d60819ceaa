//! A server of the official SDK for Rust behind a set of hooks: `cargo run --manifest-path hooks-mcp/rmcp/Cargo.toml`.
//!
//! The SDK's `TowerHandler` makes a server of a tower service with the SDK's types. Their JSON is that of the protocol, so the layer stands
//! between two conversions.

use hooks_core::event::PreToolUse;
use hooks_core::{BoxError, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
use hooks_mcp::{GovernMcpLayer, McpReply, McpRequest, McpSettings};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ClientRequest, ErrorData, InitializeResult, ServerResult};
use rmcp::service::{RoleServer, TowerHandler};
use serde_json::{Value, from_value, json, to_value};
use tower::{Layer, ServiceExt, service_fn};

/// The server: two tools.
async fn serve(request: ClientRequest) -> Result<ServerResult, ErrorData> {
    let result = match request {
        ClientRequest::InitializeRequest(_) => to_value(info()),
        ClientRequest::ListToolsRequest(_) => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            Ok(json!({"tools": [tool("add"), tool("delete")]}))
        }
        ClientRequest::CallToolRequest(call) => {
            Ok(json!({"content": [{"type": "text", "text": format!("`{}` ran", call.params.name)}]}))
        }
        _ => return Err(ErrorData::internal_error("unknown", None)),
    };
    result.and_then(from_value).map_err(internal)
}

fn info() -> InitializeResult {
    from_value(json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "small", "version": "1"},
    }))
    .expect("it is valid")
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn denies(request: &HookRequest<PreToolUse>) -> Verdict {
    match request.event().tool_name.as_str() {
        "mcp__small__delete" => Verdict::deny(Reason::new("example", "delete", "nothing is deleted here")),
        _ => Verdict::NO_OPINION,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Hooks::builder().policy(policy_fn("example", denies)).build();
    let layer = GovernMcpLayer::new(hooks, HookContext::new("session-1", "agent"), McpSettings::new("small"));
    let governed = layer.layer(service_fn(async |request: McpRequest| {
        let request = json!({"method": request.method(), "params": request.params()});
        Ok::<_, ErrorData>(match serve(from_value(request).map_err(internal)?).await {
            Ok(result) => McpReply::result(to_value(result).map_err(internal)?),
            Err(error) => McpReply::error_object(to_value(error).map_err(internal)?),
        })
    }));
    let service = service_fn(move |request: ClientRequest| {
        let governed = governed.clone();
        async move {
            let mut request = to_value(request).map_err(internal)?;
            let params = request.get_mut("params").map(Value::take).unwrap_or_default();
            let method = request["method"].as_str().unwrap_or_default();
            let reply = governed.oneshot(McpRequest::new(method, params)).await.map_err(internal)?;
            match reply.into_body() {
                Ok(result) => from_value::<ServerResult>(result).map_err(internal),
                Err(error) => Err(from_value(error).map_err(internal)?),
            }
        }
    });

    let (near, far) = tokio::io::duplex(1 << 16);
    let server = TowerHandler::<_, RoleServer>::new(service, info());
    tokio::spawn(async move {
        let running = server.serve(far).await.expect("the server starts");
        running.waiting().await.expect("the server ends")
    });
    let client = ().serve(near).await?;
    let tools: Vec<_> = client.list_all_tools().await?.into_iter().map(|tool| tool.name.to_string()).collect();
    println!("listed: {tools:?}");
    assert_eq!(tools, ["add"]);
    for (name, text, is_error) in [("add", "`add` ran", false), ("delete", "nothing is deleted here", true)] {
        let result = client.call_tool(CallToolRequestParams::new(name)).await?;
        println!("{name}: {}", to_value(&result)?);
        assert_eq!(to_value(&result.content)?[0]["text"], text);
        assert_eq!(result.is_error.unwrap_or_default(), is_error);
    }
    client.cancel().await?;
    Ok(())
}
