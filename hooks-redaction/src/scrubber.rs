//! Scrubber for text: finds spans and replaces them.

use std::{borrow::Cow, sync::Arc};

use regex::{Regex, RegexBuilder};

use super::{
    email,
    error::ScrubberError,
    label::{Label, Labels},
    marker::{MAX_NAME, Marker},
    scan,
    span::{Span, settle},
};

/// Most rounds. One removal may uncover another match, which the next round removes; only hostile text needs
/// more rounds.
const MAX_ROUNDS: usize = 6;
/// Largest compiled size of a custom pattern.
const MAX_PATTERN: usize = 1 << 20;

/// Finds and removes personal data and secrets.
///
/// Cheap to clone; keeps no state between texts.
///
/// A finding needs a documented form, or words around it that name a secret:
///
/// ```
/// use hooks_redaction::Scrubber;
///
/// let scrubber = Scrubber::default();
/// assert_eq!(
///     scrubber.scrub("export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz"),
///     "export GITHUB_TOKEN=[GITHUB_TOKEN_REDACTED]",
/// );
/// assert_eq!(scrubber.scrub("paid with 4111 1111 1111 1111"), "paid with [CREDIT_CARD_REDACTED]");
/// assert_eq!(scrubber.scrub("order 4111 1111 1111 1112"), "order 4111 1111 1111 1112"); // a wrong check digit
/// let digest = "commit 3f786850e387550fdab836ed7e6dc881de23001b"; // entropy alone is no finding
/// assert_eq!(scrubber.scrub(digest), digest);
/// ```
#[derive(Clone, Debug)]
pub struct Scrubber {
    labels: Labels,
    patterns: Vec<(Arc<str>, Regex)>,
    marker: Marker,
    plain_top_level: bool,
}

impl Scrubber {
    /// Creates a scrubber that finds `labels`.
    #[must_use]
    pub fn new(labels: Labels) -> Self {
        Self { labels, patterns: Vec::new(), marker: Marker::default(), plain_top_level: false }
    }

    /// Creates a scrubber that finds every built-in label.
    #[must_use]
    pub fn all() -> Self {
        Self::new(Labels::all())
    }

    /// Creates a scrubber that finds only e-mail addresses.
    #[must_use]
    pub fn emails() -> Self {
        Self::new([Label::Email].into_iter().collect())
    }

    /// Also finds `pattern`, under the label `name`.
    ///
    /// The search for each match is linear in the length of the text; a pattern that matches almost
    /// everywhere costs more.
    ///
    /// # Errors
    ///
    /// Returns `PatternName` if the name is not valid in a marker; `PatternSyntax` if the pattern is not a
    /// regular expression or is too big; `PatternEmpty` if it matches the empty text.
    ///
    /// ```
    /// use hooks_redaction::Scrubber;
    ///
    /// let scrubber = Scrubber::emails().with_pattern("BADGE", r"\bB-\d{6}\b")?;
    /// assert_eq!(scrubber.scrub("badge B-004711 of a@b.org"), "badge [BADGE_REDACTED] of [EMAIL_REDACTED]");
    /// assert!(scrubber.with_pattern("EMAIL", "@").is_err()); // the name of a built-in label
    /// # Ok::<(), hooks_redaction::ScrubberError>(())
    /// ```
    pub fn with_pattern(mut self, name: &str, pattern: &str) -> Result<Self, ScrubberError> {
        let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty()
            || name.len() > MAX_NAME
            || !name.bytes().all(plain)
            || name.parse::<Label>().is_ok()
        {
            return Err(ScrubberError::PatternName { name: name.to_owned() });
        }
        let regex = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build().map_err(|error| {
            let reason = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            ScrubberError::PatternSyntax { name: name.to_owned(), reason }
        })?;
        if regex.is_match("") {
            return Err(ScrubberError::PatternEmpty { name: name.to_owned() });
        }
        self.patterns.push((name.into(), regex));
        Ok(self)
    }

