//! The table of `docs/traces.md` about files that are not quite right, for every text format: its rows are the tests
//! here, `files.rs` has those about compression, `tables.rs`, `vscsi.rs` and `blktrace.rs` those of binary files.

use crate::common::{file, read};
use reclaim_trace::{OnError, OpenOptions, Record, Summary, Trace, TraceError};

/// A text format, with one line in terms of what a request is.
struct Text {
    format: &'static str,
    head: &'static str,
    /// Time, offset and size, each in the unit of the format.
    line: fn(&str, &str, &str) -> String,
    /// Two times, the second later.
    times: (&'static str, &'static str),
}

const FORMATS: [Text; 11] = [
    Text {
        format: "csv",
        head: "time_us,op,offset_bytes,size_bytes",
        line: |time, offset, size| format!("{time},write,{offset},{size}"),
        times: ("5", "7.25"),
    },
    Text {
        format: "msr",
        head: "",
        line: |time, offset, size| format!("{time},hm,0,Write,{offset},{size},1413"),
        times: ("128166372003061629", "128166372003061630"),
    },
    Text {
        format: "blkparse",
        head: "",
        line: |time, offset, size| format!("8,0 1 42 {time} 4957 D WS {offset} + {size} [fio]"),
        times: ("1.000000005", "2.000000000"),
    },
    Text {
        format: "mqsim",
        head: "",
        line: |time, offset, size| format!("{time} 0 {offset} {size} 0"),
        times: ("5", "7"),
    },
    Text {
        format: "disksim",
        head: "",
        line: |time, offset, size| format!("{time} 0 {offset} {size} 0"),
        times: ("5.5", "7.25"),
    },
    Text {
        format: "fio",
        head: "fio version 3 iolog",
        line: |time, offset, size| format!("{time} /dev/sda write {offset} {size}"),
        times: ("5", "7"),
    },
    Text {
        format: "systor",
        head: "Timestamp,Response,IOType,LUN,Offset,Size",
        line: |time, offset, size| format!("{time},0.000806000,W,4,{offset},{size}"),
        times: ("1456135200.013118000", "1456135200.013118001"),
    },
    Text {
        format: "spc",
        head: "",
        line: |time, offset, size| format!("0,{offset},{size},W,{time}"),
        times: ("0.551706", "0.6"),
    },
    Text {
        format: "alibaba",
        head: "",
        line: |time, offset, size| format!("419,W,{offset},{size},{time}"),
        times: ("1577808144360767", "1577808144360768"),
    },
    Text {
        format: "tencent",
        head: "",
        line: |time, offset, size| format!("{time},{offset},{size},1,1063"),
        times: ("1538323200", "1538323201"),
    },
    Text {
        format: "columns",
        head: "",
        line: |time, offset, size| format!("{time};{offset};W;{size}"),
        times: ("5", "7.25"),
    },
];

fn read_with(text: &str, options: &OpenOptions) -> Result<Vec<Record>, TraceError> {
    let (_folder, path) = file("t", text.as_bytes());
    read(&path, options)
}

impl Text {
    fn options(&self) -> OpenOptions {
        let mut options = OpenOptions { format: Some(self.format.to_owned()), ..OpenOptions::default() };
        if self.format == "columns" {
            options.columns = Some("time:us,offset:sectors,op,size:sectors".to_owned());
            options.separator = Some(";".to_owned());
        }
        options
    }

    fn good(&self) -> [String; 2] {
        [(self.line)(self.times.0, "4096", "8"), (self.line)(self.times.1, "8192", "16")]
    }

    /// A file with these lines below its head.
    fn text(&self, lines: &[String], end: &str) -> String {
        let head = [self.head.to_owned()].into_iter().filter(|head| !head.is_empty());
        let lines: Vec<_> = head.chain(lines.iter().cloned()).collect();
        lines.join(end) + end
    }

    fn read(&self, text: &str) -> Result<Vec<Record>, TraceError> {
        read_with(text, &self.options())
    }

    fn report(&self, text: &str) -> Summary {
        let (_folder, path) = file("t", text.as_bytes());
        let options = OpenOptions { on_error: OnError::Report, ..self.options() };
        Trace::open(&path, &options).and_then(|trace| trace.scan()).unwrap()
    }

