//! Tables for any Arrow consumer, through the Arrow PyCapsule interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, RecordBatch, RecordBatchIterator, StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use reclaim_sim::{BlockFrames, GcLog, RequestTable, Spans, Timeline};

use crate::errors::SIMULATION_ERROR;

/// One table: hand it to `polars.DataFrame`, `pyarrow.table`, `duckdb`, or anything else that reads Arrow.
#[pyclass(frozen, module = "reclaim._core")]
pub struct ArrowTable {
    batch: RecordBatch,
}

#[pymethods]
impl ArrowTable {
    /// The Arrow C stream of the table; the requested schema is a hint that is not needed here.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let schema = self.batch.schema();
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The Arrow C schema of the table.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref())
            .map_err(|error| SIMULATION_ERROR.new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }
}

fn u64s(values: &[u64]) -> ArrayRef {
    Arc::new(UInt64Array::from(values.to_vec()))
}

fn u32s(values: &[u32]) -> ArrayRef {
    Arc::new(UInt32Array::from(values.to_vec()))
}

fn u8s(values: &[u8]) -> ArrayRef {
    Arc::new(UInt8Array::from(values.to_vec()))
}

fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> ArrowTable {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one table are equally long");
    ArrowTable { batch }
}

impl ArrowTable {
    /// Buckets of histograms: (class, longest latency in ns, requests).
    pub fn of_buckets(buckets: impl Iterator<Item = (&'static str, u64, u64)>) -> Self {
        let (mut classes, mut upper_ns, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (class, upper, count) in buckets {
            classes.push(class);
            upper_ns.push(upper);
            counts.push(count);
        }
        let class: ArrayRef = Arc::new(StringArray::from(classes));
        table([("class", class), ("upper_ns", u64s(&upper_ns)), ("count", u64s(&counts))])
    }
}

impl From<&RequestTable> for ArrowTable {
    fn from(t: &RequestTable) -> Self {
        table([
            ("arrival_ns", u64s(&t.arrival_ns)),
            ("completion_ns", u64s(&t.completion_ns)),
            ("offset_bytes", u64s(&t.offset_bytes)),
            ("size_bytes", u64s(&t.size_bytes)),
            ("op", u8s(&t.op)),
            ("queue_ns", u64s(&t.queue_ns)),
            ("gc_ns", u64s(&t.gc_ns)),
            ("transfer_ns", u64s(&t.transfer_ns)),
            ("array_ns", u64s(&t.array_ns)),
            ("link_ns", u64s(&t.link_ns)),
            ("stream", u8s(&t.stream)),
        ])
    }
}

impl From<&GcLog> for ArrowTable {
    fn from(t: &GcLog) -> Self {
        table([
            ("start_ns", u64s(&t.start_ns)),
            ("end_ns", u64s(&t.end_ns)),
            ("written_back_ns", u64s(&t.written_back_ns)),
            ("plane", u32s(&t.plane)),
            ("victim_block", u32s(&t.victim_block)),
            ("valid_pages", u32s(&t.valid_pages)),
            ("free_blocks_after", u32s(&t.free_blocks_after)),
            ("cause", u8s(&t.cause)),
            ("emergency", u8s(&t.emergency)),
            ("used_pages", u64s(&t.used_pages)),
        ])
    }
}

impl From<&BlockFrames> for ArrowTable {
    fn from(t: &BlockFrames) -> Self {
        table([
            ("at_ns", u64s(&t.at_ns)),
            ("block", u32s(&t.block)),
            ("state", u8s(&t.state)),
            ("written_pages", u32s(&t.written_pages)),
            ("valid_pages", u32s(&t.valid_pages)),
        ])
    }
}

impl From<&Spans> for ArrowTable {
    fn from(t: &Spans) -> Self {
        table([
            ("kind", u8s(&t.kind)),
            ("track", u32s(&t.track)),
            ("start_ns", u64s(&t.start_ns)),
            ("end_ns", u64s(&t.end_ns)),
            ("operation", u8s(&t.operation)),
            ("for_gc", u8s(&t.for_gc)),
            ("value", u64s(&t.value)),
        ])
    }
}

impl From<&Timeline> for ArrowTable {
    fn from(t: &Timeline) -> Self {
        table([
            ("start_ns", u64s(&t.start_ns)),
            ("length_ns", u64s(&t.length_ns)),
            ("free_blocks", u64s(&t.free_blocks)),
            ("used_pages", u64s(&t.used_pages)),
            ("valid_pages", u64s(&t.valid_pages)),
            ("gc_jobs", u64s(&t.gc_jobs)),
            ("gc_channels", u64s(&t.gc_channels)),
            ("allowed_channels", u64s(&t.allowed_channels)),
            ("pending_operations", u64s(&t.pending_operations)),
            ("outstanding_requests", u64s(&t.outstanding_requests)),
            ("buffered_pages", u64s(&t.buffered_pages)),
            ("completed_requests", u64s(&t.completed_requests)),
            ("latency_sum_ns", u64s(&t.latency_sum_ns)),
            ("latency_max_ns", u64s(&t.latency_max_ns)),
            ("host_programs", u64s(&t.host_programs)),
            ("gc_programs", u64s(&t.gc_programs)),
            ("wear_programs", u64s(&t.wear_programs)),
            ("padded_pages", u64s(&t.padded_pages)),
            ("wasted_pages", u64s(&t.wasted_pages)),
            ("erases", u64s(&t.erases)),
            ("wear_erases", u64s(&t.wear_erases)),
            ("jobs_begun", u64s(&t.jobs_begun)),
            ("host_bytes", u64s(&t.host_bytes)),
            ("nand_bytes", u64s(&t.nand_bytes)),
            ("nand_host_bytes", u64s(&t.nand_host_bytes)),
            ("nand_collection_bytes", u64s(&t.nand_collection_bytes)),
            ("nand_folding_bytes", u64s(&t.nand_folding_bytes)),
            ("nand_levelling_bytes", u64s(&t.nand_levelling_bytes)),
            ("nand_parity_bytes", u64s(&t.nand_parity_bytes)),
            ("nand_translation_bytes", u64s(&t.nand_translation_bytes)),
            ("nand_padding_bytes", u64s(&t.nand_padding_bytes)),
        ])
    }
}
