//! Parses and formats amounts of counters: money in dollars, tokens, or counts.

use hooks::state::{Key, MAX_AMOUNT};

/// The unit of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Millionths of a US dollar.
    Usd,
    Tokens,
    /// Calls, questions, children.
    Count,
}

impl Unit {
    /// The unit of the counter `key`, derived from its name.
    pub(crate) fn from_key(key: &Key) -> Self {
        let parts: Vec<_> = key.parts().skip(1).collect();
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["spend", "of", _, _, "usd", ..] | ["spend", "by-model", _, "usd", ..] => Self::Usd,
            ["spend", "of", _, _, "tokens", ..] | ["spend", "by-model", _, "tokens", ..] => Self::Tokens,
            _ => Self::Count,
        }
    }

    /// Name of the unit in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Usd => "usd",
            Self::Tokens => "tokens",
            Self::Count => "count",
        }
    }

    /// Formats an amount: `$1.50`, `20000 tokens`, `7`.
    pub(crate) fn show(self, amount: u64) -> String {
        match self {
            Self::Usd => {
                let (dollars, rest) = (amount / 1_000_000, amount % 1_000_000);
                let rest = format!("{rest:06}");
                // Cents are always written; smaller digits only if they are not zero.
                let cents = rest.trim_end_matches('0');
                format!("${dollars}.{cents:0<2}")
            }
            Self::Tokens => format!("{amount} tokens"),
            Self::Count => amount.to_string(),
        }
    }

    /// Parses an amount in the format of `show`, or the number alone, as in the configuration.
    pub(crate) fn read(self, text: &str) -> Result<u64, String> {
        let wrong = |hint: &str| format!("`{text}` is not an amount of this counter; {hint}");
        let text = text.trim();
        let amount = match self {
            Self::Usd => {
                let hint = "write US dollars, such as `$1.50`, to a millionth";
                let number = text.strip_prefix('$').or_else(|| text.strip_suffix("usd")).unwrap_or(text);
                micros(number.trim()).ok_or_else(|| wrong(hint))?
            }
            Self::Tokens => {
                let number = text.strip_suffix("tokens").unwrap_or(text);
                whole(number.trim()).ok_or_else(|| wrong("write how many tokens, such as `20000`"))?
            }
            Self::Count => whole(text).ok_or_else(|| wrong("write how many, from 0"))?,
        };
        if amount > MAX_AMOUNT {
            return Err(wrong(&format!("at most {} can be counted", self.show(MAX_AMOUNT))));
        }
        Ok(amount)
    }
}

fn whole(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Parses dollars into millionths, without rounding.
fn micros(dollars: &str) -> Option<u64> {
    let (before, behind) = dollars.split_once('.').unwrap_or((dollars, "0"));
    let fraction = whole(behind).filter(|_| behind.len() <= 6)?;
    let scale = 10_u64.checked_pow(6_u32.checked_sub(u32::try_from(behind.len()).ok()?)?)?;
    whole(before)?.checked_mul(1_000_000)?.checked_add(fraction.checked_mul(scale)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_shown() {
        for (unit, amount, shown) in [
            (Unit::Usd, 1_500_000, "$1.50"),
            (Unit::Usd, 0, "$0.00"),
            (Unit::Usd, 1, "$0.000001"),
            (Unit::Usd, 2_340_500, "$2.3405"),
            (Unit::Tokens, 20_000, "20000 tokens"),
            (Unit::Count, 7, "7"),
        ] {
            assert_eq!(unit.show(amount), shown);
            assert_eq!(unit.read(shown), Ok(amount), "{shown}");
        }
        assert_eq!(Unit::Usd.read("25"), Ok(25_000_000));
        assert_eq!(Unit::Usd.read("0.075 usd"), Ok(75_000));
    }

    #[test]
    fn what_is_no_amount_is_refused_with_the_way_out() {
        for (unit, texts) in [
            (Unit::Usd, ["", "-1", "1.2345678", "1,50", "1.", "NaN", "9999999999999999999", "$"].as_slice()),
            (Unit::Tokens, &["", "-1", "1.5", "1e6", "$1", "18446744073709551616", "9007199254740992"]),
            (Unit::Count, &["", "+1", "1 token", "0x1"]),
        ] {
            for text in texts {
                let error = unit.read(text).unwrap_err();
                assert!(error.contains("; "), "{text}: {error}");
            }
        }
    }

    #[test]
    fn units_follow_from_names() {
        let unit = |parts: &[&str]| Unit::from_key(&Key::new(Some("acme"), parts));
        assert_eq!(unit(&["spend", "of", "session", "a/b", "usd"]), Unit::Usd);
        assert_eq!(unit(&["spend", "of", "agent", "usd", "tokens", "s"]), Unit::Tokens);
        assert_eq!(unit(&["spend", "by-model", "s", "usd", "m"]), Unit::Usd);
        assert_eq!(unit(&["ask-limit", "usd"]), Unit::Count);
    }
}
