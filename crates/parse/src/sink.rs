//! The receiver of parsed values, and the limits on them.

/// A name and a value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// The maximum number of values of one text.
pub const FIELDS_MAX: usize = 256;
/// The maximum length of a name; values with longer names are skipped.
pub const NAME_BYTES_MAX: usize = 128;

/// Receives the pairs that a parser finds.
pub trait PairSink {
    /// Adds a value that is in the text unchanged.
    fn add(&mut self, name: &[u8], value: &[u8]);

    /// Adds a value that `write` appends.
    fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>));
}

impl PairSink for Vec<Pair> {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        self.push((name.to_vec(), value.to_vec()));
    }

    fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let mut value = Vec::new();
        write(&mut value);
        self.push((name.to_vec(), value));
    }
}
