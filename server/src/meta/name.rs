//! What a user or a token may be called. Names stand in the audit log and in front of people, so no two of them may look
//! alike: small letters of ASCII, digits and a few signs leave hardly any that do.
//!
//! Names that were given before there were rules are good for ever: only new ones are looked at.

/// Longest name.
pub const NAME_CHARS_MAX: usize = 64;

/// What Logstead itself is called where it is written down who did something, and what could be taken for that.
const RESERVED: [&str; 14] = [
    "anonymous",
    "api",
    "cli",
    "console",
    "environment",
    "internal",
    "logstead",
    "logstead_admin_token",
    "nobody",
    "null",
    "setup",
    "system",
    "token",
    "unknown",
];

/// What is wrong with a name that somebody or something is to have, if anything.
pub fn flaw(name: &str) -> Option<String> {
    let is_fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '@');
    let folded = name.to_ascii_lowercase();
    if RESERVED.contains(&folded.as_str()) {
        return Some(format!("`{name}` is a name that Logstead uses itself: choose another one"));
    }
    let begins_well = folded.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins_well && folded.len() <= NAME_CHARS_MAX && folded.chars().all(is_fit) {
        let advice = || format!("a name has small letters only, so that no two look alike: `{folded}`");
        return (folded != name).then(advice);
    }
    Some(format!(
        "a name has 1 to {NAME_CHARS_MAX} small letters (a to z), digits and `. _ - @`, and begins with a letter or a digit"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_taken_for_another_are_refused() {
        for name in ["ana", "7", "set-up-2026-11-22", "ana.b_c@example.org", "admin", &"x".repeat(64)] {
            assert_eq!(flaw(name), None, "{name}");
        }
        let flaws = [
            ("", "1 to 64"),
            (&"x".repeat(65), "1 to 64"),
            ("b o", "small letters"),
            ("-ana", "begins with"),
            ("ana:b", "digits and"),
            ("Ana", "`ana`"),
            ("\u{430}dmin", "a to z"),
            ("\u{ff41}dmin", "a to z"),
            ("zo\u{eb}", "a to z"),
            ("ana\u{200b}", "a to z"),
            ("LOGSTEAD_ADMIN_TOKEN", "uses itself"),
            ("System", "uses itself"),
            ("cli", "uses itself"),
        ];
        for (name, expected) in flaws {
            let flaw = flaw(name).unwrap_or_else(|| panic!("{name}"));
            assert!(flaw.contains(expected), "{name}: {flaw}");
        }
    }
}
