//! The text of anchor.xml, and that reading it gives back what was written.

use crate::common::{distinct_value, small_report, write};
use expect_test::{Expect, expect, expect_file};
use pompeii_cubex::{Reader, Report, WriteOptions};
use proptest::prelude::*;

fn anchor(report: &Report) -> (String, Reader) {
    let bytes = write(report, WriteOptions::default(), |m, c, l| distinct_value(report, m, c, l));
    let reader = Reader::from_bytes(bytes).unwrap();
    let anchor = reader.file("anchor.xml").unwrap().unwrap();
    (String::from_utf8(anchor).unwrap(), reader)
}

#[test]
fn everything_once() {
    let report = small_report();
    let (text, reader) = anchor(&report);
    expect_file!["expected/anchor.xml"].assert_eq(&text);
    assert_eq!(*reader.report(), report);
}

/// Reads an anchor.xml and shows what it defines, or why it is refused.
fn check(anchor: &str, expect: Expect) {
    let archive = crate::common::tar(&[("anchor.xml", anchor.as_bytes())]);
    let text = match Reader::from_bytes(archive) {
        Ok(reader) => summary(reader.report()),
        Err(error) => format!("error: {error}\n"),
    };
    expect.assert_eq(&text);
}

fn summary(report: &Report) -> String {
    let mut text = String::new();
    for (id, metric) in report.metrics.iter() {
        let parent = report.metrics.parent(id).map(|parent| parent.0);
        text += &format!(
            "metric {} {:?} {} {} parent {parent:?}\n",
            id.0,
            metric.unique_name,
            metric.data_type,
            metric.kind.name(),
        );
        if let Some(cube_pl) = &metric.cube_pl {
            text += &format!("  {cube_pl:?}\n");
        }
    }
    for (id, call_path) in report.call_paths.iter() {
        let region = &report.regions[call_path.region];
        let children = report.call_paths.children(id);
        text += &format!("call path {} {:?} {children:?}\n", id.0, region.name);
    }
    for (id, location) in report.system.locations.iter() {
        let group = &report.system.groups[location.group];
        text += &format!("location {} {:?} of {:?}\n", id.0, location.name, group.name);
    }
    for topology in &report.topologies {
        text += &format!("{topology:?}\n");
    }
    text
}

#[test]
fn attributes_without_quotes() {
    check(
        r#"<cube version="4.4"><metrics><metric id="0" type="PREDERIVED_EXCLUSIVE">
            <uniq_name>x</uniq_name><dtype> FLOAT </dtype>
            <cubepl rowwise=false>a &lt; b && c</cubepl>
            <cubeplaggr cubeplaggrtype=minus><![CDATA[arg1 < arg2]]></cubeplaggr>
            <cubeplaggr cubeplaggrtype=aggr>arg1</cubeplaggr>
            </metric></metrics></cube>"#,
        expect![[r#"
            metric 0 "x" DOUBLE PREDERIVED_EXCLUSIVE parent None
              CubePl { expression: "a < b && c", row_wise: false, init: None, plus: None, minus: Some("arg1 < arg2"), aggregate: Some("arg1") }
        "#]],
    );
}

#[test]
fn numbers_with_gaps_and_out_of_order() {
    check(
        r#"<cube><program>
            <region id="7"><name>seven</name></region><region id="3"><name>three</name></region>
            <cnode id="10" calleeId="7">
              <cnode id="30" calleeId="3"/><cnode id="20" calleeId="7"/>
            </cnode></program>
            <system><systemtreenode Id="0"><locationgroup Id="4"><name>four</name>
              <locationgroup Id="1"><name>one</name>
                <location Id="9"><name>nine</name></location></locationgroup>
              <location Id="2"><name>two</name></location>
            </locationgroup></systemtreenode>
            <topologies><cart ndims="1"><dim size="3" periodic="true"/>
              <coord thrdId="9">2</coord><coord locId="77">1</coord><coord lgId="4">0</coord>
            </cart></topologies></system></cube>"#,
        expect![[r#"
            call path 0 "seven" [CallPathId(2), CallPathId(1)]
            call path 1 "seven" []
            call path 2 "three" []
            location 0 "two" of "four"
            location 1 "nine" of "one"
            Topology { name: "", dimensions: [Dimension { name: "", size: 3, periodic: true }], coordinates: [(Location(LocationId(1)), [2]), (Group(GroupId(1)), [0])] }
        "#]],
    );
}

#[test]
fn refused_texts() {
    check(
        "",
        expect![[r#"
        error: anchor.xml: expected an element `cube`, found none
    "#]],
    );
    check(
        "<cube><metrics></cube>",
        expect![[r#"
        error: anchor.xml, byte 15: expected XML, found ill-formed document: expected `</metrics>`, but `</cube>` was found
    "#]],
    );
    check(
        "<cube><metrics><metric type='SIMPLE'/></metrics></cube>",
        expect![[r#"
        error: anchor.xml, byte 15, element `metric`: expected a number as attribute `id`, found none
    "#]],
    );
    check(
        "<cube><program><cnode id='0' calleeId='1'/></program></cube>",
        expect![[r#"
        error: anchor.xml, cnode 0: expected the id of a region, found calleeId 1
    "#]],
    );
    check(
        "<cube><program><region id='0'/><region id='0'/></program></cube>",
        expect![[r#"
        error: anchor.xml, region 0: expected one definition, found two
    "#]],
    );
    check(
        "<cube><system><location Id='0'/></system></cube>",
        expect![[r#"
        error: anchor.xml, byte 14, element `location`: expected to be inside `locationgroup`, found elsewhere
    "#]],
    );
}

#[test]
fn deep_call_trees_need_no_deep_stack() {
    let parents: Vec<Option<usize>> = (0..50_000_usize).map(|id| id.checked_sub(1)).collect();
    let report = crate::common::shaped_report(
        pompeii_cubex::DataType::Double,
        pompeii_cubex::MetricKind::Inclusive,
        &parents,
        1,
    );
    let (_, reader) = anchor(&report);
    assert_eq!(*reader.report(), report);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_survives(text in "([ -~]|\\PC|[\t\r\n])*", number in any::<u32>()) {
        let mut report = small_report();
        report.attributes.push((text.clone(), text.clone()));
        report.mirrors.push(text.clone());
        let metric = &mut report.metrics[pompeii_cubex::MetricId(0)];
        metric.unique_name = format!("unique {text}");
        metric.unit = text.clone();
        let region = &mut report.regions[pompeii_cubex::RegionId(0)];
        region.name = text.clone();
        region.begin_line = Some(number);
        report.system.locations[pompeii_cubex::LocationId(1)].name = text;
        let (_, reader) = anchor(&report);
        prop_assert_eq!(reader.report(), &report);
    }
}
