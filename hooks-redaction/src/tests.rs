//! Properties of the whole scrubber.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{Label, Labels, Marker, Scrubber, ScrubberError};

/// Pieces that the finders react to, for random combinations.
const PIECES: &[&str] = &[
    "@",
    ".",
    ":",
    "//",
    " ",
    "\n",
    "\"",
    "'",
    "\\",
    "=",
    "-",
    "+",
    "(",
    ")",
    "[",
    "]",
    "_",
    "/",
    "%40",
    "é",
    "中",
    "＠",
    "jane",
    "example.com",
    "password",
    "secret",
    "token: ",
    "api_key",
    "Authorization: Bearer ",
    "Cookie: ",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "AKIA",
    "IOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9",
    "sk-",
    "hunter2",
    "4111 1111 1111 1111",
    "303-555-0110",
    "078-05-1120",
    "10.1.2.3",
    "2001:db8::1",
    "DE89370400440532013000",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "[EMAIL_REDACTED]",
    "_REDACTED]",
    "postgres://u:",
    "-u a:",
    "0",
    "19",
    "abc",
    "<",
    ">",
    "{",
    "}",
    "$",
    "&",
    ";",
    ",",
    "#",
    "login ",
    "ghp_0123456789abcdef",
    "GHIJKLMNOPqrstuvwxyz",
    "\r\n",
    "=\n",
    "\u{200b}",
    "\u{1b}[31m",
    "exam",
    "ple.com",
    "4111 1111",
    "1111 1111",
    "&#64;",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "machine ",
    "- name: ",
    "API_KEY",
    "\n  value: ",
    "login joe\n  ",
    "user: joe\n",
    "pass: mango-winter\n",
    "{\"name\": \"DB_PASSWORD\",\n",
    " \"value\": \"hunter2x\"}",
    "variable \"db_password\" {\n",
    "  default = \"hunter2x\"\n",
    "\" +\n  \"",
    "\n   12| -----BEGIN PRIVATE KEY-----",
    "\n   13| MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "\n   14| -----END PRIVATE KEY-----\n",
    "h.example:5432:app:joe:",
    "echo 'hunter2x' | sudo -S",
    "123%20456%20789",
    "user,password,role\n",
    "joe,hunter2x,admin\n",
    "| user | password |\n",
    "|---|---|\n",
    "| joe | hunter2x |\n",
    "INSERT INTO t (name, password) VALUES ('joe', 'hunter2x'),\n",
    " ('ann', 'hunter3x');",
    "the password is ",
    "use the following password:\n",
    "\nKx9mWq2rTT\n",
    "Password for [x] successfully reset.\n",
    "New value: Kx9mWq2r\n",
    "mot de passe : ",
    "contraseña ",
    "login(\"joe\", ",
    "auth=(",
    "mysql -u root \\\n  -p",
    "<key>password</key>\n",
    "<string>hunter2x</string>\n",
    "\npassword: |\n",
    "  Xk7-qP2v\n",
    "  lantern otter summer monkey 39\n",
    "password = \"\"\"\n",
    "\"\"\"\n",
    "<![CDATA[hun<ter2]]>",
    "|       | x7y8 |\n",
    "expect \"*assword:\"\n",
    "send \"hunter2x\\r\"\n",
    "X-Api-Key: 12ab34cd\n",
    " 56ef78ab\n",
    "=3D",
    "https://hooks.slack.com/services/T0AB/B0CD/aB3dE6gH9jK2",
    "\" .. \"",
    "].join(\"\")",
    "\\/",
    "–",
];

pub(super) fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) {
    let scrubber = Scrubber::all();
    let spans = scrubber.spans(text);
    let mut last = 0;
    for span in &spans {
        assert!(last <= span.start && span.start < span.end, "{text:?}: {spans:?}");
        assert!(text.get(span.start..span.end).is_some(), "{text:?}: {span:?}");
        last = span.end;
    }
    let once = scrubber.scrub(text);
    assert_eq!(spans.is_empty(), matches!(once, Cow::Borrowed(_)));
    assert!(scrubber.spans(&once).is_empty(), "{text:?} -> {once:?}: {:?}", scrubber.spans(&once));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_are_scrubbed_once_and_for_all(text in pieces()) {
        check(&text);
    }

    #[test]
    fn any_text_is_scrubbed_once_and_for_all(text in "\\PC{0,80}") {
        check(&text);
    }
}

#[test]
fn markers_stand_in_the_place_of_spans() {
    let text = "jane@example.com paid 4111 1111 1111 1111 from 10.1.2.3";
    assert_eq!(
        Scrubber::all().scrub(text),
        "[EMAIL_REDACTED] paid [CREDIT_CARD_REDACTED] from [IPV4_REDACTED]"
    );
    assert_eq!(Scrubber::emails().scrub(text), "[EMAIL_REDACTED] paid 4111 1111 1111 1111 from 10.1.2.3");
    let marker = Marker::new("<", ">").unwrap();
    assert_eq!(Scrubber::emails().with_marker(marker).scrub("a@b.org"), "<EMAIL>");
}

