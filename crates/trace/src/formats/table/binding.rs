//! Which column of a table holds which part of a request.
//!
//! Without `--columns` the columns are known by names that carry their unit: `time_ns`, `time_us`, `time_ms` or
//! `time_s` (or `time`, if its type is a time with a unit), `op`, `offset_bytes` or `offset_sectors`, `size_bytes` or
//! `size_sectors`, `device`, and `stream`.

use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit as TypeUnit};

use super::values::{Columns, Numbers, Words};
use crate::formats::columns::{Kind, OpCode, Space, Spec};
use crate::formats::headers::said;
use crate::input::Input;
use crate::units::{SECTOR_BYTES, TimeUnit};
use crate::wording::closest;
use crate::{OpenOptions, TraceError};

/// Which column holds what, and in which unit.
#[derive(Debug, Clone)]
pub(in crate::formats) struct Binding {
    pub(super) time_unit_ns: u64,
    pub(super) code: OpCode,
    pub(super) offset_unit_bytes: u64,
    pub(super) size_unit_bytes: u64,
    pub(super) names: Names,
    /// Places in the table of the columns that are needed, in ascending order.
    columns: Vec<usize>,
    /// Places in a batch.
    places: Places,
}

/// What the table calls its columns, for messages.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) time: String,
    pub(super) op: String,
    pub(super) offset: String,
    pub(super) size: String,
}

#[derive(Debug, Clone, Copy)]
struct Places {
    time: usize,
    op: usize,
    offset: usize,
    size: usize,
    device: Option<usize>,
    stream: Option<usize>,
}

impl Places {
    fn all(self) -> impl Iterator<Item = usize> {
        [self.time, self.op, self.offset, self.size].into_iter().chain(self.device).chain(self.stream)
    }

    fn map(self, place: impl Fn(usize) -> usize) -> Self {
        Self {
            time: place(self.time),
            op: place(self.op),
            offset: place(self.offset),
            size: place(self.size),
            device: self.device.map(&place),
            stream: self.stream.map(&place),
        }
    }
}

impl Binding {
    /// Places in the table of the columns that are needed, in ascending order.
    pub(in crate::formats) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether a column has the streams of requests.
    pub(in crate::formats) fn has_streams(&self) -> bool {
        self.places.stream.is_some()
    }

    /// The same for batches that have all columns of the table, not only those that are needed.
    pub(in crate::formats) fn of_whole_batches(self) -> Self {
        let columns = self.columns.clone();
        Self { places: self.places.map(|place| columns[place]), ..self }
    }

    /// The needed columns of a batch.
    pub(super) fn columns_of(&self, batch: &RecordBatch) -> Result<Columns, ArrowError> {
        let changed =
            |what: &str| ArrowError::SchemaError(format!("{what} has another type than the table says"));
        let column = |place: usize| -> Result<&ArrayRef, ArrowError> {
            batch.columns().get(place).ok_or_else(|| changed("a column"))
        };
        let numbers = |place, name: &str| Numbers::of(column(place)?).ok_or_else(|| changed(name));
        let words = |place, name: &str| Words::of(column(place)?).ok_or_else(|| changed(name));
        let (places, names) = (self.places, &self.names);
        Ok(Columns {
            time: numbers(places.time, &names.time)?,
            op: words(places.op, &names.op)?,
            offset: numbers(places.offset, &names.offset)?,
            size: numbers(places.size, &names.size)?,
            device: places.device.map(|place| words(place, "device")).transpose()?,
            stream: places.stream.map(|place| numbers(place, "stream")).transpose()?,
            rows: batch.num_rows(),
            next: 0,
        })
    }
}

/// Why no binding was found.
pub(in crate::formats) enum BindError {
    /// The text of `--columns` is wrong.
    Option(TraceError),
    /// The table lacks what the option names, or its own names do not tell which column holds what.
    Table(String),
}

impl BindError {
    pub(in crate::formats) fn in_file(self, input: &Input) -> TraceError {
        self.in_file_at(input.path())
    }

    pub(in crate::formats) fn in_file_at(self, path: &Path) -> TraceError {
        match self {
            Self::Option(error) => error,
            Self::Table(reason) => TraceError::File { path: path.to_path_buf(), reason },
        }
    }
}

