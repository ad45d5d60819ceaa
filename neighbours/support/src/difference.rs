//! The lines of code that a governed program has beyond its hello world.

/// Counts the lines of `governed` that a shortest difference to `hello` adds or changes. Comments and blank lines do not count.
pub fn lines_more(hello: &str, governed: &str) -> usize {
    let (hello, governed) = (code(hello), code(governed));
    // Lengths of the longest common subsequences of `hello` up to some line, and `governed` up to each line.
    let mut common = vec![0; governed.len() + 1];
    for line in hello {
        let mut next = vec![0];
        let (mut left, mut before) = (0, 0);
        for (other, &above) in governed.iter().zip(common.iter().skip(1)) {
            left = if line == *other { before + 1 } else { above.max(left) };
            before = above;
            next.push(left);
        }
        common = next;
    }
    governed.len() - common.last().copied().unwrap_or_default()
}

fn code(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

#[cfg(test)]
mod tests {
    use super::lines_more;

    #[test]
    fn added_and_changed_lines_count() {
        let hello = "//! a\nuse a;\n\nfn b() {\n    c();\n}\n";
        assert_eq!(lines_more(hello, hello), 0);
        assert_eq!(lines_more(hello, "//! other\nuse a;\nfn b() {\n// why\n  c();\n}\n"), 0);
        assert_eq!(lines_more(hello, "use a;\nuse d;\nfn b() {\n    e();\n}\n"), 2);
        assert_eq!(lines_more(hello, "fn b() {\n    c();\n}\nuse a;\n"), 1, "a moved line counts once");
        assert_eq!(lines_more(hello, "use a;\n"), 0, "removed lines do not count");
    }
}
