//! Dates in the notation of NCBI's databases and reports, such as "Nov 21, 2026  9:01 PM".

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days from March 1 of the year 0 to January 1, 1970.
const DAYS_BEFORE_1970: u64 = 719_468;

/// A date from a time in seconds since 1970 (UTC).
///
/// Years begin in March in this computation, so that leap days are at their ends (Howard Hinnant's `civil_from_days`).
pub(super) fn shown(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + DAYS_BEFORE_1970;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12;
    let year = era * 400 + year + u64::from(month < 2);
    let (hour, minute) = (second / 3_600, second % 3_600 / 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = (hour + 11) % 12 + 1;
    format!("{} {day}, {year}  {hour}:{minute:02} {half}", MONTHS[month as usize])
}

/// The place of a date in time, so that dates can be compared: year, month, day, hour and minute. `None` if a text is no date.
pub(super) fn order(text: &str) -> Option<[u32; 5]> {
    let mut words = text.split([' ', ',', ':']).filter(|word| !word.is_empty());
    let month = words.next()?;
    let month = MONTHS.iter().position(|&name| name == month)? as u32;
    let mut number = || words.next()?.parse::<u32>().ok();
    let (day, year, hour, minute) = (number()?, number()?, number()?, number()?);
    let afternoon = if words.next()? == "PM" { 12 } else { 0 };
    Some([year, month, day, hour % 12 + afternoon, minute])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_and_compared() {
        let dates = [
            (0, "Jan 1, 1970  12:00 AM", [1970, 0, 1, 0, 0]),
            (951_782_400, "Feb 29, 2000  12:00 AM", [2000, 1, 29, 0, 0]),
            (1_795_294_882, "Nov 21, 2026  9:01 PM", [2026, 10, 21, 21, 1]),
            (1_798_761_599, "Dec 31, 2026  11:59 PM", [2026, 11, 31, 23, 59]),
        ];
        for (seconds, text, place) in dates {
            assert_eq!((shown(seconds).as_str(), order(text)), (text, Some(place)));
        }
        assert_eq!([order(""), order("Nov 21, 2026"), order("no date at all")], [None; 3]);
    }
}
