//! Codes of calls.

use std::fmt;
use std::str::FromStr;

/// Digits of Crockford's base 32: no letter looks like another digit.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Digits in a code.
const LENGTH: usize = 8;
/// Bits in a digit.
const BITS: u32 = 5;

/// The name of a call that waits for a person's approval, such as `K7QX-2M4D`. It is derived from the call.
///
/// Case, the hyphen, and letters that look like digits do not matter when a person types it:
///
/// ```
/// use hooks_budgets::ApprovalCode;
///
/// let code: ApprovalCode = "k7qx2m40".parse()?;
/// assert_eq!(code.to_string(), "K7QX-2M40");
/// assert_eq!("K7QX-2M4O".parse::<ApprovalCode>()?, code);
/// assert!("K7QX-2M4".parse::<ApprovalCode>().is_err());
/// # Ok::<(), hooks_budgets::UnknownCode>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApprovalCode(String);

/// The text is not a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode(());

impl ApprovalCode {
    /// The code of a call with this digest.
    pub(super) fn from_digest(digest: &[u8; 32]) -> Self {
        let mut bits = digest.iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let mut code = String::with_capacity(LENGTH + 1);
        for at in 0..LENGTH {
            if at == LENGTH / 2 {
                code.push('-');
            }
            bits = bits.rotate_left(BITS);
            let digit = usize::try_from(bits & 31).unwrap_or_default();
            code.push(DIGITS.get(digit).copied().map_or('0', char::from));
        }
        Self(code)
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApprovalCode {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let mut code = String::with_capacity(LENGTH + 1);
        for c in text.trim().chars().filter(|c| *c != '-') {
            let digit = match c.to_ascii_uppercase() {
                'I' | 'L' => '1',
                'O' => '0',
                digit => digit,
            };
            let is_digit = u8::try_from(digit).is_ok_and(|digit| DIGITS.contains(&digit));
            if !is_digit || code.len() > LENGTH {
                return Err(UnknownCode(()));
            }
            if code.len() == LENGTH / 2 {
                code.push('-');
            }
            code.push(digit);
        }
        if code.len() == LENGTH + 1 { Ok(Self(code)) } else { Err(UnknownCode(())) }
    }
}

impl fmt::Display for ApprovalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a code has eight letters and digits, such as `K7QX-2M4D`")
    }
}

impl std::error::Error for UnknownCode {}
