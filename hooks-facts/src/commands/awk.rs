//! Whether a program of awk starts others, or loads code.

/// Whether a text of awk may start a program: it calls `system`, a pipe stands beside `print` or `getline`, or an `@`
/// loads or calls what is named elsewhere. Linear.
pub(super) fn starts(text: &str) -> bool {
    let Some(code) = without_strings(text) else { return true };
    code.contains("system") || code.contains('@') || code.split([';', '{', '}', '\n']).any(has_pipe)
}

/// Whether a statement has a pipe; `|` stands in patterns, too.
fn has_pipe(statement: &str) -> bool {
    let statement = statement.replace("||", "");
    let Some((before, _)) = statement.split_once('|') else { return false };
    before.contains("print") || statement.contains("getline")
}

/// The text without what stands in its strings; `None` where a quote may stand in a pattern or a remark, so that
/// nobody can say where strings begin. Neither strings nor patterns go on in the next line.
fn without_strings(text: &str) -> Option<String> {
    let mut code = String::with_capacity(text.len());
    let (mut is_in_string, mut is_in_pattern, mut is_in_doubt) = (false, false, false);
    // Where a slash begins a pattern; behind anything else it may divide.
    let begins_a_pattern = |code: &str| {
        let before = code.trim_end_matches([' ', '\t']).chars().next_back();
        before.is_none_or(|c| "\n{};(,!~&|".contains(c))
    };
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                characters.next();
            }
            '\n' => {
                (is_in_string, is_in_pattern, is_in_doubt) = (false, false, false);
                code.push(c);
            }
            '"' if is_in_pattern || is_in_doubt => return None,
            '"' => {
                is_in_string = !is_in_string;
                code.push(c);
            }
            _ if is_in_string => {}
            '/' => {
                let is_pattern = !is_in_pattern && begins_a_pattern(&code);
                is_in_doubt |= !is_in_pattern && !is_pattern;
                is_in_pattern = is_pattern;
                code.push(c);
            }
            c => {
                is_in_doubt |= c == '#' || (is_in_pattern && c == '[');
                code.push(c);
            }
        }
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_are_told_from_patterns_and_strings() {
        for text in [
            "/a|b/ { print $1 }",
            "{ print $1 \"|\" $2 }",
            "$1 == \"a@b\" || $2 ~ /x|y/",
            "{ print \"system\" }",
            "/deny/ { print $1 \"|\" $2 }",
            "{ n += $1 / 2 } END { print n }",
            "{ print \"\\\"|\" }",
        ] {
            assert!(!starts(text), "{text}");
        }
        for text in [
            "{ print \"x\"|\"c\" }",
            "{ print $1 | c }",
            "{ c | getline }",
            "{ \"c\" | getline x }",
            "{ system(c) }",
            "{ @f(c) }",
            "@load \"x\"",
            "{ print \"\\\\\" | c; x = \"\" }",
            "/\"/ { print | c } /\"/",
            "# / \"\n{ print | c } # / \"",
            "/[/\"]/ { print | c } /[/\"]/",
            "{ a = 1 /b; } /\"/ { print | c } /\"/",
            "# \"\n{ print | c } # \"",
        ] {
            assert!(starts(text), "{text}");
        }
    }
}
