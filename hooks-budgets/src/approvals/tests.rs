use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::drivers::{Approval, ApprovalRequest};
use hooks_core::event::PreToolUse;
use hooks_core::state::{Key, Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{SeededRandom, Timer};
use hooks_core::{HookContext, HookFuture, HookRequest, Reason};
use hooks_redaction::Scrubber;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::digest::digest;
use super::{ApprovalCode, ApprovalError, Approvals};

fn context() -> HookContext {
    HookContext::new("session-1", "backend").in_dir("/repo/app")
}

fn question_in(context: HookContext, tool: &str, args: Value) -> ApprovalRequest {
    let request = HookRequest::new(context, PreToolUse::new(tool, args));
    ApprovalRequest::new(request, vec![Reason::new("rules", "r", "think twice")])
}

fn question(args: Value) -> ApprovalRequest {
    question_in(context(), "bash", args)
}

fn push() -> ApprovalRequest {
    question(json!({"command": "git push"}))
}

fn approvals(store: &Arc<dyn StateStore>, seed: u64) -> Approvals {
    Approvals::new(Arc::clone(store), Arc::new(SeededRandom::new(seed)))
}

fn memory(time: &VirtualTime) -> Arc<dyn StateStore> {
    Arc::new(Memory::new(Arc::new(time.clone())))
}

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("memory answers at once")
}

fn code_of(approval: Approval) -> ApprovalCode {
    let Approval::Pending(code) = approval else { panic!("{approval:?}") };
    code.parse().unwrap()
}

fn approve(approvals: &Approvals, question: &ApprovalRequest) {
    let code = code_of(now(approvals.pass_or_wait(question)).unwrap());
    let tenant = question.request.context().tenant.clone();
    let call = now(approvals.find(tenant.as_deref(), &code)).unwrap().expect("it waits");
    now(approvals.approve(&call, "Ada")).unwrap();
}

#[test]
fn an_approved_call_passes_once_in_any_process_and_no_other_does() {
    let store = memory(&VirtualTime::default());
    let (first, second) = (approvals(&store, 1), approvals(&store, 2));
    let code = code_of(now(first.pass_or_wait(&push())).unwrap());
    assert_eq!(code_of(now(second.pass_or_wait(&push())).unwrap()), code, "the same call has the same code");
    approve(&first, &push());
    let other = question(json!({"command": "git push --force"}));
    assert_ne!(code_of(now(second.pass_or_wait(&other)).unwrap()), code);
    assert_eq!(now(second.pass_or_wait(&push())), Ok(Approval::Approved));
    assert_eq!(code_of(now(first.pass_or_wait(&push())).unwrap()), code, "the approval is used up");
    assert_eq!(code_of(now(second.pass_or_wait(&push())).unwrap()), code);
}

#[test]
fn an_approval_ends_after_ten_minutes_and_a_call_after_a_day() {
    let time = VirtualTime::default();
    let store = memory(&time);
    let approvals = approvals(&store, 1);
    let sleep = |seconds| time.block_on(time.sleep(Duration::from_secs(seconds))).unwrap();
    approve(&approvals, &push());
    sleep(599);
    assert_eq!(now(approvals.pass_or_wait(&push())), Ok(Approval::Approved));
    sleep(61);
    approve(&approvals, &push());
    sleep(600);
    assert!(now(approvals.waiting(None)).unwrap().is_empty());
    let code = code_of(now(approvals.pass_or_wait(&push())).unwrap());
    assert!(now(approvals.find(None, &code)).unwrap().is_some());
    sleep(24 * 60 * 60);
    assert_eq!(now(approvals.find(None, &code)).unwrap(), None);
}

