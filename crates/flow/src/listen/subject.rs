//! The subject of a sender's certificate as text, as RFC 4514 writes it.
//!
//! **Invariant:** the subject that a sender shows is hostile until it is written here: escaped and bounded.

use rustls::ServerConnection;
use std::fmt::Write as _;
use x509_parser::asn1_rs::{Any, Oid, Tag};
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::X509Name;

/// Maximum length of a subject.
const SUBJECT_BYTES_MAX: usize = 512;
/// Marks where a subject was cut.
const CUT: char = '…';

/// The subject of the certificate that a sender showed, as RFC 4514 writes it: `CN=web-1,O=Example`. `None`
/// when it showed none, or one without a subject.
pub fn of_peer(connection: &ServerConnection) -> Option<String> {
    of_certificate(connection.peer_certificates()?.first()?)
}

fn of_certificate(certificate: &[u8]) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    of_name(certificate.subject())
}

/// A name of a certificate. `None` when it is empty.
pub(super) fn of_name(x509: &X509Name<'_>) -> Option<String> {
    let mut name = SubjectText::default();
    // The last, most specific part is written first.
    let parts: Vec<_> = x509.iter_rdn().collect();
    for part in parts.into_iter().rev() {
        for (index, attribute) in part.iter().enumerate() {
            name.separate(if index == 0 { ',' } else { '+' });
            name.push(&attribute_name(attribute.attr_type()));
            name.push("=");
            name.value(attribute.attr_value());
        }
    }
    Some(name.text).filter(|text| !text.is_empty())
}

/// The short name of an attribute, or its number.
fn attribute_name(oid: &Oid<'_>) -> String {
    let Some(arcs) = oid.iter() else { return "?".into() };
    let number = arcs.map(|arc| arc.to_string()).collect::<Vec<_>>().join(".");
    let short = match number.as_str() {
        "2.5.4.3" => "CN",
        "2.5.4.5" => "serialNumber",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.9" => "STREET",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        "0.9.2342.19200300.100.1.1" => "UID",
        "0.9.2342.19200300.100.1.25" => "DC",
        "1.2.840.113549.1.9.1" => "emailAddress",
        _ => return number,
    };
    short.into()
}

/// A subject that is being written.
#[derive(Default)]
struct SubjectText {
    text: String,
    full: bool,
}

impl SubjectText {
    /// Adds text unchanged; at the limit, this text is left out and nothing more is added.
    fn push(&mut self, text: &str) {
        if !self.full && SUBJECT_BYTES_MAX - CUT.len_utf8() < self.text.len() + text.len() {
            self.full = true;
            self.text.push(CUT);
        }
        if !self.full {
            self.text.push_str(text);
        }
    }

    fn separate(&mut self, separator: char) {
        if !self.text.is_empty() {
            self.push(separator.encode_utf8(&mut [0; 4]));
        }
    }

    /// A value as text, or if it is not a known kind of string, its bytes in hexadecimal.
    fn value(&mut self, value: &Any<'_>) {
        match text_of(value) {
            Some(text) => self.escaped(&text),
            None => {
                self.push("#");
                value.data.iter().take(SUBJECT_BYTES_MAX).for_each(|byte| self.push(&format!("{byte:02X}")));
            }
        }
    }

    fn escaped(&mut self, text: &str) {
        let mut characters = text.chars().take(SUBJECT_BYTES_MAX).peekable();
        let mut first = true;
        while let Some(character) = characters.next() {
            let edge = first || characters.peek().is_none();
            self.push(&escape(character, first, edge));
            first = false;
        }
    }
}

/// A character of a value; spaces are escaped at its edges, and `#` at its beginning.
fn escape(character: char, first: bool, edge: bool) -> String {
    match character {
        '"' | '+' | ',' | ';' | '<' | '>' | '\\' => format!("\\{character}"),
        ' ' if edge => "\\ ".into(),
        '#' if first => "\\#".into(),
        _ if is_invisible(character) => {
            let mut escaped = String::new();
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                write!(escaped, "\\{byte:02X}").expect("a string takes everything");
            }
            escaped
        }
        _ => character.into(),
    }
}

/// Characters that would change how the rest is shown: control characters, line ends, and those that reverse the
/// direction of text.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn text_of(value: &Any<'_>) -> Option<String> {
    match value.tag() {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::NumericString => {
            String::from_utf8(value.data.to_vec()).ok()
        }
        // Software that still writes this type means Latin-1.
        Tag::TeletexString => Some(value.data.iter().map(|&byte| char::from(byte)).collect()),
        Tag::BmpString => {
            let (units, rest) = value.data.as_chunks::<2>();
            let units = units.iter().map(|unit| u16::from_be_bytes(*unit));
            rest.is_empty().then(|| char::decode_utf16(units).collect::<Result<_, _>>().ok()).flatten()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, DnValue, KeyPair};

    #[test]
    fn a_subject_is_escaped_and_bounded() {
        let check = |subject: &[(DnType, DnValue)], expected: Option<&str>| {
            let mut params = CertificateParams::default();
            params.distinguished_name = rcgen::DistinguishedName::new();
            for (part, value) in subject {
                params.distinguished_name.push(part.clone(), value.clone());
            }
            let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
            assert_eq!(of_certificate(certificate.der()).as_deref(), expected);
        };
        let cn = |text: &str| [(DnType::CommonName, text.into())];
        check(&[], None);
        check(&cn("web-1"), Some("CN=web-1"));
        check(&cn(" a, b=\"c\" "), Some("CN=\\ a\\, b=\\\"c\\\"\\ "));
        check(&cn("#1#2"), Some("CN=\\#1#2"));
        check(&cn("a\0b\r\n\u{1b}[31m"), Some("CN=a\\00b\\0D\\0A\\1B[31m"));
        check(&cn("a\u{202e}b\u{85}ü"), Some("CN=a\\E2\\80\\AEb\\C2\\85ü"));
        check(&[(DnType::CustomDnType(vec![1, 2, 3]), "x".into())], Some("1.2.3=x"));
        let bmp = rcgen::string::BmpString::try_from("wéb").unwrap();
        check(&[(DnType::CommonName, DnValue::BmpString(bmp))], Some("CN=wéb"));
        let long = format!("CN={}…", "a".repeat(SUBJECT_BYTES_MAX - 3 - CUT.len_utf8()));
        check(&cn(&"a".repeat(60_000)), Some(&long));
        // An escape is either complete or left out.
        let long = format!("CN=aa{}…", "\\00".repeat(168));
        check(&cn(&format!("aa{}", "\0".repeat(60_000))), Some(&long));
    }

    proptest::proptest! {
        #[test]
        fn no_certificate_is_too_strange(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            of_certificate(&bytes);
        }
    }
}
