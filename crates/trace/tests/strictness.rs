//! The table of `docs/traces.md` about files that are not quite right, for every text format: its rows are the tests
//! here, `files.rs` has those about compression, `tables.rs`, `vscsi.rs` and `block_layer.rs` those of binary files.

use crate::common::{file, opened, refused, refuses, with};
use reclaim_trace::{OpenOptions, Record, Trace};

/// A text format: a line with a time, an offset and a size, two such times, and what an error calls the three.
struct Text {
    format: &'static str,
    head: &'static str,
    template: &'static str,
    times: [&'static str; 2],
    called: &'static str,
    options: OpenOptions,
}

fn formats() -> [Text; 11] {
    const SYSTOR: &str = "Timestamp,Response,IOType,LUN,Offset,Size\n";
    let (capitals, sectors) = ("Timestamp|Offset|Size", "first column|start sector|number of sectors");
    let (own, blkparse) = ("time_us|offset_bytes|size_bytes", "fourth field|start sector|number of sectors");
    [
        ("csv", "time_us,op,offset_bytes,size_bytes\n", "{t},write,{o},{s}", ["5", "7.25"], own),
        ("msr", "", "{t},hm,0,Write,{o},{s},14", ["128166372003061629", "128166372003061630"], capitals),
        ("blkparse", "", "8,0 1 42 {t} 4957 D WS {o} + {s} [fio]", ["1.000000005", "2.000000000"], blkparse),
        ("mqsim", "", "{t} 0 {o} {s} 0", ["5", "7"], sectors),
        ("disksim", "", "{t} 0 {o} {s} 0", ["5.5", "7.25"], sectors),
        ("fio", "fio version 3 iolog\n", "{t} /a write {o} {s}", ["5", "7"], "first column|offset|length"),
        ("systor", SYSTOR, "{t},0.1,W,4,{o},{s}", ["1456135200.013118000", "1456135200.013118001"], capitals),
        ("spc", "", "0,{o},{s},W,{t}", ["0.551706", "0.6"], "Timestamp|LBA|Size"),
        (
            "alibaba",
            "",
            "419,W,{o},{s},{t}",
            ["1577808144360767", "1577808144360768"],
            "timestamp|offset|length",
        ),
        ("tencent", "", "{t},{o},{s},1,1063", ["1538323200", "1538323201"], capitals),
        ("columns", "", "{t};{o};W;{s}", ["5", "7.25"], "time|offset|size"),
    ]
    .map(|(format, head, template, times, called)| {
        let columns = [("columns", "time:us,offset:sectors,op,size:sectors"), ("separator", ";")];
        let options = if format == "columns" { with(&columns) } else { with(&[("format", format)]) };
        Text { format, head, template, times, called, options }
    })
}

impl Text {
    fn line(&self, time: &str, offset: &str, size: &str) -> String {
        self.template.replace("{t}", time).replace("{o}", offset).replace("{s}", size)
    }

    fn good(&self) -> [String; 2] {
        [self.line(self.times[0], "4096", "8"), self.line(self.times[1], "8192", "16")]
    }

    /// A file with these lines below its head.
    fn text(&self, lines: &[&str], end: &str) -> String {
        self.head.lines().chain(lines.iter().copied()).map(|line| line.to_owned() + end).collect()
    }

    fn read(&self, text: &str) -> Vec<Record> {
        opened(text, &self.options).unwrap_or_else(|error| panic!("{}: {text:?}: {error}", self.format))
    }

    fn bad_lines(&self, text: &str) -> (u64, u64) {
        let (_folder, path) = file("t", text);
        let report = OpenOptions { on_error: with(&[("report", "")]).on_error, ..self.options.clone() };
        let summary = Trace::open(&path, &report).and_then(|trace| trace.scan()).unwrap();
        (summary.requests, summary.bad_lines)
    }

