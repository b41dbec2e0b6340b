//! Runs the body of the same name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| logstead_ingest_fuzz::native(data));
