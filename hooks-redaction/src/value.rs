//! Judges whether a value is a secret or a placeholder for one.

use super::{code, names};

pub(super) use super::placeholder::is_placeholder;
use super::placeholder::{is_member, is_path};

/// Notation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// In quotation marks.
    Quoted,
    /// Directly after `=`, as in a shell, an environment file or a query.
    Attached,
    /// After a colon, as in YAML, or after the name of an option; `true` if nothing else is on the line.
    Plain(bool),
    /// After `=` with spaces, as in an INI file or in code, where words are variables.
    Spaced,
    /// In a sentence.
    Prose,
}

/// Words that are a type, a literal or a remark rather than a secret.
const WORDS: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "string",
    "str",
    "text",
    "number",
    "bool",
    "boolean",
    "any",
    "int",
    "integer",
    "bytes",
    "object",
    "char",
    "varchar",
    "secretstr",
    "option",
    "optional",
    "required",
    "missing",
    "invalid",
    "incorrect",
    "wrong",
    "expired",
    "empty",
    "set",
    "unset",
    "enabled",
    "disabled",
    "hidden",
    "prompt",
    "redacted",
    "masked",
    "ok",
    "failed",
    "changed",
    "updated",
    "reset",
    "not",
    "is",
    "must",
    "should",
    "will",
    "can",
    "may",
    "the",
    "a",
    "an",
    "for",
    "and",
    "or",
    "of",
    "to",
    "in",
    "from",
    "with",
    "value",
    "await",
    "new",
    "function",
    "self",
    "this",
    "input",
    "env",
    "file",
    "token",
    "tokens",
    "bearer",
    "auth",
    "authentication",
    "placeholder",
    "insert",
    "enter",
    "provide",
    "unknown",
    "void",
    "never",
    "default",
    "field",
    "type",
    "error",
    "authorization",
    "key",
    "secret",
    "password",
    "credentials",
    "realm",
    "scheme",
    "header",
];

/// Words for a password in other languages: captions of fields, not passwords.
const CAPTIONS: &[&str] = &[
    "passwort",
    "kennwort",
    "passphrase",
    "passcode",
    "passwords",
    "contraseña",
    "contrasena",
    "contrasenya",
    "clave",
    "senha",
    "palavra-passe",
    "parola",
    "parole",
    "wachtwoord",
    "lösenord",
    "losenord",
    "passord",
    "adgangskode",
    "kodeord",
    "salasana",
    "parool",
    "hasło",
    "haslo",
    "heslo",
    "lozinka",
    "geslo",
    "jelszó",
    "jelszo",
    "şifre",
    "sifre",
    "sandi",
    "kata sandi",
    "pasahitza",
    "contrasinal",
    "fjalëkalimi",
    "slaptažodis",
    "lykilorð",
    "pin",
];

/// Returns whether a value is text in a language: letters, of which some are not ASCII, or of a script without capitals.
fn is_foreign_text(value: &str) -> bool {
    let letters =
        value.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || ".,-…:?()'’・ー".contains(c));
    let script = value.chars().any(|c| c.is_alphabetic() && c > '\u{2af}');
    letters && !value.is_ascii() || script && !value.bytes().any(|b| b.is_ascii_digit())
}

/// Length of the part of a value that is judged.
pub(super) const HEAD: usize = 128;

