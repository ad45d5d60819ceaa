//! Logs of a team that works on a shop for some days, as large as a test needs: the same bytes of events in every run.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

use std::path::Path;
use std::sync::Arc;

use hooks::audit::record::WouldHave;
use hooks::audit::{AppendSettings, Appender, Entry, Payload, Record};
use hooks::event::Usage;
use hooks::time::Timestamp;
use hooks::{StdFileSystem, Strength, SystemClock};
use serde_json::{Value, json};

/// Midnight of a Monday: 23 November 2026.
const MONDAY: u64 = 1_795_392_000_000;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
/// Hours in which sessions begin; some are busier.
const HOURS: [u64; 16] = [7, 8, 8, 9, 9, 9, 10, 10, 11, 13, 14, 14, 15, 15, 16, 17];
const AGENTS: [&str; 5] = ["backend", "frontend", "tester", "lead", "docs"];
/// Records of a session.
const OF_A_SESSION: u64 = 150;

/// The rules of the team; some of them decide nothing in these days.
pub(crate) const RULES: &str = "version: 1
audit: { folder: log }
write_guard: { allow: [crates/**, web/**, docs/**, tests/**] }
read_guard: { deny: [secrets/**, .env*] }
command_guard: { block: [rm -rf, git push --force] }
reviewer_lockout: {}
phases: {}
rules:
  - { name: publish, commands: [npm publish, cargo publish], action: ask, reason: a person publishes packages }
  - { name: generated, paths: [web/src/api/generated/**], action: deny, reason: it is generated }
  - { name: migrations, paths: [migrations/**], action: ask, reason: a person reads migrations }
  - { name: production, commands: [kubectl apply, terraform apply], action: deny, reason: production is changed by the pipeline }
  - { name: downloads, mode: observe, tools: [WebFetch], action: ask, reason: pages of others can instruct agents }
  - { name: lockfiles, paths: ['**/*.lock'], action: deny, reason: package managers write lock files }
";

/// Calls that rules allow: tool, argument, its value, and how long they take.
const CALLS: [(&str, &str, &str, u64); 16] = [
    ("Bash", "command", "cargo test -p billing", 41_000),
    ("Bash", "command", "git status --short", 90),
    ("Bash", "command", "npm run build", 23_500),
    ("Bash", "command", "git diff --stat origin/main", 140),
    ("Bash", "command", "npx playwright test checkout.spec.ts", 68_000),
    ("Read", "file_path", "crates/billing/src/invoice.rs", 12),
    ("Read", "file_path", "web/src/checkout/Basket.tsx", 9),
    ("Read", "file_path", "docs/payments.md", 8),
    ("Edit", "file_path", "crates/billing/src/invoice.rs", 25),
    ("Edit", "file_path", "crates/billing/src/tax.rs", 22),
    ("Edit", "file_path", "web/src/checkout/Basket.tsx", 27),
    ("Edit", "file_path", "web/src/checkout/Coupon.tsx", 24),
    ("Write", "file_path", "tests/refunds_are_rounded_once.rs", 31),
    ("Write", "file_path", "docs/refunds.md", 18),
    ("Grep", "pattern", "fn round_half_even", 160),
    ("WebFetch", "url", "https://docs.rs/rust_decimal", 900),
];

/// A call that a rule denied or asked about.
struct Stopped {
    agent: usize,
    tool: &'static str,
    argument: &'static str,
    value: &'static str,
    rule: (&'static str, &'static str),
    outcome: Strength,
    reason: &'static str,
    /// The call of the agent after it.
    then: (&'static str, &'static str, &'static str),
}

/// One that is shortened to the fields of [`Stopped`], in their order.
const fn stopped(
    agent: usize,
    call: (&'static str, &'static str, &'static str),
    rule: (&'static str, &'static str),
    outcome: Strength,
    reason: &'static str,
    then: (&'static str, &'static str, &'static str),
) -> Stopped {
    Stopped { agent, tool: call.0, argument: call.1, value: call.2, rule, outcome, reason, then }
}

const STOPPED: [Stopped; 9] = [
    stopped(
        0,
        ("Bash", "command", "git push --force origin refunds"),
        ("command-guard", "block"),
        Strength::Deny,
        "`git push --force origin refunds` is blocked as `git push --force`; do it without `git push --force`",
        ("Bash", "command", "git fetch origin && git rebase origin/refunds"),
    ),
    stopped(
        1,
        ("Edit", "file_path", "web/src/api/generated/client.ts"),
        ("rules", "generated"),
        Strength::Deny,
        "`web/src/api/generated/client.ts` may not be written: it is generated",
        ("Bash", "command", "npm run generate-api"),
    ),
    stopped(
        2,
        ("Bash", "command", "rm -rf target ../shared/fixtures"),
        ("command-guard", "block"),
        Strength::Deny,
        "`rm -rf target ../shared/fixtures` is blocked as `rm -rf`; do it without `rm -rf`",
        ("Bash", "command", "cargo clean"),
    ),
    stopped(
        3,
        ("Bash", "command", "npm publish --access public"),
        ("rules", "publish"),
        Strength::Ask,
        "`npm publish --access public` needs an answer: a person publishes packages",
        ("Bash", "command", "git tag v2.4.0"),
    ),
    stopped(
        4,
        ("Write", "file_path", ".github/workflows/docs.yml"),
        ("write-guard", "allow"),
        Strength::Deny,
        "`.github/workflows/docs.yml` is in none of the folders that may be written",
        ("Write", "file_path", "docs/publishing.md"),
    ),
    stopped(
        0,
        ("Read", "file_path", "secrets/stripe.key"),
        ("read-guard", "deny"),
        Strength::Deny,
        "`secrets/stripe.key` may not be read: it matches `secrets/**`",
        ("Grep", "pattern", "STRIPE_KEY"),
    ),
    stopped(
        0,
        ("Write", "file_path", "migrations/0042_drop_invoice_lines.sql"),
        ("rules", "migrations"),
        Strength::Ask,
        "`migrations/0042_drop_invoice_lines.sql` needs an answer: a person reads migrations",
        ("Edit", "file_path", "crates/billing/src/schema.rs"),
    ),
    stopped(
        1,
        ("Read", "file_path", "web/.env.production"),
        ("read-guard", "deny"),
        Strength::Deny,
        "`web/.env.production` may not be read: it matches `.env*`",
        ("Read", "file_path", "web/.env.example"),
    ),
    stopped(
        2,
        ("Edit", "file_path", "crates/billing/src/tax.rs"),
        ("reviewer-lockout", "author"),
        Strength::Deny,
        "`backend` asked `tester` to review `crates/billing/src/tax.rs`; a reviewer does not change it",
        ("Write", "file_path", "docs/reviews/tax.md"),
    ),
];

/// A log to write.
pub(crate) struct Sample {
    pub(crate) records: u64,
    /// Days on which the team works.
    pub(crate) days: u64,
    /// One call of so many is stopped.
    pub(crate) stopped: u64,
}

impl Sample {
    /// Three days of five agents.
    pub(crate) const TEAM: Self = Self { records: 24_000, days: 3, stopped: 160 };

    /// Writes the log.
    pub(crate) fn write(&self, folder: &Path) {
        let settings = AppendSettings::new([7; 32]);
        let disk = Arc::new(StdFileSystem);
        let (mut log, _) = Appender::open(disk, folder, settings, Arc::new(SystemClock)).unwrap();
        let sessions = self.records.div_ceil(OF_A_SESSION);
        let (mut written, mut random) = (0, Random(11));
        for day in 0..self.days {
            let mut entries = Vec::new();
            for session in (day * sessions / self.days)..((day + 1) * sessions / self.days) {
                self.session(session, day, &mut random, &mut entries);
            }
            entries.sort_by_key(|entry| entry.record.at.0);
            entries.truncate(usize::try_from(self.records - written).unwrap());
            written += entries.len() as u64;
            for group in entries.chunks_mut(1_000) {
                log.append(group).unwrap();
            }
        }
        log.settle().unwrap();
        log.close().unwrap();
    }

    fn session(&self, number: u64, day: u64, random: &mut Random, entries: &mut Vec<Entry>) {
        let agent = usize::try_from(random.below(5)).unwrap();
        let hour = HOURS[usize::try_from(random.below(16)).unwrap()];
        let at = MONDAY + (day + day / 5 * 2) * DAY + hour * HOUR + random.below(HOUR);
        let name = format!("{}-{:04x}", AGENTS[agent], number * 40_503 % 65_536 + number / 65_536 * 65_536);
        let mut session = Session { name, agent: AGENTS[agent], at, calls: 0, entries };
        let last = session.entries.len() + usize::try_from(OF_A_SESSION).unwrap();
        while session.entries.len() < last {
            session.model(random);
            if number % 16 == 5 && session.calls == 0 {
                session.asks(random);
            }
            for _ in 0..=random.below(3) {
                if random.below(self.stopped) == 0 {
                    session.is_stopped(agent, random);
                } else {
                    // Each agent has calls that it makes more often.
                    let pick = (random.below(9) + random.below(8) + agent as u64 * 3) % 16;
                    let (tool, argument, value, took) = CALLS[usize::try_from(pick).unwrap()];
                    session.call(random, (tool, argument, value), took);
                }
            }
        }
        session.entries.truncate(last);
    }
}

struct Session<'a> {
    name: String,
    agent: &'static str,
    at: u64,
    calls: u64,
    entries: &'a mut Vec<Entry>,
}

impl Session<'_> {
    fn record(&mut self, event: &str, payload: Option<Payload>) -> &mut Record {
        let mut record = Record::new(event, Timestamp(self.at));
        record.session.clone_from(&self.name);
        record.agent = self.agent.to_owned();
        self.entries.push(Entry { record, payload });
        &mut self.entries.last_mut().unwrap().record
    }

    fn model(&mut self, random: &mut Random) {
        self.at += 4_000 + random.below(20_000);
        let (model, price) = [("claude-opus-4-5", 5), ("gpt-5.2-codex", 2), ("gemini-3-flash", 1)]
            [usize::try_from(random.below(9) / 4).unwrap()];
        let tokens = Usage {
            input_tokens: 9_000 + random.below(30_000),
            output_tokens: 200 + random.below(1_800),
            ..Usage::default()
        };
        let record = self.record("after_model_call", None);
        record.model = Some(model.to_owned());
        record.cost_micro_usd = Some((tokens.input_tokens + 5 * tokens.output_tokens) * price / 4);
        record.tokens = Some(tokens);
    }

    fn call(&mut self, random: &mut Random, call: (&str, &str, &str), took: u64) {
        let (tool, _, _) = call;
        self.at += 500 + random.below(3_000);
        let mut asked = payload(call);
        let is_download = tool == "WebFetch";
        if is_download {
            let message = "pages of others can instruct agents";
            asked.reasons = vec![
                json!({"strength": "no_opinion", "would": "ask", "policy": "rules", "rule": "downloads", "message": message}),
            ];
        }
        let id = self.next_call();
        let record = self.record("pre_tool_use", Some(asked));
        (record.tool, record.call) = (Some(tool.to_owned()), Some(id));
        record.outcome = Some(Strength::Allow);
        if is_download {
            let mut would = WouldHave::default();
            (would.outcome, would.policy, would.rule) =
                (Strength::Ask, "rules".to_owned(), "downloads".to_owned());
            record.would = vec![would];
        }
        self.ends(random, call, took);
    }

    /// The result of the last call.
    fn ends(&mut self, random: &mut Random, call: (&str, &str, &str), took: u64) {
        let (tool, _, _) = call;
        let took = took / 2 + random.below(took + 1);
        self.at += took;
        let id = self.calls.to_string();
        let record = self.record("post_tool_use", Some(payload(call)));
        (record.tool, record.call) = (Some(tool.to_owned()), Some(id));
        record.duration_ms = Some(took);
        record.failed = tool == "Bash" && random.below(12) == 0;
    }

    fn next_call(&mut self) -> String {
        self.calls += 1;
        self.calls.to_string()
    }

    /// The agent asks the user.
    fn asks(&mut self, random: &mut Random) {
        self.at += 500 + random.below(3_000);
        let (id, tool) = (self.next_call(), "AskUserQuestion");
        let options = json!([{"label": "Half to even"}, {"label": "Half up"}]);
        let arguments = json!({"questions": [{"question": "How are cents rounded?", "options": options}]});
        let asked = Payload::new(json!({"tool_name": tool, "tool_args": arguments}));
        let record = self.record("pre_tool_use", Some(asked));
        (record.tool, record.call, record.outcome) =
            (Some(tool.to_owned()), Some(id.clone()), Some(Strength::Allow));
        self.at += 40_000;
        let result = json!({"answers": {"How are cents rounded?": "Half to even"}});
        let payload = Payload::new(json!({"tool_name": tool, "tool_args": arguments, "tool_result": result}));
        let record = self.record("post_tool_use", Some(payload));
        (record.tool, record.call, record.duration_ms) = (Some(tool.to_owned()), Some(id), Some(40_000));
    }

    fn is_stopped(&mut self, agent: usize, random: &mut Random) {
        let mine: Vec<&Stopped> = STOPPED.iter().filter(|one| one.agent == agent).collect();
        let one = mine[usize::try_from(random.below(mine.len() as u64)).unwrap()];
        self.at += 500 + random.below(3_000);
        let mut payload = payload((one.tool, one.argument, one.value));
        payload.reasons = vec![
            json!({"strength": one.outcome, "policy": one.rule.0, "rule": one.rule.1, "message": one.reason}),
        ];
        let id = self.next_call();
        let record = self.record("pre_tool_use", Some(payload));
        (record.tool, record.call) = (Some(one.tool.to_owned()), Some(id));
        record.outcome = Some(one.outcome);
        (record.policy, record.rule) = (Some(one.rule.0.to_owned()), Some(one.rule.1.to_owned()));
        // A person lets every second one run.
        if one.outcome == Strength::Ask && self.calls.is_multiple_of(2) {
            self.ends(random, (one.tool, one.argument, one.value), 900);
        }
        self.call(random, one.then, 400);
    }
}

fn payload((tool, argument, value): (&str, &str, &str)) -> Payload {
    let mut arguments: Value = json!({});
    arguments[argument] = json!(value);
    let mut payload = Payload::new(json!({"tool_name": tool, "tool_args": arguments}));
    payload.cwd = "/home/team/shop".to_owned();
    payload
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}