    /// With `bad` between two good lines: an error that names its line and says `what`; with `--on-error report`, one
    /// line left out.
    fn refuses(&self, bad: &str, what: &str) {
        let [first, last] = self.good();
        let text = self.text(&[first, bad.to_owned(), last], "\n");
        let number = if self.head.is_empty() { 2 } else { 3 };
        match self.read(&text) {
            Err(TraceError::Line { line, reason, text, .. }) => {
                assert_eq!((line, text.as_str()), (number, bad), "{}", self.format);
                assert!(reason.contains(what), "{}: {reason}", self.format);
            }
            other => panic!("{}: {bad}: {other:?}", self.format),
        }
        let summary = self.report(&text);
        assert_eq!((summary.requests, summary.bad_lines), (2, 1), "{}: {bad}", self.format);
        assert!(summary.first_bad_lines[0].contains(what), "{:?}", summary.first_bad_lines);
    }
}

#[test]
fn the_lines_used_here_are_good() {
    for format in &FORMATS {
        assert_eq!(format.read(&format.text(&format.good(), "\n")).unwrap().len(), 2, "{}", format.format);
    }
}

#[test]
fn line_ends_blank_lines_and_a_byte_order_mark_change_nothing() {
    for format in &FORMATS {
        let [first, last] = format.good();
        let plain = format.text(&[first.clone(), last.clone()], "\n");
        let expected = format.read(&plain).unwrap();
        let variants = [
            format.text(&[first.clone(), last.clone()], "\r\n"),
            plain.replacen('\n', "\r\n", 1),
            plain.trim_end().to_owned(),
            format!("\u{feff}{plain}"),
            format.text(&[first.clone(), String::new(), " \t".to_owned(), last.clone()], "\n"),
            format!("{plain}\n\r\n\n"),
        ];
        for text in variants {
            assert_eq!(format.read(&text), Ok(expected.clone()), "{}: {text:?}", format.format);
        }
    }
}

#[test]
fn negative_numbers() {
    for format in &FORMATS {
        let time = if format.format == "blkparse" { "-1.000000000" } else { "-1" };
        format.refuses(&(format.line)(time, "4096", "8"), "is negative");
        format.refuses(&(format.line)(format.times.0, "-4096", "8"), "is negative");
        format.refuses(&(format.line)(format.times.0, "4096", "-8"), "is negative");
    }
}

#[test]
fn numbers_beyond_64_bits() {
    const BEYOND: &str = "18446744073709551616";
    for format in &FORMATS {
        let time =
            if format.format == "blkparse" { format!("{BEYOND}.000000000") } else { BEYOND.to_owned() };
        format.refuses(&(format.line)(&time, "4096", "8"), "too large for 64 bits");
        format.refuses(&(format.line)(format.times.0, BEYOND, "8"), "too large for 64 bits");
        format.refuses(&(format.line)(format.times.0, "4096", BEYOND), "too large for 64 bits");
        // They fit, their end does not; in sectors, the address itself does not.
        format.refuses(&(format.line)(format.times.0, "18446744073709551615", "8"), "64 bits");
    }
}

#[test]
fn requests_of_no_bytes_or_too_many() {
    for format in &FORMATS {
        format.refuses(&(format.line)(format.times.0, "4096", "0"), "a write of zero bytes is not a request");
        format
            .refuses(&(format.line)(format.times.0, "0", "4294967297"), "is more than one request can move");
    }
}

#[test]
fn time_that_goes_backwards() {
    for format in &FORMATS {
        let [first, last] = format.good();
        let backwards = format.text(&[last, first.clone()], "\n");
        let error = format.read(&backwards).unwrap_err().to_string();
        assert!(error.contains("time goes backwards") && error.contains("--sort"), "{error}");
        let sorted = read_with(&backwards, &OpenOptions { sort: true, ..format.options() }).unwrap();
        assert_eq!(sorted, format.read(&format.text(&format.good(), "\n")).unwrap(), "{}", format.format);
        // Requests at the same time are in the order of the file.
        let twice = format.text(&[first.clone(), (format.line)(format.times.0, "16", "8"), first], "\n");
        let same = format.read(&twice).unwrap();
        assert_eq!(same.len(), 3);
        assert!(same[1].offset_bytes < same[0].offset_bytes && same[2].offset_bytes == same[0].offset_bytes);
    }
}

#[test]
fn a_line_that_is_cut_or_goes_on() {
    for format in &FORMATS {
        let [first, last] = format.good();
        let half = &last[..last.len() / 2];
        format.refuses(half, "");
        // The same at the end of the file, without a line end.
        let cut = format!("{}{half}", format.text(&[first], "\n"));
        assert!(matches!(format.read(&cut), Err(TraceError::Line { .. })), "{}", format.format);
        assert_eq!(format.report(&cut).bad_lines, 1);
        if format.format != "spc" {
            // SPC allows for columns of one's own.
            format.refuses(&format!("{last} 7"), "");
        }
        format.refuses("no request", "");
    }
}
