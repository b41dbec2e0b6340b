//! A stream or a file, written row by row.

use crate::arrow::ArrowStream;
use crate::batch::{ColumnBuffer, RowBatch, TypedColumn};
use crate::parquet::ParquetFile;

/// The format of a file with typed columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnarFormat {
    /// An Arrow IPC stream.
    Arrow,
    /// A Parquet file.
    Parquet,
}

/// The number of parts of a file that its memory is for, and some room for what the last row adds.
const MEMORY_PARTS: usize = 4;

/// Writes rows to a buffer that the caller empties whenever it likes.
pub struct ColumnarWriter {
    batch: RowBatch,
    file: ColumnarFile,
}

enum ColumnarFile {
    Arrow(ArrowStream),
    Parquet(Box<ParquetFile>),
}

impl ColumnarWriter {
    /// Appends the beginning of a file with these columns.
    pub fn begin(format: ColumnarFormat, columns: &[TypedColumn], out: &mut Vec<u8>) -> ColumnarWriter {
        let file = match format {
            ColumnarFormat::Arrow => ColumnarFile::Arrow(ArrowStream::begin(columns, out)),
            ColumnarFormat::Parquet => ColumnarFile::Parquet(Box::new(ParquetFile::begin(columns, out))),
        };
        ColumnarWriter { batch: RowBatch::new(columns), file }
    }

    /// The same file in smaller parts, if those of the usual size would take more memory than this: a batch, and in a
    /// Parquet file a group of rows, which is there twice while it is appended.
    #[must_use]
    pub fn with_memory_max(mut self, bytes_max: usize) -> ColumnarWriter {
        self.batch.limit_bytes(bytes_max / MEMORY_PARTS);
        if let ColumnarFile::Parquet(file) = &mut self.file {
            file.limit_group_bytes(bytes_max / MEMORY_PARTS);
        }
        self
    }

    /// The columns, each of which takes the next row's value.
    pub fn columns(&mut self) -> &mut [ColumnBuffer] {
        self.batch.columns_mut()
    }

    /// The number of rows that may be pushed before they are ended; at least one.
    pub fn room(&self) -> usize {
        self.batch.room()
    }

    /// Ends a row, and appends what there is if that is enough for a part of the file. Returns the bytes that the row
    /// took in memory.
    pub fn end_row(&mut self, out: &mut Vec<u8>) -> usize {
        self.end_rows(1, out)
    }

    /// The same for several rows.
    pub fn end_rows(&mut self, rows: usize, out: &mut Vec<u8>) -> usize {
        let bytes = self.batch.end_rows(rows);
        if self.batch.is_full() {
            self.flush(out);
        }
        bytes
    }

    /// Appends the rest and the end. A Parquet file keeps the notes, by their keys.
    pub fn end(mut self, notes: &[(&str, String)], out: &mut Vec<u8>) {
        if 0 < self.batch.rows() {
            self.flush(out);
        }
        match self.file {
            ColumnarFile::Arrow(_) => ArrowStream::end(out),
            ColumnarFile::Parquet(file) => file.end(notes, out),
        }
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        match &mut self.file {
            ColumnarFile::Arrow(stream) => stream.batch(&self.batch, out),
            ColumnarFile::Parquet(file) => file.batch(&self.batch, out),
        }
        self.batch.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnType;

    const FORMATS: [ColumnarFormat; 2] = [ColumnarFormat::Arrow, ColumnarFormat::Parquet];

    fn writer(format: ColumnarFormat, out: &mut Vec<u8>) -> ColumnarWriter {
        ColumnarWriter::begin(format, &[TypedColumn { name: "a".to_owned(), kind: ColumnType::Text }], out)
    }

    #[test]
    fn rows_are_passed_on_before_there_are_many_or_large_ones() {
        for (length, rows_max) in [(0, 20_000), (1 << 20, 3), (8 << 20, 1)] {
            let text = vec![b'x'; length];
            let mut out = Vec::new();
            let mut writer = writer(ColumnarFormat::Arrow, &mut out);
            let begun = out.len();
            let mut rows = 0;
            while out.len() == begun {
                writer.columns()[0].push_text(&text);
                assert!(length <= writer.end_row(&mut out));
                rows += 1;
            }
            assert!(rows <= rows_max, "{rows} of {length} bytes");
        }
    }

    #[test]
    fn with_less_memory_the_parts_are_smaller() {
        for (format, memory_max) in
            FORMATS.into_iter().flat_map(|format| [(format, 1 << 20), (format, 64 << 10)])
        {
            let (mut out, mut random) = (Vec::new(), 1_u64);
            let mut writer = writer(format, &mut out).with_memory_max(memory_max);
            let mut longest = 0;
            for _ in 0..50_000 {
                random = random.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5555;
                let before = out.len();
                writer.columns()[0].push_text(format!("{random:x} {random:x}").as_bytes());
                writer.end_row(&mut out);
                longest = longest.max(out.len() - before);
            }
            assert!((1..=memory_max * 2 / 3).contains(&longest), "{format:?}: {longest} of {memory_max}");
        }
    }

    #[test]
    fn only_a_file_that_was_ended_has_an_end() {
        for (format, end) in FORMATS.into_iter().zip([&b"\xff\xff\xff\xff\0\0\0\0"[..], b"PAR1"]) {
            let mut out = Vec::new();
            let mut writer = writer(format, &mut out);
            for _ in 0..50_000 {
                writer.columns()[0].push_text(b"text");
                writer.end_row(&mut out);
                assert!(out.len() == 4 || !out.ends_with(end));
            }
            writer.end(&[], &mut out);
            assert!(out.ends_with(end));
        }
    }

    #[test]
    #[should_panic(expected = "a value for each column")]
    fn a_row_without_a_value_is_a_mistake() {
        let mut out = Vec::new();
        writer(ColumnarFormat::Arrow, &mut out).end_row(&mut out);
    }
}
