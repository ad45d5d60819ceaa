//! The header fields of an answer, whatever HTTP library they come from.

/// Header fields. Names match in any case; bytes of a value that are not UTF-8 are replaced.
///
/// ```
/// use hooks_resilience::classify::Headers;
///
/// let headers = Headers::from_iter([("Retry-After", "20")]);
/// assert_eq!(headers.get("retry-after"), Some("20"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

/// The most fields that are kept: more than any provider sends, and few enough to bound the memory.
const FIELDS: usize = 128;

impl Headers {
    /// The first value with this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The names and values, in the order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        let text = |value: V| String::from_utf8_lossy(value.as_ref()).into_owned();
        let fields = fields.into_iter().take(FIELDS);
        Self(fields.map(|(name, value)| (name.as_ref().to_owned(), text(value))).collect())
    }
}
