//! Characters that are invisible and therefore not accepted in file names.

/// Format characters (Unicode category Cf), as ranges.
const FORMAT: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE007F),
];

/// Returns the first control or format character, or line end, of a text.
pub(super) fn invisible(text: &str) -> Option<char> {
    text.chars().find(|c| {
        c.is_control()
            || (!c.is_ascii() && FORMAT.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(*c))))
    })
}
