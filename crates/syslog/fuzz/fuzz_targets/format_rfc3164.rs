//! Runs the body of the same name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| logstead_fuzz::format_rfc3164(data));