/// Returns whether the value of a name that suggests a password is a password.
pub(super) fn is_password(value: &str, style: Style) -> bool {
    let bare = value.trim();
    let least = if matches!(style, Style::Quoted | Style::Attached) { 2 } else { 3 };
    if is_placeholder(bare)
        || is_word(bare)
        || is_path(bare)
        || bare.chars().count() < least
        || is_foreign_text(bare)
    {
        return false;
    }
    if style == Style::Quoted {
        // A prompt.
        if bare.len() < value.len() && bare.ends_with([':', '?', '>']) {
            return false;
        }
        return is_passphrase(bare)
            || (!is_sentence(bare) && !bare.contains("://") && !is_about(bare) && !is_member(bare));
    }
    if style == Style::Prose
        && (is_version(bare) || code::is_type(bare) || bare.starts_with(['{', '}', ')', ']', '=', '|']))
    {
        return false;
    }
    !is_code(bare)
        && !code::is_declared(bare, style)
        && !(style == Style::Prose && (bare.contains("://") || bare.starts_with("HTTP/")))
        && match style {
            Style::Quoted | Style::Attached => true,
            Style::Plain(alone) => {
                let words = bare.matches('-').count() >= 2 && bare.chars().any(char::is_uppercase);
                alone && bare.chars().count() >= 4 || words || has_digit_or_sign(bare)
            }
            Style::Spaced => has_digit_or_sign(bare) || (bare.len() >= 14 && bare.matches('-').count() >= 2),
            Style::Prose => {
                let words = bare.len() >= 14 && bare.matches('-').count() >= 2;
                let signs = has_rare_sign(bare) && bare.chars().skip(1).any(char::is_uppercase);
                words
                    || signs
                    || is_mixed(bare, 6)
                    || (has_digit_or_sign(bare) && bare.bytes().any(|b| b.is_ascii_digit()))
            }
        }
}

/// Returns whether the value of a name that suggests a token, key or secret is one.
pub(super) fn is_token(value: &str, style: Style, least: usize) -> bool {
    let bare = value.trim();
    !is_placeholder(bare)
        && !is_word(bare)
        && (style == Style::Quoted
            || !(is_code(bare) || code::is_declared(bare, style) || code::is_name(bare, style)))
        && (style == Style::Quoted || !is_expression(bare))
        && !bare.contains(char::is_whitespace)
        && !bare.contains("://")
        && is_mixed(bare, least)
}

/// Returns whether letters and digits, or capitals inside, are mixed over at least `least` characters.
pub(super) fn is_mixed(value: &str, least: usize) -> bool {
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let letter = value.chars().any(char::is_alphabetic);
    let inner_capital =
        value.chars().skip(1).any(char::is_uppercase) && value.chars().any(char::is_lowercase);
    value.chars().count() >= least && letter && (digit || (inner_capital && value.len() >= 20))
}

/// Returns whether a value has a sign that names and paths do not have.
pub(super) fn has_rare_sign(value: &str) -> bool {
    value.len() >= 8
        && !value.contains(['/', ' '])
        && value.contains(['!', '@', '#', '^', '&', '*', '~', '+', '?'])
}

/// Returns whether the value of a name for tokens, without quotation marks, is part of a program.
fn is_expression(value: &str) -> bool {
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    value.contains(['(', '{', '[']) || (!digit && value.contains(['.', ',', '$']))
}

fn has_digit_or_sign(value: &str) -> bool {
    value.chars().any(|c| !c.is_alphabetic() && !"-_ .,;:'\"()".contains(c))
}

/// Returns whether a value is one of the words above, or itself the name of a secret.
pub(super) fn is_word(value: &str) -> bool {
    let bare = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let letters = value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    WORDS.contains(&bare.as_str())
        || CAPTIONS.contains(&bare.as_str())
        || (letters && value.contains('_') && names::noun(value).is_some())
}

/// Words that join a sentence, of which no passphrase consists.
const JOINS: &[&str] = &[
    "your", "you", "please", "does", "has", "have", "are", "was", "but", "than", "that", "this", "choose",
    "use", "soon", "here", "again", "too", "very", "one",
];

/// Returns whether a value is four to eight small words without one that joins a sentence, perhaps with a number.
pub(super) fn is_passphrase(value: &str) -> bool {
    let words = || value.split(' ');
    let small = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    (4..=8).contains(&words().count())
        && words().filter(|word| number(word)).count() <= 1
        && words().all(|word| number(word) || small(word))
        && !words().any(|word| is_word(word) || JOINS.contains(&word) || names::noun(word).is_some())
}

/// Returns whether a value is three or more plain words, none of which joins a sentence or is about secrets.
pub(super) fn is_words(value: &str) -> bool {
    let plain = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    let words = || value.split(' ');
    (3..=8).contains(&words().count())
        && words().all(|word| plain(word) && !is_word(word) && !JOINS.contains(&word))
        && words().all(|word| names::noun(word).is_none())
}

