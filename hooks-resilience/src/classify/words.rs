//! Classification by the message, if the codes do not suffice. Every vendor uses one code for several kinds
//! ("invalid request" also covers a prompt that is too long), and messages change without notice. So these
//! functions look for the topics of a message, not for its exact text.

use std::time::Duration;

use crate::error::ErrorKind;

/// A provider's text, prepared for a search: lower case, every word between two spaces.
pub(super) struct Words(String);

/// The most characters of a text that are searched.
const SEARCHED: usize = 8 * 1024;

/// A longer wait does not come from a rate limit.
const HOUR: Duration = Duration::from_secs(3_600);

impl Words {
    /// Prepares `text`.
    pub(super) fn from_text(text: &str) -> Self {
        let text: String = text.chars().take(SEARCHED).collect();
        // Signs that stand for words: `tokens + max_new_tokens must be <= 4096`.
        let text = text.replace("<=", " at most ").replace(" > ", " more than ");
        let mut words = String::with_capacity(text.len() + 2);
        words.push(' ');
        for letter in text.chars() {
            if letter.is_alphanumeric() {
                words.extend(letter.to_lowercase());
            } else if !words.ends_with(' ') {
                words.push(' ');
            }
        }
        if !words.ends_with(' ') {
            words.push(' ');
        }
        Self(words)
    }

    /// Whether one of `stems` begins a word of the text. A stem that ends in a space is a whole word.
    fn any(&self, stems: &[&str]) -> bool {
        stems.iter().any(|stem| {
            self.0
                .match_indices(stem)
                .any(|(at, _)| self.0.get(..at).is_some_and(|before| before.ends_with(' ')))
        })
    }

    /// Refines `kind`, which comes from the codes, by the message. If the provider states a wait of at most
    /// an hour, the limit is a rate, whatever the message claims.
    pub(super) fn refine(&self, kind: ErrorKind, told: Option<Duration>) -> ErrorKind {
        let first = |kinds: &[(bool, ErrorKind)]| kinds.iter().find(|(is, _)| *is).map(|&(_, kind)| kind);
        let spent = told.is_none_or(|wait| wait > HOUR) && self.quota_gone();
        let better = match kind {
            ErrorKind::RateLimited => first(&[
                (self.alone_too_large(), ErrorKind::ContextOverflow),
                (spent, ErrorKind::QuotaExhausted),
                (self.overloaded(), ErrorKind::Overloaded),
            ]),
            ErrorKind::InvalidRequest => first(&[
                (self.overflow(), ErrorKind::ContextOverflow),
                (self.filtered(), ErrorKind::ContentFilter),
                (spent, ErrorKind::QuotaExhausted),
                (self.unauthenticated(), ErrorKind::Authentication),
                (self.no_such_model(), ErrorKind::ModelUnavailable),
                (self.forbidden(), ErrorKind::Permission),
                (self.rate(), ErrorKind::RateLimited),
            ]),
            ErrorKind::Permission => first(&[
                (spent, ErrorKind::QuotaExhausted),
                (self.unauthenticated(), ErrorKind::Authentication),
                (self.filtered(), ErrorKind::ContentFilter),
            ]),
            ErrorKind::Server => first(&[
                (self.overflow(), ErrorKind::ContextOverflow),
                (self.overloaded(), ErrorKind::Overloaded),
            ]),
            ErrorKind::Unknown => first(&[
                (self.overflow(), ErrorKind::ContextOverflow),
                (spent, ErrorKind::QuotaExhausted),
                (self.rate(), ErrorKind::RateLimited),
                (self.overloaded(), ErrorKind::Overloaded),
                (self.filtered(), ErrorKind::ContentFilter),
                (self.unauthenticated(), ErrorKind::Authentication),
                (self.no_such_model(), ErrorKind::ModelUnavailable),
                (self.forbidden(), ErrorKind::Permission),
                (self.connect_timed_out(), ErrorKind::ConnectTimeout),
                (self.timed_out(), ErrorKind::AttemptTimeout),
                (self.disconnected(), ErrorKind::Network),
                (self.failed(), ErrorKind::Server),
                (self.invalid(), ErrorKind::InvalidRequest),
            ]),
            _ => None,
        };
        better.unwrap_or(kind)
    }

