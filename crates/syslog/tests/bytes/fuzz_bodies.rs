//! Runs the bodies of the fuzz targets over random bytes and over texts that resemble real input, for as long as is
//! reasonable in a test.
//!
//! Keywords: fuzz, random bytes.

#[expect(unreachable_pub, reason = "they are public in the crate of the fuzz targets")]
#[path = "../../fuzz/src/bodies.rs"]
mod bodies;

use proptest::prelude::*;

/// Pieces that parsers look for, mixed with other pieces.
const PIECES: &[&str] = &[
    "<13>",
    "<34>1 ",
    "<999>",
    "1 ",
    "- ",
    "2026-11-21T06:13:00Z ",
    "2026-11-21T06:13:00.25+01:00 ",
    "Nov  5 12:00:00 ",
    "Feb 29 00:00:00 ",
    "host ",
    "app[7]: ",
    "app: ",
    "[x@1 k=\"v\"] ",
    "[x k=\"\\]\"",
    "%ASA-4-106023: ",
    "{",
    "}",
    "\"a\":",
    "1,",
    "[",
    "]",
    "\"",
    "\\",
    "\\n",
    "=",
    "|",
    " ",
    "  ",
    "\t",
    "\n",
    "\0",
    "\u{feff}",
    "ä",
    "CEF:0|",
    "LEEF:2.0|",
    "x5E",
    "^",
    "cs1=",
    "cs1Label=",
    "src=10.0.0.1 ",
    "msg=\"a b\" ",
    "k='",
    "date=2026-02-20 time=16:33:10 ",
    "tz=\"+0100\" ",
    "devname=fw devid=F1 logid=1 type=event ",
    "1,2026/11/21 06:13:00,0018,TRAFFIC,end,0,",
    "2026/11/21 06:12:59,",
    ",\"a\"\"b\",",
    "action:\"Drop\"; ",
    "Nov  5 12:00:00 h kernel: ",
    "IN=eth0 OUT= SRC=1.2.3.4 ",
    "<4>Nov  5 12:00:00 h filterlog: 5,,,1,igb0,match,block,in,4,",
    "<4>Nov  5 12:00:00 h CISE_X 1 2 3 ",
    "a b=c, ",
    "MSWinEventLog\t1\t",
    "10.0.0.1 - - [05/Nov/2026:12:00:00 +0100] \"GET / HTTP/1.1\" 200 ",
    "stdout F ",
    "I1105 12:00:00.1 7 a.go:1] ",
    "2026/11/21 06:13:00 ",
    "[error] 7#8: *9 ",
    "[7] ERROR:  ",
    "a@b ",
    "0 [Note] [MY-1] ",
    "[Fri Nov 20 08:00:00 2026] ",
    "[core:error] ",
    "queries: info: ",
    "%%01A/4/B(l)[0]:",
    "%FTD-1-2: ",
    "A: b, ",
    "<522008> <NOTI> |a| ",
    "[main] a.b.C ",
    "pattern: x",
    "U7,0200aabbccdd,v4: ",
    "00077 ",
    "S1 (2026) ",
    "0-PPE-0 : a b c ",
    "11/05/2026:12:00:00 GMT ",
    "2026:11:05-12:00:00 ",
    "src:\"a\";",
    "@cee: ",
    "12 <13>x",
    "5 ",
    "\r\n",
    "\u{1}",
];

fn data() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(proptest::sample::select(PIECES), 0..14);
    let text = (any::<[u8; 3]>(), pieces).prop_map(|(head, pieces)| {
        let mut data = head.to_vec();
        pieces.iter().for_each(|piece| data.extend_from_slice(piece.as_bytes()));
        data
    });
    prop_oneof![3 => text, 1 => proptest::collection::vec(any::<u8>(), 0..80)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn where_a_stream_is_cut_makes_no_difference(data in data()) {
        bodies::framing(&data);
    }

    #[test]
    fn where_a_stream_of_relp_is_cut_makes_no_difference(
        data in "[ -~]{2}([0-9]{1,9} (open|syslog|close|x) (0\n|3 a b\n|12 0123456789ab\n)|[0-9 a\n]{1,3}){0,9}",
    ) {
        bodies::relp(data.as_bytes());
    }

    #[test]
    fn a_proxy_header_ends_where_it_ends(
        line in "PROXY (TCP[46]|UNKNOWN) ([0-9a-f.:]{1,15} ?){0,4}\r\n?[ -~]{0,9}",
        family in any::<u8>(), length in 0..40_u8, behind in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        bodies::proxy(line.as_bytes());
        let head = [&b"\r\n\r\n\0\r\nQUIT\n\x21"[..], &[family, 0, length]].concat();
        bodies::proxy(&[head, behind].concat());
    }

    #[test]
    fn any_frame_is_a_row_with_its_bytes(data in data()) {
        bodies::format_auto(&data);
        bodies::format_rfc5424(&data);
        bodies::format_rfc3164(&data);
    }

    #[test]
    fn any_datagram_of_gelf_is_a_row(
        head in any::<u8>(), packed in proptest::sample::select(vec![&b""[..], b"\x1f\x8b\x08\0", b"\x78\x9c"]),
        text in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "\"version\":\"1.1\",", "\"short_message\":\"m\"", "\"host\":\"h\",", "\"_a\":1,", "\"timestamp\":1.5,",
                "\"level\":4,", "\"_id\":\"x\\n\",", "{\"short_message\":\"\"}", "nonsense", "\0", "\u{feff}",
            ]),
            0..9,
        ),
        behind in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        bodies::gelf(&[&[head], packed, text.concat().as_bytes(), &behind[..]].concat());
        bodies::gelf(&[&[head], text.concat().as_bytes()].concat());
    }

    #[test]
    fn any_text_gives_fields_that_can_be_asked_for(data in data()) {
        bodies::payload(data.get(3..).unwrap_or_default());
    }
}
