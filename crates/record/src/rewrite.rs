//! A batch made from another one, with some values of its messages changed.
//!
//! **Invariant:** the raw bytes of a message stay what they were, unless they themselves are changed. A head that can be
//! written from the new columns is not stored: it is written and compared, as in the builder.
//! **Invariant:** a value that was replaced is nowhere in the new batch, unless a row still has it.

use crate::batch::Batch;
use crate::column::{NameColumnBuilder, TextColumn};
use crate::columns::{Columns, FLAGS, HEAD, HEAD_FORM, NO_PRIORITY, NO_TIME, OWN_TIME, PRIORITY, TAIL};
use crate::field::{Field, Storage};
use crate::flags::Flags;
use crate::priority::Priority;
use crate::raw::HeadForm;
use crate::selection::Selection;
use crate::time::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The initial capacity for a head that has to be stored.
const HEAD_BYTES_EXPECTED: usize = 64;

/// A batch that is being changed.
pub struct Rewrite<'a> {
    batch: &'a Batch,
    columns: Columns,
    /// Rows with a change to a value that the head may be written from.
    heads: Selection,
    /// Rows whose message, or whose raw bytes, were changed.
    messages: Selection,
    /// The number of new fields after the old ones of each row; empty if there are none.
    behind: Vec<u32>,
    /// The new raw bytes, by row.
    raw: BTreeMap<usize, Vec<u8>>,
}

/// The new dynamic fields of every row of a batch.
pub struct NewFields<'a> {
    batch: &'a Batch,
    ends: Vec<u32>,
    names: NameColumnBuilder,
    values: TextColumn,
    /// The new id of each name of the batch that was kept.
    kept_ids: Vec<Option<u32>>,
    /// For each id, the id that was written after it the last time.
    followers: Vec<u32>,
    last: u32,
    /// The number of old fields that the current row keeps, while it has no other change.
    kept: usize,
    is_other: bool,
    touched: Selection,
    behind: Vec<u32>,
}

impl<'a> NewFields<'a> {
    /// Begins the fields of this batch's rows.
    pub fn of(batch: &'a Batch) -> NewFields<'a> {
        NewFields {
            batch,
            ends: Vec::with_capacity(batch.rows()),
            names: NameColumnBuilder::default(),
            values: TextColumn::with_capacity(
                batch.columns.field_values.len() + batch.rows(),
                batch.columns.field_values.bytes().len(),
            ),
            kept_ids: vec![None; batch.columns.field_names.values().len()],
            followers: Vec::new(),
            last: 0,
            kept: 0,
            is_other: false,
            touched: Selection::none(batch.rows()),
            behind: Vec::with_capacity(batch.rows()),
        }
    }

    /// Adds a field to the row.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        // Messages of one kind have the same names in the same order.
        let follower = self.followers.get(self.last as usize);
        let id = match follower.filter(|&&id| self.names.is(id, name)) {
            Some(&id) => id,
            None => self.names.id(name),
        };
        self.push_id(id);
        self.values.push(value);
    }

    /// Adds all fields that the row has in the batch.
    pub fn keep(&mut self, row: usize) {
        let columns = &self.batch.columns;
        let fields = columns.field_range(row);
        for old in &columns.field_names.ids()[fields.clone()] {
            let old = *old as usize;
            let id = match self.kept_ids[old] {
                Some(id) => id,
                None => self.names.id(columns.field_names.values().get(old)),
            };
            self.kept_ids[old] = Some(id);
            self.push_id(id);
        }
        self.kept = fields.len();
        self.values.extend(&columns.field_values, fields);
    }

    /// Notes that the row does not just have its old fields followed by new ones.
    pub fn changed(&mut self) {
        self.is_other = true;
    }

    /// Ends the row.
    pub fn end_row(&mut self) {
        let row = self.ends.len();
        let before = self.ends.last().copied().unwrap_or_default() as usize;
        let fields = self.values.len() - before;
        if self.is_other {
            self.touched.insert(row);
        }
        self.behind.push(if self.is_other { 0 } else { (fields - self.kept) as u32 });
        self.ends.push(self.values.len() as u32);
        (self.kept, self.is_other) = (0, false);
    }

    fn push_id(&mut self, id: u32) {
        let known = self.names.values();
        if self.followers.len() < known {
            self.followers.resize(known, 0);
        }
        self.followers[self.last as usize] = id;
        self.last = id;
        self.names.push_id(id);
    }
}

