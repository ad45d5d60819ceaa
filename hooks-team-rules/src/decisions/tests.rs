use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, assert_policy_laws};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Decisions, each with a call that breaks it: `$ COMMAND`, or `PATH: TEXT`.
const BROKEN: &[(&str, &str)] = &[
    ("Never use jQuery.", "src/a.js: import $ from 'jquery'"),
    ("We have decided against GraphQL.", "src/a.js: import { graphql } from 'graphql'"),
    ("Don't reach for lodash; the standard library is enough.", "src/a.js: import _ from 'lodash'"),
    ("The `left-pad` package may not be used.", "$ npm i left-pad"),
    (
        "All HTTP calls go through `got`. Do not import `axios` anywhere except `src/http/`.",
        "src/a.ts: import axios from 'axios'",
    ),
    ("Ban `eval`.", "src/a.js: eval(x)"),
    ("No `console.log` in production code.", "src/a.js: console.log(1)"),
    ("We switched from Mocha to Vitest.", "$ npm i -D mocha"),
    ("We migrated off Webpack.", "$ pnpm add -D webpack"),
    ("Yarn is not allowed; use npm.", "$ yarn add x"),
    ("Never run `docker system prune`.", "$ docker system prune -af"),
    ("Do not touch `Cargo.lock` by hand.", "Cargo.lock: x"),
    ("Database: PostgreSQL instead of MySQL.", "$ pip install pymysql"),
    ("Let's not use Redis for sessions.", "a.py: import redis"),
    ("MongoDB is out of the question.", "$ npm i mongoose"),
    ("Please avoid default exports.", "src/a.ts: export default 1"),
    ("We do not write class components any more.", "src/a.tsx: class A extends React.Component {}"),
    ("Files under `legacy/` are read-only.", "legacy/a.py: x"),
    ("Nothing in `infra/` may be changed by agents.", "infra/main.tf: x"),
    ("Never commit to `.env`.", ".env: A=1"),
    ("`request` is deprecated and must not be used in new code.", "a.js: const r = require('request')"),
    ("We use Tailwind rather than Bootstrap.", "$ npm i bootstrap"),
    ("Only use `pnpm`; never `npm install`.", "$ npm install x"),
    ("Prefer `fetch` over `axios`.", "a.ts: import axios from 'axios'"),
    ("The `unsafe` keyword is forbidden outside of `crates/ffi`.", "crates/x/src/lib.rs: unsafe { x }"),
    ("No more `any` in TypeScript.", "a.ts: let a: any = 1"),
    ("`git commit --amend` is forbidden on shared branches.", "$ git commit --amend -m x"),
    ("Do not use `SELECT *` in queries.", "a.py: q = \"SELECT * FROM t\""),
    ("We will not use ORMs like TypeORM or Prisma.", "$ npm i prisma"),
    ("Deprecated: `moment`.", "$ npm i moment"),
    ("axios is forbidden; ky is the replacement.", "a.ts: import axios from 'axios'"),
    ("We stopped using Flask.", "$ pip install flask"),
    ("We're dropping Sass.", "a.scss: x"),
    ("We've moved away from Enzyme.", "a.test.js: import { mount } from 'enzyme'"),
    ("Kubernetes manifests must not use the `latest` tag.", "k8s/a.yaml:       image: acme/web:latest"),
    ("No new dependencies on Guava.", "A.java: import com.google.common.collect.ImmutableList;"),
    (
        "The team agreed to remove Lombok.",
        "pom.xml: <dependency><groupId>org.projectlombok</groupId><artifactId>lombok</artifactId></dependency>",
    ),
    ("Don't use `print` for logging; use `logging`.", "a.py: print(\"x\")"),
    ("`rm -rf` is prohibited.", "$ rm -rf build"),
    ("Never push directly to `main`.", "$ git push origin main"),
    ("Agents must not run database migrations with `alembic upgrade`.", "$ alembic upgrade head"),
    ("We don't do CommonJS: no `require`.", "src/a.js: const x = require('x')"),
    ("Use of `innerHTML` is not permitted.", "src/a.js: el.innerHTML = x"),
    ("`datetime.now()` without a timezone is not allowed.", "a.py: x = datetime.now()"),
    ("Java: no `System.out.println`.", "A.java: System.out.println(1);"),
    ("Rust: `unwrap` is not welcome in `src/`.", "src/a.rs: x.unwrap()"),
    ("CI must not use `actions/checkout@v2`.", ".github/workflows/a.yml:       - uses: actions/checkout@v2"),
    ("Do not import from `internal/secret`.", "a.go: import \"internal/secret\""),
    ("No inline styles.", "a.tsx: <b style={{ a: 1 }}/>"),
    ("`var` is banned, use `const` or `let`.", "a.js: var x = 1;"),
    (
        "The Stripe SDK must only be used in `services/billing`.",
        "services/web/a.ts: import Stripe from 'stripe'",
    ),
    ("Terraform is no longer used, use Pulumi.", "$ terraform init"),
    ("Nobody may edit `schema.sql` directly.", "schema.sql: x"),
    ("Instead of `requests`, use `httpx`.", "$ pip install requests"),
    ("jest was replaced by vitest", "$ npm i jest"),
    ("Do not disable ESLint rules with `eslint-disable`.", "a.js: // eslint-disable-next-line"),
    ("chalk and colors are both gone.", "a.js: import chalk from 'chalk'"),
    ("Do not use `git rebase` on shared branches.", "$ git rebase main"),
    ("Apache Kafka is replaced with NATS.", "$ npm i kafkajs"),
    ("`apps/web` must not import from `apps/admin`.", "apps/web/a.ts: import x from 'apps/admin/y'"),
    ("We banned jQuery last year.", "$ npm i jquery"),
    ("We dropped Gulp.", "$ npm i gulp"),
    ("Node 16 is not supported any more.", "Dockerfile: FROM node:16-alpine"),
    ("Images based on `ubuntu:18.04` are forbidden.", "Dockerfile: FROM ubuntu:18.04"),
    ("No new code in `legacy/`.", "legacy/x.py: x = 1"),
    ("Never write to `dist/`.", "$ cp a.js dist/a.js"),
    ("Frontend code must not use `localStorage`.", "src/a.ts: localStorage.setItem('a', 1)"),
    ("No direct commits to `main`.", "$ git push origin main"),
    ("`assert` must not be used outside tests.", "src/a.py: assert x"),
    ("Use structlog. The stdlib `logging` module is banned.", "a.py: import logging"),
    ("Go: `fmt.Println` is forbidden in `internal/`.", "internal/a.go: fmt.Println(\"x\")"),
    ("Dependencies on `com.sun.*` are prohibited.", "A.java: import com.sun.net.X;"),
    ("`Thread.sleep` is banned in tests.", "src/test/java/A.java: Thread.sleep(10);"),
    ("MD5 must not be used.", "a.py: hashlib.md5(b)"),
    ("Nobody should install global npm packages (`npm install -g`).", "$ npm install -g typescript"),
    ("Under no circumstances use `lodash`.", "$ npm i lodash"),
    ("Do not `git push --force`.", "$ git push --force"),
    ("Never read `process.env` outside `src/config.ts`.", "src/a.ts: const a = process.env.A"),
    ("`float` is banned in `billing/`.", "billing/a.py: x = float(y)"),
    ("We are sunsetting Backbone.", "$ npm i backbone"),
    ("jQuery is considered harmful.", "$ npm i jquery"),
    ("In favor of Playwright, Cypress has been removed.", "$ npm i -D cypress"),
    ("We said goodbye to Bower.", "$ bower install x"),
];

