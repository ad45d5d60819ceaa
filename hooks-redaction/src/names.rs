//! Judges by the words in the name of a field or variable whether its value is a secret.

/// Kind of value that a name suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    /// A password: any value counts.
    Password,
    /// A secret, credential or short `pass`: the value has to look like one.
    Secret,
    /// A token or key: the value has to look like one.
    Token,
}

/// Longest name that is split into words.
pub(super) const MAX_NAME: usize = 96;

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "passwort"];
const SHORT_PASSWORDS: &[&str] =
    &["pwd", "pswd", "psw", "psk", "storepass", "keypass", "requirepass", "sshpass", "rootpw", "bindpw"];
/// Words in front of `pass` that make it a password; a compiler has others.
const PASS_KINDS: &[&str] = &[
    "db", "database", "smtp", "mail", "email", "imap", "wifi", "ftp", "sftp", "ssh", "user", "admin", "root",
    "mysql", "postgres", "pg", "redis", "mongo", "rabbitmq", "ldap", "bind", "proxy", "http", "auth",
    "login", "account", "basic", "sudo", "vpn", "jenkins", "registry",
];
/// Words in front of `token` that make it a place in a list or the number of a request.
const PLAIN_TOKENS: &[&str] = &[
    "page",
    "next",
    "previous",
    "prev",
    "change",
    "continuation",
    "sync",
    "output",
    "input",
    "idempotency",
    "request",
    "resume",
    "start",
    "end",
    "pagination",
    "cancellation",
];
const SECRETS: &[&str] = &["secret", "secrets", "credential", "credentials", "creds", "pass"];
/// Words that make a following `key` a secret key.
const KEY_KINDS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "service",
    "account",
    "master",
    "admin",
    "storage",
    "shared",
    "app",
    "application",
    "license",
    "ssh",
    "subscription",
    "functions",
    "host",
    "preshared",
];
/// Words after a noun that still name the value itself.
const FILLERS: &[&str] =
    &["value", "raw", "plain", "plaintext", "text", "string", "str", "env", "base64", "b64", "hash", "base"];

/// Splits a name into its words: at every character that is not a letter or digit, and where the case
/// changes.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut letters = name.chars().take(MAX_NAME).peekable();
    let mut last = ' ';
    while let Some(c) = letters.next() {
        let next_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let new_hump = c.is_uppercase() && (last.is_lowercase() || (last.is_uppercase() && next_lower));
        if (!c.is_alphanumeric() || new_hump) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns the kind of value that `name` suggests by its last words.
pub(super) fn noun(name: &str) -> Option<Noun> {
    let mut words = words(name);
    let bare = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    while words.len() > 1 && words.last().is_some_and(|w| FILLERS.contains(&w.as_str()) || bare(w).is_empty())
    {
        words.pop();
    }
    let last = bare(words.pop()?.as_str());
    let before = words.pop().unwrap_or_default();
    let joined = format!("{before}{last}");
    let ends = |list: &[&str], word: &str| list.iter().any(|known| word.ends_with(known));
    if ends(PASSWORDS, &last) || ends(SHORT_PASSWORDS, &last) || PASSWORDS.contains(&joined.as_str()) {
        return Some(Noun::Password);
    }
    if last.strip_suffix("pass").is_some_and(|kind| PASS_KINDS.contains(&kind)) {
        return Some(Noun::Password);
    }
    // The same again.
    if last == "confirmation" && PASSWORDS.contains(&before.as_str()) {
        return Some(Noun::Secret);
    }
    let client = last == "secret" && matches!(before.as_str(), "client" | "app" | "consumer" | "webhook");
    if client || (last == "pass" && PASS_KINDS.contains(&before.as_str())) {
        return Some(Noun::Password);
    }
    // The identifier of a key and the scope of a signature (AWS, "Signature Version 4").
    if before == "amz" && last == "credential" {
        return None;
    }
    if SECRETS.contains(&last.as_str()) || last == "pw" {
        return Some(Noun::Secret);
    }
    let key = last == "key" && KEY_KINDS.contains(&before.as_str());
    let one_word = KEY_KINDS
        .iter()
        .any(|kind| last.strip_suffix("key").or_else(|| last.strip_suffix("token")) == Some(kind));
    let token = last == "token" && !PLAIN_TOKENS.contains(&before.as_str());
    (token || key || one_word || last == "apikey").then_some(Noun::Token)
}

/// Returns whether a name may be that of a password, without its words: a first look.
pub(super) fn may_be_password(name: &[u8]) -> bool {
    let known = |two: &[u8]| {
        matches!(two, [b'p' | b'P', b'a' | b'A' | b's' | b'S' | b'w' | b'W'] | [b'w' | b'W', b'o' | b'O'])
    };
    name.windows(2).any(known)
}

/// Returns whether a name is `pass` alone, which a test has as well.
pub(super) fn is_bare_pass(name: &str) -> bool {
    name.eq_ignore_ascii_case("pass")
}

/// Returns whether a name suggests the secret of an AWS access key.
pub(super) fn is_aws_secret(name: &str) -> bool {
    let ends = |wanted: &str| {
        let mut letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
        wanted.bytes().rev().all(|b| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&b)))
    };
    ends("secretaccesskey") || ends("secretkey") || ends("awssecret")
}

