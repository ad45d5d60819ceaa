//! Files that `curl` and `wget` send or show: `curl -d @FILE`, `wget --post-file=FILE`, addresses of files.

use super::{Reads, forms, values};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::globs::Gap;
use crate::paths::decoded;

/// Options of `curl` whose value may name a file behind an `@`.
const DATA: &[&str] = table!("read_words_curl_data");

/// Options of `curl` whose value is a file that is sent or shown.
const FILES: &[&str] = table!("read_words_curl_files");

impl Reads<'_> {
    /// `curl -d @FILE`, `-F name=@FILE`, `-T FILE`, and `file:` addresses.
    pub(super) fn sent_by_curl(&mut self, words: &[Argument]) {
        for option in DATA {
            for value in values(words, option) {
                for file in behind_marks(&value.outline()) {
                    self.each_of_address(&file);
                }
            }
        }
        for option in FILES {
            for file in values(words, option).filter(|value| !is_cookie(option, value)) {
                self.each_of_address(&file.outline());
            }
        }
        for option in super::USED {
            for file in values(words, option) {
                self.one(&file, AccessKind::Used);
            }
        }
        self.unknown_options(words);
        self.local_addresses(words);
    }

    pub(super) fn sent_by_wget(&mut self, words: &[Argument]) {
        // `-e post_file=FILE` is a line of its settings.
        let settings: Vec<Argument> = values(words, "-e").chain(values(words, "--execute")).collect();
        self.possible(&settings);
        self.local_addresses(words);
    }

    /// Options that are not known here: the text behind an `@` may be a file.
    fn unknown_options(&mut self, words: &[Argument]) {
        for pair in words.windows(2) {
            let [option, value] = pair else { continue };
            let is_known = DATA.iter().chain(FILES).any(|known| option.literal() == Some(known));
            let is_long = option.prefix().starts_with("--");
            let outline = value.outline();
            if is_long && !is_known && outline.contains('@') && !outline.contains("://") {
                for file in behind_marks(&outline) {
                    self.maybe(&Argument::of_outline(&file));
                }
            }
        }
    }

    /// `file:///FILE`, `file:/FILE`.
    fn local_addresses(&mut self, words: &[Argument]) {
        for word in words {
            let outline = word.outline();
            let mut rest = outline.as_str();
            // An option may be before it: `--url=file:/x`.
            while let Some(at) = find_scheme(rest) {
                rest = rest.get(at..).unwrap_or_default();
                if let Some(path) = path_of_address(rest) {
                    self.each_of_address(path);
                    unescaped(path).iter().for_each(|path| self.each_of_address(path));
                }
                rest = rest.get("file:".len()..).unwrap_or_default();
            }
        }
    }

    /// Notes a file, and those that the globs of `curl` in its name stand for: `{a,b}`, `[1-3]`.
    fn each_of_address(&mut self, name: &str) {
        let file = Argument::of_outline(name);
        self.one(&file, AccessKind::Read);
        if name.contains(['{', '[']) {
            for part in forms::parts(&file) {
                self.maybe(&part);
            }
            self.maybe(&Argument::of_outline(&without_globs(name)));
        }
    }
}

/// Returns whether the value of `-b` is a cookie, and not a file with cookies.
fn is_cookie(option: &str, value: &Argument) -> bool {
    matches!(option, "-b" | "--cookie") && value.outline().contains('=')
}

/// Returns the files behind the marks of a value: `@FILE`, `name@FILE`, `name=@FILE;type=x`, `name=<FILE`, `a=@FILE,FILE`.
fn behind_marks(value: &str) -> Vec<String> {
    let Some(at) = value.find(['@', '<']) else { return Vec::new() };
    let files = value.get(at + 1..).unwrap_or_default();
    let whole = files.split(';').next().unwrap_or_default();
    let mut found = vec![files.to_owned(), whole.trim_matches('"').to_owned()];
    found.extend(whole.split(',').map(|file| file.trim_matches(['"', '@']).to_owned()));
    found.dedup();
    found
}

fn find_scheme(text: &str) -> Option<usize> {
    let is_scheme = |at: &usize| {
        let text = text.get(*at..*at + "file:".len());
        text.is_some_and(|text| text.eq_ignore_ascii_case("file:"))
    };
    text.char_indices().map(|(at, _)| at).find(is_scheme)
}

