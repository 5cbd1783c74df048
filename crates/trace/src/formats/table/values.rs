//! Cells of typed columns as plain numbers and words, without copying a column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array,
    LargeStringArray, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, TimeUnit};

/// A cell that should be a number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(u64),
    /// Finite and not negative.
    Real(f64),
    Null,
    /// As precise as a message needs it.
    Negative(f64),
    NotFinite,
}

/// A column of numbers.
pub(super) enum Numbers {
    U8(UInt8Array),
    U16(UInt16Array),
    U32(UInt32Array),
    U64(UInt64Array),
    I8(Int8Array),
    I16(Int16Array),
    I32(Int32Array),
    I64(Int64Array),
    F32(Float32Array),
    F64(Float64Array),
}

impl Numbers {
    /// Whether a column of this type holds numbers; times with a unit of their own are numbers, too.
    pub(super) fn hold(data_type: &DataType) -> bool {
        use DataType as T;
        data_type.is_integer()
            || matches!(data_type, T::Float32 | T::Float64 | T::Timestamp(..) | T::Duration(_))
    }

    /// The column's numbers, if it [holds](Self::hold) numbers.
    pub(super) fn of(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::UInt8 => Self::U8(array.as_primitive().clone()),
            DataType::UInt16 => Self::U16(array.as_primitive().clone()),
            DataType::UInt32 => Self::U32(array.as_primitive().clone()),
            DataType::UInt64 => Self::U64(array.as_primitive().clone()),
            DataType::Int8 => Self::I8(array.as_primitive().clone()),
            DataType::Int16 => Self::I16(array.as_primitive().clone()),
            DataType::Int32 => Self::I32(array.as_primitive().clone()),
            DataType::Int64 => Self::I64(array.as_primitive().clone()),
            DataType::Float32 => Self::F32(array.as_primitive().clone()),
            DataType::Float64 => Self::F64(array.as_primitive().clone()),
            DataType::Timestamp(unit, _) => Self::I64(match unit {
                TimeUnit::Second => {
                    array.as_primitive::<TimestampSecondType>().reinterpret_cast::<Int64Type>()
                }
                TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().reinterpret_cast(),
                TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().reinterpret_cast(),
                TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().reinterpret_cast(),
            }),
            DataType::Duration(unit) => Self::I64(match unit {
                TimeUnit::Second => {
                    array.as_primitive::<DurationSecondType>().reinterpret_cast::<Int64Type>()
                }
                TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().reinterpret_cast(),
                TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().reinterpret_cast(),
                TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().reinterpret_cast(),
            }),
            _ => return None,
        })
    }

    #[inline]
    pub(super) fn value(&self, row: usize) -> Value {
        macro_rules! cell {
            ($array:expr, $value:expr) => {
                if $array.is_null(row) { Value::Null } else { $value($array.value(row)) }
            };
        }
        match self {
            Self::U8(array) => cell!(array, |value| Value::Whole(u64::from(value))),
            Self::U16(array) => cell!(array, |value| Value::Whole(u64::from(value))),
            Self::U32(array) => cell!(array, |value| Value::Whole(u64::from(value))),
            Self::U64(array) => cell!(array, Value::Whole),
            Self::I8(array) => cell!(array, |value| signed(i64::from(value))),
            Self::I16(array) => cell!(array, |value| signed(i64::from(value))),
            Self::I32(array) => cell!(array, |value| signed(i64::from(value))),
            Self::I64(array) => cell!(array, signed),
            Self::F32(array) => cell!(array, |value| real(f64::from(value))),
            Self::F64(array) => cell!(array, real),
        }
    }
}

#[inline]
fn signed(value: i64) -> Value {
    u64::try_from(value).map_or(Value::Negative(value as f64), Value::Whole)
}

#[inline]
fn real(value: f64) -> Value {
    if !value.is_finite() {
        Value::NotFinite
    } else if value < 0.0 {
        Value::Negative(value)
    } else {
        Value::Real(value)
    }
}

/// The nearest whole number, if 64 bits hold it.
#[inline]
pub(super) fn rounded(value: f64) -> Option<u64> {
    // 2^64, the first number that is too large.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    let whole = value.round();
    (0.0..BEYOND).contains(&whole).then_some(whole as u64)
}

/// A column of words, or of numbers that stand for words.
pub(super) enum Words {
    Text(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    Bool(BooleanArray),
    Numbers(Numbers),
    /// Each row has the number of a word in a list.
    Coded {
        codes: Numbers,
        words: Box<Words>,
    },
}

impl Words {
    /// Digits of the largest number of 64 bits.
    pub(super) const MOST_DIGITS: usize = 20;

    /// Whether a column of this type holds text.
    pub(super) fn hold(data_type: &DataType) -> bool {
        match data_type {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Dictionary(_, words) => Self::hold(words),
            _ => false,
        }
    }

    /// The column's words, if it [holds](Self::hold) words, truth values or whole numbers.
    pub(super) fn of(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Text(array.as_string().clone()),
            DataType::LargeUtf8 => Self::Large(array.as_string().clone()),
            DataType::Utf8View => Self::View(array.as_string_view().clone()),
            DataType::Boolean => Self::Bool(array.as_boolean().clone()),
            DataType::Dictionary(_, _) => {
                let coded = array.as_any_dictionary();
                let keys = coded.keys().slice(0, coded.keys().len());
                let words = Self::of(coded.values())?;
                Self::Coded { codes: Numbers::of(&keys)?, words: Box::new(words) }
            }
            data_type if data_type.is_integer() => Self::Numbers(Numbers::of(array)?),
            _ => return None,
        })
    }

    /// The word of a row; numbers are written into `digits`. `None` where the cell is empty.
    #[inline]
    pub(super) fn bytes<'a>(
        &'a self,
        row: usize,
        digits: &'a mut [u8; Self::MOST_DIGITS],
    ) -> Option<&'a [u8]> {
        macro_rules! cell {
            ($array:expr) => {
                $array.is_valid(row).then(|| $array.value(row).as_bytes())
            };
        }
        match self {
            Self::Text(array) => cell!(array),
            Self::Large(array) => cell!(array),
            Self::View(array) => cell!(array),
            Self::Bool(array) => {
                array.is_valid(row).then(|| if array.value(row) { &b"1"[..] } else { &b"0"[..] })
            }
            Self::Numbers(numbers) => match numbers.value(row) {
                Value::Whole(value) => Some(in_decimal(value, digits)),
                Value::Negative(_) => Some(b"-"),
                _ => None,
            },
            Self::Coded { codes, words } => match codes.value(row) {
                Value::Whole(code) => words.bytes(code as usize, digits),
                _ => None,
            },
        }
    }
}

fn in_decimal(mut value: u64, digits: &mut [u8; Words::MOST_DIGITS]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return &digits[at..];
        }
    }
}

/// The columns of one batch, and how far it has been read.
pub(super) struct Columns {
    pub(super) time: Numbers,
    pub(super) op: Words,
    pub(super) offset: Numbers,
    pub(super) size: Numbers,
    pub(super) device: Option<Words>,
    pub(super) stream: Option<Numbers>,
    pub(super) rows: usize,
    pub(super) next: usize,
}