    /// With `bad` between two good lines: an error that names its line and says `what`; with `--on-error report`, one
    /// line left out.
    fn refuses(&self, bad: &str, what: &str) {
        let [good, _] = self.good();
        refuses(&self.options, self.head, &good, &[(bad, what)]);
        assert_eq!(self.bad_lines(&self.text(&[&good, bad, &good], "\n")), (2, 1), "{}: {bad}", self.format);
    }

    /// The same value in place of the time, the offset and the size.
    fn refuses_in_each(&self, value: &str, what: &str) {
        let time = if self.format == "blkparse" { format!("{value}.000000000") } else { value.to_owned() };
        let lines = [
            self.line(&time, "4096", "8"),
            self.line(self.times[0], value, "8"),
            self.line(self.times[0], "4096", value),
        ];
        for (line, called) in lines.iter().zip(self.called.split('|')) {
            self.refuses(line, &format!("{called}|{what}"));
        }
    }
}

#[test]
fn line_ends_blank_lines_and_a_byte_order_mark_change_nothing() {
    for format in formats() {
        let [first, last] = format.good();
        let plain = format.text(&[&first, &last], "\n");
        let expected = format.read(&plain);
        assert_eq!(expected.len(), 2);
        for text in [
            plain.replace('\n', "\r\n"),
            plain.replacen('\n', "\r\n", 1),
            plain.trim_end().to_owned(),
            format!("\u{feff}{plain}"),
            format.text(&[&first, "", " \t", &last], "\n"),
            format!("{plain}\n\r\n\n"),
        ] {
            assert_eq!(format.read(&text), expected, "{}: {text:?}", format.format);
        }
    }
}

#[test]
fn numbers_below_zero_or_beyond_64_bits() {
    for format in formats() {
        format.refuses_in_each("-4096", "is negative");
        format.refuses_in_each("18446744073709551616", "too large for 64 bits");
        // They fit, their end does not; in sectors, the address itself does not.
        format.refuses(&format.line(format.times[0], "18446744073709551615", "8"), "64 bits");
    }
}

#[test]
fn requests_of_no_bytes_or_too_many() {
    for format in formats() {
        format.refuses(&format.line(format.times[0], "4096", "0"), "a write of zero bytes");
        format.refuses(&format.line(format.times[0], "0", "4294967297"), "is more than one request can move");
    }
}

#[test]
fn time_that_goes_backwards() {
    for format in formats() {
        let [first, last] = format.good();
        let backwards = format.text(&[&last, &first], "\n");
        if ["systor", "tencent"].contains(&format.format) {
            // Their public files are out of order.
            let in_order = format.read(&format.text(&[&first, &last], "\n"));
            assert_eq!(format.read(&backwards), in_order, "{}", format.format);
        } else {
            let error = refused(&backwards, &format.options);
            assert!(error.contains("time goes backwards") && error.contains("--sort"), "{error}");
        }
        let sorted = opened(&backwards, &OpenOptions { sort: true, ..format.options.clone() });
        assert_eq!(sorted, Ok(format.read(&format.text(&[&first, &last], "\n"))), "{}", format.format);
        // Requests at the same time are in the order of the file.
        let same =
            format.read(&format.text(&[&first, &format.line(format.times[0], "16", "8"), &first], "\n"));
        assert_eq!(same.len(), 3);
        assert!(same[1].offset_bytes < same[0].offset_bytes && same[2].offset_bytes == same[0].offset_bytes);
    }
}

#[test]
fn a_line_that_is_cut_or_goes_on() {
    for format in formats() {
        let [first, last] = format.good();
        let half = &last[..last.len() / 2];
        format.refuses(half, "");
        format.refuses("no request", "");
        if format.format != "spc" {
            // SPC allows for columns of one's own.
            format.refuses(&format!("{last} 7"), "");
        }
        // Cut at the end of the file, without a line end.
        let cut = format!("{}{half}", format.text(&[&first], "\n"));
        refused(&cut, &format.options);
        assert_eq!(format.bad_lines(&cut), (1, 1));
    }
}