/// Decisions, each with a call that does not break it.
const KEPT: &[(&str, &str)] = &[
    (
        "All HTTP calls go through `got`. Do not import `axios` anywhere except `src/http/`.",
        "src/http/a.ts: import axios from 'axios'",
    ),
    ("No `console.log` in production code.", "scripts/a.js: console.log(1)"),
    ("Use tabs, not spaces.", "src/a.js: let x = 1"),
    ("Only use `pnpm`; never `npm install`.", "$ npm run test"),
    ("Prefer composition over inheritance.", "a.ts: class A extends B {}"),
    ("TODO: discuss whether to ban lodash.", "a.ts: import _ from 'lodash'"),
    ("SQLAlchemy replaces Django ORM in the reports service.", "a.py: import sqlalchemy"),
    ("The `unsafe` keyword is forbidden outside of `crates/ffi`.", "crates/ffi/src/lib.rs: unsafe { x }"),
    ("Do not use `SELECT *` in queries.", "a.sql: SELECT a FROM t; -- SELECT *"),
    ("Strings are in English.", "a.ts: const a = 'Hallo'"),
    ("axios is forbidden; ky is the replacement.", "a.ts: import ky from 'ky'"),
    ("Never push directly to `main`.", "$ git push origin feat/x"),
    ("Do not add packages with a GPL licence.", "$ npm i x"),
    ("Please write tests first.", "a.py: x = 1"),
    ("`var` is banned, use `const` or `let`.", "a.js: const variance = 1;"),
    (
        "The Stripe SDK must only be used in `services/billing`.",
        "services/billing/a.ts: import Stripe from 'stripe'",
    ),
    ("Redux has been removed. Zustand is the way.", "a.ts: import { create } from 'zustand'"),
    ("Never log passwords.", "a.js: logger.info('x')"),
    ("We keep using Express.", "a.js: import express from 'express'"),
    ("We decided to drop support for Python 2.", "a.py: print(\"a\")"),
    ("X-Request-Id headers must not be removed.", "a.js: x = 1"),
    ("`apps/web` must not import from `apps/admin`.", "apps/admin/a.ts: import x from 'apps/admin/y'"),
    ("Never skip pytest in CI.", "$ pip install pytest"),
    ("Do not disable ESLint.", "$ npm i -D eslint"),
    ("Node 16 is not supported any more.", "Dockerfile: FROM node:22-alpine"),
    ("Storing secrets in code is forbidden.", "a.py: x = 1"),
    ("The old `moment` code stays until Q3.", "a.js: import moment from 'moment'"),
    ("Every PR needs two reviews. No exceptions.", "$ gh pr create"),
    ("Keep the README short. Never use emojis.", "README.md: hi"),
    ("No direct SQL in controllers: use repositories.", "src/a.ts: x = 1"),
    ("`assert` must not be used outside tests.", "tests/test_a.py: assert x"),
    ("Go: `fmt.Println` is forbidden in `internal/`.", "cmd/a.go: fmt.Println(\"x\")"),
    ("`Thread.sleep` is banned in tests.", "src/main/java/A.java: Thread.sleep(10);"),
    ("Do not create files in the repository root.", "src/a.py: x"),
    ("We do not use Docker Compose in CI.", "a.py: x = 1"),
    ("Nobody should install global npm packages (`npm install -g`).", "$ npm install typescript"),
    ("Never read `process.env` outside `src/config.ts`.", "src/config.ts: const a = process.env.A"),
    ("Never frobnicate the customer.", "a.py: x = 1"),
    ("Pull requests must not be merged on Fridays.", "$ gh pr merge 3"),
    ("Never block the event loop.", "a.js: await x()"),
    ("Do not forget to run the tests.", "$ npm test"),
    ("No one merges without review.", "$ git merge x"),
    ("Errors must never be swallowed.", "a.py: raise X"),
    ("User passwords are never stored in plain text.", "a.py: x = 1"),
    ("We never deploy on Fridays.", "$ kubectl get pods"),
    ("The API does not return null.", "a.ts: return null"),
    ("Tests must not depend on each other.", "a.test.ts: test('x', () => {})"),
    ("Do not repeat yourself.", "a.ts: x()"),
    ("No meetings before ten.", "a.ts: x()"),
    ("Components must not fetch data; use hooks.", "src/A.tsx: export const A = () => <b/>"),
    ("Never trust user input.", "a.ts: const input = 1"),
    ("No secrets in logs.", "a.ts: log.info(x)"),
    ("No magic numbers.", "a.ts: const a = 3"),
    ("Functions should not be longer than 40 lines.", "a.ts: function f() {}"),
    ("Do not use abbreviations in names.", "a.ts: const cfg = 1"),
    ("Never ship a feature without a flag.", "a.ts: x()"),
    ("Dates are never formatted by hand.", "a.ts: new Date()"),
    ("Nothing is deployed from laptops.", "$ docker build ."),
];