#[test]
fn whoever_approves_sees_the_call_that_will_run() {
    let store = memory(&VirtualTime::default());
    let approvals = approvals(&store, 1).from_client("claude").redacted_by(Scrubber::all());
    let secret = question(json!({"command": "mail ada@example.com", "list": [1, null]}));
    let code = code_of(now(approvals.pass_or_wait(&secret)).unwrap());
    let call = now(approvals.find(None, &code)).unwrap().unwrap();
    assert!(!call.arguments.contains("ada@example.com"), "{}", call.arguments);
    assert!(call.arguments.contains("mail ") && call.arguments.contains("[1,null]") && !call.is_cut);
    assert_eq!((&*call.tool, &*call.agent, &*call.folder), ("bash", "backend", "/repo/app"));
    assert_eq!((call.client.as_deref(), &*call.reasons), (Some("claude"), &["think twice".to_owned()][..]));
    let long = question(json!({"command": "é".repeat(20_000)}));
    let code = code_of(now(approvals.pass_or_wait(&long)).unwrap());
    let call = now(approvals.find(None, &code)).unwrap().unwrap();
    assert!(call.is_cut && call.arguments.len() < 9_000);
}

#[test]
fn a_call_that_changed_after_it_was_shown_is_not_approved() {
    let store = memory(&VirtualTime::default());
    let approvals = approvals(&store, 1);
    let code = code_of(now(approvals.pass_or_wait(&push())).unwrap());
    let shown = now(approvals.find(None, &code)).unwrap().unwrap();
    now(approvals.approve(&shown, "Ada")).unwrap();
    assert_eq!(now(approvals.pass_or_wait(&push())), Ok(Approval::Approved));
    assert_eq!(now(approvals.approve(&shown, "Ada")), Err(ApprovalError::Changed));
    assert!(matches!(now(approvals.pass_or_wait(&push())), Ok(Approval::Pending(_))));
}

#[test]
fn another_call_with_the_same_code_neither_passes_nor_replaces_it() {
    let store = memory(&VirtualTime::default());
    let approvals = approvals(&store, 1);
    let code = code_of(now(approvals.pass_or_wait(&push())).unwrap());
    // An agent that finds two calls with one code, of which a person saw the other.
    let key = Key::new(None, &["approvals", code.as_str()]);
    let StepResult::Value(Some((value, _))) = now(store.apply(Op::Get { key: key.clone() })).unwrap() else {
        panic!("it is stored")
    };
    let mut entry: Value = serde_json::from_str(&value).unwrap();
    entry["digest"] = "00".repeat(32).into();
    for state in [json!("waiting"), json!({"approved": {"by": "Ada", "until": u64::MAX}})] {
        entry["state"] = state;
        let value = entry.to_string().into();
        now(store.apply(Op::Put { key: key.clone(), value, ttl: None })).unwrap();
        assert_eq!(now(approvals.pass_or_wait(&push())), Err(ApprovalError::CodeInUse));
    }
    for damaged in ["", "{}", "null", "[1"] {
        now(store.apply(Op::Put { key: key.clone(), value: damaged.into(), ttl: None })).unwrap();
        assert_eq!(now(approvals.find(None, &code)).unwrap(), None);
        assert!(matches!(now(approvals.pass_or_wait(&push())), Ok(Approval::Pending(_))), "{damaged}");
    }
}

#[test]
fn a_bounded_number_of_calls_waits_and_approved_ones_stay() {
    let time = VirtualTime::default();
    let store = memory(&time);
    let approvals = approvals(&store, 1);
    approve(&approvals, &push());
    for number in 0..200 {
        time.block_on(time.sleep(Duration::from_secs(1))).unwrap();
        let question = question(json!({"command": format!("echo {number}")}));
        code_of(now(approvals.pass_or_wait(&question)).unwrap());
    }
    let waiting = now(approvals.waiting(None)).unwrap();
    assert!(waiting.len() <= 64, "{}", waiting.len());
    assert!(waiting.iter().any(|call| call.arguments.contains("echo 199")));
    assert_eq!(now(approvals.pass_or_wait(&push())), Ok(Approval::Approved));
}

/// A store that runs `meanwhile` before the given operation, or fails at it.
struct Meddled {
    store: Arc<dyn StateStore>,
    at: AtomicUsize,
    meanwhile: Box<dyn Fn() -> Option<StoreError> + Send + Sync>,
}

