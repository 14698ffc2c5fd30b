/** One run as a picture: down is later, further in is part of what stands above; aside is what happens only sometimes. */
export const lifecycle = `
worktree_create ........................ the run has a git worktree of its own
session_start
│
├─ user_prompt_submit .................. user_followup_submit for a queued message
├─ before_run
│  │
│  │  ┌─ turn_start ◀─────────────────────────────────────────────────┐
│  │  │  before_llm_call                                              │
│  │  │    the model answers ............. model_fallback             │
│  │  │  after_llm_call                                               │
│  │  │                                                               │
│  │  │  for every tool call:                                         │
│  │  │    pre_tool_use                    may rewrite the input      │
│  │  │    tool_guard                      judges the final input     │
│  │  │    permission_request ............ when the user must approve │
│  │  │    on_tool_approval_decision                                  │
│  │  │      the tool runs ............... on_completion_claim        │
│  │  │    tool_response_transform                                    │
│  │  │    post_tool_use ................. post_tool_use_failure      │
│  │  │                                                               │
│  │  │  when there is none:                                          │
│  │  │    on_response_end                                            │
│  │  │    stop                            deny: do it again          │
│  │  │                                                               │
│  │  │  user_steering_messages_submit ... sent while it was working  │
│  │  └─ turn_end ── more to do ──────────────────────────────────────┘
│  │
├─ after_run ........................... run_error when it failed
│
session_end

at any time
  subagent_start … subagent_stop         a sub-agent lives a run of its own in between
  on_agent_switch                        another agent becomes active
  pre_compact, before_compaction, after_compaction
  on_max_iterations, on_session_resume   the limit was reached; the user let it go on
  on_user_input, notification, on_error, on_outbound_message
`.trim()
