//! What several test files need: a small report that uses every element of the format, a report of
//! a given shape, and values of every data type made from random numbers.
// Each test file uses a part only; helpers of tests may unwrap like tests.
#![allow(dead_code, reason = "each user of this module uses its part")]

pub mod property;

use std::io::Cursor;

use pompeii_cubex::{
    CallPath, CallPathId, CubePl, DataType, Dimension, Location, LocationGroup, LocationId, Metric,
    MetricId, MetricKind, Parameter, Place, Region, Report, SystemNode, TauAtomic, Topology, Value,
    WriteOptions, Writer,
};

/// A report with at least one of everything, on two threads.
pub fn small_report() -> Report {
    let mut report = Report::new("a \"test\"");
    report.mirrors.push("https://example.org/<docs>/".into());
    small_metrics(&mut report);
    small_program(&mut report);
    small_system(&mut report);
    report
}

fn small_metrics(report: &mut Report) {
    let metric = |name: &str, kind, data_type| Metric {
        unique_name: name.to_lowercase(),
        display_name: name.into(),
        kind,
        data_type,
        ..Metric::default()
    };
    let time = Metric {
        unit: "sec".into(),
        url: "@mirror@time.html".into(),
        description: "Time & more".into(),
        ..metric("Time", MetricKind::Inclusive, DataType::Double)
    };
    let time = report.metrics.push(None, time);
    report.metrics.push(Some(time), metric("Wait", MetricKind::Exclusive, DataType::Double));
    let visits = Metric {
        unit: "occ".into(),
        attributes: vec![("key".into(), "value".into())],
        ..metric("Visits", MetricKind::Exclusive, DataType::Uint64)
    };
    report.metrics.push(None, visits);
    let hidden = Metric {
        ghost: true,
        value: Some("VOID".into()),
        ..metric("Hidden", MetricKind::Simple, DataType::Int32)
    };
    report.metrics.push(None, hidden);
    let mean = CubePl {
        expression: "metric::time() / metric::visits() < 5".into(),
        row_wise: false,
        init: Some("{ global(x); }".into()),
        plus: Some("max(arg1, arg2)".into()),
        ..CubePl::default()
    };
    let derived = Metric {
        cube_pl: Some(mean),
        cacheable: false,
        convertible: false,
        ..metric("Mean", MetricKind::PostDerived, DataType::Double)
    };
    report.metrics.push(None, derived);
}

fn small_program(report: &mut Report) {
    let program = report.regions.push(Region {
        name: "a.out".into(),
        paradigm: "measurement".into(),
        role: "artificial".into(),
        ..Region::default()
    });
    let parallel = report.regions.push(Region {
        name: "!$omp parallel @a.c:3".into(),
        mangled_name: "_omp_parallel".into(),
        paradigm: "openmp".into(),
        role: "parallel".into(),
        file: "src/a.c".into(),
        begin_line: Some(3),
        end_line: Some(9),
        description: "all <of> it".into(),
        ..Region::default()
    });
    let root = report.call_paths.push(None, CallPath::new(program));
    let a = report.call_paths.push(
        Some(root),
        CallPath { line: Some(12), file: "src/a.c".into(), ..CallPath::new(parallel) },
    );
    let mut c = CallPath::new(program);
    c.parameters.push(Parameter { key: "n".into(), value: "7".into(), numeric: true });
    report.call_paths.push(Some(root), c);
    report.call_paths.push(Some(a), CallPath::new(parallel));
}

fn small_system(report: &mut Report) {
    let system = &mut report.system;
    let node = |name: &str, class: &str| SystemNode {
        name: name.into(),
        class: class.into(),
        ..SystemNode::default()
    };
    let machine = system.nodes.push(None, node("Linux", "machine"));
    let node = system.nodes.push(Some(machine), node("host", "node"));
    let process = system.groups.push(None, LocationGroup::process(node, "Process", 0));
    let mut thread = |rank| system.locations.push(Location::thread(process, "Thread", rank));
    let threads = [thread(0), thread(1)];
    report.topologies.push(Topology {
        name: "line".into(),
        dimensions: vec![Dimension { name: "x".into(), size: 2, periodic: true }],
        coordinates: (0..).zip(threads).map(|(x, id)| (Place::Location(id), vec![x])).collect(),
    });
}

/// A report of one metric with the given call tree (the parent of each call path but the first ones
/// is one before it, modulo its own number) and so many locations.
pub fn shaped_report(
    data_type: DataType,
    kind: MetricKind,
    parents: &[Option<usize>],
    locations: usize,
) -> Report {
    let mut report = Report::new("test");
    report
        .metrics
        .push(None, Metric { unique_name: "m".into(), data_type, kind, ..Metric::default() });
    let region = report.regions.push(Region { name: "r".into(), ..Region::default() });
    for (index, parent) in parents.iter().enumerate() {
        let parent = parent.filter(|_| index > 0).map(|parent| parent % index);
        let parent = parent.map(|parent| CallPathId(parent as u32));
        report.call_paths.push(parent, CallPath::new(region));
    }
    let node = report.system.nodes.push(None, SystemNode::default());
    let group = report.system.groups.push(None, LocationGroup::process(node, "p", 0));
    for rank in 0..locations {
        report.system.locations.push(Location::thread(group, "t", rank as i64));
    }
    report
}

