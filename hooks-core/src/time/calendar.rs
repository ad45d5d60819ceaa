//! The Gregorian calendar, in days since 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms",
//! 2013). Years begin in March here, so that a leap day is the last day of its year.

/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE_1970: u64 = 719_468;
const DAYS_OF_400_YEARS: u64 = 146_097;

/// Returns the year, month and day of the date so many days after 1970-01-01.
pub(super) fn date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_BEFORE_1970;
    let day_of_era = days % DAYS_OF_400_YEARS;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (days / DAYS_OF_400_YEARS * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Returns the days from 1970-01-01 to a date, the inverse of [`date`]; `None` if there is no such date, or it
/// is before 1970.
pub(super) fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=last_of(year, month)).contains(&day) {
        return None;
    }
    let month_number = year.checked_mul(12)?.checked_add(month - 1)?;
    let days = days_before(month_number).checked_add(day - 1)?;
    (year >= 1_970).then_some(days)
}

/// Returns the days from 1970-01-01 to the first day of a month, which is counted from January of the year 0;
/// 0 for months before 1970.
pub(super) fn days_before(month_number: u64) -> u64 {
    let (year, month) = (month_number / 12, month_number % 12 + 1);
    let (year, month_from_march) =
        if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let year_of_era = year % 400;
    let day_of_year = (153 * month_from_march + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (year / 400).saturating_mul(DAYS_OF_400_YEARS).saturating_add(day_of_era).saturating_sub(DAYS_BEFORE_1970)
}

/// Returns the last day of a month.
const fn last_of(year: u64, month: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_date_reads_back() {
        let mut next = 0;
        for year in 1_970..2_410 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let Some(days) = days(year, month, day) else { continue };
                    assert_eq!((days, date(days)), (next, (year, month, day)));
                    next += 1;
                }
            }
        }
        // Days of 440 years, 107 of which have a leap day (2100, 2200 and 2300 have none).
        assert_eq!(next, 440 * 365 + 107);
    }

    #[test]
    fn there_are_no_other_dates() {
        for (year, month, day) in [
            (1_969, 12, 31),
            (u64::MAX, 1, 1),
            (2_026, 2, 29),
            (2_100, 2, 29),
            (2_026, 4, 31),
            (2_026, 13, 1),
            (2_026, 0, 1),
            (2_026, 1, 0),
            (1_970, u64::MAX, 1),
        ] {
            assert_eq!(days(year, month, day), None, "{year}-{month}-{day}");
        }
    }
}
