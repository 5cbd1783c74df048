//! The index at the end of an Arrow file, looked at before the library trusts it: the library makes room for as many bytes
//! as the index claims.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_ipc::{root_as_footer, root_as_message};

use super::messages::{check_unpacked, contradiction, damaged};

/// What a file ends with, behind the length of the index.
const END: &[u8; 6] = b"ARROW1";

/// Whether every block that the index names lies within `file`.
pub(super) fn check(file: &mut (impl Read + Seek)) -> io::Result<()> {
    let file_bytes = file.seek(SeekFrom::End(0))?;
    let tail = file_bytes.checked_sub(10).ok_or_else(|| contradiction("the length of the file"))?;
    let ending: [u8; 10] = read_at(file, tail, 10)?.try_into().expect("ten bytes");
    if ending[4..] != *END {
        return Err(damaged("it does not end as an Arrow file does".to_owned()));
    }
    let length = i32::from_le_bytes([ending[0], ending[1], ending[2], ending[3]]);
    let start = u64::try_from(length).ok().and_then(|length| tail.checked_sub(length));
    let start = start.ok_or_else(|| contradiction("the length of the index"))?;
    let bytes = read_at(file, start, tail - start)?;
    let footer = root_as_footer(&bytes).map_err(|error| damaged(error.to_string()))?;
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let wrong = || contradiction("the place of a block");
        let number = |value: i64| u64::try_from(value).map_err(|_| wrong());
        let (offset, description) = (number(block.offset())?, number(block.metaDataLength().into())?);
        let body = offset.checked_add(description).ok_or_else(wrong)?;
        let end = body.checked_add(number(block.bodyLength())?).ok_or_else(wrong)?;
        if end > start {
            return Err(wrong());
        }
        let bytes = read_at(file, offset, description)?;
        // A mark and the length, or only the length.
        let skipped = if bytes.starts_with(&[0xFF; 4]) { 8 } else { 4 };
        let bytes = bytes.get(skipped..).ok_or_else(wrong)?.to_vec();
        let message = root_as_message(&bytes).map_err(|error| damaged(error.to_string()))?;
        let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        if let Some(batch) = message.header_as_record_batch().or(dictionary) {
            check_unpacked(batch, |place| {
                let place = body.checked_add(place).filter(|place| *place < end)?;
                read_at(file, place, 8).ok()?.try_into().ok()
            })?;
        }
    }
    Ok(())
}

fn read_at(file: &mut (impl Read + Seek), place: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(place))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == count { Ok(bytes) } else { Err(damaged("it is cut short".to_owned())) }
}