fn denied(decisions: &str, tool: &str, args: Value) -> bool {
    let policy = DecisionPolicy::new(&Decisions::parse(decisions), &Default::default());
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    policy.judge(&HookRequest::new(context, PreToolUse::new(tool, args))).is_final()
}

fn call(text: &str) -> (&'static str, Value) {
    match text.strip_prefix("$ ") {
        Some(command) => ("bash", json!({"command": command})),
        None => {
            let (path, content) = text.split_once(": ").unwrap_or((text, ""));
            ("write", json!({"file_path": path, "content": content}))
        }
    }
}

fn breaks(decisions: &str, text: &str) -> bool {
    let (tool, args) = call(text);
    denied(decisions, tool, args)
}

#[test]
fn calls_that_break_a_decision_are_denied() {
    let missed: Vec<_> =
        BROKEN.iter().filter(|(decision, call)| !breaks(&format!("- {decision}\n"), call)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn calls_that_keep_to_the_decisions_are_not() {
    let wrong: Vec<_> =
        KEPT.iter().filter(|(decision, call)| breaks(&format!("- {decision}\n"), call)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_an_edit_removes_is_not_brought_in() {
    let text = "- Never use jQuery.\n";
    let edit =
        |old: &str, new: &str| denied(text, "edit", json!({"path": "a.js", "old_str": old, "new_str": new}));
    assert!(edit("", "import $ from 'jquery';"));
    assert!(!edit("import $ from 'jquery';", ""));
    assert!(!edit("import $ from 'jquery';\nold();", "import $ from 'jquery';\nnew_();"));
    let patch = |lines: &str| {
        denied(
            text,
            "apply_patch",
            json!({"input": format!("*** Begin Patch\n*** Update File: a.js\n@@\n{lines}\n*** End Patch")}),
        )
    };
    assert!(patch("+import $ from 'jquery';"));
    assert!(!patch("-import $ from 'jquery';"));
}

#[test]
fn decisions_that_do_not_count_forbid_nothing() {
    let call = "$ npm i moment";
    for (decisions, wanted) in [
        ("### 2026-01-01: Dates\n**What:** Never use moment.\n", true),
        ("### 2026-01-01: Dates\n**Status:** superseded by 2026-02-01\n**What:** Never use moment.\n", false),
        ("### 2026-01-01: Dates\n**What:** Never use moment.\n**Superseded by:** 2026-02-01\n", false),
        ("### ADR-7: Dates\nNever use moment.\n\n### ADR-9: Dates again\nReverses ADR-7.\n", false),
        (
            "### 2026-01-01: Dates\nNever use moment.\n\n### 2026-02-01: Dates again\nThe ban of 2026-01-01 is lifted.\n",
            false,
        ),
        ("- Never use moment.\n- moment is allowed again.\n", false),
        ("- moment is allowed.\n- Never use moment.\n", true),
        ("- ~~Never use moment.~~\n", false),
        ("- Should we ban moment?\n", false),
        ("- [ ] ban moment\n- [x] ban lodash\n", false),
        ("### Proposal: dates\nStatus: Proposed\n\nNever use moment.\n", false),
        ("| Topic | Banned | Use instead |\n|---|---|---|\n| Dates | moment | date-fns |\n", true),
    ] {
        assert_eq!(breaks(decisions, call), wanted, "{decisions}");
    }
}

#[test]
fn a_denial_names_the_decision() {
    let decisions = Decisions::parse("### 2026-03-15: HTTP\n**By:** Ada\n**What:** Use fetch, not axios.\n");
    let policy = DecisionPolicy::new(&decisions, &Default::default());
    let event = PreToolUse::new("write", json!({"path": "a.ts", "content": "import a from 'axios';"}));
    let verdict = policy.judge(&HookRequest::new(HookContext::new("s", "a").in_dir("/repo"), event));
    let reason = &verdict.reasons()[0];
    assert_eq!(
        reason.message,
        "the call imports `axios`, which the decision \"HTTP\" (2026-03-15, Ada) forbids"
    );
    assert_eq!(
        reason.for_agent(),
        "the call imports `axios`, which the decision \"HTTP\" (2026-03-15, Ada) forbids; use `fetch`"
    );
    assert!(!reason.evidence.is_empty());
}

#[test]
fn a_rule_block_is_exact() {
    let text = "### Dates\n\nUse what you like.\n\n```rule\npackages: [moment]\nin: [src/**]\nexcept: [src/old/**]\nmatch:\n- \"src/a.ts: import m from 'moment'\"\nno_match:\n- \"src/old/a.ts: import m from 'moment'\"\n```\n";
    assert!(Decisions::parse(text).mistakes().is_empty(), "{:?}", Decisions::parse(text).mistakes());
    assert!(breaks(text, "src/b.ts: import m from 'moment'"));
    assert!(!breaks(text, "src/old/b.ts: import m from 'moment'"));
    let wrong = text.replace("no_match:", "match:");
    assert!(Decisions::parse(&wrong).mistakes()[0].problem.contains("the rule allows it"));
}

#[test]
fn a_mistake_in_a_rule_block_denies() {
    let text = "### Logging\n\n```rule\ncals: [console.log]\n```\n";
    let decisions = Decisions::parse(text);
    let mistake = decisions.mistakes()[0].to_string();
    assert!(
        mistake
            .starts_with("`decisions.md`, decision \"Logging\": line 4: unknown key `cals`; expected one of"),
        "{mistake}"
    );
    assert!(denied(text, "bash", json!({"command": "ls"})));
    assert!(!denied(text, "read_file", json!({"path": "a"})));
}

#[test]
fn the_index_leaves_out_no_rule_that_a_call_breaks() {
    for decisions in BROKEN.chunks(20) {
        let text: String = decisions.iter().map(|(decision, _)| format!("- {decision}\n")).collect();
        let policy = DecisionPolicy::new(&Decisions::parse(&text), &Default::default());
        let slow = policy.clone().without_index();
        for (_, text) in BROKEN.iter().chain(KEPT) {
            let (tool, args) = call(text);
            let (environment, ..) = world(FakeFileSystem::default());
            let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
            let request = HookRequest::new(context, PreToolUse::new(tool, args));
            let (verdict, wanted) = (policy.judge(&request), slow.judge(&request));
            assert_eq!(verdict.reasons(), wanted.reasons(), "{text}");
        }
    }
}

#[test]
fn a_call_is_compared_with_few_of_many_rules() {
    let forms = [
        "Never use `lib-#`.",
        "Hands off `gen#/`.",
        "`call_#()` is banned.",
        "No `git frob#`.",
        "No `x#` in `src/m#/`.",
    ];
    let text = (0..1_000).zip(forms.iter().cycle());
    let text: String =
        text.map(|(number, form)| format!("- {}\n", form.replace('#', &number.to_string()))).collect();
    let policy = DecisionPolicy::new(&Decisions::parse(&text), &Default::default());
    for (text, most) in [
        ("$ cargo test -p acme && git status", 0),
        ("src/a.ts: import a from 'b'; export const c = a.map(x => x + 1);", 0),
        ("$ npm i lib-995", 20),
    ] {
        let (tool, args) = call(text);
        let (environment, ..) = world(FakeFileSystem::default());
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
        let found = policy.candidates(&HookRequest::new(context, PreToolUse::new(tool, args)));
        assert!(found <= most, "{text}: {found}");
    }
}

#[test]
fn a_package_that_is_not_known_before_running_is_denied() {
    let decisions = "- Never use jQuery.\n";
    let denied = |command: &str| denied(decisions, "bash", json!({"command": command}));
    for command in [
        "npm i \"$P\"",
        "npm i a@npm:jquery",
        "npm i @types/$X",
        "npm i https://github.com/jquery/jquery.git",
    ] {
        assert!(denied(command), "{command}");
    }
    for command in ["npm i", "npm i left-pad@$VERSION", "npm run $TASK", "npm i a@npm:lodash"] {
        assert!(!denied(command), "{command}");
    }
}

#[test]
fn what_commands_write_into_files_is_judged() {
    let decisions = "- Never use moment.\n- Hands off `vendor/`.\n";
    let denied = |command: &str| denied(decisions, "bash", json!({"command": command}));
    for command in [
        "sed -i 's/dayjs/import m from \"moment\"/' a.js",
        "git apply <<'E'\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +1 @@\n+import m from 'moment'\nE",
        "rm -r vendor",
        "rm -rf vendor/",
        "mv vendor old",
    ] {
        assert!(denied(command), "{command}");
    }
    for command in ["sed -i 's/moment/dayjs/' a.js", "rm -r vendored", "ls vendor"] {
        assert!(!denied(command), "{command}");
    }
}

#[test]
fn a_ban_in_a_language_covers_its_installers() {
    let decisions = "- Never use moment in TypeScript.\n";
    assert!(breaks(decisions, "$ npm i moment"));
    assert!(breaks(decisions, "package.json: {\"dependencies\": {\"moment\": \"^2\"}}"));
    assert!(!breaks(decisions, "$ pip install moment"));
}

#[test]
fn laws() {
    let decisions =
        Decisions::parse("- Never use moment.\n- Do not edit files below `vendor/`.\n- `eval` is banned.\n");
    assert_policy_laws!(PreToolUse, DecisionPolicy::new(&decisions, &Default::default()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A decision that is added, and that takes no earlier one away, never allows more.
    #[test]
    fn adding_a_decision_never_allows_more(own in prop::sample::subsequence(BROKEN, 1..6), added in prop::sample::select(BROKEN), at in any::<prop::sample::Index>()) {
        let text = |decisions: &[(&str, &str)]| decisions.iter().map(|(decision, _)| format!("- {decision}\n")).collect::<String>();
        let before = text(&own);
        let mut more = own.clone();
        more.insert(at.index(own.len() + 1), added);
        let after = text(&more);
        for (_, call) in BROKEN.iter().chain(KEPT).take(60) {
            prop_assert!(!breaks(&before, call) || breaks(&after, call), "{after} allows {call}");
        }
    }

    /// No text of a decision and no content of a file makes the policy fail.
    #[test]
    fn any_text_is_read(decisions in "[ -~\n`*|é→]{0,120}", path in "[a-z./]{1,12}", content in "[ -~\n]{0,80}") {
        denied(&decisions, "write", json!({"path": path, "content": content}));
        denied(&decisions, "bash", json!({"command": content}));
    }
}

#[test]
fn refusals_that_the_grammar_does_not_understand_are_unclear() {
    let enforcement = |text: &str| Decisions::parse(&format!("- {text}\n")).all()[0].enforcement.clone();
    let long =
        "It was in the spring of a year full of work and of new offices that goodbye to axios came to mind.";
    assert_eq!(enforcement(long), Enforcement::Unclear);
    assert_eq!(enforcement("Time to say goodbye to axios and its slow timeouts."), Enforcement::Unclear);
    assert_eq!(enforcement("Our axios timeouts are long."), Enforcement::Nothing);
}