#[test]
fn a_secret_beside_a_marker_is_still_removed() {
    assert_eq!(Scrubber::all().scrub("password=hunter2[EMAIL_REDACTED]"), "password=[PASSWORD_REDACTED]");
}

#[test]
fn a_password_in_an_address_is_one_or_an_email() {
    let text = "postgres://admin:hunter2@db.example.com:5432/app";
    assert_eq!(
        Scrubber::all().scrub(text),
        "postgres://admin:[URL_PASSWORD_REDACTED]@db.example.com:5432/app"
    );
    let without = Scrubber::new(Labels::all().without(&Label::UrlPassword));
    assert_eq!(without.scrub(text), "postgres://admin:[EMAIL_REDACTED]:5432/app");
}

#[test]
fn vendor_tokens() {
    let hex = "0123456789abcdef0123456789abcdef";
    let mixed = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6lM9o";
    let head = |length| mixed.get(..length).unwrap();
    for (text, label) in [
        (format!("ghp_{}", head(36)), Label::GithubToken),
        (format!("xoxb-123456789012-123456789012-{}", head(24)), Label::SlackToken),
        (format!("https://hooks.slack.com/services/T0AB/B0CD/{}", head(24)), Label::SlackToken),
        (format!("sk_live_{}", head(24)), Label::StripeKey),
        (format!("sk-ant-api03-{mixed}"), Label::AnthropicKey),
        (format!("sk-proj-{mixed}"), Label::OpenaiKey),
        (format!("AIza{}", head(35)), Label::GcpApiKey),
        (format!("glpat-{}", head(20)), Label::ApiKey),
        (format!("npm_{}", head(36)), Label::ApiKey),
        (format!("hf_{}", head(34)), Label::ApiKey),
        (format!("dapi{hex}"), Label::ApiKey),
        (format!("shpat_{hex}"), Label::ApiKey),
        (format!("SK{hex}"), Label::ApiKey),
        (format!("key-{hex}"), Label::ApiKey),
        (format!("dop_v1_{hex}{hex}"), Label::ApiKey),
        (format!("SG.{}.{mixed}abc", head(22)), Label::ApiKey),
        (format!("123456789:AA{}", head(33)), Label::ApiKey),
        (format!("MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcDE.{}", head(38)), Label::ApiKey),
        (format!("aB3dE6gH9jK2mN.atlasv1.{mixed}{mixed}"), Label::ApiKey),
        (format!("abc8Q~{}", head(34)), Label::ApiKey),
    ] {
        for around in
            [format!("x {text} y"), format!("\"{text}\""), format!("{text}\n"), format!("A={text};")]
        {
            let spans = Scrubber::all().spans(&around);
            assert_eq!(spans.len(), 1, "{around}: {spans:?}");
            assert_eq!(
                (around.get(spans[0].start..spans[0].end).unwrap(), &spans[0].label),
                (text.as_str(), &label),
                "{around}"
            );
        }
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "tokens look like ghp_… or github_pat_…",
        "AWS keys start with AKIA followed by 16 characters",
        "the sk- prefix, a task-list-item-container, disk-usage-monitor-2024",
        "npm_config_registry=https://registry.example.com/",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id=550e8400-e29b-41d4-a716-446655440000",
        "refs/heads/main 1f7ec5eaba3b2f3d4b5c6d7e8f9a0b1c2d3e4f5a",
        "test result: ok. 42 passed; 0 failed",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7 key",
        "pk_live_0123456789abcdefABCDEF01",
        "let key = map.keys().next(); token.kind == TokenKind::Comma",
        "docker run -u 1000:1000 -p 8080:80 image",
        "\"AWS::AppSync::ApiKey\": \"83c788859d3c6ab6\", arn:aws:secretsmanager:eu-1:1:secret:Database-a1b2c3",
        "\"tests/etc/passwd\": \"3728274286c9e78a8a3f17c0973930eb112e9cc7959de2310510ba0d6b60bf49\"",
        "Each record is identified by id. A node identified by `nodeId`",
        "apiKey: process.env.API_KEY ?? '', \"X-API-KEY\": self.api_key, [\"projectId\", \"apiKey\", \"appId\"]",
        "req.Header.Set(\"X-Api-Key\", cfg.APIKey); if (\"set-cookie\"==n) t=n+1",
        "//! [`Authorization`]: https://developer.example.org/Headers/Authorization",
        "new n.Token(\"@scope/tooltip:ITooltipManager\"); this.currentToken=>r.parse2(n)",
        "withXSRFToken: defaultToConfig2, password:!0, nextPageToken: \"SUB2Q0uv\"",
        "# [MS-DCOM] 2.2.19.3 and sect 6.3.1.9, see §13.1.2.4, <path d=\"M1.3-1 1.6.6.1 1.3\">",
        "user.signingkey=A94A61AD8E37DAD5",
        "https://REDACTED:REDACTED@host and postgresql://[user[:password]@][host]",
    ] {
        assert!(
            matches!(Scrubber::all().scrub(text), Cow::Borrowed(_)),
            "{text}: {:?}",
            Scrubber::all().spans(text)
        );
    }
}

