//! Batches as texts: a line of names, then a line for each row.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// The rows of these columns; all columns if no names are given.
pub fn show(batch: &RecordBatch, names: &[&str]) -> String {
    let schema = batch.schema();
    let all: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let names = if names.is_empty() { all.as_slice() } else { names };
    let mut text = names.join("  ") + "\n";
    for row in 0..batch.num_rows() {
        let cell = |name: &&str| cell(batch.column_by_name(name).unwrap().as_ref(), row);
        text += &(names.iter().map(cell).collect::<Vec<String>>().join("  ") + "\n");
    }
    text
}

fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return "-".to_owned();
    }
    match column.data_type() {
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::Dictionary(..) => {
            let kinds = column.as_dictionary::<Int8Type>();
            let kind = usize::try_from(kinds.keys().value(row)).unwrap();
            kinds.values().as_string::<i32>().value(kind).to_owned()
        }
        other => other.to_string(),
    }
}
