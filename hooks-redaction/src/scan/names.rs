//! Reads what follows a name that suggests a secret, or stands at a place where a password does.

use super::{
    super::{
        accounts, assignments, below, calls, commands, encoded, headers,
        label::Label,
        lines, literals, prose,
        span::Span,
        tables,
        text::{byte, run_end},
    },
    Scanner,
};

impl Scanner<'_> {
    /// Reads the name that has an anchor at `at`, if it may be that of a secret.
    pub(super) fn named_anchor(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        if at < self.covered {
            return;
        }
        if literals::is_name(bytes, at) {
            return self.name(at);
        }
        if bytes.get(at..at + 6).is_some_and(|word| word.eq_ignore_ascii_case(b"concat")) {
            return self.join(at);
        }
        let word = bytes.get(at + 1..at + 6).unwrap_or_default();
        if byte(bytes, at) == b'.' && word.eq_ignore_ascii_case(b"join(")
            || bytes.get(at..at + 7) == Some(b"paste0(")
        {
            return self.join(at);
        }
        let phrase = b"identified by";
        let there = bytes.get(at..at + phrase.len()).unwrap_or_default();
        if there.eq_ignore_ascii_case(phrase) {
            let from = run_end(bytes, at + phrase.len(), 2, |b| b == b' ');
            // In prose, a thing is identified by its name.
            if there.starts_with(b"IDENTIFIED") || b"\"'".contains(&byte(bytes, from)) {
                self.keep(accounts::option_value(self.text, from, false));
            }
        }
    }

    /// Reads the name around `at`, once.
    fn name(&mut self, at: usize) {
        if at < self.named {
            return;
        }
        let bytes = self.text.as_bytes();
        let (start, end) = assignments::name_around(bytes, at);
        self.named = end;
        match bytes.get(start..end) {
            Some(b"chpasswd") => self.keep(accounts::piped(self.text, start, true)),
            Some(b"kinit" | b"smbpasswd" | b"passwd" | b"vncpasswd" | b"cryptsetup") => {
                self.keep(accounts::piped(self.text, start, false));
            }
            _ => {}
        }
        if let Some(hit) = self.by_its_place(start, end) {
            self.named = hit.end.max(self.named);
            return self.keep(Some(hit));
        }
        if assignments::is_part_of_path(bytes, start, end) {
            return;
        }
        if byte(bytes, end) == b'$' {
            return self.literal(start);
        }
        if let Some(lines) = below::block(self.text, start, end).filter(|_| self.lines) {
            self.named = lines.last().map_or(end, |line| line.end);
            return lines.into_iter().for_each(|line| self.keep(Some(line)));
        }
        // Most names in code have no value behind them.
        if !b" \t=:\"'`\\>],(\r\n<".contains(&byte(bytes, end)) {
            return;
        }
        let bearer = self
            .text
            .get(start..end)
            .is_some_and(|name| name.eq_ignore_ascii_case("bearer") || name == "--oauth2-bearer");
        let hit = if bearer { headers::bearer(self.text, end) } else { None };
        let hit = hit.or_else(|| headers::find(self.text, start, end, self.lines));
        let hit = hit.or_else(|| assignments::find(self.text, start, end, self.lines));
        self.named = hit.as_ref().map_or(self.named, |span| span.end);
        self.keep(hit);
    }

    /// Reads a password that stands among others, not behind the name at `start..end` and a sign.
    fn by_its_place(&mut self, start: usize, end: usize) -> Option<Span> {
        if self.lines
            && start >= self.table
            && let Some(table) = tables::read(self.text, start, end)
        {
            self.table = table.end;
            table.spans().for_each(|cell| self.keep(Some(cell)));
        }
        if self.lines && byte(self.text.as_bytes(), end) != b'=' {
            for cell in tables::named(self.text, start, end) {
                self.keep(Some(cell));
            }
        }
        if next_is_user(self.text, start, end) {
            let from = run_end(self.text.as_bytes(), end, 4, |b| b", =>".contains(&b));
            self.keep(accounts::user_option(self.text, from));
        }
        let asked = || self.text.get(start..end).is_some_and(|name| name.ends_with("assword"));
        let (text, next) = (self.text, byte(self.text.as_bytes(), end));
        if matches!((next, text.get(start..end)), (b'"' | b':' | b'=', Some("auth")) | (_, Some("_auth"))) {
            self.note(encoded::user(text, end), &Label::AuthHeader);
        }
        let hit = calls::find(text, start, end);
        let hit =
            hit.or_else(|| if b" \t}\"".contains(&next) { lines::find(text, start, end) } else { None });
        let is_word = next == b' ';
        let hit = hit.or_else(|| if is_word { commands::at_program(text, start, end) } else { None });
        let hit = hit.or_else(|| {
            if is_word || next == b'=' { commands::word_option(text, start, end, self.lines) } else { None }
        });
        hit.or_else(|| if self.lines && asked() { calls::answered(text, start, end) } else { None }).or_else(
            || {
                let path = assignments::is_part_of_path(text.as_bytes(), start, end);
                if path { None } else { prose::find(text, start, end, self.lines) }
            },
        )
    }
}

/// Returns whether a user and a password stand behind the name at `start..end`: `login=user:password` of Squid, `CURLOPT_USERPWD`.
fn next_is_user(text: &str, start: usize, end: usize) -> bool {
    match text.get(start..end) {
        Some("login") => {
            byte(text.as_bytes(), end) == b'=' && text.get(..start).is_some_and(|head| head.ends_with(' '))
        }
        Some("CURLOPT_USERPWD" | "CURLOPT_PROXYUSERPWD") => true,
        _ => false,
    }
}
