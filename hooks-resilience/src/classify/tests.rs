//! Tests of every kind in every vendor's shape, and of arbitrary bytes.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::ErrorType;
use hooks_core::time::{StoppedClock, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind::{self, *};
use crate::recover::read_text;

fn classifiers() -> Classifiers {
    Classifiers::new(Arc::new(StoppedClock(Timestamp(1_795_309_200_000))))
}

fn read(status: u16, headers: &[(&str, &str)], body: &str) -> ModelError {
    classifiers().classify(HttpError::new(status, headers.iter().copied().collect(), body))
}

#[track_caller]
fn kinds(rows: &[(u16, ErrorKind, &str)]) {
    for (status, kind, body) in rows {
        assert_eq!(read(*status, &[], body).kind(), *kind, "{status} {body}");
    }
}

fn anthropic_body(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
}

#[test]
fn anthropics_errors() {
    for (status, of_type, kind, message) in [
        (400, "invalid_request_error", InvalidRequest, "messages: roles must alternate"),
        (400, "invalid_request_error", ContextOverflow, "prompt is too long: 201 tokens > 200 maximum"),
        (400, "invalid_request_error", QuotaExhausted, "Your credit balance is too low to access the API"),
        (400, "invalid_request_error", QuotaExhausted, "You have reached your specified API usage limits."),
        (400, "invalid_request_error", ContentFilter, "Output blocked by content filtering policy"),
        (401, "authentication_error", Authentication, "invalid x-api-key"),
        (402, "billing_error", QuotaExhausted, "payment needed"),
        (403, "permission_error", Permission, "your key may not use this"),
        (404, "not_found_error", ModelUnavailable, "model: nope"),
        (413, "request_too_large", ContextOverflow, "Request exceeds the maximum size"),
        (429, "rate_limit_error", RateLimited, "This request would exceed your rate limit"),
        (429, "rate_limit_error", QuotaExhausted, "Your organization has reached its monthly spend limit"),
        (500, "api_error", Server, "Internal server error"),
        (504, "timeout_error", AttemptTimeout, "Request timed out"),
        (529, "overloaded_error", Overloaded, "Overloaded"),
        (500, "overloaded_error", Overloaded, "Overloaded"),
        (418, "brand_new_error", InvalidRequest, "who knows"),
    ] {
        let error = read(status, &[], &anthropic_body(of_type, message));
        assert_eq!((error.kind(), error.message()), (kind, message), "{status} {of_type}");
        assert_eq!(error.status(), Some(status));
    }
}

#[test]
fn openais_errors() {
    kinds(&[
        (
            401,
            Authentication,
            r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        ),
        (
            403,
            Permission,
            r#"{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","code":"unsupported_country_region_territory"}}"#,
        ),
        (
            404,
            ModelUnavailable,
            r#"{"error":{"message":"The model `x` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        ),
        (
            404,
            ModelUnavailable,
            r#"{"error":{"message":"The model `x` does not exist","type":"invalid_request_error","param":null,"code":null}}"#,
        ),
        (
            400,
            InvalidRequest,
            r#"{"error":{"message":"Previous response with id 'r' not found.","type":"invalid_request_error","code":"previous_response_not_found"}}"#,
        ),
        (
            400,
            ContextOverflow,
            r#"{"error":{"message":"anything","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (
            400,
            ContextOverflow,
            r#"{"error":{"message":"string too long","type":"invalid_request_error","param":"messages[1].content","code":"string_above_max_length"}}"#,
        ),
        (
            400,
            InvalidRequest,
            r#"{"error":{"message":"string too long","type":"invalid_request_error","param":"tools[0].function.name","code":"string_above_max_length"}}"#,
        ),
        (
            400,
            ContentFilter,
            r#"{"error":{"message":"rejected","type":"invalid_request_error","code":"content_policy_violation"}}"#,
        ),
        (
            400,
            ContentFilter,
            r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","code":"invalid_prompt"}}"#,
        ),
        (
            400,
            InvalidRequest,
            r#"{"error":{"message":"Unsupported value: 'temperature'","type":"invalid_request_error","code":"unsupported_value"}}"#,
        ),
        (
            429,
            RateLimited,
            r#"{"error":{"message":"Rate limit reached for m on requests per min (RPM): Limit 3, Used 3. Please try again in 20s.","type":"requests","code":"rate_limit_exceeded"}}"#,
        ),
        (
            429,
            QuotaExhausted,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        ),
        (
            429,
            ContextOverflow,
            r#"{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 41000.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
        (
            429,
            Overloaded,
            r#"{"error":{"message":"The engine is currently overloaded, please try again later","type":"requests","code":null}}"#,
        ),
        (
            402,
            QuotaExhausted,
            r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#,
        ),
        (500, Server, r#"{"error":{"message":"The server had an error","type":"server_error","code":null}}"#),
        (503, Overloaded, r#"{"error":{"message":"Slow down","type":"server_error","code":"slow_down"}}"#),
        (
            413,
            ContextOverflow,
            r#"{"error":{"message":"Request body too large. Max size: 8000 tokens.","code":"tokens_limit_reached"}}"#,
        ),
    ]);
}

#[test]
fn googles_errors() {
    let body = |code: u16, status: &str, message: &str, details: &str| {
        format!(
            r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}","details":[{details}]}}}}"#
        )
    };
    let reason = |reason: &str| {
        format!(r#"{{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"{reason}"}}"#)
    };
    let quota = |id: &str| {
        format!(
            r#"{{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{{"quotaId":"{id}"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}}"#
        )
    };
    let spent = "You exceeded your current quota, please check your plan and billing details.";
    for (code, status, kind, message, details) in [
        (400, "INVALID_ARGUMENT", InvalidRequest, "Invalid JSON payload", String::new()),
        (400, "INVALID_ARGUMENT", Authentication, "API key not valid.", reason("API_KEY_INVALID")),
        (
            400,
            "INVALID_ARGUMENT",
            ContextOverflow,
            "The input token count (12) exceeds the maximum number of tokens allowed (10).",
            String::new(),
        ),
        (
            400,
            "FAILED_PRECONDITION",
            Permission,
            "User location is not supported for the API use.",
            String::new(),
        ),
        (401, "UNAUTHENTICATED", Authentication, "Request had invalid credentials", String::new()),
        (403, "PERMISSION_DENIED", Permission, "The caller does not have permission", String::new()),
        (403, "PERMISSION_DENIED", QuotaExhausted, "no billing", reason("BILLING_DISABLED")),
        (404, "NOT_FOUND", ModelUnavailable, "models/x is not found", String::new()),
        (429, "RESOURCE_EXHAUSTED", RateLimited, spent, quota("GenerateRequestsPerMinutePerProject")),
        (
            429,
            "RESOURCE_EXHAUSTED",
            QuotaExhausted,
            spent,
            quota("GenerateRequestsPerDayPerProject-FreeTier"),
        ),
        (
            429,
            "RESOURCE_EXHAUSTED",
            RateLimited,
            "Resource exhausted. Please try again later.",
            String::new(),
        ),
        (500, "INTERNAL", Server, "An internal error has occurred", String::new()),
        (503, "UNAVAILABLE", Overloaded, "The model is overloaded. Please try again later.", String::new()),
        (504, "DEADLINE_EXCEEDED", AttemptTimeout, "Deadline expired", String::new()),
    ] {
        let text = body(code, status, message, &details);
        assert_eq!(read(code, &[], &text).kind(), kind, "{text}");
        assert_eq!(read(code, &[], &format!("[{text}]")).kind(), kind, "in a list: {text}");
    }
    let limited = read(429, &[], &body(429, "RESOURCE_EXHAUSTED", spent, &quota("PerMinute")));
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(17)));
}

#[test]
fn bedrocks_errors() {
    for (status, exception, kind, message) in [
        (400, "ValidationException", InvalidRequest, "Malformed input request"),
        (400, "ValidationException", ContextOverflow, "Input is too long for requested model."),
        (400, "ValidationException", ModelUnavailable, "The provided model identifier is invalid."),
        (400, "ServiceQuotaExceededException", QuotaExhausted, "quota"),
        (403, "AccessDeniedException", Permission, "You don't have access to the model"),
        (
            403,
            "UnrecognizedClientException",
            Authentication,
            "The security token included in the request is invalid.",
        ),
        (403, "ExpiredTokenException", Authentication, "expired"),
        (404, "ResourceNotFoundException", ModelUnavailable, "end of its life"),
        (408, "ModelTimeoutException", AttemptTimeout, "too long"),
        (424, "ModelErrorException", Server, "the model failed"),
        (429, "ThrottlingException", RateLimited, "Too many requests, please wait before trying again."),
        (429, "ThrottlingException", QuotaExhausted, "Too many tokens per day, quota exhausted"),
        (429, "ModelNotReadyException", Overloaded, "Model is not ready for inference"),
        (500, "InternalServerException", Server, "oops"),
        (503, "ServiceUnavailableException", Overloaded, "unavailable"),
    ] {
        let body = format!(r#"{{"message":"{message}"}}"#);
        let in_header = format!("{exception}:http://internal.example/doc/");
        assert_eq!(read(status, &[("x-amzn-ErrorType", &in_header)], &body).kind(), kind, "{exception}");
        let in_body = format!(r#"{{"__type":"com.amazon.coral.service#{exception}","message":"{message}"}}"#);
        assert_eq!(read(status, &[], &in_body).kind(), kind, "{exception}");
    }
}

#[test]
fn azures_errors() {
    kinds(&[
        (
            400,
            ContentFilter,
            r#"{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true}}}}}"#,
        ),
        (
            404,
            ModelUnavailable,
            r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
        ),
        (
            429,
            RateLimited,
            r#"{"error":{"code":"429","message":"Requests to this operation have exceeded call rate limit. Please retry after 7 seconds."}}"#,
        ),
        (
            429,
            RateLimited,
            r#"{"statusCode":429,"message":"Rate limit is exceeded. Try again in 11 seconds."}"#,
        ),
        (
            401,
            Authentication,
            r#"{"statusCode":401,"message":"Access denied due to invalid subscription key."}"#,
        ),
        (
            401,
            Authentication,
            r#"{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}"#,
        ),
        (
            429,
            Overloaded,
            r#"{"error":{"code":"NoCapacity","message":"The system is currently experiencing high demand."}}"#,
        ),
        (
            403,
            Authentication,
            r#"{"error":{"code":"AuthenticationTypeDisabled","message":"Key based authentication is disabled for this resource."}}"#,
        ),
        (
            400,
            ContextOverflow,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (408, AttemptTimeout, r#"{"error":{"code":"Timeout","message":"The operation was timeout."}}"#),
        (500, Server, r#"{"error":{"code":"InternalServerError","message":"try again"}}"#),
    ]);
    let region = [("x-ms-region", "Sweden Central"), ("retry-after-ms", "6500")];
    let limited = read(429, &region, r#"{"error":{"code":"RateLimitReached","message":"limit"}}"#);
    assert_eq!((limited.kind(), limited.retry_after()), (RateLimited, Some(Duration::from_millis(6_500))));
    let no_access = read(401, &region, r#"{"error":{"code":"AccessDenied","message":"wrong key"}}"#);
    assert_eq!(no_access.kind(), Authentication);
}

#[test]
fn everybody_elses_errors() {
    kinds(&[
        (502, Server, "<html><body>Bad gateway</body></html>"),
        (503, Overloaded, ""),
        (429, RateLimited, ""),
        (401, Authentication, ""),
        (403, Permission, "Forbidden"),
        (402, QuotaExhausted, "{}"),
        (404, ModelUnavailable, "no route"),
        (413, ContextOverflow, "<html>"),
        (422, InvalidRequest, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#),
        (400, InvalidRequest, r#"{"detail":"temperature is wrong"}"#),
        (
            400,
            ContextOverflow,
            r#"{"object":"error","message":"This model's maximum context length is 4 tokens","type":"BadRequestError","code":400}"#,
        ),
        (
            400,
            ContextOverflow,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        ),
        (500, ContextOverflow, r#"{"error":"input length is too long"}"#),
        (524, AttemptTimeout, "error code: 524"),
        (200, RateLimited, r#"{"error":{"message":"Provider returned error","code":429}}"#),
        (302, Unknown, ""),
    ]);
}

#[test]
fn a_proxy_passes_on_what_a_provider_said() {
    let inner = anthropic_body("overloaded_error", "Overloaded").replace('"', "\\\"");
    kinds(&[
        (
            502,
            Overloaded,
            &format!(
                r#"{{"error":{{"message":"Provider returned error","code":502,"metadata":{{"raw":"{inner}"}}}}}}"#
            ),
        ),
        (
            500,
            Overloaded,
            &format!(
                r#"{{"error":{{"message":"proxy.InternalServerError: AnthropicException - {inner}","type":null,"code":"500"}}}}"#
            ),
        ),
        (400, Overloaded, &format!("upstream said {}", anthropic_body("overloaded_error", "Overloaded"))),
    ]);
}

#[test]
fn waits_come_from_wherever_they_are_told() {
    let wait = |headers: &[(&str, &str)], body: &str| read(429, headers, body).retry_after();
    let limited = anthropic_body("rate_limit_error", "slow");
    assert_eq!(wait(&[("retry-after", "20")], &limited), Some(Duration::from_secs(20)));
    assert_eq!(wait(&[], &limited), None);
    assert_eq!(wait(&[("retry-after", "-20")], &limited), None);
    let reset = [
        ("anthropic-ratelimit-tokens-remaining", "0"),
        ("anthropic-ratelimit-tokens-reset", "2026-11-22T01:00:12Z"),
    ];
    assert_eq!(wait(&reset, &limited), Some(Duration::from_secs(12)));
    // The provider's clock is an hour ahead of ours: the wait is computed by its own clock.
    let dated = [("date", "Sun, 22 Nov 2026 02:00:00 GMT"), ("retry-after", "Sun, 22 Nov 2026 02:00:30 GMT")];
    assert_eq!(wait(&dated, ""), Some(Duration::from_secs(30)));
    let body = r#"{"error":{"message":"Rate limit reached. Please try again in 6m0s.","type":"requests","code":"rate_limit_exceeded"}}"#;
    assert_eq!(wait(&[], body), Some(Duration::from_secs(360)));
    // Other errors carry the limits in their headers too, which is no reason to wait.
    assert_eq!(read(500, &reset, "").retry_after(), None);
}

#[test]
fn events_tell_of_errors_after_a_success() {
    let read = |event: Option<&str>, data: &str| {
        classifiers().event(event, data.as_bytes()).map(|error| (error.kind(), error.status()))
    };
    let overloaded = anthropic_body("overloaded_error", "Overloaded");
    for (event, data, kind) in [
        (Some("error"), overloaded.as_str(), Overloaded),
        (None, overloaded.as_str(), Overloaded),
        (None, r#"{"error":{"message":"The server had an error","type":"server_error"}}"#, Server),
        (None, r#"{"type":"error","code":"rate_limit_exceeded","message":"slow"}"#, RateLimited),
        (
            None,
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}}"#,
            Server,
        ),
        (None, r#"{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}"#, Overloaded),
        (None, r#"{"throttlingException":{"message":"slow"}}"#, RateLimited),
        (None, r#"{"modelStreamErrorException":{"message":"m","originalStatusCode":500}}"#, Server),
        (None, r#"{"modelStreamErrorException":{"message":"m"}}"#, StreamBroken),
        (Some("throttlingException"), r#"{"message":"slow down"}"#, RateLimited),
        (Some("error"), "gone", Unknown),
    ] {
        assert_eq!(read(event, data), Some((kind, None)), "{data}");
    }
    for data in [
        r#"{"type":"content_block_delta","delta":{"text":"an error, {\"error\": 1}"}}"#,
        r#"{"choices":[{"delta":{"content":"error"}}],"error":null}"#,
        r#"{"type":"response.completed","response":{"error":null}}"#,
        "[DONE]",
    ] {
        assert_eq!(read(None, data), None, "{data}");
    }
}

#[test]
fn a_body_of_events_is_read_like_one() {
    let body = format!("event: error\ndata: {}\n\n", anthropic_body("overloaded_error", "Overloaded"));
    assert_eq!(read(200, &[], &body).kind(), Overloaded);
}

#[test]
fn stop_reasons_say_what_is_missing() {
    for (reason, kind) in [
        ("max_tokens", Some(OutputTruncated)),
        ("length", Some(OutputTruncated)),
        ("MAX_TOKENS", Some(OutputTruncated)),
        ("max_output_tokens", Some(OutputTruncated)),
        ("refusal", Some(ContentFilter)),
        ("SAFETY", Some(ContentFilter)),
        ("PROHIBITED_CONTENT", Some(ContentFilter)),
        ("content_filter", Some(ContentFilter)),
        ("guardrail_intervened", Some(ContentFilter)),
        ("model_context_window_exceeded", Some(ContextOverflow)),
        ("end_turn", None),
        ("stop", None),
        ("STOP", None),
        ("tool_use", None),
        ("tool_calls", None),
    ] {
        assert_eq!(stop_reason(reason), kind, "{reason}");
    }
}

#[test]
fn answers_say_what_is_missing() {
    for (answer, kind) in [
        (r#"{"stop_reason":"max_tokens"}"#, Some(OutputTruncated)),
        (r#"{"stop_reason":"refusal"}"#, Some(ContentFilter)),
        (r#"{"choices":[{"finish_reason":"length"}]}"#, Some(OutputTruncated)),
        (r#"{"choices":[{"finish_reason":"content_filter"}]}"#, Some(ContentFilter)),
        (r#"{"choices":[{"finish_reason":"stop","message":{"refusal":"no"}}]}"#, Some(ContentFilter)),
        (r#"{"choices":[{"finish_reason":"stop","message":{"refusal":null}}]}"#, None),
        (
            r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#,
            Some(OutputTruncated),
        ),
        (r#"{"candidates":[{"finishReason":"SAFETY"}]}"#, Some(ContentFilter)),
        (r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#, Some(OutputTruncated)),
        (r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#, Some(ContentFilter)),
        (r#"{"stopReason":"guardrail_intervened"}"#, Some(ContentFilter)),
        (r#"{"stopReason":"end_turn"}"#, None),
        ("{}", None),
    ] {
        assert_eq!(in_answer(&serde_json::from_str(answer).unwrap()), kind, "{answer}");
    }
}

#[test]
fn errors_of_a_client_are_known_by_their_sources() {
    use std::io::{Error as Io, ErrorKind as IoKind};
    #[derive(Debug, thiserror::Error)]
    #[error("error sending request")]
    struct Client(#[source] hooks_core::BoxError);
    let client = |source: hooks_core::BoxError| classifiers().classify(Client(source));
    assert_eq!(client(Io::from(IoKind::ConnectionRefused).into()).kind(), Network);
    assert_eq!(client(Io::from(IoKind::TimedOut).into()).kind(), AttemptTimeout);
    assert_eq!(client(Io::other("dns error: failed to lookup address information").into()).kind(), Network);
    assert_eq!(client(HttpError::new(529, Headers::default(), "").into()).kind(), Overloaded);
    assert_eq!(client(TransportError::timed_out(Phase::Connect).into()).kind(), ConnectTimeout);
    assert_eq!(client("operation timed out".into()).kind(), AttemptTimeout);
    assert_eq!(client("no idea".into()).kind(), Unknown);
    assert!(std::error::Error::source(&client("no idea".into())).is_some());
    let own = ModelError::new(ContextOverflow, "mine").with_model("m");
    assert_eq!(classifiers().classify(own).model().map(|name| &**name), Some("m"));
}

#[test]
fn phases_of_a_connection() {
    for (error, kind) in [
        (TransportError::timed_out(Phase::Connect), ConnectTimeout),
        (TransportError::timed_out(Phase::FirstByte), FirstByteTimeout),
        (TransportError::timed_out(Phase::Body), IdleTimeout),
        (TransportError::broke(Phase::Connect), Network),
        (TransportError::broke(Phase::FirstByte), Network),
        (TransportError::broke(Phase::Body), StreamBroken),
    ] {
        assert_eq!(classifiers().classify(error).kind(), kind);
    }
}

/// Error texts as hosts have them, with the expected kind and the expected wait in milliseconds.
const TEXTS: &[(&str, ErrorKind, Option<u64>)] = &[
    ("429 Too Many Requests", RateLimited, None),
    ("Error code: 429 - quota", RateLimited, None),
    ("rate limit, retry after 1.5 seconds", RateLimited, Some(1_500)),
    ("429: Retry-After: 30", RateLimited, Some(30_000)),
    ("429: please try again in 250ms.", RateLimited, Some(250)),
    ("429: try again in 10 mins", RateLimited, Some(600_000)),
    ("rate limit reached, try again in 1h2m3s", RateLimited, Some(3_723_000)),
    ("429: try again in a while", RateLimited, None),
    (
        r#"429 {"error": {"status": "RESOURCE_EXHAUSTED", "message": "Resource exhausted.", "details": [{"retryDelay": "17s"}]}}"#,
        RateLimited,
        Some(17_000),
    ),
    ("You have reached your monthly usage limit; try again in 2 days", QuotaExhausted, Some(172_800_000)),
    ("insufficient_quota: You exceeded your current quota", QuotaExhausted, None),
    ("Your credit balance is too low", QuotaExhausted, None),
    (r#"{"type":"error","error":{"type":"billing_error","message":"x"}}"#, QuotaExhausted, None),
    ("Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error'}}", Overloaded, None),
    ("HTTP status server error (503 Service Unavailable) for url (https://api.example/v1)", Overloaded, None),
    ("anthropic: Overloaded", Overloaded, None),
    ("HTTP 529", Overloaded, None),
    ("request failed with status 500", Server, None),
    ("prompt is too long: 210000 tokens > 200000 maximum", ContextOverflow, None),
    ("This model's maximum context length is 8192 tokens", ContextOverflow, None),
    ("length of prompt_tokens (163280) must be less than max_seq_len (32768)", ContextOverflow, None),
    ("connection reset by peer", Network, None),
    ("ECONNRESET", Network, None),
    ("request timed out after 60 s", AttemptTimeout, None),
    ("connection timed out", ConnectTimeout, None),
    ("Incorrect API key provided", Authentication, None),
    ("the model `x` does not exist", ModelUnavailable, None),
    ("no space left on device", Unknown, None),
    ("it took 500 ms and then something happened", Unknown, None),
];

#[test]
fn texts_alone_are_read_as_far_as_it_goes_by_a_stack_and_by_the_recovery_hooks_alike() {
    for &(text, kind, wait) in TEXTS {
        let wait = wait.map(Duration::from_millis);
        for error in [
            classifiers().text(text),
            classifiers().classify(text),
            read_text(&classifiers(), text, ErrorType::Model),
        ] {
            assert_eq!((error.kind(), error.retry_after()), (kind, wait), "{text}");
        }
    }
}

#[test]
fn a_body_without_end_is_read_to_its_limit() {
    let body = format!(r#"{{"error":{{"message":"{}","type":"server_error"}}}}"#, "x".repeat(10_000_000));
    let error = HttpError::new(500, Headers::default(), body);
    assert_eq!(error.body().len(), 64 * 1024);
    assert_eq!(classifiers().classify(error).kind(), Server);
    let deep = "[".repeat(60_000);
    assert_eq!(read(500, &[], &deep).kind(), Server);
    let nested = "{\"error\":".repeat(8_000);
    assert_eq!(read(500, &[], &nested).kind(), Server);
}

#[test]
fn own_readers_come_first_and_may_decline() {
    let classifiers = classifiers()
        .with(|reply| (reply.status() == 500).then(|| Finding::new(Overloaded, "first")))
        .with(|_| Some(Finding::new(Permission, "second")));
    let read = |status| classifiers.http(&HttpError::new(status, Headers::default(), "{}")).kind();
    assert_eq!((read(500), read(501)), (Overloaded, Permission));
}

fn documents() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("error"),
        Just("type"),
        Just("code"),
        Just("message"),
        Just("status"),
        Just("details"),
        Just("__type"),
        Just("statusCode"),
        Just("innererror"),
        Just("throttlingException"),
        Just("retryDelay"),
        Just("rate_limit_error"),
        Just("RESOURCE_EXHAUSTED"),
        Just("violations"),
        Just("quotaId"),
    ];
    let leaf = prop_oneof![
        word.clone().prop_map(|word| format!("{word:?}")),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        Just("null".to_owned()),
        ".{0,20}".prop_map(|text| serde_json::Value::String(text).to_string()),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec((word.clone(), inner.clone()), 0..5).prop_map(|fields| {
                let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
            proptest::collection::vec(inner, 0..4).prop_map(|list| format!("[{}]", list.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(
        status: u16,
        body in proptest::collection::vec(any::<u8>(), 0..200),
        header in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let headers = ["retry-after", "x-amzn-errortype", "date", "x-ratelimit-reset-tokens"];
        let headers: Headers = headers.iter().map(|name| (name, &header)).collect();
        let _event = classifiers().event(None, &body);
        let _text = classifiers().text(&String::from_utf8_lossy(&body));
        let _error = classifiers().classify(HttpError::new(status, headers, body));
    }

    #[test]
    fn any_document_has_an_answer(status: u16, document in documents()) {
        let _event = classifiers().event(Some("error"), document.as_bytes());
        let error = read(status, &[], &document);
        prop_assert!(!error.message().is_empty());
    }
}
