//! Columns with types, written as an Arrow IPC stream or as a Parquet file.
//!
//! | module       | owns                                                                    |
//! |--------------|-------------------------------------------------------------------------|
//! | `writer`     | a stream or a file, row by row                                          |
//! | `batch`      | rows gathered in columns, up to a bound                                 |
//! | `arrow`      | batches as an Arrow IPC stream                                          |
//! | `flatbuffer` | the encoding of the stream's metadata                                   |
//! | `parquet`    | batches as a Parquet file                                               |
//! | `pages`      | the encoding of the values in such a file                               |
//! | `thrift`     | the encoding of its metadata                                            |
//!
//! Both formats are written here in a few hundred lines: the libraries for them take as long to build as a quarter of
//! everything else.
//!
//! **Invariant:** a stream or file that was not ended is not valid as a whole, so it cannot be taken for a complete one.

mod arrow;
mod batch;
mod flatbuffer;
mod pages;
mod parquet;
mod thrift;
mod writer;

pub use batch::{ColumnBuffer, ColumnType, TypedColumn};
pub use writer::{ColumnarFormat, ColumnarWriter};