impl Batch {
    /// Begins a rewrite of this batch.
    pub fn rewrite(&self) -> Rewrite<'_> {
        Rewrite {
            batch: self,
            columns: self.columns.clone(),
            heads: Selection::none(self.rows()),
            messages: Selection::none(self.rows()),
            behind: Vec::new(),
            raw: BTreeMap::new(),
        }
    }
}

impl Rewrite<'_> {
    /// Gives rows another text of a field that is kept as names or texts.
    ///
    /// # Panics
    /// When the field is stored in another way.
    pub fn text<'v>(&mut self, field: Field, rows: &Selection, mut value: impl FnMut(usize) -> &'v [u8]) {
        let old = self.batch;
        let mut text = |row: usize| if rows.contains(row) { value(row) } else { old.text(field, row) };
        match field.storage() {
            Storage::Name(number) => {
                let mut names = NameColumnBuilder::default();
                (0..old.rows()).for_each(|row| names.push(text(row)));
                self.columns.names[number] = names.finish();
            }
            Storage::Text(number) => {
                let mut texts =
                    TextColumn::with_capacity(old.rows(), old.columns.texts[number].bytes().len());
                (0..old.rows()).for_each(|row| texts.push(text(row)));
                self.columns.texts[number] = Arc::new(texts);
            }
            _ => panic!("`{}` is not a text field", field.name()),
        }
        let touched = if field == Field::Message { &mut self.messages } else { &mut self.heads };
        touched.union(rows);
    }

    /// Gives rows another text of a field that is kept as names, if another such field determines it: `value` is
    /// called for one row with each of the other field's texts. Returns the rows whose text changed.
    ///
    /// # Panics
    /// When one of the fields is stored in another way.
    pub fn name<'v>(
        &mut self,
        field: Field,
        by: Field,
        rows: &Selection,
        mut value: impl FnMut(usize) -> Cow<'v, [u8]>,
    ) -> Selection {
        let (Storage::Name(number), Storage::Name(by)) = (field.storage(), by.storage()) else {
            panic!("`{}` or `{}` is not a field of names", field.name(), by.name())
        };
        let (old, by) = (&self.batch.columns.names[number], &self.batch.columns.names[by]);
        let mut names = NameColumnBuilder::default();
        let mut new_ids: Vec<Option<u32>> = vec![None; by.values().len()];
        let mut kept_ids: Vec<Option<u32>> = vec![None; old.values().len()];
        let mut ids = Vec::with_capacity(self.batch.rows());
        for (row, (&by, &old_id)) in by.ids().iter().zip(old.ids()).enumerate() {
            ids.push(if rows.contains(row) {
                *new_ids[by as usize].get_or_insert_with(|| names.id(&value(row)))
            } else {
                *kept_ids[old_id as usize].get_or_insert_with(|| names.id(old.values().get(old_id as usize)))
            });
        }
        // Each old value is compared once, not once a row.
        let same_ids: Vec<Option<u32>> = old.values().iter().map(|value| names.find(value)).collect();
        let is_changed = |row: usize| same_ids[old.ids()[row] as usize] != Some(ids[row]);
        let changed = Selection::from_fn(self.batch.rows(), is_changed);
        if !changed.is_empty() {
            self.columns.names[number] = names.finish_with(ids);
            self.heads.union(&changed);
        }
        changed
    }

    /// Gives all rows these fields.
    ///
    /// # Panics
    /// When the number of rows differs.
    pub fn fields(&mut self, mut fields: NewFields<'_>) {
        assert_eq!(fields.ends.len(), self.batch.rows(), "the fields belong to another batch");
        self.columns.field_ends = fields.ends;
        self.columns.field_names = fields.names.finish();
        self.columns.field_values = fields.values;
        self.heads.union(&fields.touched);
        self.behind = fields.behind;
    }

    /// Gives a row another priority.
    pub fn priority(&mut self, row: usize, priority: Option<Priority>) {
        self.columns.bytes[PRIORITY][row] = priority.map_or(NO_PRIORITY, Priority::number);
        self.heads.insert(row);
    }

    /// Gives a row another own time.
    pub fn time(&mut self, row: usize, time: Option<Timestamp>) {
        self.columns.times[OWN_TIME][row] = time.map_or(NO_TIME, Timestamp::nanos);
        self.heads.insert(row);
    }

    /// Sets flags of a row.
    pub fn flag(&mut self, row: usize, flags: Flags) {
        self.columns.bytes[FLAGS][row] |= flags.0;
    }

    /// Gives a row other raw bytes.
    pub fn raw(&mut self, row: usize, raw: Vec<u8>) {
        self.messages.insert(row);
        self.raw.insert(row, raw);
    }

    /// The new batch.
    pub fn finish(self) -> Batch {
        let mut new = Batch::new(self.columns);
        if self.behind.is_empty() && self.heads.is_empty() && self.messages.is_empty() {
            return new;
        }
        let old = &self.batch.columns;
        let head_bytes = old.texts[HEAD].bytes().len() + self.heads.count() * HEAD_BYTES_EXPECTED;
        let mut heads = TextColumn::with_capacity(new.rows(), head_bytes);
        let mut forms = Vec::with_capacity(new.rows());
        let mut whole = Selection::none(new.rows());
        for row in 0..new.rows() {
            let form = self.batch.head_form(row);
            let behind = self.behind.get(row).copied().unwrap_or_default();
            let stored = heads.open_row();
            let form = if self.messages.contains(row) {
                let wanted = self.raw.get(&row).map(Vec::as_slice);
                head_around(self.batch, &new, row, wanted, stored)
            } else if form.is_stored() {
                // A stored head does not depend on the changes.
                stored.extend_from_slice(old.texts[HEAD].get(row));
                form
            } else if self.heads.contains(row) {
                self.batch.write_head(row, stored);
                HeadForm::Stored
            } else {
                let fields = self.batch.field_range(row).len();
                match (form.counted(behind as usize), u8::try_from(fields)) {
                    (counted, _) if counted == form => {
                        stored.extend_from_slice(old.texts[HEAD].get(row));
                        form
                    }
                    (counted, Ok(fields)) => {
                        stored.push(fields);
                        counted
                    }
                    (_, Err(_)) => {
                        self.batch.write_head(row, stored);
                        HeadForm::Stored
                    }
                }
            };
            heads.end_row();
            forms.push(form.code());
            if form == HeadForm::Whole {
                whole.insert(row);
            }
        }
        new.columns.texts[HEAD] = Arc::new(heads);
        new.columns.bytes[HEAD_FORM] = forms;
        new.columns.without_tails(&whole);
        new
    }
}

