//! Measures the cost of words for the messages of a file: time, memory and bytes on disk.

use super::{WORDS, WordDictionary, write};
use crate::segment::bundle::tests::disk_with;
use crate::segment::bundle::{Bundle, BundleIdentity, BundleKind, BundleWriter};
use crate::segment::inverter::Inverter;
use logstead_record::Selection;
use logstead_work::Work;
use std::time::Duration;

/// Prints the cost of words for the messages of a file: `LOGSTEAD_CORPUS=lines cargo test --release -- --ignored`.
#[test]
#[ignore = "measures, and needs a file of lines"]
#[expect(clippy::disallowed_methods, reason = "a measurement reads a file and the clock")]
fn measure_words_of_a_corpus() {
    let path = std::env::var("LOGSTEAD_CORPUS").expect("LOGSTEAD_CORPUS names a file of lines");
    let corpus = std::fs::read(path).unwrap();
    // The seventh space of a line of RFC 5424 without structured data is where its message begins.
    let message = |line| memchr::memchr_iter(b' ', line).nth(6).map_or(line, |at| &line[at + 1..]);
    let messages: Vec<&[u8]> = corpus.split(|&byte| byte == b'\n').map(message).collect();
    let clock = std::time::Instant::now();
    let mut inverter = Inverter::new();
    for (row, message) in messages.iter().enumerate() {
        inverter.add_text(row as u32, message);
    }
    let added = clock.elapsed();
    let memory = inverter.memory_bytes();
    let inverted = inverter.finish();
    let finished = clock.elapsed();
    let rows = messages.len() as u32;
    let mut writer = BundleWriter::new(
        BundleKind::Index,
        BundleIdentity { first_sequence: 0, rows, blocks_hash: [0; 32] },
    );
    write(WORDS, &inverted, rows, &mut writer).unwrap();
    let written = clock.elapsed();
    let file = writer.finish().concat();
    let each = |time: Duration| time.as_nanos() / messages.len() as u128;
    println!(
        "add {} ns, finish {} ns, write {} ns a message",
        each(added),
        each(finished - added),
        each(written - finished)
    );
    println!(
        "{rows} messages, {} terms, {} postings, {memory} bytes of memory",
        inverted.iter().count(),
        inverted.postings()
    );
    let bundle = Bundle::open(BundleKind::Index, disk_with(&file).1).unwrap();
    for section in
        ["words.term", "words.idx", "words.pos", "words.fast", "words.fieldnorm", "words.store", "words.meta"]
    {
        let bytes = bundle.section(section).unwrap().bytes();
        println!("{section} {bytes} bytes, {:.2} a message", bytes as f64 / messages.len() as f64);
    }
    measure_answers(&bundle);
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn measure_answers(bundle: &Bundle) {
    const TIMES: u32 = 20;
    let measure = |name: &str, work: &mut dyn FnMut() -> usize| {
        let result = work();
        let clock = std::time::Instant::now();
        for _ in 0..TIMES {
            assert_eq!(work(), result);
        }
        println!("{name}: {result} in {:?}", clock.elapsed() / TIMES);
    };
    measure("open", &mut || WordDictionary::open(WORDS, bundle.identity().rows, bundle).unwrap().terms());
    let words = WordDictionary::open(WORDS, bundle.identity().rows, bundle).unwrap();
    for word in ["error", "for", "authentication", "needle", "798", "nosuchword"] {
        measure(&format!("find {word}"), &mut || {
            words.find(word.as_bytes()).unwrap().map_or(0, |found| found.rows as usize)
        });
        if let Some(found) = words.find(word.as_bytes()).unwrap() {
            measure(&format!("rows {word}"), &mut || words.rows(&found).unwrap().count());
            let few = Selection::from_fn(bundle.identity().rows as usize, |row| row % 10_000 == 0);
            measure(&format!("retain 100 of {word}"), &mut || {
                let mut rows = few.clone();
                words.retain(&found, &mut rows).unwrap();
                rows.count()
            });
        }
    }
    for prefix in ["auth", "3499", "1"] {
        measure(&format!("walk {prefix}*"), &mut || {
            words
                .walk(prefix.as_bytes(), &mut |_| true, usize::MAX, &Work::until(&|| false))
                .unwrap()
                .rows
                .count()
        });
    }
    let mut finder = |term: &[u8]| memchr::memmem::find(term, b"quorum").is_some();
    measure("walk *quorum*", &mut || {
        words.walk(b"", &mut finder, usize::MAX, &Work::until(&|| false)).unwrap().rows.count()
    });
}