    /// Whether the request does not fit into the context window.
    pub(super) fn overflow(&self) -> bool {
        // The text mentions the window, and that something exceeds it.
        let window = self.any(&[
            "context length",
            "context window",
            "context size",
            "context limit",
            "max context",
            "max seq len",
            "maximum context",
            "maximum prompt length",
            "model s context",
            "sequence length",
            "model token limit",
            "context is full",
        ]);
        let beyond = self.any(&[
            "exceed",
            "too long",
            "too large",
            "too many",
            "longer ",
            "larger ",
            "greater ",
            "more than",
            "less than",
            "maximum ",
            "max ",
            "over ",
            "limit",
            "reduce",
            "shorten",
            "fit ",
            "full ",
            "smaller",
            "overflow",
        ]);
        (window && beyond) || self.input_too_long()
    }

    /// Whether the text calls the input too long, and not one field, one image or the answer.
    fn input_too_long(&self) -> bool {
        let sent = self.any(&[
            "prompt",
            "input ",
            "inputs ",
            "message",
            "conversation",
            "history ",
            "context ",
            "request ",
        ]);
        let too_much = self.any(&[
            "exceed",
            "too long",
            "too large",
            "too many",
            "longer than",
            "larger than",
            "greater than",
            "more than",
            "must be less",
            "must be at most",
            "must have less",
            "must be fewer",
            "maximum",
            "maxlength",
            "up to",
            "reduce",
            "range of",
        ]);
        let measured = self.any(&["token", "too long", "length", "maxlength"]);
        let something_else = self.any(&[
            "image",
            "picture",
            "pixel",
            "audio",
            "video",
            "pdf ",
            "page",
            "file",
            "document",
            "mb ",
            "metadata",
            "name ",
            "description ",
            "temperature",
            "url ",
            "tool ",
            "tools ",
            "schema",
            "stop sequence",
            "user id",
            "header",
            "key ",
        ]);
        let of_the_answer =
            self.any(&["output token", "completion token", "max tokens ", "max output tokens"])
                && !self.any(&["prompt", "input ", "inputs ", "context "]);
        sent && too_much && measured && !something_else && !of_the_answer && !self.rate()
    }

    /// Whether one request exceeds the limit of a whole minute. Waiting does not help then; a smaller request
    /// does.
    fn alone_too_large(&self) -> bool {
        self.any(&["request too large", "request is too large", "must be reduced"])
            || (self.overflow() && !self.rate())
    }

    /// Whether money or quota is used up, for longer than minutes.
    fn quota_gone(&self) -> bool {
        let gone = self.any(&[
            "insufficient",
            "exhaust",
            "exceed",
            "too low",
            "reached",
            "run out",
            "ran out",
            "out of",
            "no more",
            "used up",
            "not enough",
            "depleted",
            "no credit",
            "negative",
            "remaining",
            "over ",
            "hit ",
            "required",
            "not active",
            "past due",
            "overdue",
            "suspended",
            "disabled",
        ]);
        let money = self.any(&[
            "credit",
            "balance",
            "billing",
            "payment",
            "funds",
            "spend",
            "budget",
            "plan ",
            "usage limit",
            "usage cap",
            "api usage",
            "monthly",
            "per month",
            "month s",
            "hard limit",
            "current quota",
            "per day",
            "daily",
            "per week",
            "weekly",
            "prepaid",
            "subscription",
        ]);
        // A token budget for thinking is a parameter.
        gone && money && !self.any(&["budget token", "thinking", "reasoning"])
    }

    fn rate(&self) -> bool {
        self.any(&[
            "rate limit",
            "ratelimit",
            "rate exceeded",
            "per minute",
            "per second",
            "per hour",
            "too many requests",
            "too many tokens please wait",
            "throttl",
            "tpm ",
            "rpm ",
            "requests limit",
            "concurrency limit",
            "concurrent request",
            "resource exhausted",
            "resource has been exhausted",
            "quota exceeded",
            "quota limit",
            "slow down",
        ])
    }

    fn overloaded(&self) -> bool {
        self.any(&[
            "overload",
            "at capacity",
            "no capacity",
            "insufficient capacity",
            "high demand",
            "high load",
            "high traffic",
            "heavy load",
            "too busy",
            "is busy",
            "server busy",
            "servers are busy",
            "not ready",
            "temporarily unavailable",
            "service unavailable",
            "currently unavailable",
            "system capacity",
            "capacity constraint",
        ])
    }