/// Returns whether a quoted value is a text about passwords, such as a message or a validation rule.
fn is_sentence(value: &str) -> bool {
    let words = value.split_whitespace().count();
    let digits = value.bytes().any(|b| b.is_ascii_digit());
    words >= 3 && !digits
        || words >= 5
        || value.starts_with("required|")
        || (words >= 2
            && !digits
            && value.split_whitespace().any(|word| is_word(word) || names::noun(word).is_some()))
}

/// Returns whether a value is a version: `v0.5.0`.
fn is_version(value: &str) -> bool {
    let mut parts = value.strip_prefix('v').unwrap_or(value).split('.');
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.clone().count() >= 2 && parts.all(number)
}

/// Returns whether a value consists of small words, of which one is about secrets: `auth/missing-password`.
fn is_about(value: &str) -> bool {
    let words = || value.split(['-', '/', '.', ':']);
    let small = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    value.contains('/') && words().all(small) && words().any(|word| names::noun(word).is_some())
}

/// Returns whether an unquoted value is an expression: a call, an index, a member.
pub(super) fn is_code(value: &str) -> bool {
    let ident = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    // Variables of PHP and shells.
    let value = value.strip_prefix('$').unwrap_or(value);
    let head = value.split(['(', '[', '<']).next().unwrap_or_default();
    let path = head.split(['.', ':']).filter(|part| !part.is_empty());
    let called = head.len() < value.len()
        && path.clone().count() > 0
        && path.clone().all(ident)
        && value.ends_with([')', ']', '>', ',', ';', '?', '(', '[', '=', '"', '\'']);
    let roots = [
        "self", "this", "os", "process", "req", "request", "env", "args", "opts", "options", "config", "cfg",
        "settings", "params", "user", "data", "secrets", "var", "local", "props", "state", "ctx", "context",
        "app", "import", "module", "form", "body",
    ];
    let first =
        head.trim_start_matches(['&', '*', '!']).split(['.', ':', '?', '-']).next().unwrap_or_default();
    let member = head.contains(['.', ':', '?']) || head.contains("->");
    // `names$3[key`
    let indexed = value.as_bytes().get(head.len()) == Some(&b'[')
        && head.len() >= 5
        && path.clone().all(|part| ident(part.split('$').next().unwrap_or_default()))
        && !head.split('$').next().unwrap_or_default().bytes().any(|b| b.is_ascii_digit());
    // `decodeSafe$1(parsed.password`
    let argument = value.get(head.len() + 1..).unwrap_or_default();
    let call = value.as_bytes().get(head.len()) == Some(&b'(')
        && head.contains(['_', '$', '.'])
        && head
            .split(['.', '$', ':'])
            .all(|part| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        && !argument.is_empty()
        && argument.split('.').all(ident);
    // Of minified programs, and of comments in Python.
    let short =
        matches!(value, "!0" | "!1") || (value.ends_with('}') && value.as_bytes().get(1) == Some(&b'{'));
    called
        || indexed
        || call
        || short
        || (member && roots.contains(&first))
        || value.starts_with(['(', '!', '|', '>', '&']) && !value.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_by_style() {
        for (value, style) in [
            ("correct-horse-battery", Style::Attached),
            ("letmein", Style::Attached),
            ("letmein", Style::Plain(true)),
            ("hunter2", Style::Spaced),
            ("pa55 word", Style::Quoted),
            ("changeMe_now9", Style::Prose),
            ("letmein", Style::Quoted),
            ("größe77", Style::Quoted),
        ] {
            assert!(is_password(value, style), "{value}");
        }
        for (value, style) in [
            ("string", Style::Plain(true)),
            ("String,", Style::Plain(false)),
            ("user_input", Style::Spaced),
            ("getpass()", Style::Attached),
            ("os.environ[\"X\"]", Style::Attached),
            ("process.env.DB_PW1", Style::Plain(true)),
            ("must", Style::Prose),
            ("policy", Style::Prose),
            ("Enter your password", Style::Quoted),
            ("the one you chose", Style::Quoted),
            ("null", Style::Quoted),
            ("Passwort", Style::Quoted),
            ("Nova senha", Style::Quoted),
            ("Hasło", Style::Attached),
            ("密码", Style::Quoted),
            ("パスワードの確認", Style::Quoted),
            ("Пароль", Style::Plain(true)),
            ("   Again:  ", Style::Quoted),
        ] {
            assert!(!is_password(value, style), "{value}");
        }
    }
}
