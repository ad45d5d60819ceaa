//! Governed calls of functions of the host, with types of its own.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{from_value, to_value};
use tower::service_fn;

use super::{CallError, Govern, ToolCall, ToolResult};
use crate::context::HookContext;
use crate::error::{BoxError, HookError};
use crate::set::Live;

/// Calls `function` as the tool `name`, governed as by [`Govern`], for a host whose tools are functions with types of their own:
/// methods of a service, for example. Hooks see the arguments and the result as JSON. The function gets the arguments as they left
/// them, and so does the caller the result.
///
/// ```
/// use hooks_core::drivers::{CallError, call_governed};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
///
/// let small = policy_fn("small", |request: &HookRequest<PreToolUse>| match request.event().tool_args[0].as_u64() {
///     Some(0..10) => Verdict::NO_OPINION,
///     _ => Verdict::deny(Reason::new("small", "numbers", "small numbers only")),
/// });
/// let hooks = Hooks::builder().policy(small).build();
/// let add = async |(one, two): (u64, u64)| one.checked_add(two).ok_or("too large");
/// let call = |args| call_governed(hooks.clone(), HookContext::new("session-1", "backend"), "add", args, add);
/// # futures_util::FutureExt::now_or_never(async {
/// assert_eq!(call((1, 2)).await, Ok(3));
/// assert_eq!(call((10, 2)).await, Err(CallError::Denied("small numbers only".to_owned())));
/// assert_eq!(call((1, u64::MAX)).await, Err(CallError::Failed("too large".to_owned())));
/// # }).expect("no hook waits");
/// ```
///
/// # Errors
/// Returns `Denied` if the function was not called, also because the arguments have no JSON; `Withheld` if the result may not be used; and
/// `Failed` if the function failed, or hooks left arguments or a result that do not have the type.
pub async fn call_governed<A, F, R, E>(
    hooks: impl Into<Live>,
    context: impl Into<Arc<HookContext>>,
    name: &str,
    args: A,
    function: impl FnMut(A) -> F + Clone + Send + 'static,
) -> Result<R, CallError>
where
    A: Serialize + DeserializeOwned + Send,
    R: Serialize + DeserializeOwned,
    F: Future<Output = Result<R, E>> + Send,
    E: Into<BoxError>,
{
    let args =
        to_value(args).map_err(|error| CallError::Denied(format!("the arguments have no JSON: {error}")))?;
    let tools = service_fn(move |call: ToolCall| {
        let mut function = function.clone();
        async move {
            let args = from_value(call.args).map_err(HookError::other)?;
            let result = function(args).await.map_err(|error| HookError::other(error))?;
            to_value(result).map(ToolResult::ok).map_err(HookError::other)
        }
    });
    let result = Govern::new(hooks, tools).run(context, ToolCall::new(name, args)).await?;
    from_value(result.content)
        .map_err(|error| CallError::Failed(format!("hooks left a result that cannot be read: {error}")))
}