    fn filtered(&self) -> bool {
        let violates = self.any(&["violat"])
            && self.any(&["polic", "terms", "guideline", "content", "usage", "safety", "rules"]);
        let unsafe_ = self.any(&["safety", "unsafe"]) && !self.any(&["safety setting", "safety identifier"]);
        violates
            || unsafe_
            || self.any(&[
                "content filter",
                "content management policy",
                "content polic",
                "content moderation",
                "moderation",
                "usage polic",
                "harmful",
                "prohibited content",
                "inappropriate",
                "sensitive content",
                "sensitive information",
                "sensitive words",
                "responsible ai",
                "flagged",
                "blocked by",
                "blocked due",
                "guardrail",
            ])
    }

    fn unauthenticated(&self) -> bool {
        // The word "signature" alone can also refer to thinking blocks.
        let credentials = self.any(&[
            "api key",
            "apikey",
            "x api key",
            "access token",
            "auth token",
            "bearer",
            "credential",
            "request signature",
            "signature we calculated",
            "security token",
            "authentication",
            "authorization header",
            "oauth",
            "session token",
            "subscription key",
        ]);
        let bad = self.any(&[
            "invalid",
            "incorrect",
            "not valid",
            "missing",
            "expired",
            "revoked",
            "wrong",
            "required",
            "fail",
            "not provided",
            "no api key",
            "malformed",
            "does not match",
            "unable to",
            "could not",
            "disabled",
            "leaked",
            "not found",
            "unauthorized",
        ]);
        (credentials && bad) || self.any(&["unauthorized", "unauthenticated"])
    }

    fn forbidden(&self) -> bool {
        self.any(&[
            "permission",
            "access denied",
            "not authorized",
            "not allowed to",
            "do not have access",
            "don t have access",
            "does not have access",
            "not have access",
            "not supported in your country",
            "location is not supported",
            "country region",
            "region is not supported",
        ])
    }

    fn no_such_model(&self) -> bool {
        let model = self.any(&["model", "deployment", "engine ", "inference profile"]);
        let gone = self.any(&[
            "not found",
            "does not exist",
            "doesn t exist",
            "not exist",
            "unknown model",
            "no such",
            "deprecated",
            "decommissioned",
            "retired",
            "no longer available",
            "not available",
            "not a valid model",
            "identifier is invalid",
            "model is invalid",
            "invalid model",
            "unsupported model",
            "model not supported",
            "model is not supported",
            "throughput isn t supported",
            "throughput is not supported",
            "end of its life",
        ]);
        // "Not supported by this model" refers to a parameter, not to the model.
        model && gone && !self.any(&["for this model", "with this model", "by this model", "for the model"])
    }

    fn connect_timed_out(&self) -> bool {
        self.any(&[
            "connection timed out",
            "connection timeout",
            "connect timeout",
            "connect timed out",
            "etimedout",
        ])
    }

    pub(super) fn timed_out(&self) -> bool {
        self.any(&[
            "timed out",
            "timeout",
            "time out",
            "deadline exceeded",
            "deadline expired",
            "took too long",
        ])
    }

    pub(super) fn disconnected(&self) -> bool {
        self.any(&[
            "connection",
            "connect error",
            "error trying to connect",
            "dns ",
            "lookup address",
            "name resolution",
            "socket",
            "reset by peer",
            "broken pipe",
            "tls ",
            "ssl ",
            "certificate",
            "handshake",
            "unreachable",
            "network",
            "econn",
            "enotfound",
            "etimedout",
            "eai again",
            "fetch failed",
            "hang up",
            "incomplete message",
            "unexpected eof",
            "unexpected end of file",
            "premature",
            "channel closed",
        ])
    }

    fn failed(&self) -> bool {
        self.any(&["internal error", "internal server", "server error", "bad gateway", "gateway", "upstream"])
    }

    fn invalid(&self) -> bool {
        self.any(&["bad request", "invalid request", "invalid parameter", "malformed", "unprocessable"])
    }

