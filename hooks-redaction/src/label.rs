//! Labels of the data that can be found, and sets of labels.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Kind of data in a span of text.
///
/// ```
/// use hooks_redaction::Label;
///
/// assert_eq!("CREDIT_CARD".parse(), Ok(Label::CreditCard));
/// assert_eq!(Label::Custom("TICKET".into()).as_str(), "TICKET");
/// assert_eq!(serde_json::to_value(Label::GithubToken)?, "GITHUB_TOKEN");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Label {
    /// An e-mail address.
    Email,
    /// A phone number, without its extension.
    Phone,
    /// A payment card number with a valid check digit.
    CreditCard,
    /// A United States social security number from a valid group.
    Ssn,
    /// An IPv4 address that is neither loopback, unspecified, broadcast nor a mask.
    Ipv4,
    /// An IPv6 address that is neither loopback nor unspecified.
    Ipv6,
    /// A bank account number with valid check digits.
    Iban,
    /// A JSON web token.
    Jwt,
    /// The identifier of an AWS access key.
    AwsAccessKeyId,
    /// The secret of an AWS access key.
    AwsSecretAccessKey,
    /// A Google API key.
    GcpApiKey,
    /// A GitHub token.
    GithubToken,
    /// A Slack token or webhook address.
    SlackToken,
    /// A secret Stripe key.
    StripeKey,
    /// An OpenAI key.
    OpenaiKey,
    /// An Anthropic key.
    AnthropicKey,
    /// A private key, from its BEGIN line to its END line.
    PrivateKey,
    /// The password in an address such as `scheme://user:password@host`.
    UrlPassword,
    /// The value of a password or secret.
    Password,
    /// The credential in an Authorization, Cookie or API key header.
    AuthHeader,
    /// Another vendor's credential.
    ApiKey,
    /// A match of a custom pattern; holds the pattern's name.
    Custom(Arc<str>),
}

/// Every built-in label with its name; the index is its bit in a [`Labels`] set.
const NAMES: &[(Label, &str)] = &[
    (Label::Email, "EMAIL"),
    (Label::Phone, "PHONE"),
    (Label::CreditCard, "CREDIT_CARD"),
    (Label::Ssn, "SSN"),
    (Label::Ipv4, "IPV4"),
    (Label::Ipv6, "IPV6"),
    (Label::Iban, "IBAN"),
    (Label::Jwt, "JWT"),
    (Label::AwsAccessKeyId, "AWS_ACCESS_KEY_ID"),
    (Label::AwsSecretAccessKey, "AWS_SECRET_ACCESS_KEY"),
    (Label::GcpApiKey, "GCP_API_KEY"),
    (Label::GithubToken, "GITHUB_TOKEN"),
    (Label::SlackToken, "SLACK_TOKEN"),
    (Label::StripeKey, "STRIPE_KEY"),
    (Label::OpenaiKey, "OPENAI_KEY"),
    (Label::AnthropicKey, "ANTHROPIC_KEY"),
    (Label::PrivateKey, "PRIVATE_KEY"),
    (Label::UrlPassword, "URL_PASSWORD"),
    (Label::Password, "PASSWORD"),
    (Label::AuthHeader, "AUTH_HEADER"),
    (Label::ApiKey, "API_KEY"),
];

impl Label {
    /// Returns the name for markers.
    #[must_use]
    pub fn as_str(&self) -> &str {
        if let Self::Custom(name) = self {
            return name;
        }
        NAMES.iter().find(|(label, _)| label == self).map_or("", |(_, name)| name)
    }