#[test]
fn patterns_of_the_user() {
    let scrubber = Scrubber::emails().with_pattern("TICKET", r"TCK-\d+").unwrap();
    assert_eq!(scrubber.scrub("TCK-12 by a@b.org"), "[TICKET_REDACTED] by [EMAIL_REDACTED]");
    let refused = |name, pattern| Scrubber::emails().with_pattern(name, pattern).unwrap_err();
    assert!(matches!(refused("EMAIL", "x"), ScrubberError::PatternName { .. }));
    assert!(matches!(refused("a b", "x"), ScrubberError::PatternName { .. }));
    assert!(matches!(refused("T", "("), ScrubberError::PatternSyntax { .. }));
    assert!(matches!(refused("T", "x*"), ScrubberError::PatternEmpty { .. }));
}

/// Pieces that an attacker may repeat to make a finder search the same text many times.
const HOSTILE: &[&str] = &[
    "a",
    "1",
    "@",
    "f0",
    "a@",
    "a.",
    "1.",
    "1 ",
    "::",
    "password=",
    "password=\"",
    "sk-",
    "eyJ",
    "-eyJ-",
    "eyJaaaaaaaaaaaa.",
    "://a:",
    "a:b@",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----\nabcdefgh12",
    "AKIAIOSFODNN7EXAMPLE ",
    "cookie: a=",
    "authorization: bearer ",
    "a%40",
    "\"@",
    "-u a:",
    "curl -b a=",
    "echo a | sudo -S",
    "variable \"password\" {",
    "user: a\npass: b\n",
    "h:5432:a:b:",
    "password,x\n",
    "| password | x |\n",
    "password: |\n  ab c7\n",
    "password = \"\"\"\n",
    "a:b@tcp(",
    "\n12| -----BEGIN PRIVATE KEY-----",
    "\n12| MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
];

/// Compares two times of one run. A text in sixteen pieces takes about as long as the whole text; a finder
/// that went back to the start would take sixteen times as long for the whole. Both sides run for the same
/// time, so that other load of the machine affects both, and the least of several measurements counts.
#[test]
fn time_is_linear_on_hostile_text() {
    let scrubber = Scrubber::all();
    let cost = |piece: &str, size: usize, times: usize| {
        let text = piece.repeat(size / piece.len());
        let clock = Stopwatch::start();
        for _time in 0..times {
            std::hint::black_box(scrubber.scrub(&text).len());
        }
        clock.nanoseconds()
    };
    let _warm = cost("a", 1 << 12, 1);
    for piece in HOSTILE {
        let (mut apart, mut whole) = (u128::MAX, u128::MAX);
        // A busy machine only adds time, so a measurement that fits is enough.
        for _turn in 0..20 {
            apart = apart.min(cost(piece, 1 << 12, 16));
            whole = whole.min(cost(piece, 1 << 16, 1));
            if whole < apart.max(10_000) * 4 {
                break;
            }
        }
        assert!(whole < apart.max(10_000) * 6, "{piece:?}: {apart} ns in pieces, {whole} ns at once");
    }
}

/// Measures a stretch of work by the wall clock.
struct Stopwatch(std::time::Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "a ratio of two times in one run is what this test is about"
    )]
    fn start() -> Self {
        Self(std::time::Instant::now())
    }

    fn nanoseconds(&self) -> u128 {
        self.0.elapsed().as_nanos()
    }
}

#[test]
fn a_top_level_name_can_be_cut_at_its_letters() {
    let scrubber = Scrubber::emails().with_plain_top_level();
    assert_eq!(scrubber.scrub("to a@x.xn--p1ai now"), "to [EMAIL_REDACTED]--p1ai now");
    assert_eq!(scrubber.scrub("to a@x.org now"), "to [EMAIL_REDACTED] now");
    assert_eq!(Scrubber::emails().scrub("to a@x.xn--p1ai now"), "to [EMAIL_REDACTED] now");
}

/// Letters beyond ASCII far away from a text do not change what is found in it.
#[test]
fn far_letters_change_nothing() {
    for text in
        ["> ::dead:beef x", "] ::1:2 y", "has (winter77x)", "has, password = winter77x", "# :: 10.1.2.3"]
    {
        let far = format!("{text}{}ü", " ".repeat(1_500));
        let [alone, beside] = [text, &far].map(|text| Scrubber::all().scrub(text).into_owned());
        assert_eq!(beside.trim_end_matches(['ü', ' ']), alone, "{text}");
    }
}
