//! Recognises values that are types, constants and members of a programming language.

use super::{names, value::Style};

/// Returns whether a value without quotation marks, after a colon or after `=` with spaces, is part of a
/// program: `password: &[u8]`, `token: Option<u64>`, `PASSWORD: u32 = 7`, `password = params.password`.
pub(super) fn is_declared(value: &str, style: Style) -> bool {
    if !matches!(style, Style::Plain(_) | Style::Spaced) {
        return false;
    }
    let bare = value.trim_end_matches([',', ';']);
    if bare.starts_with(['*', '&', '[', '{', '|', '<']) || is_path(bare) {
        return true;
    }
    let digits = bare.bytes().all(|b| b.is_ascii_digit());
    let number = bare.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if number || (style == Style::Spaced && digits && bare.len() < value.len()) {
        return true;
    }
    let short_number = bare.len() < 4 && bare.bytes().all(|b| b.is_ascii_digit());
    short_number
        || is_primitive(bare)
        || is_constant(bare)
        || is_type(bare)
        || is_member(bare)
        || (is_humps(bare)
            && bare.starts_with(char::is_uppercase)
            && !bare.ends_with(|c: char| c.is_ascii_digit()))
        || is_named_type(bare)
}

/// Returns whether the value of a name for tokens is the name of something in a program: it has no digits, or words.
pub(super) fn is_name(value: &str, style: Style) -> bool {
    let bare = value.trim_end_matches([',', ';', '!']);
    matches!(style, Style::Plain(_) | Style::Spaced)
        && (!bare.bytes().any(|b| b.is_ascii_digit()) || is_humps(bare))
}

/// Returns whether `text` is the path of a file, whose parts are words.
fn is_path(text: &str) -> bool {
    let starts = ["../", "./", "~/", "/"].iter().find_map(|start| text.strip_prefix(start));
    starts.is_some_and(|rest| {
        text.starts_with('.')
            || rest.contains('/') && rest.bytes().all(|b| b.is_ascii_lowercase() || b"/._-".contains(&b))
    })
}

/// Returns whether `text` is a type with the name of a secret, such as `SmbPassword`, or a constant with words in capitals,
/// such as `RD_KAFKAP_InitProducer`.
fn is_named_type(text: &str) -> bool {
    let letters = text.bytes().all(|b| b.is_ascii_alphabetic());
    let words = || text.split('_').filter(|part| !part.is_empty());
    let capitals = |part: &str| part.len() >= 2 && part.bytes().all(|b| b.is_ascii_uppercase());
    let constant = words().count() > 1
        && words().any(capitals)
        && words().all(|part| part.bytes().all(|b| b.is_ascii_alphabetic()));
    constant || letters && text.starts_with(char::is_uppercase) && names::noun(text).is_some()
}

/// Returns whether `text` is an identifier.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns whether `text` is a number type such as `u32`, `float64` or `uint8_t`.
fn is_primitive(text: &str) -> bool {
    let word = text.trim_start_matches('_').trim_end_matches("_t");
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let bits = word.get(name.len()..).unwrap_or_default();
    let sized = matches!(bits, "8" | "16" | "32" | "64" | "128" | "256");
    let letters = matches!(name, "u" | "i" | "f" | "s" | "uint" | "int" | "float" | "bytes" | "complex");
    word == "usize" || word == "isize" || (sized && letters)
}

/// Returns whether `text` is a constant or a type of C: `DOT11_DIALOG_TOKEN`, `PULONG64`, `_bindgen_ty_7`.
fn is_constant(text: &str) -> bool {
    let capitals = text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let few_digits = text.len() - letters.len() <= 3;
    let word = letters.len() >= 4 && letters.bytes().all(|b| b.is_ascii_uppercase()) && few_digits;
    let words = text.contains('_')
        && text.split('_').any(|part| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_uppercase()));
    is_identifier(text) && ((capitals && (word || words)) || text.starts_with('_'))
}

