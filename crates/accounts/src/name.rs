//! The rules for names of users and tokens. People read them, for example in the audit log, so no two may look alike.
//! Allowing only lowercase ASCII letters, digits and a few signs rules out nearly all such pairs.
//!
//! Older names that break these rules stay valid: only new ones are checked.

/// Maximum length of a name.
pub const NAME_CHARS_MAX: usize = 64;

/// Names that the audit log uses for Logstead itself, and names that could be mistaken for them.
const RESERVED: [&str; 14] = [
    "anonymous", "api", "cli", "console", "environment", "internal", "logstead", "logstead_admin_token",
    "nobody", "null", "setup", "system", "token", "unknown",
];

/// Finds what is wrong with a new name, if anything.
pub fn flaw(name: &str) -> Option<String> {
    let is_fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '@');
    let folded = name.to_ascii_lowercase();
    if RESERVED.contains(&folded.as_str()) {
        return Some(format!("`{name}` is a name that Logstead uses itself: choose another one"));
    }
    let begins_well = folded.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins_well && folded.len() <= NAME_CHARS_MAX && folded.chars().all(is_fit) {
        let advice =
            || format!("a name has lower-case letters only, so that no two look alike: use `{folded}`");
        return (folded != name).then(advice);
    }
    Some(format!(
        "a name has 1 to {NAME_CHARS_MAX} lower-case letters (a to z), digits and `. _ - @`, and begins with a \
         letter or a digit"
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
            ("b o", "lower-case letters"),
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
