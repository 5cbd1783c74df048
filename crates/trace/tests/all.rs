//! Every file of tests in one program: linking each by itself takes minutes.

mod common;

mod blkparse;
mod blktrace;
mod characteristics;
mod clocks;
mod columns;
mod convert;
mod csv;
mod derived;
mod files;
mod fiolog;
mod ftrace;
mod fuzz;
mod generate;
mod headers;
mod in_memory;
mod mqsim;
mod on_error;
mod properties;
mod public_sets;
mod public_traces;
mod recordings;
mod requeued;
mod strictness;
mod tables;
mod time_units;
mod transforms;
mod vscsi;
