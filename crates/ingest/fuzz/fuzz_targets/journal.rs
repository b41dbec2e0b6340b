//! Runs the function of the same name in `bodies`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| logstead_ingest_fuzz::journal(data));
