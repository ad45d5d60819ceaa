//! Error codes of providers, in fields that are meant for programs.

use crate::error::ErrorKind;

/// A vendor's table: its codes, in lower case and without punctuation, and their kinds.
pub(super) type Codes = &'static [(&'static str, ErrorKind)];

/// Looks `code` up in `table`. Case and punctuation do not matter: `RateLimitReached` is
/// `rate_limit_reached`.
pub(super) fn lookup(table: Codes, code: &str) -> Option<ErrorKind> {
    let code = plain(code)?;
    table.iter().find(|(word, _)| *word == code).map(|&(_, kind)| kind)
}

/// Letters and digits alone, in lower case; `None` if the text is too long for a code.
fn plain(code: &str) -> Option<String> {
    const LONGEST: usize = 128;
    (code.len() <= LONGEST).then(|| {
        code.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    })
}

/// Codes of OpenAI and of the many providers that imitate it.
pub(super) const SHARED: Codes = {
    use ErrorKind as Kind;
    &[
        ("contextlengthexceeded", Kind::ContextOverflow),
        ("contextwindowexceeded", Kind::ContextOverflow),
        ("contextwindowexceedederror", Kind::ContextOverflow),
        ("exceedcontextsizeerror", Kind::ContextOverflow),
        ("modelcontextwindowexceeded", Kind::ContextOverflow),
        ("prompttoolong", Kind::ContextOverflow),
        ("requesttoolarge", Kind::ContextOverflow),
        ("stringabovemaxlength", Kind::ContextOverflow),
        ("tokenslimitreached", Kind::ContextOverflow),
        ("billingerror", Kind::QuotaExhausted),
        ("billinghardlimitreached", Kind::QuotaExhausted),
        ("billingnotactive", Kind::QuotaExhausted),
        ("budgetexceeded", Kind::QuotaExhausted),
        ("creditsexhausted", Kind::QuotaExhausted),
        ("exceededcurrentquotaerror", Kind::QuotaExhausted),
        ("insufficientbalance", Kind::QuotaExhausted),
        ("insufficientcredits", Kind::QuotaExhausted),
        ("insufficientquota", Kind::QuotaExhausted),
        ("paymentrequired", Kind::QuotaExhausted),
        ("quotaexceeded", Kind::QuotaExhausted),
        ("usagelimitreached", Kind::QuotaExhausted),
        ("ratelimited", Kind::RateLimited),
        ("ratelimiterror", Kind::RateLimited),
        ("ratelimitexceeded", Kind::RateLimited),
        ("ratelimitreached", Kind::RateLimited),
        ("ratelimitreachederror", Kind::RateLimited),
        ("requests", Kind::RateLimited),
        ("throttled", Kind::RateLimited),
        ("tokens", Kind::RateLimited),
        ("toomanyrequests", Kind::RateLimited),
        ("accountdeactivated", Kind::Authentication),
        ("authenticationerror", Kind::Authentication),
        ("expiredapikey", Kind::Authentication),
        ("invalidapikey", Kind::Authentication),
        ("invalidauthentication", Kind::Authentication),
        ("invalidauthenticationerror", Kind::Authentication),
        ("invalidorganization", Kind::Authentication),
        ("mismatchedorganization", Kind::Authentication),
        ("missingapikey", Kind::Authentication),
        ("unauthorized", Kind::Authentication),
        ("accessdenied", Kind::Permission),
        ("forbidden", Kind::Permission),
        ("insufficientpermissions", Kind::Permission),
        ("ipnotauthorized", Kind::Permission),
        ("modeltermsrequired", Kind::Permission),
        ("permissiondenied", Kind::Permission),
        ("permissiondeniederror", Kind::Permission),
        ("permissionerror", Kind::Permission),
        ("unsupportedcountryregionterritory", Kind::Permission),
        ("deploymentnotfound", Kind::ModelUnavailable),
        ("enginenotfound", Kind::ModelUnavailable),
        ("invalidmodel", Kind::ModelUnavailable),
        ("modeldecommissioned", Kind::ModelUnavailable),
        ("modeldeprecated", Kind::ModelUnavailable),
        ("modelnotavailable", Kind::ModelUnavailable),
        ("modelnotfound", Kind::ModelUnavailable),
        ("unknownmodel", Kind::ModelUnavailable),
        ("contentfilter", Kind::ContentFilter),
        ("contentfiltererror", Kind::ContentFilter),
        ("contentpolicyviolation", Kind::ContentFilter),
        ("datainspectionfailed", Kind::ContentFilter),
        ("imagecontentpolicyviolation", Kind::ContentFilter),
        ("moderationblocked", Kind::ContentFilter),
        ("responsibleaipolicyviolation", Kind::ContentFilter),
        ("capacityexceeded", Kind::Overloaded),
        ("engineoverloaded", Kind::Overloaded),
        ("engineoverloadederror", Kind::Overloaded),
        ("modeloverloaded", Kind::Overloaded),
        ("nocapacity", Kind::Overloaded),
        ("overloaded", Kind::Overloaded),
        ("overloadederror", Kind::Overloaded),
        ("resourceunavailable", Kind::Overloaded),
        ("serveroverloaded", Kind::Overloaded),
        ("serviceunavailable", Kind::Overloaded),
        ("serviceunavailableerror", Kind::Overloaded),
        ("slowdown", Kind::Overloaded),
        ("unavailable", Kind::Overloaded),
        ("apierror", Kind::Server),
        ("badgateway", Kind::Server),
        ("internalerror", Kind::Server),
        ("internalservererror", Kind::Server),
        ("servererror", Kind::Server),
        ("gatewaytimeout", Kind::AttemptTimeout),
        ("requesttimeout", Kind::AttemptTimeout),
        ("timeout", Kind::AttemptTimeout),
        ("timeouterror", Kind::AttemptTimeout),
        ("badrequest", Kind::InvalidRequest),
        ("badrequesterror", Kind::InvalidRequest),
        ("invalidprompt", Kind::InvalidRequest),
        ("invalidrequest", Kind::InvalidRequest),
        ("invalidrequesterror", Kind::InvalidRequest),
        ("invalidtype", Kind::InvalidRequest),
        ("invalidvalue", Kind::InvalidRequest),
        ("unknownparameter", Kind::InvalidRequest),
        ("unprocessableentity", Kind::InvalidRequest),
        ("unsupportedparameter", Kind::InvalidRequest),
        ("unsupportedvalue", Kind::InvalidRequest),
    ]
};