    /// Ends an address after the letters of its top-level domain, as Squad does: of `a@x.xn--p1ai`, the
    /// `--p1ai` stays.
    ///
    /// ```
    /// use hooks_redaction::Scrubber;
    ///
    /// assert_eq!(Scrubber::emails().scrub("a@x.xn--p1ai"), "[EMAIL_REDACTED]");
    /// assert_eq!(Scrubber::emails().with_plain_top_level().scrub("a@x.xn--p1ai"), "[EMAIL_REDACTED]--p1ai");
    /// ```
    #[must_use]
    pub fn with_plain_top_level(mut self) -> Self {
        self.plain_top_level = true;
        self
    }

    /// Replaces removed text by `marker`.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.marker = marker;
        self
    }

    /// Returns the marker.
    #[must_use]
    pub fn marker(&self) -> &Marker {
        &self.marker
    }

    /// Finds the spans to remove from `text`: sorted, without overlaps, on character boundaries.
    ///
    /// ```
    /// use hooks_redaction::{Label, Scrubber};
    ///
    /// let text = "from 10.1.2.3 by a@b.org";
    /// let spans = Scrubber::all().spans(text);
    /// assert_eq!(&text[spans[0].start..spans[0].end], "10.1.2.3");
    /// assert_eq!(spans.into_iter().map(|span| span.label).collect::<Vec<_>>(), [Label::Ipv4, Label::Email]);
    /// ```
    #[must_use]
    pub fn spans(&self, text: &str) -> Vec<Span> {
        let mut found = scan::scan(text, self.labels).spans;
        if self.plain_top_level {
            let addresses = found.iter_mut().filter(|span| span.label == Label::Email);
            addresses.for_each(|address| email::end_with_letters(text, address));
        }
        for (name, pattern) in &self.patterns {
            let hits = pattern.find_iter(text).filter(|hit| !hit.is_empty());
            found.extend(hits.map(|hit| Span::new(hit.start(), hit.end(), Label::Custom(Arc::clone(name)))));
        }
        self.respect_markers(text, &mut found);
        settle(found)
    }

    /// Replaces the spans to remove; borrows `text` if nothing has to be removed.
    ///
    /// Scrubbing the result again changes nothing.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use hooks_redaction::Scrubber;
    ///
    /// let scrubber = Scrubber::all();
    /// assert!(matches!(scrubber.scrub("nothing to remove"), Cow::Borrowed(_)));
    /// let once = scrubber.scrub("postgres://admin:hunter2@db.example.com/app");
    /// assert_eq!(once, "postgres://admin:[URL_PASSWORD_REDACTED]@db.example.com/app");
    /// assert_eq!(scrubber.scrub(&once), once);
    /// ```
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut scrubbed = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            let spans = self.spans(&scrubbed);
            if spans.is_empty() {
                break;
            }
            scrubbed = Cow::Owned(self.replace(&scrubbed, &spans));
        }
        scrubbed
    }

    /// Extends spans to the whole of each marker that they touch, and drops spans that hold only markers:
    /// their text is removed already.
    fn respect_markers(&self, text: &str, found: &mut Vec<Span>) {
        if found.is_empty() {
            return;
        }
        let markers = self.marker.find_all(text);
        found.retain_mut(|span| {
            let first = markers.partition_point(|marker| marker.end <= span.start);
            let inside = markers.get(first..).unwrap_or_default().iter();
            let end = span.end;
            for marker in inside.take_while(|marker| marker.start < end) {
                span.start = span.start.min(marker.start);
                span.end = span.end.max(marker.end);
            }
            text.get(span.start..span.end).is_some_and(|inside| self.marker.leaves_text(inside))
        });
    }

    pub(super) fn replace(&self, text: &str, spans: &[Span]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for span in spans {
            out.push_str(text.get(from..span.start).unwrap_or_default());
            self.marker.write(&span.label, &mut out);
            from = span.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }
}

impl Default for Scrubber {
    fn default() -> Self {
        Self::all()
    }
}