impl StateStore for Meddled {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        if self.at.fetch_sub(1, Ordering::SeqCst) == 0
            && let Some(error) = (self.meanwhile)()
        {
            return HookFuture::now(Err(error));
        }
        self.store.apply(op)
    }
}

#[test]
fn of_two_processes_one_passes_whenever_the_other_comes_between() {
    for at in 0..8 {
        let store = memory(&VirtualTime::default());
        let (other, passed) = (approvals(&store, 2), Arc::new(AtomicUsize::new(0)));
        approve(&other, &push());
        let count = Arc::clone(&passed);
        let meanwhile = Box::new(move || {
            let passes = now(other.pass_or_wait(&push())) == Ok(Approval::Approved);
            count.fetch_add(usize::from(passes), Ordering::SeqCst);
            None
        });
        let meddled = Meddled { store, at: AtomicUsize::new(at), meanwhile };
        let ours = approvals(&(Arc::new(meddled) as _), 1);
        for _ in 0..4 {
            let passes = now(ours.pass_or_wait(&push())) == Ok(Approval::Approved);
            passed.fetch_add(usize::from(passes), Ordering::SeqCst);
        }
        assert_eq!(passed.load(Ordering::SeqCst), 1, "the other came before operation {at}");
    }
}

#[test]
fn nothing_passes_without_the_store() {
    for at in 0..3 {
        let store = memory(&VirtualTime::default());
        approve(&approvals(&store, 2), &push());
        let meanwhile = Box::new(|| Some(StoreError::Unavailable("it is gone".to_owned())));
        let meddled = Meddled { store, at: AtomicUsize::new(at), meanwhile };
        let ours = approvals(&(Arc::new(meddled) as _), 1);
        assert!(matches!(now(ours.pass_or_wait(&push())), Err(ApprovalError::Store(_))), "operation {at}");
    }
}

#[test]
fn a_call_depends_on_everything_that_it_does() {
    let args = || json!({"command": "ls"});
    let plain = digest(&question(args()).request);
    let mut agent = context();
    agent.agent_name = "lead".to_owned();
    let mut session = context();
    session.session_id = "session-2".to_owned();
    let mut root = context();
    root.team_root = Some("/repo".into());
    for other in [
        question_in(agent, "bash", args()),
        question_in(root, "bash", args()),
        question_in(context().in_dir("/repo/app/src"), "bash", args()),
        question_in(context().for_tenant(""), "bash", args()),
        question_in(context(), "shell", args()),
        question(json!({"command": "ls", "timeout": 1})),
    ] {
        assert_ne!(digest(&other.request), plain, "{other:?}");
    }
    assert_eq!(digest(&question_in(session, "bash", args()).request), plain, "in another session");
    let deep = (0..300).fold(Value::Null, |inner, _| json!([inner]));
    assert_eq!(digest(&question(deep.clone()).request), None);
    let store = memory(&VirtualTime::default());
    assert_eq!(now(approvals(&store, 1).pass_or_wait(&question(deep))), Err(ApprovalError::TooDeep));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        "[a-b\\[\\]:,\"]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-b]{0,2}", inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn two_calls_have_one_digest_only_if_they_are_equal(one in values(), other in values()) {
        let of = |args: &Value| digest(&question(args.clone()).request);
        prop_assert_eq!(of(&one) == of(&other), one == other, "{} {}", one, other);
    }

    #[test]
    fn any_text_is_a_code_or_an_error(text in "\\PC{0,16}") {
        if let Ok(code) = text.parse::<ApprovalCode>() {
            prop_assert_eq!(code.to_string().parse::<ApprovalCode>(), Ok(code));
        }
    }

    #[test]
    fn a_code_is_typed_in_any_case(digest in any::<[u8; 32]>()) {
        let code = ApprovalCode::from_digest(&digest);
        for typed in [code.to_string(), code.as_str().to_lowercase(), code.as_str().replace('-', "")] {
            prop_assert_eq!(typed.parse::<ApprovalCode>(), Ok(code.clone()));
        }
        prop_assert_eq!(code.as_str().len(), 9);
    }
}
