//! A tool executor returns a `ToolResult`; the compiler names it where the executor is governed.

use hooks_core::drivers::ToolCall;
use hooks_core::{BoxError, Govern, Hooks};
use tower::service_fn;

fn main() {
    let tools = service_fn(|call: ToolCall| async move { Ok::<String, BoxError>(call.name) });
    let _governed = Govern::new(Hooks::default(), tools);
}
