//! Alphabets of the bodies of credentials, and the length of their runs.

use super::text::{is_ident, run_end};

/// Set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Hex digits.
    Hex,
    /// Hex digits without capital letters.
    LowHex,
    /// Capital letters and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`: base64url.
    Url,
    /// Base64url and full stops.
    Dotted,
    /// Both base64 alphabets with padding.
    Base64,
    /// Base64 with percent-encoding.
    Percent,
    /// Segments of a path.
    Path,
    /// Hex digits and hyphens at the places of a UUID.
    Uuid,
    /// Letters, digits and dollar signs.
    Dollar,
    /// Hex digits, slashes and colons.
    Asana,
}

/// Longest run that is measured; what follows belongs to no credential.
pub(super) const MAX_RUN: usize = 16 * 1024;

impl Body {
    /// Parses the name of a set.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "hex" => Self::Hex,
            "lowhex" => Self::LowHex,
            "upper" => Self::Upper,
            "alnum" => Self::Alnum,
            "word" => Self::Word,
            "url" => Self::Url,
            "dotted" => Self::Dotted,
            "base64" => Self::Base64,
            "percent" => Self::Percent,
            "path" => Self::Path,
            "uuid" => Self::Uuid,
            "dollar" => Self::Dollar,
            "asana" => Self::Asana,
            _ => return None,
        })
    }

    /// Returns whether the set has `b`.
    #[inline]
    pub(super) fn has(self, b: u8) -> bool {
        match self {
            Self::Hex => b.is_ascii_hexdigit(),
            Self::LowHex => b.is_ascii_hexdigit() && !b.is_ascii_uppercase(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Word => is_ident(b),
            Self::Url => is_ident(b) || b == b'-',
            Self::Dotted => is_ident(b) || b == b'-' || b == b'.',
            Self::Base64 => is_ident(b) || b"-+/=".contains(&b),
            Self::Percent => is_ident(b) || b"-+/=%".contains(&b),
            Self::Path => is_ident(b) || b"-+/=@.".contains(&b),
            Self::Uuid => b.is_ascii_hexdigit() || b == b'-',
            Self::Dollar => b.is_ascii_alphanumeric() || b == b'$',
            Self::Asana => b.is_ascii_hexdigit() || b == b'/' || b == b':',
        }
    }

    /// Returns whether another letter or digit directly after the body makes it something else.
    pub(super) fn is_exact(self) -> bool {
        matches!(self, Self::Hex | Self::LowHex | Self::Upper | Self::Uuid)
    }
}

/// The last measured run of each set, so that several prefixes inside one run do not measure it again.
#[derive(Debug, Default)]
pub(super) struct Runs {
    last: [(usize, usize); 13],
}

impl Runs {
    /// Returns the end of the run of `body` that contains `from`.
    pub(super) fn end(&mut self, bytes: &[u8], body: Body, from: usize) -> usize {
        let Some(last) = self.last.get_mut(body as usize) else { return from };
        if !(last.0..last.1).contains(&from) {
            *last = (from, run_end(bytes, from, MAX_RUN, |b| body.has(b)));
        }
        last.1
    }
}