/// Which columns of a table with `schema` hold what: as `options` say, or by their names.
pub(in crate::formats) fn bind(schema: &Schema, options: &OpenOptions) -> Result<Binding, BindError> {
    let found = if options.columns.is_some() {
        let spec = Spec::of(options).map_err(BindError::Option)?;
        by_spec(schema, &spec)
    } else {
        by_name(schema)
    };
    found.and_then(|found| checked(schema, &found)).map_err(BindError::Table)
}

/// Whether a column holds what is looked for.
type IsOf = fn(&Kind) -> bool;

/// Columns by their places in the table.
type Found = Vec<(usize, Kind)>;

fn by_spec(schema: &Schema, spec: &Spec) -> Result<Found, String> {
    let count = schema.fields().len();
    if spec.lines_before > 0 {
        return Err(format!("has no lines to pass over: leave out skip:{}", spec.lines_before));
    }
    let hex = |kind: &Kind| matches!(kind, Kind::Offset(space) | Kind::Size(space) if space.hex);
    if let Some(column) = spec.columns.iter().find(|column| hex(&column.kind)) {
        return Err(format!("holds numbers, not digits: leave out :hex of {}", column.name));
    }
    if !spec.by_name() {
        if spec.columns.len() > count || (spec.nothing_more && spec.columns.len() < count) {
            return Err(format!(
                "--columns names {} columns, the table has {count}: {}; columns are better named, as in \
                 {EXAMPLE}",
                spec.columns.len(),
                names(schema)
            ));
        }
        let kinds = spec.columns.iter().map(|column| column.kind.clone()).enumerate();
        return Ok(kinds.filter(|(_, kind)| *kind != Kind::Skip).collect());
    }
    let mut found = Vec::new();
    for column in spec.columns.iter().filter(|column| column.kind != Kind::Skip) {
        let wanted = column.header.as_deref().unwrap_or(&column.name);
        let mut places = (0..count).filter(|place| schema.field(*place).name() == wanted);
        match (places.next(), places.next()) {
            (Some(place), None) => found.push((place, column.kind.clone())),
            (Some(_), Some(_)) => return Err(format!("has two columns called \"{wanted}\"")),
            (None, _) => {
                let known = schema.fields().iter().map(|field| field.name().as_str());
                let suggestion = closest(wanted, known)
                    .map(|near| format!("; did you mean \"{near}\"?"))
                    .unwrap_or_default();
                return Err(format!("has no column \"{wanted}\"{suggestion}; it has {}", names(schema)));
            }
        }
    }
    Ok(found)
}

const EXAMPLE: &str = "--columns start=time:us,kind=op,lba=offset:sectors,len=size:bytes";

fn by_name(schema: &Schema) -> Result<Found, String> {
    const NAMED: [(&str, Kind); 11] = [
        ("time_ns", Kind::Time(TimeUnit::Nanoseconds)),
        ("time_us", Kind::Time(TimeUnit::Microseconds)),
        ("time_ms", Kind::Time(TimeUnit::Milliseconds)),
        ("time_s", Kind::Time(TimeUnit::Seconds)),
        ("op", Kind::Op(OpCode::Words)),
        ("offset_bytes", Kind::Offset(Space::of(1))),
        ("offset_sectors", Kind::Offset(Space::of(SECTOR_BYTES))),
        ("size_bytes", Kind::Size(Space::of(1))),
        ("size_sectors", Kind::Size(Space::of(SECTOR_BYTES))),
        ("device", Kind::Device),
        ("stream", Kind::Stream),
    ];
    let kind_of = |field: &Field| match (field.name().as_str(), own_unit(field.data_type())) {
        ("time", Some(unit)) => Some(Kind::Time(unit)),
        (name, _) => NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone()),
    };
    let fields = schema.fields().iter().enumerate();
    let found: Found = fields.filter_map(|(place, field)| Some((place, kind_of(field)?))).collect();
    let roles: [(&str, IsOf, bool); 6] = [
        ("time (time_ns, time_us, time_ms, time_s)", |kind| matches!(kind, Kind::Time(_)), true),
        ("operation (op)", |kind| matches!(kind, Kind::Op(_)), true),
        ("address (offset_bytes, offset_sectors)", |kind| matches!(kind, Kind::Offset(_)), true),
        ("size (size_bytes, size_sectors)", |kind| matches!(kind, Kind::Size(_)), true),
        ("device (device)", |kind| matches!(kind, Kind::Device), false),
        ("stream (stream)", |kind| matches!(kind, Kind::Stream), false),
    ];
    for (role, is, needed) in roles {
        let count = found.iter().filter(|(_, kind)| is(kind)).count();
        if (needed && count == 0) || count > 1 {
            let many = if count == 0 { "no column" } else { "more than one column" };
            return Err(format!(
                "has {many} for the {role}; it has {}; {}",
                names(schema),
                said(&schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>())
            ));
        }
    }
    Ok(found)
}

