//! The table of events.

/// Calls a macro with all rows. A row has the meaning of a failing hook (law 3), the name, the type, the
/// outcome, the rewrite type, and the names in other systems. `closes` means that a failure is a denial;
/// `opens` means that the hook is passed over and the failure is recorded.
///
/// Crates of this workspace that need only the types call `for_each_event_type`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_event {
    ($callback:ident) => { $crate::for_each_event! { [$callback] } };
    // What is given in braces comes before the rows.
    ([$($callback:tt)+] $({ $($given:tt)* })?) => {
        $($callback)+! {
            $($($given)*)?
            deciding {
                /// each user message, before the model sees it
                closes user_prompt_submitted: UserPromptSubmitted => PromptOutcome,
                    rewrites String, "userPromptSubmitted, UserPromptSubmit, user_prompt_submit, BeforeAgent"
                    methods prepare_user_prompt_submitted judge_user_prompt_submitted reserve_user_prompt_submitted observe_user_prompt_submitted;
                /// before each model call
                closes before_model_call: BeforeModelCall => Gate<BeforeModelCall>,
                    rewrites ModelRewrite, "before_llm_call, BeforeModel"
                    methods prepare_before_model_call judge_before_model_call reserve_before_model_call observe_before_model_call;
                /// after each model call, with tokens and cost
                closes after_model_call: AfterModelCall => Gate<AfterModelCall>,
                    rewrites Message, "after_llm_call, AfterModel"
                    methods prepare_after_model_call judge_after_model_call reserve_after_model_call observe_after_model_call;
                /// before a tool runs
                closes pre_tool_use: PreToolUse => Decision<PreToolUse>,
                    rewrites Value, "preToolUse, BeforeTool, tool_guard, tool_input_transform"
                    methods prepare_pre_tool_use judge_pre_tool_use reserve_pre_tool_use observe_pre_tool_use;
                /// before a person would be asked
                closes permission_request: PermissionRequest => Decision<PermissionRequest>,
                    rewrites Never, "permission_request, PermissionRequest"
                    methods prepare_permission_request judge_permission_request reserve_permission_request observe_permission_request;
                /// after a tool ran, successfully or not
                closes post_tool_use: PostToolUse => ResultPatch,
                    rewrites ResultRewrite, "postToolUse, AfterTool, PostToolUseFailure, tool_response_transform"
                    methods prepare_post_tool_use judge_post_tool_use reserve_post_tool_use observe_post_tool_use;
                /// before the context is compacted
                opens pre_compact: PreCompact => CompactOutcome,
                    rewrites Never, "PreCompact, pre_compact, before_compaction"
                    methods prepare_pre_compact judge_pre_compact reserve_pre_compact observe_pre_compact;
                /// before a child agent is created
                closes subagent_start: SubagentStart => Decision<SubagentStart>,
                    rewrites SpawnRewrite, "onBeforeSpawn, SubagentStart"
                    methods prepare_subagent_start judge_subagent_start reserve_subagent_start observe_subagent_start;
                /// a child agent ended; a stop forces it to go on
                opens subagent_stop: SubagentStop => Gate<SubagentStop>,
                    rewrites Never, "SubagentStop, subagent_stop"
                    methods prepare_subagent_stop judge_subagent_stop reserve_subagent_stop observe_subagent_stop;
                /// the model finished its response; a stop forces it to go on
                opens stop: Stop => Gate<Stop>,
                    rewrites Never, "Stop, stop, AfterAgent"
                    methods prepare_stop judge_stop reserve_stop observe_stop;
                /// the cap on iterations is reached, or a person allowed more
                closes max_iterations: MaxIterations => Gate<MaxIterations>,
                    rewrites Never, "on_max_iterations, on_session_resume"
                    methods prepare_max_iterations judge_max_iterations reserve_max_iterations observe_max_iterations;
                /// before a task is routed to an agent
                closes route: Route => Decision<Route>,
                    rewrites String, "squad_route, routing middleware"
                    methods prepare_route judge_route reserve_route observe_route;
                /// a working copy was made for a session
                closes worktree_created: WorktreeCreated => Gate<WorktreeCreated>,
                    rewrites Never, "worktree_create"
                    methods prepare_worktree_created judge_worktree_created reserve_worktree_created observe_worktree_created;
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

/// Calls the macro in brackets with what is given in braces, then the types of the events that hooks decide about, then those
/// of the events that inform. Lists of events in other crates are made of it, so that a new event is in all
/// of them, or does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_event_type {
    (
        @rows [$($callback:tt)+] { $($given:tt)* }
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        $($callback)+! { $($given)* deciding { $($DType)* } informing { $($IType)* } }
    };
    ([$($callback:tt)+] { $($given:tt)* }) => {
        $crate::for_each_event! { [$crate::for_each_event_type] { @rows [$($callback)+] { $($given)* } } }
    };
}