    /// Iterates over the built-in labels.
    ///
    /// ```
    /// use hooks_redaction::Label;
    ///
    /// let names: Vec<String> = Label::built_in().map(|label| label.to_string()).collect();
    /// assert_eq!(names.len(), 21);
    /// assert_eq!(names[..3], ["EMAIL", "PHONE", "CREDIT_CARD"]);
    /// ```
    pub fn built_in() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(label, _)| label.clone())
    }

    /// Returns whether the label is for personal data rather than for a secret.
    ///
    /// ```
    /// use hooks_redaction::Label;
    ///
    /// assert!(Label::Email.is_personal() && !Label::Password.is_personal());
    /// ```
    #[must_use]
    pub fn is_personal(&self) -> bool {
        matches!(
            self,
            Self::Email | Self::Phone | Self::CreditCard | Self::Ssn | Self::Ipv4 | Self::Ipv6 | Self::Iban
        )
    }

    fn bit(&self) -> u32 {
        let place = NAMES.iter().position(|(label, _)| label == self);
        place.and_then(|place| u32::try_from(place).ok()).map_or(0, |place| 1 << place)
    }

    /// Returns how exact the form of a label is. If two spans overlap, the higher number names the result.
    pub(super) fn precision(&self) -> u8 {
        match self {
            Self::Phone | Self::Ipv4 | Self::Ipv6 | Self::Ssn | Self::Email => 0,
            Self::CreditCard | Self::Iban => 1,
            Self::AuthHeader | Self::Password => 2,
            Self::ApiKey | Self::UrlPassword | Self::Custom(_) => 3,
            _ => 4,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Label {
    type Err = UnknownLabel;

    fn from_str(name: &str) -> Result<Self, UnknownLabel> {
        let known = NAMES.iter().find(|(_, known)| *known == name);
        known.map(|(label, _)| label.clone()).ok_or_else(|| UnknownLabel { name: name.to_owned() })
    }
}

impl Label {
    /// Returns the names of all built-in labels.
    ///
    /// ```
    /// use hooks_redaction::Label;
    ///
    /// assert!(Label::names().any(|name| name == "GITHUB_TOKEN"));
    /// ```
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Name of an unknown label.
///
/// ```
/// use hooks_redaction::Label;
///
/// let error = "FAX".parse::<Label>().expect_err("no label has this name");
/// assert!(error.to_string().starts_with("`FAX` is not a label; use one of EMAIL, PHONE, CREDIT_CARD"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLabel {
    name: String,
}

impl fmt::Display for UnknownLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name } = self;
        write!(f, "`{name}` is not a label; use one of {}", all_names())
    }
}

impl std::error::Error for UnknownLabel {}

/// A set of built-in labels.
///
/// ```
/// use hooks_redaction::{Label, Labels};
///
/// let secrets = Labels::all().without(&Label::Email).without(&Label::Phone);
/// assert!(secrets.contains(&Label::Jwt) && !secrets.contains(&Label::Email));
/// let people: Labels = [Label::Email, Label::Phone].into_iter().collect();
/// assert!(!secrets.intersects(people));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Labels {
    bits: u32,
}

impl Labels {
    /// Returns the set of all built-in labels.
    #[must_use]
    pub fn all() -> Self {
        Label::built_in().collect()
    }

    /// Returns the set without `label`.
    #[must_use]
    pub fn without(self, label: &Label) -> Self {
        Self { bits: self.bits & !label.bit() }
    }

    /// Returns whether `label` is in the set. The label of a custom pattern never is.
    #[must_use]
    pub fn contains(self, label: &Label) -> bool {
        self.bits & label.bit() != 0
    }

    /// Returns whether any label of `other` is in the set.
    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.bits & other.bits != 0
    }
}

impl FromIterator<Label> for Labels {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> Self {
        Self { bits: labels.into_iter().fold(0, |bits, label| bits | label.bit()) }
    }
}

fn all_names() -> String {
    NAMES.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for label in Label::built_in() {
            assert_eq!(label.as_str().parse(), Ok(label));
        }
        assert!(
            "FAX".parse::<Label>().unwrap_err().to_string().starts_with("`FAX` is not a label; use one of")
        );
    }

    #[test]
    fn a_set_holds_what_it_was_made_of() {
        let set: Labels = [Label::Email, Label::ApiKey].into_iter().collect();
        assert!(set.contains(&Label::Email) && set.contains(&Label::ApiKey) && !set.contains(&Label::Ssn));
        assert!(!Labels::all().without(&Label::Ipv4).contains(&Label::Ipv4));
        assert!(!Labels::all().contains(&Label::Custom("x".into())));
    }
}