/// A value of this type from a random number; 0 gives zero.
pub fn value(data_type: &DataType, seed: u64) -> Value {
    // Not a number is not equal to itself, which would spoil comparisons.
    let double = |turn: u32| {
        let double = f64::from_bits(seed.rotate_left(turn));
        if double.is_nan() { 1.5 } else { double }
    };
    let doubles = |count: u32| (0..count).map(double).collect();
    match data_type {
        DataType::Int8 => Value::Int((seed as i8).into()),
        DataType::Int16 => Value::Int((seed as i16).into()),
        DataType::Int32 => Value::Int((seed as i32).into()),
        DataType::Int64 => Value::Int(seed as i64),
        DataType::Uint8 => Value::Uint((seed as u8).into()),
        DataType::Uint16 => Value::Uint((seed as u16).into()),
        DataType::Uint32 => Value::Uint((seed as u32).into()),
        DataType::Uint64 => Value::Uint(seed),
        DataType::Double | DataType::MinDouble | DataType::MaxDouble => Value::Double(double(0)),
        DataType::Complex => Value::Complex(double(0), double(1)),
        DataType::Rate => Value::Rate(double(0), double(1)),
        DataType::TauAtomic => Value::TauAtomic(TauAtomic {
            count: seed as u32,
            min: double(1),
            max: double(2),
            sum: double(3),
            sum_of_squares: double(4),
        }),
        DataType::Doubles(count) => Value::Doubles(doubles(*count)),
        DataType::Histogram(count) => {
            Value::Histogram { min: double(1), max: double(2), bins: doubles(*count) }
        }
        DataType::Other(name) => panic!("no values of type {name}"),
    }
}

/// Writes a report whose values come from a function.
pub fn write(
    report: &Report,
    options: WriteOptions,
    value: impl Fn(MetricId, CallPathId, LocationId) -> Value,
) -> Vec<u8> {
    write_with_files(report, options, &[], value)
}

/// The same with embedded files.
pub fn write_with_files(
    report: &Report,
    options: WriteOptions,
    files: &[(&str, &[u8])],
    value: impl Fn(MetricId, CallPathId, LocationId) -> Value,
) -> Vec<u8> {
    let mut writer = Writer::new(Cursor::new(Vec::new()), report, options).unwrap();
    for (name, content) in files {
        writer.file(name, content).unwrap();
    }
    for (metric, definition) in report.metrics.iter() {
        if definition.kind.is_derived() {
            continue;
        }
        for call_path in writer.row_order(metric).unwrap() {
            let row: Vec<Value> =
                report.locations().map(|location| value(metric, call_path, location)).collect();
            writer.row(metric, call_path, &row).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// Values that differ in every place, with zero rows on the last call path.
pub fn distinct_value(
    report: &Report,
    metric: MetricId,
    call_path: CallPathId,
    location: LocationId,
) -> Value {
    let last = call_path.0 as usize + 1 == report.call_paths.len();
    let number = 100 * (metric.0 + 1) + 10 * call_path.0 + location.0 + 1;
    let seed = if last { 0 } else { u64::from(number) };
    match &report.metrics[metric].data_type {
        // Small integers as bit patterns would be denormal.
        DataType::Double => Value::Double(seed as f64 / 8.0),
        other => value(other, seed),
    }
}

/// A container as a usual tar program writes it.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        bytes.extend(tar_header(name, content.len()));
        bytes.extend(*content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// A header without checksum: our reader must not care.
pub fn tar_header(name: &str, len: usize) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{len:011o}").as_bytes());
    header[156] = b'0';
    header
}

/// As the analyzers of traces wrote it: ids with gaps, `~` for hidden counters, rows that end
/// early, numbers in any layout.
pub const OLD_CUBE3: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cube version="3.0">
  <attr key="CUBE_CT_AGGR" value="SUM"/>
  <doc><mirrors><murl>http://example.org/docs</murl></mirrors></doc>
  <metrics>
    <metric id="0"><disp_name>Time</disp_name><uniq_name>time</uniq_name>
      <dtype>FLOAT</dtype><uom>sec</uom><url>@mirror@time.html</url><descr>Total</descr>
      <metric id="1"><disp_name>Execution</disp_name><uniq_name>execution</uniq_name>
        <uom>sec</uom></metric>
    </metric>
    <metric id="5"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name>
      <dtype>INTEGER</dtype><uom>occ</uom></metric>
    <metric id="6"><disp_name>~counter</disp_name><uniq_name>~counter</uniq_name>
      <dtype>INTEGER</dtype><uom>occ</uom><val>VOID</val></metric>
  </metrics>
  <program>
    <region id="0" mod="a.c" begin="1" end="-1"><name>main</name><url/><descr/></region>
    <region id="1" mod="a.c" begin="5" end="9"><name>!$omp parallel</name></region>
    <cnode id="0" line="-1" mod="" calleeId="0"><cnode id="1" line="5" calleeId="1"/></cnode>
  </program>
  <system>
    <machine Id="0"><name>cluster</name>
      <node Id="0"><name>host</name>
        <process Id="0"><name>rank 0</name><rank>0</rank>
          <thread Id="0"><name>t0</name><rank>0</rank></thread>
          <thread Id="1"><name>t1</name><rank>1</rank></thread></process></node></machine>
    <topologies><cart ndims="1"><dim size="1" periodic="false"/>
      <coord machId="0">0</coord><coord nodeId="0">0</coord><coord procId="0">0</coord>
      <coord thrdId="1">0</coord></cart></topologies>
  </system>
  <severity>
    <matrix metricId="0">
      <row cnodeId="0">1.5
2.5e-1
</row>
      <row cnodeId="1"> 3 4 </row>
    </matrix>
    <matrix metricId="5"><row cnodeId="1">7</row><row cnodeId="0"/></matrix>
    <matrix metricId="6"><row cnodeId="0">1 2.5</row></matrix>
  </severity>
</cube>
"#;
