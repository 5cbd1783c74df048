//! Every file of tests in one program: linking each by itself takes minutes.

mod common;

mod block_layer;
mod characteristics;
mod columns;
mod convert;
mod files;
mod fuzz;
mod generate;
mod oracle;
mod recordings;
mod strictness;
mod tables;
mod text_formats;
mod transforms;
mod volumes;
mod vscsi;
