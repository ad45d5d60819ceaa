//! The table of events.

/// Calls `$callback!` with all rows. A row says: what a failing hook means (`closes`: a denial, `opens`:
/// passed over and recorded; law 3), the name, the type, the outcome, what may be rewritten on the way in,
/// and what other systems call it.
macro_rules! for_each_event {
    ($callback:ident) => {
        $callback! {
            deciding {
                /// each user message, before the model sees it
                closes user_prompt_submitted: UserPromptSubmitted => PromptOutcome,
                    rewrites String, "userPromptSubmitted, UserPromptSubmit, user_prompt_submit, BeforeAgent";
                /// before each model call
                closes before_model_call: BeforeModelCall => Gate<BeforeModelCall>,
                    rewrites ModelRewrite, "before_llm_call, BeforeModel";
                /// after each model call, with tokens and cost
                closes after_model_call: AfterModelCall => Gate<AfterModelCall>,
                    rewrites Message, "after_llm_call, AfterModel";
                /// before a tool runs
                closes pre_tool_use: PreToolUse => Decision<PreToolUse>,
                    rewrites Value, "preToolUse, BeforeTool, tool_guard, tool_input_transform";
                /// before a person would be asked
                closes permission_request: PermissionRequest => Decision<PermissionRequest>,
                    rewrites Never, "permission_request, PermissionRequest";
                /// after a tool ran, successfully or not
                closes post_tool_use: PostToolUse => ResultPatch,
                    rewrites ResultRewrite, "postToolUse, AfterTool, PostToolUseFailure, tool_response_transform";
                /// before the context is compacted
                opens pre_compact: PreCompact => CompactOutcome,
                    rewrites Never, "PreCompact, pre_compact, before_compaction";
                /// before a child agent is created
                closes subagent_start: SubagentStart => Decision<SubagentStart>,
                    rewrites SpawnRewrite, "onBeforeSpawn, SubagentStart";
                /// a child agent ended; a stop forces it to go on
                opens subagent_stop: SubagentStop => Gate<SubagentStop>,
                    rewrites Never, "SubagentStop, subagent_stop";
                /// the model finished its response; a stop forces it to go on
                opens stop: Stop => Gate<Stop>,
                    rewrites Never, "Stop, stop, AfterAgent";
                /// the cap on iterations is reached, or a person allowed more
                closes max_iterations: MaxIterations => Gate<MaxIterations>,
                    rewrites Never, "on_max_iterations, on_session_resume";
                /// before a task is routed to an agent
                closes route: Route => Decision<Route>,
                    rewrites String, "squad_route, routing middleware";
                /// a working copy was made for a session
                closes worktree_created: WorktreeCreated => Gate<WorktreeCreated>,
                    rewrites Never, "worktree_create";
            }
            informing {
                /// a session begins or resumes
                session_start: SessionStart => ContextPatch, "sessionStart, SessionStart";
                /// a session ends, with what it used
                session_end: SessionEnd => (), "sessionEnd, SessionEnd";
                /// a turn (one model call and its tools) begins; what it adds is transient
                turn_start: TurnStart => ContextPatch, "turn_start";
                /// a turn ends, on every way out, with the reason
                turn_end: TurnEnd => (), "turn_end";
                /// the verdict about a tool call is known, before the tool runs
                tool_decided: ToolDecided => (), "on_tool_approval_decision";
                /// the agent waits for a person
                user_input_requested: UserInputRequested => (), "on_user_input";
                /// something failed: model, tool, network, permission, context overflow
                error_occurred: ErrorOccurred => Recovery, "errorOccurred, on_error";
                /// the context was compacted, with the summary
                post_compact: PostCompact => (), "after_compaction, PostCompact";
                /// a child agent exists
                subagent_spawned: SubagentSpawned => (), "onAfterSpawn";
                /// a child agent could not be created
                spawn_failed: SpawnFailed => Recovery, "onSpawnError";
                /// one agent handed over to another
                agent_switched: AgentSwitched => (), "on_agent_switch";
                /// a warning or an error of the runtime
                notification: Notification => (), "notification, Notification";
            }
        }
    };
}

pub(crate) use for_each_event;
