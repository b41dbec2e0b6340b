//! Writes the words of a segment by passing the result of an [`Inverter`](crate::segment::inverter::Inverter) to
//! tantivy's own serializers. So the files are those that tantivy writes for a single text field without frequencies,
//! positions and norms, and an empty document store.

use super::layout::FIELD;
use crate::segment::bundle::{BundleWriter, IndexError};
use crate::segment::directory::MemoryDirectory;
use crate::segment::inverter::InvertedWords;
use tantivy::columnar::ColumnarWriter;
use tantivy::directory::{Directory, TerminatingWrite};
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::{Index, IndexMeta, IndexSettings, Segment, SegmentComponent, SegmentId};
use tantivy::postings::InvertedIndexSerializer;
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::store::{Compressor, StoreWriter};

/// The id of the only segment, which never has to be distinguished from others.
const SEGMENT: &str = "00000000000000000000000000000000";
const STORE_BLOCK_BYTES: usize = 16 << 10;

/// Writes the words of `rows` rows as sections of an index file, under the name of a dictionary.
pub(crate) fn write(
    dictionary: &'static str,
    inverted: &InvertedWords,
    rows: u32,
    writer: &mut BundleWriter,
) -> Result<(), IndexError> {
    let files = MemoryDirectory::new(dictionary);
    let index = Index::create(files.clone(), schema(), settings())?;
    let id = SegmentId::from_uuid_string(SEGMENT).map_err(|error| IndexError::Format(error.to_string()))?;
    let segment = index.segment(index.new_segment_meta(id, rows));
    write_postings(inverted, &segment)?;
    write_what_is_empty(rows, &segment)?;
    write_meta(&index, &segment)?;
    files.move_to(writer);
    Ok(())
}

pub(super) fn schema() -> Schema {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let mut schema = Schema::builder();
    schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing));
    schema.build()
}

pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: STORE_BLOCK_BYTES,
        ..IndexSettings::default()
    }
}

fn write_postings(inverted: &InvertedWords, segment: &Segment) -> Result<(), IndexError> {
    let mut serializer = InvertedIndexSerializer::open(segment)?;
    let mut field = serializer.new_field(FIELD, inverted.postings(), None)?;
    for (term, rows) in inverted.iter() {
        field.new_term(term, rows.len() as u32, false)?;
        for &row in rows {
            field.write_doc(row, 0, &[]);
        }
        field.close_term()?;
    }
    field.close()?;
    Ok(serializer.close()?)
}

/// Writes the empty files that tantivy needs to open a segment.
fn write_what_is_empty(rows: u32, segment: &Segment) -> Result<(), IndexError> {
    let open = |component| segment.open_write(component).map_err(tantivy::TantivyError::from);
    FieldNormsSerializer::from_write(open(SegmentComponent::FieldNorms)?)?.close()?;
    let mut columns = open(SegmentComponent::FastFields)?;
    ColumnarWriter::default().serialize(rows, None, &mut columns)?;
    columns.terminate()?;
    let store = open(SegmentComponent::Store)?;
    Ok(StoreWriter::new(store, Compressor::None, STORE_BLOCK_BYTES, false)?.close()?)
}

fn write_meta(index: &Index, segment: &Segment) -> Result<(), IndexError> {
    let meta = IndexMeta {
        index_settings: index.settings().clone(),
        segments: vec![segment.meta().clone()],
        ..IndexMeta::with_schema(index.schema())
    };
    let json = serde_json::to_vec(&meta).map_err(|error| IndexError::Format(error.to_string()))?;
    Ok(index.directory().atomic_write("meta.json".as_ref(), &json)?)
}