/// Appends the stored part of the head of a row whose message or raw bytes were changed, and returns its form. `new` still
/// has the old heads.
fn head_around(
    old: &Batch,
    new: &Batch,
    row: usize,
    wanted: Option<&[u8]>,
    stored: &mut Vec<u8>,
) -> HeadForm {
    let mut written = Vec::new();
    let wanted = wanted.unwrap_or_else(|| {
        old.write_raw(row, &mut written);
        &written
    });
    let mut again = Vec::new();
    new.write_raw(row, &mut again);
    let form = old.head_form(row);
    if wanted == again {
        stored.extend_from_slice(old.columns.texts[HEAD].get(row));
        return form;
    }
    // If the message is still between the same head and tail, it is stored with them around it.
    let (message, tail) = (new.message(row), old.columns.texts[TAIL].get(row));
    let around = wanted
        .strip_suffix(tail)
        .filter(|_| form != HeadForm::Whole)
        .and_then(|rest| rest.strip_suffix(message));
    stored.extend_from_slice(around.unwrap_or(wanted));
    if around.is_some() { HeadForm::Stored } else { HeadForm::Whole }
}

impl Columns {
    /// Removes the tails of rows that are stored whole.
    fn without_tails(&mut self, whole: &Selection) {
        if whole.iter().all(|row| self.texts[TAIL].get(row).is_empty()) {
            return;
        }
        let old = &self.texts[TAIL];
        let mut tails = TextColumn::with_capacity(old.len(), old.bytes().len());
        (0..old.len()).for_each(|row| tails.push(if whole.contains(row) { b"" } else { old.get(row) }));
        self.texts[TAIL] = Arc::new(tails);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{BatchBuilder, Origin, Row};

    /// RFC 5424 with and without structured data, RFC 3164, and a line without a head.
    fn batch() -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(7) });
        let time = Timestamp::parse_rfc3339(b"2026-11-21T06:13:00Z");
        for (sd, fields) in [("-", 0), ("[a@1 b=\"c\"]", 1)] {
            let raw = format!("<13>1 2026-11-21T06:13:00Z web app 7 - {sd} hello");
            let at = raw.len() - 5;
            (0..fields).for_each(|_| builder.field(b"a@1.b", b"c"));
            let form = HeadForm::Rfc5424 { fraction_digits: 0 };
            let row = Row {
                time,
                priority: Priority::new(13),
                message_at: Some(at),
                head_form: form,
                ..Row::text(raw.as_bytes())
            };
            builder.push(
                &row.with(Field::Host, b"web")
                    .with(Field::Program, b"app")
                    .with(Field::Pid, b"7")
                    .with(Field::Message, b"hello"),
            );
        }
        let raw = b"<13>Nov 21 06:13:00 web app: hello\n";
        let row = Row {
            time,
            priority: Priority::new(13),
            message_at: Some(29),
            head_form: HeadForm::Rfc3164,
            ..Row::text(raw)
        };
        builder
            .push(&row.with(Field::Host, b"web").with(Field::Program, b"app").with(Field::Message, b"hello"));
        builder.push(&Row::text(b"hello"));
        builder.seal()
    }

    fn raws(batch: &Batch) -> Vec<String> {
        let raw = |row| {
            let mut raw = Vec::new();
            batch.write_raw(row, &mut raw);
            String::from_utf8(raw).unwrap()
        };
        (0..batch.rows()).map(raw).collect()
    }

    fn stored(batch: &Batch) -> usize {
        batch.columns().head().bytes().len()
    }

    #[test]
    fn the_raw_bytes_stay_whatever_is_changed() {
        let batch = batch();
        let all = Selection::all(batch.rows());
        let add = |rewrite: &mut Rewrite<'_>| {
            let mut fields = NewFields::of(&batch);
            for row in 0..batch.rows() {
                fields.keep(row);
                fields.push(b"zone", b"dmz");
                fields.end_row();
            }
            rewrite.fields(fields);
        };
        let remove = |rewrite: &mut Rewrite<'_>| {
            let mut fields = NewFields::of(&batch);
            for _ in 0..batch.rows() {
                fields.changed();
                fields.end_row();
            }
            rewrite.fields(fields);
        };
        type Change<'a> = &'a dyn Fn(&mut Rewrite<'_>);
        let changes: [Change<'_>; 8] = [
            &add,
            &remove,
            &|rewrite| rewrite.text(Field::Host, &all, |_| b"other"),
            &|rewrite| drop(rewrite.name(Field::Host, Field::Program, &all, |row| batch.program(row).into())),
            &|rewrite| rewrite.text(Field::Pid, &all, |_| b"8"),
            &|rewrite| rewrite.text(Field::Message, &all, |_| b"bye"),
            &|rewrite| rewrite.priority(0, None),
            &|rewrite| rewrite.time(2, Timestamp::from_seconds(5)),
        ];
        for change in changes {
            for again in changes {
                let mut rewrite = batch.rewrite();
                change(&mut rewrite);
                let once = rewrite.finish();
                assert_eq!(raws(&once), raws(&batch));
                let mut rewrite = batch.rewrite();
                change(&mut rewrite);
                again(&mut rewrite);
                assert_eq!(raws(&rewrite.finish()), raws(&batch));
                Batch::from_columns(once.columns().clone()).unwrap();
            }
        }
        let mut rewrite = batch.rewrite();
        add(&mut rewrite);
        let added = rewrite.finish();
        assert_eq!((stored(&batch), stored(&added)), (0, 2), "two counts instead of two heads");
        assert_eq!(added.fields(1).collect::<Vec<_>>(), [(&b"a@1.b"[..], &b"c"[..]), (b"zone", b"dmz")]);
    }

    #[test]
    fn a_name_may_follow_from_another() {
        let batch = batch();
        let mut rewrite = batch.rewrite();
        let rows = Selection::from_fn(batch.rows(), |row| row != 1);
        let mut asked = 0;
        let changed = rewrite.name(Field::Host, Field::Program, &rows, |row| {
            asked += 1;
            batch.program(row).into()
        });
        let new = rewrite.finish();
        let hosts: Vec<&[u8]> = (0..new.rows()).map(|row| new.host(row)).collect();
        assert_eq!(hosts, [&b"app"[..], b"web", b"app", b""]);
        assert_eq!((changed.iter().collect::<Vec<_>>(), asked), (vec![0, 2], 2));
        assert_eq!(raws(&new), raws(&batch));
    }

    #[test]
    fn a_value_that_was_replaced_is_nowhere() {
        let batch = batch();
        let all = Selection::all(batch.rows());
        let mut rewrite = batch.rewrite();
        for field in [Field::Host, Field::Program, Field::Message] {
            rewrite.text(field, &all, |_| b"****");
        }
        let mut fields = NewFields::of(&batch);
        for row in 0..batch.rows() {
            fields.changed();
            fields.end_row();
            rewrite.raw(row, b"<13>**** ****".to_vec());
        }
        rewrite.fields(fields);
        let masked = rewrite.finish();
        assert_eq!(raws(&masked), ["<13>**** ****"; 4]);
        let text = format!("{:?}", masked.columns());
        assert!(!text.contains("119, 101, 98") && !text.contains("104, 101, 108, 108, 111"), "{text}");
    }
}