/// The columns by what they hold, if each has a type that can.
fn checked(schema: &Schema, found: &Found) -> Result<Binding, String> {
    let place = |is: IsOf| found.iter().find(|(_, kind)| is(kind)).map(|(place, _)| *place);
    let needed = |is| place(is).ok_or_else(|| "lacks a column".to_owned());
    let in_table = Places {
        time: needed(|kind| matches!(kind, Kind::Time(_) | Kind::Date))?,
        op: needed(|kind| matches!(kind, Kind::Op(_)))?,
        offset: needed(|kind| matches!(kind, Kind::Offset(_)))?,
        size: needed(|kind| matches!(kind, Kind::Size(_)))?,
        device: place(|kind| *kind == Kind::Device),
        stream: place(|kind| *kind == Kind::Stream),
    };
    let mut columns: Vec<usize> = in_table.all().collect();
    columns.sort_unstable();
    columns.dedup();
    let name = |place: usize| schema.field(place).name().clone();
    let mut binding = Binding {
        time_unit_ns: 1,
        code: OpCode::Words,
        offset_unit_bytes: 1,
        size_unit_bytes: 1,
        names: Names {
            time: name(in_table.time),
            op: name(in_table.op),
            offset: name(in_table.offset),
            size: name(in_table.size),
        },
        places: in_table.map(|place| columns.partition_point(|other| *other < place)),
        columns,
    };
    for (place, kind) in found {
        let field = schema.field(*place);
        let (name, data_type) = (field.name(), field.data_type());
        let plain = Numbers::hold(data_type) && own_unit(data_type).is_none();
        let not_fit = |wanted: &str| Err(format!("the column \"{name}\" is of type {data_type}; {wanted}"));
        match kind {
            Kind::Time(unit) => {
                if !Numbers::hold(data_type) {
                    return not_fit("a time is a number, a timestamp or a duration");
                }
                let own = own_unit(data_type).unwrap_or(*unit);
                if own != *unit {
                    return not_fit(&format!("its unit is {0}, so write time:{0}", own.name()));
                }
                binding.time_unit_ns = unit.ns();
            }
            Kind::Date => {
                let unit = own_unit(data_type).unwrap_or(TimeUnit::Nanoseconds).name();
                return not_fit(&format!("dates here are timestamps, in a unit: write time:{unit}"));
            }
            Kind::Op(OpCode::Words) if !Words::hold(data_type) => {
                return not_fit(&format!(
                    "if its numbers are operations, say how, as in {name}=op:1=read (also 1=write, \
                     bit0=read, bit0=write, or a map, as in 42=write,40=read)"
                ));
            }
            Kind::Op(code) => {
                if !(Words::hold(data_type) || data_type.is_integer() || *data_type == DataType::Boolean) {
                    return not_fit("an operation is a word, a whole number or a truth value");
                }
                binding.code = code.clone();
            }
            Kind::Offset(_) | Kind::Size(_) | Kind::Stream if !plain => {
                return not_fit("a whole number is needed");
            }
            Kind::Offset(space) => binding.offset_unit_bytes = space.unit_bytes,
            Kind::Size(space) => binding.size_unit_bytes = space.unit_bytes,
            Kind::Device if !(Words::hold(data_type) || data_type.is_integer()) => {
                return not_fit("a device is a word or a whole number");
            }
            Kind::Device | Kind::Stream | Kind::Skip => {}
        }
    }
    Ok(binding)
}

/// The unit of a type that is a time.
fn own_unit(data_type: &DataType) -> Option<TimeUnit> {
    match data_type {
        DataType::Timestamp(unit, _) | DataType::Duration(unit) => Some(match unit {
            TypeUnit::Second => TimeUnit::Seconds,
            TypeUnit::Millisecond => TimeUnit::Milliseconds,
            TypeUnit::Microsecond => TimeUnit::Microseconds,
            TypeUnit::Nanosecond => TimeUnit::Nanoseconds,
        }),
        _ => None,
    }
}

fn names(schema: &Schema) -> String {
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if names.is_empty() { "no columns".to_owned() } else { names.join(", ") }
}
