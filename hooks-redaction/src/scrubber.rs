//! Scrubber for text: finds spans and replaces them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{
    detector::{Compiled, Detector},
    email,
    error::ScrubberError,
    label::{Label, Labels},
    marker::Marker,
    pieces::PIECE,
    report::{Report, Scrubbed},
    scan,
    span::{Span, settle},
    treatment::{Treatment, Treatments, Vault},
};

/// Most rounds. One removal may uncover another match, which the next round removes; only hostile text needs
/// more rounds.
const MAX_ROUNDS: usize = 6;

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
#[derive(Clone)]
pub struct Scrubber {
    labels: Labels,
    detectors: Vec<Compiled>,
    allowed: Arc<BTreeSet<String>>,
    pub(super) treatments: Treatments,
    marker: Marker,
    plain_top_level: bool,
}

impl Scrubber {
    /// Creates a scrubber that finds `labels`.
    #[must_use]
    pub fn new(labels: Labels) -> Self {
        Self {
            labels,
            detectors: Vec::new(),
            allowed: Arc::default(),
            treatments: Treatments::default(),
            marker: Marker::default(),
            plain_top_level: false,
        }
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
    pub fn with_pattern(self, name: &str, pattern: &str) -> Result<Self, ScrubberError> {
        self.with_detector(name, &Detector::new(pattern))
    }

    /// Also finds what `detector` does, under the label `name`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`with_pattern`](Self::with_pattern), and `Example` if one of its
    /// examples gives another result.
    ///
    /// ```
    /// use hooks_redaction::{Detector, Scrubber};
    ///
    /// let staff = Detector::new(r"\bE\d{5}\b").with_context(["employee"]).with_match("employee E12345");
    /// let scrubber = Scrubber::emails().with_detector("STAFF", &staff)?;
    /// assert_eq!(scrubber.scrub("employee E12345, error E12345"), "employee [STAFF_REDACTED], error [STAFF_REDACTED]");
    /// assert_eq!(scrubber.scrub("error E12345"), "error E12345");
    /// # Ok::<(), hooks_redaction::ScrubberError>(())
    /// ```
    pub fn with_detector(mut self, name: &str, detector: &Detector) -> Result<Self, ScrubberError> {
        self.detectors.push(detector.compile(name)?);
        Ok(self)
    }

    /// Keeps findings that are exactly one of `values`, such as the address of a mailing list.
    ///
    /// ```
    /// use hooks_redaction::Scrubber;
    ///
    /// let scrubber = Scrubber::all().with_allowed(["help@example.com"]);
    /// assert_eq!(scrubber.scrub("help@example.com, jane@example.com"), "help@example.com, [EMAIL_REDACTED]");
    /// ```
    #[must_use]
    pub fn with_allowed<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        let more = values.into_iter().map(Into::into);
        self.allowed = Arc::new(self.allowed.iter().cloned().chain(more).collect());
        self
    }

    /// Sets what takes the place of findings of `label`; see [`Treatment`].
    #[must_use]
    pub fn with_treatment(mut self, label: Label, treatment: Treatment) -> Self {
        self.treatments.set(label, treatment);
        self
    }

    /// Sets the vault for the labels whose treatment is [`Treatment::Vault`].
    #[must_use]
    pub fn with_vault(mut self, vault: Arc<dyn Vault>) -> Self {
        self.treatments.vault = Some(vault);
        self
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
        let mut found = scan::all(text, self.labels);
        if self.plain_top_level {
            let addresses = found.iter_mut().filter(|span| span.label == Label::Email);
            addresses.for_each(|address| email::end_with_letters(text, address));
        }
        for detector in &self.detectors {
            detector.find(text, &mut found);
        }
        if !self.allowed.is_empty() {
            found.retain(|span| {
                text.get(span.start..span.end).is_none_or(|value| !self.allowed.contains(value))
            });
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
        self.scrub_reported(text).text
    }

    /// Replaces the spans to remove and reports them; see [`Scrubbed`].
    #[must_use]
    pub fn scrub_reported<'t>(&self, text: &'t str) -> Scrubbed<'t> {
        if text.len() > PIECE { self.scrub_long(text) } else { self.scrub_piece(text) }
    }

    /// Scrubs a text that is short enough to be looked at as a whole.
    pub(super) fn scrub_piece<'t>(&self, text: &'t str) -> Scrubbed<'t> {
        let mut scrubbed =
            Scrubbed { text: Cow::Borrowed(text), spans: Vec::new(), report: Report::default() };
        for round in 0..MAX_ROUNDS {
            let spans = self.spans(&scrubbed.text);
            if spans.is_empty() {
                break;
            }
            scrubbed.report.add(&spans);
            scrubbed.text = Cow::Owned(self.replace(&scrubbed.text, &spans));
            if round == 0 {
                scrubbed.spans = spans;
            }
        }
        scrubbed
    }

    /// Puts the values that the vault has back into `text`. Call it where a permitted tool needs them, never on
    /// what a model or a record sees.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for found in self.marker.find_all(text) {
            let marker = text.get(found.clone()).unwrap_or_default();
            let parts = self.marker.parts(marker);
            let value = parts.and_then(|(label, token)| self.treatments.vault.as_ref()?.value(label, token));
            out.push_str(text.get(from..found.start).unwrap_or_default());
            out.push_str(value.as_deref().unwrap_or(marker));
            from = found.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
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
            let value = text.get(span.start..span.end).unwrap_or_default();
            self.marker.write(&span.label, self.treatments.tail(&span.label, value).as_deref(), &mut out);
            from = span.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }
}

/// Values that stay are not printed: they may be personal.
impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber")
            .field("labels", &self.labels)
            .field("detectors", &self.detectors)
            .field("allowed", &self.allowed.len())
            .field("treatments", &self.treatments)
            .finish_non_exhaustive()
    }
}

impl Default for Scrubber {
    fn default() -> Self {
        Self::all()
    }
}