/// Returns whether `text` begins with a path, a generic type or a call: `a::B`, `Option<`, `Some(`.
pub(super) fn is_type(text: &str) -> bool {
    let head = text.split(['(', '[', '<', '{']).next().unwrap_or_default();
    // The exclamation mark of a macro.
    let head = if head.len() < text.len() { head.strip_suffix('!').unwrap_or(head) } else { head };
    let path = head.contains("::") && head.split("::").all(|part| part.is_empty() || is_identifier(part));
    let called = head.len() < text.len() && head.len() >= 2 && head.split(['.', ':']).all(is_identifier);
    let word = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = word.len() >= 5 || word.len() == head.len();
    path || (called && plain && !word.bytes().any(|b| b.is_ascii_digit()))
}

/// Returns whether `text` is a name of several words with capitals: `X509RequestInheritOptions`.
pub(super) fn is_humps(text: &str) -> bool {
    let letters = text.bytes().all(|b| b.is_ascii_alphanumeric()) && text.starts_with(char::is_alphabetic);
    let words = text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| word.len() >= 3);
    let (count, length) = words.fold((0, 0), |(count, length), word| (count + 1, length + word.len() + 1));
    letters && count >= 2 && length * 10 >= text.len() * 7
}

/// Returns whether a value without quotation marks is a variable or a member that is itself named as a password: `conn.password`,
/// `n.password||""`, `masterPassword`. Behind `=` in a program, such a value is no password.
pub(super) fn is_reference(value: &str) -> bool {
    let name = value.split_once("||").or_else(|| value.split_once("??"));
    let name = name.filter(|(_, other)| other.starts_with(['"', '\''])).map_or(value, |(name, _)| name);
    let parts = || name.trim_end_matches([',', ';', ')']).trim_start_matches('$').split('.');
    let last = parts().next_back().unwrap_or_default();
    let is_member = parts().count() > 1;
    let humps = last
        .as_bytes()
        .windows(2)
        .any(|two| matches!(two, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let letters = last.bytes().all(|b| b.is_ascii_alphabetic());
    let is_named = names::noun(last) == Some(names::Noun::Password);
    parts().all(is_identifier) && (is_member && (is_named || last == "value") || humps && letters && is_named)
}

/// Returns whether `text` is a member that itself has the name of a secret: `params.password`.
fn is_member(text: &str) -> bool {
    let text = text.trim_end_matches(['?', '!']);
    let parts = || text.split(['.', ':']).filter(|part| !part.is_empty());
    let last = parts().next_back().unwrap_or_default();
    let words = || parts().all(|part| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    text.contains('.') && parts().all(is_identifier) && (names::noun(last).is_some() || words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for value in [
            "conn.password",
            "e.pwd,",
            "n.password||\"\"",
            "input1.value",
            "masterPassword",
            "dbPassword,",
            "$row.password",
        ] {
            assert!(is_reference(value), "{value}");
        }
        for value in [
            "hunter2",
            "dev.password;s3cr3tTail9",
            "super.password?99!Ab",
            "adminPassword|8f!2",
            "correct.horse",
            "Passw0rd",
            "MyDog.Rex7",
            "letmein",
            "dbPassword1",
        ] {
            assert!(!is_reference(value), "{value}");
        }
    }

    #[test]
    fn values_of_programs() {
        for value in [
            "u32",
            "__u32",
            "*mut",
            "&[u8",
            "277,",
            "WIN32_ERROR",
            "DOT11_DIALOG_TOKEN,",
            "_bindgen_ty_7",
            "PULONG64",
            "crate::ObjectIdentifier",
            "SigningKey::generate(&mut",
            "Some(Token![::](span",
            "node.dot2_token",
            "value.password",
            "::core::option::Option<",
            "uint8_t",
            "<Token![>]>::default(",
            "NEXT_TOKEN.fetch_add(2",
            "Aligned64(secret",
            "0x80041064,",
            "X509RequestInheritOptions",
            "../struct.Token.html",
            "CancellationToken.None",
            "SmbPassword;",
            "RD_KAFKAP_InitProducerId",
            "/run/secrets/db_password",
        ] {
            assert!(is_declared(value, Style::Plain(true)), "{value}");
            assert!(!is_declared(value, Style::Attached), "{value}");
        }
        for value in [
            "hunter2",
            "S3cr3t!",
            "Xk9(fj2",
            "abc.def9",
            "letmein",
            "4711",
            "A1B2C3D4E5F6",
            "correct_horse_9",
            "Harvest2024!",
            "turtle!thunder5",
            "/x9/Lq2",
        ] {
            assert!(!is_declared(value, Style::Plain(true)), "{value}");
        }
    }
}