/// Words anywhere in a name that make a field of a tool's arguments unfit for a record.
const SENSITIVE: &[&str] = &[
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "credential",
    "credentials",
    "creds",
    "cookie",
    "cookies",
    "bearer",
    "auth",
    "authorization",
    "oauth",
    "oauth2",
    "apikey",
    "apikeys",
    "key",
    "keys",
    "jwt",
    "otp",
    "totp",
    "cvv",
    "cvc",
    "ssn",
    "privatekey",
    "accesskey",
    "secretkey",
];
/// Words at the end of a name that make it a name for information *about* a secret.
const ABOUT: &[&str] = &[
    "count", "counts", "limit", "limits", "usage", "budget", "length", "size", "type", "types", "method",
    "mode", "enabled", "required", "expiry", "expires", "ttl", "url", "uri", "endpoint", "status",
];
/// Words in front of `key` that make it an ordinary key.
const PLAIN_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "public",
    "hot",
    "row",
    "map",
    "group",
    "index",
    "object",
    "translation",
];

/// Returns whether a field of this name must not be recorded.
pub(super) fn is_sensitive(name: &str) -> bool {
    let words = words(name);
    let whole = words.concat();
    if matches!(whole.as_str(), "content" | "query" | "pin" | "pincode")
        || PASSWORDS.contains(&whole.as_str())
    {
        // `content` and `query` only as whole names: `content_type` and `queryString` are harmless.
        return words.len() == 1 || !matches!(whole.as_str(), "content" | "query");
    }
    if words.last().is_some_and(|last| ABOUT.contains(&last.as_str())) {
        return false;
    }
    let sensitive = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        SENSITIVE.contains(&word)
            || PASSWORDS.iter().chain(SHORT_PASSWORDS).any(|known| word.ends_with(known))
    };
    let mut before = "";
    for word in &words {
        let plain = matches!(word.as_str(), "key" | "keys") && PLAIN_KEYS.contains(&before);
        if sensitive(word) && !plain {
            return true;
        }
        before = word;
    }
    words.windows(2).any(|pair| PASSWORDS.contains(&pair.concat().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(words("dbPassword_v2-APIKey"), ["db", "password", "v2", "api", "key"]);
        assert!(words("--").is_empty());
    }

    #[test]
    fn nouns() {
        for (name, wanted) in [
            ("DB_PASSWORD", Some(Noun::Password)),
            ("PGPASSWORD", Some(Noun::Password)),
            ("passWord", Some(Noun::Password)),
            ("password2", Some(Noun::Password)),
            ("clientSecret", Some(Noun::Password)),
            ("SecretAccessKey", Some(Noun::Token)),
            ("SECRET_KEY_BASE", Some(Noun::Token)),
            ("x-api-key", Some(Noun::Token)),
            ("authToken", Some(Noun::Token)),
            ("secretName", None),
            ("passwords", None),
            ("primary_key", None),
            ("tokenize", None),
            ("monkey", None),
            ("nextPageToken", None),
            ("render_pass", Some(Noun::Secret)),
            ("smtp_pass", Some(Noun::Password)),
            ("DB_PW", Some(Noun::Secret)),
            ("smtppass", Some(Noun::Password)),
            ("compass", None),
        ] {
            assert_eq!(noun(name), wanted, "{name}");
        }
    }

    #[test]
    fn sensitive_fields() {
        for name in [
            "apiToken",
            "client_secret",
            "oauth",
            "SecretId",
            "PassWord",
            "API_KEY",
            "x-api-key",
            "CONTENT",
            "Query",
            "key",
            "pin",
            "db_pwd",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
        for name in [
            "author",
            "monkey",
            "keyboard",
            "authority",
            "tokenCount",
            "keyword",
            "contents",
            "content_type",
            "queryString",
            "primary_key",
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
    }
}