/// Returns the paths that the address of a file on this machine may stand for: as it is written, and as parsers of addresses
/// read it. Other texts have none.
pub(crate) fn paths_of_address(text: &str) -> Vec<String> {
    if !is_address(text) {
        return Vec::new();
    }
    let parsed: String = parsed(text).collect();
    let mut paths: Vec<String> = path_of_address(text).into_iter().map(str::to_owned).collect();
    if let Some(path) = path_of_address(&parsed) {
        paths.push(path.to_owned());
        // Browsers count from the top, and others from the working folder.
        if !path.starts_with('/') {
            paths.push(format!("/{path}"));
        }
    }
    let plain: Vec<String> = paths.iter().filter_map(|path| unescaped(path)).collect();
    paths.extend(plain);
    paths.dedup();
    paths
}

/// Returns the path of an address without its percent escapes, if it has some.
fn unescaped(path: &str) -> Option<String> {
    path.contains('%').then(|| decoded(path)).flatten().filter(|plain| plain != path)
}

/// Returns whether a text is the address of a file on this machine.
pub(crate) fn is_address(text: &str) -> bool {
    let mut start = parsed(text);
    "file:".chars().all(|c| start.next().is_some_and(|given| given.eq_ignore_ascii_case(&c)))
}

/// Returns an address as browsers parse it (WHATWG URL): without spaces and control characters at its ends, without tabs and
/// line breaks anywhere, and with `/` for each backslash.
fn parsed(text: &str) -> impl Iterator<Item = char> {
    let kept = text.trim_matches(|c| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    kept.map(|c| if c == '\\' { '/' } else { c })
}

/// Returns the path of an address of a file on this machine: `file:///x`, `file:/x`, `FILE://host/x`.
fn path_of_address(address: &str) -> Option<&str> {
    let scheme = address.get(.."file:".len())?;
    let rest = address.get("file:".len()..).filter(|_| scheme.eq_ignore_ascii_case("file:"))?;
    let path = match rest.strip_prefix("//") {
        // The name of the machine stands before the path.
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest),
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    (!path.is_empty()).then_some(path)
}

/// Returns a name with a wildcard for each glob of `curl`.
fn without_globs(name: &str) -> String {
    let (mut result, mut depth) = (String::new(), 0_usize);
    for c in name.chars() {
        match c {
            '{' | '[' => {
                if depth == 0 {
                    result.push(Gap::Name.stand_in());
                }
                depth += 1;
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => result.push(c),
            _ => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_have_a_path() {
        for (address, wanted) in [
            ("file:///etc/x", Some("/etc/x")),
            ("file:/etc/x", Some("/etc/x")),
            ("FILE://localhost/etc/x#a", Some("/etc/x")),
            ("file:x", Some("x")),
            ("https://a.example/file", None),
            ("file", None),
        ] {
            assert_eq!(path_of_address(address), wanted, "{address}");
        }
    }

    #[test]
    fn an_address_is_read_as_it_is_written_and_as_browsers_parse_it() {
        for (address, wanted) in [
            ("file:///x/.env", &["/x/.env"][..]),
            (" \u{1}file:///x/.env\n", &["/x/.env"]),
            ("fi\tl\r\ne:///x/.env", &["/x/.env"]),
            ("file:///x/.e\tnv", &["/x/.e\tnv", "/x/.env"]),
            ("File:\\\\\\x\\.env", &["\\\\\\x\\.env", "/x/.env"]),
            ("file:x", &["x", "/x"]),
            ("file:///x/%2Eenv", &["/x/%2Eenv", "/x/.env"]),
            ("a file:///x", &[]),
            ("https://a.example/file:///x", &[]),
            ("\t", &[]),
        ] {
            assert_eq!(paths_of_address(address), wanted, "{address:?}");
        }
    }

    #[test]
    fn files_stand_behind_marks() {
        for (value, wanted) in
            [("@a", "a"), ("name@a", "a"), ("f=@a;type=x", "a"), ("f=<a", "a"), ("f=@b,a", "a")]
        {
            assert!(behind_marks(value).iter().any(|file| file == wanted), "{value}");
        }
        assert!(behind_marks("name=.env").is_empty());
    }
}
