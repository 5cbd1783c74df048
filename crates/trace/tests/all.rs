//! Every file of tests in one program: linking each by itself takes minutes.

mod common;

mod block_layer;
mod characteristics;
mod clocks;
mod columns;
mod convert;
mod derived;
mod files;
mod fuzz;
mod generate;
mod in_memory;
mod recordings;
mod strictness;
mod tables;
mod text_formats;
mod transforms;
mod vscsi;
