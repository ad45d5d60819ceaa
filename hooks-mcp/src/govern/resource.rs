//! The arguments under which the hooks judge the read of a resource.

use serde_json::{Value, json};

/// Returns `path` for a URI of a file, or `paths` if servers read it in two ways; `url` for others. A URI of a file that
/// names no path for certain stays a `uri`, which a guard of files takes for any file.
///
/// # Errors
/// Returns an error for characters that parsers of URLs strip: with them, another scheme would be judged.
pub(super) fn arguments(uri: &str) -> Result<Value, String> {
    if uri.trim() != uri || uri.contains(char::is_control) {
        let uri = uri.escape_debug();
        return Err(format!("`{uri}` has control characters, or white space around it; leave them out"));
    }
    if uri.starts_with("//") {
        // A URL of the scheme of its reader, or a path.
        return Ok(json!({"path": uri, "url": uri}));
    }
    Ok(plain_arguments(uri))
}

fn plain_arguments(uri: &str) -> Value {
    let Some((scheme, rest)) = uri.split_once(':') else { return json!({"path": uri}) };
    if !scheme.eq_ignore_ascii_case("file") {
        return json!({"url": uri});
    }
    let path = match rest.strip_prefix("//") {
        None => Some(rest),
        Some(rest) => rest.strip_prefix("localhost").or(Some(rest)).filter(|path| path.starts_with('/')),
    };
    let Some(path) = path.filter(|path| !path.contains(['?', '#', '\\'])) else { return json!({"uri": uri}) };
    match decoded(path) {
        Some(decoded) if decoded == path => json!({"path": path}),
        // Not all servers decode it.
        Some(decoded) => json!({"paths": [decoded, path]}),
        None => json!({"uri": uri}),
    }
}

/// Decodes `%2F` and its like; `None` if that gives no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = behind;
            continue;
        }
        let (digits, behind) = behind.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_judged_by_its_path() {
        for (uri, judged) in [
            ("file:///a/b", json!({"path": "/a/b"})),
            ("FILE://localhost/a", json!({"path": "/a"})),
            ("file:a", json!({"path": "a"})),
            ("a", json!({"path": "a"})),
            ("file:///a/%2e%2e/b", json!({"paths": ["/a/../b", "/a/%2e%2e/b"]})),
            ("file://host/a", json!({"uri": "file://host/a"})),
            ("file:///a?b", json!({"uri": "file:///a?b"})),
            ("file:///%", json!({"uri": "file:///%"})),
            ("file:///%00", json!({"uri": "file:///%00"})),
            ("demo://a", json!({"url": "demo://a"})),
            ("//host/a:b", json!({"path": "//host/a:b", "url": "//host/a:b"})),
        ] {
            assert_eq!(arguments(uri), Ok(judged), "{uri}");
        }
    }

    #[test]
    fn what_parsers_strip_is_refused() {
        for uri in
            ["fi\tle:///x/.env", "file:///x/.e\nnv", " file:///x/.env", "a ", "\u{a0}a", "a\0", "a\u{7f}"]
        {
            assert!(arguments(uri).is_err(), "{uri:?}");
        }
    }
}
