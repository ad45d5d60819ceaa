//! Names that the hooks, the client and the server have to read alike.

/// Keys of a message.
pub(crate) const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Keys of the parameters of governed requests.
pub(crate) const PARAMETERS: [&str; 3] = ["name", "arguments", "uri"];

/// Methods whose requests are judged, or whose answers are filtered.
pub(crate) const GOVERNED: [&str; 4] = ["tools/call", "tools/list", "prompts/get", "resources/read"];

/// Longest name of a tool; the specification recommends 128.
const LONGEST: usize = 256;

/// Returns whether `name` is another form of one of `names` for some program. Go's parser ignores case, also that of
/// `ſ` and the Kelvin sign; others trim names or stop at a NUL.
pub(crate) fn is_odd_form(name: &str, names: &[&str]) -> bool {
    if names.contains(&name) {
        return false;
    }
    let plain = |it: char| match it {
        'ſ' => Some('s'),
        '\u{212a}' => Some('k'),
        '\u{131}' => Some('i'),
        it if it.is_ascii_graphic() => Some(it.to_ascii_lowercase()),
        _ => None,
    };
    let plain: String = name.chars().filter_map(plain).collect();
    names.contains(&&*plain)
}

/// Returns whether the name of a tool is one that all programs read alike: visible characters of ASCII.
pub(crate) fn is_plain(tool: &str) -> bool {
    (1..=LONGEST).contains(&tool.len()) && tool.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The name of a server in the names of its tools, as clients write it: letters, digits, `_` and `-`.
///
/// ```
/// assert_eq!(hooks_mcp::server_name("@acme/files server"), "acme_files_server");
/// ```
pub fn server_name(name: &str) -> String {
    let is_kept = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let name: String = name.chars().map(|it| if is_kept(it) { it } else { '_' }).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "server".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_of_a_name_are_known() {
        for name in ["Params", "PARAMS", "paramſ", " params", "params\0", "params\u{200b}"] {
            assert!(is_odd_form(name, &ENVELOPE), "{name:?}");
        }
        assert!(is_odd_form("Tools/Call", &GOVERNED) && is_odd_form("tools/call ", &GOVERNED));
        for name in ["params", "_meta", "param", "tools/calls"] {
            assert!(!is_odd_form(name, &ENVELOPE) && !is_odd_form(name, &GOVERNED), "{name:?}");
        }
    }

    #[test]
    fn names_of_tools_are_visible_ascii() {
        for name in ["read_file", "admin.tools.list", "a/b", "A-1"] {
            assert!(is_plain(name), "{name:?}");
        }
        for name in ["", " read", "re\u{430}d", "a\nb", "a b", &"x".repeat(257)] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