    /// The status that the text names: `status: 503`, `HTTP 429`, `429 Too Many Requests`.
    pub(super) fn status(&self) -> Option<u16> {
        let mut before = "";
        for word in self.0.split_ascii_whitespace() {
            let named = matches!(
                before,
                "" | "status"
                    | "http"
                    | "code"
                    | "error"
                    | "statuscode"
                    | "1"
                    | "response"
                    | "received"
                    | "got"
                    | "returned"
                    | "with"
                    | "failed"
                    | "api"
            );
            let status = word.parse().ok().filter(|status| word.len() == 3 && (400..600).contains(status));
            if let Some(status) = status.filter(|_| named) {
                return Some(status);
            }
            before = word;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refined(kind: ErrorKind, text: &str) -> ErrorKind {
        Words::from_text(text).refine(kind, None)
    }

    #[test]
    fn what_does_not_fit_is_known_by_many_words() {
        for text in [
            "prompt is too long: 202095 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 90402 + 116650 > 204648, decrease input length",
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 4301 tokens",
            "Your input exceeds the context window of this model.",
            "The input token count (1189575) exceeds the maximum number of tokens allowed (1048575).",
            "Input is too long for requested model.",
            "Too many input tokens",
            "length of prompt_tokens (163280) must be less than max_seq_len (32768).",
            "Your prompt is longer than the model's context length of 2048",
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "too many tokens: total number of tokens in the prompt cannot exceed 4081",
            "the request exceeds the available context size",
            "tokens to keep from the initial prompt is greater than the context length",
            "prompt too long; exceeded max context length by 4 tokens",
            "'max_tokens' is too large: 8192. This model's maximum context length is 8192 tokens",
            "Your request exceeded model token limit: 262144 (requested: 300000)",
            "prompt token count of 70000 exceeds the limit of 64000",
            "the conversation has more tokens than fit: it is longer than allowed",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
            "`inputs` must have less than 4096 tokens. Given: 5000",
            "the input token count is 40000 but model only supports up to 32768. Reduce the input token count",
            "Malformed input request: expected maxLength: 2048, actual: 5000, please reformat your input",
            "Prompt has 9000 tokens, maximum allowed 8191",
            "Range of input length should be [1, 30720]",
            "The decoder prompt (length 40000) is longer than the maximum model length of 32768",
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
        ] {
            assert_eq!(refined(ErrorKind::InvalidRequest, text), ErrorKind::ContextOverflow, "{text}");
        }
    }

    #[test]
    fn other_limits_are_not_the_window() {
        for text in [
            "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
            "messages.1.content.0.image.source.base64: image exceeds 5 MB maximum",
            "tools.0.custom.name: String should have at most 128 characters",
            "temperature: must be less than or equal to 1",
            "messages: at least one message is required",
            "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after",
            "max_tokens must be at least 1",
            "metadata.user_id: too long",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "`temperature` is deprecated for this model",
            "Extra fields forbidden: foo",
            "model names are case-sensitive",
            "`max_tokens` must be greater than `thinking.budget_tokens`",
            "thinking.budget_tokens exceeds max_tokens",
            "invalid safety_settings: unknown category",
            "max_tokens must be <= 8192",
            "This model does not support image input",
        ] {
            assert_eq!(refined(ErrorKind::InvalidRequest, text), ErrorKind::InvalidRequest, "{text}");
        }
    }

    #[test]
    fn a_rate_is_not_a_window_and_not_a_purse() {
        for text in [
            "Rate limit reached for requests",
            "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
            "Too many tokens, please wait before trying again.",
            "Resource exhausted. Please try again later.",
        ] {
            assert_eq!(refined(ErrorKind::RateLimited, text), ErrorKind::RateLimited, "{text}");
        }
        let words =
            Words::from_text("You exceeded your current quota, please check your plan and billing details");
        assert_eq!(words.refine(ErrorKind::RateLimited, None), ErrorKind::QuotaExhausted);
        assert_eq!(
            words.refine(ErrorKind::RateLimited, Some(Duration::from_secs(20))),
            ErrorKind::RateLimited
        );
        assert_eq!(words.refine(ErrorKind::RateLimited, Some(HOUR * 24 * 9)), ErrorKind::QuotaExhausted);
    }

    #[test]
    fn a_request_larger_than_a_minute_lets_through_has_to_shrink() {
        let text = "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 41000. The input \
                    or output tokens must be reduced in order to run successfully.";
        assert_eq!(refined(ErrorKind::RateLimited, text), ErrorKind::ContextOverflow);
    }

    #[test]
    fn a_status_is_read_where_it_is_called_one() {
        for (text, status) in [
            ("HTTP status client error (429 Too Many Requests) for url", Some(429)),
            ("Error code: 503 - overloaded", Some(503)),
            ("529 {\"type\":\"error\"}", Some(529)),
            ("used 450 tokens", None),
            ("HTTP/1.1 502 Bad Gateway", Some(502)),
        ] {
            assert_eq!(Words::from_text(text).status(), status, "{text}");
        }
    }
}
