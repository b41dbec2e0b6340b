//! Copies: messages that are stored in another logspace as well, which is recorded when they are stored.
//!
//! **Invariant:** a message has the flag [`Flags::COPY`] exactly if [`Field::CopyOf`] names the logspace of its original.

use crate::batch::Batch;
use crate::column::NameColumnBuilder;
use crate::columns::{COPY_OF, FLAGS};
use crate::flags::Flags;
use crate::selection::Selection;

impl Batch {
    /// Whether some of its messages are copies.
    pub fn has_copies(&self) -> bool {
        self.columns.names[COPY_OF].values().iter().any(|logspace| !logspace.is_empty())
    }

    /// The same messages, of which exactly these are marked as copies: sets of rows, each with the logspace of the
    /// originals. No row is in two sets.
    #[must_use]
    pub fn with_copies(&self, copies: &[(Selection, &str)]) -> Batch {
        let mut columns = self.columns.clone();
        let mut of_row = vec![""; self.rows()];
        for (rows, logspace) in copies {
            rows.iter().for_each(|row| of_row[row] = logspace);
        }
        let mut names = NameColumnBuilder::with_capacity(self.rows());
        for (flags, logspace) in columns.bytes[FLAGS].iter_mut().zip(of_row) {
            let others = Flags(*flags).without(Flags::COPY);
            *flags = if logspace.is_empty() { others } else { others.with(Flags::COPY) }.0;
            names.push(logspace.as_bytes());
        }
        columns.names[COPY_OF] = names.finish();
        Batch::new(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{BatchBuilder, Origin, Row};
    use crate::field::Field;
    use crate::time::Timestamp;

    #[test]
    fn copies_are_noted_and_forgotten_and_carried_over() {
        let mut builder = BatchBuilder::new();
        let origin = Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(5) };
        builder.origin(origin);
        for flags in [Flags::TRUNCATED, Flags::default(), Flags::default()] {
            builder.push(&Row { flags, ..Row::text(b"x") });
        }
        let plain = builder.seal();
        assert!(!plain.has_copies());
        let rows = |rows: &[usize]| Selection::from_fn(3, |row| rows.contains(&row));
        let copies = plain.with_copies(&[(rows(&[0]), "main"), (rows(&[2]), "audit")]);
        let noted = |batch: &Batch| {
            let of = |row| String::from_utf8_lossy(batch.text(Field::CopyOf, row)).into_owned();
            (0..batch.rows()).map(|row| (of(row), batch.flags(row))).collect::<Vec<_>>()
        };
        let expected = [
            ("main".to_owned(), Flags::TRUNCATED.with(Flags::COPY)),
            (String::new(), Flags::default()),
            ("audit".to_owned(), Flags::COPY),
        ];
        assert_eq!(noted(&copies), expected);
        assert!(copies.has_copies());
        assert_eq!(copies.with_copies(&[]), plain);
        // The batch contains both copies and other messages.
        builder.origin(origin);
        builder.push(&Row::text(b"before"));
        builder.extend(&copies, 1..3);
        builder.extend(&plain, 0..1);
        let joined = builder.seal();
        let of_row: Vec<_> = noted(&joined).into_iter().map(|(of, _)| of).collect();
        assert_eq!(of_row, ["", "", "audit", ""]);
        assert!(Batch::from_columns(joined.columns().clone()).is_ok());
        assert!(!joined.take(&Selection::from_fn(4, |row| row != 2)).has_copies());
    }
}
